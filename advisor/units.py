"""Quantities: parsing ``24 GiB`` and ``1.99 USD/h``, dimensions, and printing values for people.

All arithmetic runs in base units (byte, second, FLOP, USD). ``token``, ``sample``, ``step`` and the
like are labels: they are shown but carry no dimension. GB is 10^9 bytes and GiB is 2^30
(IEC 80000-13).
"""

import datetime
import math
import re
from functools import lru_cache
from typing import NamedTuple

from advisor.errors import close_names, said

Dimension = tuple[int, int, int, int]
"""Exponents of byte, second, FLOP and USD."""

NONE: Dimension = (0, 0, 0, 0)
BYTE: Dimension = (1, 0, 0, 0)
SECOND: Dimension = (0, 1, 0, 0)
MONEY: Dimension = (0, 0, 0, 1)
_BASE_NAMES = ("byte", "second", "FLOP", "USD")


class Unit(NamedTuple):
    """A unit as written, its dimension, and how many base units it is."""

    name: str
    dimension: Dimension
    scale: float

    @property
    def is_label(self) -> bool:
        """True for counting labels (``token``) and the bare number ``1``."""
        return self.dimension == NONE and self.scale == 1


def _table() -> dict[str, tuple[Dimension, float]]:
    table: dict[str, tuple[Dimension, float]] = {
        "byte": (BYTE, 1),
        "bytes": (BYTE, 1),
        "B": (BYTE, 1),
    }
    for power, letter in enumerate("KMGTP", start=1):
        table[f"{letter}iB"] = (BYTE, 1024.0**power)
        table[f"{letter}B"] = (BYTE, 1000.0**power)
    table["kB"] = (BYTE, 1000.0)
    minute, hour, day = 60.0, 3600.0, 86400.0
    for names, seconds in (
        (("us",), 1e-6),
        (("ms",), 1e-3),
        (("second", "seconds", "s", "sec"), 1),
        (("min", "minute", "minutes"), minute),
        (("h", "hour", "hours"), hour),
        (("day", "days", "d"), day),
        (("month", "months"), 30 * day),
        (("year", "years"), 365 * day),
    ):
        table.update(dict.fromkeys(names, (SECOND, float(seconds))))
    rate = (0, -1, 1, 0)
    for letter, scale in (("", 1.0), ("M", 1e6), ("G", 1e9), ("T", 1e12), ("P", 1e15), ("E", 1e18)):
        table[f"{letter}FLOP"] = ((0, 0, 1, 0), scale)
        table[f"{letter}FLOPS"] = (rate, scale)
    table["USD"] = ((0, 0, 0, 1), 1.0)
    table["%"] = table["percent"] = (NONE, 0.01)
    for label in (
        "1",
        "token",
        "sample",
        "step",
        "parameter",
        "gpu",
        "layer",
        "epoch",
        "row",
        "head",
        "expert",
        "image",
        "run",
    ):
        table[label] = (NONE, 1.0)
        if label != "1":
            table[label + "s"] = (NONE, 1.0)
    return table


_UNITS = _table()
_MAX_PARTS = 4  # of a quotient: more could bring its scale out of what a number can hold


def unit_names() -> list[str]:
    """Every simple unit that is understood."""
    return sorted(_UNITS)


@lru_cache(1024)
def parse_unit(text: str) -> Unit:
    """Parse ``GiB``, ``USD/h``, ``TFLOP/s``, ``byte/parameter``; raises ValueError naming the part.

    >>> parse_unit("USD/h").dimension
    (0, -1, 0, 1)
    """
    dimension, scale = [0, 0, 0, 0], 1.0
    parts = [part.strip() for part in text.split("/")]
    if len(parts) > _MAX_PARTS:
        raise ValueError(said("a unit of over {most} parts", most=_MAX_PARTS))
    for position, part in enumerate(parts):
        found = _UNITS.get(part)
        if found is None:
            close = close_names(part, _UNITS, most=1)
            raise ValueError(
                said("unknown unit '{name}' ({close}?)", name=part[:40], close=close[0])
                if close
                else said("unknown unit '{name}'", name=part[:40])
            )
        sign = 1 if position == 0 else -1
        for axis in range(4):
            dimension[axis] += sign * found[0][axis]
        scale *= found[1] ** sign
    return Unit(text.strip(), (dimension[0], dimension[1], dimension[2], dimension[3]), scale)


# Commas group thousands; "1,5" is refused, because half the world reads it as one and a half.
_NUMBER = r"[-+]?(?:(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
PLAIN_DIGITS = re.compile(_NUMBER)
"""The number at the start of a quantity, as it is written."""
QUANTITY = re.compile(rf"\s*({_NUMBER})\s*([A-Za-z%][A-Za-z%/0-9]*)?\s*\Z")
"""What is meant as a quantity, whether or not its unit exists."""


def parse_quantity(text: str) -> tuple[float, Unit | None]:
    """Parse ``24 GiB`` or ``0.9``: the value in base units and the unit written, if any.

    Raises ValueError for anything else.
    """
    if len(text) > 100:
        raise ValueError(said("a quantity this long is not a number with a unit"))
    match = QUANTITY.match(text)
    if not match:
        raise ValueError(said("'{text}' is not a number with a unit", text=text))
    value = float(match[1].replace(",", ""))
    unit = parse_unit(match[2]) if match[2] else None
    result = value * (unit.scale if unit else 1.0)
    if not math.isfinite(result):
        raise ValueError(said("'{text}' is not a finite number", text=text))
    return result, unit


def dimension_text(dimension: Dimension) -> str:
    """How a dimension reads in a message: ``byte``, ``FLOP/second``, ``a plain number``."""
    above = [_power(n, e) for n, e in zip(_BASE_NAMES, dimension, strict=True) if e > 0]
    below = [_power(n, -e) for n, e in zip(_BASE_NAMES, dimension, strict=True) if e < 0]
    if not above and not below:
        return said("a plain number")
    return "*".join(above or ["1"]) + "".join(f"/{part}" for part in below)


def _power(name: str, exponent: int) -> str:
    return name if exponent == 1 else f"{name}^{exponent}"


def parse_date(text: str) -> float:
    """``2026-11-29`` as seconds since 1970-01-01; raises ValueError for anything else."""
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        raise ValueError(said("'{text}' is not a date like 2026-11-29", text=text[:40]))
    day = datetime.date.fromisoformat(text)
    return (day - datetime.date(1970, 1, 1)).days * 86400.0


def date_text(seconds: float) -> str:
    """The day that ``parse_date`` read."""
    day = datetime.date(1970, 1, 1) + datetime.timedelta(days=seconds // 86400)
    return day.isoformat()


def quantity_text(value: float, unit: Unit) -> str:
    """A value in base units as people read it, sized to fit: ``23.4 GiB``, ``5 h 10 min``."""
    if not math.isfinite(value):
        return "unbounded" if value > 0 else "-unbounded" if value < 0 else "undefined"
    dimension = unit.dimension
    first, _, label = unit.name.partition("/")
    label = label and f"/{label}"  # of byte/parameter and the like: it counts, and is shown
    if dimension == BYTE:
        return _bytes_text(value, first) + label
    if dimension == SECOND:
        return duration_text(value) + label
    if dimension == (0, 0, 0, 1):
        return f"{_money(value)} USD{label}"
    if unit.name == "USD/h":
        return f"{_money(value / unit.scale)} USD/h"
    if dimension == NONE:
        if unit.name in ("%", "percent"):
            return f"{number_text(float(f'{value * 100:.3g}'))} %"
        label = "" if unit.name == "1" else f" {unit.name}"
        return number_text(value) + label
    if dimension == (1, -1, 0, 0) and unit.scale == 1:
        return _prefixed(value, "B/s")
    if dimension[2] and dimension[0] == dimension[3] == 0 and unit.scale == 1:
        return _prefixed(value, unit.name)
    return f"{number_text(value / unit.scale)} {unit.name}"


def _money(value: float) -> str:
    if 0 < abs(value) < 0.01:
        return f"{value:.1g}"
    return f"{value + 0.0:,.2f}"  # never -0.00


def _bytes_text(value: float, unit: str) -> str:
    base, ladder = (
        (1000.0, ("B", "kB", "MB", "GB", "TB"))
        if unit in ("kB", "KB", "MB", "GB", "TB", "PB")
        else (1024.0, ("B", "KiB", "MiB", "GiB", "TiB"))
    )
    step = 0
    size = abs(value)
    # 0.1 GiB reads better than 102.4 MiB beside numbers of tens of GiB.
    while step < 4 and size >= (base if step != 2 else base / 10):
        size /= base
        step += 1
    shown = size if value >= 0 else -size
    if step == 0:
        return f"{number_text(shown)} B"
    return f"{shown:.1f} {ladder[step]}"


def duration_text(seconds: float) -> str:
    """``45 s``, ``12 min``, ``5 h 10 min``, ``3 days 4 h``."""
    if seconds < 0:
        return "-" + duration_text(-seconds)
    if 0 < seconds < 1:
        return f"{seconds * 1000:.3g} ms"
    if seconds < 90:
        return f"{seconds:.3g} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    days, hours = divmod(round(seconds / 3600), 24)
    return f"{days} days {hours} h" if hours else f"{days} days"


def number_text(value: float) -> str:
    """A bare number: thousands grouped, at most four significant decimals, exponents when huge."""
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    size = abs(value)
    if size >= 1e15 or size < 1e-4:
        return f"{value:.3e}"
    if size >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def _prefixed(value: float, name: str) -> str:
    # Rates stay at most at T: cards are compared in GB/s and TFLOP/s.
    steps: tuple[tuple[str, float], ...] = (("T", 1e12), ("G", 1e9), ("M", 1e6))
    if name == "B/s":
        steps = steps[1:]
    elif not name.endswith("/s"):
        steps = (("E", 1e18), ("P", 1e15), *steps)
    for letter, scale in steps:
        if abs(value) >= scale:
            return f"{number_text(float(f'{value / scale:.4g}'))} {letter}{name}"
    return f"{number_text(value)} {name}"
