"""What a file says for an input: one read at a time, from the key's value to ours."""

from typing import Any, NamedTuple

from advisor.errors import Span
from advisor.source import Document, Mapping, Sequence
from advisor.trainers.globs import match, pattern
from advisor.trainers.keys import Found, find, first_of, holds, is_open, word_of
from advisor.trainers.model import NOTHING, Read


class Said(NamedTuple):
    """A value in the words of the rules; ``found`` is the key it was read from."""

    value: Any
    found: Found | None
    span: Span


class Open(NamedTuple):
    """A key whose value cannot be known here; ``reason`` is a word of reports."""

    reason: str
    shown: str
    found: Found | None
    span: Span


Answer = Said | Open | None


def answer(document: Document, read: Read) -> Answer:
    """What one read gives for a document; scales and guards on inputs are not applied here."""
    if read.union:
        return _united(document, read)
    if read.value is not NOTHING:
        return _constant(document, read)
    for path in read.paths:
        found = find(document, path)
        if found is not None and (found.value is not None or _maps(read, "null")):
            return _value(read, found)
    return None


def _maps(read: Read, word: str) -> bool:
    return read.map is not None and word in read.map


def _constant(document: Document, read: Read) -> Said:
    """A value that follows from conditions stands where the first key of them does."""
    for condition in read.guard.when:
        for found in first_of(document, condition) or ():
            return Said(read.value, found, found.span)
    return Said(read.value, None, Span(document.name))


def _united(document: Document, read: Read) -> Answer:
    """The union of what several reads give; open when one of them is."""
    words: list[Any] = []
    first: Said | None = None
    for one in read.union:
        if not _applies(document, one):
            continue
        said = answer(document, one)
        if isinstance(said, Open):
            return said
        if said is not None:
            first = first or said
            words.extend(said.value if isinstance(said.value, list) else [said.value])
    return first._replace(value=words) if first else None


def _applies(document: Document, read: Read) -> bool:
    guard = read.guard
    if guard.when and not holds(document, guard.when):
        return False
    return not any(first_of(document, one) is not None for one in guard.unless)


def _value(read: Read, found: Found) -> Answer:
    value = found.value
    if isinstance(value, str | int | float | bool) and word_of(value) in read.skip:
        return None
    if read.pick:
        value = _picked(value, read.pick)
    if is_open(value) or (isinstance(value, Sequence) and any(map(is_open, value))):
        return Open("unresolved", word_of(value)[:80], found, found.span)
    if read.split and isinstance(value, str):
        value = [part.strip() for part in value.split(read.split) if part.strip()]
    if read.counts:
        size = len(value) if isinstance(value, list) else 1
        return Said(size, found, found.span)
    if isinstance(value, list):
        taken = [_one(read, item) for item in value]
        failed = next((n for n, one in enumerate(taken) if one is NOTHING), None)
        if failed is not None:
            return Open("not-understood", word_of(value[failed])[:80], found, found.span)
        return Said([word for one in taken for word in _flat(one)], found, found.span)
    one = NOTHING if isinstance(value, Mapping) else _one(read, value)
    if one is NOTHING:
        shown = "{…}" if isinstance(value, Mapping) else word_of(value)[:80]
        return Open("not-understood", shown, found, found.span)
    return Said(one, found, found.span)


def _flat(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _picked(value: Any, side: str) -> Any:
    """The only key, or its value, of a map; the only element of a list; else what it was."""
    if isinstance(value, Sequence) and len(value) == 1:
        value = value[0]
    if isinstance(value, Mapping) and len(value) == 1:
        key = next(iter(value))
        return key if side == "key" else value[key]
    return value


def _one(read: Read, value: Any) -> Any:
    """One scalar through the steps of a read; NOTHING where a step does not know it."""
    if isinstance(value, Mapping | list):
        return NOTHING
    if read.last_segment and isinstance(value, str):
        value = value.rstrip(read.last_segment).rpartition(read.last_segment)[2]
    if read.match:
        value = _matched(read, word_of(value))
        if value is NOTHING:
            return read.other
    if read.map is not None:
        word = word_of(value)
        for candidate in (word, word.lower()):
            if candidate in read.map:
                return read.map[candidate]
        return read.other
    return value


def _matched(read: Read, text: str) -> Any:
    for glob, template in read.match:
        parts = match(text, pattern(glob))
        if parts is not None:
            for name, part in parts.items():
                template = template.replace(f"{{{name}}}", part)
            return template
    return NOTHING
