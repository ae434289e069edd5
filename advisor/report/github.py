"""Annotations of GitHub Actions: one workflow command a line, at the line worth changing.

What a command must not hold is written as ``%25`` and the like, as the runner reads it; nothing of
a file can start a line, so nothing can pass for a command of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from advisor.check import CheckResult
from advisor.errors import Problem, visible
from advisor.report.findings import Finding, Kind, findings, problem_findings, short
from advisor.report.phrases import phrase
from advisor.report.writing import Context, Report, Totals

if TYPE_CHECKING:
    from advisor.baseline import Worse

COMMANDS: dict[Kind, str] = {
    "problem": "error",
    "fails": "error",
    "undecided": "error",
    "warns": "warning",
    "told": "notice",
    "waived": "notice",
}


def report(context: Context) -> Report:
    """The report as workflow commands, and a last line with the counts."""
    return _GithubReport(context)


class _GithubReport:
    def __init__(self, context: Context) -> None:
        self.context = context

    def begin(self) -> str:
        return ""

    def result(self, result: CheckResult, worse: Sequence[Worse]) -> str:
        return _lines(findings(result, self.context))

    def end(self, totals: Totals, problems: Sequence[Problem]) -> str:
        language = self.context.language
        counts = phrase(language, "summary", **totals._asdict())
        if totals.waived:
            counts += f" · {phrase(language, 'summary_waived', count=totals.waived)}"
        return _lines(problem_findings(problems, "", self.context)) + f"advisor: {counts}\n"


def _lines(found: Iterable[Finding]) -> str:
    return "".join(map(_line, found))


def _line(one: Finding) -> str:
    place = ""
    if one.where.file:
        file = _property(visible(one.where.file))
        place = f"file={file},line={one.where.line},col={one.where.column},"
    title = _property(short(f"advisor: {one.rule}"))
    text = "\n".join([one.message, *one.advice])
    return f"::{COMMANDS[one.kind]} {place}title={title}::{_data(text)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
