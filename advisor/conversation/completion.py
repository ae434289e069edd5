"""What a line may go on with: commands, the answers to the question, names the rules know."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from advisor.conversation.commands import find, registry
from advisor.conversation.names import Shelf
from advisor.conversation.questions import Question
from advisor.conversation.sentences import message
from advisor.conversation.state import State
from advisor.conversation.tokens import key_of
from advisor.conversation.world import World

MOST = 20
_LETTERS = 3  # so many in their order say nothing
_OF_INPUTS = frozenset(("set", "whatif", "compare", "why"))
_WORDS = {"lang": ("en", "zh"), "export": ("yaml", "md", "json"), "copy": ("yaml", "md", "json")}


class Completion(NamedTuple):
    """``text`` to put in place of the line from ``start`` on; ``note`` says what it is."""

    text: str
    start: int
    note: str = ""


def complete(
    world: World,
    state: State,
    question: Question | None,
    line: str,
    more: Mapping[str, Iterable[str]] = MappingProxyType({}),
) -> list[Completion]:
    """The best ways to go on with a line whose end is being typed, best first.

    ``more`` are words that a face knows to go on with, by the command.
    """
    if line.startswith("/"):
        return list(_unique(_of_command(world, state, line, more)))[:MOST]
    start = line.rfind(" ") + 1
    word = line[start:]
    found: list[Completion] = []
    if question is not None:
        texts = [choice.text for choice in question.choices]
        found += [Completion(text, 0, question.name) for text in _matching(texts, line)]
    for target in world.book.inputs.values():
        shelf = world.shelves.get(target.catalogue)
        if shelf is not None and (line.strip() or (question and question.name == target.name)):
            found += [Completion(name, 0, target.name) for name in _entries(shelf, line)]
            found += [Completion(name, start, target.name) for name in _entries(shelf, word)]
    if len(word) > 1:
        found += [Completion(*one) for one in _words(world, word, start)]
    return list(_unique(found))[:MOST]


def _of_command(
    world: World, state: State, line: str, more: Mapping[str, Iterable[str]]
) -> Iterator[Completion]:
    word, blank, _ = line[1:].partition(" ")
    if not blank:
        for name in registry():
            if _is_subsequence(word.casefold(), name):
                yield Completion(f"/{name}", 0, message(state.language, f"form_{name}"))
        return
    known = find(word.casefold())
    if known is None:
        return
    start = line.rfind(" ") + 1
    last = line[start:]
    for text in _matching((*_WORDS.get(known.name, ()), *more.get(known.name, ())), last):
        yield Completion(text, start)
    if known.name == "chart":
        numbers = [one.name for one in world.book.inputs.values() if one.typical and one.ask]
        for text in _matching((*world.shelves, *numbers), last):
            yield Completion(text, start)
    if known.name == "compare":
        for text in _matching(("ladder", *world.shelves), last):
            yield Completion(text, start)
    if known.name == "why":
        names = (*world.book.remedies, *world.book.policies, *world.book.formulas)
        for text in _matching(names, last):
            yield Completion(text, start)
    if known.name in _OF_INPUTS:
        asked = [one.name for one in world.book.inputs.values() if one.ask]
        for text in _matching(asked, last):
            yield Completion(f"{text}=" if known.name == "set" else text, start)


def _entries(shelf: Shelf, typed: str) -> list[str]:
    key = key_of(typed)
    return _ranked(key, shelf.ids()) if len(key) > 1 else []


def _words(world: World, word: str, start: int) -> Iterator[tuple[str, int, str]]:
    key = key_of(word)
    for target in world.book.inputs.values():
        if target.ask:
            for text in (*target.aliases, *target.choices, *target.groups):
                folded = _folded(text)
                if folded.startswith(key) and folded != key:
                    yield text, start, target.name


def _matching(texts: Iterable[str], typed: str) -> list[str]:
    key = key_of(typed)
    return _ranked(key, texts) if key else list(texts)


def _ranked(key: str, texts: Iterable[str]) -> list[str]:
    """The texts that hold the letters typed in their order; beginnings and whole pieces first."""
    found: list[tuple[int, int, str]] = []
    for text in texts:
        folded = _folded(text)
        if folded.startswith(key):
            rank = 0
        elif key in folded:
            rank = 1
        elif len(key) > _LETTERS and folded[:1] == key[:1] and _is_subsequence(key, folded):
            rank = 2
        else:
            continue
        found.append((rank, len(folded), text))
    return [text for _, _, text in sorted(found)[:MOST]]


_folded = lru_cache(4096)(key_of)  # names are looked through anew with every key


def _is_subsequence(key: str, text: str) -> bool:
    letters = iter(text)
    return all(letter in letters for letter in key)


def _unique(found: Iterable[Completion]) -> Iterator[Completion]:
    seen: set[tuple[str, int]] = set()
    for one in found:
        if (one.text, one.start) not in seen:
            seen.add((one.text, one.start))
            yield one
