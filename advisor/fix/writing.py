"""A plan's changes as keys of a file and what is to stand there."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from advisor.fix.words import Plain, number
from advisor.ladder import Plan
from advisor.rulebook.model import Input, Value
from advisor.source import Document, Sequence
from advisor.source.lenient import loose_scalar
from advisor.trainers.keys import Found, find
from advisor.trainers.writes import Trainer, Write


class Written(NamedTuple):
    """A key by its dotted path, the value that goes there, and the input it says."""

    path: str
    value: Plain
    input: str


def net_changes(plan: Plan) -> dict[str, tuple[Value | None, Value]]:
    """What a plan changes in the end: each input with the first old and the last new value."""
    found: dict[str, tuple[Value | None, Value]] = {}
    for rung in plan.rungs:
        for name, (was, now) in rung.changes.items():
            found[name] = (found[name][0] if name in found else was, now)
    return {name: change for name, change in found.items() if change[0] != change[1]}


def in_scenario(target: Input, value: Value) -> Iterator[Written]:
    """An input as a scenario writes it, under its own name."""
    yield Written(target.name, _own(target, value), target.name)


def _own(target: Input, value: Value) -> Plain:
    if isinstance(value, frozenset):
        group = next((name for name, held in target.groups.items() if held == value), None)
        return group or sorted(value)
    if isinstance(value, bool | str):
        return value
    if isinstance(value, tuple):  # a table is no remedy's business
        return None
    unit = target.unit
    if unit.is_label:
        return float(value)
    return f"{number(value / unit.scale)} {unit.name}"


def in_trainer(
    trainer: Trainer,
    target: Input,
    value: Value,
    was: Value | None,
    final: Mapping[str, Value],
    document: Document,
    places: Mapping[str, Found],
) -> Iterator[Written]:
    """An input as a trainer's file writes it; nothing where it cannot say the value.

    Where the file says it already under another of the trainer's keys, and the value is written the
    same there, that key is kept. ``was`` is the value that the file means now: a key that is read
    with a factor (pairs that go through together count twice) is written with it. ``final`` are
    the inputs as the plan leaves them, for keys that are a product of several.
    """
    place = places.get(target.name)
    for write in trainer.writes.get(target.name, ()):
        said = _said(write, target, value, document)
        if said is None or (write.only_there and find(document, write.key) is None):
            continue
        path, word = write.key, said[0]
        if write.times:
            word = _product(word, [final.get(name) for name in write.times])
        elif not write.words and place is not None:
            if find(document, path) is None:
                path = place.path
            if path == place.path:
                word = _scaled(word, place.value, was)
        yield Written(path, word, target.name)


def _product(word: Plain, others: list[Value | None]) -> Plain:
    for other in others:
        if isinstance(word, float) and isinstance(other, int | float):
            word *= other
    return word


def _scaled(word: Plain, there: object, was: Value | None) -> Plain:
    numbers = [one for one in (word, there, was) if type(one) in (int, float)]
    if len(numbers) < 3 or not was or there == was:
        return word
    return float(word) * float(there) / float(was)  # type: ignore[arg-type]


def _said(write: Write, target: Input, value: Value, document: Document) -> tuple[Plain] | None:
    """The trainer's words for a value, in a tuple because nothing is a word too."""
    if not write.key or isinstance(value, tuple):
        return None
    if isinstance(value, frozenset):
        words = [write.words.get(word, word) for word in sorted(value)]
        there = find(document, write.key)
        as_list = there is None or isinstance(there.value, Sequence)
        return (words,) if as_list else (",".join(words),)
    if not write.words:
        return (_own(target, value),)
    name = value if isinstance(value, str) else str(_key(value))
    word = write.words.get(name)
    return None if word is None else (_typed(word),)


def _key(value: float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else number(value)


def _typed(word: str) -> Plain:
    """A word of a rule file as the value it stands for; in brackets, what a list has to hold."""
    if word == "":
        return None
    if word.startswith("[") and word.endswith("]"):
        return tuple(one.strip() for one in word[1:-1].split(","))
    found = loose_scalar(word)
    if isinstance(found, bool):
        return found if word in ("true", "false") else word
    return found if isinstance(found, int | float) else word
