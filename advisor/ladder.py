"""What to change when a requirement does not hold: climb the ladder, then drop what is not needed.

Climb goes through the book's ladder in order and evaluates each rung; prune removes rungs the plan
can do without, those that cost quality first. Both only use the rules' words: a goal is a failing
policy that says ``fix: ladder``, and a gain is how far its left side falls against its right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from advisor.evaluate import Engine, Reader, Trace
from advisor.rulebook.model import Located, Remedy, RuleBook, Value
from advisor.rulebook.values import BadValue, read_value
from advisor.scenario import Scenario
from advisor.verdict import Outcome, Verdict, judge

LEAST_GAIN = 0.01  # language.md: what gains under 1 % is skipped, with its figure
MAX_RUNGS = 200

SkipReason = Literal[
    "not needed",
    "does not apply",
    "kept",
    "changes nothing",
    "gains little",
    "cannot be set",
    "helps something else",
]

Range = tuple[float, float, float]


class Rung(NamedTuple):
    """One remedy taken: what it sets, and every answer before and after (low, likely, high)."""

    remedy: Remedy
    changes: Mapping[str, tuple[Value | None, Value]]
    before: Mapping[str, Range]
    after: Mapping[str, Range]
    gain: float
    solves: bool

    @property
    def settings(self) -> dict[str, Value]:
        return {name: new for name, (_, new) in self.changes.items()}


class Skipped(NamedTuple):
    """One remedy not taken, why, and what it would gain on the goal (a share; negative: worse)."""

    remedy: Remedy
    reason: SkipReason
    gain: float | None = None
    detail: str = ""


class Plan(NamedTuple):
    """The rungs to take in order, those skipped, and where that leads.

    ``required`` is false when the plan is only offered (the verdict was tight). ``solved`` says
    whether every goal holds at the end; if not, ``final`` is the nearest miss. ``changeable`` names
    the parts of the first answer that some remedy of the ladder makes smaller.
    """

    goals: tuple[str, ...]
    rungs: tuple[Rung, ...]
    skipped: tuple[Skipped, ...]
    required: bool
    solved: bool
    final: Verdict
    changeable: frozenset[str]

    @property
    def ladder_layer(self) -> str:
        """The layer that listed the ladder climbed."""
        return self.final.trace.book.ladder_layer


class _Step(NamedTuple):
    """A scenario, evaluated and judged."""

    scenario: Scenario
    verdict: Verdict

    @property
    def trace(self) -> Trace:
        return self.verdict.trace


class _Attempt(NamedTuple):
    """What one remedy would do at a step."""

    remedy: Remedy
    step: _Step | None = None
    changes: Mapping[str, tuple[Value | None, Value]] | None = None
    gain: float = 0.0
    reason: SkipReason | None = None
    detail: str = ""


def plan(engine: Engine, verdict: Verdict) -> Plan | None:
    """The plan for a verdict: None when nothing that the ladder can mend fails."""
    return _Climber(engine, verdict).plan()


class _Climber:
    def __init__(self, engine: Engine, verdict: Verdict) -> None:
        self.engine = engine
        self.book: RuleBook = engine.book
        self.start = _Step(verdict.trace.scenario, verdict)
        failing = [o for o in verdict.failing("deny") if o.policy.fix == "ladder"]
        self.required = bool(failing)
        self.level: Literal["deny", "warn"] = "deny" if failing else "warn"
        if not failing:
            failing = [o for o in verdict.failing("warn") if o.policy.fix == "ladder"]
        self.first_goals = tuple(outcome.policy.name for outcome in failing)
        targets: set[str] = set()
        for answer in self.book.answers.values():
            targets |= {name for name in (answer.value, answer.limit, answer.parts) if name}
        for remedy in self.book.remedies.values():
            targets |= _read_names(remedy)
        self.judged = frozenset(
            policy.name
            for policy in self.book.policies.values()
            if policy.fix == "ladder"
            and (policy.level == "deny" or policy.name in self.first_goals)
        )
        for name in self.judged:
            policy = self.book.policies[name]
            for located in (policy.when, policy.require):
                if located:
                    targets |= {*located.expression.names, *located.expression.guarded}
        self.attempts: dict[str, _Attempt] = {}
        self.targets = frozenset(_known(targets, self.book))

    def plan(self) -> Plan | None:
        if not self.first_goals:
            return None
        changeable = self.changeable()
        taken, skipped, step = self.climb()
        if taken and self.solved(step):
            taken, step = self.prune(taken, step)
        rungs = self.rungs(taken)
        names = {attempt.remedy.name for attempt in taken}
        left = [one for one in skipped if one.remedy.name not in names]
        pruned = self.pruned(names, left)
        return Plan(
            self.first_goals,
            rungs,
            (*left, *pruned),
            self.required,
            self.solved(step),
            self.full(step),
            changeable,
        )

    # -- evaluating -------------------------------------------------------------------------------

    def evaluate(self, scenario: Scenario) -> _Step:
        trace = self.engine.run(scenario, self.targets, fast=True)
        return _Step(scenario, judge(trace, fast=True, details=False, only=self.judged))

    def full(self, step: _Step) -> Verdict:
        if step is self.start:
            return step.verdict
        return judge(self.engine.run(step.scenario))

    def goals(self, step: _Step) -> list[Outcome]:
        """What must still be mended: every failing policy of the level that the ladder may fix."""
        found = [o for o in step.verdict.failing("deny") if o.policy.fix == "ladder"]
        if self.level == "warn":
            found += [o for o in step.verdict.failing("warn") if o.policy.name in self.first_goals]
        return found

    def solved(self, step: _Step) -> bool:
        return not self.goals(step)

    def size(self, step: _Step) -> dict[str, float]:
        """How far each goal's left side reaches up to its right (1: just holds)."""
        sizes: dict[str, float] = {}
        for outcome in step.verdict.outcomes:
            if outcome.left is not None:
                right = outcome.right if outcome.right else 1.0
                sizes[outcome.policy.name] = outcome.left / right
        return sizes

    # -- one remedy -------------------------------------------------------------------------------

    def attempt(self, remedy: Remedy, step: _Step) -> _Attempt:
        """What the remedy would do now; the reason is set when it is not worth taking."""
        if step is not self.start:
            return self.attempt_anew(remedy, step)
        if remedy.name not in self.attempts:  # changeable, climb, prune and pruned all ask for it
            self.attempts[remedy.name] = self.attempt_anew(remedy, step)
        return self.attempts[remedy.name]

    def attempt_anew(self, remedy: Remedy, step: _Step) -> _Attempt:
        goals = self.goals(step)
        if goals and not any(self.aims(remedy, outcome) for outcome in goals):
            return _Attempt(remedy, reason="helps something else")
        if remedy.when is not None:
            applies = Reader(step.trace, fast=True)(remedy.when)
            if not applies.known or not applies.value:
                return _Attempt(remedy, reason="does not apply")
        best: _Attempt | None = None
        for tried in remedy.tries or ({},):
            one = self.candidate(remedy, tried, step, goals)
            if one.step is not None and self.solved(one.step):
                return one
            if best is None or (
                one.step is not None and (best.step is None or one.gain > best.gain)
            ):
                best = one
        assert best is not None
        return best

    def aims(self, remedy: Remedy, outcome: Outcome) -> bool:
        """Whether what the remedy improves is part of what the policy bounds."""
        left = outcome.policy.left
        if left is None:
            return False
        names = {*left.expression.names}
        bases = {name.removesuffix(".low").removesuffix(".high") for name in names}
        return not bases.isdisjoint(remedy.improves)

    def candidate(
        self, remedy: Remedy, tried: Mapping[str, Value], step: _Step, goals: Sequence[Outcome]
    ) -> _Attempt:
        settings, trouble = self.settings(remedy, tried, step)
        if trouble:
            return _Attempt(remedy, reason="cannot be set", detail=trouble)
        changes = {
            name: (step.trace.values.get(name), value)
            for name, value in settings.items()
            if step.trace.values.get(name) != value
        }
        if not changes:
            return _Attempt(remedy, reason="changes nothing")
        kept = sorted(name for name in changes if name in self.start.scenario.keep)
        if kept:
            return _Attempt(remedy, reason="kept", detail=", ".join(kept))
        new = {name: value for name, (_, value) in changes.items()}
        after = self.evaluate(step.scenario.with_values(new, f"remedy {remedy.name}"))
        if after.verdict.problems and not step.verdict.problems:
            return _Attempt(
                remedy, reason="cannot be set", detail=after.verdict.problems[0].message
            )
        gain = self.gain(step, after, goals)
        if gain is None:
            return _Attempt(remedy, reason="cannot be set", detail="the result is undecided")
        reason: SkipReason | None = "gains little" if gain < LEAST_GAIN else None
        return _Attempt(remedy, after, changes, gain, reason)

    def gain(self, before: _Step, after: _Step, goals: Sequence[Outcome]) -> float | None:
        """The largest relative fall among the goals; None when one became undecided."""
        old, new = self.size(before), self.size(after)
        gains: list[float] = []
        for goal in goals:
            name = goal.policy.name
            if name not in new:
                if any(
                    o.policy.name == name and o.state != "undecided" for o in after.verdict.outcomes
                ):
                    gains.append(1.0)  # the policy no longer applies
                    continue
                return None
            if old.get(name):
                gains.append(1 - new[name] / old[name])
        return max(gains, default=0.0)

    def settings(
        self, remedy: Remedy, tried: Mapping[str, Value], step: _Step
    ) -> tuple[dict[str, Value], str]:
        settings: dict[str, Value] = dict(tried)
        trace, extra = step.trace, None
        if tried:
            trial = step.scenario.with_values(tried, f"remedy {remedy.name}")
            trace = self.engine.run(trial, self.targets, fast=True)
            extra = {f"was.{name}": value for name, value in step.trace.values.items()}
        read = Reader(trace, fast=True, extra=extra)
        for name, written in remedy.sets.items():
            if not isinstance(written, Located):
                settings[name] = written
                continue
            found = read(written)
            if not found.known:
                lacking = ", ".join(sorted(found.missing))
                return {}, found.problem.message if found.problem else f"lacks {lacking}"
            target = self.book.inputs[name]
            raw: Any = (
                found.value / target.unit.scale if isinstance(found.value, float) else found.value
            )
            try:
                settings[name] = read_value(target, raw)
            except BadValue as error:
                return {}, error.message
        return settings, ""

    # -- climb and prune --------------------------------------------------------------------------

    def climb(self) -> tuple[list[_Attempt], list[Skipped], _Step]:
        step = self.start
        taken: list[_Attempt] = []
        skipped: list[Skipped] = []
        for name in self.book.ladder:
            remedy = self.book.remedies[name]
            while True:
                if self.solved(step) or len(taken) >= MAX_RUNGS:
                    return taken, skipped, step
                attempt = self.attempt(remedy, step)
                if attempt.reason is not None or attempt.step is None:
                    reason = attempt.reason or "does not apply"
                    gain = attempt.gain if attempt.step is not None else None
                    skipped.append(Skipped(remedy, reason, gain, attempt.detail))
                    break
                taken.append(attempt)
                step = attempt.step
                if not remedy.repeat:
                    break
        return taken, skipped, step

    def prune(self, taken: list[_Attempt], step: _Step) -> tuple[list[_Attempt], _Step]:
        """Drop rungs that are not needed, highest quality cost first, then the latest."""
        while True:
            candidates = sorted(
                range(len(taken)), key=lambda index: (-taken[index].remedy.quality, -index)
            )
            for index in candidates:
                rest = self.replay([one.remedy for at, one in enumerate(taken) if at != index])
                if rest is not None and self.solved(rest[1]):
                    taken, step = rest
                    break
            else:
                return taken, step

    def replay(self, remedies: Sequence[Remedy]) -> tuple[list[_Attempt], _Step] | None:
        """The same remedies from the start, alternatives tried anew; None when one cannot be set.

        A rung is kept even where the goals hold before it: whether it is needed is prune's question.
        """
        step = self.start
        attempts: list[_Attempt] = []
        for remedy in remedies:
            if self.solved(step):
                break
            attempt = self.attempt(remedy, step)
            if attempt.step is None:
                return None
            attempts.append(attempt)
            step = attempt.step
        return attempts, step

    # -- telling ----------------------------------------------------------------------------------

    def rungs(self, taken: Sequence[_Attempt]) -> tuple[Rung, ...]:
        rungs: list[Rung] = []
        before = self.start
        for position, attempt in enumerate(taken):
            assert attempt.step is not None and attempt.changes is not None
            last = position == len(taken) - 1
            rungs.append(
                Rung(
                    attempt.remedy,
                    attempt.changes,
                    _ranges(before),
                    _ranges(attempt.step),
                    attempt.gain,
                    last and self.solved(attempt.step),
                )
            )
            before = attempt.step
        return tuple(rungs)

    def pruned(self, taken: set[str], skipped: Sequence[Skipped]) -> list[Skipped]:
        """The rest of the ladder, with what each would gain from where the scenario stands now."""
        told = taken | {one.remedy.name for one in skipped}
        rest: list[Skipped] = []
        for name in self.book.ladder:
            if name in told:
                continue
            attempt = self.attempt(self.book.remedies[name], self.start)
            gain = attempt.gain if attempt.step is not None else None
            reason: SkipReason = "not needed"
            if attempt.reason not in (None, "gains little"):
                reason = attempt.reason or "not needed"
            rest.append(Skipped(attempt.remedy, reason, gain, attempt.detail))
        return rest

    def changeable(self) -> frozenset[str]:
        """Parts of the first answer that some remedy would make smaller."""
        first = next(iter(self.start.verdict.answers.values()), None)
        if first is None:
            return frozenset()
        names = [part.name for part in first.parts if part.name != first.answer.value]
        found: set[str] = set()
        for name in self.book.ladder:
            attempt = self.attempt(self.book.remedies[name], self.start)
            if attempt.step is None:
                continue
            after = attempt.step.trace.values
            for part in first.parts:
                if part.name in names and after.get(part.name, 0.0) < 0.99 * part.value:
                    found.add(part.name)
        return frozenset(found)


def _read_names(remedy: Remedy) -> set[str]:
    names: set[str] = set(remedy.improves) | set(remedy.sets)
    expressions = [remedy.when, *remedy.sets.values()]
    for located in expressions:
        if isinstance(located, Located):
            names |= {*located.expression.names, *located.expression.guarded}
    for tried in remedy.tries:
        names |= set(tried)
    return {name.removeprefix("was.") for name in names}


def _known(names: set[str], book: RuleBook) -> set[str]:
    known: set[str] = set()
    for name in names:
        base = name.removesuffix(".low").removesuffix(".high")
        known.add(name if name in book.reads else base)
    return known


def _ranges(step: _Step) -> dict[str, Range]:
    found: dict[str, Range] = {}
    for name, result in step.verdict.answers.items():
        if result.low is not None and result.likely is not None and result.high is not None:
            found[name] = (result.low, result.likely, result.high)
    return found
