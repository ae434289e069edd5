"""The sentences of reports by language, and how wide a text is on a terminal."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path

from advisor.source import read_file

_FOLDER = Path(__file__).with_name("words")


@cache
def _words(language: str) -> dict[str, str]:
    path = _FOLDER / f"{language}.yaml"
    return {key: str(value) for key, value in read_file(path, path.name).data.items()}


def phrase(language: str, key: str, **values: object) -> str:
    """One sentence with its values filled in."""
    return _words(language)[key].format(**values)


def names(language: str, items: Iterable[str]) -> str:
    """Names in a row."""
    return phrase(language, "list").join(items)


def labelled(language: str, label: str, text: str) -> str:
    """``label: text``."""
    return phrase(language, "labelled", label=label, text=text)


def remarked(language: str, text: str, remark: str) -> str:
    """``text (remark)``; the text alone where there is no remark."""
    return phrase(language, "remarked", text=text, remark=remark) if remark else text


def width(text: str) -> int:
    """Columns a text takes: wide East Asian characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(map(_columns, text))


@lru_cache(4096)
def _columns(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def pad(text: str, columns: int) -> str:
    """The text filled up with blanks to a number of columns."""
    return text + " " * max(0, columns - width(text))


def right(text: str, columns: int) -> str:
    """The text moved to the right end of a number of columns."""
    return " " * max(0, columns - width(text)) + text


def bar(value: float, largest: float, columns: int) -> str:
    """A bar of eighth blocks whose full length stands for ``largest``."""
    if largest <= 0 or value <= 0:
        return ""
    eighths = max(1, round(value / largest * columns * 8))
    return "█" * (eighths // 8) + ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")[eighths % 8]


def wrap(text: str, columns: int, indent: str) -> list[str]:
    """Lines of at most so many columns behind the indent.

    Chinese may break at any character, but no line begins with a mark that closes something, and
    none ends with one that opens it.
    """
    lines: list[str] = []
    line, used, room = "", 0, columns - width(indent)
    for piece in re.findall(_PIECES if max(text, default="") >= _WIDE[0] else _WORDS, text):
        if line and used + width(piece.rstrip()) > room:
            lines.append(indent + line.rstrip())
            line, used = "", 0
        added = piece if line else piece.lstrip()
        line += added
        used += width(added)
    if line.strip():
        lines.append(indent + line.rstrip())
    return lines


_WIDE = "\u2e80-\u9fff\uff00-\uffef"
_OPENING = "（「《【“"
_CLOSING = "，。：；、）」》】？！…”"
_WORDS = r"\S+\s*|\s+"
_PIECES = (  # slow to compile: only for text that needs it
    f"[{_OPENING}]*(?:[{_WIDE}]|[^\\s{_WIDE}{_CLOSING}]+)[{_CLOSING}]*\\s*"
    f"|[{_OPENING}{_CLOSING}]+\\s*|\\s+"
)
