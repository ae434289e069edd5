"""The conversation's sentences by language, and what all renderings of events share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from advisor.check import CheckResult
from advisor.conversation.events import Filled
from advisor.conversation.questions import Question
from advisor.report.phrases import wrap
from advisor.report.problems import in_language
from advisor.report.style import SIGNS, Style, refusal
from advisor.rulebook.model import RuleBook, say
from advisor.source import read_file
from advisor.trainers.writes import Trainer
from advisor.units import quantity_text
from advisor.verdict import AnswerResult, Verdict

COLUMNS = 92
_FOLDER = Path(__file__).with_name("messages")


@cache
def _messages(language: str) -> Mapping[str, str]:
    path = _FOLDER / f"{language}.yaml"
    return dict(read_file(path, f"messages/{path.name}").data)


def message(language: str, key: str, **values: object) -> str:
    """One sentence of the conversation with its values filled in."""
    return _messages(language)[key].format(**values)


class Sentences:
    """Renders events in one language; ``trainers`` say what to type for a step of the plan."""

    def __init__(
        self,
        book: RuleBook,
        language: str,
        trainers: Callable[[], Sequence[Trainer]],
        columns: int = COLUMNS,
    ) -> None:
        self.book = book
        self.language = language
        self.columns = columns
        self.style = Style(language, columns=columns)
        self.trainers = trainers

    def say(self, key: str, **values: object) -> str:
        return message(self.language, key, **values)

    def filled(self, values: Filled) -> dict[str, str]:
        """The values of a sentence, names in a row as the language writes them."""
        return {
            key: in_language(one, self.language) if isinstance(one, str) else self.style.names(one)
            for key, one in values.items()
        }

    def texts(self, key: str, **values: object) -> list[str]:
        """A sentence that may be long, on several lines."""
        found: list[str] = []
        for line in self.say(key, **values).split("\n"):
            indent = " " * (len(line) - len(line.lstrip()))
            found += wrap(line.strip(), self.columns, indent) or [""]
        return found

    def value_text(self, shown: str) -> str:
        """Truths in the language; everything else as it is written in a scenario."""
        return {"true": self.say("yes"), "false": self.say("no")}.get(shown, shown)

    def titles(self, names: Iterable[str]) -> str:
        """What people call some inputs, one after the other."""
        return self.style.names(map(self.title, names))

    def title(self, name: str) -> str:
        """What people call an input; one without a title goes by its name."""
        target = self.book.inputs.get(name)
        return (say(target.title, self.language) if target else "") or name

    def remedy_title(self, name: str) -> str:
        remedy = self.book.remedies.get(name)
        return say(remedy.title, self.language) if remedy else name

    def ask(self, question: Question) -> str:
        """The question itself."""
        if question.reason == "unclear":
            is_entry = self.book.inputs[question.name].type == "catalogue"
            key = "question_unclear" if is_entry else "question_which"
            if len(question.choices) == 1:
                key = "question_meant"
            title = self.title(question.name)
            return self.say(key, written=question.written, name=title)
        return say(self.book.inputs[question.name].ask, self.language)

    def because(self, question: Question) -> str:
        """Why the suggestion is suggested."""
        reason = say(question.because, self.language)
        if not reason and question.reason == "unclear":
            is_only = len(question.choices) == 1
            reason = self.say("enter_reason_only" if is_only else "enter_reason_unclear")
        return reason

    def plain_amount(self, verdict: Verdict, one: AnswerResult) -> str:
        if one.likely is None:
            return self.style.word("undecided")
        return quantity_text(one.likely, verdict.trace.book.unit(one.answer.value))

    def state_text(self, check: CheckResult) -> str:
        if check.verdict is None:
            return SIGNS["undecided"]
        state, refused = check.verdict.state, refusal(check.verdict, self.style)
        sign = SIGNS["does not fit" if refused else state]
        return f"{sign} {refused or self.style.word(state)}"
