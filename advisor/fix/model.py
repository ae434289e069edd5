"""What is mended, and what mending comes to."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from advisor.check import CheckResult
from advisor.errors import Problem
from advisor.ladder import Plan
from advisor.rulebook.model import Input, Value
from advisor.source import Document
from advisor.trainers.keys import Found
from advisor.trainers.writes import Trainer


class Source(NamedTuple):
    """A file as it was read, and how to read another text in its place.

    ``trainer`` is None for a scenario. ``places`` are the keys that inputs were read from, in this
    file; ``doubts`` are the warnings of reading it, ``unclear`` says of which inputs it was not
    understood. ``read`` parses a text as the file is parsed, and ``check`` judges the run with that
    text instead of the file's; both raise FileProblems. ``replan`` gives the plan that leaves some
    more inputs as they are.
    """

    file: str
    data: bytes
    inputs: Mapping[str, Input]
    trainer: Trainer | None
    places: Mapping[str, Found]
    doubts: tuple[Problem, ...]
    unclear: Mapping[str, Problem]
    read: Callable[[str], Document]
    check: Callable[[str], CheckResult]
    replan: Callable[[frozenset[str]], Plan | None]


class Changed(NamedTuple):
    """An input that a fix changes; ``is_planned`` is false for what follows in the trainer."""

    input: str
    was: Value | None
    now: Value | None
    is_planned: bool


class Fixed(NamedTuple):
    """The file's text and bytes before and after, what changes, and the result of a check then.

    ``left`` are inputs that the plan shown would change and the file cannot: another plan is in it.
    """

    file: str
    before: str
    after: str
    raw: bytes
    data: bytes
    changes: tuple[Changed, ...]
    result: CheckResult
    left: frozenset[str] = frozenset()
