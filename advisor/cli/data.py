"""``--data``: the lengths of the samples, measured from the file they are in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from advisor.errors import BadCall, said

if TYPE_CHECKING:
    from advisor.lengths import Lengths


def counting_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """``--text-column`` and ``--tokenizer``."""
    for option in (
        click.option(
            "--tokenizer",
            metavar="PATH",
            type=click.Path(path_type=Path),
            help="Count tokens with this tokenizer.json instead of estimating them.",
        ),
        click.option(
            "--text-column",
            "text_columns",
            multiple=True,
            metavar="NAME",
            help="The column that holds the text; repeatable. Default: the usual ones.",
        ),
    ):
        function = option(function)
    return function


def data_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """``--data``, and how to count what is in it."""
    option = click.option(
        "--data",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="Measure samples and tokens from a .jsonl, .json, .csv, .txt or .parquet file.",
    )
    return option(counting_options(function))


def measured(
    data: Path | None, text_columns: tuple[str, ...], tokenizer: Path | None
) -> Lengths | None:
    """The lengths of ``--data``; None without it."""
    if data is None:
        for flag, value in (("--text-column", text_columns), ("--tokenizer", tokenizer)):
            if value:
                raise BadCall(said("{flag} says how to read --data, and there is none", flag=flag))
        return None
    return measure_file(data, text_columns, tokenizer)


def measure_file(data: Path, text_columns: tuple[str, ...], tokenizer: Path | None) -> Lengths:
    """The lengths of one data file; raises FileProblems where it cannot be read."""
    from advisor import paths
    from advisor.lengths import measure
    from advisor.lengths.characters import read_characters
    from advisor.lengths.tokenizer import read_tokenizer

    table = paths.shipped("rules") / "lengths" / "characters.yaml"
    characters = read_characters(table, "rules/lengths/characters.yaml")
    counter = read_tokenizer(tokenizer, str(tokenizer)) if tokenizer else None
    return measure(data, str(data), characters, text_columns, counter)
