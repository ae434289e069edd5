"""Rows of a data file of any size, one at a time: JSON lines, a JSON list, CSV, text, Parquet."""

import csv
import json
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from advisor.errors import FileProblems, Problem, Span, cause, said, whole
from advisor.lengths.json_list import json_list
from advisor.lengths.lines import MAX_LINE, lines

TEXT = "text"
"""The column that the lines of a text file are in."""

_HEAD = 1 << 16


class Row(NamedTuple):
    """One sample as it stands in the file: a map of columns, or why it cannot be read."""

    where: Span
    data: Any = None
    problem: Problem | None = None


def rows(path: Path, shown: str) -> Iterator[Row]:
    """The rows of a file, by the end of its name.

    A row that cannot be read carries a problem. Raises FileProblems for a file that cannot be read
    as a whole: none, no regular file, empty, binary, of an unknown kind, or broken where nothing
    after it can be told apart.
    """
    suffix = path.suffix.lower()
    reader = _READERS.get(suffix)
    if reader is None and suffix != ".parquet":
        known = (*_READERS, ".parquet")
        message = said("'{suffix}' is no kind of data file known here.", suffix=suffix or path.name)
        raise _refusal("unknown-format", message, said("Known: {names}.", names=known), shown)
    _require_file(path, shown)
    if reader is None:
        from advisor.lengths.parquet import parquet_rows  # needs a package that is optional

        yield from (Row(Span(shown), data) for data in parquet_rows(path, shown))
        return
    try:
        with path.open("rb") as stream:
            _require_text(stream, shown)
            yield from reader(stream, shown)
    except OSError as error:
        raise _refusal(
            "unreadable",
            said("cannot be read: {reason}.", reason=whole(str(error.strerror))),
            "",
            shown,
        ) from None


def _refusal(code: str, message: str, hint: str, shown: str, line: int = 0) -> FileProblems:
    return FileProblems([Problem(code, message, hint, Span(shown, line, 1 if line else 0))])


def _require_file(path: Path, shown: str) -> None:
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        raise _refusal(
            "no-file", said("there is no such file."), said("Check the path."), shown
        ) from None
    except (OSError, ValueError) as error:
        reason = cause(error)
        raise _refusal(
            "unreadable", said("cannot be read: {reason}.", reason=reason), "", shown
        ) from None
    if not stat.S_ISREG(mode):
        what = said("a folder") if stat.S_ISDIR(mode) else said("not a regular file")
        raise _refusal(
            "not-a-file", said("this is {what}.", what=what), said("Name a data file."), shown
        )


def _require_text(stream: BinaryIO, shown: str) -> None:
    head = stream.read(_HEAD)
    stream.seek(0)
    if not head.strip():
        raise _refusal("empty", said("the file holds nothing."), said("It needs samples."), shown)
    if b"\0" in head or head.startswith((b"\x1f\x8b", b"PK\x03\x04", b"\x28\xb5\x2f\xfd")):
        hint = said("Unpack it, or save it as UTF-8.")
        raise _refusal("not-text", said("the file is packed or binary, not text."), hint, shown)


# -- one reader a kind ----------------------------------------------------------------------------


def _json_lines(stream: BinaryIO, shown: str) -> Iterator[Row]:
    for line in lines(stream, shown):
        where = Span(shown, line.number, 1)
        if line.problem is not None:
            yield Row(where, problem=line.problem)
        elif line.text.strip():
            yield _json_row(line.text, where)


def _json_row(text: str, where: Span) -> Row:
    try:
        return Row(where, json.loads(text))
    except json.JSONDecodeError as error:
        at = where._replace(column=error.pos + 1)
        return Row(
            where,
            problem=Problem(
                "broken-json", said("{message}.", message=whole(error.msg.lower())), "", at
            ),
        )
    except RecursionError:
        return Row(where, problem=Problem("too-deep", said("nested too deeply."), "", where))
    except ValueError:  # a number of thousands of digits
        return Row(where, problem=Problem("broken-json", said("a number is too long."), "", where))


def _json(stream: BinaryIO, shown: str) -> Iterator[Row]:
    """A list of samples, or one sample a line, which many data sets call .json as well."""
    head = stream.read(_HEAD).removeprefix(b"\xef\xbb\xbf").lstrip()
    stream.seek(0)
    if head.startswith(b"["):
        yield from (Row(where, data) for where, data in json_list(stream, shown))
        return
    first = next(row for row in _json_lines(stream, shown))
    stream.seek(0)
    if first.problem is not None and head.startswith(b"{"):
        hint = said("Give a list of samples, or one sample on each line.")
        raise _refusal("wrong-type", said("this is one object over several lines."), hint, shown, 1)
    yield from _json_lines(stream, shown)


def _text(stream: BinaryIO, shown: str) -> Iterator[Row]:
    """Every line that is not empty is a sample, as the ``text`` loader of datasets has it."""
    for line in lines(stream, shown):
        if line.problem is not None or line.text.strip():
            yield Row(Span(shown, line.number, 1), {TEXT: line.text}, line.problem)


def _table(stream: BinaryIO, shown: str, tabs: bool = False) -> Iterator[Row]:
    faults: list[Problem] = []

    def physical() -> Iterator[str]:
        for line in lines(stream, shown):
            if line.problem is not None:
                faults.append(line.problem)
            yield line.text + "\n"

    source = physical()
    first = next(source, "")
    delimiter = "\t" if tabs else max(",;\t", key=first.count)
    before = csv.field_size_limit(MAX_LINE)  # of the whole process, so it is put back
    try:
        yield from _cells(csv.reader(_again(first, source), delimiter=delimiter), faults, shown)
    except csv.Error as error:
        hint = said("A quote may be open, so nothing after this can be told apart.")
        raise _refusal(
            "broken-table", said("{message}.", message=cause(error)), hint, shown
        ) from None
    finally:
        csv.field_size_limit(before)


def _again(first: str, rest: Iterator[str]) -> Iterator[str]:
    yield first
    yield from rest


def _cells(reader: Any, faults: list[Problem], shown: str) -> Iterator[Row]:
    names: list[str] = next(reader, [])
    if faults:
        raise FileProblems(faults)
    for cells in reader:
        where = Span(shown, reader.line_num, 1)
        if faults:
            yield Row(where, problem=faults[0])
            faults.clear()
        elif len(cells) != len(names) and cells:
            message = said("cells: {cells}, headings: {names}.", cells=len(cells), names=len(names))
            yield Row(where, problem=Problem("broken-table", message, "", where))
        elif cells:
            yield Row(where, dict(zip(names, cells, strict=True)))


def _tab_table(stream: BinaryIO, shown: str) -> Iterator[Row]:
    return _table(stream, shown, tabs=True)


_READERS: dict[str, Callable[[BinaryIO, str], Iterator[Row]]] = {
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".json": _json,
    ".csv": _table,
    ".tsv": _tab_table,
    ".txt": _text,
}
