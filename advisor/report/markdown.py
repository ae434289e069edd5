"""Markdown for the comment on a pull request: a table of files, and what to do about each.

Names and values from files go into code spans or are escaped, so that they format nothing, link
nowhere and mention nobody. A comment holds so many characters; what no longer fits is counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from advisor import __version__
from advisor.check import CheckResult, Status
from advisor.errors import Problem, Span, visible
from advisor.report.findings import (
    Finding,
    findings,
    local,
    problem_findings,
    short,
    trainer_of,
    typed,
)
from advisor.report.plan_text import standing_text
from advisor.report.style import SIGNS, Style, label
from advisor.report.writing import Context, Report, Totals
from advisor.rulebook.model import say
from advisor.units import date_text, quantity_text

if TYPE_CHECKING:
    from advisor.baseline import Worse
    from advisor.ladder import Plan, Rung
    from advisor.verdict import AnswerResult, Verdict

MAX_ROWS = 100
MAX_SIZE = 60_000  # characters; a comment on GitHub holds 65,536
MAX_PROBLEMS = 10_000  # of these, for what is wrong with the call
_STATUS_SIGNS = {
    Status.HOLDS: "✓",
    Status.FAILS: "✗",
    Status.UNDECIDED: "?",
    Status.BROKEN: "✗",
}
_SPECIAL = re.compile(r"([\\`*_\[\]|~>])")
# Between these two a blank without width keeps @name, #12, !3 and https://… from becoming links.
_LINKED = re.compile(r"(?<=[@#!%$~:])(?=[\w/])|(?<=&amp;)(?=[\d])|(?<=www)(?=\.)")


def report(context: Context) -> Report:
    """The report as Markdown of GitHub's and GitLab's flavour."""
    return _MarkdownReport(context)


class _MarkdownReport:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.style = Style(context.language)
        self.rows: list[str] = []
        self.details: list[str] = []
        self.room = MAX_SIZE - MAX_PROBLEMS
        self.left_out = 0

    def begin(self) -> str:
        return ""

    def result(self, result: CheckResult, worse: Sequence[Worse]) -> str:
        """Nothing yet: the table of all files comes first."""
        if len(self.rows) < MAX_ROWS:
            self.rows.append(self.row(result))
            self.room -= len(self.rows[-1])
        detail = "\n".join(self.detail(result, worse))
        if detail and len(detail) <= self.room:
            self.details.append(detail)
            self.room -= len(detail)
        elif detail:
            self.left_out += 1
        return ""

    def end(self, totals: Totals, problems: Sequence[Problem]) -> str:
        word = self.style.word
        sign = "✓" if totals.exit == 0 else "?" if totals.exit == 3 else "✗"
        counts = word("summary", **totals._asdict())
        if totals.waived:
            counts += f" · {word('summary_waived', count=totals.waived)}"
        lines = [f"## {sign} advisor: {counts}", ""]
        lines += self.problems(problems)
        lines += self.table(totals)
        for detail in self.details:
            lines += [detail, ""]
        if self.left_out:
            lines += [word("md_left_out", count=self.left_out), ""]
        lines.append(self.last())
        return "\n".join(lines) + "\n"

    def problems(self, problems: Sequence[Problem]) -> Iterator[str]:
        """What is wrong with the call, as far as there is room."""
        room = MAX_PROBLEMS
        for number, one in enumerate(problem_findings(problems, "", self.context)):
            line = f"- {_pointed(one)}"
            room -= len(line)
            if room < 0:
                yield f"- {escaped(self.style.word('md_problems', count=len(problems) - number))}"
                break
            yield line
        if problems:
            yield ""

    # -- the table --------------------------------------------------------------------------------

    def table(self, totals: Totals) -> Iterator[str]:
        if not self.rows or self.context.project is None:
            return
        answers = self.context.project.book.answers.values()
        heads = ["", self.style.word("md_file"), *(label(one, self.style) for one in answers)]
        yield f"| {' | '.join(map(escaped, heads))} |"
        yield "|" + " --- |" * len(heads)
        yield from self.rows
        if totals.files > len(self.rows):
            more = self.style.word("md_more", count=totals.files - len(self.rows))
            yield f"| | {more} |" + " |" * (len(heads) - 2)
        yield ""

    def row(self, result: CheckResult) -> str:
        status = result.status(self.context.strict)
        sign = _STATUS_SIGNS[status]
        cells = [sign, code(local_name(result, self.context))]
        verdict = result.verdict
        if verdict is not None and status is not Status.BROKEN:
            if verdict.waived():
                cells[0] += " " + escaped(self.style.word("state_waived"))
            cells += [escaped(self.amount(verdict, one)) for one in verdict.answers.values()]
        elif self.context.project is not None:
            cells.append(escaped(self.style.word("state_broken")))
            cells += [""] * (len(self.context.project.book.answers) - 1)
        return f"| {' | '.join(cells)} |"

    def amount(self, verdict: Verdict, one: AnswerResult) -> str:
        if one.likely is None:
            return self.style.word("undecided")
        unit = verdict.trace.book.unit(one.answer.value)
        text = quantity_text(one.likely, unit)
        if one.limit is not None:
            text += self.style.word("of_limit", limit=quantity_text(one.limit, unit))
            text = f"{SIGNS[one.state]} {text}"
        return text

    # -- one file ---------------------------------------------------------------------------------

    def detail(self, result: CheckResult, worse: Sequence[Worse]) -> Iterator[str]:
        found = [one for one in findings(result, self.context) if one.kind != "told"]
        if not found and not worse:
            return
        yield f"### {code(local_name(result, self.context))}"
        yield ""
        for one in found:
            yield f"- {_pointed(one)}"
        if worse and self.context.project is not None:
            from advisor.report.worse_text import told

            yield f"- {escaped(self.style.word('worse', file=''))} {code(self.context.baseline)}:"
            book = self.context.project.book
            for change in worse:
                yield f"  - ▲ {escaped(visible(told(change, book, self.context.language)))}"
        if result.plan is not None and result.verdict is not None and result.plan.rungs:
            yield ""
            yield from self.plan(result, result.plan, result.verdict)

    def plan(self, result: CheckResult, plan: Plan, verdict: Verdict) -> Iterator[str]:
        key = "plan_required" if plan.required else "plan_offered"
        yield f"**{escaped(self.style.word(key if plan.solved else 'plan_unsolved'))}**"
        yield ""
        shown = [name for name, one in verdict.answers.items() if one.likely is not None]
        labels = [escaped(label(verdict.answers[name].answer, self.style)) for name in shown]
        yield f"| | {escaped(self.style.word('md_change'))} | {' | '.join(labels)} |"
        yield "| --- | --- |" + " --- |" * len(labels)
        trainer = trainer_of(result, self.context)
        for number, rung in enumerate(plan.rungs, start=1):
            sets = [
                code(typed(verdict.trace.book.inputs[name], value, trainer))
                for name, value in rung.settings.items()
            ]
            yield self.rung(number, rung, "<br>".join(sets), verdict, shown)

    def rung(self, number: int, rung: Rung, sets: str, verdict: Verdict, shown: list[str]) -> str:
        book = verdict.trace.book
        title = escaped(say(rung.remedy.title, self.context.language))
        cells = [str(number), f"{title}<br>{sets}"]
        for name in shown:
            unit = book.unit(verdict.answers[name].answer.value)
            sides = [
                quantity_text(side[name][1], unit)
                for side in (rung.before, rung.after)
                if name in side
            ]
            cells.append(escaped(" → ".join(sides)))
        standing = standing_text(rung, verdict, self.style).strip()
        cells[-1] += f" {escaped(standing)}" if standing else ""
        return f"| {' | '.join(cells)} |"

    def last(self) -> str:
        project = self.context.project
        if project is None:
            return f"<sub>advisor {__version__}</sub>"
        line = self.style.word(
            "layers",
            layers=" + ".join(project.book.layers),
            digest=project.book.digest,
            today=date_text(project.today),
            version=__version__,
        )
        if project.file is not None:
            line += " · " + self.style.word("config", file=project.file.name)
        return f"<sub>{escaped(visible(line))}</sub>"


def local_name(result: CheckResult, context: Context) -> str:
    """The file of a result from the working directory on."""
    return local(Span(result.file), context.root).file


def _pointed(one: Finding) -> str:
    place = ""
    if one.where.file:
        place = " " + code(f"{one.where.file}:{one.where.line}")
    return f"**{escaped(one.rule)}**{place}: {escaped(one.message)}"


def escaped(text: str) -> str:
    """A text that formats nothing in Markdown or HTML, on one line."""
    text = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")
    return _LINKED.sub("&#8203;", _SPECIAL.sub(r"\\\1", text))


def code(text: str) -> str:
    """A text as a code span, whatever it holds; inside a table too."""
    shown = short(" ".join(visible(text).split()))
    longest = max(map(len, re.findall("`+", shown)), default=0)
    fence = "`" * (longest + 1)
    blank = " " if shown.startswith("`") or shown.endswith("`") or not shown else ""
    return f"{fence}{blank}{shown}{blank}{fence}".replace("|", "\\|")
