"""What a layer changes: shipped examples and scenarios judged without and with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from advisor import paths
from advisor.check import CheckResult, check_file
from advisor.evaluate import Engine
from advisor.project import Project
from advisor.selftest import run_examples
from advisor.units import quantity_text
from advisor.verdict import Verdict

RELATIVE = 1e-9


Kind = Literal["problems", "verdict", "answer", "policy", "plan", "check"]


class Difference(NamedTuple):
    """One thing that comes out differently: where, what kind of thing, which one.

    ``before`` and ``after`` are the number of problems, the state of a verdict, the amount of an
    answer, state and level of a policy, the remedies of a plan, or what a check of an example
    gave; empty where there is none.
    """

    subject: str
    kind: Kind
    name: str
    before: tuple[str, ...]
    after: tuple[str, ...]


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
            known = expected.get((str(result.example.span), check.name))
            was = () if known is None else (known,)
            subject = f"{result.example.span}: {result.example.name}"
            found.extend(_changed(subject, "check", check.name, was, (check.actual,)))
    return Comparison(len(named), examples, tuple(found))


def _differences(shown: str, old: CheckResult, new: CheckResult) -> Iterator[Difference]:
    if old.verdict is None or new.verdict is None:
        if old.problems != new.problems:
            counts = [(str(len(one.problems)),) for one in (old, new)]
            yield Difference(shown, "problems", "", *counts)
        return
    yield from _changed(shown, "verdict", "", (old.verdict.state,), (new.verdict.state,))
    for name, answer in new.verdict.answers.items():
        earlier = old.verdict.answers.get(name)
        numbers = (earlier.likely if earlier else None, answer.likely)
        if _differ(*numbers):
            unit = new.verdict.trace.book.unit(answer.answer.value)
            was, now = (() if n is None else (quantity_text(n, unit),) for n in numbers)
            yield Difference(shown, "answer", name, was, now)
    yield from _policies(shown, old.verdict, new.verdict)
    plans = [
        tuple(rung.remedy.name for rung in one.plan.rungs) if one.plan else () for one in (old, new)
    ]
    yield from _changed(shown, "plan", "", plans[0], plans[1])


def _differ(was: float | None, now: float | None) -> bool:
    if was is None or now is None:
        return was is not now
    return abs(was - now) > RELATIVE * max(abs(was), abs(now))


def _policies(shown: str, old: Verdict, new: Verdict) -> Iterator[Difference]:
    before = {o.policy.name: (o.state, o.level) for o in old.outcomes}
    after = {o.policy.name: (o.state, o.level) for o in new.outcomes}
    for name in sorted({*before, *after}):
        yield from _changed(shown, "policy", name, before.get(name, ()), after.get(name, ()))


def _changed(
    shown: str, kind: Kind, name: str, was: tuple[str, ...], now: tuple[str, ...]
) -> Iterator[Difference]:
    if was != now:
        yield Difference(shown, kind, name, was, now)
