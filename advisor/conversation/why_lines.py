"""Why a question is asked, and how numbers, remedies and policies come about, as lines."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.conversation import events as happened
from advisor.conversation.sentences import Sentences
from advisor.conversation.writing import shown as shown_value
from advisor.report.phrases import wrap
from advisor.report.problems import in_language
from advisor.report.story import story_text
from advisor.report.style import label
from advisor.rulebook.model import say
from advisor.units import quantity_text


class WhyLines(Sentences):
    """Renders explanations."""

    # -- why --------------------------------------------------------------------------------------

    def explained(self, event: happened.Explained) -> Iterator[str]:
        yield from story_text(event.node, self.language).splitlines()

    def policy(self, event: happened.PolicyExplained) -> Iterator[str]:
        values = {"level": event.level, "rule": event.rule, "where": event.where}
        yield from self.texts("policy", name=event.name, **values)
        if say(event.title, self.language):
            yield from wrap(say(event.title, self.language), self.columns, "  ")
        if event.lacking:
            yield from self.texts("policy_waits", names=self.titles(event.lacking))
            return
        yield from wrap(say(event.message, self.language), self.columns, "  ")

    def remedy(self, event: happened.RemedyExplained) -> Iterator[str]:
        remedy = event.remedy
        yield say(remedy.title, self.language) or remedy.name
        for name, now in event.after.items():
            answer = self.book.answers.get(name)
            if answer is None or name not in event.before:
                continue
            unit = self.book.unit(answer.value)
            yield self.say(
                "remedy_row",
                label=label(answer, self.style),
                before=quantity_text(event.before[name], unit),
                after=quantity_text(now, unit),
            )
        if event.reason:
            key = (
                "not_needed"
                if event.reason == "not needed"
                else ("reason_" + event.reason.replace(" ", "_"))
            )
            detail = in_language(event.detail, self.language)
            yield self.say("remedy_skipped", reason=self.style.word(key, detail=detail))
        for text in (remedy.why, remedy.trade_off):
            yield from wrap(say(text, self.language), self.columns, "  ")
        yield self.say("remedy_where", where=remedy.origin.span)

    def question_why(self, event: happened.QuestionExplained) -> Iterator[str]:
        question = event.question
        target = self.book.inputs[question.name]
        yield self.say("question_why", ask=self.ask(question), where=event.where)
        first = next(iter(self.book.answers.values()), None)
        unit = self.book.unit(first.value) if first else target.unit
        for value, state, amount in event.outcomes:
            yield self.say(
                "question_row",
                value=self.value_text(shown_value(target, value)),
                state=self.style.word(state or "undecided"),
                amount=quantity_text(amount, unit) if amount is not None else "?",
            )
        if not event.outcomes and question.choices:
            choices = [self.value_text(one.text) for one in question.choices]
            yield from self.texts("question_choices", choices=self.style.names(choices))
        because = self.because(question)
        if question.suggested and because:
            shown = self.value_text(question.suggested)
            yield from self.texts("question_default", suggested=shown, because=because)
