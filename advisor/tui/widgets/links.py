"""Text on the screen that does something when it is clicked."""

from __future__ import annotations

from textual import events
from textual.message import Message
from textual.widgets import Static


class Links(Static):
    """A text; pieces with a ``line`` in their meta post it when they are clicked."""

    class Clicked(Message):
        """A piece was clicked: the line it stands for."""

        def __init__(self, line: str) -> None:
            super().__init__()
            self.line = line

    def on_click(self, event: events.Click) -> None:
        line = event.style.meta.get("line")
        if isinstance(line, str):
            event.stop()
            self.post_message(self.Clicked(line))
