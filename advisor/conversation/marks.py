"""Tokens taken for what they may mean: an entry, the name of an input, a value, a number."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from advisor.conversation.names import MAX_WINDOW, Shelf
from advisor.conversation.spoken import Words
from advisor.conversation.tokens import Token
from advisor.conversation.vocabulary import MAX_WORDS, Meant, Vocabulary, alike

MarkKind = Literal[
    "entry", "name", "value", "number", "times", "link", "not", "yes", "no", "stop", "word"
]  # fmt: skip


class Mark(NamedTuple):
    """Some tokens and what they may mean.

    ``inputs`` are the inputs they name, ``meant`` the values they stand for, ``entry`` the
    catalogue input and the ids of its entries; ``read_as`` is what a mistyped word was taken for.
    """

    kind: MarkKind
    tokens: tuple[Token, ...]
    inputs: tuple[str, ...] = ()
    meant: tuple[Meant, ...] = ()
    entry: tuple[str, tuple[str, ...]] = ("", ())
    read_as: str = ""

    @property
    def text(self) -> str:
        return " ".join(token.text for token in self.tokens)

    @property
    def start(self) -> bool:
        """Whether a comma or the like stands before it."""
        return self.tokens[0].start

    @property
    def token(self) -> Token:
        return self.tokens[0]


class Marker(NamedTuple):
    """Marks tokens by the rules' vocabulary and the catalogues."""

    words: Words
    vocabulary: Vocabulary
    shelves: Mapping[str, Shelf]

    def marks(self, tokens: Sequence[Token]) -> list[Mark]:
        """The marks of a text, in order; every token is in one."""
        found: list[Mark] = []
        at = 0
        fuzzy = 0
        while at < len(tokens):
            new = self._window(tokens, at) or tuple(self._single(tokens[at]))
            if new[0].kind == "word" and fuzzy < _MAX_FUZZY:
                fuzzy += 1
                new = (self._mistyped(new[0]),)
            found.extend(new)
            at += max(1, sum(len(mark.tokens) for mark in new) if len(new) == 1 else 1)
        return found

    def _window(self, tokens: Sequence[Token], at: int) -> tuple[Mark, ...]:
        """The longest run of tokens from here that means something together."""
        most = next(
            (n for n in range(1, MAX_WINDOW) if at + n >= len(tokens) or tokens[at + n].start),
            MAX_WINDOW,
        )
        for length in range(most, 0, -1):
            run = tuple(tokens[at : at + length])
            mark = self._entry(run) or (self._known(run) if length <= MAX_WORDS else None)
            if mark is not None:
                return (mark,)
        return ()

    def _entry(self, run: tuple[Token, ...]) -> Mark | None:
        if any(token.kind == "sign" for token in run):
            return None
        if len(run) > 1 and any(token.text.casefold() in self.words.stop for token in run):
            return None
        text = " ".join(token.text for token in run)
        for target in self.vocabulary.book.inputs.values():
            shelf = self.shelves.get(target.catalogue)
            if shelf is not None:
                ids = shelf.exactly(text) or (shelf.exactly(text[:-1]) if _plural(text) else ())
                if ids:
                    return Mark("entry", run, entry=(target.name, ids))
        return None

    def _known(self, run: tuple[Token, ...]) -> Mark | None:
        key = "".join(token.key for token in run)
        names, meant = self._names(key), self.vocabulary.values.get(key, ())
        if meant and key in self.vocabulary.ends:
            names = ()
        own = [one for one in meant if one.name in names]
        if own:
            return Mark("value", run, meant=tuple(own))
        if names:
            return Mark("name", run, names, meant)
        return Mark("value", run, meant=meant) if meant else None

    def _names(self, key: str) -> tuple[str, ...]:
        """The inputs of a name, in the singular or the plural."""
        names = self.vocabulary.names
        found = names.get(key, ())
        if not found and len(key) > _SHORT and key.isascii():
            found = names.get(key.removesuffix("s")) or names.get(f"{key}s", ())
        return found

    def _single(self, token: Token) -> Iterator[Mark]:
        if token.kind == "number":
            yield Mark("number", (token,))
            return
        parts = _GLUED.fullmatch(token.text.casefold())
        if token.kind == "word" and parts and parts[1].strip("-_") in self.vocabulary.names:
            name = parts[1].strip("-_")
            key = Token("word", token.text, name, start=token.start)
            yield Mark("name", (key,), self.vocabulary.names[name])
            k = parts[3] == "k"
            value = float(parts[2]) * (1000 if k else 1)
            thousands = float(parts[2]) if k else None
            yield Mark(
                "number", (Token("number", parts[2] + parts[3], "", value, None, thousands),)
            )
            return
        yield Mark(self._kind(token.text.casefold(), token.key), (token,))

    def _kind(self, text: str, key: str) -> MarkKind:
        spoken = self.words
        for kind, group in (
            ("not", spoken.negation),
            ("times", spoken.times),
            ("link", spoken.link),
            ("yes", spoken.yes),
            ("no", spoken.no),
            ("stop", spoken.stop),
        ):
            if text in group or key in group:
                return kind  # type: ignore[return-value]
        return "word" if any(char.isalnum() for char in key) else "stop"

    def _mistyped(self, mark: Mark) -> Mark:
        known = (*self.vocabulary.names, *self.vocabulary.values)
        close = alike(mark.token.key, known)
        if close is None:
            return mark
        names = self.vocabulary.names.get(close, ())
        meant = self.vocabulary.values.get(close, ())
        kind: MarkKind = "name" if names else "value"
        return mark._replace(kind=kind, inputs=names, meant=meant, read_as=close)


_GLUED = re.compile(r"([a-z_-]+?)([0-9]+(?:\.[0-9]+)?)(k?)")
_MAX_FUZZY = 40
_SHORT = 3


def _plural(text: str) -> bool:
    return len(text) > 2 and text[-1] in "sS" and text[-2].isalnum()
