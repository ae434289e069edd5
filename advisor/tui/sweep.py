"""How the first answer goes with one input, everything else as it is: what the chart shows."""

from __future__ import annotations

from typing import NamedTuple

from advisor.conversation import Conversation, State
from advisor.errors import AdvisorError
from advisor.evaluate import Reader
from advisor.rulebook.model import Input
from advisor.scenario import Scenario
from advisor.verdict import AnswerResult, is_idle, judge

MOST_POINTS = 9
_MOVES = 1.02  # a line that is flat is not worth a chart


class Point(NamedTuple):
    """The answer at one value of the input."""

    value: float
    result: AnswerResult
    is_current: bool


class Sweep(NamedTuple):
    """An input with the answer at several of its values, the smallest first."""

    name: str
    points: tuple[Point, ...]

    @property
    def span(self) -> float:
        """The largest answer over the smallest."""
        amounts = [point.result.likely or 0.0 for point in self.points]
        return max(amounts) / min(amounts) if min(amounts, default=0.0) > 0 else 1.0


def sweeps(talk: Conversation, state: State) -> tuple[Sweep, ...]:
    """A sweep over each number that moves the first answer, those that move it most first."""
    check = talk.world.check(state)
    if check.verdict is None or check.scenario is None:
        return ()
    read = Reader(check.verdict.trace)
    found: list[Sweep] = []
    for target in talk.world.book.inputs.values():
        if target.type not in ("integer", "number") or not target.ask or len(target.typical) < 2:
            continue
        if is_idle(read, target):
            continue
        now = check.verdict.trace.values.get(target.name)
        current = float(now) if isinstance(now, float | int) else None
        made = _sweep(talk, check.scenario, target, current)
        if made.span >= _MOVES:
            found.append(made)
    return tuple(sorted(found, key=lambda one: -one.span))


def _sweep(talk: Conversation, scenario: Scenario, target: Input, current: float | None) -> Sweep:
    points: list[Point] = []
    for value in _values(target, current):
        try:
            varied = talk.world.vary(scenario, target.name, value)
            verdict = judge(talk.world.engine.run(varied, fast=True), fast=True, details=False)
        except AdvisorError:
            continue
        first = next((one for one in verdict.answers.values() if one.answer.limit), None)
        if first is not None and first.likely is not None:
            points.append(Point(value, first, value == current))
    return Sweep(target.name, tuple(points))


def _values(target: Input, current: float | None) -> list[float]:
    """The typical values, what lies between them by doubling, and the current one."""
    typical = [float(value) for value in target.typical if isinstance(value, float | int)]
    found = {*typical, *([current] if current is not None else [])}
    value = min(typical)
    while value > 0 and value * 2 < max(typical) and len(found) < MOST_POINTS:
        value *= 2
        found.add(value)
    return sorted(found)
