"""Keys of a trainer's file by dotted path, and what is said about them in conditions."""

from typing import Any, NamedTuple

from advisor.errors import Span
from advisor.source import Document, Mapping, Sequence
from advisor.trainers.globs import matches
from advisor.trainers.model import Condition, Test


class Unresolved(str):
    """A text that something else fills in: a shell variable, the result of a command."""


class Found(NamedTuple):
    """A key that a file has: its path, its value, and the container that holds both places.

    ``document.span(container, last)`` is the place of the value, ``document.key_span(…)`` of the
    key; ``container.values_at[last]`` has its extent and style, for writing it anew.
    """

    path: str
    value: Any
    document: Document
    container: Mapping | Sequence
    last: str | int

    @property
    def span(self) -> Span:
        """Where the value stands."""
        return self.document.span(self.container, self.last)

    @property
    def is_open(self) -> bool:
        """Whether the value is a reference that this file does not resolve."""
        return is_open(self.value)


def is_open(value: Any) -> bool:
    """Whether a value is filled in elsewhere: ``${…}``, OmegaConf's ``???``, a shell variable."""
    if isinstance(value, Unresolved):
        return True
    return isinstance(value, str) and (value.strip() == "???" or "${" in value)


def find(document: Document, path: str) -> Found | None:
    """The key at a dotted path; a key that holds points itself is found as well."""
    return _find(document, document.data, path, path)


def _find(document: Document, data: Any, rest: str, path: str) -> Found | None:
    if isinstance(data, Mapping):
        if rest in data:
            return Found(path, data[rest], document, data, rest)
        at = rest.find(".")
        while at > 0:
            if rest[:at] in data:
                found = _find(document, data[rest[:at]], rest[at + 1 :], path)
                if found is not None:
                    return found
            at = rest.find(".", at + 1)
    elif isinstance(data, Sequence):
        head, _, tail = rest.partition(".")
        if head.isdecimal() and len(head) < 6 and int(head) < len(data):
            at = int(head)
            if not tail:
                return Found(path, data[at], document, data, at)
            return _find(document, data[at], tail, path)
    return None


def word_of(value: Any) -> str:
    """A value as rule files name it: ``true``, ``null``, ``4`` (also of 4.0), text as it is."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def is_set(document: Document, path: str) -> Found | None:
    """The key when it is there and not empty."""
    found = find(document, path)
    return None if found is None or found.value is None else found


def holds(document: Document, conditions: tuple[Condition, ...]) -> bool:
    """Whether all conditions hold."""
    return all(first_of(document, one) is not None for one in conditions)


def first_of(document: Document, condition: Condition) -> tuple[Found, ...] | None:
    """The keys that make a condition hold (none where it asks for absence); None: it does not."""
    seen: list[Found] = []
    for test in condition.tests:
        found = _passing(document, test)
        if found is None:
            return None
        seen.extend(found)
    if condition.company:
        with_it = next((one for path in condition.company if (one := is_set(document, path))), None)
        if with_it is None:
            return None
        seen.append(with_it)
    return tuple(seen)


def _passing(document: Document, test: Test) -> tuple[Found, ...] | None:
    found = None
    for path in test.paths:
        found = find(document, path)
        if found is not None:
            break
    if found is None or found.value is None:
        if "absent" in test.words:
            return ()
        if found is None or "null" not in test.words:
            return None
    if not test.words and not test.kind:
        return (found,)
    if test.kind:
        return (found,) if _is_kind(found.value, test.kind) else None
    values = found.value if isinstance(found.value, Sequence) else [found.value]
    for value in values:
        word = word_of(value)
        if any(matches(word, one) for one in test.words):
            return (found,)
    return None


def _is_kind(value: Any, kind: str) -> bool:
    if kind == "map":
        return isinstance(value, Mapping)
    if kind == "list":
        return isinstance(value, Sequence)
    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, str)
