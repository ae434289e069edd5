"""The elements of a JSON list of any size, one after the other."""

import codecs
import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from advisor.errors import FileProblems, Problem, Span, said, whole
from advisor.lengths.lines import MAX_LINE

_PIECE = 1 << 16
_BLANK = " \t\r\n"


def json_list(stream: BinaryIO, shown: str) -> Iterator[tuple[Span, Any]]:
    """Each element with its place; raises FileProblems where the list is broken.

    Nothing after a broken element can be told apart, so that the first mistake ends it.
    """
    text = _Text(stream, shown)
    text.expect("[")
    if text.peek() == "]":
        return
    while True:
        text.peek()
        yield text.where(), text.element()
        mark = text.peek()
        if mark == "]":
            return
        if mark != ",":
            raise text.refusal(said("a comma or the end of the list belongs here."))
        text.take(1)


class _Text:
    """A window on the text, read on as it is needed."""

    def __init__(self, stream: BinaryIO, shown: str) -> None:
        self.stream = stream
        self.shown = shown
        self.decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self.scanner = json.JSONDecoder()
        self.window = ""
        self.at = 0
        self.line = 1
        self.column = 1
        self.is_read = False

    def where(self) -> Span:
        return Span(self.shown, self.line, self.column)

    def refusal(self, message: str, code: str = "broken-json") -> FileProblems:
        hint = said("Mend it here; what follows cannot be told apart.")
        return FileProblems([Problem(code, message, hint, self.where())])

    def more(self, size: int) -> None:
        """Read on, dropping what has been taken."""
        data = self.stream.read(size)
        self.is_read = not data
        try:
            self.window = self.window[self.at :] + self.decoder.decode(data, self.is_read)
        except UnicodeDecodeError:
            raise self.refusal(said("bytes after this are not UTF-8 text."), "not-utf-8") from None
        self.at = 0

    def take(self, count: int) -> None:
        taken = self.window[self.at : self.at + count]
        self.at += count
        breaks = taken.count("\n")
        self.line += breaks
        self.column = count - taken.rfind("\n") if breaks else self.column + count

    def peek(self) -> str:
        """The next character that is not blank; empty at the end."""
        while True:
            rest = self.window[self.at : self.at + 1]
            if rest and rest not in _BLANK:
                return rest
            if rest:
                self.take(1)
            elif self.is_read:
                return ""
            else:
                self.more(_PIECE)

    def expect(self, mark: str) -> None:
        if self.peek() != mark:
            raise self.refusal(said("'{mark}' belongs here.", mark=mark))
        self.take(1)

    def element(self) -> Any:
        while True:
            try:
                value, end = self.scanner.raw_decode(self.window, self.at)
                if end < len(self.window) or self.is_read:
                    self.take(end - self.at)
                    return value
            except RecursionError:
                raise self.refusal(said("nested too deeply."), "too-deep") from None
            except json.JSONDecodeError as error:
                if self.is_read:
                    raise self.refusal(
                        said("{message}.", message=whole(error.msg.lower()))
                    ) from None
            except ValueError:  # a number of thousands of digits
                raise self.refusal(said("a number is too long.")) from None
            if len(self.window) - self.at > MAX_LINE:
                message = said("no element ends within {most} MiB of this.", most=MAX_LINE >> 20)
                raise self.refusal(message, "too-long")
            self.more(max(_PIECE, len(self.window) - self.at))  # doubling keeps it linear
