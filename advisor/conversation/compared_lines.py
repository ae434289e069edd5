"""A comparison as lines: a row an alternative, and below what its steps are and leave alone."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.conversation import events as happened
from advisor.conversation.sentences import Sentences
from advisor.ladder import Plan
from advisor.report.phrases import pad, right, width, wrap
from advisor.report.style import refusal

_INDENT = 4


class ComparedLines(Sentences):
    """Renders comparisons."""

    def compared(self, event: happened.Compared) -> Iterator[str]:
        yield self.say("compared", name=event.name)
        names = [
            name
            for name in self.book.answers
            if any(
                row.check.verdict and row.check.verdict.answers[name].likely is not None
                for row in event.rows
            )
        ]
        cells = [self.cells(row, names) for row in event.rows]
        widths = [max((width(row[at]) for row in cells), default=0) for at in range(len(cells[0]))]
        for row, told in zip(cells, map(self.steps, event.rows), strict=True):
            first = pad(row[0], widths[0])
            rest = [right(cell, room) for cell, room in zip(row[1:-1], widths[1:-1], strict=True)]
            line = "  ".join([first, *rest, row[-1]]).rstrip()
            if told and width(f"{line} · {told}") > self.columns:
                yield line
                yield from wrap(f"· {told}", self.columns, " " * _INDENT)
            else:
                yield f"{line} · {told}" if told else line
        if any(row.check.plan is not None for row in event.rows):
            held = self.titles(event.held)
            change = " ".join(f"{name}=…" for name in event.name.split(", "))
            yield from self.texts("compared_held", names=held, change=change)
        if event.is_usual:
            yield from self.texts("compared_also")

    def cells(self, row: happened.Row, names: list[str]) -> list[str]:
        """What stands in the columns of a row: its label, the answers, and where it stands."""
        mark = self.say("compared_current") if row.is_current else " "
        verdict = row.check.verdict
        if verdict is None:
            return [f"{mark} {row.label}", *[""] * len(names), "?"]
        amounts = [self.plain_amount(verdict, verdict.answers[name]) for name in names]
        return [f"{mark} {row.label}", *amounts, self.state_text(row.check)]

    def steps(self, row: happened.Row) -> str:
        """Where the steps of a row lead; empty where none are wanted."""
        plan = row.check.plan
        if plan is None:
            return ""
        if plan.solved:
            key = "compared_step" if len(plan.rungs) == 1 else "compared_steps"
            return self.say(key, state=self.reached(plan, row), count=len(plan.rungs))
        if row.beyond is not None:
            names = self.titles(row.changed)
            return self.say("compared_only", names=names)
        return self.say("compared_never") if plan.required else ""

    def reached(self, plan: Plan, row: happened.Row) -> str:
        """What a plan comes to: that all holds where the run fitted before."""
        refused = refusal(plan.final, self.style)
        fitted = row.check.verdict is not None and row.check.verdict.state == "fits"
        is_mended = fitted and plan.final.state == "fits"
        return refused or self.style.word("plan_holds" if is_mended else plan.final.state)
