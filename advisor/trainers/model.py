"""What a trainer file says, checked: how to know a file, what its keys mean, what absence means."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from advisor.errors import Span
from advisor.rulebook.model import NO_TEXT, Text

Role = Literal["main", "companion"]
Syntax = Literal["yaml", "shell", "python"]

NOTHING: Any = object()
"""What ``value`` holds where a rule names none; a value may be anything, nothing included."""


class Test(NamedTuple):
    """One key of a condition: its paths, and the kind or the words (patterns) its value must be."""

    paths: tuple[str, ...]
    kind: str = ""
    words: tuple[str, ...] = ()


class Condition(NamedTuple):
    """Holds when every test does and, where ``company`` lists keys, one of those is set."""

    tests: tuple[Test, ...]
    company: tuple[str, ...] = ()


class Signature(NamedTuple):
    """What a file of one syntax must have: all, at least one, and none of the conditions."""

    syntax: Syntax
    all: tuple[Condition, ...] = ()
    any: tuple[Condition, ...] = ()
    none: tuple[Condition, ...] = ()


class Where(NamedTuple):
    """What another input must be: one of these words, or more than a number."""

    input: str
    words: frozenset[str] = frozenset()
    more_than: float | None = None


class Since(NamedTuple):
    """The versions of a package that something is true for, both ends included."""

    package: str
    first: tuple[int, ...] = ()
    last: tuple[int, ...] = ()
    text: str = ""


class Guard(NamedTuple):
    """When a read or a meaning of absence applies."""

    when: tuple[Condition, ...] = ()
    unless: tuple[Condition, ...] = ()
    where: tuple[Where, ...] = ()
    since: Since | None = None


class Factor(NamedTuple):
    """What a number is multiplied or divided with: a number, another key, or another input.

    A key that is not there, or an input that nobody gives, counts as 1 (0 where it is added).
    """

    number: float = 1.0
    paths: tuple[str, ...] = ()
    input: str = ""


class Scale(NamedTuple):
    """``plus`` first, then ``times`` and ``over``, rounded ``up``, ``down`` or not at all."""

    plus: tuple[Factor, ...] = ()
    times: tuple[Factor, ...] = ()
    over: tuple[Factor, ...] = ()
    round: str = ""


class Absent(NamedTuple):
    """What it means that a key is not there: a value, another input's value, or nobody knows."""

    guard: Guard
    value: Any = NOTHING
    input: str = ""
    unknown: Text = NO_TEXT
    source: str = ""


class Read(NamedTuple):
    """How one input is read from a file; the steps are taken in the order of the fields."""

    guard: Guard
    paths: tuple[str, ...] = ()
    value: Any = NOTHING
    skip: frozenset[str] = frozenset()
    pick: str = ""
    split: str = ""
    counts: bool = False
    last_segment: str = ""
    match: tuple[tuple[str, str], ...] = ()
    map: Mapping[str, Any] | None = None
    other: Any = NOTHING
    scale: Scale | None = None
    union: tuple["Read", ...] = ()
    must_agree: bool = False
    source: str = ""


class Reading(NamedTuple):
    """All reads of one input, the first that says something counts, and what absence means."""

    reads: tuple[Read, ...] = ()
    absent: tuple[Absent, ...] = ()


class Unknowable(NamedTuple):
    """Something a file may say that its translation cannot carry over; ``leaves`` inputs open."""

    when: tuple[Condition, ...]
    unless: tuple[Condition, ...]
    note: Text
    leaves: tuple[str, ...] = ()
    where: tuple[Where, ...] = ()


class Inner(NamedTuple):
    """A file within the file: a map of another format, or text of another syntax."""

    paths: tuple[str, ...]
    trainer: str = ""
    syntax: str = ""


class Format(NamedTuple):
    """One trainer's own file format, as ``rules/trainers/NAME.yaml`` says it.

    ``strength`` decides between files that say different things: the higher one counts.
    ``known`` are the first words of every key the file speaks of.
    """

    name: str
    title: str
    package: str
    role: Role
    strength: float
    refuse: Text
    signatures: tuple[Signature, ...]
    reads: Mapping[str, Reading]
    unknowable: tuple[Unknowable, ...]
    files: tuple[str, ...]
    inner: tuple[Inner, ...]
    known: frozenset[str]
    span: Span
