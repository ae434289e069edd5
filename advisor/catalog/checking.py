"""Checked reading of catalogue files: closed sets of keys, every problem collected."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from advisor.errors import FileProblems, Problem, Span, said, suggestion
from advisor.source import Document, Mapping, Sequence

_DATE = re.compile(r"\d{4}-\d\d-\d\d\Z")
FACT_NAME = re.compile(r"[a-z][a-z0-9_]*\Z")


class Checker:
    """Reads one catalogue file and collects what is wrong with it."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.problems: list[Problem] = []

    def finish(self) -> None:
        """Raise FileProblems when anything was reported."""
        if self.problems:
            raise FileProblems(self.problems)

    def report(self, message: str, hint: str, where: Span) -> None:
        """Collect one problem."""
        self.problems.append(Problem("catalogue", message, hint, where))

    def root(self) -> Mapping:
        """The file's mapping; a file of another kind cannot be read further."""
        data = self.document.data
        if not isinstance(data, Mapping) or data.get("catalogue") != 1:
            self.report(
                said("not a catalogue file."),
                said("Start it with catalogue: 1"),
                self.document.start,
            )
            self.finish()
        assert isinstance(data, Mapping)
        return data

    def keys(
        self, mapping: Mapping, allowed: Collection[str], required: Collection[str], where: Span
    ) -> None:
        """Only ``allowed`` keys, and all ``required`` ones."""
        for key in mapping:
            if key not in allowed:
                hint = suggestion(key, allowed) or said("Known: {names}.", names=tuple(allowed))
                place = self.document.key_span(mapping, key)
                self.report(said("there is no key '{key}' here.", key=key[:60]), hint, place)
        for key in required:
            if key not in mapping:
                self.report(said("'{key}' is missing.", key=key), said("Add it."), where)

    def text(self, mapping: Mapping, key: str) -> str:
        """A text that is not empty and can be shown; absent is empty."""
        if key not in mapping:
            return ""
        value = mapping[key]
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = str(value)
        if isinstance(value, str) and value.strip() and value.isprintable():
            return value
        self.report(
            said("'{key}' must be a text, not {value}.", key=key, value=shown(value)),
            "",
            self._at(mapping, key),
        )
        return "?"

    def texts(self, mapping: Mapping, key: str) -> tuple[str, ...]:
        """A list of texts; absent is empty."""
        value = mapping.get(key, [])
        if isinstance(value, Sequence):
            items = [str(item) for item in value if isinstance(item, str | int | float)]
            if len(items) == len(value) and all(item.isprintable() and item for item in items):
                return tuple(items)
        elif key not in mapping:
            return ()
        self.report(said("'{key}' must be a list of texts.", key=key), "", self._at(mapping, key))
        return ()

    def date(self, mapping: Mapping, key: str) -> str:
        """A day such as 2026-11-29; absent is empty."""
        value = mapping.get(key, "")
        if isinstance(value, str) and (key not in mapping or _DATE.match(value)):
            return value
        self.report(
            said("'{key}' must be a date like 2026-11-29.", key=key), "", self._at(mapping, key)
        )
        return ""

    def inner(self, mapping: Mapping, key: str) -> Mapping | None:
        """A mapping inside; None when absent or wrong."""
        value = mapping.get(key)
        if isinstance(value, Mapping):
            return value
        if key in mapping:
            self.report(
                said("'{key}' must hold keys and values.", key=key), "", self._at(mapping, key)
            )
        return None

    def scalar(self, mapping: Mapping, key: str) -> Any:
        """A number, a boolean or a text."""
        value = mapping.get(key)
        if isinstance(value, bool | int | float | str) and value != "":
            return value
        message = said("'{key}' must be one value, not {value}.", key=key, value=shown(value))
        self.report(message, said("Leave an unknown fact out."), self._at(mapping, key))
        return 0

    def _at(self, mapping: Mapping, key: str) -> Span:
        return self.document.span(mapping, key) if key in mapping else self.document.start


def shown(value: object) -> str:
    """A value in a message, short."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return said("a mapping")
    if isinstance(value, str):
        return said("the text '{text}'", text=value[:40])
    if isinstance(value, Sequence):
        return said("a list")
    return f"{value:,}" if isinstance(value, int) else f"{value}"
