"""A conversation line by line: read one, show what it leads to, until it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, TextIO

from advisor.conversation import Conversation, Lines, State, message
from advisor.conversation.clipboard import osc52
from advisor.conversation.events import Copied, Ended, Event, Said
from advisor.conversation.leaving import Leaving
from advisor.conversation.tokens import MAX_TEXT
from advisor.report.style import Style, refusal

PROMPT = "❯ "


class Reader(Protocol):
    """Where lines come from."""

    def __call__(self, state: State) -> str | None:
        """The next line, without its end; None when there is no more."""


class Printer:
    """Shows events as lines. Nothing that a file or a person wrote reaches the terminal raw."""

    def __init__(
        self, talk: Conversation, write: Callable[[str], None], colour: bool, is_terminal: bool
    ) -> None:
        self.talk = talk
        self.write = write
        self.colour = colour
        self.is_terminal = is_terminal

    def show(self, state: State, events: Iterable[Event]) -> None:
        """The lines of some events in the language of the state."""
        project = self.talk.world.project
        lines = Lines(project.book, state.language, project.trainers)
        style = Style(state.language, self.colour)
        for event in events:
            if isinstance(event, Copied):
                self.copy(event.text, lines)
            for line in lines.of(event):
                self.write(style.line(line))

    def copy(self, text: str, lines: Lines) -> None:
        """To the terminal's clipboard; without a terminal the text itself is shown."""
        if self.is_terminal:
            self.write(osc52(text))
            self.write(lines.say("copied") + "\n")
            return
        for line in text.splitlines():
            self.write(Style().line(line))


def converse(talk: Conversation, state: State, read: Reader, printer: Printer) -> State:
    """Go on from a state until ``/quit`` or the last line; the state then.

    On a terminal, answers that are written nowhere hold the first ``/quit`` back.
    """
    turn = talk.start(state)
    leaving = Leaving(state)
    printer.show(turn.state, turn.events)
    while True:
        line = read(turn.state)
        if line is None:
            return turn.state
        turn = talk.send(turn.state, line)
        printer.show(turn.state, turn.events)
        leaving.saw(turn.state, turn.events)
        if any(isinstance(event, Ended) for event in turn.events):
            if not (printer.is_terminal and leaving.is_held_back(turn.state)):
                return turn.state
            printer.show(turn.state, [Said("not_kept")])


def piped(stream: TextIO | None, echo: Callable[[str], None]) -> Reader:
    """Lines of a stream that is no terminal, each shown behind a prompt as it is read.

    A traceback goes on to the line that names the error: it is one message, pasted.
    """

    def line() -> str | None:
        if stream is None:
            return None
        try:
            text = rest = stream.readline(_MOST_LINE)
            while rest and not rest.endswith("\n"):
                rest = stream.readline(_MOST_LINE)  # what is too long to read is no other line
        except (OSError, ValueError):
            return None
        return text.rstrip("\r\n") if text else None

    def read(state: State) -> str | None:
        text = line()
        if text is None:
            return None
        while text.startswith(_TRACE) and len(text) < MAX_TEXT:
            following = line()
            if following is None:
                break
            text += "\n" + following
            if following[:1].isalpha():
                break
        echo(Style().line(PROMPT + text.split("\n", 1)[0]))
        return text

    return read


_MOST_LINE = MAX_TEXT * 4
_TRACE = "Traceback (most recent call last)"


def farewell(talk: Conversation, state: State) -> str:
    """The last line: what the answers come to."""
    verdict = talk.world.check(state).verdict
    style = Style(state.language)
    word = style.word(verdict.state if verdict else "undecided")
    if verdict:
        word = refusal(verdict, style) or word
    return message(state.language, "bye", state=word)
