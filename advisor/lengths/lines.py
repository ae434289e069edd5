"""Lines of a file of any size, none kept that is too long to be a sample."""

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from advisor.errors import Problem, Span, said

MAX_LINE = 8 << 20
"""Bytes a sample may take: two million tokens of English."""

_PIECE = 1 << 20


class Line(NamedTuple):
    """One line without its end, or why it cannot be read."""

    number: int
    text: str
    problem: Problem | None = None


def lines(stream: BinaryIO, shown: str) -> Iterator[Line]:
    """The lines of a stream of bytes; a line is bounded, the file is not."""
    number = 0
    while data := stream.readline(MAX_LINE + 1):
        number += 1
        if len(data) > MAX_LINE and not data.endswith(b"\n"):
            _skip_line(stream)
            hint = said("A sample stands on one line.")
            message = said("a line of more than {most} MiB.", most=MAX_LINE >> 20)
            yield Line(number, "", Problem("too-long", message, hint, Span(shown, number, 1)))
            continue
        if number == 1:
            data = data.removeprefix(b"\xef\xbb\xbf")
        try:
            yield Line(number, data.rstrip(b"\r\n").decode())
        except UnicodeDecodeError as error:
            column = len(data[: error.start].decode("utf-8", "replace")) + 1
            message = said("byte 0x{byte:02x} is not UTF-8 text.", byte=data[error.start])
            where = Span(shown, number, column)
            yield Line(
                number, "", Problem("not-utf-8", message, said("Save the file as UTF-8."), where)
            )


def _skip_line(stream: BinaryIO) -> None:
    while piece := stream.readline(_PIECE):
        if piece.endswith(b"\n"):
            return
