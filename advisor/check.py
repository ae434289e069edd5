"""One scenario checked from end to end: read, evaluated, judged, and a plan where one is needed."""

from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from advisor.errors import FileProblems, Problem, Span
from advisor.evaluate import Engine, Reader
from advisor.scenario import Scenario, ScenarioReader
from advisor.verdict import Verdict, is_idle, judge
from advisor.waivers import NO_EXCUSE, Excuse

if TYPE_CHECKING:
    from advisor.ladder import Plan
    from advisor.lengths import Lengths


class Status(Enum):
    """What a check comes to."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"
    BROKEN = "broken"


class CheckResult(NamedTuple):
    """The result for one file; ``verdict`` is None when the file could not be used.

    ``idle`` names inputs that are given but mean nothing here (their ``when`` does not hold).
    ``lengths`` is the data file whose samples were measured.
    """

    file: str
    scenario: Scenario | None = None
    verdict: Verdict | None = None
    plan: "Plan | None" = None
    idle: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    lengths: "Lengths | None" = None

    def status(self, warnings_fail: bool = False) -> Status:
        """Where the check stands; ``warnings_fail`` counts failing warn policies as deny."""
        if self.problems or self.verdict is None:
            return Status.BROKEN
        if self.verdict.failing("deny", *(("warn",) if warnings_fail else ())):
            return Status.FAILS
        if self.verdict.undecided("deny"):
            return Status.UNDECIDED
        return Status.HOLDS


def check_file(
    engine: Engine,
    reader: ScenarioReader,
    path: Path,
    shown: str,
    settings: Iterable[tuple[str, str]] = (),
    excuse: Excuse = NO_EXCUSE,
    lengths: "Lengths | None" = None,
) -> CheckResult:
    """Check one scenario file; what is wrong with it is part of the result, never raised.

    ``lengths`` go over what the file says about its data, and under ``settings``.
    """
    settings = list(settings)
    try:
        scenario = reader.read(path, shown, settings)
    except FileProblems as error:
        return CheckResult(shown, problems=error.problems)
    if lengths is not None:
        from advisor.lengths import lay_over  # few calls measure data

        scenario = lay_over(scenario, lengths, [name for name, _ in settings])
    return check(engine, scenario, excuse)._replace(lengths=lengths)


def check(engine: Engine, scenario: Scenario, excuse: Excuse = NO_EXCUSE) -> CheckResult:
    """Check a scenario; a failure that ``excuse`` covers is waived."""
    verdict = judge(engine.run(scenario), excuse=excuse)
    problems = verdict.problems
    if not problems and all(o.state == "not applicable" for o in verdict.outcomes):
        problems = (_nothing(scenario),)
    if problems:
        return CheckResult(scenario.name, scenario, verdict, problems=problems)
    return CheckResult(scenario.name, scenario, verdict, _plan(engine, verdict), _idle(verdict))


def _nothing(scenario: Scenario) -> Problem:
    return Problem(
        "nothing-checked",
        "no policy applies to this scenario, so nothing was checked.",
        "Give more of its inputs, or add policies.",
        Span(scenario.name),
    )


def _plan(engine: Engine, verdict: Verdict) -> "Plan | None":
    if all(outcome.policy.fix != "ladder" for outcome in verdict.failing("deny", "warn")):
        return None
    from advisor.ladder import plan  # a scenario that holds does not pay for importing it

    return plan(engine, verdict)


def _idle(verdict: Verdict) -> tuple[str, ...]:
    trace = verdict.trace
    read = Reader(trace)
    return tuple(
        name
        for name, provided in trace.scenario.given.items()
        if provided.origin == "given" and is_idle(read, trace.book.inputs[name])
    )
