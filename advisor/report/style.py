"""How text reports look: language, width, signs, and colour as the very last step."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from advisor.errors import visible
from advisor.report.phrases import labelled, names, phrase, remarked
from advisor.rulebook.model import Answer, say

if TYPE_CHECKING:
    from advisor.verdict import AnswerResult, Verdict

COLUMNS = 92
BAR = 24
SIGNS = {"fits": "✓", "tight": "~", "does not fit": "✗", "undecided": "?", "no limit": "·"}
_COLOURS = {"✓": "32", "~": "33", "✗": "31", "?": "33"}
_SIGN = re.compile(r"(?:^|(?<=  ))([✓~✗?])(?= )")


class Style(NamedTuple):
    """How to print: the language, whether a terminal wants colour, and how wide a line may be."""

    language: str = "en"
    colour: bool = False
    columns: int = COLUMNS

    def word(self, key: str, **values: object) -> str:
        """A sentence of reports in the language."""
        return phrase(self.language, key, **values)

    def names(self, items: Iterable[str]) -> str:
        """Names in a row."""
        return names(self.language, items)

    def labelled(self, key: str, text: str) -> str:
        """A text behind what it is called."""
        return labelled(self.language, self.word(key), text)

    def remarked(self, text: str, remark: str) -> str:
        """A text with a remark in brackets, if there is one."""
        return remarked(self.language, text, remark)

    def line(self, text: str) -> str:
        """A finished line: nothing from a file reaches the terminal raw, then signs get colour."""
        shown = visible(" ".join(text.rstrip().splitlines())) + "\n"
        if not self.colour:
            return shown
        return _SIGN.sub(lambda found: f"\x1b[{_COLOURS[found[1]]}m{found[1]}\x1b[0m", shown)


def label(answer: Answer, style: Style) -> str:
    """What an answer is called."""
    return say(answer.title, style.language) or answer.name


def refusal(verdict: Verdict, style: Style) -> str:
    """What refuses a run that would fit: answers over their limits, and policies by their names.

    Empty where nothing does, or where it does not fit: that says enough.
    """
    if verdict.state == "does not fit":
        return ""
    over: dict[str, None] = {}
    by: dict[str, None] = {}
    for outcome in verdict.failing("deny"):
        policy = outcome.policy
        reads = list(policy.left.expression.names) if policy.left else []
        answers = verdict.answers.values()
        result = next((one for one in answers if [one.answer.value] == reads), None)
        if result is not None and result.state == "does not fit":
            over[label(result.answer, style)] = None
        else:
            by[say(policy.title, style.language) or policy.name] = None
    told = [style.word("refused_over", names=style.names(over))] if over else []
    told += [style.word("refused", names=style.names(by))] if by else []
    return style.word("clauses").join(told)


def limit_text(result: AnswerResult, is_first: bool, style: Style) -> str:
    """Where an answer stands, in words: only the first one fits or not, the others are over."""
    is_over = result.state == "does not fit" and not is_first
    return style.word("over" if is_over else result.state)
