"""``advisor accuracy``: predictions held against measured runs."""

from __future__ import annotations

from pathlib import Path

import click

from advisor.cli.exits import Exit
from advisor.cli.languages import language
from advisor.cli.options import lang_option, project, rules_option, today_option
from advisor.errors import AdvisorError, visible


@click.command("accuracy")
@click.argument("runs", metavar="RUNS.csv", type=click.Path(path_type=Path))
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True
)
@click.option("--by", metavar="COLUMN", default="", help="Group by what a column of the file says.")
@rules_option
@today_option
@lang_option
def command(
    runs: Path, form: str, by: str, rules: tuple[Path, ...], today: str | None, lang: str | None
) -> Exit:
    """Predict the measured runs of RUNS.csv and show how far off the rules are."""
    from advisor.accuracy import Skipped, measure
    from advisor.report.accuracy_json import accuracy_json, refusal_json
    from advisor.report.problems import in_language

    spoken = language(lang)

    try:
        accuracy = measure(project(rules, today), runs, str(runs), by)
    except AdvisorError as error:
        if form != "json":
            raise
        click.echo(refusal_json(str(runs), error.problems, spoken), nl=False)
        return Exit.BROKEN
    skipped = (Skipped(*(in_language(text, spoken) for text in one)) for one in accuracy.skipped)
    accuracy = accuracy._replace(skipped=tuple(skipped))
    if form == "json":
        click.echo(accuracy_json(accuracy), nl=False)
    else:
        from advisor.report.accuracy_text import accuracy_text

        click.echo(visible(accuracy_text(accuracy, language(lang))), nl=False)
    if not accuracy.rows:
        from advisor.report.phrases import phrase

        click.echo(phrase(language(lang), "accuracy_nothing"), err=True)
        return Exit.BROKEN
    return Exit.HOLDS
