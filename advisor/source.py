"""YAML and JSON text into plain data that remembers where every key and value stands.

The reader takes YAML 1.2 scalars (``989e12`` is a number, ``no`` and ``12:30`` are text), refuses
what would make a file mean two things (repeated keys, aliases, tags, octal-looking numbers), and
bounds size and depth. It builds from parser events with a stack of its own, so that no nesting in
an untrusted file can exhaust the interpreter's.
"""

import re
import stat
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from advisor.errors import FileProblems, Problem, Span

MAX_BYTES = 1 << 20
MAX_DEPTH = 100
_MAX_INTEGER_DIGITS = 40

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


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
        line, column = _inside(self.text, place, offset)
        return Span(self.name, line + 1, column + 1)

    @property
    def start(self) -> Span:
        return Span(self.name, 1, 1)


def read_file(path: Path, name: str | None = None, skip: tuple[str, ...] = ()) -> Document:
    """Read one YAML or JSON file, leaving out the top-level blocks named in ``skip``.

    Raises FileProblems, located, for a missing or unreadable file, a directory or device, a file
    over 1 MiB, text that is not UTF-8, and everything ``read_text`` refuses.
    """
    shown = name or str(path)
    return read_text(_decode(read_bytes(path, shown), shown), shown, skip)


def read_bytes(path: Path, shown: str, limit: int = MAX_BYTES) -> bytes:
    """The bytes of a regular file of at most ``limit`` bytes; raises FileProblems otherwise."""

    def refuse(code: str, message: str, hint: str = "") -> FileProblems:
        return FileProblems([Problem(code, message, hint, Span(shown))])

    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise refuse("not-a-file", "this is a folder.", "Name a file in it.")
        if not stat.S_ISREG(mode):
            raise refuse("not-a-file", "this is not a regular file.", "Name a file.")
        with path.open("rb") as stream:
            data = stream.read(limit + 1)
    except FileNotFoundError:
        raise refuse("no-file", "there is no such file.", "Check the path.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise refuse("unreadable", f"cannot be read: {reason}.") from None
    if len(data) > limit:
        raise refuse("too-large", f"larger than {limit >> 20} MiB.", "Split it or trim it.")
    return data


def _decode(data: bytes, name: str) -> str:
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
                    f"byte 0x{data[error.start]:02x} is not UTF-8 text.",
                    "Save the file as UTF-8.",
                    Span(name, line, column),
                )
            ]
        ) from None


def read_text(text: str, name: str, skip: tuple[str, ...] = ()) -> Document:
    """Build a Document from YAML or JSON text; raises FileProblems with every problem found."""
    text = text.removeprefix("\ufeff")
    builder = _Builder(name, text)
    parsed = text.replace("\t", " ") if _is_json(text) else text
    for key in skip:
        parsed = _without(parsed, key)
    try:
        loader = _Loader(parsed)
    except yaml.YAMLError as error:
        raise FileProblems([_syntax_problem(error, name, text)]) from None
    try:
        builder.run(loader)
    except yaml.YAMLError as error:
        builder.problems.append(_syntax_problem(error, name, text))
    finally:
        loader.dispose()
    if builder.problems:
        raise FileProblems(builder.problems)
    if builder.documents == 0 or builder.root is None:
        raise FileProblems(
            [
                Problem(
                    "empty", "the file holds nothing.", "Write at least one key.", Span(name, 1, 1)
                )
            ]
        )
    return Document(name, text, builder.root)


def _without(text: str, key: str) -> str:
    """The text with one top-level block blanked, so that every line keeps its number.

    Only a block that stands on lines of its own is left out: from ``key:`` alone on a line to the
    next line that starts in the first column.
    """
    block = re.compile(rf"^{key}:[ \r]*$\n(?:(?:[ \r].*)?(?:\n|\Z))*", re.MULTILINE)
    return block.sub(lambda found: "\n" * found[0].count("\n"), text, count=1)


def _is_json(text: str) -> bool:
    # JSON may indent with tabs, which YAML refuses; inside its strings tabs are escaped.
    return text.lstrip()[:1] in ("{", "[") and "\t" in text


_INTEGER = re.compile(r"[-+]?[0-9]+\Z")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_RADIX = re.compile(r"0(?:o[0-7]+|x[0-9a-fA-F]+)\Z")
_WORDS: dict[str, Any] = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "NULL": None,
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
    ".inf": float("inf"),
    ".Inf": float("inf"),
    ".INF": float("inf"),
    "+.inf": float("inf"),
    "-.inf": float("-inf"),
    "-.Inf": float("-inf"),
    "-.INF": float("-inf"),
    ".nan": float("nan"),
    ".NaN": float("nan"),
    ".NAN": float("nan"),
}
_NUMERIC_START = frozenset("+-.0123456789")


class _Builder:
    """Turns parser events into data with a stack of open collections."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text
        self.root: Any = None
        self.documents = 0
        self.problems: list[Problem] = []

    def report(self, code: str, message: str, hint: str, mark: Any) -> None:
        where = Span(self.name, mark.line + 1, mark.column + 1)
        self.problems.append(Problem(code, message, hint, where))

    def run(self, loader: Any) -> None:
        """Consume the events; this loop is what reading every rule file costs, so it is flat."""
        stack: list[Mapping | Sequence] = []
        pending: list[str | None] = []  # for each open collection, the key that waits for its value
        starts: list[Any] = []
        next_event = loader.get_event
        make, place_type = tuple.__new__, Place
        scalar_event, mapping_event, sequence_event = (
            yaml.ScalarEvent,
            yaml.MappingStartEvent,
            yaml.SequenceStartEvent,
        )
        mapping_end, sequence_end = yaml.MappingEndEvent, yaml.SequenceEndEvent
        while True:
            event = next_event()
            kind = type(event)
            if kind is scalar_event:
                if event.anchor is not None or event.tag is not None:
                    self.refuse_marks(event)
                style = event.style or None
                mark, end = event.start_mark, event.end_mark
                place = make(place_type, (mark.line, mark.column, end.line, end.column, style))
                if stack and pending[-1] is None and type(stack[-1]) is Mapping:
                    self.open_key(stack[-1], event.value, place)
                    pending[-1] = event.value
                    continue
                value = event.value if style is not None else self.scalar(event.value, mark)
            elif kind is mapping_event or kind is sequence_event:
                if event.anchor is not None or event.tag is not None:
                    self.refuse_marks(event)
                if stack and pending[-1] is None and type(stack[-1]) is Mapping:
                    self.report(
                        "key",
                        "a key must be a word, not a collection.",
                        "Write `key: value`.",
                        event.start_mark,
                    )
                    pending[-1] = f"\0{event.start_mark.line}"
                if len(stack) >= MAX_DEPTH:
                    self.report(
                        "too-deep",
                        f"nested over {MAX_DEPTH} levels.",
                        "Flatten it.",
                        event.start_mark,
                    )
                    return
                stack.append(Mapping() if kind is mapping_event else Sequence())
                pending.append(None)
                starts.append(event)
                continue
            elif kind is mapping_end or kind is sequence_end:
                value = stack.pop()
                pending.pop()
                opened = starts.pop()
                style = "{" if opened.flow_style else None
                if style and isinstance(value, Mapping):
                    self.check_flow(value)
                mark, end = opened.start_mark, event.end_mark
                place = make(place_type, (mark.line, mark.column, end.line, end.column, style))
            elif kind is yaml.AliasEvent:
                self.report(
                    "alias",
                    "an alias (*name) is not allowed.",
                    "An expression that starts with * must be quoted; else write the value out.",
                    event.start_mark,
                )
                value, place = None, Place(0, 0, 0, 0, None)
            elif kind is yaml.DocumentStartEvent:
                self.documents += 1
                if self.documents > 1:
                    self.report(
                        "documents",
                        "a second document starts here.",
                        "Keep one document in a file.",
                        event.start_mark,
                    )
                    return
                continue
            elif event is None or kind is yaml.StreamEndEvent:
                return
            else:
                continue
            if not stack:
                self.root = value
                continue
            parent = stack[-1]
            if type(parent) is Sequence:
                parent.append(value)
                parent.values_at.append(place)
                continue
            key = pending[-1]
            if key is not None:  # None: an alias in the place of a key, already reported
                parent[key] = value  # type: ignore[call-overload]
                parent.values_at[key] = place  # type: ignore[call-overload]
                pending[-1] = None

    def refuse_marks(self, event: Any) -> None:
        if event.anchor is not None:
            self.report(
                "anchor",
                f"an anchor (&{event.anchor}) is not allowed.",
                "Write the value out where it is used.",
                event.start_mark,
            )
        if event.tag is not None:
            self.report(
                "tag",
                f"a tag ({event.tag}) is not allowed.",
                "Write the plain value, or quote a text that starts with '!'.",
                event.start_mark,
            )

    def open_key(self, mapping: Mapping, key: str, place: Place) -> None:
        if key in mapping.keys_at:
            first = mapping.keys_at[key].line + 1
            where = Span(self.name, place.line + 1, place.column + 1)
            self.problems.append(
                Problem(
                    "duplicate-key",
                    f"'{key[:80]}' stands twice, first in line {first}.",
                    "Keep one of them.",
                    where,
                )
            )
        mapping.keys_at[key] = place

    def scalar(self, text: str, mark: Any) -> Any:
        if text in _WORDS:
            return _WORDS[text]
        if text[0] not in _NUMERIC_START:
            return text
        if _INTEGER.match(text):
            digits = text.lstrip("+-")
            if len(digits) > 1 and digits[0] == "0":
                self.report(
                    "octal",
                    f"'{text[:40]}' may mean octal or decimal.",
                    "Drop the leading zero, or quote it if it is text.",
                    mark,
                )
                return 0
            if len(digits) > _MAX_INTEGER_DIGITS:
                self.report(
                    "number",
                    f"a number of {len(digits)} digits.",
                    "Write it with an exponent, as 1e50.",
                    mark,
                )
                return 0
            return int(text)
        if _FLOAT.match(text):
            return float(text)
        if _RADIX.match(text):
            if len(text) > _MAX_INTEGER_DIGITS:
                self.report("number", f"a number of {len(text)} digits.", "Write it shorter.", mark)
                return 0
            return int(text, 0)
        return text

    def check_flow(self, mapping: Mapping) -> None:
        """Recognise ``{value: min(a, b)}``, which YAML cuts at the comma."""
        broken = next(
            (
                key
                for key, value in mapping.items()
                if isinstance(value, str)
                and mapping.values_at[key].style is None
                and value.count("(") > value.count(")")
            ),
            None,
        )
        if broken is not None and any(value is None for value in mapping.values()):
            place = mapping.values_at[broken]
            where = Span(self.name, place.line + 1, place.column + 1)
            self.problems.append(
                Problem(
                    "unquoted",
                    f"'{str(mapping[broken])[:60]}' is cut at its comma.",
                    "Quote an expression with a comma inside {…}.",
                    where,
                )
            )


_QUOTED_START = re.compile(r"""^\s*(?:- )?[\w.\-]+:\s+(?:'[^']*'|"[^"]*")\s+\S""")


def _syntax_problem(error: yaml.YAMLError, name: str, text: str) -> Problem:
    mark = getattr(error, "problem_mark", None)
    if mark is None:
        position = getattr(error, "position", None)
        char = getattr(error, "character", None)
        where = Span(name)
        if isinstance(position, int):
            before = text[:position]
            where = Span(name, before.count("\n") + 1, position - (before.rfind("\n") + 1) + 1)
        code = ord(char) if isinstance(char, str) else char
        what = (
            f"character 0x{code:02x} is not allowed." if code is not None else "not readable text."
        )
        return Problem("yaml", what, "Remove it, or write it as an escape in double quotes.", where)
    what = (getattr(error, "problem", None) or "cannot be parsed").strip()
    context = getattr(error, "context", None)
    lines = text.splitlines()
    hint = "Check the indentation and the quotes here."
    for number in (mark.line, mark.line - 1):
        if 0 <= number < len(lines) and _QUOTED_START.match(lines[number]):
            hint = "An expression that starts with a quote must be quoted as a whole."
            break
    message = f"not YAML: {what}{f' ({context})' if context else ''}."
    return Problem("yaml", message, hint, Span(name, mark.line + 1, mark.column + 1))


def _inside(text: str, place: Place, offset: int) -> tuple[int, int]:
    line, column = place.line, place.column
    if place.style in ("|", ">"):
        lines = text.split("\n")
        first = line + 1
        while first < len(lines) and not lines[first].strip():
            first += 1
        indent = len(lines[first]) - len(lines[first].lstrip()) if first < len(lines) else 0
        return _walk(lines, line + 1, place.end_line, indent, offset, folded=place.style == ">")
    quote = 1 if place.style in ("'", '"') else 0
    if place.end_line == line:
        return line, column + quote + offset
    lines = text.split("\n")
    done = 0
    for number in range(line, min(place.end_line, len(lines) - 1) + 1):
        begin = (
            column + quote if number == line else len(lines[number]) - len(lines[number].lstrip())
        )
        width = len(lines[number][begin:].rstrip())
        if offset <= done + width:
            return number, begin + offset - done
        done += width + 1
    return line, column + quote


def _walk(
    lines: list[str], first: int, last: int, indent: int, offset: int, folded: bool
) -> tuple[int, int]:
    done = 0
    for number in range(first, min(last, len(lines) - 1) + 1):
        width = len(lines[number].strip()) if folded else len(lines[number][indent:])
        if offset <= done + width:
            return number, indent + offset - done
        done += width + 1
    return first, indent
