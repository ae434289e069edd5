"""``advisor`` on a terminal: the conversation as a full screen."""

from __future__ import annotations

import gc
from pathlib import Path

import click

from advisor.cli.chat import EXITS
from advisor.cli.exits import Exit
from advisor.cli.languages import language
from advisor.cli.options import project, project_file

_MANY = 20_000
"""Objects made between two collections: fewer would be looked through while the screen opens."""


def start(lang: str | None, rules: tuple[Path, ...]) -> Exit:
    """Run the conversation in a language (None: the locale's), with layers on top of the rules.

    The exit code is that of its last verdict, as that of check.
    """
    opened = project(rules, None, file=project_file(None, False))
    from advisor.chat.plain import farewell
    from advisor.conversation import Conversation, State
    from advisor.tui import converse

    talk = Conversation(opened, Path())
    gc.freeze()  # what is loaded by now stays
    gc.set_threshold(_MANY)
    gc.enable()  # a conversation may go on for hours
    state = converse(talk, State(language(lang)))
    click.echo(farewell(talk, state))
    return EXITS[talk.status(state)]
