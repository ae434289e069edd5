"""Entries named in part: ``llama 8b``, ``a 7B model``, ``4B vision``, or mistyped."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from advisor.conversation.marks import Mark, Marker
from advisor.conversation.names import MAX_FUZZY, MAX_WINDOW, Shelf, parts_of
from advisor.conversation.vocabulary import alike

Partial = tuple[str, tuple[str, ...], tuple[int, ...], bool]
"""An input, the ids its words may mean, the marks they stand in, and whether a family is named."""

Found = tuple[tuple[str, ...], tuple[int, ...], bool]

_LEAST = 4
_MOST_NEAR = 9
_HELD = 0.7  # some of the words, and a strange one among them
_HEAD = re.compile(r"([^\W\d_]+)([0-9][0-9.]*)?")
_SIZE = re.compile(r"[0-9]+(?:\.[0-9]+)?[bm]")


class Partly(NamedTuple):
    """Looks for entries among words that nothing else has used."""

    marker: Marker
    marks: Sequence[Mark]

    def entries(self, used: set[int], known: set[str]) -> Iterator[Partial]:
        """What the unused words may mean, for catalogue inputs that are not yet known."""
        for run in self.runs(used):
            best: tuple[float, str, Partial] | None = None
            for target in self.marker.vocabulary.book.inputs.values():
                shelf = self.marker.shelves.get(target.catalogue)
                if shelf is None or target.name in known:
                    continue
                score, found = self.likeliest(run, shelf)
                if found is not None and (best is None or score > best[0]):
                    best = (score, target.name, (target.name, *found))
            if best is not None:
                known.add(best[1])
                yield best[2]

    def likeliest(self, run: list[int], shelf: Shelf) -> tuple[float, Found | None]:
        """What a run of words may mean on one shelf, and how sure that is, from 0 to 1."""
        meant = self.corrected(run, shelf)
        if meant is not None:
            return 1.0, (meant[0], meant[1], True)
        held = self.held(run, shelf)
        if held is not None and not any(self.is_strange(index, shelf) for index in run):
            return 1.0, held
        score, mistyped = self.mistyped(run, shelf)
        if mistyped is not None:
            return score, mistyped
        return (_HELD, held) if held is not None else (0.0, None)

    def corrected(
        self, run: Sequence[int], shelf: Shelf
    ) -> tuple[tuple[str, ...], tuple[int, ...], str] | None:
        """The entries that a name is with one word of it right: ``qwne2.5 7b``, ``千问2.5 14b``.

        With the marks of the name, and what they were taken for. Figures are never corrected.
        """
        for first, index in enumerate(run[:MAX_FUZZY]):
            head = self.head(self.marks[index].text.casefold(), shelf)
            if not head:
                continue
            for last in range(min(len(run), first + MAX_WINDOW), first, -1):
                part = tuple(run[first:last])
                rest = [self.marks[one].text for one in part[1:]]
                text = " ".join([head, *rest])
                ids = shelf.exactly(text)
                if ids:
                    ids, part = self.among(ids, part, run[last:], shelf)
                    sized = any(char.isdigit() for one in part for char in self.marks[one].text)
                    return (ids, part, text) if sized else None
        return None

    def among(
        self, ids: tuple[str, ...], part: tuple[int, ...], rest: Sequence[int], shelf: Shelf
    ) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """Fewer entries by the words behind a family's name, and the marks of all of them."""
        named = [
            frozenset((word,))
            for word in sorted(frozenset.intersection(*(shelf.words_of()[one] for one in ids)))
        ]
        for index in rest:
            group = self.groups(self.marks[index].text.casefold(), shelf)
            held = shelf.holding([*named, group]) if group and len(ids) > 1 else ()
            if held:
                named.append(group)
                ids, part = tuple(one for one in ids if one in held) or held, (*part, index)
        return ids, part

    def head(self, word: str, shelf: Shelf) -> str:
        """The beginning of a name that a word is meant to be; empty where it is one or strange."""
        split = _HEAD.fullmatch(word)
        if split is None:
            return ""
        known = set(heads(shelf))
        group = self.marker.words.like.get(split[1], frozenset()) & known
        if len(group) == 1:
            return f"{next(iter(group))}{split[2] or ''}"
        if split[1] in known or self.groups(split[1], shelf):
            return ""
        close = alike(split[1], known)
        return f"{close}{split[2] or ''}" if close else ""

    def runs(self, used: set[int]) -> Iterator[list[int]]:
        """Unused words that stand together."""
        run: list[int] = []
        for index, mark in enumerate(self.marks):
            fits = (index not in used and mark.kind in ("word", "number")) or self.describes(mark)
            if run and (mark.start or not fits):
                yield run
                run = []
            if fits and index not in used:
                run.append(index)
        if run:
            yield run

    def is_strange(self, index: int, shelf: Shelf) -> bool:
        """A word that no name holds: perhaps a mistyped one."""
        word = self.marks[index].token.text.casefold()
        return len(word) >= _LEAST and word.isalpha() and not self.groups(word, shelf)

    def groups(self, word: str, shelf: Shelf) -> frozenset[str]:
        """The words that would do for this one in a name; none where no name has any."""
        group = self.marker.words.like.get(word, frozenset((word,)))
        return group if shelf.holding([group]) else frozenset()

    def narrowed(
        self, shelf: Shelf, ids: tuple[str, ...], indices: tuple[int, ...], used: set[int]
    ) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """Fewer entries by the words beside a name that several share: ``gemma 9b``."""
        words = shelf.words_of()
        known = frozenset().union(*(words[one] for one in ids))
        named = [
            frozenset((word,))
            for one in indices
            for word in parts_of(self.marks[one].text)
            if word in known
        ]
        at = max(indices) + 1
        while at < len(self.marks) and not self.marks[at].start:
            mark = self.marks[at]
            group = self.groups(mark.token.text.casefold(), shelf)
            if mark.kind != "word" or at in used or not group:
                break
            held = shelf.holding([*named, group])
            if held:
                named.append(group)
                ids = tuple(one for one in ids if one in held) or held
                indices = (*indices, at)
            at += 1
        return ids, indices

    def widened(
        self, shelf: Shelf, ids: tuple[str, ...], indices: tuple[int, ...], used: set[int]
    ) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """More entries where a word beside the name says another one: ``4090 laptop``."""
        at = max(indices) + 1
        if at >= len(self.marks) or self.marks[at].start or at in used or len(indices) > 1:
            return ids, indices
        mark = self.marks[at]
        word = mark.token.text.casefold()
        group = self.groups(word, shelf)
        if mark.kind != "word" or not group or not word.isalpha() or len(ids) != 1:
            return ids, indices
        own = parts_of(ids[0])
        if group & own or word in self.marker.words.variant:
            return ids, indices
        named = [frozenset((part,)) for part in parts_of(self.marks[indices[0]].text)]
        figures = [one for one in named if any(part[0].isdigit() for part in one)]
        near = [*shelf.holding([*figures, group]), *ids, *shelf.holding(figures or named)]
        near = list(dict.fromkeys([*near, *shelf.holding([group])]))[:_MOST_NEAR]
        return (tuple(near), (*indices, at)) if len(near) > 1 else (ids, indices)

    def describes(self, mark: Mark) -> bool:
        """``model`` between the words of a model breaks nothing."""
        return mark.text.casefold() in self.marker.words.describes

    def held(self, run: list[int], shelf: Shelf) -> Found | None:
        groups: dict[int, frozenset[str]] = {}
        trigger = family = False
        for index in run:
            word = self.marks[index].token.text.casefold()
            group = self.groups(word, shelf)
            if not group:
                continue
            groups[index] = group
            size = bool(_SIZE.fullmatch(word))
            head = word in heads(shelf)
            trigger, family = trigger or size or head, family or head
        ids = shelf.holding(groups.values()) if trigger else ()
        return (ids, tuple(groups), family) if ids else None

    def mistyped(self, run: list[int], shelf: Shelf) -> tuple[float, Found | None]:
        run = [index for index in run if self.marks[index].token.unit is None]
        text = " ".join(self.marks[index].text for index in run[:MAX_FUZZY])
        named = any(self.marks[index].text[:1].isalpha() for index in run)
        if not named or not any(char.isdigit() for char in text) or not text.isascii():
            return 0.0, None
        score, ids = shelf.close(text)
        return score, ((ids, tuple(run), False) if ids else None)


def heads(shelf: Shelf) -> Iterable[str]:
    """The words that names begin with: ``qwen``, ``llama``."""
    found: set[str] = set()
    for one in shelf.ids():
        match = re.match(r"[a-z]+", one.rpartition("/")[2].casefold())
        if match and len(match[0]) > 1:
            found.add(match[0])
    return found
