"""What a visitor's page may send: keys, sizes, and whether it has the focus."""

from __future__ import annotations

import json
from typing import NamedTuple

MOST_COLUMNS, MOST_ROWS = 500, 200


class Typed(NamedTuple):
    """Keys, clicks and pastes as a terminal writes them."""

    data: bytes


class Resized(NamedTuple):
    """The size of the window in cells."""

    columns: int
    rows: int


class Pinged(NamedTuple):
    """A question whether somebody is there."""

    data: str


class Focused(NamedTuple):
    """The page came to the front, or went from it."""

    has_focus: bool


Packet = Typed | Resized | Pinged | Focused


def read_packet(text: str) -> Packet | None:
    """One message of a page; None for what no page of ours sends."""
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return None
    match read:
        case ["stdin", str(data)]:
            return Typed(data.encode("utf-8", "replace"))
        case ["resize", {"width": int(width), "height": int(height)}]:
            return size(width, height)
        case ["ping", str(data)] if len(data) <= 32:
            return Pinged(data)
        case ["focus"]:
            return Focused(True)
        case ["blur"]:
            return Focused(False)
    return None


def size(columns: int, rows: int) -> Resized:
    """A size that can be drawn: a page may ask for any."""
    return Resized(min(max(columns, 1), MOST_COLUMNS), min(max(rows, 1), MOST_ROWS))


def asked_size(columns: str, rows: str) -> Resized:
    """The size that a page asks for with its first request; 80 by 24 where it says none."""
    if all(one.isascii() and one.isdigit() and len(one) < 6 for one in (columns, rows)):
        return size(int(columns), int(rows))
    return Resized(80, 24)
