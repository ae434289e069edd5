"""Where a person types: one line, with history, completion, and pastes of several lines."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input

from advisor.conversation.tokens import MAX_TEXT

BREAK = "␤"
"""Stands for the end of a pasted line: one message stays one line to edit."""


class Prompt(Input):
    """The input. What its keys mean depends on what else is shown, so it posts them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "post('up')", show=False),
        Binding("down", "post('down')", show=False),
        Binding("tab", "post('tab')", show=False),
        Binding("escape", "post('escape')", show=False),
    ]

    class Pressed(Message):
        """A key that is not about the text was pressed."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self, id: str) -> None:
        super().__init__(id=id, select_on_focus=False, compact=True)
        self.history: list[str] = []
        self._at = 0
        self._draft = ""

    def action_post(self, key: str) -> None:
        self.post_message(self.Pressed(key))

    def taken(self) -> str:
        """The message that was typed; the line is empty after it and the message in the history."""
        typed = self.value
        self.value = ""
        if typed.strip() and (not self.history or self.history[-1] != typed):
            self.history.append(typed)
        self._at, self._draft = len(self.history), ""
        return typed.replace(BREAK, "\n")

    def recall(self, by: int) -> None:
        """An older or newer line; what was being typed comes back behind the newest."""
        at = min(max(self._at + by, 0), len(self.history))
        if at == self._at:
            return
        if self._at == len(self.history):
            self._draft = self.value
        self._at = at
        self.put(self.history[at] if at < len(self.history) else self._draft)

    def begin(self, text: str) -> None:
        """Put up the beginning of a line; what was being typed goes to the history."""
        if self.value.strip() and self.value != text:
            self.history.append(self.value)
            self._at = len(self.history)
        self.put(text)

    def put(self, text: str) -> None:
        """Replace the text, the cursor behind it."""
        self.value = text
        self.cursor_position = len(text)

    def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        text = event.text[: MAX_TEXT + 1].strip("\r\n")
        self.insert_text_at_cursor(BREAK.join(text.splitlines()))
