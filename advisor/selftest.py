"""Runs the ``examples:`` of rule files: given inputs, expected values with a margin."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

from advisor.errors import FileProblems, Problem, Span, cause, said, sentences, suggestion
from advisor.evaluate import Engine, Trace
from advisor.rulebook.model import Example, RuleBook
from advisor.rulebook.values import value_text
from advisor.scenario import ScenarioReader
from advisor.units import PLAIN_DIGITS, Unit, parse_quantity, quantity_text
from advisor.verdict import judge, name_text

VERDICT = "verdict"
_STATES = ("fits", "tight", "does not fit", "undecided", "no limit")
_MARGIN = re.compile(r"(?P<value>.+?)\s*\+-\s*(?P<margin>.+)\Z")
_BETWEEN = re.compile(r"(?P<low>.+?)\s*\.\.\s*(?P<high>.+)\Z")
_BOUND = re.compile(r"(?P<sign><=|>=)\s*(?P<value>.+)\Z")


class Check(NamedTuple):
    """One expectation of one example: what was expected, what came, and whether it holds."""

    example: Example
    name: str
    expected: str
    actual: str
    holds: bool
    where: Span


class ExampleResult(NamedTuple):
    """One example: its checks, or the problems that kept it from running."""

    example: Example
    checks: tuple[Check, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def holds(self) -> bool:
        """True when something was checked and everything checked holds."""
        return not self.problems and bool(self.checks) and all(c.holds for c in self.checks)


def run_examples(
    book: RuleBook, reader: ScenarioReader, layer: str | None = None
) -> Iterator[ExampleResult]:
    """Run the book's examples, or those that one layer wrote."""
    engine = Engine(book)
    for example in book.examples:
        if layer is None or example.layer == layer:
            yield run_example(engine, reader, example)


def run_example(engine: Engine, reader: ScenarioReader, example: Example) -> ExampleResult:
    """Run one example; never raises for what its file says."""
    try:
        scenario = reader.from_map(example.given, example.document, example.name)
    except FileProblems as error:
        return ExampleResult(example, problems=error.problems)
    trace = engine.run(scenario)
    checks: list[Check] = []
    problems: list[Problem] = []
    for name, expected in example.expect.items():
        where = example.document.span(example.expect, name)
        if isinstance(expected, float):
            expected = _as_written(example, name)
        try:
            actual, holds = _check(trace, name, expected)
        except ValueError as error:
            problems.append(
                Problem(
                    "expect",
                    said("{message}.", message=cause(error)),
                    said("See examples in rules/README.md."),
                    where,
                )
            )
            continue
        failure = trace.failures.get(name)
        if failure is not None:
            actual = f"{actual} ({failure.message})"
        checks.append(Check(example, name, str(expected), actual, holds, where))
    return ExampleResult(example, tuple(checks), tuple(problems))


def _as_written(example: Example, name: str) -> str:
    """A number with the digits of the file: 6.0e17 promises two, 6e17 one."""
    place = example.expect.values_at[name]  # type: ignore[attr-defined]
    written: str = example.document.written(place)
    return written


def _check(trace: Trace, name: str, expected: Any) -> tuple[str, bool]:
    if name == VERDICT:
        if expected not in _STATES:
            raise ValueError(
                said(
                    "'{expected}' is no verdict; one of: {states}",
                    expected=expected,
                    states=tuple(_STATES),
                )
            )
        state = judge(trace, details=False).state
        return state, state == expected
    if name not in trace.book.types:
        raise ValueError(
            sentences(
                said("there is no '{name}' to expect.", name=name),
                suggestion(name, trace.book.types),
            )
        )
    if name.endswith((".low", ".high")) and name not in trace.values:
        name = name.rpartition(".")[0]  # what does not range is its own low and high
    value = trace.values.get(name)
    if expected == "undecided":
        return name_text(trace, name), value is None and name in trace.missing
    if expected == "absent":
        return name_text(trace, name), name in trace.absent
    if value is None:
        lacking = ", ".join(sorted(trace.missing.get(name, ())))
        return f"undecided (lacks {lacking})" if lacking else "no value", False
    if isinstance(expected, bool) or isinstance(value, bool):
        if not isinstance(expected, bool):
            raise ValueError(
                said("'{name}' is true or false, not '{expected}'", name=name, expected=expected)
            )
        return value_text(value, trace.book.unit(name)), value is expected
    if isinstance(value, str):
        choices = trace.book.types[name].choices
        if choices and expected not in choices:
            raise ValueError(
                sentences(
                    said("'{name}' is never '{expected}'.", name=name, expected=expected),
                    suggestion(str(expected), choices),
                )
            )
        return value, value == expected
    if not isinstance(value, float):
        raise ValueError(said("'{name}' is no number, word or truth", name=name))
    unit = trace.book.unit(name)
    return _shown(value, str(expected), unit), matches(value, str(expected), unit)


def _shown(value: float, expected: str, unit: Unit) -> str:
    written = re.search(r"[A-Za-z%][A-Za-z%/]*\s*\Z", expected)
    if written:
        try:
            _, found = parse_quantity("1 " + written[0].strip())
        except ValueError:
            found = None
        if found is not None and found.dimension == unit.dimension:
            return f"{value / found.scale:.6g} {found.name}"
    if unit.is_label:
        return f"{value:.6g}"
    return quantity_text(value, unit)


def matches(value: float, expected: str, unit: Unit) -> bool:
    """Whether a value in base units meets an expectation such as ``14 GB +- 2 %``.

    Raises ValueError when the expectation is not well formed or of another dimension.
    """
    if found := _BOUND.match(expected):
        bound = _amount(found["value"], unit)[0]
        slack = 1e-9 * abs(bound)
        return value <= bound + slack if found["sign"] == "<=" else value >= bound - slack
    if found := _BETWEEN.match(expected):
        low, high = _pair(found["low"], found["high"], unit)
        if low > high:
            raise ValueError(said("'{expected}' has its larger end first", expected=expected))
        return low - 1e-9 * abs(low) <= value <= high + 1e-9 * abs(high)
    if found := _MARGIN.match(expected):
        if found["margin"].endswith("%"):
            wanted, share = _amount(found["value"], unit)[0], parse_quantity(found["margin"])[0]
            margin = abs(wanted) * share
        else:
            wanted, margin = _pair(found["value"], found["margin"], unit)
        if margin < 0:
            raise ValueError(said("'{expected}' has a negative margin", expected=expected))
        return abs(value - wanted) <= margin * (1 + 1e-9)
    return _rounds_to(value, expected, unit)


def _amount(text: str, unit: Unit) -> tuple[float, Unit | None]:
    value, written = parse_quantity(text)
    if written is None:
        return value * unit.scale, None
    if written.dimension != unit.dimension:
        raise ValueError(said("'{text}' is not measured in {unit}", text=text, unit=unit.name))
    return value, written


def _pair(first: str, second: str, unit: Unit) -> tuple[float, float]:
    """Two amounts of which one may leave the unit to the other: ``8 .. 9 GB``."""
    one, one_unit = _amount(first, unit)
    two, two_unit = _amount(second, unit)
    if one_unit is None and two_unit is not None:
        one *= two_unit.scale / unit.scale
    elif two_unit is None and one_unit is not None:
        two *= one_unit.scale / unit.scale
    return one, two


def _rounds_to(value: float, expected: str, unit: Unit) -> bool:
    """Equal when rounded to the digits written: ``3.288 GB`` accepts 3.2881e9 bytes."""
    _, written = parse_quantity(expected)
    number = PLAIN_DIGITS.match(expected.strip())
    if number is None:
        raise ValueError(said("'{text}' is not a number with a unit", text=expected))
    digits = number[0].replace(",", "")
    scale = (written or unit).scale
    if written is not None and written.dimension != unit.dimension:
        raise ValueError(said("'{text}' is not measured in {unit}", text=expected, unit=unit.name))
    try:
        wanted = Decimal(digits)
        step = Decimal(1).scaleb(int(wanted.as_tuple().exponent))
        return abs(Decimal(value) / Decimal(scale) - wanted) <= step / 2 + abs(wanted) * Decimal(
            "1e-9"
        )
    except InvalidOperation:
        raise ValueError(said("'{expected}' is not a number", expected=expected)) from None
