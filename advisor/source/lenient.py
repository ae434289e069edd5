"""YAML and JSON of other programs, read as their own loaders do, warning where that is loose.

The strict reader refuses what would make a file mean two things. A trainer's file has a meaning
already: of two equal keys the last counts, ``yes`` is true, an alias stands for its anchor, a tag
is dropped. Nothing is built, fetched or executed, and size, depth and the nodes that aliases stand
for are bounded.
"""

import re
from typing import Any, NamedTuple

import yaml

from advisor.errors import Problem, Span, said
from advisor.source import Document, filled
from advisor.source.building import MAX_DEPTH
from advisor.source.places import Mapping, Place, Sequence

MAX_NODES = 200_000
"""Nodes a document may come to when every alias is written out."""

_TRUE = frozenset(("true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"))
_FALSE = frozenset(("false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"))
_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_INTEGER = re.compile(r"[-+]?[0-9][0-9_]{0,38}\Z")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_STANDARD = "tag:yaml.org,2002:"
_READ_AS_IS = frozenset(("int", "float", "bool", "null", "map", "seq", "timestamp", "merge"))


class Lenient(NamedTuple):
    """A document, and where its own loader is looser than a reader of it would expect."""

    document: Document
    warnings: tuple[Problem, ...]


def loose_scalar(text: str) -> Any:
    """A plain scalar as trainers read it: YAML 1.1 truths, and ``1e-4`` is a number."""
    if text in _NULL:
        return None
    first = text[0]
    if first.isdigit() or first in "+-.":
        if _INTEGER.match(text):
            digits = text.replace("_", "").lstrip("+-")
            return text if len(digits) > 1 and digits[0] == "0" else int(text.replace("_", ""))
        return float(text.replace("_", "")) if _FLOAT.match(text) else text
    return True if text in _TRUE else False if text in _FALSE else text


def read_lenient(text: str, name: str) -> Lenient:
    """Read the first document of a text that holds anything.

    Raises FileProblems with what even a lenient loader cannot read: no YAML, characters that are
    not allowed, nesting that is too deep, aliases that multiply, nothing at all.
    """
    builder = _Builder(name)
    document = filled(builder, text, name)
    return Lenient(document, tuple(builder.warnings))


class _Open(NamedTuple):
    """A collection that is not finished: its start, and how many nodes there were before it."""

    value: Mapping | Sequence
    event: Any
    nodes: int


class _Anchor(NamedTuple):
    value: Any
    place: Place
    nodes: int


class _Builder:
    """Turns parser events into data; see ``building.Builder`` for the strict one."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.root: Any = None
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []
        self.nodes = 0
        self.anchors: dict[str, _Anchor] = {}
        self.stack: list[_Open] = []
        self.keys: list[str | None] = []  # of each open collection, the key that waits

    def run(self, loader: Any) -> None:
        while not self.problems:
            event = loader.get_event()
            kind = type(event)
            if kind is yaml.ScalarEvent:
                self.scalar(event)
            elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
                self.open(event, Mapping() if kind is yaml.MappingStartEvent else Sequence())
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                self.close(event)
            elif kind is yaml.AliasEvent:
                self.alias(event)
            elif kind is yaml.DocumentStartEvent:
                if self.root is not None:
                    hint = said("Only the first is read.")
                    self.warn("documents", said("a second document starts here."), hint, event)
                    return
                self.anchors.clear()
            elif event is None or kind is yaml.StreamEndEvent:
                return

    def refuse(self, code: str, message: str, hint: str, event: Any) -> None:
        self.problems.append(Problem(code, message, hint, self.where(event)))

    def warn(self, code: str, message: str, hint: str, event: Any) -> None:
        self.warnings.append(Problem(code, message, hint, self.where(event), "warning"))

    def where(self, event: Any) -> Span:
        mark = event.start_mark
        return Span(self.name, mark.line + 1, mark.column + 1)

    # -- nodes ------------------------------------------------------------------------------------

    def scalar(self, event: Any) -> None:
        style = event.style or None
        start, end = event.start_mark, event.end_mark
        place = Place(start.line, start.column, end.line, end.column, style)
        self.nodes += 1
        if self.expects_key():
            self.key(event, place)
            return
        text = event.value
        value = text if style is not None else loose_scalar(text)
        tag = event.tag
        if tag is not None and tag != "!":
            if tag == f"{_STANDARD}str":
                value = text
            elif tag.removeprefix(_STANDARD) in _READ_AS_IS:
                value = loose_scalar(text)
            else:
                self.odd_tag(event)
                value = text
        self.remember(event.anchor, value, place, 1)
        self.put(value, place)

    def expects_key(self) -> bool:
        return bool(self.stack) and self.keys[-1] is None and type(self.stack[-1].value) is Mapping

    def key(self, event: Any, place: Place) -> None:
        mapping = self.stack[-1].value
        assert isinstance(mapping, Mapping)
        text = event.value
        self.remember(event.anchor, text, place, 1)
        if text in mapping.keys_at and text != "<<":
            first = mapping.keys_at[text].line + 1
            message = said(
                "'{key}' stands twice, first in line {first}.", key=text[:80], first=first
            )
            self.warn("duplicate-key", message, said("The last one counts."), event)
            del mapping.keys_at[text]  # its place in the order is that of the last, too
            mapping.pop(text, None)
        mapping.keys_at[text] = place
        self.keys[-1] = text

    def open(self, event: Any, value: Mapping | Sequence) -> None:
        if self.expects_key():
            message = said("a key must be a word, not a collection.")
            self.refuse("key", message, said("Write `key: value`."), event)
        if len(self.stack) >= MAX_DEPTH:
            self.refuse(
                "too-deep",
                said("nested over {most} levels.", most=MAX_DEPTH),
                said("Flatten it."),
                event,
            )
        tag = event.tag
        if tag is not None and tag != "!" and tag.removeprefix(_STANDARD) not in _READ_AS_IS:
            self.odd_tag(event)
        self.stack.append(_Open(value, event, self.nodes))
        self.keys.append(None)
        self.nodes += 1

    def odd_tag(self, event: Any) -> None:
        message = said("the tag {tag} is not read.", tag=event.tag[:60])
        self.warn("tag", message, said("The value is taken as it is written."), event)

    def close(self, event: Any) -> None:
        value, started, nodes = self.stack.pop()
        self.keys.pop()
        start, end = started.start_mark, event.end_mark
        style = "{" if started.flow_style else None
        place = Place(start.line, start.column, end.line, end.column, style)
        if isinstance(value, Mapping) and "<<" in value:
            self.merge(value)
        self.remember(started.anchor, value, place, self.nodes - nodes)
        self.put(value, place)

    def remember(self, anchor: str | None, value: Any, place: Place, nodes: int) -> None:
        if anchor is not None:
            self.anchors[anchor] = _Anchor(value, place, nodes)

    def alias(self, event: Any) -> None:
        found = self.anchors.get(event.anchor)
        if found is None:
            message = said("*{anchor} stands for nothing before it.", anchor=event.anchor[:60])
            self.refuse(
                "alias", message, said("Define &{anchor} first.", anchor=event.anchor[:60]), event
            )
            return
        self.nodes += found.nodes
        if self.nodes > MAX_NODES:
            message = said("its aliases stand for over {most:,} values.", most=MAX_NODES)
            self.refuse("too-large", message, said("Write out what is needed."), event)
            return
        if self.expects_key():
            if isinstance(found.value, Mapping | Sequence):
                message = said("a key must be a word, not a collection.")
                self.refuse("key", message, said("Write `key: value`."), event)
                return
            mapping = self.stack[-1].value
            assert isinstance(mapping, Mapping)
            mapping.keys_at[str(found.value)] = found.place
            self.keys[-1] = str(found.value)
            return
        start, end = event.start_mark, event.end_mark
        self.put(found.value, Place(start.line, start.column, end.line, end.column, "*"))

    def put(self, value: Any, place: Place) -> None:
        if not self.stack:
            self.root = value
            return
        parent = self.stack[-1].value
        if isinstance(parent, Sequence):
            parent.append(value)
            parent.values_at.append(place)
            return
        key = self.keys[-1]
        if key is not None:
            parent[key] = value
            parent.values_at[key] = place
            self.keys[-1] = None

    def merge(self, mapping: Mapping) -> None:
        """``<<: *anchor``: the keys of other maps, where the map has none of its own."""
        merged = mapping.pop("<<")
        mapping.keys_at.pop("<<", None)
        mapping.values_at.pop("<<", None)
        for other in merged if isinstance(merged, Sequence) else [merged]:
            if not isinstance(other, Mapping):
                continue
            for key, value in other.items():
                if key not in mapping:
                    mapping[key] = value
                    mapping.keys_at[key] = other.keys_at[key]
                    mapping.values_at[key] = other.values_at[key]
