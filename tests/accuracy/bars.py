"""What the rules must reach on the runs in ``data/``.

A bar that is not reached yet stands in ``unmet.json`` with the figure that must not get worse and
its cause. ``python -m tests.accuracy --write`` tightens those figures and drops what is reached.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from advisor.accuracy import Accuracy, Judged, Prediction, measure
from advisor.project import open_project
from tests.support import TODAY

DATA = Path(__file__).with_name("data")
FILES = ("oracle.csv", "flops.csv", "measured_runs.csv")
UNMET = Path(__file__).with_name("unmet.json")
SLACK = 5e-5
"""Half of the last digit that is kept."""

Rows = Sequence[Prediction]


class Unmet(NamedTuple):
    """Where a bar that is not reached stands, and why."""

    present: float
    cause: str


def unmet() -> dict[str, Unmet]:
    """The bars that are known not to be reached, by name."""
    written: dict[str, dict[str, Any]] = json.loads(UNMET.read_text("utf-8"))
    return {name: Unmet(**one) for name, one in written.items()}


@cache
def accuracy(file: str) -> Accuracy:
    """The accuracy of the core rules on one of the files."""
    return measure(open_project([], TODAY), DATA / file, file)


def rows(*groups: str) -> list[Prediction | Judged]:
    """Every prediction of some groups; none of them is empty."""
    found = [one for file in FILES for one in accuracy(file).rows if one.group in groups]
    assert {one.group for one in found} == set(groups), groups
    return found


def numbers(*groups: str) -> list[Prediction]:
    """The same, without verdicts."""
    return [one for one in rows(*groups) if isinstance(one, Prediction)]


def _errors(found: Rows) -> list[float]:
    return sorted(abs(one.error) for one in found)


def within(limit: float) -> Callable[[Rows], float]:
    """The share of rows predicted within a limit."""
    return lambda found: sum(error <= limit for error in _errors(found)) / len(found)


def typical(found: Rows) -> float:
    errors = _errors(found)
    middle = len(errors) // 2
    return errors[middle] if len(errors) % 2 else (errors[middle - 1] + errors[middle]) / 2


def worst(found: Rows) -> float:
    return _errors(found)[-1]


def too_low(found: Rows) -> float:
    """How far the lowest prediction is below what was measured."""
    return max(0.0, *(-one.error for one in found))


def covered(found: Rows) -> float:
    return sum(one.covered for one in found) / len(found)


def band(found: Rows) -> float:
    widths = sorted(one.width for one in found)
    return widths[len(widths) // 2]


Figure = Callable[[], float]


class Bar(NamedTuple):
    """A figure and its limit: at most, or (``least``) at least."""

    what: str
    figure: str
    value: Figure
    limit: float
    least: bool = False

    @property
    def name(self) -> str:
        return f"{self.what}: {self.figure}"

    def reached(self, value: float, limit: float | None = None) -> bool:
        """Whether a value meets the bar, or another limit in its place."""
        wanted = self.limit if limit is None else limit
        return value >= wanted - SLACK if self.least else value <= wanted + SLACK


LLAMA = ("traced, llama-like",)
OTHER = (
    "traced, padding mask or k-bit preparation without autocast",
    "traced, other architectures",
)
FLOPS = ("operations of a step",)
ALONE = ("allocated: one GPU, transformers",)
FOREIGN = ("allocated: one GPU, other frameworks",)
SPREAD = ("allocated: fused loss, several GPUs or GPTQ",)
RESERVED = ("reserved",)
DEVICE = ("device and unknown",)
TIME = ("time of a step",)
FITS = ("fits or not",)


def refused(word: str) -> float:
    """Of the runs that failed (``oom``) or ran (``ran``), the share that the rules refuse."""
    said = [one for one in rows(*FITS) if isinstance(one, Judged) and one.measured == word]
    return sum(one.predicted == "does not fit" for one in said) / len(said)


class _Maker:
    """Makes bars of one row of the requirements."""

    def __init__(self, what: str, groups: tuple[str, ...]) -> None:
        self.what = what
        self.groups = groups

    def most(self, figure: str, take: Callable[[Rows], float], limit: float) -> Bar:
        return Bar(self.what, figure, partial(_taken, take, self.groups), limit)

    def least(self, figure: str, take: Callable[[Rows], float], limit: float) -> Bar:
        return Bar(self.what, figure, partial(_taken, take, self.groups), limit, least=True)


def _taken(take: Callable[[Rows], float], groups: tuple[str, ...]) -> float:
    return take(numbers(*groups))


def bars() -> list[Bar]:
    """Every bar, in the order of the requirements."""
    llama = _Maker("traced peaks, llama-like", LLAMA)
    other = _Maker("traced peaks, other", OTHER)
    flops = _Maker("FLOPs", FLOPS)
    alone = _Maker("allocated, one GPU, transformers", ALONE)
    foreign = _Maker("allocated, one GPU, other frameworks", FOREIGN)
    spread = _Maker("allocated, fused loss, several GPUs or GPTQ", SPREAD)
    reserved = _Maker("reserved", RESERVED)
    device = _Maker("device and unknown", DEVICE)
    time = _Maker("time of a step", TIME)
    return [
        llama.least("within 2 %", within(0.02), 0.95),
        llama.most("worst", worst, 0.05),
        other.most("median", typical, 0.02),
        other.least("within 5 %", within(0.05), 0.90),
        flops.most("worst", worst, 0.01),
        alone.most("median", typical, 0.03),
        alone.least("within 8 %", within(0.08), 0.90),
        alone.most("furthest below", too_low, 0.10),
        foreign.most("median", typical, 0.06),
        foreign.least("within 15 %", within(0.15), 0.90),
        spread.most("median", typical, 0.06),
        spread.least("within 15 %", within(0.15), 0.90),
        reserved.most("median", typical, 0.08),
        reserved.least("in band", covered, 0.90),
        reserved.most("half the band, median", band, 0.12),
        device.most("median", typical, 0.12),
        device.least("in band", covered, 0.90),
        device.most("half the band, median", band, 0.20),
        Bar("runs that did not fit", "refused", partial(refused, "oom"), 0.95, least=True),
        Bar("runs that ran", "refused", partial(refused, "ran"), 0.02),
        time.most("median", typical, 0.15),
        time.least("within 35 %", within(0.35), 0.90),
        time.least("in band", covered, 0.85),
    ]
