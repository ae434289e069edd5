"""Where things stand in a text: containers that remember it, and the characters of scalars."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple


class Place(NamedTuple):
    """Where a scalar or collection starts and ends (lines and columns from 0), and its style."""

    line: int
    column: int
    end_line: int
    end_column: int
    style: str | None


class Mapping(dict[str, Any]):
    """A YAML mapping; keys are the text of the file, ``keys_at`` and ``values_at`` their places."""

    __slots__ = ("keys_at", "values_at")

    def __init__(self) -> None:
        super().__init__()
        self.keys_at: dict[str, Place] = {}
        self.values_at: dict[str, Place] = {}


class Sequence(list[Any]):
    """A YAML sequence; ``values_at`` holds the place of each element."""

    __slots__ = ("values_at",)

    def __init__(self) -> None:
        super().__init__()
        self.values_at: list[Place] = []


_BREAK = re.compile("\r\n|[\r\n\x85\u2028\u2029]")


@lru_cache(4)
def lines_of(text: str) -> list[str]:
    """The lines of a text as the YAML reader counts them (more marks end one than ``\\n``)."""
    return _BREAK.split(text)


def position(text: str, place: Place, offset: int) -> tuple[int, int]:
    """Line and column of character ``offset`` of a scalar's value, or of its end."""
    walk = _block if place.style in ("|", ">") else _flow
    line, column = place.line, place.column
    for count, (line, column) in enumerate(walk(lines_of(text), place)):
        if count == offset:
            return line, column
        column += 1
    return line, column


def positions(text: str, place: Place) -> list[tuple[int, int]]:
    """Line and column of every character of a scalar's value, and of its end."""
    walk = _block if place.style in ("|", ">") else _flow
    found = list(walk(lines_of(text), place))
    line, column = found[-1] if found else (place.line, place.column)
    return [*found, (line, column + 1)]


# A character of a double-quoted scalar that is written with more than one; JSON writes characters
# beyond U+FFFF as two escapes.
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)"
)


def _flow(lines: list[str], place: Place) -> Iterator[tuple[int, int]]:
    """The places of the characters of a plain or quoted scalar."""
    quote = place.style if place.style in ("'", '"') else ""
    line, column = place.line, place.column + len(quote)
    while True:
        row = lines[line]
        last = line >= place.end_line
        stop = _end(row, column, place, quote) if last else len(row.rstrip())
        joined = False  # a backslash at the end of a line takes the break away
        while column < stop:
            if quote == '"' and row[column] == "\\":
                joined = column == stop - 1
                if joined:
                    break
            yield line, column
            column += _width(row, column, quote)
        if last:
            return
        here, blank = line, 0
        line += 1
        while line < place.end_line and not lines[line].strip():
            line += 1
            blank += 1
        for _ in range(blank if joined else blank or 1):
            yield here, stop
        column = _indentation(lines[line])


_INSIDE_QUOTES = re.compile(r'(?:[^"\\]|\\.)*')


def _end(row: str, column: int, place: Place, quote: str) -> int:
    """Where the value ends; JSON's escapes may be longer than what the parser counted."""
    found = _INSIDE_QUOTES.match(row, column) if quote == '"' else None
    return found.end() if found else place.end_column - len(quote)


def _width(row: str, column: int, quote: str) -> int:
    if quote == "'" and row.startswith("''", column):
        return 2
    if quote == '"' and row[column] == "\\":
        found = _ESCAPE.match(row, column)
        return len(found[0]) if found else 1
    return 1


def _block(lines: list[str], place: Place) -> Iterator[tuple[int, int]]:
    """The places of the characters of a ``|`` or ``>`` scalar, line breaks included."""
    first = place.line + 1
    rows = lines[first : place.end_line + (1 if place.end_column else 0)]
    indent = _block_indentation(lines[place.line], place.column, rows)
    folds = place.style == ">"
    index = 0
    while index < len(rows):
        row = rows[index]
        for column in range(indent, len(row)):
            yield first + index, column
        following = index + 1
        while folds and following < len(rows) and not rows[following].strip():
            following += 1
        blank = following - index - 1
        if folds and following < len(rows) and row.strip():
            deeper = any(one[indent : indent + 1].isspace() for one in (row, rows[following]))
            breaks = 1 + blank if deeper else blank or 1
        else:
            breaks = 1 + blank
        for _ in range(breaks):
            yield first + index, len(row)
        index = following


def _block_indentation(header: str, column: int, rows: list[str]) -> int:
    digit = re.match(r"[|>][-+]?([1-9])", header[column:])
    if digit is None:
        return min((_indentation(row) for row in rows if row.strip()), default=0)
    opened = re.match(r" *(?:- +)*", header[:column])
    start = opened.end() if opened else 0
    # The digit counts from the dash of an element, or from the key of a value.
    return int(digit[1]) + (header.rfind("-", 0, column) if start == column else start)


def _indentation(row: str) -> int:
    return len(row) - len(row.lstrip())
