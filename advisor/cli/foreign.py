"""Trainers' own files of a call: sorted into runs, with progress for many."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click

from advisor.errors import BadCall, FileProblems, Problem, said, sentences, suggestion
from advisor.project import Project
from advisor.scenario import Scenario
from advisor.trainers.assemble import assemble, read_settings
from advisor.trainers.gather import gather
from advisor.trainers.runs import Left, Run, Sorter
from advisor.trainers.units import SCENARIO
from advisor.trainers.versions import Versions, is_versions_file, read_versions, versions_of

MANY = 20
"""Files from which on progress is shown, and memory tidied up between them."""


MOST_NAMED = 200
"""Files that a sentence about those left out names."""

_SENTENCES = {
    "not-recognised": (
        said("no trainer's files that are known here"),
        said("Say whose they are: --as NAME."),
    ),
    "companion": (
        said("companions that no file here names"),
        said("Name each together with the file that it completes."),
    ),
}


def _told(code: str, names: Sequence[str]) -> Problem:
    """One problem for all files that are left for the same reason."""
    what, hint = _SENTENCES[code]
    listed, left = tuple(names[:MOST_NAMED]), len(names) - MOST_NAMED
    message = (
        said(
            "{count} not checked, {what}: {names} and {left} more.",
            count=len(names),
            what=what,
            names=listed,
            left=left,
        )
        if left > 0
        else said(
            "{count} not checked, {what}: {names}.", count=len(names), what=what, names=listed
        )
    )
    return Problem(code, message, hint, None, "warning")


class Foreign:
    """The files of one call, sorted into runs; ``problems`` gathers what to tell at the end."""

    def __init__(
        self,
        opened: Project,
        paths: Sequence[Path],
        wanted: str | None,
        trainer_versions: Iterable[str],
    ) -> None:
        self.opened = opened
        self.wanted = _format_name(opened, wanted)
        self.versions: Versions = {}
        for written in trainer_versions:
            self.versions = {**self.versions, **versions_of(written)}
        pinned = [path for path in paths if is_versions_file(path) and path.is_file()]
        for path in pinned:
            self.versions = {**read_versions(path, str(path)), **self.versions}
        self.problems: list[Problem] = []
        asked = [path for path in paths if path not in pinned]
        if pinned and not asked:
            raise BadCall(said("name a file to check beside the one that pins versions"))
        self.files = list(gather(asked, self.problems))
        self.many = len(self.files) > MANY
        self.met = 0

    def runs(self) -> Iterator[Run]:
        """Every run to check; files that are left become problems to tell at the end."""
        sorter = Sorter(self.files, self.opened.book.inputs, self.opened.formats, self.wanted)
        show = self.many and sys.stderr.isatty()
        left: dict[str, list[str]] = {}
        if self.many:
            gc.freeze()  # the rules stay; only what belongs to single files is to be collected
        for item in sorter.runs():
            if isinstance(item, Left):
                self.leave(item, left)
                continue
            self.met += 1
            if show:
                click.echo(f"\r{self.met}/{len(self.files)} ", nl=False, err=True)
            yield item
            if self.many and self.met % MANY == 0:
                gc.collect()
        if show:
            click.echo("\r" + " " * 20 + "\r", nl=False, err=True)
        self.problems.extend(_told(code, names) for code, names in left.items())
        if not self.met and not any(one.level == "error" for one in self.problems):
            message = said(
                "none of {count} files is a scenario or a trainer's file.", count=len(self.files)
            )
            hint = said("Say which trainer they are for: --as NAME.")
            self.problems.append(Problem("nothing-checked", message, hint))

    def leave(self, item: Left, left: dict[str, list[str]]) -> None:
        """Note a file that is not checked; what every folder holds is told in one sentence."""
        code = item.problem.code
        if code in _SENTENCES:
            left.setdefault(code, []).append(item.file)
        else:
            self.problems.append(item.problem._replace(level="warning"))


def scenario_of(
    opened: Project,
    path: Path,
    settings: Sequence[tuple[str, str]],
    wanted: str | None,
    trainer_versions: Iterable[str],
) -> Scenario:
    """The scenario of one file, whoever's it is; of a script with several runs, the first.

    Raises FileProblems with everything wrong in it.
    """
    foreign = Foreign(opened, [path], wanted, trainer_versions)
    reader = opened.reader()
    run = next(foreign.runs(), None)
    problems = foreign.problems if run is None else run.problems
    if run is None or problems:
        raise FileProblems(problems)
    if not run.sources:
        return reader.read(path, str(path), settings)
    given = read_settings(reader, settings)
    return assemble(reader, run, given, foreign.versions)[0]


def _format_name(opened: Project, wanted: str | None) -> str:
    """The format of ``--as``; raises BadCall for one that nobody knows."""
    if wanted is None:
        return ""
    known = [SCENARIO, *(one.name for one in opened.formats())]
    if wanted not in known:
        hint = suggestion(wanted, known) or said("One of: {names}.", names=tuple(known))
        raise BadCall(
            sentences(said("--as: there is no trainer '{wanted}'.", wanted=wanted[:60]), hint)
        )
    return wanted
