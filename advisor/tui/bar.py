"""A stacked bar with a limit: which part fills which cell. No colour and no terminal in here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

GLYPHS = "█▓▒░▚▞"
"""One for each part, so that a bar reads without colour; the last stands for all further parts."""
LIMIT = "┃"
EMPTY = "·"


class Cell(NamedTuple):
    """One column: its glyph, its part (-1: none), and whether it is over the limit."""

    glyph: str
    part: int
    is_over: bool = False


def glyph(part: int) -> str:
    """The glyph of a part by its place."""
    return GLYPHS[min(part, len(GLYPHS) - 1)]


def cells(parts: Sequence[float], limit: float | None, columns: int) -> list[Cell]:
    """The columns of a bar whose whole length stands for the limit or the sum, what is more."""
    total = sum(parts)
    whole = max(total, limit or 0.0)
    if columns <= 0 or whole <= 0:
        return []
    ends: list[float] = []
    for part in parts:
        ends.append((ends[-1] if ends else 0.0) + part)
    mark = None if limit is None else min(columns - 1, int(limit / whole * columns))
    drawn: list[Cell] = []
    for column in range(columns):
        if column == mark:
            drawn.append(Cell(LIMIT, -1))
            continue
        middle = (column + 0.5) / columns * whole
        part = next((at for at, end in enumerate(ends) if middle < end), -1)
        over = limit is not None and middle > limit
        drawn.append(Cell(glyph(part) if part >= 0 else EMPTY, part, over and part >= 0))
    return drawn
