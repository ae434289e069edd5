"""What ``advisor gpus`` and ``advisor models`` share: list, filter, and show with sources."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import click

from advisor.catalog import Catalogue, Entry
from advisor.catalog.names import NotInCatalogue
from advisor.cli.exits import Exit
from advisor.cli.languages import language
from advisor.cli.options import lang_option, project
from advisor.errors import BadCall, said, sentences, suggestion, visible
from advisor.project import Project
from advisor.report.phrases import names, pad, phrase, right, width
from advisor.rulebook.model import Input
from advisor.rulebook.values import BadValue, read_value, value_text
from advisor.units import date_text, quantity_text

_TEST = re.compile(r"\s*([a-z_0-9]+)\s*(<=|>=|!=|=|<|>)\s*(.+?)\s*\Z")
_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
    "=": operator.eq,
    "!=": operator.ne,
}


def catalogue_command(kind: str, columns: tuple[str, ...], doc: str) -> click.Command:
    """The command for one catalogue; ``columns`` are the facts that its list shows."""

    @click.command(kind, help=doc)
    @click.argument("name", required=False)
    @click.option(
        "--where",
        "tests",
        multiple=True,
        metavar="FACT>=VALUE",
        help=f"List only entries for which this holds, as '{columns[0]} >= 24 GiB'"
        if kind == "gpus"
        else "List only entries for which this holds, as 'layers > 40'.",
    )
    @click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
    @lang_option
    def command(name: str | None, tests: tuple[str, ...], form: str, lang: str | None) -> Exit:
        opened = project((), None)
        inputs, spoken = _fact_inputs(opened, kind), language(lang)
        found, is_one = _named(opened.catalogues[kind], name)
        entries = [one for one in found if _passes(one, tests, inputs)]
        if form == "json":
            lines = [_as_json(entries)]
        elif is_one and not tests:
            lines = list(_page(entries[0], spoken))
        else:
            lines = list(_table(entries, columns, inputs, spoken))
        click.echo(visible("\n".join(lines)))
        return Exit.HOLDS

    return command


def _named(catalogue: Catalogue, name: str | None) -> tuple[list[Entry], bool]:
    """The entries a name means, and whether it is the name of one: else all that hold the word.

    Raises NotInCatalogue when none does.
    """
    if name is None:
        return list(catalogue.entries()), False
    try:
        return [catalogue.find(name)], True
    except NotInCatalogue:
        found = catalogue.with_word(name)
        if not found:
            raise
        return found, False


def _fact_inputs(opened: Project, kind: str) -> dict[str, Input]:
    """The declared inputs of a catalogue's facts, by the fact's own name."""
    owner = next(one.name for one in opened.book.inputs.values() if one.catalogue == kind)
    start = owner + "."
    return {
        name.removeprefix(start): one
        for name, one in opened.book.inputs.items()
        if name.startswith(start)
    }


def _passes(entry: Entry, tests: tuple[str, ...], inputs: Mapping[str, Input]) -> bool:
    return all(_passes_one(entry, test, inputs) for test in tests)


def _passes_one(entry: Entry, test: str, inputs: Mapping[str, Input]) -> bool:
    found = _TEST.match(test)
    if found is None:
        raise BadCall(said("--where {test}: write it as FACT>=VALUE", test=test[:60]))
    name, sign, written = found.groups()
    if name not in inputs:
        hint = suggestion(name, inputs) or said("Known: {names}.", names=tuple(sorted(inputs)))
        raise BadCall(sentences(said("--where: there is no fact '{name}'.", name=name), hint))
    target = inputs[name]
    raw: Any = {"true": True, "false": False}.get(written, written)
    try:
        wanted = read_value(target, raw)
    except BadValue as error:
        raise BadCall(
            said(
                "--where: {what}",
                what=sentences(said("{message}.", message=error.message), error.hint),
            )
        ) from None
    value = _typed(entry, name, target)
    if value is None:
        return sign == "!="
    if sign not in ("=", "!=") and not (isinstance(value, float) and isinstance(wanted, float)):
        raise BadCall(said("--where: '{name}' has no order; use = or !=", name=name))
    return _OPERATORS[sign](value, wanted)


def _typed(entry: Entry, name: str, target: Input) -> Any:
    fact = entry.facts.get(name)
    return None if fact is None else read_value(target, fact.value)


def _shown(entry: Entry, name: str, target: Input | None) -> str:
    fact = entry.facts.get(name)
    if fact is None:
        return "-"
    if target is None:
        return str(fact.value)
    value = read_value(target, fact.value)
    if target.type == "date" and isinstance(value, float):
        return date_text(value)
    if isinstance(value, float) and not isinstance(value, bool):
        return quantity_text(value, target.unit)
    return value_text(value, target.unit)


def _table(
    entries: list[Entry], columns: tuple[str, ...], inputs: Mapping[str, Input], spoken: str
) -> Iterator[str]:
    rows = [[phrase(spoken, "catalogue_name"), *columns, ""]]
    doubt = phrase(spoken, "catalogue_unverified")
    for entry in entries:
        cells = [_shown(entry, column, inputs.get(column)) for column in columns]
        rows.append([entry.name, *cells, "" if entry.verified else doubt])
    widths = [max(width(row[at]) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        first = pad(row[0], widths[0])
        rest = (right(cell, size) for cell, size in zip(row[1:-1], widths[1:-1], strict=True))
        yield f"{first}  {'  '.join(rest)}  {row[-1]}".rstrip()
    yield phrase(spoken, "catalogue_entries", count=len(entries))


def _as_written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _page(entry: Entry, spoken: str) -> Iterator[str]:
    state = "" if entry.verified else "   " + phrase(spoken, "catalogue_doubtful")
    yield f"{entry.name}   ({entry.id}, {entry.path}){state}"
    if entry.aliases:
        yield "  " + phrase(spoken, "catalogue_also", names=names(spoken, entry.aliases))
    column = max((width(name) for name in entry.facts), default=0) + 2
    for name, fact in entry.facts.items():
        if isinstance(fact.value, tuple):
            count = phrase(spoken, "catalogue_rows", count=len(fact.value))
            yield f"  {pad(name, column)}{count}"
            for row in fact.value:
                yield "    " + "  ".join(f"{key}={value}" for key, value in row.items())
            continue
        source = fact.source
        if fact.checked:
            source = phrase(spoken, "catalogue_source", source=source, checked=fact.checked)
        yield f"  {pad(name, column)}{pad(_as_written(fact.value), 16)}  {source}"


def _as_json(entries: list[Entry]) -> str:
    import json

    return json.dumps(
        [
            {
                "id": one.id,
                "name": one.name,
                "verified": one.verified,
                "file": one.path,
                "facts": {
                    name: {"value": fact.value, "source": fact.source, "checked": fact.checked}
                    for name, fact in one.facts.items()
                },
            }
            for one in entries
        ],
        indent=2,
    )
