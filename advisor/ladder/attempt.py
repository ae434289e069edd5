"""One remedy at one step: what it would set, what that would gain, or why it is not worth it."""

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any, Literal, NamedTuple

from advisor.errors import said
from advisor.evaluate import Engine, Reader, Trace
from advisor.ladder.model import Range, SkipReason, Standing
from advisor.rulebook.model import Located, Remedy, RuleBook, Value
from advisor.rulebook.values import BadValue, read_value
from advisor.scenario import Scenario
from advisor.verdict import Outcome, Verdict, judge

LEAST_GAIN = 0.01  # language.md: what gains under 1 % is skipped, with its figure
_WAS = "was."
_RANK: dict[Standing, int] = {"fails": 0, "tight": 1, "holds": 2}


class Step(NamedTuple):
    """A scenario, evaluated and judged."""

    scenario: Scenario
    verdict: Verdict

    @property
    def trace(self) -> Trace:
        return self.verdict.trace

    @property
    def ranges(self) -> dict[str, Range]:
        """Low, likely and high of every answer that has a value."""
        return {
            name: (result.low, result.likely, result.high)
            for name, result in self.verdict.answers.items()
            if result.low is not None and result.likely is not None and result.high is not None
        }


class Attempt(NamedTuple):
    """What one remedy would do at a step; a reason is set when it is not worth taking."""

    remedy: Remedy
    before: Step
    step: Step | None = None
    changes: Mapping[str, tuple[Value | None, Value]] = {}
    gain: float = 0.0
    reason: SkipReason | None = None
    detail: str = ""


class Trials:
    """Tries remedies on variants of one scenario.

    A goal is a failing policy that says ``fix: ladder``: those that deny, or, where none of them
    fails (any more), those that warn.
    """

    def __init__(self, engine: Engine, verdict: Verdict) -> None:
        self.engine = engine
        self.book: RuleBook = engine.book
        self.start = Step(verdict.trace.scenario, verdict)
        self.keep = self.start.scenario.keep
        # What is waived may stay waived; what fails is mended, not brought under a waiver's limit.
        waived = {outcome.policy.name for outcome in verdict.waived()}
        covering = tuple(one for one in verdict.excuse.waivers if one.policy in waived)
        self.excuse = verdict.excuse._replace(waivers=covering)
        self.required = self.standing(self.start) == "fails"
        self.first_goals = tuple(outcome.policy.name for outcome in self.goals(self.start))
        self.judged = frozenset(
            policy.name
            for policy in self.book.policies.values()
            if policy.level == "deny" or (policy.level == "warn" and policy.fix == "ladder")
        )
        self.targets = frozenset(_known(self._reads(), self.book))
        self._from_start: dict[tuple[str, Standing], Attempt] = {}

    def _reads(self) -> set[str]:
        reads = set(self.keep)
        for answer in self.book.answers.values():
            reads |= {name for name in (answer.value, answer.limit, answer.parts) if name}
        for remedy in self.book.remedies.values():
            reads |= _remedy_reads(remedy)
        for name in self.judged:
            policy = self.book.policies[name]
            for located in filter(None, (policy.when, policy.require)):
                reads |= {*located.expression.names, *located.expression.guarded}
        return reads

    # -- steps ------------------------------------------------------------------------------------

    def change(self, step: Step, settings: Mapping[str, Value], by: Remedy) -> Step:
        """The step that a remedy's settings lead to."""
        scenario = step.scenario.with_values(settings, f"remedy {by.name}")
        trace = self.engine.rerun(step.trace, scenario, self.targets, fast=True)
        verdict = judge(trace, fast=True, details=False, only=self.judged, excuse=self.excuse)
        return Step(scenario, verdict)

    def goals(self, step: Step) -> list[Outcome]:
        """What must be mended next."""
        return mendable(step.verdict, "deny") or mendable(step.verdict, "warn")

    def standing(self, step: Step) -> Standing:
        """What the step comes to."""
        if mendable(step.verdict, "deny"):
            return "fails"
        return "tight" if mendable(step.verdict, "warn") else "holds"

    # -- one remedy -------------------------------------------------------------------------------

    def applies(self, remedy: Remedy, step: Step) -> bool:
        """Whether the remedy's ``when`` is known to hold."""
        if remedy.when is None:
            return True
        found = Reader(step.trace, fast=True)(remedy.when)
        return found.known and bool(found.value)

    def attempt(self, remedy: Remedy, step: Step, until: Standing) -> Attempt:
        """What the remedy would do now.

        Of alternatives it is the first that reaches the standing wanted, or else the first that
        reaches a better one than now, or else the one that gains most.
        """
        if step is not self.start:
            return self._attempt(remedy, step, until)
        known = self._from_start.get((remedy.name, until))
        if known is None:  # asked for again and again while a plan is told
            known = self._from_start[remedy.name, until] = self._attempt(remedy, step, until)
        return known

    def _attempt(self, remedy: Remedy, step: Step, until: Standing) -> Attempt:
        goals = self.goals(step)
        aimed = [outcome for outcome in goals if _aims(remedy, outcome)]
        if goals and not aimed:
            return Attempt(remedy, step, reason="helps something else")
        if not self.applies(remedy, step):
            return Attempt(remedy, step, reason="does not apply")
        now = _RANK[self.standing(step)]
        found: Attempt | None = None
        worth = (-1, 0.0)
        for tried in remedy.tries or ({},):
            one = self._candidate(remedy, tried, step, aimed)
            if one.step is None:
                found = found or one
                continue
            rank = _RANK[self.standing(one.step)]
            if rank >= _RANK[until]:
                return one
            its = (rank, inf if rank > now else one.gain)
            if its > worth:
                found, worth = one, its
        assert found is not None
        return found

    def _candidate(
        self, remedy: Remedy, tried: Mapping[str, Value], step: Step, aimed: Sequence[Outcome]
    ) -> Attempt:
        settings, trouble = self._settings(remedy, tried, step)
        if trouble:
            return Attempt(remedy, step, reason="cannot be set", detail=trouble)
        values = step.trace.values
        changes = {
            name: (values.get(name), value)
            for name, value in settings.items()
            if values.get(name) != value
        }
        if not changes:
            return Attempt(remedy, step, reason="changes nothing")
        if kept := sorted(self.keep & changes.keys()):
            return Attempt(remedy, step, reason="kept", detail=", ".join(kept))
        after = self.change(step, {name: value for name, (_, value) in changes.items()}, remedy)
        reason, detail = self._harm(step, after)
        if reason is not None:
            return Attempt(remedy, step, reason=reason, detail=detail)
        gain = _gain(step, after, aimed)
        reason = "gains little" if gain < LEAST_GAIN else None
        return Attempt(remedy, step, after, changes, gain, reason)

    def _settings(
        self, remedy: Remedy, tried: Mapping[str, Value], step: Step
    ) -> tuple[dict[str, Value], str]:
        """What the remedy sets, or why it cannot be told."""
        settings: dict[str, Value] = dict(tried)
        written = {n: one for n, one in remedy.sets.items() if isinstance(one, Located)}
        settings.update((n, one) for n, one in remedy.sets.items() if not isinstance(one, Located))
        if not written:
            return settings, ""
        read = Reader(step.trace, fast=True)
        if tried:  # expressions read the values tried, and under was.NAME those before
            read = self._reader_of_tried(remedy, tried, step)
        for name, expression in written.items():
            found = read(expression)
            if not found.known:
                lacking = tuple(sorted(found.missing))
                return {}, found.problem.message if found.problem else said(
                    "lacks {names}", names=lacking
                )
            target = self.book.inputs[name]
            raw: Any = found.value
            if isinstance(raw, float):
                raw /= target.unit.scale
            try:
                settings[name] = read_value(target, raw)
            except BadValue as error:
                return {}, error.message
        return settings, ""

    def _reader_of_tried(self, remedy: Remedy, tried: Mapping[str, Value], step: Step) -> Reader:
        names = {
            name
            for one in remedy.sets.values()
            if isinstance(one, Located)
            for name in one.expression.names
        }
        trace = step.trace
        was = {name: _value(trace, name.removeprefix(_WAS)) for name in names if _is_was(name)}
        known = {name: value for name, value in was.items() if value is not None}
        reads = _known({name for name in names if not _is_was(name)}, self.book)
        if self.engine.rests_on(reads - tried.keys(), tried):
            scenario = step.scenario.with_values(tried, f"remedy {remedy.name}")
            trace = self.engine.rerun(trace, scenario, reads, fast=True)
        return Reader(trace, fast=True, extra={**known, **tried})

    def _harm(self, before: Step, after: Step) -> tuple[SkipReason | None, str]:
        """What forbids the change whatever it gains: values it may not touch, new trouble."""
        kept = sorted(
            name
            for name in self.keep
            if before.trace.values.get(name) != after.trace.values.get(name)
        )
        if kept:  # a default that depends on what was set
            return "kept", ", ".join(kept)
        if after.verdict.problems:
            return "cannot be set", after.verdict.problems[0].message
        was = {outcome.policy.name: outcome.state for outcome in before.verdict.outcomes}
        changed = [o for o in after.verdict.outcomes if o.state != was[o.policy.name]]
        if unclear := [o.policy.name for o in changed if o.state == "undecided"]:
            return "cannot be set", said("leaves {names} undecided", names=tuple(unclear))
        broken = [o for o in changed if o.state == "fails" and o.policy.fix != "ladder"]
        if broken:  # no other rung is there to mend it
            return "breaks a policy", ", ".join(o.policy.name for o in broken)
        return None, ""


def mendable(verdict: Verdict, level: Literal["deny", "warn"]) -> list[Outcome]:
    """The failing policies of a level that the ladder may mend."""
    return [outcome for outcome in verdict.failing(level) if outcome.policy.fix == "ladder"]


def _is_was(name: str) -> bool:
    return name.startswith(_WAS)


def _value(trace: Trace, name: str) -> Any:
    """The value of a name; that of ``x`` for an end of an ``x`` that does not range."""
    base = name.removesuffix(".low").removesuffix(".high")
    return trace.values.get(name, trace.values.get(base))


def _aims(remedy: Remedy, outcome: Outcome) -> bool:
    """Whether what the remedy improves is what the policy bounds."""
    left = outcome.policy.left
    if left is None:
        return False
    bases = {name.removesuffix(".low").removesuffix(".high") for name in left.expression.names}
    return not bases.isdisjoint(remedy.improves)


def _gain(before: Step, after: Step, aimed: Sequence[Outcome]) -> float:
    """The largest relative fall among the goals that the remedy aims at."""
    now = {outcome.policy.name: outcome for outcome in after.verdict.outcomes}
    gains: list[float] = []
    for goal in aimed:
        outcome = now[goal.policy.name]
        if outcome.left is None:
            gains.append(1.0)  # the policy no longer applies
        elif goal.left:
            gains.append(1 - _size(outcome) / _size(goal))
    return max(gains, default=0.0)


def _size(outcome: Outcome) -> float:
    """How far the left side reaches up to the right one (1: just holds)."""
    assert outcome.left is not None
    return outcome.left / (outcome.right or 1.0)


def _remedy_reads(remedy: Remedy) -> set[str]:
    names: set[str] = set(remedy.improves) | set(remedy.sets)
    for located in (remedy.when, *remedy.sets.values()):
        if isinstance(located, Located):
            names |= {*located.expression.names, *located.expression.guarded}
    for tried in remedy.tries:
        names |= set(tried)
    return names


def _known(names: set[str], book: RuleBook) -> set[str]:
    """The names to compute: ``x`` for ``was.x`` and for ``x.low``."""
    known: set[str] = set()
    for name in (name.removeprefix(_WAS) for name in names):
        base = name.removesuffix(".low").removesuffix(".high")
        known.add(name if name in book.reads else base)
    return known
