"""The commands: one table that help, completion, palettes and the dispatch all read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from advisor.conversation.events import Event, Failed, Filled
from advisor.conversation.state import State
from advisor.errors import AdvisorError, close_names

if TYPE_CHECKING:
    from advisor.conversation.core import Conversation


class Turn(NamedTuple):
    """The state after a line and what to show; ``follows`` asks for the verdict after it."""

    state: State
    events: tuple[Event, ...]
    follows: bool = True


Run = Callable[["Conversation", State, str], Turn]


class Command(NamedTuple):
    """One command; ``key`` is a face's usual shortcut.

    The messages have a line of help for it under ``help_NAME``, and what may follow it under
    ``form_NAME``.
    """

    name: str
    run: Run
    key: str = ""
    aliases: tuple[str, ...] = ()


def registry() -> dict[str, Command]:
    """Every command by its name, in the order that help shows."""
    from advisor.conversation import changing, comparing, keeping, telling

    commands = (
        Command("help", telling.help_, "f1", ("h", "?")),
        Command("why", telling.why, "f2"),
        Command("back", changing.back, "f3", ("undo",)),
        Command("redo", changing.redo),
        Command("skip", changing.skip),
        Command("more", changing.more),
        Command("set", changing.set_),
        Command("answers", telling.answers, "f5"),
        Command("plan", telling.plan),
        Command("take", changing.take),
        Command("whatif", telling.whatif, "f4"),
        Command("compare", comparing.compare, "f6"),
        Command("chart", telling.chart, "f7"),
        Command("export", keeping.export, "ctrl+e"),
        Command("copy", keeping.copy),
        Command("save", keeping.save),
        Command("open", keeping.open_),
        Command("lang", changing.lang),
        Command("theme", telling.theme),
        Command("quit", keeping.quit_, "ctrl+q", ("exit", "q")),
    )
    return {command.name: command for command in commands}


def find(word: str) -> Command | None:
    """The command of a word, by its name, an alias, or a beginning that only one has."""
    known = registry()
    named = {alias: one for one in known.values() for alias in (one.name, *one.aliases)}
    if word in named:
        return named[word]
    starting = [one for name, one in known.items() if word and name.startswith(word)]
    return starting[0] if len(starting) == 1 else None


def run(talk: Conversation, state: State, text: str) -> Turn:
    """Run a command line that begins with ``/``."""
    word, _, argument = text.removeprefix("/").partition(" ")
    command = find(word.casefold())
    if command is None:
        near = close_names(word.casefold(), registry()) or ["help"]
        values: Filled = {"word": word[:40], "near": tuple(f"/{name}" for name in near)}
        return Turn(state, (Failed("no_command", values),), False)
    try:
        return command.run(talk, state, argument.strip())
    except AdvisorError as error:
        return Turn(state, (Failed("problems", {}, error.problems),), False)
