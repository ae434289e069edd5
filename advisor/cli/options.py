"""Options and argument readings that several verbs share."""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from advisor.cli.languages import LANGUAGES
from advisor.errors import BadCall, FileProblems, cause, said
from advisor.project import Project, open_project
from advisor.project_file import NAME, ProjectFile, read_project_file
from advisor.source import read_file
from advisor.trainers.own import is_own
from advisor.units import parse_date


class NamedPath(click.Path):
    """A path that is written out: an empty text, as of an unset variable, is none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; an empty one is a mistake of the call."""
        if value == "":
            self.fail(said("the name of a file is empty"), param, ctx)
        return super().convert(value, param, ctx)


def here() -> Path:
    """The working directory; raises BadCall where it is gone."""
    try:
        return Path.cwd()
    except OSError:
        raise BadCall(
            said("the working directory is gone; change into one that is there")
        ) from None


def rules_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """``--rules PATH``, repeatable: layers on top of core, the last one strongest."""
    return click.option(
        "--rules",
        "rules",
        multiple=True,
        metavar="PATH",
        type=click.Path(path_type=Path),
        help="A rule file or folder on top of the core rules; repeat it for more layers.",
    )(function)


def today_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """``--today DATE``: the day that ages prices and ends exceptions."""
    return click.option(
        "--today", metavar="DATE", help="Judge as on this day (2026-11-29); default: now."
    )(function)


def lang_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """``--lang en|zh``; without it the locale decides."""
    return click.option("--lang", type=click.Choice(LANGUAGES), help="Language of the report.")(
        function
    )


def config_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """``--config PATH`` and ``--no-config``: the project's file, or none at all."""
    for option in (
        click.option("--no-config", is_flag=True, help="Read no advisor.yaml."),
        click.option(
            "--config",
            metavar="PATH",
            type=click.Path(path_type=Path),
            help="The project's file; default: advisor.yaml of the working directory, if any.",
        ),
    ):
        function = option(function)
    return function


def foreign_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """``--as`` and ``--trainer-version``."""
    for option in (
        click.option(
            "--trainer-version",
            "trainer_versions",
            multiple=True,
            metavar="VERSION",
            help="Whose defaults apply: 0.9.1, trl==0.21.0, or a requirements or lock file.",
        ),
        click.option(
            "--as", "wanted", metavar="TRAINER", help="Read the files as this trainer's own."
        ),
    ):
        function = option(function)
    return function


def looks_own(path: Path, opened: Project) -> bool:
    """Whether a file is a scenario of this program; what cannot be read is not."""
    try:
        return is_own(read_file(path, str(path)), opened.book.inputs)
    except FileProblems:
        return False


def day(written: str | None) -> float:
    """The day of ``--today``, or the current one, in seconds since 1970."""
    if written is None:
        return parse_date(datetime.date.today().isoformat())
    try:
        return parse_date(written)
    except ValueError as error:
        raise BadCall(said("--today: {error}", error=cause(error))) from None


def project(
    rules: tuple[Path, ...],
    today: str | None,
    examples: bool = False,
    file: ProjectFile | None = None,
) -> Project:
    """The rules and catalogues of this call."""
    return open_project(list(rules), day(today), examples, file)


def project_file(config: Path | None, no_config: bool) -> ProjectFile | None:
    """The project's file that the call names, or the one of the working directory, or none."""
    if config is not None and no_config:
        raise BadCall(said("--config and --no-config: write one of them"))
    if no_config or (config is None and not os.path.lexists(NAME)):
        return None
    return read_project_file(config or Path(NAME))
