"""``advisor accuracy``: predictions held against measured runs."""

from __future__ import annotations

from pathlib import Path

import click

from advisor.cli.exits import Exit
from advisor.cli.options import project, rules_option, today_option
from advisor.errors import AdvisorError, visible


@click.command("accuracy")
@click.argument("runs", metavar="RUNS.csv", type=click.Path(path_type=Path))
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True
)
@click.option("--by", metavar="COLUMN", default="", help="Group by what a column of the file says.")
@rules_option
@today_option
def command(runs: Path, form: str, by: str, rules: tuple[Path, ...], today: str | None) -> Exit:
    """Predict the measured runs of RUNS.csv and show how far off the rules are."""
    from advisor.accuracy import measure
    from advisor.report.accuracy_json import accuracy_json, refusal_json

    try:
        accuracy = measure(project(rules, today), runs, str(runs), by)
    except AdvisorError as error:
        if form != "json":
            raise
        click.echo(refusal_json(str(runs), error.problems), nl=False)
        return Exit.BROKEN
    if form == "json":
        click.echo(accuracy_json(accuracy), nl=False)
    else:
        from advisor.report.accuracy_text import accuracy_text

        click.echo(visible(accuracy_text(accuracy)), nl=False)
    if not accuracy.rows:
        click.echo("nothing was predicted: no row could be used", err=True)
        return Exit.BROKEN
    return Exit.HOLDS
