"""How answers go with one input, everything else as it is: what charts show."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from advisor.conversation.state import State
from advisor.conversation.writing import shown
from advisor.errors import AdvisorError
from advisor.evaluate import Reader
from advisor.rulebook.model import Input, Value
from advisor.scenario import Scenario
from advisor.verdict import AnswerResult, Verdict, is_idle, judge

if TYPE_CHECKING:
    from advisor.conversation.core import Conversation

MOST_POINTS = 9
_MOVES = 1.02  # a line that is flat is not worth a chart


class Point(NamedTuple):
    """The answers at one value of the input: first the one with a limit, then the other decided."""

    value: Value
    label: str
    results: tuple[AnswerResult, ...]
    is_current: bool

    @property
    def first(self) -> AnswerResult:
        return self.results[0]


class Chart(NamedTuple):
    """An input with the answers at several of its values.

    Numbers come in order, the smallest first. Where ``is_across``, the values are entries of a
    catalogue, each with a limit of its own; ``held`` are answers, as name and value, that take the
    place of what an entry says and hold for all of them, and ``wanted`` inputs that the other
    answers lack.
    """

    name: str
    points: tuple[Point, ...]
    is_across: bool = False
    held: tuple[tuple[str, str], ...] = ()
    wanted: tuple[str, ...] = ()

    @property
    def span(self) -> float:
        """The largest answer over the smallest."""
        amounts = [point.first.likely or 0.0 for point in self.points]
        return max(amounts) / min(amounts) if min(amounts, default=0.0) > 0 else 1.0

    @property
    def others(self) -> tuple[AnswerResult, ...]:
        """One of each answer besides the first that all values have, across entries."""
        if not self.is_across:
            return ()
        names = [{one.name for one in point.results[1:]} for point in self.points]
        known = set.intersection(*names) if names else set()
        return tuple(one for one in self.points[0].results[1:] if one.name in known)

    @property
    def limit(self) -> float | None:
        """The limit of the first answer, where it is one for all values."""
        limits = {point.first.limit for point in self.points}
        return limits.pop() if len(limits) == 1 else None


def charts(talk: Conversation, state: State) -> tuple[Chart, ...]:
    """A chart for each number that moves the first answer, those that move it most first; then one
    across the entries of each catalogue that sets its limit."""
    check = talk.world.check(state)
    if check.verdict is None or check.scenario is None:
        return ()
    sweep = _Sweep(talk, state, check.scenario, check.verdict)
    read = Reader(check.verdict.trace)
    look = talk.view(state).verdict.outlook
    wanted = tuple(name for name in look.wanted if name not in state.answers)
    found: list[Chart] = []
    across: list[Chart] = []
    for target in talk.world.book.inputs.values():
        if not target.ask or len(target.typical) < 2 or is_idle(read, target):
            continue
        if target.type in ("integer", "number"):
            made = sweep.over(target, _numbers(target, sweep.current(target)))
            if made.span >= _MOVES:
                found.append(made)
        elif target.type == "catalogue":
            made = sweep.over(target, sweep.entries(target))
            if len({point.first.limit for point in made.points}) > 1:
                made = made._replace(is_across=True, wanted=wanted)
                across.append(made._replace(held=sweep.held(made.others)))
    return (*sorted(found, key=lambda one: -one.span), *across)


class _Sweep:
    """One scenario, varied."""

    def __init__(
        self, talk: Conversation, state: State, scenario: Scenario, verdict: Verdict
    ) -> None:
        self.world = talk.world
        self.state = state
        self.scenario = scenario
        self.verdict = verdict

    def current(self, target: Input) -> Value | None:
        """The value now, as it was said where it was."""
        answer = self.state.answers.get(target.name)
        if answer is not None and answer.value is not None:
            return answer.value
        value: Value | None = self.verdict.trace.values.get(target.name)
        return value

    def entries(self, target: Input) -> list[Value]:
        """The typical entries, and the current one."""
        found = list(self.world.typical(target))
        current = self.current(target)
        if current is not None and current not in found:
            found.append(current)
        return found[:MOST_POINTS]

    def over(self, target: Input, values: Iterable[Value]) -> Chart:
        """The answers at each of the values that the rules take."""
        current = self.current(target)
        points: list[Point] = []
        for value in values:
            try:
                results = self._results(self.world.vary(self.scenario, target.name, value))
            except AdvisorError:
                continue
            if results:
                label = shown(target, value)
                points.append(Point(value, label, results, value == current))
        return Chart(target.name, tuple(points))

    def _results(self, scenario: Scenario) -> tuple[AnswerResult, ...]:
        """The answers that are decided, if the one with a limit is."""
        verdict = judge(self.world.engine.run(scenario, fast=True), fast=True, details=False)
        answers = [one for one in verdict.answers.values() if one.likely is not None]
        first = next((one for one in answers if one.answer.limit and one.limit is not None), None)
        return (first, *(one for one in answers if one is not first)) if first else ()

    def held(self, others: tuple[AnswerResult, ...]) -> tuple[tuple[str, str], ...]:
        """The answers without which the others would be decided, too, but otherwise."""
        found: list[tuple[str, str]] = []
        for name, answer in self.state.answers.items():
            target = self.world.book.inputs[name]
            if answer.value is None or not target.optional:
                continue
            given = {one: what for one, what in self.scenario.given.items() if one != name}
            without = {
                one.name: one.likely for one in self._results(self.scenario._replace(given=given))
            }
            now = {one.name: self.verdict.answers[one.name].likely for one in others}
            if any(without.get(one) not in (None, value) for one, value in now.items()):
                found.append((name, shown(target, answer.value)))
        return tuple(found)


def _numbers(target: Input, current: Value | None) -> list[Value]:
    """The typical values, what lies between them by doubling, and the current one."""
    typical = [float(value) for value in target.typical if isinstance(value, float | int)]
    found = {*typical, *([float(current)] if isinstance(current, float | int) else [])}
    value = min(typical)
    while value > 0 and value * 2 < max(typical) and len(found) < MOST_POINTS:
        value *= 2
        found.add(value)
    return sorted(found)
