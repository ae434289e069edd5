"""Entries that are near what a text says, where a size beside a name is not the named one's."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from advisor.conversation.marks import Mark, Marker
from advisor.conversation.names import Shelf
from advisor.conversation.reading import sizes
from advisor.errors import AdvisorError
from advisor.units import BYTE

_MOST_NEAR = 9
_CLOSE = 0.16  # a model of 12.2 billion is called 12B, one of 2.78 is called 3B
_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?)([bm])")
_SCALES = {"b": 1e9, "m": 1e6}
_WORDS = re.compile(r"[\s_-]+")

Places = tuple[int, ...]


class Near(NamedTuple):
    """Looks at what stands beside a name, among marks that nothing else has used."""

    marker: Marker
    marks: Sequence[Mark]

    def sized(
        self, shelf: Shelf, ids: tuple[str, ...], indices: Places, used: set[int]
    ) -> tuple[tuple[str, ...], Places]:
        """More entries where a size beside a name is another's: ``qwen3 coder 30b``."""
        at = max(indices) + 1
        if len(ids) != 1 or at >= len(self.marks) or self.marks[at].start or at in used:
            return ids, indices
        word = self.marks[at].text.casefold()
        size = _SIZE.fullmatch(word)
        if size is None or self.marks[at].kind != "word":
            return ids, indices
        own_size = self.has(shelf, ids[0], float(size[1]) * _SCALES[size[2]])
        if own_size or word in shelf.words_of()[ids[0]]:
            return ids, (*indices, at)
        own = shelf.words_of()[ids[0]]
        named = [one for one in self.words(indices) if one in own]
        for kept in (named, named[:1], []):
            near = shelf.holding([frozenset((one,)) for one in (*kept, word)])
            if near:
                return tuple(dict.fromkeys((*near, *ids)))[:_MOST_NEAR], (*indices, at)
        return ids, indices

    def words(self, indices: Places) -> list[str]:
        text = " ".join(self.marks[one].text for one in sorted(indices))
        return _WORDS.split(text.casefold().rpartition("/")[2])

    def has(self, shelf: Shelf, identifier: str, parameters: float) -> bool:
        """Whether an entry has about as many parameters as its name was given with."""
        try:
            fact = shelf.find(identifier).facts.get("parameters")
        except AdvisorError:
            return True
        if fact is None or not isinstance(fact.value, int | float):
            return True
        return abs(fact.value - parameters) <= _CLOSE * parameters

    def misfit(self, shelf: Shelf, ids: tuple[str, ...], indices: Places) -> int | None:
        """The figure beside a name that is not its own: ``4090 48gb``."""
        figures = shelf.figures(ids[0])
        for at in (self.beside(max(indices), 1), self.beside(min(indices), -1)):
            if at is None or at in indices:
                continue
            unit = self.marks[at].token.unit
            if self.marks[at].kind != "number" or unit is None or unit.dimension != BYTE:
                continue
            said = sizes(self.marks[at].token)
            if figures and not any(abs(one - own) <= 0.1 * own for one in said for own in figures):
                return at
        return None

    def beside(self, index: int, step: int) -> int | None:
        """The next mark, over words that only describe the thing."""
        words = self.marker.words
        at = index + step
        while 0 <= at < len(self.marks):
            text = self.marks[at].text.casefold()
            if self.marks[at].kind != "link" and text not in words.variant:
                return at
            if self.marks[at].start and step < 0:
                return None
            at += step
        return None

    def others(
        self, shelf: Shelf, ids: tuple[str, ...], indices: Places, at: int
    ) -> tuple[str, ...]:
        """The entries that have the figure at a mark, those with a word of the name first."""
        known = shelf.with_figure(sizes(self.marks[at].token))
        named = {one for one in self.words(indices) if any(char.isdigit() for char in one)}
        like = [one for one in known if named & shelf.words_of()[one]]
        return tuple(dict.fromkeys((*ids, *like, *known)))[:_MOST_NEAR]


def alternatives(marker: Marker, marks: Sequence[Mark]) -> dict[int, Mark]:
    """``qwen3 4b or 8b``: the marks that name a second entry by what differs in it."""
    found: dict[int, Mark] = {}
    texts: dict[int, str] = {}
    for index, mark in enumerate(marks):
        one = found.get(index, mark)
        at = index + 2
        if (
            one.kind != "entry"
            or at >= len(marks)
            or any(m.start for m in marks[index + 1 : at + 1])
        ):
            continue
        joined = marks[index + 1].text.casefold() in marker.words.either
        if not joined or marks[at].kind not in ("word", "number") or marks[at].token.unit:
            continue
        shelf = marker.shelves[marker.vocabulary.book.inputs[one.entry[0]].catalogue]
        words = _WORDS.split(texts.get(index, one.text))
        for kept in range(len(words) - 1, 0, -1):
            text = " ".join((*words[:kept], marks[at].text))
            ids = shelf.exactly(text)
            if ids and ids != one.entry[1]:
                texts[at] = text
                found[at] = Mark("entry", marks[at].tokens, entry=(one.entry[0], ids))
                break
    return found
