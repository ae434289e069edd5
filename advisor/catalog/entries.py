"""What a catalogue holds: entries and their facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from advisor.errors import Span


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing known about an entry: the value as the file has it, and who says so.

    ``value`` is a number, a boolean, text such as ``24 GiB``, or, for a table, a tuple of dicts.
    ``checked`` is the day somebody looked (empty for a user's own file).
    """

    value: object
    source: str
    checked: str = ""
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A GPU or a model with its facts by name; ``kind`` is ``gpus`` or ``models``."""

    kind: str
    id: str
    name: str
    path: str
    verified: bool
    facts: Mapping[str, Fact]
    aliases: tuple[str, ...] = ()
