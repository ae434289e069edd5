"""Lines from a terminal: editing, history, completion with Tab, and a check before Enter."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.shortcuts import CompleteStyle
from prompt_toolkit.validation import ValidationError, Validator

from advisor.chat.history import history
from advisor.chat.plain import PROMPT
from advisor.conversation import Conversation, Lines, State
from advisor.errors import visible


class Prompt:
    """Reads lines with prompt_toolkit; ``session`` options are for tests.

    ``kept`` is the file with the lines of earlier conversations, if they are kept.
    """

    def __init__(self, talk: Conversation, kept: Path | None = None, **session: Any) -> None:
        self.talk = talk
        self.state = State()
        self._is_over = False
        self.session: PromptSession[str] = PromptSession(
            PROMPT,
            history=history(kept),
            completer=_Completer(self),
            validator=_Validator(self),
            validate_while_typing=False,
            complete_while_typing=False,
            complete_style=CompleteStyle.READLINE_LIKE,
            enable_history_search=True,
            mouse_support=False,
            **session,
        )

    def __call__(self, state: State) -> str | None:
        """The next line; None at the end of input. Ctrl-C drops a line, and twice ends."""
        self.state = state
        dropped = False
        while not self._is_over:
            try:
                return self.session.prompt()
            except EOFError:
                return None
            except KeyboardInterrupt:
                if dropped:
                    raise
                dropped = True
        return None

    def end_on_signals(self) -> None:
        """Let being told to end be the end of input: the terminal is put back as it was."""
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)  # not everywhere
            if number is not None:
                signal.signal(number, self._told_to_end)

    def _told_to_end(self, number: int, frame: object) -> None:
        self._is_over = True
        app = self.session.app
        if app.is_running and app.loop is not None:
            app.loop.call_soon_threadsafe(partial(app.exit, exception=EOFError()))


class _Completer(Completer):
    def __init__(self, prompt: Prompt) -> None:
        self.prompt = prompt

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterator[Completion]:
        line = document.text_before_cursor
        for one in self.prompt.talk.complete(self.prompt.state, line):
            yield Completion(one.text, one.start - len(line), display_meta=visible(one.note))


class _Validator(Validator):
    def __init__(self, prompt: Prompt) -> None:
        self.prompt = prompt

    def validate(self, document: Document) -> None:
        talk, state = self.prompt.talk, self.prompt.state
        found = talk.objection(state, document.text)
        if found is not None:
            project = talk.world.project
            lines = Lines(project.book, state.language, project.trainers).of(found)
            raise ValidationError(len(document.text), visible(" ".join(lines)))
