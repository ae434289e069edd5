"""Values as YAML and JSON write them, so that every reader takes them for the same thing."""

import json
import re
from decimal import Decimal

from advisor.source.lenient import loose_scalar

Plain = bool | int | float | str | None | list[str] | tuple[str, ...]
"""What can be written into a file: a scalar, a list of words, or (a tuple) words that a list must
hold beside those it has."""

_SAFE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]*(?: [A-Za-z0-9_./-]+)*\Z")


def in_yaml(value: Plain, quote: str = "") -> str:
    """A value as a YAML scalar or a list in brackets; text keeps the quotes that are there."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(in_yaml(one) for one in value)}]"
    if isinstance(value, str):
        if quote == "'" and value.isprintable():
            return "'" + value.replace("'", "''") + "'"
        plain = not quote and _SAFE.match(value) and isinstance(loose_scalar(value), str)
        return value if plain else json.dumps(value, ensure_ascii=False)
    return in_json(value)


def in_json(value: Plain) -> str:
    """A value as JSON writes it; numbers without an exponent, which YAML 1.1 takes for text."""
    if isinstance(value, float):
        return number(value)
    return json.dumps(value, ensure_ascii=False)


def number(value: float) -> str:
    """A number in digits that give it back exactly."""
    if value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return format(Decimal(repr(value)), "f")
