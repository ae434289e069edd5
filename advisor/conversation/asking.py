"""Lines that ask: what would be, which is better, what a word means. They are no answers."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Literal, NamedTuple

from advisor.conversation.crash import find_crash
from advisor.conversation.reading import Reading
from advisor.conversation.slots import read_text
from advisor.conversation.spoken import Asks
from advisor.conversation.state import State
from advisor.conversation.tokens import MAX_TEXT, clean, key_of
from advisor.conversation.world import World
from advisor.rulebook.model import Value

_GAP = "…"
_BETWEEN = ".{1,80}?"  # characters that may stand for a gap
_MOST = 8  # questions of a line
_MOST_PIVOTS = 6  # places of a line at which two sides are tried
_LONGEST = 400  # characters of a question that compares
# Compiled on first use, which is after the first question is on the screen.
_ENDS = r"[?!？！。\n]+|\.(?=\s|$)"
_CLAUSES = rf"{_ENDS}|[，；：]|[,;:](?=\s|$)"


class Inquiry(NamedTuple):
    """A question that is no answer.

    ``about`` is the input that one about a word, or a comparison, is about. ``values`` are what a
    comparison names. ``reading`` holds what else the question supposes.
    """

    kind: Literal["word", "supposed", "compared"]
    about: str = ""
    values: tuple[Value, ...] = ()
    reading: Reading = Reading()


class Line(NamedTuple):
    """The questions of a line, and what it says beside them.

    ``unread`` is what was left when there were too many questions.
    """

    asked: tuple[Inquiry, ...]
    said: str
    unread: str = ""


Found = tuple[Inquiry, int, int]
"""A question, and where it begins and ends in its line."""


def inquiries(world: World, state: State, text: str) -> Line | None:
    """What a line asks; None for a line that only says something, or asks for the verdict."""
    line = clean(text[:MAX_TEXT])
    asks = world.marker.words.asks
    describes = not state.answers and re.search(_any(asks.feasible), line.casefold())
    asked: list[Inquiry] = []
    while len(asked) < _MOST:
        found = _word_asked(world, line)
        if found is None and not describes:
            found = _compared(world, line) or _supposed(world, line)
        if found is None:
            break
        one, first, last = found
        asked.append(one)
        line = f"{line[:first]} {line[last:]}"
    if len(asked) == _MOST:
        return Line(tuple(asked), "", line.strip())
    return Line(tuple(asked), line) if asked else None


def is_question(text: str, asks: Asks) -> bool:
    """Whether a sentence is put as a question."""
    folded = text.casefold().strip()
    opened = re.match(rf"(?:{_any(asks.opens)})", folded)
    return bool(opened) or any(_stands(one, folded) for one in asks.closes)


def clause(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the part of a sentence begins that has ``start`` in it, and where the sentence ends."""
    ends = [one.end() for one in re.finditer(_CLAUSES, text[:start])]
    following = re.search(_ENDS, text[end:])
    return (ends[-1] if ends else 0), (end + following.end() if following else len(text))


def _word_asked(world: World, line: str) -> Found | None:
    """``what is lora?``: the input that has this name, or this for a value."""
    for first, last in _sentences(line):
        one = _explained(world, line[first:last])
        if one is not None:
            return one, first, last
    return None


def _explained(world: World, sentence: str) -> Inquiry | None:
    words = world.marker.words
    folded = " ".join(sentence.casefold().split()).strip(" ?.!？。")
    trails = [one.split() for one in words.asks.trails]
    for phrase in sorted(words.explains, key=len, reverse=True):
        rest = folded.removeprefix(phrase) if phrase.isascii() else folded.replace(phrase, "", 1)
        if rest in (folded, "") or (phrase.isascii() and rest[0] != " "):
            continue
        parts = rest.split()
        while parts and parts[0] in words.reaches:
            parts = parts[1:]
        while parts and (last := next((one for one in trails if parts[-len(one) :] == one), None)):
            parts = parts[: -len(last)]
        found = _meant(world, parts)
        if found is not None:
            return found
    return None


def _meant(world: World, parts: list[str]) -> Inquiry | None:
    """What some words mean, where all of them do, or the first few and the others set nothing."""
    known = world.marker.vocabulary
    for length in range(len(parts), 0, -1):
        text = " ".join(parts[:length])
        meant = known.values.get(key_of(text), ())
        name = known.named(text) or (meant[0].name if meant else None)
        if name is None or not key_of(text):
            continue
        if length < len(parts):
            whole = read_text(" ".join(parts), world.marker)
            if whole.unclear or {one.name for one in whole.found} - {name}:
                return None
        values = tuple(one.value for one in meant if one.name == name)
        return Inquiry("word", about=name, values=values)
    return None


def _supposed(world: World, line: str) -> Found | None:
    words = world.marker.words
    tables = [one for it in words.intents if it.is_table for one in it.phrases]
    for phrase in words.asks.supposes:
        found = re.search(_pattern(phrase), line, re.IGNORECASE)
        if found is None:
            continue
        first, last = clause(line, found.start(), found.end())
        if not phrase.startswith(_GAP):
            first = found.start()
        elif not any(map(str.isalnum, line[first : found.start()])):  # packing: would that help
            ends = [it.end() for it in re.finditer(_ENDS, line[:first])]
            first = ends[-1] if ends else 0
        asked = line[first:last]
        if any(one in " ".join(asked.casefold().split()) for one in tables):
            continue
        for piece in filter(None, phrase.split(_GAP)):
            asked = re.sub(_word(piece), " ", asked, count=1, flags=re.IGNORECASE)
        if find_crash(asked, words)[0] is not None:
            continue
        reading = read_text(asked, world.marker)
        if reading.found or reading.unclear or reading.refused:
            return Inquiry("supposed", reading=reading), first, last
    return None


def _compared(world: World, line: str) -> Found | None:
    words = world.marker.words
    tried = 0
    for first, last in _sentences(line):
        sentence = line[first:last]
        if len(sentence) > _LONGEST or not is_question(sentence, words.asks):
            continue
        beside = words.asks.beside
        if re.search(_any(words.asks.compares), sentence, re.IGNORECASE):
            beside = (*beside, *words.asks.joined)
        for found in re.finditer(_any(beside), sentence, re.IGNORECASE):
            tried += 1
            if tried > _MOST_PIVOTS:
                return None
            sides = _sides(world, sentence, found.start(), found.end())
            if sides is not None:
                return sides, first, last
    return None


def _sides(world: World, sentence: str, end: int, start: int) -> Inquiry | None:
    """What stands on both sides of an ``or``, where that is two values of one input."""
    parts = (sentence[:end], sentence[start:])
    for near, far in (parts, parts[::-1]):
        one = read_text(near, world.marker)
        for name, values in reversed(tuple(_values(one).items())):
            other = read_text(far, world.marker, world.book.inputs[name])
            others = [value for value in _values(other).get(name, ()) if value not in values]
            if not others:
                continue
            both = (one, other)
            found = {it.name: it for side in both for it in side.found if it.name != name}
            unclear = {it.name: it for side in both for it in side.unclear if it.name != name}
            reading = Reading(tuple(found.values()), tuple(unclear.values()))
            ordered = (*values, *others) if near == parts[0] else (*others, *values)
            return Inquiry("compared", about=name, values=ordered, reading=reading)
    return None


def _values(reading: Reading) -> dict[str, tuple[Value, ...]]:
    known: dict[str, tuple[Value, ...]] = {one.name: one.candidates for one in reading.unclear}
    return known | {one.name: (one.value,) for one in reading.found}


def _sentences(line: str) -> Iterator[tuple[int, int]]:
    first = 0
    for end in re.finditer(_ENDS, line):
        yield first, end.end()
        first = end.end()
    yield first, len(line)


def _stands(word: str, folded: str) -> bool:
    return folded.rstrip(" ?？").endswith(word) or folded.endswith(word)


@cache
def _pattern(phrase: str) -> str:
    return _BETWEEN.join(_word(one) for one in phrase.split(_GAP) if one)


@cache
def _any(words: tuple[str, ...]) -> str:
    return "|".join(map(_pattern, words))


def _word(piece: str) -> str:
    """A piece of a phrase: whole words where words have blanks between them."""
    text = re.escape(piece.strip())
    return rf"(?<![A-Za-z]){text}(?![A-Za-z])" if piece.isascii() else text
