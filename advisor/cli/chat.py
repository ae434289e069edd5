"""``advisor chat``, and what ``advisor`` without a verb begins."""

from __future__ import annotations

import gc
import importlib.util
import os
import sys
from pathlib import Path

import click

from advisor.check import Status
from advisor.cli.exits import Exit
from advisor.cli.languages import language
from advisor.cli.options import (
    config_options,
    lang_option,
    project,
    project_file,
    rules_option,
    today_option,
)

EXITS = {
    Status.HOLDS: Exit.HOLDS,
    Status.FAILS: Exit.FAILS,
    Status.UNDECIDED: Exit.UNDECIDED,
    Status.BROKEN: Exit.BROKEN,
}


@click.command("chat")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@rules_option
@config_options
@today_option
@lang_option
def command(
    file: Path | None,
    rules: tuple[Path, ...],
    config: Path | None,
    no_config: bool,
    today: str | None,
    lang: str | None,
) -> Exit:
    """Ask and answer, line by line: from nothing, or from a scenario FILE, to a verdict and a plan.

    Lines come from the terminal or a pipe; the exit code tells the verdict, as that of check does.
    """
    return talk(file, rules, config, no_config, today, lang)


def begin(lang: str | None, plain: bool, rules: tuple[Path, ...]) -> Exit:
    """What ``advisor`` alone does: the full screen where there is one, plain lines elsewhere.

    ``plain`` asks for lines where there is a screen, too.
    """
    if not plain and has_screen() and importlib.util.find_spec("advisor.tui") is not None:
        from advisor.cli import tui

        return tui.start(lang, rules)
    return talk(None, rules, None, False, None, lang)


def has_screen() -> bool:
    """Whether a person sits before a terminal that can be drawn on."""
    return is_terminal() and os.environ.get("TERM") != "dumb" and not os.environ.get("CI")


def is_terminal() -> bool:
    """Whether lines are typed, and answers read, on a terminal."""
    streams = (sys.__stdin__, sys.__stdout__, sys.__stderr__)
    return all(stream is not None and not stream.closed and stream.isatty() for stream in streams)


def history_file() -> Path | None:
    """Where typed lines are kept: ``ADVISOR_HISTORY``, none where that is empty, else the usual."""
    named = os.environ.get("ADVISOR_HISTORY")
    if named is not None:
        return Path(named).expanduser() if named else None
    state = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    folder = Path(state).expanduser()
    return folder / "advisor" / "history" if folder.is_absolute() else None


def talk(
    file: Path | None,
    rules: tuple[Path, ...],
    config: Path | None,
    no_config: bool,
    today: str | None,
    lang: str | None,
) -> Exit:
    """The conversation in plain lines; the exit code of its last verdict."""
    from advisor.chat.plain import Printer, Reader, converse, farewell, piped
    from advisor.conversation import Conversation, State

    gc.enable()  # a conversation may go on for hours
    opened = project(rules, today, file=project_file(config, no_config))
    conversation = Conversation(opened, Path())
    state = State(language(lang))
    if file is not None:
        state = conversation.opened(state, str(file))
    screen = has_screen()
    colour = screen and not os.environ.get("NO_COLOR")

    def write(text: str) -> None:
        click.echo(text, nl=False, color=colour or None)

    printer = Printer(conversation, write, colour, screen)
    read: Reader
    if screen:
        from advisor.chat.prompt import Prompt

        read = prompt = Prompt(conversation, history_file())
        prompt.end_on_signals()
    else:
        if sys.stdin is not None and hasattr(sys.stdin, "reconfigure"):
            sys.stdin.reconfigure(errors="replace")
        read = piped(sys.stdin, write)
    state = converse(conversation, state, read, printer)
    write(farewell(conversation, state) + "\n")
    return EXITS[conversation.status(state)]
