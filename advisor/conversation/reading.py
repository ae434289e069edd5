"""What a text was taken for, as data."""

import re
from typing import Literal, NamedTuple

from advisor.conversation.tokens import Token
from advisor.errors import said, sentences
from advisor.rulebook.model import Input, Value
from advisor.rulebook.values import BadValue
from advisor.units import NONE, Unit, parse_unit, quantity_text


class Found(NamedTuple):
    """A value that the text gives an input; a catalogue entry as its id.

    ``written`` are the words for it, ``read_as`` what mistyped ones were taken for.
    """

    name: str
    value: Value
    written: str
    read_as: str = ""


class Unclear(NamedTuple):
    """Words that mean one of several values of an input; of a catalogue's the ids of its entries.

    The likeliest comes first.
    """

    name: str
    written: str
    candidates: tuple[Value, ...]


class Refused(NamedTuple):
    """Words that an input cannot take: the reason, and what it could take."""

    name: str
    written: str
    reason: Literal["range", "whole", "choice", "unit", "value", "total"]
    detail: str


class Scaled(NamedTuple):
    """``double the batch``, ``2 more cards``: an input as what it is now times ``factor`` and
    ``more``, in base units; ``written`` says how."""

    name: str
    written: str
    factor: float = 1.0
    more: float = 0.0


class Reading(NamedTuple):
    """Everything a text says, and what of it was not used.

    ``denied`` are those of the unused words that say what is not wanted. What is ``scaled`` is
    among the unused too: only who knows the answers so far can use it.
    """

    found: tuple[Found, ...] = ()
    unclear: tuple[Unclear, ...] = ()
    refused: tuple[Refused, ...] = ()
    unused: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()
    scaled: tuple[Scaled, ...] = ()


def refusal(target: Input, written: str, raw: object, error: BadValue) -> Refused:
    """Why an input does not take a value, in a form that can be said in any language."""
    number = isinstance(raw, int | float) and not isinstance(raw, bool)
    if number and target.range is not None:
        value = float(raw) * target.unit.scale  # type: ignore[arg-type]
        low, high = target.range
        if not low <= value <= high:
            ends = (quantity_text(low, target.unit), quantity_text(high, target.unit))
            return Refused(target.name, written, "range", " … ".join(ends))
    if number and target.type == "integer" and not float(raw).is_integer():  # type: ignore[arg-type]
        return Refused(target.name, written, "whole", "")
    if target.choices:
        choices = ", ".join((*target.groups, *target.choices))
        return Refused(target.name, written, "choice", choices)
    told = sentences(said("{message}.", message=error.message), error.hint)
    return Refused(target.name, written, "value", told)


def sibling(name: str) -> str:
    """The input that counts what a catalogue input names: of ``a.gpu`` it is ``a.count``."""
    group, dot, _ = name.rpartition(".")
    return f"{group}{dot}count"


def suits(token: Token, target: Input) -> bool:
    """Whether a number with a unit can be of an input; ``2 USD`` can be a price per hour."""
    if token.unit is None:
        return target.unit.dimension == NONE
    return token.unit.dimension in (target.unit.dimension, above(target.unit).dimension)


def above(unit: Unit) -> Unit:
    """What a unit counts before ``per``: USD of USD/h."""
    first, slash, _ = unit.name.partition("/")
    return parse_unit(first) if slash else unit


def amount(token: Token, target: Input) -> float:
    """A number in base units; ``2k`` is 2048 where powers of two are usual."""
    usual = all(map(_is_power, target.typical or (0.0,)))
    if token.thousands is not None and usual and _is_power(token.thousands):
        return token.thousands * 1024
    if token.unit is None:
        return token.value * target.unit.scale
    if token.unit.dimension == target.unit.dimension:
        return token.value
    return token.value / above(target.unit).scale * target.unit.scale


def dotted(token: Token) -> float | None:
    """What ``10.000`` is where the point parts thousands, in base units; None elsewhere."""
    match = _DOTTED.match(token.text)
    scale = token.unit.scale if token.unit else 1.0
    return float(match[1].replace(".", "")) * scale if match else None


_DOTTED = re.compile(r"[^0-9]?([1-9][0-9]{0,2}\.[0-9]{3})(?![0-9.,a-zA-Z])")


def _is_power(value: object) -> bool:
    return (
        isinstance(value, float)
        and value >= 1
        and value.is_integer()
        and not (int(value) & (int(value) - 1))
    )


def sizes(token: Token) -> tuple[float, ...]:
    """What ``24 GB`` of memory may be: people say GB for GiB."""
    assert token.unit is not None
    count = token.value / token.unit.scale
    return tuple(count * scale for scale in _SIZES.get(token.unit.name, (token.unit.scale,)))


_SIZES = {"GB": (1e9, float(1 << 30)), "MB": (1e6, float(1 << 20)), "TB": (1e12, float(1 << 40))}
