"""The JSON Schema of scenario files, made from the declared inputs: for editors, and for checking.

A scenario may nest the inputs' dotted names or write them as they are, so every level offers both.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from advisor.rulebook.model import Column, Input, RuleBook, say
from advisor.rulebook.values import MAX_ROWS, MAX_TEXT
from advisor.scenario import ASSUMED, KEEP

_DATE = r"^\d{4}-\d{2}-\d{2}$"
_DIGITS = {"type": "string", "pattern": r"\d"}  # a quantity with its unit, as 24 GiB
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def scenario_schema_text(book: RuleBook) -> str:
    """The schema as the text of ``scenario.schema.json``."""
    return json.dumps(scenario_schema(book), indent=2, ensure_ascii=False) + "\n"


def scenario_schema(book: RuleBook) -> dict[str, Any]:
    """The schema of a scenario for the inputs of a rulebook."""
    names = list(book.inputs)
    return {
        "$schema": _DIALECT,
        "title": "advisor scenario",
        "description": "One planned run. Generated from the declared inputs; see CONTRIBUTING.md.",
        "type": "object",
        "properties": {
            KEEP: {
                "description": "Inputs that the ladder may not touch.",
                "type": "array",
                "items": {"enum": names},
            },
            ASSUMED: {
                "description": "Inputs that nobody is sure of.",
                "type": "array",
                "items": {"enum": names},
            },
            **_level(book, ""),
        },
        "additionalProperties": False,
        "$defs": {name: _input(book, one) for name, one in book.inputs.items()},
    }


def _level(book: RuleBook, prefix: str) -> dict[str, Any]:
    """The properties under a prefix: groups nested, and every name below written with its dots."""
    found: dict[str, Any] = {}
    for name in book.inputs:
        if not name.startswith(prefix):
            continue
        rest = name.removeprefix(prefix)
        head, dot, _ = rest.partition(".")
        if dot and head not in found and prefix + head not in book.inputs:
            found[head] = {
                "type": "object",
                "properties": _level(book, f"{prefix}{head}."),
                "additionalProperties": False,
            }
        found[rest] = {"$ref": f"#/$defs/{name}"}
    return found


def _input(book: RuleBook, one: Input) -> dict[str, Any]:
    told = say(one.ask, "en") or say(one.title, "en")
    unit = "" if one.unit.name == "1" else f"In {one.unit.name}."
    description = " ".join(filter(None, (told, unit)))
    return ({"description": description} if description else {}) | _shape(book, one)


def _shape(book: RuleBook, one: Input) -> dict[str, Any]:
    if one.type in ("integer", "number"):
        return {"type": [one.type, "string"], **_bounds(one), "pattern": _DIGITS["pattern"]}
    if one.type == "boolean":
        return {"type": "boolean"}
    if one.type == "enum":
        return {"enum": list(one.choices)}
    if one.type == "set":
        words = {"enum": [*one.groups, *one.choices]}
        return {"anyOf": [words, {"type": "array", "items": words}]}
    if one.type == "date":
        return {"type": "string", "pattern": _DATE}
    if one.type == "table":
        return {"type": "array", "maxItems": MAX_ROWS, "items": _row(one)}
    text = {"type": ["string", "number"], "minLength": 1, "maxLength": MAX_TEXT}
    if one.type != "catalogue":
        return text
    fields = _level(book, f"{one.name}.")
    return {
        "anyOf": [text, {"type": "object", "properties": fields, "additionalProperties": False}]
    }


def _bounds(one: Input) -> dict[str, float]:
    if one.range is None:
        return {}
    low, high = (_plain(bound / one.unit.scale) for bound in one.range)
    return {"minimum": low, "maximum": high}


def _plain(number: float) -> float:
    """Without the last digits, which dividing by a unit makes up; whole numbers as such."""
    rounded = float(f"{number:.12g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 1e15 else rounded


def _row(one: Input) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(_columns(one)),
        "required": list(one.columns),
        "additionalProperties": False,
    }


def _columns(one: Input) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, column in one.columns.items():
        yield name, _column(column)


def _column(column: Column) -> dict[str, Any]:
    if column.type == "enum":
        return {"enum": list(column.choices)}
    return {"type": [column.type, "string"], "minimum": 0, "pattern": _DIGITS["pattern"]}
