"""A CSV file as rows of cells, bounded, with what is wrong located."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from advisor.errors import FileProblems, Problem, Span, cause, said, visible
from advisor.source import read_bytes

MAX_BYTES = 32 << 20
MAX_ROWS = 50_000
MAX_COLUMNS = 500


class Row(NamedTuple):
    """One row: its number (the first below the header is 1), its line, and its cells."""

    number: int
    line: int
    cells: tuple[str, ...]


class Table(NamedTuple):
    """A file's column names and rows."""

    name: str
    header: tuple[str, ...]
    rows: tuple[Row, ...]


def read_table(path: Path, shown: str) -> Table:
    """Read a CSV file with a header; raises FileProblems, located, for anything that is none."""
    data = read_bytes(path, shown, MAX_BYTES)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = said("byte 0x{byte:02x} is not UTF-8 text.", byte=data[error.start])
        raise _refused("not-utf-8", message, said("Save the file as UTF-8."), shown, line) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise _refused("not-csv", said("a zero byte."), said("This is no text file."), shown, line)
    rows = list(_rows(text, shown))
    if not rows:
        raise _refused(
            "empty", said("the file holds nothing."), said("Write a header and rows."), shown, 1
        )
    header = _header(rows[0], shown)
    return Table(shown, header, tuple(rows[1:]))


def _rows(text: str, shown: str) -> Iterator[Row]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    number, line = 0, 1
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            hint = said("Quote cells that hold commas, quotes or line ends.")
            raise _refused(
                "not-csv",
                said("{message}.", message=cause(error)),
                hint,
                shown,
                max(1, reader.line_num),
            ) from None
        if cells is None:
            return
        if any(cell.strip() for cell in cells):
            if number > MAX_ROWS:
                raise _refused(
                    "too-large",
                    said("over {most} rows.", most=MAX_ROWS),
                    said("Split it."),
                    shown,
                    line,
                )
            yield Row(number, line, tuple(cell.strip() for cell in cells))
            number += 1
        line = reader.line_num + 1


def _header(row: Row, shown: str) -> tuple[str, ...]:
    if len(row.cells) > MAX_COLUMNS:
        message = said("over {most} columns.", most=MAX_COLUMNS)
        raise _refused("too-large", message, said("This is no table of runs."), shown, row.line)
    problems = []
    for position, name in enumerate(row.cells):
        if not name:
            message, hint = (
                said("column {position} has no name.", position=position + 1),
                said("Name or remove it."),
            )
            problems.append(Problem("not-csv", message, hint, Span(shown, row.line, 1)))
        elif name in row.cells[:position]:
            message = said("there are two columns '{name}'.", name=visible(name[:60]))
            hint = said("Rename or remove one of them.")
            problems.append(Problem("duplicate-key", message, hint, Span(shown, row.line, 1)))
    if problems:
        raise FileProblems(problems)
    return row.cells


def _refused(code: str, message: str, hint: str, shown: str, line: int) -> FileProblems:
    return FileProblems([Problem(code, message, hint, Span(shown, line, 1))])
