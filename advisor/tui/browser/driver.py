"""The screen of a process whose visitor sits behind a pipe."""

from __future__ import annotations

import os
from functools import partial
from threading import Lock
from typing import Any

from textual import events, messages
from textual.drivers.web_driver import WebDriver


class PipeDriver(WebDriver):
    """Textual's own driver for browsers, with packets written whole, and an end with the pipe."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._writing = Lock()
        self._write = partial(self._write_whole)

    def _write_whole(self, data: bytes) -> int:
        """Downloads are written by another thread than the screen: their packets must not mix."""
        with self._writing:
            left = memoryview(data)
            while left:
                left = left[os.write(self.fileno, left) :]
        return len(data)

    def start_application_mode(self) -> None:
        """Begin with the focus, which the page gives to the terminal before we listen."""
        super().start_application_mode()
        self._app.call_later(self._app.post_message, events.AppFocus())

    def run_input_thread(self) -> None:
        """Read until there is no more; a visitor or server that is gone ends the conversation."""
        super().run_input_thread()
        self._app.post_message(messages.ExitApp())
