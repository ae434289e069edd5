"""Whether answers would be lost at the end: a face with a person before it asks once."""

from __future__ import annotations

from collections.abc import Iterable

from advisor.conversation.events import Copied, Event, Exported
from advisor.conversation.state import Entry, State


class Leaving:
    """Follows one conversation from the state it began with."""

    def __init__(self, state: State) -> None:
        self._kept: tuple[Entry, ...] = state.log
        self._warned: tuple[Entry, ...] | None = None

    def saw(self, state: State, events: Iterable[Event]) -> None:
        """Take note of what a line led to."""
        is_opened = bool(state.log) and state.log[-1].fresh
        if is_opened or any(isinstance(event, Exported | Copied) for event in events):
            self._kept = state.log

    def is_held_back(self, state: State) -> bool:
        """Whether to ask first: answers are kept nowhere, and nobody was asked about them yet."""
        if state.log in (self._kept, self._warned) or not state.answers:
            return False
        self._warned = state.log
        return True
