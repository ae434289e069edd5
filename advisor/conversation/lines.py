"""Events as lines of text, for faces that print and for panels that show the same words.

Every text from files or people is made visible by the face (``Style.line`` or a widget without
markup); here it is data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from advisor.check import CheckResult
from advisor.conversation import events as happened
from advisor.conversation.commands import registry
from advisor.conversation.questions import Question
from advisor.report.phrases import bar, pad, right, width, wrap
from advisor.report.style import SIGNS, Style, label
from advisor.report.story import story_text
from advisor.rulebook.model import Input, RuleBook, Value, say
from advisor.rulebook.values import input_text
from advisor.source import read_file
from advisor.trainers.writes import Trainer
from advisor.units import quantity_text
from advisor.verdict import AnswerResult, Verdict, fill

_FOLDER = Path(__file__).with_name("messages")
_SHOWN_NAMES = 5


@cache
def _messages(language: str) -> Mapping[str, str]:
    path = _FOLDER / f"{language}.yaml"
    return dict(read_file(path, f"messages/{path.name}").data)


def message(language: str, key: str, **values: object) -> str:
    """One sentence of the conversation with its values filled in."""
    return _messages(language)[key].format(**values)


class Lines:
    """Renders events in one language; ``trainers`` say what to type for a step of the plan."""

    def __init__(
        self, book: RuleBook, language: str, trainers: Callable[[], Sequence[Trainer]]
    ) -> None:
        self.book = book
        self.language = language
        self.style = Style(language)
        self.trainers = trainers

    def of(self, event: happened.Event) -> list[str]:
        """The lines of an event; none for what only a face can do."""
        return list(_RENDER[type(event)](self, event))

    def say(self, key: str, **values: object) -> str:
        return message(self.language, key, **values)

    def texts(self, key: str, **values: object) -> list[str]:
        """A sentence that may be long, on several lines."""
        found: list[str] = []
        for line in self.say(key, **values).split("\n"):
            indent = " " * (len(line) - len(line.lstrip()))
            found += wrap(line.strip(), _COLUMNS, indent) or [""]
        return found

    # -- what was understood ----------------------------------------------------------------------

    def understood(self, event: happened.Understood) -> Iterator[str]:
        plain = [one for one in event.items if self.item_key(one) == "understood"]
        if plain:
            pairs = [f"{one.answer.name} = {self.value_text(one.shown)}" for one in plain]
            yield from wrap(self.say("understood", pairs=" · ".join(pairs)), _COLUMNS, "")
        for one in event.items:
            key = self.item_key(one)
            if key != "understood":
                yield from self.texts(key, **self.item_values(one))

    def item_key(self, one: happened.Item) -> str:
        answer = one.answer
        if not answer.is_known:
            return "understood_assumed" if one.shown else "understood_left"
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

    def value_text(self, shown: str) -> str:
        """Truths in the language; everything else as it is written in a scenario."""
        return {"true": self.say("yes"), "false": self.say("no")}.get(shown, shown)

    def remedy_title(self, name: str) -> str:
        remedy = self.book.remedies.get(name)
        return say(remedy.title, self.language) if remedy else name

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

    def ask(self, question: Question) -> str:
        """The question itself."""
        if question.reason == "unclear":
            return self.say("question_unclear", written=question.written)
        return say(self.book.inputs[question.name].ask, self.language)

    def because(self, question: Question) -> str:
        """Why the suggestion is suggested."""
        reason = say(question.because, self.language)
        if not reason and question.reason == "unclear":
            reason = self.say("enter_reason_unclear")
        return reason

    def asked(self, event: happened.Asked) -> Iterator[str]:
        question = event.question
        yield from wrap(
            self.say("question", number=question.number, most=question.most, ask=self.ask(question))
            if question.reason != "unclear"
            else self.ask(question),
            _COLUMNS,
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

    # -- the verdict ------------------------------------------------------------------------------

    def verdict(self, event: happened.VerdictShown) -> Iterator[str]:
        verdict = event.check.verdict
        if verdict is None:
            return
        headline = next((one for one in verdict.answers.values() if one.answer.limit), None)
        if headline is not None:
            yield ""
            yield from self.headline(event, verdict, headline)
        for answer in verdict.answers.values():
            if answer is not headline and answer.likely is not None:
                name = label(answer.answer, self.style)
                yield self.say("time_line", label=name, amount=self.amount(verdict, answer))
        for key, level in (("refused_by", "deny"), ("warned_by", "warn"), ("told_by", "info")):
            if level != "deny" and not event.is_final:
                continue
            for outcome in verdict.failing(level):  # type: ignore[arg-type]
                text = fill(outcome.policy.message, verdict.trace, self.language)
                if headline is None or level != "deny" or outcome.policy.fix != "ladder":
                    yield from wrap(self.say(key, text=text), _COLUMNS, "  ")
        yield from self.crash_verdict(event, verdict)

    def headline(
        self, event: happened.VerdictShown, verdict: Verdict, first: AnswerResult
    ) -> Iterator[str]:
        unit = verdict.trace.book.unit(first.answer.value)

        def shown(amount: float | None) -> str:
            return quantity_text(amount, unit) if amount is not None else "?"

        values: dict[str, object] = {
            "amount": shown(first.likely),
            "high": shown(first.high),
            "limit": shown(first.limit),
        }
        look = event.outlook
        if look.is_settled or first.likely is None:
            yield from self.texts(f"settled_{first.state}", **values)
            names = [one for one in look.effects if one not in event.answers]
            if look.is_settled and names and event.is_final:
                yield from self.texts("whatever", names=", ".join(names[:_SHOWN_NAMES]))
            return
        values["state"] = self.style.word(first.state)
        guesses = [name for name, one in event.answers.items() if not one.is_known]
        if look.turners and look.low is not None and look.high is not None:
            values["names"] = ", ".join(look.turners[:_SHOWN_NAMES])
            ends = {"low": shown(look.low), "high": shown(look.high)}
            yield from self.texts("muted_range", **{**values, **ends})
        else:
            yield from self.texts("muted", **values)
        if guesses:
            yield from self.texts("muted_guess", names=", ".join(guesses[:_SHOWN_NAMES]))

    def amount(self, verdict: Verdict, one: AnswerResult) -> str:
        """An answer with its range and limit."""
        unit = verdict.trace.book.unit(one.answer.value)
        if one.likely is None or one.low is None or one.high is None:
            return self.style.word("undecided")
        text = quantity_text(one.likely, unit)
        if one.low != one.high:
            low, high = quantity_text(one.low, unit), quantity_text(one.high, unit)
            text += self.say("range", low=low, high=high)
        if one.limit is not None:
            text += self.say("and_limit", limit=quantity_text(one.limit, unit))
            text += f" {SIGNS[one.state]} {self.style.word(one.state)}"
        return text

    def crash_verdict(self, event: happened.VerdictShown, verdict: Verdict) -> Iterator[str]:
        if event.crash is None or not event.is_final:
            return
        agrees = verdict.state in ("does not fit", "tight")
        yield from self.texts("crash_agrees" if agrees else "crash_disagrees")

    def plan(self, event: happened.PlanShown) -> Iterator[str]:
        from advisor.report.plan_text import plan_lines

        yield from plan_lines(event.plan, event.verdict, list(self.trainers()), self.style)
        if event.plan.rungs:
            yield self.say("plan_take")

    # -- what if, comparisons ---------------------------------------------------------------------

    def whatif(self, event: happened.WhatIf) -> Iterator[str]:
        yield self.say("whatif")
        changes = [f"{one.answer.name}={one.shown}" for one in event.items]
        yield "  " + " · ".join(changes)
        before, after = event.before.verdict, event.after.verdict
        if before is None or after is None:
            for problem in event.after.problems:
                yield f"  {problem}"
            return
        yield self.say(
            "whatif_row",
            label=self.style.word("verdict"),
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

    def plain_amount(self, verdict: Verdict, one: AnswerResult) -> str:
        if one.likely is None:
            return self.style.word("undecided")
        return quantity_text(one.likely, verdict.trace.book.unit(one.answer.value))

    def state_text(self, check: CheckResult) -> str:
        if check.verdict is None:
            return SIGNS["undecided"]
        state = check.verdict.state
        refused = check.verdict.failing("deny") and state in ("fits", "tight", "no limit")
        sign = SIGNS["does not fit" if refused else state]
        return f"{sign} {self.style.word('refused' if refused else state)}"

    def compared(self, event: happened.Compared) -> Iterator[str]:
        yield self.say("compared", name=event.name)
        cells = [self.cells(row) for row in event.rows]
        widths = [max((width(row[at]) for row in cells), default=0) for at in range(len(cells[0]))]
        for row in cells:
            first = pad(row[0], widths[0])
            rest = [right(cell, room) for cell, room in zip(row[1:-1], widths[1:-1], strict=True)]
            yield "  ".join([first, *rest, row[-1]]).rstrip()

    def cells(self, row: happened.Row) -> list[str]:
        mark = self.say("compared_current") if row.is_current else " "
        verdict, plan = row.check.verdict, row.check.plan
        if verdict is None:
            return [f"{mark} {row.label}", *[""] * len(self.book.answers), "?"]
        amounts = [self.plain_amount(verdict, one) for one in verdict.answers.values()]
        state = self.state_text(row.check)
        if plan is not None and plan.rungs and plan.solved:
            steps = self.say(
                "compared_steps", state=self.style.word(plan.final.state), count=len(plan.rungs)
            )
            state += f" · {steps}"
        elif plan is not None and not plan.solved:
            state += f" · {self.say('compared_never')}"
        return [f"{mark} {row.label}", *amounts, state]

    # -- why --------------------------------------------------------------------------------------

    def explained(self, event: happened.Explained) -> Iterator[str]:
        yield from story_text(event.node, self.language).splitlines()

    def policy(self, event: happened.PolicyExplained) -> Iterator[str]:
        values = {"level": event.level, "rule": event.rule, "where": event.where}
        yield from self.texts("policy", name=event.name, **values)
        yield from wrap(say(event.message, self.language), _COLUMNS, "  ")

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
            key = "not_needed" if event.reason == "not needed" else (
                "reason_" + event.reason.replace(" ", "_")
            )
            yield self.say("remedy_skipped", reason=self.style.word(key, detail=event.detail))
        for text in (remedy.why, remedy.trade_off):
            yield from wrap(say(text, self.language), _COLUMNS, "  ")
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
                value=self.value_text(input_text(target, value)),
                state=self.style.word(state or "undecided"),
                amount=quantity_text(amount, unit) if amount is not None else "?",
            )
        because = self.because(question)
        if question.suggested and because:
            shown = self.value_text(question.suggested)
            yield from self.texts("question_default", suggested=shown, because=because)

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
            yield self.say("exported", path=event.path)
        else:
            yield from event.text.splitlines()

    def helped(self, event: happened.Helped) -> Iterator[str]:
        known = registry()
        rows = [
            self.say("help_row", name=name, arguments=known[name].arguments).rstrip()
            for name in event.names
        ]
        column = min(max(map(width, rows)), _HELP_COLUMN) + 2
        for name, row in zip(event.names, rows, strict=True):
            text = self.say(f"help_{name}")
            if width(row) >= column:
                yield row
                row = ""
            yield pad(row, column) + text

    def said(self, event: happened.Said) -> Iterator[str]:
        yield from self.texts(event.key, **event.values)

    def failed(self, event: happened.Failed) -> Iterator[str]:
        if self.say(event.key, **event.values).strip():
            yield from self.texts(event.key, **event.values)
        for problem in event.problems:
            yield f"  {problem}"

    def nothing(self, event: object) -> Iterable[str]:
        return ()


_COLUMNS = 92
_HELP_COLUMN = 40


def _gib(amount: float) -> str:
    return f"{amount / (1 << 30):.2f} GiB"


_RENDER: dict[type, Any] = {
    happened.Understood: Lines.understood,
    happened.NotUsed: Lines.not_used,
    happened.Crashed: Lines.crashed,
    happened.Asked: Lines.asked,
    happened.VerdictShown: Lines.verdict,
    happened.PlanShown: Lines.plan,
    happened.WhatIf: Lines.whatif,
    happened.Compared: Lines.compared,
    happened.Explained: Lines.explained,
    happened.PolicyExplained: Lines.policy,
    happened.RemedyExplained: Lines.remedy,
    happened.QuestionExplained: Lines.question_why,
    happened.Listed: Lines.listed,
    happened.Exported: Lines.exported,
    happened.Copied: Lines.nothing,
    happened.Helped: Lines.helped,
    happened.Said: Lines.said,
    happened.Failed: Lines.failed,
    happened.Ended: Lines.nothing,
}
