"""A written scalar as a value of an input: one reading for scenarios, defaults, remedies, tries."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from advisor.errors import suggestion, visible
from advisor.rulebook.model import Input, Value
from advisor.units import NONE, Unit, parse_date, parse_quantity, quantity_text


class BadValue(Exception):
    """The value does not suit the input; ``hint`` says what would."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


MAX_TEXT = 200
MAX_ROWS = 64


def read_value(target: Input, raw: Any) -> Value:
    """The typed value of ``raw`` for an input, numbers in base units.

    Raises BadValue: wrong type, unit of another dimension, not finite, out of range, no choice.
    """
    if raw is None:
        raise BadValue(f"'{target.name}' has no value", "Give one, or drop the key.")
    reader = _READERS[target.type]
    value = reader(target, raw)
    if isinstance(value, float) and target.range is not None:
        low, high = target.range
        if not low <= value <= high:
            raise BadValue(
                f"'{target.name}' is {_shown(raw)}, outside {_bounds(target)}",
                "Check the number and its unit.",
            )
    return value


def _bounds(target: Input) -> str:
    assert target.range is not None
    if target.unit.dimension != NONE:
        return " .. ".join(quantity_text(bound, target.unit) for bound in target.range)
    low, high = (bound / target.unit.scale for bound in target.range)
    label = "" if target.unit.name == "1" else f" {target.unit.name}"
    return f"{low:.12g} .. {high:.12g}{label}"


def _shown(raw: Any) -> str:
    return visible(str(raw)[:60]).replace("\n", "\\n")


def read_number(raw: Any, unit: Unit, name: str) -> float:
    """A number in the declared unit, or a text with a unit of the same dimension, in base units."""
    if isinstance(raw, bool) or raw is None or isinstance(raw, Mapping | list):
        raise BadValue(f"'{name}' needs a number, not {_kind(raw)}")
    if isinstance(raw, int | float):
        try:
            value = float(raw) * unit.scale
        except OverflowError:
            value = math.inf
    else:
        try:
            value, written = parse_quantity(raw)
        except ValueError as error:
            raise BadValue(
                f"'{name}' needs a number: {visible(str(error))}", f"Write it as {_sample(unit)}."
            ) from None
        if written is None:
            value *= unit.scale
        elif written.dimension != unit.dimension:
            wanted = "a plain number" if unit.dimension == NONE else f"measured in {unit.name}"
            raise BadValue(
                f"'{name}' is {wanted}, not {written.name}", f"Write it as {_sample(unit)}."
            )
    if not math.isfinite(value):
        raise BadValue(f"'{name}' must be a finite number, not {_shown(raw)}")
    return value


def _sample(unit: Unit) -> str:
    if unit.dimension == NONE:
        return "1.5"
    return {"byte": "24 GiB", "second": "6 h", "USD": "20 USD"}.get(unit.name, f"1.5 {unit.name}")


def _kind(raw: Any) -> str:
    if raw is None:
        return "nothing"
    if isinstance(raw, bool):
        return str(raw).lower()
    if isinstance(raw, Mapping):
        return "a map"
    return "a list" if isinstance(raw, list) else f"'{_shown(raw)}'"


def _number(target: Input, raw: Any) -> Value:
    return read_number(raw, target.unit, target.name)


def _integer(target: Input, raw: Any) -> Value:
    value = read_number(raw, target.unit, target.name)
    if not value.is_integer():
        raise BadValue(f"'{target.name}' needs a whole number, not {_shown(raw)}")
    return value


def _boolean(target: Input, raw: Any) -> Value:
    if isinstance(raw, bool):
        return raw
    hint = "Write true or false."
    if str(raw).lower() in ("yes", "no", "on", "off"):
        hint = f"YAML 1.2 reads '{raw}' as text; write true or false."
    elif isinstance(raw, str) and raw.lower() in ("true", "false"):
        hint = "Write it without quotes."
    raise BadValue(f"'{target.name}' needs true or false, not {_kind(raw)}", hint)


def _enum(target: Input, raw: Any) -> Value:
    if isinstance(raw, str) and raw in target.choices:
        return raw
    choices = ", ".join(target.choices)
    close = suggestion(str(raw), target.choices)
    raise BadValue(f"'{target.name}' cannot be {_kind(raw)}", f"{close} One of: {choices}.".strip())


def _set(target: Input, raw: Any) -> Value:
    words: Sequence[Any] = raw if isinstance(raw, list) else [raw]
    chosen: set[str] = set()
    for word in words:
        if isinstance(word, str) and word in target.groups:
            chosen |= target.groups[word]
        elif isinstance(word, str) and word in target.choices:
            chosen.add(word)
        else:
            known = [*target.groups, *target.choices]
            close = suggestion(str(word), known)
            raise BadValue(
                f"'{target.name}' cannot hold {_kind(word)}",
                f"{close} Any of: {', '.join(known)}.".strip(),
            )
    return frozenset(chosen)


def _text(target: Input, raw: Any) -> Value:
    if isinstance(raw, bool | Mapping | list):
        raise BadValue(f"'{target.name}' needs text, not {_kind(raw)}")
    text = str(raw)
    if len(text) > MAX_TEXT:
        raise BadValue(f"'{target.name}' is longer than {MAX_TEXT} characters")
    if "\n" in text or visible(text) != text:  # it is shown to people, on lines of ours
        raise BadValue(f"'{target.name}' holds characters that cannot be shown: {_shown(text)}")
    return text


def _date(target: Input, raw: Any) -> Value:
    try:
        return parse_date(str(raw))
    except ValueError as error:
        raise BadValue(
            f"'{target.name}': {visible(str(error))}", "Write it as 2026-11-29."
        ) from None


def _table(target: Input, raw: Any) -> Value:
    if not isinstance(raw, list | tuple):
        raise BadValue(f"'{target.name}' needs a list of rows, not {_kind(raw)}")
    if len(raw) > MAX_ROWS:
        raise BadValue(f"'{target.name}' has {len(raw)} rows, over {MAX_ROWS}")
    return tuple(_row(target, number, row) for number, row in enumerate(raw, start=1))


def _row(target: Input, number: int, row: Any) -> Mapping[str, Any]:
    if not isinstance(row, Mapping):
        raise BadValue(f"row {number} of '{target.name}' is {_kind(row)}, not a map")
    unknown = [key for key in row if key not in target.columns]
    missing = [key for key in target.columns if key not in row]
    if unknown or missing:
        what = (
            f"has the unknown key '{visible(unknown[0])}'" if unknown else f"lacks '{missing[0]}'"
        )
        raise BadValue(
            f"row {number} of '{target.name}' {what}", f"Columns: {', '.join(target.columns)}."
        )
    built: dict[str, Any] = {}
    for name, column in target.columns.items():
        shown = f"{target.name}[{number}].{name}"
        if column.type == "enum":
            if row[name] not in column.choices:
                raise BadValue(
                    f"'{shown}' cannot be {_kind(row[name])}",
                    f"One of: {', '.join(column.choices)}.",
                )
            built[name] = row[name]
            continue
        value = read_number(row[name], column.unit, shown)
        if value < 0:
            raise BadValue(f"'{shown}' must not be negative: {_shown(row[name])}")
        if column.type == "integer" and not value.is_integer():
            raise BadValue(f"'{shown}' needs a whole number, not {_shown(row[name])}")
        built[name] = value
    return built


_READERS = {
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "enum": _enum,
    "set": _set,
    "text": _text,
    "catalogue": _text,
    "date": _date,
    "table": _table,
}


def input_text(target: Input, value: Value) -> str:
    """A value of an input as a person would write it, sets by the name of their group."""
    if isinstance(value, frozenset):
        for name, members in target.groups.items():
            if value == members:
                return name
    return value_text(value, target.unit)


def value_text(value: Value, unit: Unit) -> str:
    """A value as a person would write it in a scenario: plain, without grouping."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, frozenset):
        return "[" + ", ".join(sorted(value)) + "]"
    if isinstance(value, tuple):
        return f"{len(value)} rows"
    if isinstance(value, str):
        return value
    scaled = value / unit.scale
    number = f"{scaled:.0f}" if scaled == int(scaled) and abs(scaled) < 1e15 else f"{scaled:.6g}"
    return number if unit.is_label or unit.name in ("%", "percent") else f"{number} {unit.name}"
