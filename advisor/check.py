"""One scenario checked from end to end: read, evaluated, judged, and a plan where one is needed."""

from collections.abc import Iterable, Mapping
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from advisor.errors import FileProblems, Problem, Span, said
from advisor.evaluate import Engine, Reader
from advisor.scenario import Provided, Scenario, ScenarioReader
from advisor.verdict import Verdict, is_idle, judge
from advisor.waivers import NO_EXCUSE, Excuse

if TYPE_CHECKING:
    from advisor.ladder import Plan
    from advisor.lengths import Lengths
    from advisor.trainers.assemble import Translation
    from advisor.trainers.runs import Run
    from advisor.trainers.versions import Versions


class Status(Enum):
    """What a check comes to."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"
    BROKEN = "broken"


class CheckResult(NamedTuple):
    """The result for one file; ``verdict`` is None when the file could not be used.

    ``idle`` names inputs that are given but mean nothing here (their ``when`` does not hold).
    ``lengths`` is the data file whose samples were measured, ``translation`` how trainers' own
    files were read (None for a scenario of this program). ``script`` is the file that holds a run
    whose ``file`` is a line of it.
    """

    file: str
    scenario: Scenario | None = None
    verdict: Verdict | None = None
    plan: "Plan | None" = None
    idle: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    lengths: "Lengths | None" = None
    translation: "Translation | None" = None
    script: str = ""

    @property
    def path(self) -> str:
        """The file that the result is about."""
        return self.script or self.file

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


NO_VALUES: Mapping[str, Provided] = MappingProxyType({})
NO_VERSIONS: "Versions" = MappingProxyType({})


class Call(NamedTuple):
    """What a call says for all its files: inputs as written and typed, trainers' versions, and the
    lengths of the data.

    ``fast`` evaluates compiled rules: what many files are worth, and with the same results.
    """

    settings: tuple[tuple[str, str], ...] = ()
    given: Mapping[str, Provided] = NO_VALUES
    versions: "Versions" = NO_VERSIONS
    lengths: "Lengths | None" = None
    fast: bool = False


def check_run(
    engine: Engine, reader: ScenarioReader, run: "Run", call: Call, excuse: Excuse = NO_EXCUSE
) -> CheckResult:
    """Check one run of a call: a scenario file, or trainers' files that belong together."""
    file = run.file
    if run.problems:
        return CheckResult(run.name, problems=run.problems, script=file.shown)
    if not run.sources:
        settings = call.settings
        return check_file(engine, reader, file.path, file.shown, settings, excuse, call.lengths)
    from advisor.trainers.assemble import assemble  # a scenario of this program needs none of it

    measured: Mapping[str, Provided] = {}
    if call.lengths is not None:
        from advisor.lengths import measured_inputs

        measured = measured_inputs(call.lengths)
    try:
        scenario, translation = assemble(reader, run, call.given, call.versions, measured)
    except FileProblems as error:
        return CheckResult(run.name, problems=error.problems, script=file.shown)
    if call.lengths is not None:
        from advisor.lengths import lay_over

        scenario = lay_over(scenario, call.lengths, list(call.given))
    result = check(engine, scenario, excuse, call.fast)
    if result.verdict is not None:  # what is left open and means nothing here need not be told
        trace = result.verdict.trace
        read, inputs = Reader(trace, call.fast), trace.book.inputs
        notes = tuple(
            note
            for note in translation.notes
            if not note.inputs or not all(is_idle(read, inputs[name]) for name in note.inputs)
        )
        translation = translation._replace(notes=notes)
    return result._replace(lengths=call.lengths, translation=translation, script=file.shown)


def check(
    engine: Engine, scenario: Scenario, excuse: Excuse = NO_EXCUSE, fast: bool = False
) -> CheckResult:
    """Check a scenario; a failure that ``excuse`` covers is waived."""
    verdict = judge(engine.run(scenario, fast=fast), fast, excuse=excuse)
    problems = verdict.problems
    if not problems and all(o.state == "not applicable" for o in verdict.outcomes):
        problems = (_nothing(scenario),)
    if problems:
        return CheckResult(scenario.name, scenario, verdict, problems=problems)
    return CheckResult(
        scenario.name, scenario, verdict, _plan(engine, verdict, fast), _idle(verdict, fast)
    )


def _nothing(scenario: Scenario) -> Problem:
    return Problem(
        "nothing-checked",
        said("no policy applies to this scenario, so nothing was checked."),
        said("Give more of its inputs, or add policies."),
        Span(scenario.name),
    )


def _plan(engine: Engine, verdict: Verdict, fast: bool) -> "Plan | None":
    if all(outcome.policy.fix != "ladder" for outcome in verdict.failing("deny", "warn")):
        return None
    from advisor.ladder import plan  # a scenario that holds does not pay for importing it

    return plan(engine, verdict, fast)


def _idle(verdict: Verdict, fast: bool) -> tuple[str, ...]:
    trace = verdict.trace
    read = Reader(trace, fast)
    inputs = trace.book.inputs
    return tuple(
        name
        for name, provided in trace.scenario.given.items()
        if provided.origin == "given" and name in inputs and is_idle(read, inputs[name])
    )
