"""Events as lines of text, for faces that print and for panels that show the same words.

Every text from files or people is made visible by the face (``Style.line`` or a widget without
markup); here it is data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from advisor.conversation import events as happened
from advisor.conversation.chart_lines import ChartLines
from advisor.conversation.compared_lines import ComparedLines
from advisor.conversation.verdict_lines import VerdictLines
from advisor.conversation.why_lines import WhyLines
from advisor.errors import Problem
from advisor.report.phrases import pad, width, wrap
from advisor.report.problems import problem_line
from advisor.report.style import label
from advisor.rulebook.model import say


class Lines(VerdictLines, WhyLines, ChartLines, ComparedLines):
    """Renders events in one language; ``trainers`` say what to type for a step of the plan."""

    def of(self, event: happened.Event) -> list[str]:
        """The lines of an event; none for what only a face can do."""
        return list(_RENDER[type(event)](self, event))

    # -- what was understood ----------------------------------------------------------------------

    def understood(self, event: happened.Understood) -> Iterator[str]:
        plain = [one for one in event.items if self.item_key(one) == "understood"]
        if plain:
            pairs = [f"{one.answer.name} = {self.value_text(one.shown)}" for one in plain]
            yield from wrap(self.say("understood", pairs=" · ".join(pairs)), self.columns, "")
        for one in event.items:
            key = self.item_key(one)
            if key != "understood":
                yield from self.texts(key, **self.item_values(one))

    def item_key(self, one: happened.Item) -> str:
        answer = one.answer
        if not answer.is_known:
            because = "understood_assumed" if one.because else "understood_assumed_plain"
            return because if one.shown else "understood_left"
        if answer.origin == "remedy":
            return "understood_remedy"
        if answer.read_as:
            return "understood_read_as"
        return "understood_was" if one.was else "understood"

    def item_values(self, one: happened.Item) -> dict[str, object]:
        answer = one.answer
        return {
            "name": answer.name,
            "value": self.value_text(one.shown),
            "was": self.value_text(one.was),
            "written": answer.written,
            "read_as": answer.read_as,
            "source": self.remedy_title(answer.source) if answer.source else "",
            "because": say(one.because, self.language).rstrip("."),
        }

    def not_used(self, event: happened.NotUsed) -> Iterator[str]:
        yield from self.texts("not_used", words=" · ".join(event.words))

    def crashed(self, event: happened.Crashed) -> Iterator[str]:
        figures = [
            self.say(key, amount=_gib(amount))
            for key, amount in (
                ("crash_asked", event.crash.asked),
                ("crash_capacity", event.crash.capacity),
            )
            if amount is not None
        ]
        if figures:
            yield self.say("crashed", figures=" ".join(figures))
        else:
            yield self.say("crashed_plain")

    # -- the question -----------------------------------------------------------------------------

    def asked(self, event: happened.Asked) -> Iterator[str]:
        question = event.question
        yield from wrap(
            self.say("question", number=question.number, most=question.most, ask=self.ask(question))
            if question.reason != "unclear"
            else self.ask(question),
            self.columns,
            "",
        )
        if question.is_numbered:
            for number, choice in enumerate(question.choices, start=1):
                key = "choice_suggested" if choice.text == question.suggested else "choice"
                yield self.say(key, number=number, text=self.value_text(choice.text))
        elif question.choices:
            yield self.say("examples", texts=" · ".join(one.text for one in question.choices))
        if question.suggested:
            because = self.because(question)
            key = "enter" if because else "enter_plain"
            shown = self.value_text(question.suggested)
            yield from self.texts(key, suggested=shown, because=because)
        else:
            yield self.say("enter_open")

    # -- what if, comparisons ---------------------------------------------------------------------

    def whatif(self, event: happened.WhatIf) -> Iterator[str]:
        yield self.say("whatif")
        changes = [f"{one.answer.name}={one.shown}" for one in event.items]
        yield "  " + " · ".join(changes)
        before, after = event.before.verdict, event.after.verdict
        if before is None or after is None:
            yield from self.problems(event.after.problems)
            return
        yield self.say(
            "whatif_row",
            label=self.say("verdict"),
            before=self.state_text(event.before),
            after=self.state_text(event.after),
        )
        for name, now in after.answers.items():
            was = before.answers[name]
            yield self.say(
                "whatif_row",
                label=label(now.answer, self.style),
                before=self.plain_amount(before, was),
                after=self.plain_amount(after, now),
            )
        yield from self.texts("whatif_set", changes=" ".join(changes))

    # -- lists and files --------------------------------------------------------------------------

    def listed(self, event: happened.Listed) -> Iterator[str]:
        if not event.items:
            yield self.say("listed_none")
        for one in event.items:
            source = one.answer.source
            if one.answer.origin == "remedy":
                source = self.remedy_title(source)
            origin = self.say(f"origin_{one.answer.origin}", source=source)
            value = self.value_text(one.shown) or "?"
            yield self.say("listed", name=one.answer.name, value=value, origin=origin)
        for name, shown, because in event.assumed:
            reason = say(because, self.language)
            value = self.value_text(shown)
            yield from self.texts("listed_assumed", name=name, value=value, because=reason)

    def exported(self, event: happened.Exported) -> Iterator[str]:
        if event.path:
            yield self.say(event.told, path=event.path)
        else:
            yield from event.text.splitlines()

    def helped(self, event: happened.Helped) -> Iterator[str]:
        rows = [
            self.say("help_row", name=name, arguments=self.say(f"form_{name}")).rstrip()
            for name in event.names
        ]
        column = min(max(map(width, rows)), _HELP_COLUMN, self.columns // 2) + 2
        for name, row in zip(event.names, rows, strict=True):
            first, *rest = wrap(self.say(f"help_{name}"), self.columns, " " * column)
            if width(row) < column:
                first = pad(row, column) + first.lstrip()
            else:
                yield row
            yield from (first, *rest)

    def themed(self, event: happened.Themed) -> Iterator[str]:
        yield from self.texts("theme_plain")

    def said(self, event: happened.Said) -> Iterator[str]:
        names = {"names": self.titles(event.names)} if event.names else {}
        yield from self.texts(event.key, **self.filled(event.values), **names)

    def failed(self, event: happened.Failed) -> Iterator[str]:
        values = self.filled(event.values)
        if self.say(event.key, **values).strip():
            yield from self.texts(event.key, **values)
        yield from self.problems(event.problems)

    def problems(self, problems: Iterable[Problem]) -> Iterator[str]:
        return (f"  {problem_line(one, self.language)}" for one in problems)

    def nothing(self, event: object) -> Iterable[str]:
        return ()


_HELP_COLUMN = 40


def _gib(amount: float) -> str:
    return f"{amount / (1 << 30):.2f} GiB"


_RENDER: dict[type, Any] = {
    happened.Understood: Lines.understood,
    happened.NotUsed: Lines.not_used,
    happened.Crashed: Lines.crashed,
    happened.Asked: Lines.asked,
    happened.VerdictShown: VerdictLines.verdict,
    happened.PlanShown: VerdictLines.plan,
    happened.WhatIf: Lines.whatif,
    happened.Compared: ComparedLines.compared,
    happened.Charted: ChartLines.charted,
    happened.Themed: Lines.themed,
    happened.Explained: WhyLines.explained,
    happened.PolicyExplained: WhyLines.policy,
    happened.RemedyExplained: WhyLines.remedy,
    happened.QuestionExplained: WhyLines.question_why,
    happened.Listed: Lines.listed,
    happened.Exported: Lines.exported,
    happened.Copied: Lines.nothing,
    happened.Helped: Lines.helped,
    happened.Said: Lines.said,
    happened.Failed: Lines.failed,
    happened.Ended: Lines.nothing,
}
