"""The application: one talk screen, the palette, the clipboard of the terminal, and a clean end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from typing import ClassVar

from textual import work
from textual.app import App
from textual.command import CommandPalette

from advisor.conversation import Conversation, State
from advisor.conversation.clipboard import osc52
from advisor.tui.clipboard import copy_with_tools
from advisor.tui.contrast import readable
from advisor.tui.palette import Palette
from advisor.tui.screens.talk import TalkScreen


class AdvisorApp(App[State]):
    """Runs one conversation; its result is the state at the end."""

    CSS_PATH = "app.tcss"
    TITLE = "advisor"
    COMMANDS: ClassVar = {Palette}
    ENABLE_COMMAND_PALETTE = True

    def __init__(self, talk: Conversation, state: State) -> None:
        super().__init__()
        self.talk_screen = TalkScreen(talk, state)

    def get_css_variables(self) -> dict[str, str]:
        self.theme_variables = readable(super().get_css_variables())
        return self.theme_variables

    def on_mount(self) -> None:
        if not self.is_headless:
            loop = asyncio.get_running_loop()
            for number in _ENDS:
                with contextlib.suppress(NotImplementedError, RuntimeError):
                    loop.add_signal_handler(number, self.leave)
            _hold_back(False)

    def get_default_screen(self) -> TalkScreen:
        return self.talk_screen

    def leave(self) -> None:
        """End with the answers as they are."""
        self.exit(self.talk_screen.state)

    def action_command_palette(self) -> None:
        if isinstance(self.screen, TalkScreen):
            hint = self.talk_screen.wording.say("palette_hint")
            self.push_screen(CommandPalette(id="--command-palette", placeholder=hint))

    def search_themes(self) -> None:
        from textual.theme import ThemeProvider

        hint = self.talk_screen.wording.say("palette_theme_hint")
        self.push_screen(CommandPalette(providers=[ThemeProvider], placeholder=hint))

    def copy_to_clipboard(self, text: str) -> None:
        """Put a text on the terminal's clipboard, through tmux where the program runs in it.

        Where the program runs on the person's own machine, the system's tools are tried, too.
        """
        self._clipboard = text
        if self._driver is None or self.is_headless:
            return
        self._driver.write(osc52(text, in_tmux=bool(os.environ.get("TMUX"))))
        if not self.is_web and "SSH_TTY" not in os.environ:
            self._copy_with_tools(text)

    @work(thread=True, group="copies")
    def _copy_with_tools(self, text: str) -> None:
        copy_with_tools(text)

    async def action_quit(self) -> None:
        while self.screen is not self.talk_screen and len(self.screen_stack) > 1:
            self.pop_screen()  # what is asked is asked in the talk
        if self.talk_screen.may_leave():
            self.leave()

    def _fatal_error(self) -> None:
        """Leave the screen without a word: who started the app tells what went wrong."""
        if self.is_headless:
            super()._fatal_error()
        else:
            self._close_messages_no_wait()

    @property
    def failure(self) -> Exception | None:
        """What the app ended for, if it was a mistake."""
        error = self._exception
        return getattr(error, "error", error) if error is not None else None  # a worker's own


def converse(talk: Conversation, state: State) -> State:
    """Run the conversation on the terminal until its end; the state then.

    Raises what went wrong inside, after the terminal is back as it was.
    """
    app = AdvisorApp(talk, state)
    _hold_back(True)
    try:
        result = app.run()
    finally:
        _hold_back(False)
    if app.failure is not None:
        raise app.failure
    return result if result is not None else app.talk_screen.state


_ENDS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


def _hold_back(is_held: bool) -> None:
    """Let what tells us to end wait while the terminal changes over, or come again.

    Between the terminal's change and the first handler it would leave the terminal changed.
    """
    if hasattr(signal, "pthread_sigmask"):  # not everywhere
        how = signal.SIG_BLOCK if is_held else signal.SIG_UNBLOCK
        signal.pthread_sigmask(how, _ENDS)
