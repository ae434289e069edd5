"""Climb the ladder until every goal holds, then drop the rungs that the plan can do without."""

from collections.abc import Sequence

from advisor.evaluate import Engine
from advisor.ladder.attempt import Attempt, Step, Trials
from advisor.ladder.model import Plan, Rung, Skipped, SkipReason, Standing
from advisor.rulebook.model import Remedy
from advisor.verdict import Verdict, judge

MAX_RUNGS = 200


def plan(engine: Engine, verdict: Verdict) -> Plan | None:
    """The plan for a verdict: None when nothing that the ladder can mend fails."""
    trials = Trials(engine, verdict)
    return _Climber(trials).plan() if trials.first_goals else None


def first_rung(engine: Engine, verdict: Verdict) -> Remedy | None:
    """The remedy that the plan for a verdict begins with: a fraction of the work, for sweeps.

    The verdict may come from a partial judging that holds the policies that deny or name the ladder.
    """
    trials = Trials(engine, verdict)
    if not trials.first_goals:
        return None
    taken, _, _ = _Climber(trials).steps()
    return taken[0].remedy if taken else None


class _Climber:
    def __init__(self, trials: Trials) -> None:
        self.trials = trials
        self.book = trials.book
        self.start = trials.start
        self.skipped: dict[str, Attempt] = {}

    def plan(self) -> Plan:
        trials = self.trials
        taken, climbed, solved = self.steps()
        step = self.last(taken)
        final = self.start.verdict
        if step is not self.start:
            final = judge(trials.engine.run(step.scenario), excuse=final.excuse)
        return Plan(
            trials.first_goals,
            tuple(self.rungs(taken)),
            tuple(self.told(taken, climbed)),
            trials.required,
            solved,
            final,
            self.changeable(),
        )

    def steps(self) -> tuple[list[Attempt], list[Attempt], bool]:
        """The rungs of the plan, those climbed before pruning, and whether they solve it."""
        trials = self.trials
        climbed = self.climb()
        reached = trials.standing(self.last(climbed))
        if trials.required and reached == "tight":
            climbed = self.cut(climbed)
        solved = reached == "holds" or (trials.required and reached == "tight")
        return (self.prune(climbed, reached) if solved else climbed), climbed, solved

    def last(self, taken: Sequence[Attempt]) -> Step:
        step = taken[-1].step if taken else self.start
        assert step is not None
        return step

    # -- climb ------------------------------------------------------------------------------------

    def climb(self) -> list[Attempt]:
        """The rungs in the order taken: always the lowest on the ladder that helps now.

        What gained nothing at first may help once another rung has moved the peak, so the search
        starts at the bottom after every rung.
        """
        taken: list[Attempt] = []
        while len(taken) < MAX_RUNGS:
            step = self.last(taken)
            if self.trials.standing(step) == "holds":
                break
            rung = self.next(step, {one.remedy.name for one in taken})
            if rung is None:
                break
            taken.append(rung)
        return taken

    def cut(self, taken: Sequence[Attempt]) -> list[Attempt]:
        """The rungs up to the first after which nothing denies: the rest did not clear the warning."""
        kept: list[Attempt] = []
        for one in taken:
            kept.append(one)
            if one.step is not None and self.trials.standing(one.step) != "fails":
                break
        return kept

    def next(self, step: Step, taken: set[str]) -> Attempt | None:
        free_only = self.trials.required and self.trials.standing(step) == "tight"
        for name in self.book.ladder:
            remedy = self.book.remedies[name]
            if (name in taken and not remedy.repeat) or (free_only and remedy.quality):
                continue
            attempt = self.trials.attempt(remedy, step)
            if attempt.reason is None:
                return attempt
            if name not in self.skipped or attempt.reason != "helps something else":
                self.skipped[name] = attempt
        return None

    # -- prune ------------------------------------------------------------------------------------

    def prune(self, taken: list[Attempt], reached: Standing) -> list[Attempt]:
        """Drop rungs that are not needed, highest quality cost first, then the latest.

        Of a remedy taken several times the last rung goes first: the others are no different. What
        was needed before another rung went is looked at again, after the rest.
        """
        needed: set[str] = set()
        again: set[str] = set()
        while True:
            at = {one.remedy.name: index for index, one in enumerate(taken)}
            left = at.keys() - needed
            if not left:
                return taken
            quality = {name: self.book.remedies[name].quality for name in left}
            name = min(left, key=lambda one: (one in again, -quality[one], -at[one]))
            shorter = self.without(name, taken, reached)
            if shorter is None:
                needed.add(name)
            else:
                taken = shorter
                again |= needed
                needed.clear()

    def without(
        self, name: str, taken: Sequence[Attempt], reached: Standing
    ) -> list[Attempt] | None:
        """The plan without the last rung of a remedy; None when it has none or needs it."""
        at = max(
            (index for index, one in enumerate(taken) if one.remedy.name == name), default=None
        )
        if at is None:
            return None
        shorter = self.replay(taken[:at], [one.remedy for one in taken[at + 1 :]])
        standing = self.trials.standing(self.last(shorter))
        return shorter if standing in (reached, "holds") else None

    def replay(self, taken: Sequence[Attempt], remedies: Sequence[Remedy]) -> list[Attempt]:
        """More remedies on top of the rungs taken, alternatives tried anew.

        A rung that gains little without the one dropped waits until it gains something, and is
        taken last if it never does, because whether it is needed is prune's question. One that does
        nothing at all is left out.
        """
        replayed, waiting = list(taken), list(remedies)
        while waiting and self.trials.standing(self.last(replayed)) != "holds":
            chosen = self.choose(waiting, self.last(replayed))
            if chosen is None:
                break
            position, attempt = chosen
            del waiting[position]
            replayed.append(attempt)
        return replayed

    def choose(self, remedies: Sequence[Remedy], step: Step) -> tuple[int, Attempt] | None:
        """The first remedy that gains something, or else the first that does anything."""
        possible: list[tuple[int, Attempt]] = []
        for position, remedy in enumerate(remedies):
            attempt = self.trials.attempt(remedy, step)
            if attempt.reason is None:
                return position, attempt
            if attempt.step is not None:
                possible.append((position, attempt))
        return possible[0] if possible else None

    # -- telling ----------------------------------------------------------------------------------

    def rungs(self, taken: Sequence[Attempt]) -> list[Rung]:
        return [
            Rung(
                one.remedy,
                one.changes,
                one.before.ranges,
                one.step.ranges,
                one.gain,
                self.trials.standing(one.before),
                self.trials.standing(one.step),
            )
            for one in taken
            if one.step is not None
        ]

    def told(self, taken: Sequence[Attempt], climbed: Sequence[Attempt]) -> list[Skipped]:
        """Every remedy of the ladder that is not in the plan, and why.

        What was tried and not taken comes first. The rest is not needed; its figures are what it
        would do to the scenario as it stands.
        """
        names = {one.remedy.name for one in taken}
        pruned = {one.remedy.name for one in climbed} - names
        tried = {name: one for name, one in self.skipped.items() if name not in names | pruned}
        told = [
            _skipped(tried[name], tried[name].reason) for name in self.book.ladder if name in tried
        ]
        for name in self.book.ladder:
            if name in names or name in tried:
                continue
            attempt = self.trials.attempt(self.book.remedies[name], self.start)
            needless = name in pruned or attempt.step is not None
            told.append(_skipped(attempt, "not needed" if needless else attempt.reason))
        return told

    def changeable(self) -> frozenset[str]:
        """Parts of the first answer that some remedy would make smaller."""
        first = next(iter(self.start.verdict.answers.values()), None)
        if first is None:
            return frozenset()
        parts = [part for part in first.parts if part.name != first.answer.value]
        found: set[str] = set()
        for name in self.book.ladder:
            attempt = self.trials.attempt(self.book.remedies[name], self.start)
            if attempt.step is not None:
                after = attempt.step.trace.values
                found |= {p.name for p in parts if after.get(p.name, 0.0) < 0.99 * p.value}
        return frozenset(found)


def _skipped(attempt: Attempt, reason: SkipReason | None) -> Skipped:
    assert reason is not None
    if attempt.step is None:
        return Skipped(attempt.remedy, reason, None, attempt.detail)
    before, after = attempt.before.ranges, attempt.step.ranges
    return Skipped(attempt.remedy, reason, attempt.gain, attempt.detail, before, after)
