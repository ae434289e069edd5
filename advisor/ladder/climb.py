"""Climb the ladder until every goal holds, then drop the rungs that the plan can do without."""

from collections.abc import Sequence

from advisor.evaluate import Engine
from advisor.ladder.attempt import Attempt, Step, Trials
from advisor.ladder.model import Plan, Rung, Skipped, SkipReason, Standing
from advisor.rulebook.model import Remedy
from advisor.verdict import Verdict, judge

MAX_RUNGS = 200


def plan(engine: Engine, verdict: Verdict, fast: bool = False) -> Plan | None:
    """The plan for a verdict: None when nothing that the ladder can mend fails.

    ``fast`` computes its end, too, with compiled rules.
    """
    trials = Trials(engine, verdict)
    return _Climber(trials).plan(fast) if trials.first_goals else None


def first_rung(engine: Engine, verdict: Verdict) -> Remedy | None:
    """The remedy that the plan for a verdict begins with: a fraction of the work, for sweeps.

    The verdict may come from a partial judging of the policies that deny or name the ladder.
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
        self.must: Standing = "tight" if trials.required else "holds"
        self.skipped: dict[str, Attempt] = {}
        self.barred = ""

    def plan(self, fast: bool) -> Plan:
        trials = self.trials
        taken, climbed, solved = self.steps()
        step = self.last(taken)
        final = self.start.verdict
        if step is not self.start:
            trace = trials.engine.run(step.scenario, fast=fast)
            final = judge(trace, fast, excuse=trials.excuse)
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
        """The rungs of the plan, all those climbed, and whether the plan solves what it must.

        A plan that is required must end with nothing that denies. It goes on until nothing warns
        either where rungs that cost no quality lead there; what it needs for the first is settled
        before, so that no rung is taken for safety that is not free.
        """
        climbed = first = self.climb([], self.must, free=False)
        if not self.reaches(climbed, self.must):
            climbed = self.around(first)
            if not climbed:
                return first, first, False
        taken = self.prune(climbed, self.must)
        further = self.climb(taken, "holds", free=True)
        if len(further) > len(taken) and self.reaches(further, "holds"):
            taken = self.prune(further, "holds")
        return taken, [*first, *climbed, *further], True

    def reaches(self, taken: Sequence[Attempt], standing: Standing) -> bool:
        """Whether the rungs lead to a standing, or to a better one."""
        return self.trials.standing(self.last(taken)) in (standing, "holds")

    def last(self, taken: Sequence[Attempt]) -> Step:
        step = taken[-1].step if taken else self.start
        assert step is not None
        return step

    # -- climb ------------------------------------------------------------------------------------

    def around(self, climbed: Sequence[Attempt]) -> list[Attempt]:
        """A climb that reaches the goal without a rung that shut another remedy out, or nothing.

        What helps a little may exclude what would help enough: kernels for one card, and more
        cards. The latest such rung is left out first.
        """
        skipped = self.skipped
        for name in self.shutting(climbed):
            self.barred, self.skipped = name, {}
            again = self.climb([], self.must, free=False)
            if self.reaches(again, self.must):
                return again
        self.barred, self.skipped = "", skipped
        return []

    def shutting(self, climbed: Sequence[Attempt]) -> list[str]:
        """Rungs that set what the ``when`` of a remedy reads that applied before and no more."""
        taken, end = {one.remedy.name for one in climbed}, self.last(climbed)
        out: set[str] = set()
        for name in self.book.ladder:
            remedy = self.book.remedies[name]
            if name in taken or remedy.when is None or self.trials.applies(remedy, end):
                continue
            if any(self.trials.applies(remedy, one.before) for one in climbed):
                out |= set(remedy.when.expression.names)
        shutting = [one.remedy.name for one in reversed(climbed) if out & one.changes.keys()]
        return list(dict.fromkeys(shutting))

    def climb(self, taken: Sequence[Attempt], until: Standing, free: bool) -> list[Attempt]:
        """More rungs until a standing is reached: always the lowest on the ladder that helps now.

        What gained nothing at first may help once another rung has moved the peak, so the search
        starts at the bottom after every rung. ``free`` takes only what costs no quality, breaks
        nothing and tries nothing out: alternatives are of things that cost money, as more cards.
        """
        climbed = list(taken)
        while len(climbed) < MAX_RUNGS and not self.reaches(climbed, until):
            rung = self.next(climbed, until, free)
            if rung is None:
                break
            climbed.append(rung)
        return climbed

    def next(self, climbed: Sequence[Attempt], until: Standing, free: bool) -> Attempt | None:
        step, taken = self.last(climbed), {one.remedy.name for one in climbed}
        for name in self.book.ladder:
            remedy = self.book.remedies[name]
            if (name in taken and not remedy.repeat) or (free and not _is_free(remedy)):
                continue
            if name == self.barred:
                continue
            attempt = self.trials.attempt(remedy, step, until)
            if attempt.reason is not None:
                if name not in self.skipped or attempt.reason != "helps something else":
                    self.skipped[name] = attempt
            elif not (free and self.breaks(attempt)):
                return attempt
        return None

    def breaks(self, attempt: Attempt) -> bool:
        return attempt.step is not None and self.trials.standing(attempt.step) == "fails"

    # -- prune ------------------------------------------------------------------------------------

    def prune(self, taken: list[Attempt], must: Standing) -> list[Attempt]:
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
            shorter = self.without(name, taken, must)
            if shorter is None:
                needed.add(name)
            else:
                taken = shorter
                again |= needed
                needed.clear()

    def without(self, name: str, taken: Sequence[Attempt], must: Standing) -> list[Attempt] | None:
        """The plan without the last rung of a remedy; None when it needs it."""
        at = max(index for index, one in enumerate(taken) if one.remedy.name == name)
        remedies = [one.remedy for one in taken[at + 1 :]]
        shorter = self.replay(taken[:at], remedies, must)
        return shorter if self.reaches(shorter, must) else None

    def replay(
        self, taken: Sequence[Attempt], remedies: Sequence[Remedy], until: Standing
    ) -> list[Attempt]:
        """More remedies on top of the rungs taken, alternatives tried anew.

        A rung that gains little without the one dropped waits until it gains something, and is
        taken last if it never does, because whether it is needed is prune's question. One that does
        nothing at all is left out.
        """
        replayed, waiting = list(taken), list(remedies)
        while waiting and not self.reaches(replayed, until):
            chosen = self.choose(waiting, self.last(replayed), until)
            if chosen is None:
                break
            position, attempt = chosen
            del waiting[position]
            replayed.append(attempt)
        return replayed

    def choose(
        self, remedies: Sequence[Remedy], step: Step, until: Standing
    ) -> tuple[int, Attempt] | None:
        """The first remedy that gains something, or else the first that does anything."""
        possible: list[tuple[int, Attempt]] = []
        for position, remedy in enumerate(remedies):
            attempt = self.trials.attempt(remedy, step, until)
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
            attempt = self.trials.attempt(self.book.remedies[name], self.start, self.must)
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
            attempt = self.trials.attempt(self.book.remedies[name], self.start, self.must)
            if attempt.step is not None:
                after = attempt.step.trace.values
                found |= {p.name for p in parts if after.get(p.name, 0.0) < 0.99 * p.value}
        return frozenset(found)


def _is_free(remedy: Remedy) -> bool:
    return not remedy.quality and not remedy.tries


def _skipped(attempt: Attempt, reason: SkipReason | None) -> Skipped:
    assert reason is not None
    if attempt.step is None:
        return Skipped(attempt.remedy, reason, None, attempt.detail)
    before, after = attempt.before.ranges, attempt.step.ranges
    return Skipped(attempt.remedy, reason, attempt.gain, attempt.detail, before, after)
