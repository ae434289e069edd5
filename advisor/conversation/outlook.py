"""What open answers could still change: the verdict, what to do first, or time and cost.

Each input that nobody has vouched for is tried at its typical values with the rest as it is, and
then all of them together at the values that make the most and the least of every limited answer.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from advisor.conversation.redirects import Open, Redirect, redirect
from advisor.conversation.state import State
from advisor.conversation.world import World
from advisor.evaluate import Reader, Trace
from advisor.ladder import first_rung
from advisor.rulebook.model import Input, RuleBook, Value
from advisor.scenario import Scenario
from advisor.verdict import Verdict, is_idle, judge

WORTH_ASKING = 0.05
"""Relative change of time or cost that is worth a question, for somebody who asks for more."""

Signature = tuple[tuple[str, ...], ...]


class Trial(NamedTuple):
    """One value tried for an input: the verdict's standing and how far each answer goes.

    ``ratios`` are answers over their limits, ``amounts`` the likely answers.
    """

    value: Value
    signature: Signature
    ratios: Mapping[str, float]
    amounts: Mapping[str, float]


class Effect(NamedTuple):
    """What an input's typical values change while all else stays.

    ``turns`` the verdict, ``moves`` another answer by a share worth asking for; ``size`` is the
    logarithm of the largest first answer over the smallest.
    """

    name: str
    trials: tuple[Trial, ...]
    turns: bool
    moves: bool
    size: float

    @property
    def amounts(self) -> tuple[float, ...]:
        """The first answer at each value tried."""
        return tuple(next(iter(one.amounts.values())) for one in self.trials if one.amounts)


class Outlook(NamedTuple):
    """What a state leaves open.

    ``needed`` are inputs without which the verdict cannot be told, ``wanted`` those that other
    answers lack, ``unsure`` those that nobody vouched for and that have values to try;
    ``effects`` are what those values change, only of what is needed while some of that is still to
    be asked for. ``defaults`` is what would be taken for what nobody gave. ``is_settled`` says that
    no values of the unsure inputs, alone or together, change the verdict; ``open_together`` that
    those not asked for yet do so together, and ``redirect`` is the strongest of them that changes
    the first step of a plan (looked for only where none changes the verdict); ``is_firm`` says that
    none of them does, each on its own. ``low`` and ``high`` are the ends of the first answer over
    what turns the verdict.
    """

    needed: tuple[str, ...] = ()
    wanted: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()
    effects: Mapping[str, Effect] = {}
    defaults: Mapping[str, Value] = {}
    is_settled: bool = False
    open_together: bool = False
    redirect: str = ""
    is_firm: bool = False
    low: float | None = None
    high: float | None = None

    @property
    def turners(self) -> tuple[str, ...]:
        """The unsure inputs that can change the verdict alone, the strongest first."""
        found = [one for one in self.effects.values() if one.turns]
        return tuple(one.name for one in sorted(found, key=lambda one: -one.size))


def outlook(world: World, state: State) -> Outlook:
    """What the state leaves open; nothing where its answers cannot be checked."""
    check = world.check(state)
    if check.verdict is None or check.scenario is None:
        return Outlook()
    return _Looker(world, state, check.scenario, check.verdict).look()


class _Looker:
    def __init__(self, world: World, state: State, scenario: Scenario, verdict: Verdict) -> None:
        self.world = world
        self.book: RuleBook = world.book
        self.answers = state.answers
        self.given = scenario.given
        self.verdict = verdict
        self.judged = frozenset(
            one.name
            for one in self.book.policies.values()
            if one.level == "deny" or one.fix == "ladder"
        )
        self.everything = frozenset(self.book.order)
        self.scenario = self.lent(scenario)
        self.trace = self.rerun(verdict.trace, self.scenario)
        self.base = self.judge(self.trace)
        self.headline = next((n for n, one in self.book.answers.items() if one.limit), "")

    def lent(self, scenario: Scenario) -> Scenario:
        """The scenario with suggestions where an input has neither a value nor a default."""
        for target in self.book.inputs.values():
            value = target.suggest
            if value is None or target.optional or target.name in scenario.given:
                continue
            scenario = self.world.vary(scenario, target.name, value)
        return scenario

    def judge(self, trace: Trace) -> Verdict:
        return judge(trace, fast=True, details=False, only=self.judged)

    def look(self) -> Outlook:
        needed, wanted = self.lacking()
        unsure = self.unsure()
        waiting = [name for name in needed if name not in self.answers]
        if waiting:  # what else is open can wait for a verdict to turn
            effects = {name: self.effect(name, unsure[name]) for name in waiting if name in unsure}
            return Outlook(needed, wanted, tuple(unsure), effects, self.trace.values)
        effects = {name: self.effect(name, values) for name, values in unsure.items()}
        still_open = {name: one for name, one in effects.items() if name not in self.answers}
        open_turns = any(one.turns for one in still_open.values())
        open_together = not open_turns and self.turned_together(still_open)
        found = Redirect("", False)
        if not (open_turns or open_together or needed):
            found = self.redirecting(still_open.values())
        turning = [one for one in effects.values() if one.turns]
        amounts = [amount for one in turning for amount in one.amounts]
        return Outlook(
            needed,
            wanted,
            tuple(unsure),
            effects,
            self.trace.values,
            not (needed or turning or open_together or self.rests())
            and (len(still_open) == len(effects) or not self.turned_together(effects)),
            open_together,
            found.name,
            found.is_sure and not found.name,
            min(amounts, default=None),
            max(amounts, default=None),
        )

    def unsure(self) -> dict[str, tuple[Value, ...]]:
        """The inputs that nobody vouched for, with the values to try beside the one they have."""
        read = Reader(self.trace, fast=True)
        found: dict[str, tuple[Value, ...]] = {}
        for target in self.book.inputs.values():
            if not target.ask or self.is_known(target) or is_idle(read, target):
                continue
            now = self.trace.values.get(target.name)
            values = tuple(value for value in self.plausible(target) if value != now)
            if values:
                found[target.name] = values
        return found

    def rests(self) -> bool:
        """Whether the verdict is one of an entry that nobody vouched for."""
        return any(
            one.type == "catalogue" and one.name in self.answers and not self.is_known(one)
            for one in self.book.inputs.values()
        )

    def is_known(self, target: Input) -> bool:
        answer = self.answers.get(target.name)
        if answer is None:  # a project has defaults of its own
            provided = self.given.get(target.name)
            return provided is not None and provided.origin == "project"
        return answer.is_known

    # -- what is lacking --------------------------------------------------------------------------

    def lacking(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Inputs to ask for without which the verdict is open, and those other answers lack."""
        needed: set[str] = set()
        for outcome in self.verdict.undecided("deny"):
            needed |= outcome.missing
        wanted: set[str] = set()
        for name, result in self.verdict.answers.items():
            (needed if name == self.headline else wanted).update(result.missing)
        first = self.asked(needed)
        return first, tuple(name for name in self.asked(wanted) if name not in first)

    def asked(self, missing: Iterable[str]) -> tuple[str, ...]:
        found: set[str] = set()
        for name in missing:
            owner = next(
                (
                    one.name
                    for one in self.book.inputs.values()
                    if one.catalogue and name.startswith(f"{one.name}.")
                ),
                name,
            )
            if owner in self.book.inputs and self.book.inputs[owner].ask:
                found.add(owner)
        return tuple(name for name in self.book.inputs if name in found)

    # -- trying -----------------------------------------------------------------------------------

    def effect(self, name: str, values: Iterable[Value]) -> Effect:
        now = self.trace.values.get(name)
        base = self.trial(self.base, now)
        trials = [base] if now is not None else []
        trials += [self.trial(self.varied({name: value}), value) for value in values]
        turns = any(trial.signature != base.signature for trial in trials)
        return Effect(name, tuple(trials), turns, self.moved(trials), self.size(trials))

    def redirecting(self, effects: Iterable[Effect]) -> Redirect:
        """The strongest input with a value at which a plan would begin with another step."""
        values = self.trace.values
        tried = []
        for one in effects:
            ordered = [trial.value for trial in one.trials]
            ordered.sort(key=lambda value: value == values.get(one.name))
            tried.append(Open(one.name, tuple(ordered), one.size))
        return redirect(
            self.book, self.base, tried, lambda changes: self.first_step(self.varied(changes))
        )

    def plausible(self, target: Input) -> tuple[Value, ...]:
        """The values that an answer may plausibly have; none where nobody wrote them down."""
        typical = self.world.typical(target)
        if typical or target.default or target.optional:
            return typical
        return target.choices if target.type == "enum" else ()

    def varied(self, values: Mapping[str, Value], before: Trace | None = None) -> Verdict:
        """The verdict with some values otherwise than they are now, or were in another trace."""
        trace = before or self.trace
        scenario = trace.scenario
        for name, value in values.items():
            scenario = self.world.vary(scenario, name, value)
        return self.judge(self.rerun(trace, scenario))

    def rerun(self, before: Trace, scenario: Scenario) -> Trace:
        if scenario is before.scenario:
            return before
        return self.world.engine.rerun(before, scenario, self.everything, fast=True)

    def trial(self, verdict: Verdict, value: object) -> Trial:
        ratios: dict[str, float] = {}
        amounts: dict[str, float] = {}
        for name, result in verdict.answers.items():
            if result.likely is not None:
                amounts[name] = result.likely
                if result.limit:
                    ratios[name] = result.likely / result.limit
        return Trial(value, signature(verdict), ratios, amounts)  # type: ignore[arg-type]

    def first_step(self, verdict: Verdict) -> str:
        rung = first_rung(self.world.engine, verdict)
        return rung.name if rung else ""

    def moved(self, trials: Iterable[Trial]) -> bool:
        for name in self.book.answers:
            found = [one.amounts[name] for one in trials if name in one.amounts]
            if found and max(found) > (1 + WORTH_ASKING) * min(found):
                return True
        return False

    def size(self, trials: Iterable[Trial]) -> float:
        found = [one.amounts[self.headline] for one in trials if self.headline in one.amounts]
        ratios = [one.ratios[self.headline] for one in trials if self.headline in one.ratios]
        spans = [max(some) / min(some) for some in (found, ratios) if some and min(some) > 0]
        return math.log(max(spans, default=1.0))

    def turned_together(self, effects: Mapping[str, Effect]) -> bool:
        """Whether the verdict changes when everything unsure goes one way at once."""
        now = signature(self.base)
        for name, result in self.base.answers.items():
            if not result.limit:
                continue
            for end in (max, min):
                values: dict[str, Value] = {}
                for effect in effects.values():
                    tried = [one for one in effect.trials if name in one.ratios]
                    if tried:
                        values[effect.name] = end(tried, key=lambda one: one.ratios[name]).value
                if values and any(one != now for one in self.corner(values, effects, name, end)):
                    return True
        return False

    def corner(
        self,
        values: dict[str, Value],
        effects: Mapping[str, Effect],
        name: str,
        end: Callable[..., Trial],
    ) -> Iterator[Signature]:
        """Where the verdict stands with all these values, and with the words among them anew.

        A number goes the same way whatever the others are; a word may weigh otherwise beside them
        (a trainer whose defaults count no more).
        """
        verdict = self.varied(values)
        yield signature(verdict)
        for chosen in values:
            if isinstance(values[chosen], float):
                continue
            tried = {values[chosen]: verdict}
            for one in effects[chosen].trials:
                if one.value not in tried:
                    tried[one.value] = self.varied({chosen: one.value}, verdict.trace)
            trials = [self.trial(tried[one.value], one.value) for one in effects[chosen].trials]
            yield from (one.signature for one in trials)
            known = [one for one in trials if name in one.ratios]
            if known:
                values[chosen] = end(known, key=lambda one: one.ratios[name]).value
                verdict = tried[values[chosen]]


def signature(verdict: Verdict) -> Signature:
    """What counts as another verdict: where the limited answers stand, and what refuses."""
    return (
        tuple(one.state for one in verdict.answers.values() if one.limit is not None),
        tuple(sorted(one.policy.name for one in verdict.failing("deny"))),
        tuple(sorted(one.policy.name for one in verdict.undecided("deny"))),
    )
