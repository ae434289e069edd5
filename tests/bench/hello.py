"""The bare Textual app that the first question is measured beside."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.widgets import Static


class Hello(App[None]):
    """Says hello."""

    def compose(self) -> ComposeResult:
        yield Static("hello")


if __name__ == "__main__":
    Hello().run()
