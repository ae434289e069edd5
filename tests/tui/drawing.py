"""The cells on the screen: as colours to measure, and as a picture that asks for nothing outside.

Textual's own screenshots name a font on a server and number their classes by what is in them; these
are the same cells, in whatever even-spaced font there is, and the same run after run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple
from xml.sax.saxutils import escape

from rich.color import ColorType
from rich.segment import Segment
from rich.style import Style

from advisor.report.phrases import width
from tests.tui.driving import Seat

CELL, LINE = 10, 20
"""Points that a cell is wide and high."""
FONT = "16.61px 'DejaVu Sans Mono', Menlo, 'Noto Sans Mono CJK SC', Consolas, monospace"
"""At this size the first two are exactly as wide as a cell; ``textLength`` sees to the others."""
EDGE = 12

Colour = tuple[int, int, int]


class Cell(NamedTuple):
    """One character: its colours as they are seen, and how it is set."""

    text: str
    colour: Colour
    ground: Colour
    is_bold: bool = False
    is_underlined: bool = False

    @property
    def look(self) -> tuple[Colour, bool, bool]:
        return self.colour, self.is_bold, self.is_underlined


def rows(seat: Seat) -> list[list[Cell]]:
    """The cells on the screen, row by row; a wide character is one of them."""
    strips = seat.app.screen._compositor.render_strips()
    return [[cell for segment in strip for cell in _cells(seat, segment)] for strip in strips]


def _cells(seat: Seat, segment: Segment) -> Iterator[Cell]:
    style = segment.style or Style()
    colour, ground = _seen(seat, style, True), _seen(seat, style, False)
    if style.reverse:
        colour, ground = ground, colour
    if style.dim:
        colour = _mixed(colour, ground)
    for char in segment.text:
        yield Cell(char, colour, ground, bool(style.bold), bool(style.underline))


def _seen(seat: Seat, style: Style, is_front: bool) -> Colour:
    theme = seat.app.ansi_theme
    colour = style.color if is_front else style.bgcolor
    if colour is None or colour.type is ColorType.DEFAULT:
        red, green, blue = theme.foreground_color if is_front else theme.background_color
    else:
        red, green, blue = colour.get_truecolor(theme, is_front)
    return red, green, blue


def _mixed(one: Colour, other: Colour) -> Colour:
    red, green, blue = ((a + b) // 2 for a, b in zip(one, other, strict=True))
    return red, green, blue


def picture(seat: Seat, title: str) -> str:
    """An SVG of the screen; ``title`` is what is said in place of it."""
    drawn = rows(seat)
    page = Counter(cell.ground for row in drawn for cell in row).most_common(1)[0][0]
    wide, high = seat.app.size.width * CELL + 2 * EDGE, seat.app.size.height * LINE + 2 * EDGE
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>text {{ font: {FONT}; white-space: pre; }}",
        ".b { font-weight: bold; } .u { text-decoration: underline; }</style>",
        f'<rect width="{wide}" height="{high}" rx="8" fill="{_hex(page)}"/>',
    ]
    for at, row in enumerate(drawn):
        y = EDGE + at * LINE
        lines += _grounds(row, y, page)
        lines += _texts(row, y)
    return "\n".join([*lines, "</svg>"]) + "\n"


def _grounds(row: list[Cell], y: int, page: Colour) -> Iterator[str]:
    x = EDGE
    for ground, cells in groupby(row, key=lambda cell: cell.ground):
        across = CELL * sum(width(cell.text) for cell in cells)
        if ground != page:
            place = f'x="{x}" y="{y}" width="{across}" height="{LINE}"'
            yield f'<rect {place} fill="{_hex(ground)}" shape-rendering="crispEdges"/>'
        x += across


def _texts(row: list[Cell], y: int) -> Iterator[str]:
    x = EDGE
    for (colour, is_bold, is_underlined), cells in groupby(row, key=lambda cell: cell.look):
        text = "".join(cell.text for cell in cells)
        across = width(text)
        if text.strip() or is_underlined:
            blanks = len(text) - len(text.lstrip())
            shown = text.strip().replace(" ", "\u00a0")
            looks = " ".join(name for name, on in (("b", is_bold), ("u", is_underlined)) if on)
            place = f'x="{x + blanks * CELL}" y="{y + 15}" textLength="{width(shown) * CELL}"'
            of = f' class="{looks}"' if looks else ""
            yield f'<text {place} fill="{_hex(colour)}"{of}>{escape(shown)}</text>'
        x += across * CELL


def _hex(colour: Colour) -> str:
    return "#" + "".join(f"{part:02x}" for part in colour)
