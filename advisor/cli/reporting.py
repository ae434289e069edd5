"""All reports of one call, written side by side while files are checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from advisor.check import CheckResult, Status
from advisor.cli.exits import Exit, worst
from advisor.cli.outputs import FileSink, Screen, Wanted, report_module
from advisor.errors import AdvisorError, BadCall, Problem
from advisor.report.writing import Context, Report, Tally, Totals

if TYPE_CHECKING:
    from advisor.baseline import Worse

_EXITS = {
    Status.HOLDS: Exit.HOLDS,
    Status.FAILS: Exit.FAILS,
    Status.UNDECIDED: Exit.UNDECIDED,
    Status.BROKEN: Exit.BROKEN,
}


@dataclass(slots=True)
class _Place:
    """Where one report goes, the report once it has begun, and whether its file took it so far."""

    form: str
    sink: Screen | FileSink
    report: Report | None = None
    lost: bool = False

    @property
    def is_file(self) -> bool:
        return isinstance(self.sink, FileSink)


class Reports:
    """The reports of a call. What goes to files shows when they are closed, or never."""

    def __init__(self, wanted: Sequence[Wanted]) -> None:
        self.wanted = wanted
        self.places = [_Place(one.form, Screen()) for one in wanted if one.path is None]
        self.trouble: list[Problem] = []
        self.codes: set[Exit] = set()
        self.tally = Tally(False, {})
        self.language = "en"

    def open_files(self) -> None:
        """Open every file; raises BadCall when one cannot be, and then leaves all as they were."""
        for one in self.wanted:
            if one.path is None:
                continue
            try:
                self.places.append(_Place(one.form, FileSink(one.path)))
            except BadCall:
                self.discard()
                self.places = [place for place in self.places if not place.is_file]
                raise

    def begin(self, context: Context) -> None:
        """Write what comes first."""
        self.language = context.language
        self.tally = Tally(context.strict, {})
        plain = replace(context, colour=False)
        for place in self.places:
            place.report = report_module(place.form).report(plain if place.is_file else context)
            self.write(place, place.report.begin())

    def add(self, result: CheckResult, worse: Sequence[Worse] = ()) -> None:
        """Write one file's result."""
        self.codes.add(_EXITS[self.tally.add(result)])
        for place in self.places:
            if place.report is not None:
                self.write(place, place.report.result(result, worse))

    def close(self, problems: Sequence[Problem] = ()) -> Exit:
        """Write what comes last and let the files show; the code that the call ends with.

        Each report tells that code: when a file cannot be finished, none replaces what was there.
        """
        broken = any(one.level == "error" for one in problems)
        codes = [*self.codes, *([Exit.BROKEN] if broken else [])]
        code = Exit.BROKEN if self.trouble else worst(codes)
        files = [place for place in self.places if place.is_file]
        before = len(self.trouble)
        self.finish(files, code, [*problems, *self.trouble])
        if len(self.trouble) == before:
            for place in files:
                self.attempt(place, "keep")
        else:
            self.discard()
        code = Exit.BROKEN if self.trouble else code
        screens = [place for place in self.places if not place.is_file]
        self.finish(screens, code, [*problems, *self.trouble])
        if not screens:
            self.talk(self.tally.totals(int(code)), [*problems, *self.trouble])
        return code

    def refuse(self, error: AdvisorError, context: Context) -> Exit:
        """Say in every format that nothing was checked, and why.

        As text on standard output there is nothing to say: then the error is raised again.
        """
        told = any(not place.is_file and place.form != "text" for place in self.places)
        self.places = [place for place in self.places if place.is_file or place.form != "text"]
        self.begin(context)
        self.finish(self.places, Exit.BROKEN, error.problems)
        for place in self.places:
            self.attempt(place, "keep")
        if not told:
            raise error
        return Exit.BROKEN

    def discard(self) -> None:
        """Leave every file as it was."""
        for place in self.places:
            place.sink.discard()

    # -- one report -------------------------------------------------------------------------------

    def finish(self, places: Sequence[_Place], code: Exit, problems: Sequence[Problem]) -> None:
        for place in places:
            if place.report is not None:
                self.write(place, place.report.end(self.tally.totals(int(code)), problems))
                self.attempt(place, "finish")

    def write(self, place: _Place, text: str) -> None:
        self.attempt(place, "write", text)

    def attempt(self, place: _Place, action: str, *arguments: str) -> None:
        """Do something with a sink; a file that cannot be written ends no other report."""
        if place.lost:
            return
        try:
            getattr(place.sink, action)(*arguments)
        except BadCall as error:
            if not place.is_file:
                raise
            place.lost = True
            place.sink.discard()
            self.trouble.extend(error.problems)

    def talk(self, totals: Totals, problems: Sequence[Problem]) -> None:
        """Without a report on standard output, a person still learns how it went."""
        from advisor.report.problems import problem_line
        from advisor.report.style import Style
        from advisor.report.text import summary_text

        for problem in problems:
            click.echo(problem_line(problem, self.language), err=True)
        click.echo(summary_text(totals, Style(self.language)), nl=False, err=True)
