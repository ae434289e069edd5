"""A written value as a value of an input: each type, and each way of getting it wrong."""

from __future__ import annotations

from typing import Any

import pytest

from advisor import schemas
from advisor.rulebook.values import MAX_ROWS, MAX_TEXT, BadValue, read_value, value_text
from advisor.units import parse_unit
from tests.support import book

BOOK = book(
    """
    inputs:
      rank: {type: integer, range: [1, 4096]}
      rate: {type: number, range: [0, 1]}
      free: {type: number}
      memory: {type: number, unit: byte, range: [0, 10 TiB]}
      gib: {type: number, unit: GiB}
      time: {type: number, unit: second}
      price: {type: number, unit: USD/h}
      share: {type: number, unit: "%"}
      on: {type: boolean}
      method: {type: enum, choices: [full, lora, qlora]}
      targets: {type: set, choices: [q, k, v, o], groups: {all-linear: [q, k, v, o], none: [q]}}
      note: {type: text}
      model: {type: catalogue, of: models}
      day: {type: date}
      rows:
        type: table
        columns: {n: {type: integer}, size: {type: number, unit: byte},
                  kind: {type: enum, choices: [a, b]}}
    """
).inputs
ROW = {"n": 1, "size": "2 KiB", "kind": "a"}


def read(name: str, raw: Any) -> Any:
    return read_value(BOOK[name], raw)


@pytest.mark.parametrize(
    ("name", "raw", "value"),
    [
        pytest.param("rank", 8, 8.0, id="a whole number"),
        pytest.param("rank", 8.0, 8.0, id="a whole number with a point"),
        pytest.param("rank", "8", 8.0, id="a quoted number"),
        pytest.param("rank", "1,024", 1024.0, id="thousands"),
        pytest.param("rank", 4096, 4096.0, id="the end of the range belongs to it"),
        pytest.param("rate", 0, 0.0, id="the start of the range belongs to it"),
        pytest.param("rate", "50 %", 0.5, id="percent of a plain number"),
        pytest.param("free", -5, -5.0, id="negative where no range forbids it"),
        pytest.param("free", 10**40, 1e40, id="very large"),
        pytest.param("memory", "24 GiB", 24 * 2.0**30, id="a unit of the dimension"),
        pytest.param("memory", "24 GB", 24e9, id="another one"),
        pytest.param("memory", 24, 24.0, id="no unit means the declared one"),
        pytest.param("gib", 24, 24 * 2.0**30, id="a declared unit with a scale"),
        pytest.param("gib", "24", 24 * 2.0**30, id="the same, quoted"),
        pytest.param("time", "6 h", 21600.0, id="hours"),
        pytest.param("price", "3.6 USD/h", 0.001, id="a price"),
        pytest.param("share", 90, 0.9, id="percent declared"),
        pytest.param("on", True, True, id="true"),
        pytest.param("method", "lora", "lora", id="a choice"),
        pytest.param("targets", ["q", "v"], frozenset("qv"), id="words"),
        pytest.param("targets", "q", frozenset("q"), id="one word"),
        pytest.param("targets", "all-linear", frozenset("qkvo"), id="a group"),
        pytest.param("targets", ["none", "v"], frozenset("qv"), id="a group and a word"),
        pytest.param("targets", [], frozenset(), id="nothing"),
        pytest.param("note", "hello", "hello", id="text"),
        pytest.param("note", 3, "3", id="a number as text"),
        pytest.param("note", "模型 é 😀", "模型 é 😀", id="text of any script"),
        pytest.param("note", "x" * MAX_TEXT, "x" * MAX_TEXT, id="the longest text"),
        pytest.param("model", "any name", "any name", id="a name, looked up elsewhere"),
        pytest.param("day", "1970-01-02", 86400.0, id="a day"),
        pytest.param("rows", [ROW], ({"n": 1.0, "size": 2048.0, "kind": "a"},), id="a table"),
        pytest.param("rows", [], (), id="a table without rows"),
    ],
)
def test_values(name: str, raw: Any, value: Any) -> None:
    found = read(name, raw)
    assert found == value and type(found) is type(value)


@pytest.mark.parametrize(
    ("name", "raw", "message"),
    [
        pytest.param("rank", None, "'rank' has no value", id="nothing"),
        pytest.param("rank", True, "needs a number, not true", id="a truth is no number"),
        pytest.param("rank", [8], "needs a number, not a list", id="a list"),
        pytest.param("rank", {"a": 1}, "needs a number, not a map", id="a map"),
        pytest.param("rank", "abc", "'abc' is not a number with a unit", id="a word"),
        pytest.param("rank", 8.5, "needs a whole number, not 8.5", id="half"),
        pytest.param("rank", 0, "'rank' is 0, outside 1 .. 4096", id="below the range"),
        pytest.param("rank", 1_000_000, "outside 1 .. 4096", id="absurd"),
        pytest.param("rank", "8 GiB", "'rank' is a plain number, not GiB", id="a unit too many"),
        pytest.param("rate", 1.5, "outside 0 .. 1", id="above the range"),
        pytest.param("free", float("nan"), "must be a finite number, not nan", id="NaN"),
        pytest.param("free", float("-inf"), "must be a finite number, not -inf", id="infinity"),
        pytest.param("free", 10**400, "must be a finite number", id="an integer beyond floats"),
        pytest.param("free", "1e999", "not a finite number", id="a text beyond floats"),
        pytest.param("free", "1,5", "'1,5' is not a number", id="a decimal comma"),
        pytest.param("memory", "6 h", "measured in byte, not h", id="another dimension"),
        pytest.param("memory", "24 GB/s", "measured in byte, not GB/s", id="a rate"),
        pytest.param("memory", "24 gb", "unknown unit 'gb' (GB?)", id="a misspelt unit"),
        pytest.param("memory", "-1 GiB", "outside 0 B .. 10.0 TiB", id="negative memory"),
        pytest.param("memory", "100 TiB", "outside 0 B .. 10.0 TiB", id="absurd memory"),
        pytest.param("gib", 1e308, "must be a finite number", id="finite only without its unit"),
        pytest.param("on", "yes", "needs true or false, not 'yes'", id="yes"),
        pytest.param("on", 1, "needs true or false, not '1'", id="one"),
        pytest.param("on", "true", "needs true or false, not 'true'", id="quoted"),
        pytest.param("method", "qlroa", "'method' cannot be 'qlroa'", id="misspelt"),
        pytest.param("method", True, "cannot be true", id="a truth is no choice"),
        pytest.param("method", ["lora"], "cannot be a list", id="a list of one"),
        pytest.param("targets", ["q", "x"], "cannot hold 'x'", id="an unknown word"),
        pytest.param("targets", [["q"]], "cannot hold a list", id="a list in a list"),
        pytest.param("targets", {"q": 1}, "cannot hold a map", id="a map"),
        pytest.param("note", True, "needs text, not true", id="a truth is no text"),
        pytest.param("note", "x" * (MAX_TEXT + 1), "longer than 200", id="too long"),
        pytest.param("note", "a\x1b[31m", "cannot be shown: a\\x1b[31m", id="an escape sequence"),
        pytest.param("note", "a\nb", "cannot be shown: a\\nb", id="two lines"),
        pytest.param("note", "a\u202eb", "cannot be shown: a\\u202eb", id="text turned round"),
        pytest.param("model", "a\0", "cannot be shown: a\\x00", id="NUL in a name"),
        pytest.param("model", ["a"], "needs text, not a list", id="two models"),
        pytest.param("day", "2026-02-30", "day is out of range", id="no such day"),
        pytest.param("day", 20261129, "not a date like", id="a number"),
        pytest.param("rows", 3, "needs a list of rows, not '3'", id="no list"),
        pytest.param("rows", {"n": 1}, "needs a list of rows, not a map", id="one row alone"),
        pytest.param("rows", [3], "row 1 of 'rows' is '3', not a map", id="no row"),
        pytest.param("rows", [ROW, {"n": 1}], "row 2 of 'rows' lacks 'size'", id="half a row"),
        pytest.param("rows", [{**ROW, "z": 1}], "unknown key 'z'", id="a column too many"),
        pytest.param(
            "rows", [{**ROW, "kind": "c"}], "'rows[1].kind' cannot be 'c'", id="no choice"
        ),
        pytest.param("rows", [{**ROW, "kind": ["a"]}], "cannot be a list", id="a list as a choice"),
        pytest.param("rows", [{**ROW, "n": -1}], "must not be negative: -1", id="negative"),
        pytest.param("rows", [{**ROW, "n": 1.5}], "needs a whole number", id="half a matrix"),
        pytest.param("rows", [{**ROW, "size": "1 s"}], "measured in byte, not s", id="seconds"),
        pytest.param("rows", [ROW] * (MAX_ROWS + 1), "65 rows, over 64", id="too many rows"),
    ],
)
def test_what_no_value_is(name: str, raw: Any, message: str) -> None:
    with pytest.raises(BadValue) as caught:
        read(name, raw)
    assert message in caught.value.message


@pytest.mark.parametrize(
    ("name", "raw", "hint"),
    [
        pytest.param(
            "method", "qlroa", "Did you mean 'qlora'? One of: full, lora, qlora.", id="close"
        ),
        pytest.param("method", "LoRA", "Did you mean 'lora'?", id="capitals"),
        pytest.param("method", "zzz", "One of: full, lora, qlora.", id="nothing close"),
        pytest.param("targets", "all_linear", "Did you mean 'all-linear'?", id="a group"),
        pytest.param("on", "no", "YAML 1.2 reads 'no' as text", id="Norway"),
        pytest.param("on", "true", "without quotes", id="quoted truth"),
        pytest.param("memory", "6 h", "Write it as 24 GiB.", id="how memory is written"),
        pytest.param("time", "x", "Write it as 6 h.", id="how time is written"),
        pytest.param("price", "x", "Write it as 1.5 USD/h.", id="how a price is written"),
        pytest.param("rank", "x", "Write it as 2.", id="how a whole number is written"),
        pytest.param("rank", 0, "Check the number and its unit.", id="out of range"),
        pytest.param("rows", [{}], "Columns: n, size, kind.", id="the columns"),
        pytest.param("day", "x", "Write it as 2026-11-29.", id="how a day is written"),
    ],
)
def test_hints(name: str, raw: Any, hint: str) -> None:
    with pytest.raises(BadValue) as caught:
        read(name, raw)
    assert hint in caught.value.hint


def test_a_long_or_raw_text_is_shown_short_and_escaped() -> None:
    with pytest.raises(BadValue) as caught:
        read("method", "\x1b[31m" + "x" * 500)
    assert "\x1b" not in caught.value.message and len(caught.value.message) < 120


def test_every_type_has_an_input_above() -> None:
    kinds = schemas.load("rules")["$defs"]["input"]["properties"]["type"]["enum"]
    assert {one.type for one in BOOK.values()} == set(kinds)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (True, "1", "true"),
        (8.0, "1", "8"),
        (0.0001, "1", "0.0001"),
        (1024.0 * 24, "KiB", "24 KiB"),
        (21600.0, "h", "6 h"),
        (0.9, "%", "90"),
        (3.0, "token", "3"),
        (frozenset(["v", "q"]), "1", "[q, v]"),
        ((ROW, ROW), "1", "2 rows"),
        ("lora", "1", "lora"),
    ],
)
def test_values_as_a_scenario_writes_them(value: Any, unit: str, text: str) -> None:
    assert value_text(value, parse_unit(unit)) == text


@pytest.mark.parametrize("name", ["rank", "rate", "memory", "gib", "time", "price", "share"])
@pytest.mark.parametrize("amount", [1.0, 0.25, 1e-3])
def test_a_printed_value_can_be_read_again(name: str, amount: float) -> None:
    unit = BOOK[name].unit
    value = amount * unit.scale if name != "rank" else 4.0
    assert read(name, value_text(value, unit)) == pytest.approx(value, rel=1e-5)


@pytest.mark.parametrize(
    ("written", "sample"),
    [
        ("5k", "5000"), ("1.5M", "1500000"), ("2万", "20000"), ("3 千", "3000"),
        ("k", "2"), ("5 kb", "2"), ("1e5k", "2"), ("1" * 99 + "k", "2"), ("many", "2"),
    ],
)  # fmt: skip
def test_a_count_in_thousands_is_written_out_in_the_hint(written, sample):
    rules = book("inputs: {x: {type: integer, unit: sample, optional: true}}")
    with pytest.raises(BadValue) as caught:
        read_value(rules.inputs["x"], written)
    assert caught.value.hint == f"Write it as {sample}."
