"""What a catalogue holds: entries and their facts."""

from collections.abc import Mapping
from typing import NamedTuple

from advisor.errors import Span


class Fact(NamedTuple):
    """One thing known about an entry: the value as the file has it, and who says so.

    ``value`` is a number, a boolean, text such as ``24 GiB``, or, for a table, a tuple of dicts.
    ``checked`` is the day somebody looked (empty for a user's own file).
    """

    value: object
    source: str
    checked: str = ""
    span: Span | None = None


class Entry(NamedTuple):
    """A GPU or a model with its facts by name; ``kind`` is ``gpus`` or ``models``."""

    kind: str
    id: str
    name: str
    path: str
    verified: bool
    facts: Mapping[str, Fact]
    aliases: tuple[str, ...] = ()
