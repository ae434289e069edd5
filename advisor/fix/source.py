"""A file of a call as something that can be mended: how to read and to judge another text of it."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from advisor.check import Call, CheckResult, check, check_run
from advisor.errors import FileProblems, Problem, said
from advisor.evaluate import Engine
from advisor.fix.model import Source
from advisor.fix.problems import refusal
from advisor.ladder import Plan, plan
from advisor.scenario import ScenarioReader
from advisor.source import Document, read_bytes, read_text
from advisor.trainers.model import Format
from advisor.trainers.recognise import Recognised
from advisor.trainers.runs import Run
from advisor.trainers.syntax import parse
from advisor.trainers.units import read_units
from advisor.trainers.writes import Trainer
from advisor.verdict import judge
from advisor.waivers import Excuse

_UNCLEAR = ("unresolved", "not-understood")


class Judging(NamedTuple):
    """What a call judges with."""

    engine: Engine
    reader: ScenarioReader
    call: Call
    excuse: Excuse
    formats: tuple[Format, ...]
    trainers: Iterable[Trainer]


def source_of(run: Run, result: CheckResult, judging: Judging) -> Source:
    """The file of a run; raises FileProblems where it is no single file that can be mended."""
    if run.sources:
        return _trainer_source(run, result, judging)
    return _scenario_source(run, result, judging)


def _replanner(result: CheckResult, judging: Judging) -> Callable[[frozenset[str]], Plan | None]:
    def replan(left: frozenset[str]) -> Plan | None:
        assert result.scenario is not None  # it had a plan
        scenario = result.scenario._replace(keep=result.scenario.keep | left)
        return plan(judging.engine, judge(judging.engine.run(scenario), excuse=judging.excuse))

    return replan


def _scenario_source(run: Run, result: CheckResult, judging: Judging) -> Source:
    file, call = run.file, judging.call

    def read(text: str) -> Document:
        return read_text(text, file.shown)

    def judged(text: str) -> CheckResult:
        scenario = judging.reader.build(read(text), file.path.parent, call.settings)
        if call.lengths is not None:
            from advisor.lengths import lay_over

            scenario = lay_over(scenario, call.lengths, [name for name, _ in call.settings])
        found = check(judging.engine, scenario, judging.excuse)
        return found._replace(lengths=call.lengths)

    data = read_bytes(file.path, file.shown)
    inputs = judging.reader.book.inputs
    replan = _replanner(result, judging)
    return Source(file.shown, data, inputs, None, {}, (), {}, read, judged, replan)


def _trainer_source(run: Run, result: CheckResult, judging: Judging) -> Source:
    file, suffix = run.file, run.file.path.suffix.lower()
    main = run.sources[0]
    if main.format.role != "main" or main.document.name != file.shown:
        raise refusal(file.shown, [said("this file alone does not say what the run is.")])

    def read(text: str) -> Document:
        return parse(text, file.shown, suffix).documents[0]

    def judged(text: str) -> CheckResult:
        return check_run(
            judging.engine, judging.reader, _again(run, text, judging), judging.call, judging.excuse
        )

    translation = result.translation
    notes = translation.notes if translation else ()
    places = translation.places if translation else {}
    own = {
        name: place.found for name, place in places.items() if place.found.document is main.document
    }
    unclear = {
        name: Problem(
            "cannot-fix", said("'{name}' is not fully understood here.", name=name), "", note.where
        )
        for note in notes
        if note.kind in _UNCLEAR
        for name in note.inputs
    }
    trainer = next((one for one in judging.trainers if one.name == main.format.name), None)
    data = read_bytes(file.path, file.shown)
    inputs = judging.reader.book.inputs
    writes = trainer or Trainer(main.format.name, {})
    replan = _replanner(result, judging)
    return Source(
        file.shown, data, inputs, writes, own, run.warnings, unclear, read, judged, replan
    )


def _again(run: Run, text: str, judging: Judging) -> Run:
    """The run with another text in the place of its file; its other files stay."""
    file, main = run.file, run.sources[0]
    parsed = parse(text, file.shown, file.path.suffix.lower())
    wanted = main.format if main.confidence == "forced" else None
    content = read_units(file.path, file.shown, judging.formats, wanted, parsed)
    units = content.units
    if len(units) != 1 or units[0].main is None or units[0].main.format.name != main.format.name:
        raise refusal(file.shown, [said("it would no longer be read as the same trainer's file.")])
    others: list[Recognised] = [one for one in run.sources if one.document.name != file.shown]
    if content.warnings != run.warnings:
        raise FileProblems(
            content.warnings or [*refusal(file.shown, [said("it is odd.")]).problems]
        )
    return run._replace(sources=(*units[0].sources, *others))
