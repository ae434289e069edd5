"""Tokens taken for what they may mean: an entry, the name of an input, a value, a number."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from advisor.conversation.names import MAX_WINDOW, Shelf
from advisor.conversation.spoken import Words
from advisor.conversation.tokens import Token, key_of
from advisor.conversation.vocabulary import MAX_WORDS, Meant, Vocabulary, alike
from advisor.units import NONE

MarkKind = Literal[
    "entry", "name", "value", "number", "times", "link", "not", "yes", "no", "stop", "word", "other"
]  # fmt: skip


class Mark(NamedTuple):
    """Some tokens and what they may mean.

    ``inputs`` are the inputs they name, ``meant`` the values they stand for, ``entry`` the
    catalogue input and the ids of its entries; ``read_as`` is what a mistyped word was taken for.
    ``other`` is a thing that is none of the inputs though a name stands in it.
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
            new = self._paired(tokens, at) or self._window(tokens, at)
            new = new or tuple(self._single(tokens, at))
            if new[0].kind == "word" and len(new) == 1 and fuzzy < _MAX_FUZZY:
                fuzzy += 1
                new = (self._mistyped(tokens, at, new[0]),)
            found.extend(new)
            at += max(1, sum(len(mark.tokens) for mark in new) if len(new) == 1 else 1)
        return found

    def _paired(self, tokens: Sequence[Token], at: int) -> tuple[Mark, ...]:
        """``a32`` after ``r16`` is no card."""
        token = tokens[at]
        if not at or token.kind != "word" or token.text[:1].casefold() not in self.words.stop:
            return ()
        before = _GLUED.fullmatch(tokens[at - 1].text.casefold())
        if before is None or len(before[1]) > 1 or before[1] not in self.vocabulary.names:
            return ()
        return self._parts(token, (), alone=False)

    def _window(self, tokens: Sequence[Token], at: int) -> tuple[Mark, ...]:
        """The longest run of tokens from here that means something together."""
        most = next(
            (n for n in range(1, MAX_WINDOW) if at + n >= len(tokens) or tokens[at + n].start),
            MAX_WINDOW,
        )
        for length in range(most, 0, -1):
            run = tuple(tokens[at : at + length])
            mark = self._entry(run) or (self._known(run) if length <= MAX_WORDS else None)
            mark = mark or self._spoken(run)
            if mark is not None and not self._is_passing(mark, tokens, at):
                return (mark,)
        return ()

    def _spoken(self, run: tuple[Token, ...]) -> Mark | None:
        """Several words that say no, or that name what is no input."""
        text = " ".join(token.text.casefold() for token in run)
        for kind, group in self._phrases():
            if len(run) > 1 and text in group:
                return Mark(kind, run)
        return Mark("other", run) if self._is_other(text, run) else None

    def _phrases(self) -> tuple[tuple[MarkKind, frozenset[str]], ...]:
        words = self.words
        return (
            ("stop", words.unknown),
            ("not", words.negation),
            ("link", words.link),
            ("yes", words.yes),
            ("no", words.no),
        )

    def _is_other(self, text: str, run: tuple[Token, ...]) -> bool:
        return text.lstrip("-") in self.words.other or (
            "".join(token.key for token in run) in self.words.other
        )

    def _is_passing(self, mark: Mark, tokens: Sequence[Token], at: int) -> bool:
        """``a`` is the name of an input only in ``a=16``."""
        word = mark.token.text.casefold()
        if mark.kind != "name" or len(mark.tokens) > 1 or word not in self.words.stop:
            return False
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        return (
            len(word) == 1
            and word.isascii()
            and (following is None or following.text not in ("=", ":"))
        )

    def _entry(self, run: tuple[Token, ...]) -> Mark | None:
        if any(token.kind == "sign" and token.text not in "xX" for token in run):
            return None
        if "sign" in (run[0].kind, run[-1].kind) or any(token.foreign for token in run):
            return None
        if len(run) > 1 and any(
            token.text.casefold() in self.words.stop and len(token.text) < _SHORT for token in run
        ):
            return None
        if any("/" in token.text for token in run[1:]):
            return None  # an organisation begins a name
        text = " ".join(token.text for token in run)
        for target in self.vocabulary.book.inputs.values():
            shelf = self.shelves.get(target.catalogue)
            if shelf is not None:
                ids = shelf.exactly(text) or (shelf.exactly(text[:-1]) if _plural(text) else ())
                if ids:
                    return Mark("entry", run, entry=(target.name, ids))
        return None

    def _known(self, run: tuple[Token, ...]) -> Mark | None:
        if run[-1].text in _ASSIGNS or run[0].text in _ASSIGNS:
            return None
        key = "".join(token.key for token in run if token.text not in _ASSIGNS)
        names, meant = self._names(key), self.vocabulary.values.get(key, ())
        if meant and key in self.vocabulary.ends:
            names = ()
        if self._is_element(meant) and self._are_elements(run):
            return None  # q k v: three modules
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

    def _single(self, tokens: Sequence[Token], at: int) -> Iterator[Mark]:
        token = tokens[at]
        if token.kind == "number":
            yield Mark("number", (token,))
            return
        yield from self._parts(token, tokens[at + 1 : at + 2]) or (
            Mark(self._kind(token.text.casefold(), token.key), (token,)),
        )

    def _parts(
        self, token: Token, following: Sequence[Token], alone: bool = True
    ) -> tuple[Mark, ...]:
        """The parts of ``bs4``, ``4096ctx``, ``no_packing`` and ``1.5m`` rows."""
        names = self.vocabulary.names
        text = token.text.casefold()
        times = _TIMES.fullmatch(text)
        if times and alone:  # 4090 x2
            sign = Token("sign", text[0], "x", start=token.start)
            return Mark("times", (sign,)), Mark("number", (_plain(times[1], ""),))
        first = _GLUED.fullmatch(text)
        if alone and first and first[1] in self.words.stop:
            first = None
        if first and first[1].strip("-_") in names:
            name = first[1].strip("-_")
            key = Token("word", token.text, name, start=token.start)
            return (
                Mark("name", (key,), names[name]),
                Mark("number", (_plain(first[2], first[3]),)),
            )
        last = _GLUED_LAST.fullmatch(text)
        if last and self._names(key_of(last[3])):
            number = _plain(last[1], last[2])._replace(start=token.start)
            word = Token("word", last[3], key_of(last[3]))
            return (Mark("number", (number,)), Mark("name", (word,), self._names(word.key)))
        counted = text[-1:] == "m" and _is_number(text[:-1]) and following
        if counted and any(map(self._is_count, self._names(following[0].key))):
            value = float(text[:-1]) * self.words.multiples["m"]
            return (Mark("number", (token._replace(kind="number", value=value),)),)
        parts = _LIST.split(text)
        halves = [self.vocabulary.values.get(key_of(one), ()) for one in parts]
        if len(halves) > 1 and all(map(self._is_element, halves)):  # q/v
            return tuple(
                Mark(
                    "value",
                    (Token("word", one, key_of(one), start=token.start and not at),),
                    meant=meant,
                )
                for at, (one, meant) in enumerate(zip(parts, halves, strict=True))
            )
        section, dot, rest = text.lstrip("-").rpartition(".")
        apart = self.words.apart & set(re.findall("[a-z]+", section))
        others = {key_of(one) for one in self.words.other}
        if dot and key_of(text) not in others and not apart:
            known = self._known((Token("word", rest, key_of(rest), start=token.start),))
            if known is not None and len(rest) > 1 and section[-1].isalpha():
                return (known,)  # peft.lora_r
        head, dash, rest = text.replace("-", "_").partition("_")
        if dash and head in self.words.negation and key_of(rest) in names:
            word = Token("word", rest, key_of(rest))
            return (
                Mark("not", (Token("word", head, head, start=token.start),)),
                Mark("name", (word,), names[word.key]),
            )
        return ()

    def _are_elements(self, run: tuple[Token, ...]) -> bool:
        values = self.vocabulary.values
        texts = [token.text for token in run if token.kind != "sign"]
        words = [key_of(part) for text in texts for part in _LIST.split(text.casefold())]
        return len(words) > 1 and all(self._is_element(values.get(word, ())) for word in words)

    def _is_element(self, meant: tuple[Meant, ...]) -> bool:
        return any(self.vocabulary.book.inputs[one.name].type == "set" for one in meant)

    def _is_count(self, name: str) -> bool:
        target = self.vocabulary.book.inputs[name]
        return target.type in ("integer", "number") and target.unit.dimension == NONE

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

    def _mistyped(self, tokens: Sequence[Token], at: int, mark: Mark) -> Mark:
        """What a mistyped word, or one with those after it, was meant to be."""
        if mark.token.foreign:
            return mark
        known = self.vocabulary.words
        for length in range(_MOST_MISTYPED, 0, -1):
            run = tuple(tokens[at : at + length])
            if len(run) < length or any(one.start or one.kind != "word" for one in run[1:]):
                continue
            if any(one.text.casefold() in self.words.stop for one in run):
                continue
            close = alike("".join(one.key for one in run), known)
            if close is None:
                continue
            names = self.vocabulary.names.get(close, ())
            meant = self.vocabulary.values.get(close, ())
            kind: MarkKind = "name" if names else "value"
            return Mark(kind, run, names, meant, read_as=close)
        return mark


_TIMES = re.compile(r"[x×]([0-9]{1,4})")
_GLUED = re.compile(r"([a-z_-]+?)([0-9]+(?:\.[0-9]+)?)(k?)")
_GLUED_LAST = re.compile(r"([0-9]+(?:\.[0-9]+)?)(k?)[-_]?([a-z][a-z_-]+|r)")
_MOST_MISTYPED = 2
_MAX_FUZZY = 40
_LIST = re.compile(r"[/+]")
_ASSIGNS = ("=", ":")
_SHORT = 3


def _plural(text: str) -> bool:
    return len(text) > 2 and text[-1] in "sS" and text[-2].isalnum()


def _plain(digits: str, k: str) -> Token:
    """The number of ``2`` and ``k``."""
    value = float(digits) * (1000 if k else 1)
    return Token("number", digits + k, "", value, None, float(digits) if k else None)


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdecimal()
