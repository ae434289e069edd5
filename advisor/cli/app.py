"""The click group, its lazily imported verbs, and the one handler of everything that goes wrong."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from advisor import __version__
from advisor.cli.exits import Exit
from advisor.cli.languages import LANGUAGES
from advisor.cli.streams import patient_streams
from advisor.errors import AdvisorError, BadCall, cause, said, sentences, visible

if TYPE_CHECKING:
    from advisor.cli.telling import Telling

# verb -> module of advisor.cli that holds it under the name ``command``, and the line of --help
VERBS = {
    "check": ("check", "Judge scenarios: fit, time, cost, policies and a plan."),
    "explain": ("explain", "Show how one number of a scenario comes about."),
    "rules": ("rules", "Lint, test, show and compare rules."),
    "gpus": ("gpus", "List GPUs, or show one with its sources."),
    "models": ("models", "List models, or show one with its sources."),
    "chat": ("chat", "Ask and answer, line by line."),
    "serve": ("serve", "Open the screen in a browser on this machine."),
    "init": ("init", "Write a starter gate into a repository."),
    "lengths": ("lengths", "Measure how long the samples of a data file are."),
    "accuracy": ("accuracy", "Hold predictions against a table of measured runs."),
}


class _Verbs(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        found = VERBS.get(cmd_name)
        if found is None:
            return None
        command: click.Command = importlib.import_module(f"advisor.cli.{found[0]}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(verb, line) for verb, (_, line) in VERBS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        verb = args[0] if args else ""
        if verb not in VERBS and not verb.startswith("-"):
            from advisor.errors import suggestion

            hint = suggestion(verb, VERBS) or said("One of: {names}.", names=tuple(VERBS))
            raise click.UsageError(
                sentences(said("there is no command '{verb}'.", verb=visible(verb[:40])), hint),
                ctx,
            )
        return super().resolve_command(ctx, args)


@click.group(
    cls=_Verbs,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="advisor %(version)s")
@click.option("--plain", is_flag=True, help="Without a command: plain lines, also on a terminal.")
@click.option(
    "--rules",
    multiple=True,
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="Without a command: rule files or folders on top of the core rules.",
)
@click.option("--lang", type=click.Choice(LANGUAGES), help="Language of what is said.")
@click.pass_context
def cli(
    context: click.Context, plain: bool, rules: tuple[Path, ...], lang: str | None
) -> Exit | None:
    """Does this fine-tuning run fit the card, how long does it take, what does it cost, and if it
    does not fit: what to change first, and why? Without a command it asks."""
    verb = context.invoked_subcommand
    if verb is None:
        from advisor.cli.chat import begin

        return begin(lang, plain, rules)
    if plain and verb != "chat":
        raise click.UsageError(
            said("--plain is for the conversation; advisor {verb} has no screen", verb=verb)
        )
    if rules:
        raise click.UsageError(
            said("--rules stands behind the command: advisor {verb} --rules PATH", verb=verb)
        )
    if lang is not None:
        context.default_map = {verb: _Everywhere(lang=lang)}
    return None


class _Everywhere(dict[str, Any]):
    """Defaults for a verb and for the verbs below it."""

    def get(self, key: str, default: Any = None) -> Any:
        return super().get(key, self)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with an Exit code."""
    code = int(run(sys.argv[1:] if arguments is None else arguments))
    if arguments is not None:
        sys.exit(code)
    _flush()
    os._exit(code)  # nothing is left to clean up, and taking a rulebook apart costs a tenth


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):  # one may be closed
            stream.flush()


def run(arguments: list[str]) -> Exit:
    """Run the command line; every way it can end is an exit code, none is a traceback."""
    with patient_streams():
        return _run(arguments)


def _run(arguments: list[str]) -> Exit:
    try:
        result: Any = cli.main(arguments, prog_name="advisor", standalone_mode=False)
        return result if isinstance(result, Exit) else Exit.HOLDS
    except click.exceptions.Exit as error:
        return Exit.HOLDS if error.exit_code == 0 else Exit.BROKEN
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return Exit.INTERRUPTED
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return Exit.BROKEN
    except click.ClickException as error:
        _telling(arguments).refusal(error)
        return Exit.BROKEN
    except BadCall as error:
        _telling(arguments).sentence(cause(error))
        return Exit.BROKEN
    except AdvisorError as error:
        _telling(arguments).problems(error.problems)
        return Exit.BROKEN
    except Exception as error:
        return _bug(error, _telling(arguments))


def _telling(arguments: list[str]) -> Telling:
    from advisor.cli.telling import Telling  # only what goes wrong needs it

    return Telling(arguments)


def _bug(error: Exception, tell: Telling) -> Exit:
    import tempfile
    import traceback

    text = "".join(traceback.format_exception(error))
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="advisor-bug-", suffix=".txt", delete=False, encoding="utf-8"
        ) as report:
            report.write(f"advisor {__version__}\n{text}")
        place = said(
            "The details are in {file}; please send them with the files used.", file=report.name
        )
    except OSError:
        place = f"{type(error).__name__}: {error}"
    tell.sentence(sentences(said("this is a mistake in advisor itself."), place))
    return Exit.BUG
