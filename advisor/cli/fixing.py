"""``--fix`` and ``--diff``: what the plan changes in the file, shown or written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import click

from advisor.check import Call, CheckResult, Status
from advisor.errors import BadCall, FileProblems, said, visible
from advisor.evaluate import Engine
from advisor.project import Project
from advisor.scenario import ScenarioReader
from advisor.waivers import Excuse

if TYPE_CHECKING:
    from advisor.fix import Changed, Fixed
    from advisor.rulebook.model import Input, Value
    from advisor.trainers.model import Format
    from advisor.trainers.runs import Run
    from advisor.trainers.writes import Trainer


def fix_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """``--fix`` and ``--diff``."""
    for option in (
        click.option("--diff", is_flag=True, help="Show what --fix would change; write nothing."),
        click.option("--fix", is_flag=True, help="Write the plan's changes into the file itself."),
    ):
        function = option(function)
    return function


class Mender:
    """What a call wants done with files that fail: ``writes`` or only shows the plan's changes.

    What is done is part of the report as text, and talk beside any other.
    """

    def __init__(
        self, opened: Project, writes: bool, strict: bool, language: str, as_talk: bool
    ) -> None:
        self.opened = opened
        self.writes = writes
        self.strict = strict
        self.language = language
        self.as_talk = as_talk

    @cached_property
    def formats(self) -> tuple[Format, ...]:
        """How trainers' files are read."""
        return self.opened.formats()

    @cached_property
    def trainers(self) -> tuple[Trainer, ...]:
        """How trainers' files are written."""
        return self.opened.trainers()

    def mend(
        self,
        run: Run,
        result: CheckResult,
        engine: Engine,
        reader: ScenarioReader,
        call: Call,
        excuse: Excuse,
    ) -> CheckResult:
        """The result of the file as it is afterwards; what was done, or why not, is said."""
        if result.status(self.strict) is not Status.FAILS:
            return result
        from advisor.fix import fixed, replace_file
        from advisor.fix.source import Judging, source_of

        judging = Judging(engine, reader, call, excuse, self.formats, self.trainers)
        try:
            found = fixed(result, source_of(run, result, judging), self.strict)
            if self.writes:
                replace_file(run.file.path, run.file.shown, found.raw, found.data)
        except FileProblems as error:
            from advisor.report.problems import problem_line

            self.say([*(problem_line(one, self.language) for one in error.problems), ""])
            return result
        self.say(self.told(found))
        return found.result if self.writes else result

    def told(self, found: Fixed) -> list[str]:
        """The lines about a file that is, or would be, changed."""
        from advisor.fix.diff import diff_lines
        from advisor.report.phrases import phrase

        inputs = self.opened.book.inputs
        done = phrase(self.language, "fix_written" if self.writes else "fix_shown", file=found.file)
        lines = [done, *diff_lines(found.before, found.after, found.file)]
        if found.left:
            names = ", ".join(sorted(found.left))
            lines.append(phrase(self.language, "fix_left", names=names))
        also = [_change(one, inputs) for one in found.changes if not one.is_planned]
        if also:
            lines.append(phrase(self.language, "fix_also", changes=" · ".join(also)))
        return [*lines, ""]

    def say(self, lines: list[str]) -> None:
        """Write lines where they belong."""
        for line in lines:
            click.echo(visible(line), err=self.as_talk)


def _change(one: Changed, inputs: Mapping[str, Input]) -> str:
    from advisor.rulebook.values import input_text

    def shown(value: Value | None) -> str:
        return "–" if value is None else input_text(inputs[one.input], value)

    return f"{one.input} {shown(one.was)} → {shown(one.now)}"


def require_one(fix: bool, diff: bool) -> None:
    """Raise BadCall when both are asked for."""
    if fix and diff:
        raise BadCall(
            said("--fix and --diff: write one of them; --fix shows the difference as well")
        )
