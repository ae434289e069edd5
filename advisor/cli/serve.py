"""``advisor serve``: the screen in a browser on this machine."""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
from pathlib import Path

import click

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
from advisor.errors import BadCall, said
from advisor.project import Project

PORT = 8000
MOST = 8
_BEGIN = (
    "import json, sys; sys.path[:] = json.loads(sys.argv.pop(1)); "
    "from advisor.cli import main; main()"
)
"""Runs the command line of a process that imports from where this one does."""


@click.command("serve")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=PORT,
    show_default=True,
    metavar="N",
    help="Port on 127.0.0.1; 0 takes any that is free.",
)
@click.option(
    "--sessions",
    type=click.IntRange(1, 100),
    default=MOST,
    show_default=True,
    metavar="N",
    help="How many conversations may go on at once; each is a process.",
)
@rules_option
@config_options
@today_option
@lang_option
@click.option("--behind-pipe", is_flag=True, hidden=True)
def command(
    port: int,
    sessions: int,
    rules: tuple[Path, ...],
    config: Path | None,
    no_config: bool,
    today: str | None,
    lang: str | None,
    behind_pipe: bool,
) -> Exit:
    """Open the screen in a browser: answers on http://127.0.0.1:PORT/ until Ctrl+C.

    Only this machine can reach it, and the page loads nothing from elsewhere. Every page that is
    opened is a conversation of its own, which reads and writes no files here: /save and /export
    download, /copy copies.
    """
    opened = project(rules, today, file=project_file(config, no_config))
    spoken = language(lang)
    if behind_pipe:
        return _talk(opened, spoken)
    try:
        from advisor.tui.browser.server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("textual_serve", "aiohttp"):
            raise
        raise BadCall(said("this needs textual-serve: pip install 'advisor[serve]'")) from None
    from advisor.conversation import message

    def ready(url: str) -> None:
        click.echo(message(spoken, "browser_ready", url=url))

    def complain(text: str) -> None:
        click.echo(f"advisor: {text}", err=True)

    gc.enable()  # it may listen for days
    program = _program(rules, config, no_config, today, spoken)
    ended_by = serve(program, spoken, sessions, port, ready, complain)
    if ended_by == signal.SIGINT:
        click.echo("interrupted", err=True)
        return Exit.INTERRUPTED
    return Exit.HOLDS


def _program(
    rules: tuple[Path, ...], config: Path | None, no_config: bool, today: str | None, spoken: str
) -> list[str]:
    """The call of one conversation: words, never a line for a shell."""
    options = [f"--rules={path}" for path in rules]
    options += [f"--config={config}"] if config is not None else []
    options += ["--no-config"] if no_config else []
    options += [f"--today={today}"] if today is not None else []
    begin = [sys.executable, "-P", "-c", _BEGIN, json.dumps(sys.path)]
    return [*begin, "serve", "--behind-pipe", f"--lang={spoken}", *options]


def _talk(opened: Project, spoken: str) -> Exit:
    """One conversation with a visitor, whose last screen stays in the browser."""
    if sys.stdin is None or sys.stdin.isatty():
        raise BadCall(said("--behind-pipe is what 'advisor serve' itself calls; leave it away"))
    os.environ["TEXTUAL_DRIVER"] = "advisor.tui.browser.driver:PipeDriver"  # read when it loads
    from advisor.conversation import Conversation, State
    from advisor.tui import converse
    from advisor.tui.browser.files import Downloads

    talk = Conversation(opened, None, Downloads())
    gc.freeze()
    gc.enable()
    converse(talk, State(spoken))
    return Exit.HOLDS
