"""One scenario checked from end to end: read, evaluated, judged, and a plan where one is needed."""

from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from advisor.errors import FileProblems, Problem
from advisor.evaluate import Engine, Reader
from advisor.scenario import Scenario, ScenarioReader
from advisor.verdict import Verdict, judge

if TYPE_CHECKING:
    from advisor.ladder import Plan


class Status(Enum):
    """What a check comes to."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"
    BROKEN = "broken"


class CheckResult(NamedTuple):
    """The result for one file; ``verdict`` is None when the file could not be used.

    ``idle`` names inputs that are given but mean nothing here (their ``when`` does not hold).
    """

    file: str
    scenario: Scenario | None = None
    verdict: Verdict | None = None
    plan: "Plan | None" = None
    idle: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()

    def status(self, warnings_fail: bool = False) -> Status:
        """Where the check stands; ``warnings_fail`` counts failing warn policies as deny."""
        if self.problems or self.verdict is None:
            return Status.BROKEN
        if not any(o.state != "not applicable" for o in self.verdict.outcomes):
            return Status.BROKEN  # nothing was checked
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
) -> CheckResult:
    """Check one scenario file; what is wrong with it is part of the result, never raised."""
    try:
        scenario = reader.read(path, shown, settings)
    except FileProblems as error:
        return CheckResult(shown, problems=error.problems)
    return check(engine, scenario)


def check(engine: Engine, scenario: Scenario) -> CheckResult:
    """Check a scenario."""
    verdict = judge(engine.run(scenario))
    if verdict.problems:
        return CheckResult(scenario.name, scenario, verdict, problems=verdict.problems)
    return CheckResult(scenario.name, scenario, verdict, _plan(engine, verdict), _idle(verdict))


def _plan(engine: Engine, verdict: Verdict) -> "Plan | None":
    if not verdict.failing("deny", "warn"):
        return None
    from advisor.ladder import plan  # a scenario that holds does not pay for importing it

    return plan(engine, verdict)


def _idle(verdict: Verdict) -> tuple[str, ...]:
    trace = verdict.trace
    read = Reader(trace)
    idle: list[str] = []
    for name, provided in trace.scenario.given.items():
        condition = trace.book.inputs[name].when if provided.origin == "given" else None
        if condition is not None:
            found = read(condition)
            if found.known and not found.value:
                idle.append(name)
    return tuple(idle)
