"""How text reports look: language, width, signs, and colour as the very last step."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from advisor.errors import visible
from advisor.report.phrases import labelled, names, phrase, remarked
from advisor.rulebook.model import Answer, say

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
