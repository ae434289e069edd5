"""Quantities: what is parsed, into how much, what is refused, and how values are printed."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.units import (
    BYTE,
    NONE,
    SECOND,
    date_text,
    dimension_text,
    duration_text,
    number_text,
    parse_date,
    parse_quantity,
    parse_unit,
    quantity_text,
    unit_names,
)

FLOP = (0, 0, 1, 0)
USD = (0, 0, 0, 1)


@pytest.mark.parametrize(
    ("written", "value", "unit"),
    [
        pytest.param("24 GiB", 24 * 2**30, "GiB", id="binary prefix"),
        pytest.param("24GiB", 24 * 2**30, "GiB", id="no blank"),
        pytest.param("  24 GiB ", 24 * 2**30, "GiB", id="blanks around"),
        pytest.param("24 GB", 24e9, "GB", id="decimal prefix is another amount"),
        pytest.param("24564 MiB", 24564 * 2**20, "MiB", id="what the driver reports"),
        pytest.param("1 kB", 1000, "kB", id="small k"),
        pytest.param("1 KiB", 1024, "KiB", id="capital K"),
        pytest.param("3 B", 3, "B", id="bytes"),
        pytest.param("1.99 USD/h", 1.99 / 3600, "USD/h", id="a price"),
        pytest.param("20 USD", 20, "USD", id="money"),
        pytest.param("6 h", 21600, "h", id="hours"),
        pytest.param("30 min", 1800, "min", id="minutes"),
        pytest.param("2 days", 172800, "days", id="plural"),
        pytest.param("1 month", 30 * 86400, "month", id="a month has 30 days"),
        pytest.param("5 ms", 0.005, "ms", id="milliseconds"),
        pytest.param("989 TFLOPS", 989e12, "TFLOPS", id="a rate in one word"),
        pytest.param("989 TFLOP/s", 989e12, "TFLOP/s", id="the same rate as a quotient"),
        pytest.param("1008 GB/s", 1008e9, "GB/s", id="bandwidth"),
        pytest.param("2 byte/parameter", 2, "byte/parameter", id="a counting label below"),
        pytest.param("3 tokens", 3, "tokens", id="a counting label"),
        pytest.param("90 %", 0.9, "%", id="percent"),
        pytest.param("90%", 0.9, "%", id="percent without a blank"),
        pytest.param("24", 24, None, id="no unit"),
        pytest.param("1e3", 1000, None, id="exponent"),
        pytest.param("-3 h", -10800, "h", id="minus"),
        pytest.param("+.5", 0.5, None, id="plus and no digit before the point"),
        pytest.param("1,024", 1024, None, id="thousands"),
        pytest.param("1,234,567.5", 1234567.5, None, id="millions"),
    ],
)
def test_quantities(written: str, value: float, unit: str | None) -> None:
    found, found_unit = parse_quantity(written)
    assert found == pytest.approx(value, rel=1e-12)
    assert (found_unit.name if found_unit else None) == unit


@pytest.mark.parametrize(
    "written",
    [
        pytest.param("", id="nothing"),
        pytest.param("GiB", id="no number"),
        pytest.param("1,5", id="half the world reads one and a half"),
        pytest.param("12,34", id="no group of three"),
        pytest.param("1,,024", id="two commas"),
        pytest.param(",5", id="a comma first"),
        pytest.param("1_000", id="underscores"),
        pytest.param("0x10", id="hexadecimal"),
        pytest.param("24 gigs", id="no such unit"),
        pytest.param("3 GB / s", id="blanks around a slash"),
        pytest.param("3 s/", id="nothing below"),
        pytest.param("3 /s", id="nothing above"),
        pytest.param("3 1", id="two numbers"),
        pytest.param("3 GiB GiB", id="two units"),
        pytest.param("5 h 10 min", id="two quantities"),
        pytest.param("$3", id="a sign of money"),
        pytest.param("NaN", id="NaN"),
        pytest.param("inf", id="infinity"),
        pytest.param("1e999", id="too large"),
        pytest.param("1e308 GiB", id="too large with its unit"),
        pytest.param("3e", id="half an exponent"),
        pytest.param("1.2.3", id="two points"),
        pytest.param("٣ GiB", id="digits of another script"),
        pytest.param("３ GiB", id="full-width digits"),
        pytest.param("9" * 101, id="very long"),
        pytest.param("1 GiB/GiB/GiB/GiB/GiB", id="a quotient without end"),
    ],
)
def test_no_quantities(written: str) -> None:
    with pytest.raises(ValueError):
        parse_quantity(written)


@pytest.mark.parametrize(
    ("unit", "dimension", "scale"),
    [
        ("GiB", BYTE, 2.0**30),
        ("PB", BYTE, 1e15),
        ("h", SECOND, 3600.0),
        ("PFLOP", FLOP, 1e15),
        ("EFLOPS", (0, -1, 1, 0), 1e18),
        ("USD", USD, 1.0),
        ("USD/h", (0, -1, 0, 1), 1 / 3600),
        ("byte/parameter", BYTE, 1.0),
        ("GB/s/gpu", (1, -1, 0, 0), 1e9),
        ("1/s", (0, -1, 0, 0), 1.0),
        ("s/s", NONE, 1.0),
        ("%", NONE, 0.01),
        ("token", NONE, 1.0),
        ("1", NONE, 1.0),
    ],
)
def test_units(unit: str, dimension: tuple[int, ...], scale: float) -> None:
    found = parse_unit(unit)
    assert found.dimension == dimension and found.scale == pytest.approx(scale)


@pytest.mark.parametrize(
    "unit", ["", "/", "byte*s", "byte^2", "Mbit", "€", "GiB/", "a/b", "x" * 99]
)
def test_no_units(unit: str) -> None:
    with pytest.raises(ValueError):
        parse_unit(unit)


@pytest.mark.parametrize(("wrong", "right"), [("gib", "GiB"), ("gb", "GB"), ("hous", "hours")])
def test_an_unknown_unit_names_a_close_one(wrong: str, right: str) -> None:
    with pytest.raises(ValueError, match=rf"\({right}\?\)"):
        parse_unit(wrong)


def test_every_unit_is_positive_finite_and_printable() -> None:
    for name in unit_names():
        unit = parse_unit(name)
        assert 0 < unit.scale < math.inf
        assert quantity_text(3 * unit.scale, unit)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0, "byte", "0 B"),
        (1023, "byte", "1,023 B"),
        (1024, "byte", "1.0 KiB"),
        (102 * 2**20, "byte", "102.0 MiB"),
        (103 * 2**20, "byte", "0.1 GiB"),
        (23.4 * 2**30, "byte", "23.4 GiB"),
        (-(2**30), "byte", "-1.0 GiB"),
        (2**40, "byte", "1.0 TiB"),
        (23.4e9, "GB", "23.4 GB"),
        (5e9, "MiB", "4.7 GiB"),
        (2, "byte/parameter", "2 B/parameter"),
        (1.5 * 2**30, "GiB/gpu", "1.5 GiB/gpu"),
        (0, "second", "0 s"),
        (0.0125, "second", "12.5 ms"),
        (45, "second", "45 s"),
        (89.9, "second", "89.9 s"),
        (90, "second", "2 min"),
        (3599, "second", "1 h"),
        (18600, "second", "5 h 10 min"),
        (172800, "second", "2 days"),
        (273600, "second", "3 days 4 h"),
        (-5, "second", "-5 s"),
        (30, "second/step", "30 s/step"),
        (20, "USD", "20.00 USD"),
        (1234567.8, "USD", "1,234,567.80 USD"),
        (0.003, "USD", "0.003 USD"),
        (-0.0, "USD", "0.00 USD"),
        (1.99 / 3600, "USD/h", "1.99 USD/h"),
        (0.5, "%", "50 %"),
        (1, "token", "1 token"),
        (152064, "1", "152,064"),
        (0.12345, "1", "0.1235"),
        (-0.0, "1", "0"),
        (6e17, "1", "6.000e+17"),
        (1e-5, "1", "1.000e-05"),
        (1008e9, "byte/second", "1,008 GB/s"),
        (989e12, "FLOP/s", "989 TFLOP/s"),
        (1e18, "FLOP", "1 EFLOP"),
        (12.5, "sample/s", "12.5 sample/s"),
        (math.inf, "byte", "unbounded"),
        (-math.inf, "second", "-unbounded"),
        (math.nan, "byte", "undefined"),
    ],
)
def test_values_as_people_read_them(value: float, unit: str, text: str) -> None:
    assert quantity_text(value, parse_unit(unit)) == text


@given(st.floats(1e-6, 1e15), st.sampled_from(["byte", "second", "USD", "FLOP/s", "token", "%"]))
def test_printed_sizes_are_near_the_value(value: float, unit: str) -> None:
    text = quantity_text(value, parse_unit(unit))
    if " h " in text or " days " in text:
        return  # two quantities in one text
    number, _, name = text.partition(" ")
    read = float(number.replace(",", "")) * (parse_unit(name).scale if name else 1)
    assert read == pytest.approx(value, rel=0.35, abs=0.06)


@pytest.mark.parametrize(
    ("value", "text"),
    [(1000, "1,000"), (1234.4, "1,234"), (0.0001, "0.0001"), (-2.5, "-2.5"), (999.4, "999.4")],
)
def test_bare_numbers(value: float, text: str) -> None:
    assert number_text(value) == text


def test_durations_never_show_sixty_minutes() -> None:
    assert not any("60 min" in duration_text(float(second)) for second in range(0, 200_000, 7))


@pytest.mark.parametrize(
    ("dimension", "text"),
    [
        (NONE, "a plain number"),
        (BYTE, "byte"),
        ((1, -1, 0, 0), "byte/second"),
        ((0, -1, 0, 1), "USD/second"),
        ((2, 0, 0, 0), "byte^2"),
        ((1, 1, 0, 0), "byte*second"),
        ((0, -2, 0, 0), "1/second^2"),
    ],
)
def test_dimensions_in_words(dimension: tuple[int, int, int, int], text: str) -> None:
    assert dimension_text(dimension) == text


@pytest.mark.parametrize("day", ["1970-01-01", "2024-02-29", "2026-11-29", "1969-12-31"])
def test_dates_there_and_back(day: str) -> None:
    assert date_text(parse_date(day)) == day


def test_a_day_is_86400_seconds() -> None:
    assert parse_date("2026-11-29") - parse_date("2026-11-28") == 86400
    assert parse_date("1970-01-01") == 0


@pytest.mark.parametrize(
    "day",
    [
        pytest.param("2026-02-29", id="no leap year"),
        pytest.param("2026-13-01", id="no such month"),
        pytest.param("0000-01-01", id="no such year"),
        pytest.param("2026-1-1", id="one digit"),
        pytest.param("20261129", id="no dashes"),
        pytest.param("2026-11-29T00:00", id="a time"),
        pytest.param("2026-11-29\n", id="a line break"),
        pytest.param("２０26-11-29", id="full-width digits"),
        pytest.param("tomorrow", id="a word"),
    ],
)
def test_no_dates(day: str) -> None:
    with pytest.raises(ValueError):
        parse_date(day)
