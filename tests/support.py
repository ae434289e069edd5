"""Small rulebooks written inside tests, and what is wrong with them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path
from textwrap import dedent

from advisor.catalog import Catalogue
from advisor.errors import FileProblems, Problem
from advisor.evaluate import Engine, Trace
from advisor.project import open_catalogues
from advisor.rulebook.load import load
from advisor.rulebook.model import RuleBook
from advisor.scenario import Scenario, ScenarioReader
from advisor.source import read_text
from advisor.units import parse_date

ROOT = Path(__file__).parents[1]
TODAY = parse_date("2026-11-29")


def book(core: str, *layers: str, today: float | None = TODAY) -> RuleBook:
    """The rulebook of the given YAML texts: core, then each layer.

    The files are called ``core.yaml``, ``layer1.yaml``, ``layer2.yaml``, …; ``language: 1`` is
    added where a text does not say it (in the last line, so that lines keep their numbers).
    """
    with tempfile.TemporaryDirectory() as folder:
        paths: list[tuple[Path, str]] = []
        for number, text in enumerate((core, *layers)):
            name = f"layer{number}.yaml" if number else "core.yaml"
            path = Path(folder, name)
            path.write_text(with_language(dedent(text)), "utf-8", newline="")
            paths.append((path, name))
        return load(paths[0], paths[1:], today)


def with_language(text: str) -> str:
    """The text with the line every rule file needs."""
    return text if "language:" in text else f"{text.rstrip(' ')}\nlanguage: 1\n"


def problems(core: str, *layers: str, today: float | None = TODAY) -> list[str]:
    """What is wrong with the texts, as ``place code`` lines; warnings of a book that loads too."""
    try:
        found = book(core, *layers, today=today).problems
    except FileProblems as error:
        found = error.problems
    return [f"{one.where} {one.code}" for one in found]


def raised(core: str, *layers: str, today: float | None = TODAY) -> tuple[Problem, ...]:
    """The problems that keep the texts from loading; none when they load."""
    try:
        book(core, *layers, today=today)
    except FileProblems as error:
        return error.problems
    return ()


def scenario(
    rules: RuleBook,
    text: str = "{}",
    settings: Iterable[tuple[str, str]] = (),
    catalogues: dict[str, Catalogue] | None = None,
    folder: Path | None = None,
) -> Scenario:
    """The scenario of a YAML text; it may name files only when ``folder`` is given."""
    known = open_catalogues() if catalogues is None else catalogues
    reader = ScenarioReader(rules, known, TODAY)
    return reader.build(read_text(dedent(text), "scenario.yaml"), folder, settings)


def trace(rules: RuleBook, text: str = "{}", fast: bool = False) -> Trace:
    """Everything a rulebook computes for a scenario text."""
    return Engine(rules).run(scenario(rules, text), fast=fast)
