"""Patterns with ``*`` and named parts, matched in time that grows with the text and no faster."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

_WILD = re.compile(r"\*|\{([a-z_]+)\}")


class Pattern(NamedTuple):
    """Fixed texts with gaps between them; ``parts`` names each gap (empty for ``*``)."""

    texts: tuple[str, ...]
    parts: tuple[str, ...]


@lru_cache(4096)
def pattern(written: str) -> Pattern:
    """The pattern of a text such as ``*zero{stage}.json``; upper and lower case are alike."""
    texts: list[str] = []
    parts: list[str] = []
    at = 0
    for found in _WILD.finditer(written):
        texts.append(written[at : found.start()].lower())
        parts.append(found[1] or "")
        at = found.end()
    texts.append(written[at:].lower())
    return Pattern(tuple(texts), tuple(parts))


def match(text: str, one: Pattern) -> Mapping[str, str] | None:
    """The named parts of a text that the pattern covers as a whole, or None.

    Every gap is as short as the next fixed text lets it be, the last one takes the rest; nothing
    is tried twice.
    """
    lower = text.lower()
    if len(lower) != len(text):  # a letter whose small form is longer
        lower = text
    first, last = one.texts[0], one.texts[-1]
    if not one.parts:
        return {} if lower == first else None
    end = len(text) - len(last)
    if end < len(first) or not lower.startswith(first) or not lower.endswith(last):
        return None
    found: dict[str, str] = {}
    at = len(first)
    for name, following in zip(one.parts[:-1], one.texts[1:-1], strict=True):
        start = lower.find(following, at, end)
        if start < 0:
            return None
        if name:
            found[name] = text[at:start]
        at = start + len(following)
    if one.parts[-1]:
        found[one.parts[-1]] = text[at:end]
    return found


def matches(text: str, written: str) -> bool:
    """Whether a text is the word, or what the pattern covers."""
    if "*" in written:
        return match(text, pattern(written)) is not None
    return text == written
