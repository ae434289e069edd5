"""Catalogue entries that a text names: exactly, in part (``llama 8b``), or by a figure."""

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from advisor.catalog import Catalogue, Entry
from advisor.catalog.folder import Index
from advisor.catalog.names import forms
from advisor.errors import AdvisorError, Span, close_names
from advisor.source import Document
from advisor.units import BYTE, parse_quantity

MAX_WINDOW = 6
"""Words that a name may consist of."""
LEAST_ALIKE = 0.72
"""How alike a mistyped name and a name must be, from 0 to 1: tf32 is no card."""
MAX_FUZZY = 8
"""Words of one text that are compared with every name there is."""


class Shelf(Catalogue):
    """A catalogue that reads its index and each entry once."""

    def __init__(self, folder: Path, kind: str) -> None:
        self.known: dict[str, Entry] = {}
        self.opened: dict[str, Document] = {}
        self.read: Index | None = None
        self.parts: dict[str, frozenset[str]] = {}

    def read_index(self) -> Index:
        if self.read is None:
            self.read = super().read_index()
        return self.read

    def find(self, name: str, where: Span | None = None) -> Entry:
        if name not in self.known:
            self.known[name] = super().find(name)
        return self.known[name]

    def _document(self, file: str) -> Document:
        if file not in self.opened:  # a family's file holds many entries
            self.opened[file] = super()._document(file)
        return self.opened[file]

    def exactly(self, text: str) -> tuple[str, ...]:
        """The ids of the entries that go by this name; several share a family's."""
        index = self.read_index()
        for form in forms(text, self.kind):
            if form in index.names:
                return tuple(index.names[form])
        return ()

    def holding(self, words: Iterable[frozenset[str]]) -> tuple[str, ...]:
        """The ids whose words hold one of each of these groups of words, shortest first."""
        wanted = list(words)
        known = self.words_of()
        found = [
            one
            for one, parts in known.items()
            if all(not group.isdisjoint(parts) for group in wanted)
        ]
        return tuple(sorted(found, key=lambda one: (len(known[one]), one)))

    def words_of(self) -> Mapping[str, frozenset[str]]:
        """The words of every id."""
        if not self.parts:
            self.parts = {one: parts_of(one) for one in self.ids()}
        return self.parts

    def close(self, text: str) -> tuple[float, tuple[str, ...]]:
        """The ids of the names most like a text, and how alike the best is, from 0 to 1."""
        index = self.read_index()
        found: dict[str, None] = {}
        best = 0.0
        for form in forms(text, self.kind):
            for close in close_names(form, index.names):
                ratio = difflib.SequenceMatcher(None, form, close).ratio()
                best = max(best, ratio)
                if ratio >= LEAST_ALIKE:
                    found.update(dict.fromkeys(index.names[close]))
        return best, tuple(found)

    def with_figure(self, figures: Sequence[float], among: Iterable[str] = ()) -> tuple[str, ...]:
        """The ids of entries one of whose facts is one of the figures, in base units."""
        return tuple(
            one
            for one in among or self.ids()
            if any(_is(figure, fact) for figure in figures for fact in self.figures(one))
        )

    def figures(self, identifier: str) -> tuple[float, ...]:
        """The sizes of memory among the facts of an entry, in bytes; ``32 GB/s`` is none."""
        try:
            entry = self.find(identifier)
        except AdvisorError:
            return ()
        return tuple(_figures(entry))


def _figures(entry: Entry) -> Iterable[float]:
    for fact in entry.facts.values():
        if isinstance(fact.value, str):
            try:
                value, unit = parse_quantity(fact.value)
            except ValueError:
                continue
            if unit is not None and unit.dimension == BYTE:
                yield value


def _is(figure: float, fact: float) -> bool:
    return abs(figure - fact) <= 0.006 * fact


_PARTS = re.compile(r"[0-9]+(?:\.[0-9]+)?[a-z]*|[a-z]+[0-9]*(?:\.[0-9]+)?")
_SPLIT = re.compile(r"([a-z]+)([0-9].*)")


def parts_of(name: str) -> frozenset[str]:
    """The words of a name, letters and figures also apart.

    >>> sorted(parts_of("Qwen/Qwen2.5-7B"))
    ['2.5', '7b', 'qwen', 'qwen2.5', 'qwen25']
    """
    words = set(_PARTS.findall(name.casefold().replace("_", ".")))
    for word in tuple(words):
        split = _SPLIT.fullmatch(word)
        if split:
            words |= {split[1], split[2], word.replace(".", "")}
    return frozenset(words)


def shelves(catalogues: Mapping[str, Catalogue]) -> dict[str, Shelf]:
    """The catalogues, each remembering what it has read."""
    return {name: Shelf(one.folder, one.kind) for name, one in catalogues.items()}
