"""``advisor check``: judge scenario files."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from advisor.check import CheckResult, Status, check_file
from advisor.cli.exits import Exit, worst
from advisor.cli.options import language, project, rules_option, today_option
from advisor.cli.settings import settings_of, settings_options
from advisor.errors import AdvisorError, BadCall
from advisor.evaluate import Engine
from advisor.project import Project

_EXITS = {
    Status.HOLDS: Exit.HOLDS,
    Status.FAILS: Exit.FAILS,
    Status.UNDECIDED: Exit.UNDECIDED,
    Status.BROKEN: Exit.BROKEN,
}


@click.command("check")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@settings_options
@rules_option
@today_option
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True
)
@click.option(
    "--fail-on",
    type=click.Choice(["deny", "warn"]),
    default="deny",
    show_default=True,
    help="What makes the exit code 1: failing deny policies, or warnings too.",
)
@click.option("--lang", type=click.Choice(["en", "zh"]), help="Language of the report.")
def command(
    files: tuple[Path, ...],
    rules: tuple[Path, ...],
    today: str | None,
    form: str,
    fail_on: str,
    lang: str | None,
    **flags: object,
) -> Exit:
    """Judge scenario FILES: does it fit, how long, what does it cost, and what to change."""
    try:
        if not files:
            raise BadCall("name at least one scenario file: advisor check FILE")
        opened = project(rules, today)
        settings = settings_of(flags)
    except AdvisorError as error:
        if form != "json":
            raise
        from advisor.report.json import refusal_json

        click.echo(refusal_json(error.problems, int(Exit.BROKEN)), nl=False)
        return Exit.BROKEN
    engine, reader = Engine(opened.book), opened.reader()
    results = [check_file(engine, reader, path, str(path), settings) for path in files]
    strict = fail_on == "warn"
    code = worst([_EXITS[result.status(strict)] for result in results])
    if form == "json":
        from advisor.report.json import check_json

        click.echo(check_json(results, opened, strict, int(code), language(lang)), nl=False)
    else:
        _print(results, opened, language(lang), strict)
    return code


def _print(results: list[CheckResult], opened: Project, lang: str, strict: bool) -> None:
    from advisor.report.style import Style
    from advisor.report.text import book_text, check_text, summary_text

    style = Style(lang, _colour())
    trainers = opened.trainers() if any(result.plan for result in results) else ()
    for result in results:
        click.echo(check_text(result, trainers, style), color=style.colour)
    if len(results) > 1:
        click.echo(summary_text(results, strict, style), nl=False)
    click.echo(book_text(opened.book, opened.today, style), nl=False)


def _colour() -> bool:
    wanted = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    return wanted and not os.environ.get("NO_COLOR")
