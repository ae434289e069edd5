"""``advisor check``: judge scenario files."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from advisor.check import NO_VALUES, Call, CheckResult, check_file, check_run
from advisor.cli.data import data_options, measured
from advisor.cli.exits import Exit
from advisor.cli.fixing import Mender, fix_options, require_one
from advisor.cli.languages import language
from advisor.cli.options import (
    NamedPath,
    config_options,
    foreign_options,
    here,
    lang_option,
    looks_own,
    project,
    project_file,
    rules_option,
    today_option,
)
from advisor.cli.outputs import ReportingCommand, report_options, spare, wanted_reports
from advisor.cli.reporting import Reports
from advisor.cli.settings import settings_of, settings_options
from advisor.errors import AdvisorError, BadCall, FileProblems, Problem, said
from advisor.evaluate import Engine
from advisor.ledger import Ledger
from advisor.project import Project
from advisor.project_file import find_files
from advisor.report.writing import Context

if TYPE_CHECKING:
    from advisor.cli.foreign import Foreign
    from advisor.lengths import Lengths


_FEW = 8
"""Files that are looked at before anything for trainers' own files is loaded."""


@click.command("check", cls=ReportingCommand)
@click.argument("files", nargs=-1, type=NamedPath(path_type=Path))
@settings_options
@foreign_options
@data_options
@rules_option
@config_options
@today_option
@report_options
@fix_options
@click.option(
    "--baseline",
    metavar="REPORT",
    type=click.Path(path_type=Path),
    help="Show what got worse since this JSON report.",
)
@click.option(
    "--fail-on",
    type=click.Choice(["deny", "warn"]),
    default="deny",
    show_default=True,
    help="What makes the exit code 1: failing deny policies, or warnings too.",
)
@lang_option
@click.pass_context
def command(
    context: click.Context,
    /,
    files: tuple[Path, ...],
    rules: tuple[Path, ...],
    config: Path | None,
    no_config: bool,
    today: str | None,
    forms: tuple[str, ...],
    outputs: tuple[Path, ...],
    baseline: Path | None,
    data: Path | None,
    text_columns: tuple[str, ...],
    tokenizer: Path | None,
    fail_on: str,
    lang: str | None,
    wanted: str | None,
    trainer_versions: tuple[str, ...],
    fix: bool,
    diff: bool,
    **flags: object,
) -> Exit:
    """Judge FILES: does it fit, how long, what does it cost, and what to change.

    FILES are scenarios, trainers' own files, folders or patterns of them; a file of accelerate,
    DeepSpeed or SkyPilot completes the trainer's. Without FILES, those that advisor.yaml lists.
    """
    places = wanted_reports(context, forms, outputs, _usual_format())
    reports = Reports(places)
    told = Context(None, fail_on == "warn", language(lang), _colour(), str(here()))
    try:
        spare(places, [*files, *rules, *filter(None, (config, baseline, data))])
        reports.open_files()
        require_one(fix, diff)
        file = project_file(config, no_config)
        opened = project(rules, today, file=file)
        settings = settings_of(flags)
        whole = not files
        files = files or _listed(opened)
        mender = None
        if fix or diff:
            beside = not any(one.path is None and one.form == "text" for one in places)
            mender = Mender(opened, fix, told.strict, told.language, beside)
        foreign = _foreign(opened, files, wanted, trainer_versions, mender is not None)
        lengths = measured(data, text_columns, tokenizer)
        earlier = None
        if baseline is not None:
            from advisor.baseline import read_baseline

            earlier = read_baseline(baseline)
    except AdvisorError as error:
        return reports.refuse(error, told)
    told.project, told.baseline = opened, str(baseline or "")
    altered = bool(settings) or lengths is not None
    ledger = Ledger(opened.waivers, opened.today, whole, altered, copied=config is not None)
    try:
        reports.begin(told)
        results = (
            _foreign_results(opened, foreign, settings, lengths, mender)
            if foreign
            else _results(opened, files, settings, lengths)
        )
        for result in results:
            ledger.add(result, opened.excuse(_from_here(Path(result.path))))
            reports.add(result, earlier.worse(result, told.strict) if earlier else ())
        return reports.close([*(foreign.problems if foreign else ()), *ledger.problems()])
    finally:
        reports.discard()


def _results(
    opened: Project,
    files: tuple[Path, ...],
    settings: list[tuple[str, str]],
    lengths: Lengths | None,
) -> Iterator[CheckResult]:
    engine, reader = Engine(opened.book), opened.reader()
    for path in files:
        yield check_file(
            engine, reader, path, str(path), settings, opened.excuse(_from_here(path)), lengths
        )


def _foreign(
    opened: Project,
    files: tuple[Path, ...],
    wanted: str | None,
    versions: tuple[str, ...],
    mends: bool,
) -> Foreign | None:
    """What reads trainers' own files; None where a look shows that all are scenarios."""
    few = not wanted and not versions and not mends and len(files) <= _FEW
    if few and all(looks_own(path, opened) for path in files):
        return None
    from advisor.cli.foreign import Foreign

    return Foreign(opened, files, wanted, versions)


def _foreign_results(
    opened: Project,
    foreign: Foreign,
    settings: list[tuple[str, str]],
    lengths: Lengths | None,
    mender: Mender | None,
) -> Iterator[CheckResult]:
    from advisor.trainers.assemble import read_settings

    engine, reader = Engine(opened.book), opened.reader()
    problems: tuple[Problem, ...] = ()
    call = Call(tuple(settings), NO_VALUES, foreign.versions, lengths, foreign.many)
    try:
        call = call._replace(given=read_settings(reader, settings))
    except FileProblems as error:
        problems = error.problems
    for run in foreign.runs():
        if problems and run.sources:
            run = run._replace(problems=(*run.problems, *problems))
        excuse = opened.excuse(_from_here(run.file.path))
        result = check_run(engine, reader, run, call, excuse)
        if mender is not None:
            result = mender.mend(run, result, engine, reader, call, excuse)
        yield result


def _listed(opened: Project) -> tuple[Path, ...]:
    """The files that the project's file lists."""
    if opened.file is None or not opened.file.files:
        raise BadCall(said("name at least one scenario file: advisor check FILE"))
    return tuple(find_files(opened.file.files, Path()))


def _from_here(path: Path) -> str:
    """A path from the working directory on, with ``/``; empty for one outside."""
    folder = here()
    whole = Path(os.path.normpath(folder / path))
    if not whole.is_relative_to(folder):
        whole = path.resolve()
    return whole.relative_to(folder).as_posix() if whole.is_relative_to(folder) else ""


def _usual_format() -> str:
    return "github" if os.environ.get("GITHUB_ACTIONS") == "true" else "text"


def _colour() -> bool:
    wanted = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    return wanted and not os.environ.get("NO_COLOR")
