"""What the files define, section by section, before any of it is understood.

Layers work on this form: a patch changes one field of a definition, a replacement all of them, and
each field keeps the document it came from, so that every later complaint finds its place.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from keyword import iskeyword
from typing import Any, NamedTuple

from advisor.errors import Problem, Span, close_names, said
from advisor.rulebook.expr import FUNCTION_NAMES
from advisor.source import Document, Mapping, Sequence

NAMED_SECTIONS = ("inputs", "parameters", "formulas", "remedies", "policies", "answers")
SHARED_NAMES = ("inputs", "parameters", "formulas")  # one name space: expressions read all three
SHAPES = {
    "inputs": "input",
    "parameters": "parameter",
    "formulas": "formula",
    "remedies": "remedy",
    "policies": "policy",
    "answers": "answer",
}
"""The definition of the schema that each section's entries have."""
CORE = "core"
MAX_SUGGESTED = 20


class Field(NamedTuple):
    """One value of a definition and where it is written."""

    value: Any
    document: Document
    container: Mapping | Sequence
    key: str | int

    @property
    def span(self) -> Span:
        return self.document.span(self.container, self.key)

    @property
    def key_span(self) -> Span:
        """The place of the key, or of the element of a list."""
        return self.document.key_span(self.container, self.key)

    def at(self, offset: int) -> Span:
        """The place of a character of the value."""
        return self.document.inside(self.container.values_at[self.key], offset)  # type: ignore[index]

    def items(self) -> "Iterator[Field]":
        """The elements of a list, or the values of a map, each with its own place."""
        if isinstance(self.value, Sequence):
            for index, item in enumerate(self.value):
                yield Field(item, self.document, self.value, index)
        elif isinstance(self.value, Mapping):
            for key, item in self.value.items():
                yield Field(item, self.document, self.value, key)

    def child(self, step: str | int) -> "Field | None":
        """An element of a list or a value of a map, or None."""
        value = self.value
        if isinstance(value, Sequence):
            known = isinstance(step, int) and step < len(value)
            return Field(value[step], self.document, value, step) if known else None  # type: ignore[index]
        return self.get(str(step))

    def get(self, key: str) -> "Field | None":
        """A value of a map, or None."""
        if isinstance(self.value, Mapping) and key in self.value:
            return Field(self.value[key], self.document, self.value, key)
        return None


@dataclass(slots=True, eq=False, repr=False)
class Definition:
    """One named thing of one section; ``layer`` is the last that wrote or changed it."""

    section: str
    name: str
    fields: dict[str, Field]
    span: Span
    layer: str

    def digest(self) -> str:
        """Eight hexadecimal digits that change when the content changes.

        The first is a letter and not ``e``, so that YAML never reads them as a number.
        """
        data = {key: item.value for key, item in self.fields.items()}
        digits = hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
        found = re.search("[abcdf].{7}", digits)
        return found[0] if found else "f" + digits[:7]

    def inside(self, key: str, *steps: str | int) -> Field | None:
        """What stands under a key, or deeper; None when it is not there."""
        found = self.fields.get(key)
        for step in steps:
            found = found.child(step) if found else None
        return found


@dataclass(slots=True, eq=False, repr=False)
class LadderEntry:
    """One rung by name, and where it is listed."""

    name: str
    span: Span


@dataclass(slots=True, eq=False, repr=False)
class Draft:
    """All definitions of the layers read so far, and the problems met."""

    sections: dict[str, dict[str, Definition]] = field(
        default_factory=lambda: {section: {} for section in NAMED_SECTIONS}
    )
    ladder: list[LadderEntry] = field(default_factory=list)
    ladder_layer: str = CORE
    examples: list[tuple[Field, str]] = field(default_factory=list)
    waivers: list[tuple[Field, str]] = field(default_factory=list)
    renamed: dict[str, str] = field(default_factory=dict)
    renamed_at: dict[str, Span] = field(default_factory=dict)
    disabled: set[str] = field(default_factory=set)
    touched: set[tuple[str, ...]] = field(default_factory=set)  # sections and names layers changed
    problems: list[Problem] = field(default_factory=list)

    def report(self, code: str, message: str, hint: str, where: Span | None) -> None:
        self.problems.append(Problem(code, message, hint, where))

    def warn(self, code: str, message: str, hint: str, where: Span | None) -> None:
        self.problems.append(Problem(code, message, hint, where, "warning"))

    def close(self, word: str, known: Iterable[str]) -> str:
        """A suggestion, for the first problems: a file of wrong names must not take minutes."""
        near = self.near(word, known)
        return said("Did you mean '{name}'?", name=near[0]) if near else ""

    def near(self, word: str, known: Iterable[str]) -> list[str]:
        """The names most like a word, for the first problems only."""
        return close_names(word, known) if len(self.problems) < MAX_SUGGESTED else []

    def find(self, section: str, name: str) -> Definition | None:
        return self.sections[section].get(name)


def definition(section: str, name: str, body: Field, layer: str, where: Span) -> Definition:
    """A definition from the map that holds its keys."""
    container = body.value
    fields = {key: Field(item, body.document, container, key) for key, item in container.items()}
    return Definition(section, name, fields, where, layer)


def collect(draft: Draft, document: Document, layer: str) -> None:
    """Add what one file newly defines; a name that exists already is a problem with both places."""
    data: Mapping = document.data
    for section in NAMED_SECTIONS:
        if section not in data:
            continue
        block: Mapping = data[section]
        for name in block:
            where = document.key_span(block, name)
            body = Field(block[name], document, block, name)
            taken = reserved(name) if section in SHARED_NAMES else ""
            if taken:
                draft.report(
                    "reserved",
                    said("'{name}' {taken}.", name=name, taken=taken),
                    said("Choose another name."),
                    where,
                )
            earlier = _earlier(draft, section, name)
            if earlier is not None:
                hint = (
                    said("Keep one of them.")
                    if earlier.layer == layer
                    else said(
                        "To change it, write it under patch: or replace: as {section}.{name}.",
                        section=section,
                        name=name,
                    )
                )
                draft.report(
                    "defined-twice",
                    said("'{name}' is already defined in {where}.", name=name, where=earlier.span),
                    hint,
                    where,
                )
                continue
            draft.sections[section][name] = definition(section, name, body, layer, where)
    if "ladder" in data:
        _collect_ladder(draft, document, layer)
    if "examples" in data:
        block_of_examples = Field(data["examples"], document, data, "examples")
        draft.examples.extend((item, layer) for item in block_of_examples.items())
    if "waivers" in data:
        written = Field(data["waivers"], document, data, "waivers")
        draft.waivers.extend((item, layer) for item in written.items())
    for old in data.get("renamed", ()):
        draft.renamed[old] = data["renamed"][old]
        draft.renamed_at[old] = document.key_span(data["renamed"], old)


_TAKEN = {"keep", "assumed", "verdict", "true", "false"}


def _taken(name: str) -> str:
    return {
        "keep": said("is what scenarios call the inputs to leave alone"),
        "assumed": said("is what scenarios call the inputs that nobody is sure of"),
        "verdict": said("is what examples call the verdict"),
    }.get(name) or said("is a truth")


def reserved(name: str) -> str:
    """Why expressions cannot read a name, or something else goes by it; empty when it is free."""
    if name.endswith((".low", ".high")):
        return said("is how the range of another rule is read")
    if name in FUNCTION_NAMES:
        return said("is a function of the language")
    if name.startswith("was."):
        return said("is how a remedy reads what stood there before")
    if any(iskeyword(word) for word in name.split(".")):
        return said("holds a word of the expression language")
    if "__" in name:
        return said("holds two underscores in a row")
    return _taken(name) if name in _TAKEN else ""


def check_renamed(draft: Draft) -> None:
    """Every new name must exist, and no old one."""
    known = {name: one for block in draft.sections.values() for name, one in block.items()}
    for old, new in draft.renamed.items():
        where = draft.renamed_at[old]
        if new not in known and new not in draft.disabled:
            hint = draft.close(new, known)
            draft.report(
                "unknown-name",
                said("'{old}' is renamed to '{new}': no such name.", old=old, new=new),
                hint,
                where,
            )
        if old in known:
            draft.report(
                "renamed",
                said(
                    "'{old}' is a former name of '{new}', and defined in {where}.",
                    old=old,
                    new=new,
                    where=known[old].span,
                ),
                said("Choose another name."),
                known[old].span,
            )


def _earlier(draft: Draft, section: str, name: str) -> Definition | None:
    shared = SHARED_NAMES if section in SHARED_NAMES else (section,)
    return next((found for one in shared if (found := draft.find(one, name))), None)


def _collect_ladder(draft: Draft, document: Document, layer: str) -> None:
    listed: Sequence = document.data["ladder"]
    if draft.ladder:
        where = document.key_span(document.data, "ladder")
        draft.report(
            "ladder-twice",
            said("the ladder is already listed in {where}.", where=draft.ladder[0].span),
            said("A layer changes it under patch: ladder."),
            where,
        )
        return
    draft.ladder_layer = layer
    draft.ladder = [
        LadderEntry(name, document.span(listed, index)) for index, name in enumerate(listed)
    ]
