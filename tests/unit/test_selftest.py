"""Examples in rule files: what meets an expectation, what misses it, and what expects nothing."""

from __future__ import annotations

import pytest

from advisor.catalog import Catalogue
from advisor.scenario import ScenarioReader
from advisor.selftest import ExampleResult, matches, run_examples
from advisor.units import parse_unit
from tests.support import TODAY, book

RULES = """
inputs:
  a: {type: number}
  size: {type: number, unit: byte, default: {value: 14.2 GB, because: b}}
  limit: {type: number, unit: byte, default: {value: 20 GB, because: b}}
  on: {type: boolean, default: {value: true, because: b}}
  m: {type: enum, choices: [full, lora], default: {value: lora, because: b}}
  s: {type: set, choices: [q], default: {value: [q], because: b}}
formulas:
  need: {unit: byte, value: size, low: size * 0.9, high: size * 2}
  flat: {unit: byte, value: size}
  count: {value: 7}
  exact: {value: 8192}
  many: {value: 6.4e17}
  share: {unit: "%", value: 0.125}
  off: {when: not on, value: 1}
  bad: {value: 1 / (count - 7)}
  word: {type: enum, cases: [{when: on, value: big}, {value: small}]}
answers:
  need: {value: need, limit: limit}
"""
CATALOGUES: dict[str, Catalogue] = {}


def results(examples: str) -> list[ExampleResult]:
    rules = book(f"{RULES}examples:\n{examples}")
    return list(run_examples(rules, ScenarioReader(rules, CATALOGUES, TODAY)))


def run(expect: str, given: str = "{}") -> ExampleResult:
    (found,) = results(f"  - {{name: n, given: {given}, expect: {{{expect}}}}}\n")
    return found


# -- margins ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected", "unit", "holds"),
    [
        pytest.param(14.4e9, "14 GB", "byte", True, id="rounds to the digits written"),
        pytest.param(14.6e9, "14 GB", "byte", False, id="rounds to fifteen"),
        pytest.param(14.04e9, "14.0 GB", "byte", True, id="one digit more"),
        pytest.param(14.06e9, "14.0 GB", "byte", False, id="misses one digit more"),
        pytest.param(14.5e9, "14 GB", "byte", True, id="half is still equal"),
        pytest.param(6.4e17, "6e17", "1", True, id="one digit and an exponent"),
        pytest.param(6.4e17, "6.0e17", "1", False, id="two digits and an exponent"),
        pytest.param(149, "1e2", "1", True, id="an exponent without a point"),
        pytest.param(151, "1e2", "1", False, id="an exponent exceeded"),
        pytest.param(1234567.4, "1,234,567", "1", True, id="thousands"),
        pytest.param(0.4, "0", "1", True, id="nothing, rounded"),
        pytest.param(0.06, "0.0", "1", False, id="nothing, to one digit"),
        pytest.param(-0.0, "0", "1", True, id="minus nothing"),
        pytest.param(-5, "-5", "1", True, id="negative"),
        pytest.param(5, "-5", "1", False, id="the wrong sign"),
        pytest.param(36000, "10 h", "second", True, id="another unit of the dimension"),
        pytest.param(10, "10", "second", True, id="no unit: the declared one"),
        pytest.param(5e9, "5", "GB", True, id="a declared unit with a scale"),
        pytest.param(0.125, "12.5", "%", True, id="percent declared"),
        pytest.param(0.125, "12.5 %", "%", True, id="percent written"),
        pytest.param(2 / 3600, "2 USD/h", "USD/h", True, id="a price"),
        pytest.param(14.28e9, "14 GB +- 2 %", "byte", True, id="two percent"),
        pytest.param(14.29e9, "14 GB +- 2 %", "byte", False, id="over two percent"),
        pytest.param(13.71e9, "14 GB +- 2 %", "byte", False, id="under two percent"),
        pytest.param(-14.2, "-14 +- 2 %", "1", True, id="two percent of a negative number"),
        pytest.param(14.1e9, "14 GB +- 0.1 GB", "byte", True, id="an amount"),
        pytest.param(14.2e9, "14 GB +- 0.1 GB", "byte", False, id="over the amount"),
        pytest.param(14.1e9, "14 +- 0.1 GB", "byte", True, id="one unit for both"),
        pytest.param(14.1e9, "14 GB +- 0.1", "byte", True, id="one unit for both, first"),
        pytest.param(7, "7 +- 0", "1", True, id="no margin"),
        pytest.param(8e9, "8 .. 9 GB", "byte", True, id="the lower end belongs to it"),
        pytest.param(9e9, "8 .. 9 GB", "byte", True, id="the upper end belongs to it"),
        pytest.param(7.9e9, "8 .. 9 GB", "byte", False, id="below"),
        pytest.param(9.1e9, "8 GB .. 9 GB", "byte", False, id="above"),
        pytest.param(8.5e9, "8 GB .. 9", "byte", True, id="the unit first"),
        pytest.param(8.5e9, "8 .. 9", "GB", True, id="between, in the declared unit"),
        pytest.param(-5, "-5 .. 5", "1", True, id="a negative end belongs to it"),
        pytest.param(-5.1, "-5 .. 5", "1", False, id="below a negative end"),
        pytest.param(5, "4..6", "1", True, id="no blanks"),
        pytest.param(11e9, "<= 11 GB", "byte", True, id="at most, just"),
        pytest.param(11.1e9, "<= 11 GB", "byte", False, id="at most, missed"),
        pytest.param(11e9, ">= 11 GB", "byte", True, id="at least, just"),
        pytest.param(10.9e9, ">=11 GB", "byte", False, id="at least, missed"),
    ],
)
def test_margins(value: float, expected: str, unit: str, holds: bool) -> None:
    assert matches(value, expected, parse_unit(unit)) is holds


@pytest.mark.parametrize(
    ("expected", "unit"),
    [
        pytest.param("abc", "1", id="a word"),
        pytest.param("", "1", id="nothing"),
        pytest.param("10 s", "1", id="a unit too many"),
        pytest.param("10 s", "byte", id="another dimension"),
        pytest.param("5 foo", "1", id="no unit"),
        pytest.param("< 11", "1", id="less is not a sign of ours"),
        pytest.param("== 10", "1", id="nor is equal"),
        pytest.param("~10", "1", id="nor is about"),
        pytest.param("5 +-", "1", id="no margin"),
        pytest.param("+- 5", "1", id="a margin of nothing"),
        pytest.param("5 +- abc", "1", id="a margin of words"),
        pytest.param("5 +- -1", "1", id="a negative margin"),
        pytest.param("5 +- -1 %", "1", id="a negative share"),
        pytest.param("5 +- 10 %%", "1", id="percent twice"),
        pytest.param("5 GB +- 1 s", "byte", id="a margin of another dimension"),
        pytest.param("9 .. 8 GB", "byte", id="the larger end first"),
        pytest.param("4 ..", "1", id="no upper end"),
        pytest.param(".. 5", "1", id="no lower end"),
        pytest.param("4 .. 5 .. 6", "1", id="three ends"),
        pytest.param("nan", "1", id="NaN"),
        pytest.param("1e999", "1", id="infinite"),
        pytest.param("1,5", "1", id="a decimal comma"),
    ],
)
def test_expectations_that_are_none(expected: str, unit: str) -> None:
    with pytest.raises(ValueError):
        matches(5.0, expected, parse_unit(unit))


@pytest.mark.parametrize(
    ("expect", "holds"),
    [
        ("exact: 8192", True),
        ("exact: 8192.0", True),
        ("exact: 8193", False),
        ("count: 7.0", True),
        ("many: 6e17", True),
        ("many: 6.0e17", False),
        ("flat: 14 GB", True),
        ("flat: 14.0 GB", False),
    ],
)
def test_digits_are_those_of_the_file(expect: str, holds: bool) -> None:
    assert run(expect).holds is holds


# -- what can be expected --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expect", "given", "holds"),
    [
        pytest.param("need: 14.2 GB", "{}", True, id="a number"),
        pytest.param(
            "need.low: 12.78 GB, need.high: 28.4 GB", "{}", True, id="the ends of a range"
        ),
        pytest.param("need.high: 14.2 GB", "{}", False, id="an end missed"),
        pytest.param("flat.low: 14.2 GB", "{}", True, id="an end of what does not range"),
        pytest.param("on: true", "{}", True, id="a truth"),
        pytest.param("on: false", "{}", False, id="the other truth"),
        pytest.param("m: lora", "{}", True, id="a word"),
        pytest.param("m: full", "{}", False, id="another word"),
        pytest.param("word: small", "{on: false}", True, id="a word of a formula"),
        pytest.param("a: undecided", "{}", True, id="undecided"),
        pytest.param("a: undecided", "{a: 1}", False, id="decided"),
        pytest.param("a: 1", "{}", False, id="undecided is no number"),
        pytest.param("off: absent", "{}", True, id="absent"),
        pytest.param("off: absent", "{on: false}", False, id="present"),
        pytest.param("a: absent", "{}", False, id="undecided is not absent"),
        pytest.param("off: undecided", "{}", False, id="absent is not undecided"),
        pytest.param("bad: 1", "{}", False, id="what fails meets nothing"),
        pytest.param("bad: undecided", "{}", False, id="nor is it undecided"),
        pytest.param("verdict: tight", "{}", True, id="the verdict"),
        pytest.param("verdict: fits", "{}", False, id="another verdict"),
        pytest.param("verdict: fits", "{limit: 90 GB}", True, id="fits"),
        pytest.param("verdict: does not fit", "{limit: 9 GB}", True, id="does not fit"),
        pytest.param("need: 14.2 GB, count: 8", "{}", False, id="one of two missed"),
    ],
)
def test_expectations(expect: str, given: str, holds: bool) -> None:
    found = run(expect, given)
    assert found.problems == () and found.holds is holds and len(found.checks) == expect.count(":")


@pytest.mark.parametrize(
    ("expect", "said"),
    [
        pytest.param(
            "neeed: 1", "there is no 'neeed' to expect. Did you mean 'need'?", id="a typo"
        ),
        pytest.param("need.hgh: 1", "there is no 'need.hgh' to expect.", id="a typo in an end"),
        pytest.param("m.low: 1", "there is no 'm.low' to expect.", id="an end of a word"),
        pytest.param("m: loar", "'m' is never 'loar'. Did you mean 'lora'?", id="no such choice"),
        pytest.param("m: 3", "'m' is never '3'.", id="a number for a word"),
        pytest.param("word: huge", "'word' is never 'huge'.", id="no case of it"),
        pytest.param("on: yes", "'on' is true or false, not 'yes'.", id="yes for a truth"),
        pytest.param("on: 1", "'on' is true or false, not '1'.", id="one for a truth"),
        pytest.param("s: q", "'s' is no number, word or truth.", id="a set"),
        pytest.param("need: 14 s", "'14 s' is not measured in byte.", id="another dimension"),
        pytest.param("need: lots", "'lots' is not a number with a unit.", id="a word for a number"),
        pytest.param(
            "verdict: perfect", "'perfect' is no verdict; one of: fits, tight", id="verdict"
        ),
    ],
)
def test_expectations_that_are_problems(expect: str, said: str) -> None:
    found = run(expect)
    (problem,) = found.problems
    assert problem.code == "expect" and said in problem.message and not found.holds
    assert problem.where and problem.where.line == 22


def test_a_problem_does_not_hide_what_else_is_checked() -> None:
    found = run("neeed: 1, count: 7, exact: 1")
    assert len(found.problems) == 1 and [one.holds for one in found.checks] == [True, False]


def test_a_scenario_that_is_wrong_is_a_problem_of_the_example() -> None:
    found = run("count: 7", "{nothing: 1}")
    assert not found.checks and not found.holds
    assert [one.code for one in found.problems] == ["unknown-key"]


def test_an_example_that_checks_nothing_fails() -> None:
    assert not run("count: 7")._replace(checks=()).holds


@pytest.mark.parametrize(
    ("expect", "actual"),
    [
        ("need: 15 GB", "14.2 GB"),
        ("need: 15 GiB", "13.2248 GiB"),
        ("count: 8", "7"),
        ("share: 14", "12.5 %"),
        ("m: full", "lora"),
        ("on: false", "true"),
        ("a: 1", "undecided (lacks a)"),
        ("off: 1", "no value"),
        ("bad: 1", "no value (division by zero, with count = 7.)"),
    ],
)
def test_a_miss_shows_what_came_in_the_unit_asked_for(expect: str, actual: str) -> None:
    (check,) = run(expect).checks
    assert not check.holds and check.actual == actual


# -- which examples --------------------------------------------------------------------------------


def test_examples_run_in_order_and_by_layer() -> None:
    core = f"{RULES}examples:\n  - {{name: one, given: {{}}, expect: {{count: 7}}}}\n"
    layer = (
        "layer: team\n"
        "patch: {formulas.count.value: {value: 8, reason: r}}\n"
        "examples:\n  - {name: two, given: {}, expect: {count: 8}}\n"
    )
    rules = book(core, layer)
    reader = ScenarioReader(rules, CATALOGUES, TODAY)
    assert [(one.example.name, one.holds) for one in run_examples(rules, reader)] == [
        ("one", False),
        ("two", True),
    ]
    assert [one.example.name for one in run_examples(rules, reader, "team")] == ["two"]
    assert list(run_examples(rules, reader, "nobody")) == []


def test_numbers_as_written_whatever_ends_the_lines() -> None:
    for end in ("\n", "\r\n", "\r"):
        rules = book(
            "formulas: {a: {value: 6.4}}\nexamples:\n- {name: n, given: {}, expect: {a: 6.4}}\n"
            "- {name: o, given: {}, expect: {a: 6.40}}\n- {name: p, given: {}, expect: {a: 6.41}}\n"
            "language: 1\n".replace("\n", end)
        )
        found = run_examples(rules, ScenarioReader(rules, CATALOGUES, TODAY))
        assert [one.holds for one in found] == [True, True, False]
