"""The sentences of one conversation, at any width: what all widgets render with."""

from __future__ import annotations

from typing import NamedTuple

from advisor.conversation import Conversation, Lines, message
from advisor.conversation.events import Event
from advisor.errors import visible

LEAST = 24
"""Columns that a sentence is never wrapped below."""


class Wording(NamedTuple):
    """Renders events and messages in a language."""

    talk: Conversation
    language: str

    def lines(self, columns: int) -> Lines:
        """The renderer for lines of at most so many columns."""
        project = self.talk.world.project
        return Lines(project.book, self.language, project.trainers, max(LEAST, columns))

    def of(self, event: Event, columns: int) -> list[str]:
        """The lines of an event; nothing of a file or a person comes through raw."""
        return [safe(line) for line in self.lines(columns).of(event)]

    def say(self, key: str, **values: object) -> str:
        """One sentence of the conversation's messages."""
        return safe(message(self.language, key, **values))


def safe(text: str) -> str:
    """A text as one line without control characters."""
    return visible(text.replace("\n", " ").rstrip())
