"""What the rules' own words mean: names and aliases of inputs, and words for their values."""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from advisor.conversation.tokens import key_of
from advisor.errors import close_names
from advisor.rulebook.model import Input, RuleBook, Value
from advisor.rulebook.values import BadValue, read_value


class Meant(NamedTuple):
    """A value of an input that a word stands for."""

    name: str
    value: Value


class Vocabulary(NamedTuple):
    """Words without case and punctuation: to the inputs they name, and the values they stand for.

    ``ends`` are the names that are only the end of an input's.
    """

    book: RuleBook
    names: Mapping[str, tuple[str, ...]]
    ends: frozenset[str]
    values: Mapping[str, tuple[Meant, ...]]
    lexicon: frozenset[str]

    @property
    def words(self) -> tuple[str, ...]:
        """Every name and value that there is."""
        return (*self.names, *self.values)

    def named(self, word: str) -> str | None:
        """The input that a person's word means when it can only be one: a name or an alias.

        Of several, the one with a question is meant.
        """
        found = self.names.get(key_of(word), ())
        asked = [name for name in found if self.book.inputs[name].ask]
        return asked[0] if len(asked) == 1 else found[0] if len(found) == 1 else None

    def value(self, target: Input, word: str) -> Value | None:
        """The value that a word stands for, for one input."""
        for meant in self.values.get(key_of(word), ()):
            if meant.name == target.name:
                return meant.value
        return None


MAX_WORDS = 5
"""Words that a name or a value may consist of."""


MOST_ALIKE = 0.82
"""How alike a word and what is meant must be, from 0 to 1; letters that only changed places count
as alike."""


def alike(word: str, known: Iterable[str]) -> str | None:
    """The known word that a mistyped one means, or None."""
    if len(word) < _LEAST or not word.isascii():
        return None
    for close in close_names(word, known):
        if _digits(word) != _digits(close):
            continue  # stage is not stage 3
        if _digits(word) and sorted(word) != sorted(close):
            continue  # gpt4 is not gptq4
        ratio = difflib.SequenceMatcher(None, word, close).ratio()
        if sorted(word) == sorted(close) or (ratio >= MOST_ALIKE and word[0] == close[0]):
            return close
    return None


def _digits(word: str) -> list[str]:
    return [char for char in word if char.isdigit()]


_LEAST = 4


def vocabulary(book: RuleBook) -> Vocabulary:
    """The vocabulary of a rulebook; facts of catalogue entries are no words of it."""
    names: dict[str, dict[str, None]] = {}
    values: dict[str, list[Meant]] = {}
    lexicon: set[str] = set()
    for target in _spoken(book):
        for word in (target.name, *target.aliases):
            names.setdefault(key_of(word), {})[target.name] = None
            lexicon.update(word.split())
        for written, value in _values(target):
            meant = values.setdefault(key_of(written), [])
            if Meant(target.name, value) not in meant:
                meant.append(Meant(target.name, value))
            lexicon.update(written.split())
    for word, owner in _titles(book):
        if key_of(word) not in names:  # what sentences call an input can be said, too
            names[key_of(word)] = {owner: None}
            lexicon.update(word.split())
    lasts: dict[str, list[str]] = {}
    for target in _spoken(book):
        lasts.setdefault(key_of(target.name.rpartition(".")[2]), []).append(target.name)
    ends = {
        last: owners[0] for last, owners in lasts.items() if last not in names and len(owners) == 1
    }
    names.update({last: {owner: None} for last, owner in ends.items()})
    return Vocabulary(
        book,
        {word: tuple(found) for word, found in names.items()},
        frozenset(ends),
        {word: tuple(found) for word, found in values.items()},
        frozenset(lexicon),
    )


def _titles(book: RuleBook) -> Iterator[tuple[str, str]]:
    """The titles of what is asked for, in every language, with their inputs."""
    for target in _spoken(book):
        if target.ask:
            yield from ((title, target.name) for title in target.title.values())


def _spoken(book: RuleBook) -> Iterator[Input]:
    owners = [f"{one.name}." for one in book.inputs.values() if one.type == "catalogue"]
    for one in book.inputs.values():
        if one.type not in ("table", "date") and not one.name.startswith(tuple(owners)):
            yield one


def _values(target: Input) -> Iterable[tuple[str, Value]]:
    for word in (*target.choices, *target.groups):
        yield word, read_value(target, word)
    for value, words in target.said.items():
        try:
            meant = read_value(target, value == "true" if target.type == "boolean" else value)
        except BadValue:  # a patch took the choice away and left its words
            continue
        for word in words:
            yield word, meant
