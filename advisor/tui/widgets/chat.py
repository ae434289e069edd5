"""The chat: everything said so far. Only rows on the screen are drawn, however many there are."""

from __future__ import annotations

import re
from typing import ClassVar, NamedTuple

from rich.style import Style as RichStyle
from rich.text import Text
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from advisor.conversation.events import Event, VerdictShown
from advisor.report.phrases import width, wrap
from advisor.tui.panel import command_pattern
from advisor.tui.wording import Wording, safe

_SIGN = re.compile(r"^\s*([✓~✗?≈])(?= )")
_TONES = {"✓": "good", "~": "warning", "✗": "bad", "?": "warning", "≈": "muted"}


class Block(NamedTuple):
    """One thing that was said: by the person (``text``), or by an event."""

    wording: Wording
    event: Event | None = None
    text: str = ""
    tone: str = ""


class Row(NamedTuple):
    """One line on the screen."""

    text: str
    tone: str = ""


class ChatLog(ScrollView, can_focus=False):
    """Blocks, wrapped anew when the width changes; text can be selected, commands clicked."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "chat--person",
        "chat--muted",
        "chat--good",
        "chat--warning",
        "chat--bad",
        "chat--link",
    }

    class Clicked(Message):
        """A command in the text was clicked."""

        def __init__(self, line: str) -> None:
            super().__init__()
            self.line = line

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self.blocks: list[Block] = []
        self.rows: list[Row] = []
        self._columns = 0
        self._command = command_pattern()

    def add(self, blocks: list[Block]) -> None:
        """Show more, beginning with its first row where not all of it has room."""
        start = len(self.rows)
        self.blocks += blocks
        if not self._columns:
            return
        for block in blocks:
            self.rows += self._rows_of(block)
        self._resized()
        self.call_after_refresh(self._show_from, start)

    def _show_from(self, row: int) -> None:
        self.scroll_to(y=min(row, self.max_scroll_y), animate=False, force=True)

    def text(self) -> str:
        """All rows as they stand."""
        return "\n".join(row.text for row in self.rows)

    # -- rows -------------------------------------------------------------------------------------

    def on_resize(self, event: events.Resize) -> None:
        columns = self.scrollable_content_region.width
        if columns != self._columns and columns > 0:
            at_end = self.scroll_offset.y >= self.max_scroll_y - 1
            self._columns = columns
            self.rows = [row for block in self.blocks for row in self._rows_of(block)]
            self._resized()
            if at_end:
                self.call_after_refresh(self.scroll_end, animate=False, force=True)

    def _resized(self) -> None:
        self.virtual_size = Size(self._columns, len(self.rows))
        self.refresh()

    def _rows_of(self, block: Block) -> list[Row]:
        if block.event is None:
            texts = block.text.split("\n")
        else:
            texts = block.wording.of(block.event, self._columns)
        tone = block.tone
        if isinstance(block.event, VerdictShown) and not block.event.outlook.is_settled:
            tone = "muted"
        rows: list[Row] = []
        for text in texts:
            shown = safe(text)
            if width(shown) <= self._columns:
                rows.append(Row(shown, tone))
                continue
            indent = " " * min(len(shown) - len(shown.lstrip()), self._columns // 3)
            found = wrap(shown.strip(), self._columns, indent)
            rows += [Row(piece, tone) for line in found for piece in _broken(line, self._columns)]
        return rows

    # -- drawing ----------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        _, top = self.scroll_offset
        at = top + y
        base = self.rich_style
        if at >= len(self.rows):
            return Strip.blank(self.size.width, base)
        row = self.rows[at]
        text = Text(row.text, no_wrap=True, end="")
        text.stylize(base)
        if row.tone:
            text.stylize(self.get_component_rich_style(f"chat--{row.tone}"))
        sign = _SIGN.match(row.text)
        if sign and not row.tone:
            style = self.get_component_rich_style(f"chat--{_TONES[sign[1]]}")
            text.stylize(style, sign.start(1), sign.end(1))
        for found in self._command.finditer(row.text):
            style = self.get_component_rich_style("chat--link")
            text.stylize(style + RichStyle(meta={"line": found[0]}), *found.span())
        self._mark(text, at)
        strip = Strip(text.render(self.app.console), width(row.text))
        return strip.crop_extend(0, self.size.width, base).apply_offsets(0, at)

    def _mark(self, text: Text, at: int) -> None:
        selection = self.text_selection
        span = selection.get_span(at) if selection is not None else None
        if span is not None:
            start, end = span
            style = self.screen.get_component_rich_style("screen--selection")
            text.stylize(style, start, len(text) if end == -1 else end)

    # -- the mouse --------------------------------------------------------------------------------

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        return selection.extract(self.text()), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        line = event.style.meta.get("line")
        if isinstance(line, str):
            event.stop()
            self.post_message(self.Clicked(line))


def _broken(line: str, columns: int) -> list[str]:
    """A line without a blank to break at, in pieces that have room."""
    pieces: list[str] = []
    while width(line) > columns:
        at = columns
        while width(line[:at]) > columns:
            at -= 1
        pieces.append(line[:at])
        line = line[at:]
    return [*pieces, line]
