"""A written scalar as a value of an input: one reading for scenarios, defaults, remedies, tries."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from advisor.errors import cause, said, sentences, suggestion, visible
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
        raise BadValue(
            said("'{name}' has no value", name=target.name), said("Give one, or drop the key.")
        )
    reader = _READERS[target.type]
    value = reader(target, raw)
    if isinstance(value, float) and target.range is not None:
        low, high = target.range
        if not low <= value <= high:
            raise BadValue(
                said(
                    "'{name}' is {raw}, outside {bounds}",
                    name=target.name,
                    raw=_shown(raw),
                    bounds=_bounds(target),
                ),
                said("Check the number and its unit."),
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


def read_number(raw: Any, unit: Unit, name: str, is_whole: bool = False) -> float:
    """A number in the declared unit, or a text with a unit of the same dimension, in base units."""
    if isinstance(raw, bool) or raw is None or isinstance(raw, Mapping | list):
        raise BadValue(said("'{name}' needs a number, not {raw}", name=name, raw=_kind(raw)))
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
                said("'{name}' needs a number: {error}", name=name, error=visible(cause(error))),
                said("Write it as {sample}.", sample=_sample(unit, raw, is_whole)),
            ) from None
        if written is None:
            value *= unit.scale
        elif written.dimension != unit.dimension:
            wanted = (
                said("a plain number")
                if unit.dimension == NONE
                else said("measured in {unit}", unit=unit.name)
            )
            raise BadValue(
                said(
                    "'{name}' is {wanted}, not {written}",
                    name=name,
                    wanted=wanted,
                    written=written.name,
                ),
                said("Write it as {sample}.", sample=_sample(unit, raw, is_whole)),
            )
    if not math.isfinite(value):
        raise BadValue(
            said("'{name}' must be a finite number, not {raw}", name=name, raw=_shown(raw))
        )
    return value


def _sample(unit: Unit, raw: str, is_whole: bool) -> str:
    if unit.dimension == NONE:
        return _written_out(raw) or ("2" if is_whole else "1.5")
    return {"byte": "24 GiB", "second": "6 h", "USD": "20 USD"}.get(unit.name, f"1.5 {unit.name}")


_THOUSANDS = {"k": 1e3, "m": 1e6, "千": 1e3, "万": 1e4}


def _written_out(raw: str) -> str:
    """``5k`` as ``5000``; empty for anything else."""
    text = raw.strip().casefold()
    number, times = text[:-1].strip(), _THOUSANDS.get(text[-1:])
    if times is None or not number.replace(".", "", 1).isdecimal() or len(number) > _LONGEST:
        return ""
    return f"{float(number) * times:.15g}"


_LONGEST = 12  # letters of a number that people write with a k


def _kind(raw: Any) -> str:
    if raw is None:
        return said("nothing")
    if isinstance(raw, bool):
        return str(raw).lower()
    if isinstance(raw, Mapping):
        return said("a map")
    return said("a list") if isinstance(raw, list) else said("'{name}'", name=_shown(raw))


def _number(target: Input, raw: Any) -> Value:
    return read_number(raw, target.unit, target.name)


def _integer(target: Input, raw: Any) -> Value:
    value = read_number(raw, target.unit, target.name, is_whole=True)
    if not value.is_integer():
        raise BadValue(
            said("'{name}' needs a whole number, not {raw}", name=target.name, raw=_shown(raw))
        )
    return value


def _boolean(target: Input, raw: Any) -> Value:
    if isinstance(raw, bool):
        return raw
    hint = said("Write true or false.")
    if str(raw).lower() in ("yes", "no", "on", "off"):
        hint = said("YAML 1.2 reads '{raw}' as text; write true or false.", raw=raw)
    elif isinstance(raw, str) and raw.lower() in ("true", "false"):
        hint = said("Write it without quotes.")
    raise BadValue(
        said("'{name}' needs true or false, not {raw}", name=target.name, raw=_kind(raw)), hint
    )


def _enum(target: Input, raw: Any) -> Value:
    if isinstance(raw, str) and raw in target.choices:
        return raw
    close = suggestion(str(raw), target.choices)
    raise BadValue(
        said("'{name}' cannot be {raw}", name=target.name, raw=_kind(raw)),
        sentences(close, said("One of: {names}.", names=tuple(target.choices))),
    )


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
                said("'{name}' cannot hold {word}", name=target.name, word=_kind(word)),
                sentences(close, said("Any of: {names}.", names=tuple(known))),
            )
    return frozenset(chosen)


def _text(target: Input, raw: Any) -> Value:
    if isinstance(raw, bool | Mapping | list):
        raise BadValue(said("'{name}' needs text, not {raw}", name=target.name, raw=_kind(raw)))
    text = str(raw)
    if len(text) > MAX_TEXT:
        raise BadValue(
            said(
                "'{name}' is longer than {most} characters",
                name=target.name,
                most=MAX_TEXT,
            )
        )
    if "\n" in text or visible(text) != text:  # it is shown to people, on lines of ours
        raise BadValue(
            said(
                "'{name}' holds characters that cannot be shown: {text}",
                name=target.name,
                text=_shown(text),
            )
        )
    return text


def _date(target: Input, raw: Any) -> Value:
    try:
        return parse_date(str(raw))
    except ValueError as error:
        raise BadValue(
            said("'{name}': {error}", name=target.name, error=visible(cause(error))),
            said("Write it as 2026-11-29."),
        ) from None


def _table(target: Input, raw: Any) -> Value:
    if not isinstance(raw, list | tuple):
        raise BadValue(
            said("'{name}' needs a list of rows, not {raw}", name=target.name, raw=_kind(raw))
        )
    if len(raw) > MAX_ROWS:
        raise BadValue(
            said(
                "'{name}' has {count} rows, over {most}",
                name=target.name,
                count=len(raw),
                most=MAX_ROWS,
            )
        )
    return tuple(_row(target, number, row) for number, row in enumerate(raw, start=1))


def _row(target: Input, number: int, row: Any) -> Mapping[str, Any]:
    if not isinstance(row, Mapping):
        raise BadValue(
            said(
                "row {number} of '{name}' is {kind}, not a map",
                number=number,
                name=target.name,
                kind=_kind(row),
            )
        )
    unknown = [key for key in row if key not in target.columns]
    missing = [key for key in target.columns if key not in row]
    if unknown or missing:
        what = (
            said("has the unknown key '{unknown}'", unknown=visible(unknown[0]))
            if unknown
            else said("lacks '{missing}'", missing=missing[0])
        )
        raise BadValue(
            said("row {number} of '{name}' {what}", number=number, name=target.name, what=what),
            said("Columns: {names}.", names=tuple(target.columns)),
        )
    built: dict[str, Any] = {}
    for name, column in target.columns.items():
        shown = f"{target.name}[{number}].{name}"
        if column.type == "enum":
            if row[name] not in column.choices:
                raise BadValue(
                    said("'{name}' cannot be {raw}", name=shown, raw=_kind(row[name])),
                    said("One of: {names}.", names=tuple(column.choices)),
                )
            built[name] = row[name]
            continue
        value = read_number(row[name], column.unit, shown)
        if value < 0:
            raise BadValue(
                said("'{name}' must not be negative: {raw}", name=shown, raw=_shown(row[name]))
            )
        if column.type == "integer" and not value.is_integer():
            raise BadValue(
                said("'{name}' needs a whole number, not {raw}", name=shown, raw=_shown(row[name]))
            )
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
