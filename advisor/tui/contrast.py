"""Colours of a theme, moved until text in them can be read on all the grounds it stands on."""

from __future__ import annotations

from collections.abc import Mapping

from textual.color import BLACK, WHITE, Color, ColorParseError

LEAST = 4.5
"""The contrast ratio that WCAG 2.2 asks of text (AA)."""
_GROUNDS = ("background", "surface", "panel")
_TEXTS = (
    "foreground",
    "foreground-muted",
    "text-primary",
    "text-accent",
    "text-success",
    "text-warning",
    "text-error",
)
_STEPS = 20
_ROUNDING = 0.05  # a terminal has 256 shades of each colour


def contrast(one: Color, other: Color) -> float:
    """How far apart two colours are: 1 (the same) to 21 (black and white)."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def readable(variables: Mapping[str, str]) -> dict[str, str]:
    """The variables of a theme, with text colours that stand out.

    A theme of the terminal's own colours stays as it is: nobody here knows what they look like.
    """
    found = dict(variables)
    try:
        grounds = [Color.parse(found[name]) for name in _GROUNDS]
        texts = {name: Color.parse(found[name]) for name in _TEXTS}
    except (ColorParseError, KeyError):
        return found
    if any(colour.ansi is not None or colour.a < 1 for colour in grounds):
        return found
    for name, colour in texts.items():
        if colour.ansi is None:
            found[name] = _moved(grounds[0].blend(colour, colour.a, 1.0), grounds).hex
    return found


def _moved(colour: Color, grounds: list[Color]) -> Color:
    """The colour, nearer to black or white by as little as it takes."""
    away = max((BLACK, WHITE), key=lambda end: contrast(end, grounds[0]))
    for step in range(_STEPS):
        moved = colour.blend(away, step / _STEPS)
        if all(contrast(moved, ground) >= LEAST + _ROUNDING for ground in grounds):
            return moved
    return away


def _luminance(colour: Color) -> float:
    parts = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in colour.normalized
    )
    return sum(part * share for part, share in zip(parts, (0.2126, 0.7152, 0.0722), strict=True))
