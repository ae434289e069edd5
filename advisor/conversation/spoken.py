"""The words people use whatever the rules are: yes and no, numbers, units, what means nothing."""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from advisor.source import read_file
from advisor.units import Unit, parse_unit

_FOLDER = Path(__file__).with_name("words")
LANGUAGES = ("en", "zh")


class Intent(NamedTuple):
    """A command that a sentence asks for when one of the phrases stands in it."""

    phrases: tuple[str, ...]
    run: str

    @property
    def is_table(self) -> bool:
        """Whether it compares, which rests on everything that is known by then."""
        return self.run.startswith("/compare")


class Asks(NamedTuple):
    """What makes a sentence a question, so that the values in it are no answers.

    ``supposes`` ask what would be, ``compares`` which is better, with ``…`` for what stands
    between; one that begins with it is about what stands before. ``beside`` stand between two
    values of any question, ``joined`` only of one that compares. ``opens`` and ``closes`` are how
    questions begin and end, ``feasible`` is in those that describe a run, ``trails`` ends those
    about a word.
    """

    supposes: tuple[str, ...]
    compares: tuple[str, ...]
    beside: tuple[str, ...]
    joined: tuple[str, ...]
    opens: tuple[str, ...]
    closes: tuple[str, ...]
    feasible: tuple[str, ...]
    trails: tuple[str, ...]


class Words(NamedTuple):
    """The words of all languages together: people mix them."""

    yes: frozenset[str]
    no: frozenset[str]
    unknown: frozenset[str]
    negation: frozenset[str]
    link: frozenset[str]
    times: frozenset[str]
    per: frozenset[str]
    fold: frozenset[str]
    crash: frozenset[str]
    stop: frozenset[str]
    describes: frozenset[str]
    holds: frozenset[str]
    reaches: frozenset[str]
    correction: frozenset[str]
    either: frozenset[str]
    between: frozenset[str]
    variant: frozenset[str]
    other: frozenset[str]
    limits: frozenset[str]
    joins: frozenset[str]
    currencies: frozenset[str]
    explains: frozenset[str]
    past: frozenset[str]
    whole: frozenset[str]
    same: frozenset[str]
    choices: frozenset[str]
    apart: frozenset[str]
    spread: frozenset[str]
    of: frozenset[str]
    absent: frozenset[str]
    alternative: frozenset[str]
    change: frozenset[str]
    into: frozenset[str]
    prefer: frozenset[str]
    over: frozenset[str]
    added: frozenset[str]
    machines: frozenset[str]
    turns: frozenset[str]
    many: Mapping[str, float]
    multiples: Mapping[str, float]
    halves: Mapping[str, float]
    scale: Mapping[str, float]
    units: Mapping[str, Unit]
    like: Mapping[str, frozenset[str]]
    ordinals: Mapping[str, float]
    glued: Mapping[str, float]
    intents: tuple[Intent, ...]
    asks: Asks
    lasted: tuple[str, ...]

    @property
    def lexicon(self) -> frozenset[str]:
        """Every word that is known here, for cutting text that has no blanks."""
        groups = [getattr(self, name) for name in self._fields[:_WORDS]]
        return frozenset().union(*groups)


@cache
def words() -> Words:
    """The words as the files have them."""
    files = [read_file(_FOLDER / f"{name}.yaml", f"words/{name}.yaml").data for name in LANGUAGES]
    return Words(
        **{key: frozenset(_all(files, key)) for key in Words._fields[:_SETS]},
        many=dict(_pairs(files, "many")),
        multiples=dict(_pairs(files, "multiples")),
        halves=dict(_pairs(files, "halves")),
        scale=dict(_pairs(files, "scale")),
        units={word: parse_unit(unit) for unit, group in _pairs(files, "units") for word in group},
        like={word: frozenset(group) for word, group in _pairs(files, "like")},
        glued=dict(_pairs(files, "glued")),
        ordinals=dict(_pairs(files, "ordinals")),
        intents=tuple(
            Intent(tuple(one["words"]), one["run"]) for data in files for one in data["intents"]
        ),
        asks=Asks(*(tuple(_nested(files, "asks", key)) for key in Asks._fields)),
        lasted=tuple(_all(files, "lasted")),
    )


_SETS = Words._fields.index("many")
_WORDS = Words._fields.index("intents")  # the sets, and the maps after them


def _all(files: list[Any], key: str) -> Iterator[str]:
    for data in files:
        yield from data.get(key, ())


def _nested(files: list[Any], group: str, key: str) -> Iterator[str]:
    for data in files:
        yield from data[group].get(key, ())


def _pairs(files: list[Any], key: str) -> Iterator[tuple[str, Any]]:
    for data in files:
        yield from data.get(key, {}).items()
