"""What a layer changes: shipped examples and scenarios judged without and with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from advisor import paths
from advisor.check import CheckResult, check_file
from advisor.evaluate import Engine
from advisor.project import Project
from advisor.selftest import run_examples
from advisor.units import quantity_text
from advisor.verdict import Verdict

RELATIVE = 1e-9


class Difference(NamedTuple):
    """One thing that comes out differently: where, which name, before and after."""

    subject: str
    name: str
    before: str
    after: str


class Comparison(NamedTuple):
    """How many subjects were compared, and every difference."""

    scenarios: int
    examples: int
    differences: tuple[Difference, ...]


def compare(before: Project, after: Project, scenarios: Sequence[Path] = ()) -> Comparison:
    """Compare two projects over the shipped scenarios, those given, and the core examples."""
    shipped = sorted(paths.shipped("examples").glob("*.yaml"))
    named = [(path, f"examples/{path.name}") for path in shipped]
    named += [(path, str(path)) for path in scenarios]
    found: list[Difference] = []
    engines = Engine(before.book), Engine(after.book)
    for path, shown in named:
        old = check_file(engines[0], before.reader(), path, shown)
        new = check_file(engines[1], after.reader(), path, shown)
        found.extend(_differences(shown, old, new))
    examples = 0
    expected = {
        (str(one.example.span), check.name): check.actual
        for one in run_examples(before.book, before.reader(), "core")
        for check in one.checks
    }
    for result in run_examples(after.book, after.reader(), "core"):
        examples += 1
        for check in result.checks:
            was = expected.get((str(result.example.span), check.name), "nothing")
            if was != check.actual:
                subject = f"{result.example.span}: {result.example.name}"
                found.append(Difference(subject, check.name, was, check.actual))
    return Comparison(len(named), examples, tuple(found))


def _differences(shown: str, old: CheckResult, new: CheckResult) -> Iterator[Difference]:
    if old.verdict is None or new.verdict is None:
        was, now = (str(len(one.problems)) + " problems" for one in (old, new))
        if old.problems != new.problems:
            yield Difference(shown, "problems", was, now)
        return
    yield from _changed(shown, "verdict", old.verdict.state, new.verdict.state)
    for name, answer in new.verdict.answers.items():
        earlier = old.verdict.answers.get(name)
        numbers = (earlier.likely if earlier else None, answer.likely)
        if _differ(*numbers):
            unit = new.verdict.trace.book.unit(answer.answer.value)
            was, now = (quantity_text(n, unit) if n is not None else "undecided" for n in numbers)
            yield Difference(shown, name, was, now)
    yield from _policies(shown, old.verdict, new.verdict)
    plans = [
        ", ".join(rung.remedy.name for rung in one.plan.rungs) if one.plan else "none"
        for one in (old, new)
    ]
    yield from _changed(shown, "plan", plans[0], plans[1])


def _differ(was: float | None, now: float | None) -> bool:
    if was is None or now is None:
        return was is not now
    return abs(was - now) > RELATIVE * max(abs(was), abs(now))


def _policies(shown: str, old: Verdict, new: Verdict) -> Iterator[Difference]:
    before = {o.policy.name: f"{o.state} ({o.level})" for o in old.outcomes}
    after = {o.policy.name: f"{o.state} ({o.level})" for o in new.outcomes}
    for name in sorted({*before, *after}):
        yield from _changed(
            shown, f"policy {name}", before.get(name, "not there"), after.get(name, "not there")
        )


def _changed(shown: str, name: str, was: str, now: str) -> Iterator[Difference]:
    if was != now:
        yield Difference(shown, name, was, now)
