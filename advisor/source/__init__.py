"""YAML and JSON text into plain data that remembers where every key and value stands.

The reader takes YAML 1.2 scalars (``989e12`` is a number, ``no`` and ``12:30`` are text), refuses
what would make a file mean two things (repeated keys, aliases, tags, octal-looking numbers), and
bounds size and depth. It builds from parser events with a stack of its own, so that no nesting in
an untrusted file can exhaust the interpreter's.
"""

import re
import stat
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import yaml

from advisor.errors import FileProblems, Problem, Span, cause, said
from advisor.source.building import MAX_DEPTH, Builder
from advisor.source.places import Mapping, Place, Sequence, lines_of, position

__all__ = [
    "MAX_BYTES",
    "MAX_DEPTH",
    "Document",
    "Mapping",
    "Place",
    "Sequence",
    "decode",
    "filled",
    "parser_of",
    "read_bytes",
    "read_file",
    "read_text",
]

MAX_BYTES = 1 << 20

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Document(NamedTuple):
    """One file's data: ``data`` is made of Mapping, Sequence, str, int, float, bool and None."""

    name: str
    text: str
    data: Any

    def span(self, container: Mapping | Sequence, key: str | int) -> Span:
        """The place of a value."""
        place = container.values_at[key]  # type: ignore[index]
        return Span(self.name, place.line + 1, place.column + 1)

    def key_span(self, container: Mapping | Sequence, key: str | int) -> Span:
        """The place of a key; for a sequence, of the element."""
        if isinstance(container, Sequence):
            return self.span(container, key)
        place = container.keys_at[str(key)]
        return Span(self.name, place.line + 1, place.column + 1)

    def inside(self, place: Place, offset: int) -> Span:
        """The place of character ``offset`` of a scalar's value, whatever the scalar's style."""
        line, column = position(self.text, place, offset)
        return Span(self.name, line + 1, column + 1)

    def written(self, place: Place) -> str:
        """What stands at a place that lies on one line, as it is written."""
        return lines_of(self.text)[place.line][place.column : place.end_column]

    @property
    def start(self) -> Span:
        """The place of the first character."""
        return Span(self.name, 1, 1)


def read_file(path: Path, name: str | None = None, skip: tuple[str, ...] = ()) -> Document:
    """Read one YAML or JSON file, leaving out the top-level blocks named in ``skip``.

    Raises FileProblems, located, for a missing or unreadable file, a directory or device, a file
    over 1 MiB, text that is not UTF-8, and everything ``read_text`` refuses.
    """
    shown = name or str(path)
    return read_text(decode(read_bytes(path, shown), shown), shown, skip)


def read_bytes(path: Path, shown: str, limit: int = MAX_BYTES) -> bytes:
    """The bytes of a regular file of at most ``limit`` bytes; raises FileProblems otherwise."""

    def refuse(code: str, message: str, hint: str = "") -> FileProblems:
        return FileProblems([Problem(code, message, hint, Span(shown))])

    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise refuse("not-a-file", said("this is a folder."), said("Name a file in it."))
        if not stat.S_ISREG(mode):
            raise refuse("not-a-file", said("this is not a regular file."), said("Name a file."))
        with path.open("rb") as stream:
            data = stream.read(limit + 1)
    except FileNotFoundError:
        raise refuse("no-file", said("there is no such file."), said("Check the path.")) from None
    except (OSError, ValueError) as error:
        reason = cause(error)
        raise refuse("unreadable", said("cannot be read: {reason}.", reason=reason)) from None
    if len(data) > limit:
        raise refuse(
            "too-large",
            said("larger than {most} MiB.", most=limit >> 20),
            said("Split it or trim it."),
        )
    return data


def decode(data: bytes, name: str) -> str:
    """UTF-8 text of bytes, without a byte order mark; raises FileProblems with the place."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before.count(b"\n") + 1
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
        raise FileProblems(
            [
                Problem(
                    "not-utf-8",
                    said("byte 0x{byte:02x} is not UTF-8 text.", byte=data[error.start]),
                    said("Save the file as UTF-8."),
                    Span(name, line, column),
                )
            ]
        ) from None


def read_text(text: str, name: str, skip: tuple[str, ...] = ()) -> Document:
    """Build a Document from YAML or JSON text; raises FileProblems with every problem found."""
    return filled(Builder(name), text, name, skip)


class Filling(Protocol):
    """What takes up the events of a parser."""

    root: Any
    problems: list[Problem]

    def run(self, loader: Any) -> None:
        """Consume the events, leaving data in ``root`` and what is wrong in ``problems``."""


def filled(builder: Filling, text: str, name: str, skip: tuple[str, ...] = ()) -> Document:
    """The Document that a builder makes of a text; raises FileProblems with every problem found."""
    text = text.removeprefix("\ufeff")
    loader = parser_of(text, name, skip)
    try:
        builder.run(loader)
    except yaml.YAMLError as error:
        builder.problems.append(_syntax_problem(error, name, text))
    finally:
        loader.dispose()
    if builder.problems:
        raise FileProblems(builder.problems)
    if builder.root is None:
        hint = said("Write at least one key.")
        raise FileProblems(
            [Problem("empty", said("the file holds nothing."), hint, Span(name, 1, 1))]
        )
    return Document(name, text, builder.root)


def parser_of(text: str, name: str, skip: tuple[str, ...] = ()) -> Any:
    """A parser that gives the events of a text; raises FileProblems when it refuses to start."""
    parsed = text
    if text.lstrip()[:1] in ("{", "["):
        parsed = _as_yaml(text)
    else:
        for key in skip:
            parsed = _without(parsed, key)
    try:
        return _Loader(parsed)
    except UnicodeEncodeError as error:
        raise FileProblems([_surrogate(name, text, error.start)]) from None
    except yaml.YAMLError as error:
        raise FileProblems([_syntax_problem(error, name, text)]) from None


def _syntax_problem(error: yaml.YAMLError, name: str, text: str) -> Problem:
    from advisor.source.syntax import syntax_problem  # only what cannot be read needs it

    return syntax_problem(error, name, text)


def _surrogate(name: str, text: str, offset: int) -> Problem:
    from advisor.source.syntax import at_offset

    return Problem(
        "not-utf-8",
        said("half a character (0x{code:04x}).", code=ord(text[offset])),
        said("Save the file as UTF-8."),
        at_offset(name, text, offset),
    )


def _without(text: str, key: str) -> str:
    """The text with one top-level block blanked, so that every line keeps its number.

    Only a block that stands on lines of its own is left out: from ``key:`` alone on a line to the
    next line whose first column holds something else than an element or a comment.
    """
    block = re.compile(rf"^{key}:[ \r]*$\n(?:(?:[ \r#].*|-(?:[ \r].*)?)?(?:\n|\Z))*", re.MULTILINE)
    return block.sub(lambda found: "\n" * found[0].count("\n"), text, count=1)


_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\t')
_JSON_PAIR = re.compile(
    r"((?<!\\)(?:\\\\)*)\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"
)


def _as_yaml(text: str) -> str:
    """JSON text as YAML reads it, every token in its place.

    JSON may indent with tabs, which YAML refuses, and writes characters beyond U+FFFF as two
    escapes, which YAML writes as one; blanks after the shorter text keep the columns.
    """
    if "\t" not in text and "\\u" not in text:
        return text

    def token(found: re.Match[str]) -> str:
        old = found[0]
        if old == "\t":
            return " "
        return _JSON_PAIR.sub(_one_escape, old).ljust(len(old))

    return _JSON_TOKEN.sub(token, text)


def _one_escape(found: re.Match[str]) -> str:
    high, low = int(found[2], 16), int(found[3], 16)
    return f"{found[1]}\\U{0x10000 + ((high & 0x3FF) << 10) + (low & 0x3FF):08x}"
