"""How good predictions are, group by group."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from statistics import fmean, median
from typing import NamedTuple

from advisor.accuracy.predict import Judged, Prediction

UNDER = 0.05
"""A prediction this share below what was measured is counted: being too low is what hurts."""

REFUSED = "does not fit"


class Figures(NamedTuple):
    """The errors of one group's predictions, as shares of what was measured.

    ``p90`` is the error that nine of ten rows stay within, ``bias`` the mean error with its sign,
    ``lowest`` the furthest below, ``width`` the median half width of the range.
    """

    group: str
    quantity: str
    rows: int
    median: float
    p90: float
    worst: float
    bias: float
    under: int
    lowest: float
    covered: float
    width: float


class VerdictFigures(NamedTuple):
    """How runs that did not fit, and runs that did, were judged."""

    group: str
    quantity: str
    rows: int
    oom: int
    oom_refused: int
    ran: int
    ran_refused: int
    tight: int


def figures(
    found: Iterable[Prediction | Judged], key: Callable[[Prediction | Judged], str]
) -> tuple[Figures | VerdictFigures, ...]:
    """The figures of each group, groups in the order in which they first appear."""
    groups: dict[tuple[str, bool], list[Prediction | Judged]] = {}
    for one in found:
        groups.setdefault((key(one), isinstance(one, Judged)), []).append(one)
    return tuple(_figures(name, members) for (name, _), members in groups.items())


def _figures(group: str, members: list[Prediction | Judged]) -> Figures | VerdictFigures:
    quantity = ", ".join(dict.fromkeys(one.quantity for one in members))
    judged = [one for one in members if isinstance(one, Judged)]
    if judged:
        oom = [one.predicted for one in judged if one.measured == "oom"]
        ran = [one.predicted for one in judged if one.measured != "oom"]
        tight = sum(one.predicted == "tight" for one in judged)
        return VerdictFigures(
            group,
            quantity,
            len(judged),
            len(oom),
            oom.count(REFUSED),
            len(ran),
            ran.count(REFUSED),
            tight,
        )
    rows = [one for one in members if isinstance(one, Prediction)]
    errors = [one.error for one in rows]
    sizes = sorted(map(abs, errors))
    return Figures(
        group,
        quantity,
        len(rows),
        median(sizes),
        sizes[math.ceil(0.9 * len(sizes)) - 1],
        sizes[-1],
        fmean(errors),
        sum(error < -UNDER for error in errors),
        min(0.0, *errors, 0.0),
        sum(one.covered for one in rows) / len(rows),
        median(one.width for one in rows),
    )
