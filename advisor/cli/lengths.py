"""``advisor lengths``: how long the samples of a data file are."""

from __future__ import annotations

from pathlib import Path

import click

from advisor.cli.data import counting_options, measure_file
from advisor.cli.exits import Exit
from advisor.cli.languages import language
from advisor.cli.options import lang_option
from advisor.errors import FileProblems, visible


@click.command("lengths")
@click.argument("file", type=click.Path(path_type=Path))
@counting_options
@click.option(
    "--sequence-length",
    "limit",
    type=click.IntRange(1, 1 << 40),
    metavar="N",
    help="Tokens a sample is cut to; with it and --batch, what padding costs.",
)
@click.option(
    "--batch",
    type=click.IntRange(1, 1 << 20),
    default=1,
    show_default=True,
    metavar="N",
    help="Samples that share a batch.",
)
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True
)
@lang_option
def command(
    file: Path,
    text_columns: tuple[str, ...],
    tokenizer: Path | None,
    limit: int | None,
    batch: int,
    form: str,
    lang: str | None,
) -> Exit:
    """Show how many samples FILE has and how long they are in tokens.

    FILE is .jsonl, .json, .csv, .tsv, .txt or .parquet, of any size. Tokens are estimated from
    characters, with a band, unless --tokenizer counts them.
    """
    try:
        found = measure_file(file, text_columns, tokenizer)
    except FileProblems as error:
        if form != "json":
            raise
        from advisor.report.lengths_json import refusal_json

        click.echo(refusal_json(error.problems, language(lang)), nl=False)
        return Exit.BROKEN
    if form == "json":
        from advisor.report.lengths_json import lengths_json

        click.echo(lengths_json(found, limit, batch, language(lang)), nl=False)
    else:
        from advisor.report.lengths_text import lengths_text

        click.echo(visible(lengths_text(found, limit, batch, language(lang))), nl=False)
    return Exit.HOLDS
