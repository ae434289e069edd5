"""Where lines begin in a text, and how it is laid out: line ends, indentation."""

import re
from functools import cached_property

from advisor.source.places import Place

_BREAK = re.compile("\r\n|[\r\n\x85\u2028\u2029]")
_STEP = re.compile(r"^( +)(?=[^\s#-])", re.MULTILINE)


class Layout:
    """A text as the YAML reader counts it: lines and columns from 0."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *(found.end() for found in _BREAK.finditer(text))]

    def offset(self, line: int, column: int) -> int:
        """The character at a line and column; the end of the text when there is no such line."""
        return self.starts[line] + column if line < len(self.starts) else len(self.text)

    def start(self, place: Place) -> int:
        """Where a value starts."""
        return self.offset(place.line, place.column)

    def end(self, place: Place) -> int:
        """Where a value that ends on its own mark (no block) ends."""
        return self.offset(place.end_line, place.end_column)

    def before(self, offset: int) -> str:
        """What stands on the line before a character."""
        line = max(start for start in self.starts if start <= offset)
        return self.text[line:offset]

    def next_line(self, line: int) -> int | None:
        """Where the line after this one starts; None when this is the last and does not end."""
        return self.starts[line + 1] if line + 1 < len(self.starts) else None

    @cached_property
    def newline(self) -> str:
        """How lines end, as the first one does."""
        found = _BREAK.search(self.text)
        return found[0] if found else "\n"

    @cached_property
    def step(self) -> int:
        """Blanks that one level is indented by: the smallest indentation there is, usually 2."""
        return min((len(found) for found in _STEP.findall(self.text)), default=2)
