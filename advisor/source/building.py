"""Parser events into data that remembers its places, refusing what would mean two things."""

import re
from typing import Any

import yaml

from advisor.errors import Problem, Span, said
from advisor.source.places import Mapping, Place, Sequence

MAX_DEPTH = 100
_MAX_INTEGER_DIGITS = 40

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
    "+.Inf": float("inf"),
    "+.INF": float("inf"),
    "-.inf": float("-inf"),
    "-.Inf": float("-inf"),
    "-.INF": float("-inf"),
    ".nan": float("nan"),
    ".NaN": float("nan"),
    ".NAN": float("nan"),
}
_NUMERIC_START = frozenset("+-.0123456789")


class Builder:
    """Turns parser events into data with a stack of open collections."""

    def __init__(self, name: str) -> None:
        self.name = name
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
        keys: list[int] = []  # how deep the collections stand that are (wrongly) keys
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
                        said("a key must be a word, not a collection."),
                        said("Write `key: value`."),
                        event.start_mark,
                    )
                    keys.append(len(stack))
                if len(stack) >= MAX_DEPTH:
                    self.report(
                        "too-deep",
                        said("nested over {most} levels.", most=MAX_DEPTH),
                        said("Flatten it."),
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
                if keys and keys[-1] == len(stack):
                    pending[-1] = f"\0{keys.pop()}"  # what follows is its value
                    continue
                style = "{" if opened.flow_style else None
                if style and isinstance(value, Mapping):
                    self.check_flow(value)
                mark, end = opened.start_mark, event.end_mark
                place = make(place_type, (mark.line, mark.column, end.line, end.column, style))
            elif kind is yaml.AliasEvent:
                self.report(
                    "alias",
                    said("an alias (*name) is not allowed."),
                    said(
                        "An expression that starts with * must be quoted; else write the value out."
                    ),
                    event.start_mark,
                )
                value, place = None, Place(0, 0, 0, 0, None)
            elif kind is yaml.DocumentStartEvent:
                self.documents += 1
                if self.documents > 1:
                    self.report(
                        "documents",
                        said("a second document starts here."),
                        said("Keep one document in a file."),
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
                said("an anchor (&{anchor}) is not allowed.", anchor=event.anchor),
                said("Write the value out where it is used."),
                event.start_mark,
            )
        if event.tag is not None:
            self.report(
                "tag",
                said("a tag ({tag}) is not allowed.", tag=event.tag),
                said("Write the plain value, or quote a text that starts with '!'."),
                event.start_mark,
            )

    def open_key(self, mapping: Mapping, key: str, place: Place) -> None:
        if key in mapping.keys_at:
            first = mapping.keys_at[key].line + 1
            where = Span(self.name, place.line + 1, place.column + 1)
            self.problems.append(
                Problem(
                    "duplicate-key",
                    said("'{key}' stands twice, first in line {first}.", key=key[:80], first=first),
                    said("Keep one of them."),
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
                    said("'{text}' may mean octal or decimal.", text=text[:40]),
                    said("Drop the leading zero, or quote it if it is text."),
                    mark,
                )
                return 0
            if len(digits) > _MAX_INTEGER_DIGITS:
                self.report(
                    "number",
                    said("a number of {count} digits.", count=len(digits)),
                    said("Write it with an exponent, as 1e50."),
                    mark,
                )
                return 0
            return int(text)
        if _FLOAT.match(text):
            return float(text)
        if _RADIX.match(text):
            if len(text) > _MAX_INTEGER_DIGITS:
                self.report(
                    "number",
                    said("a number of {count} digits.", count=len(text)),
                    said("Write it shorter."),
                    mark,
                )
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
                    said("'{text}' is cut at its comma.", text=str(mapping[broken])[:60]),
                    said("Quote an expression with a comma inside {{…}}."),
                    where,
                )
            )
