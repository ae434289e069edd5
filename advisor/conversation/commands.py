"""The commands: one table that help, completion, palettes and the dispatch all read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from advisor.conversation.events import Event, Failed
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
    """One command. ``arguments`` shows what may follow it, ``key`` a face's usual shortcut.

    The messages have a line of help for it under ``help_NAME``.
    """

    name: str
    arguments: str
    run: Run
    key: str = ""
    aliases: tuple[str, ...] = ()


def registry() -> dict[str, Command]:
    """Every command by its name, in the order that help shows."""
    from advisor.conversation import changing, keeping, telling

    commands = (
        Command("help", "[command]", telling.help_, "f1", ("h", "?")),
        Command("why", "[question | number | remedy | policy]", telling.why, "f2"),
        Command("back", "", changing.back, "f3", ("undo",)),
        Command("redo", "", changing.redo),
        Command("skip", "", changing.skip),
        Command("more", "", changing.more),
        Command("set", "name=value …", changing.set_),
        Command("answers", "", telling.answers, "f5"),
        Command("plan", "", telling.plan),
        Command("take", "[N | all]", changing.take),
        Command("whatif", "batch=2 seq=4k …", telling.whatif, "f4"),
        Command("compare", "[gpus | methods | ladder | input]", telling.compare, "f6"),
        Command("export", "[yaml | md | json] [path]", keeping.export, "ctrl+e"),
        Command("copy", "[yaml | md | json]", keeping.copy),
        Command("save", "[path]", keeping.save),
        Command("open", "path", keeping.open_),
        Command("lang", "en | zh", changing.lang),
        Command("quit", "", keeping.quit_, "ctrl+q", ("exit", "q")),
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
        values = {"word": word[:40], "near": ", ".join(f"/{name}" for name in near)}
        return Turn(state, (Failed("no_command", values),), False)
    try:
        return command.run(talk, state, argument.strip())
    except AdvisorError as error:
        return Turn(state, (Failed("problems", {}, error.problems),), False)
