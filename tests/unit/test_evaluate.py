"""A rulebook applied to a scenario: values, ranges, what is missing, absent, or cannot be computed.

Every case runs in both evaluators.
"""

from __future__ import annotations

from typing import Any

import pytest

from advisor.evaluate import Engine, Reader, Trace
from advisor.rulebook.definitions import Field
from advisor.rulebook.model import Located
from advisor.rulebook.parsing import parse
from advisor.source import read_text
from tests.support import book, scenario

INPUTS = """
inputs:
  a: {type: number}
  b: {type: number}
  c: {type: number, optional: true}
  z: {type: number, default: {value: 0, because: nothing}}
  d: {type: number, default: {value: a + 1, because: one more}}
  on: {type: boolean}
  m: {type: enum, choices: [x, y]}
  s: {type: set, choices: [p, q]}
  t: {type: table, columns: {n: {type: number}, k: {type: enum, choices: [u, v]}}}
parameters:
  by_m: {title: T, unit: "1", by: m, values: {x: 10, else: 20},
         source: [{name: s}], checked: 2026-11-29}
"""
ROWS = "t: [{n: 1, k: u}, {n: 2, k: v}, {n: 3, k: u}]"


def traces(formulas: str, given: str = "{}") -> tuple[Trace, Trace]:
    """The traces of simpleeval and of compiled code; what they say must be equal."""
    rules = book(f"{INPUTS}formulas:\n{formulas}")
    engine = Engine(rules)
    slow = engine.run(scenario(rules, given))
    fast = engine.run(scenario(rules, given), fast=True)
    assert slow.values == fast.values and slow.missing == fast.missing
    assert slow.absent == fast.absent and slow.failures == fast.failures
    return slow, fast


def run(formulas: str, given: str = "{}") -> Trace:
    return traces(formulas, given)[0]


def state(trace: Trace, name: str) -> Any:
    """A value, or why there is none."""
    found = [
        *([trace.values[name]] if name in trace.values else []),
        *([{"missing": set(trace.missing[name])}] if name in trace.missing else []),
        *(["absent"] if name in trace.absent else []),
        *([trace.failures[name].code] if name in trace.failures else []),
    ]
    assert len(found) == 1, f"{name} is in several states, or in none"
    return found[0]


# -- missing inputs --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "given", "expected"),
    [
        pytest.param("a + b", "{a: 1, b: 2}", 3.0, id="all there"),
        pytest.param("a + b", "{a: 1}", {"missing": {"b"}}, id="one missing"),
        pytest.param("a + b", "{}", {"missing": {"a", "b"}}, id="both are named at once"),
        pytest.param("a if on else b", "{on: true, a: 1}", 1.0, id="a branch not taken"),
        pytest.param("a if on else b", "{on: false, a: 1}", {"missing": {"b"}}, id="one taken"),
        pytest.param("a if on else b", "{a: 1, b: 1}", {"missing": {"on"}}, id="the condition"),
        pytest.param("c if given(c) else 7", "{}", 7.0, id="an optional one not given"),
        pytest.param("c if given(c) else 7", "{c: 2}", 2.0, id="an optional one given"),
        pytest.param("c + 1", "{}", {"missing": {"c"}}, id="an optional one read without asking"),
        pytest.param("1 if given(a) else 0", "{}", 0.0, id="given() of a missing one"),
        pytest.param("by_m", "{m: y}", 20.0, id="a row of a table"),
        pytest.param("by_m", "{}", {"missing": {"m"}}, id="a table whose row nobody knows"),
        pytest.param("d", "{a: 4}", 5.0, id="a default that rests on another input"),
        pytest.param("d", "{}", {"missing": {"a"}}, id="a default that cannot be told"),
        pytest.param("d", "{d: 9}", 9.0, id="a default nobody needs"),
        pytest.param("d + b", "{}", {"missing": {"a", "b"}}, id="through a default and directly"),
    ],
)
def test_what_is_missing(value: str, given: str, expected: Any) -> None:
    assert state(run(f"  r: {{value: {value}}}\n  q: {{value: r * 1}}", given), "r") == expected


@pytest.mark.parametrize(
    ("value", "given", "expected"),
    [
        ("on and a > 1", "{on: false}", False),
        ("a > 1 or on", "{a: 2}", True),
        ("on and a > 1", "{on: true}", {"missing": {"a"}}),
        ("a > 1 and on", "{on: false}", {"missing": {"a"}}),
        ("m == 'x' or m == 'y'", "{m: x}", True),
        ("has(s, 'p')", "{}", {"missing": {"s"}}),
        ("has(s, 'p')", "{s: [q]}", False),
    ],
)
def test_logic_stops_as_soon_as_it_knows(value: str, given: str, expected: Any) -> None:
    assert state(run(f'  r: {{type: boolean, value: "{value}"}}', given), "r") == expected


def test_missing_goes_up_through_everything() -> None:
    trace = run(
        """\
  one: {value: a}
  two: {value: one + b}
  three: {sum: [two, one]}
  four: {max: [three, b]}
  five: {cases: [{when: four > 1, value: 1}, {value: 2}]}
  six: {when: five > 0, value: 1}
"""
    )
    assert state(trace, "one") == {"missing": {"a"}}
    for name in ("two", "three", "four"):
        assert state(trace, name) == {"missing": {"a", "b"}}
    assert state(trace, "five") == state(trace, "six") == {"missing": {"a", "b"}}


def test_what_is_assumed_is_told_from_what_is_given() -> None:
    trace = run("  r: {value: d + z}", "{a: 1}")
    assert trace.assumed == {"d", "z"}
    origins = {name: trace.origin(name) for name in ("a", "d", "b", "r")}
    assert origins["a"] and origins["a"].origin == "given"
    assert origins["d"] and (origins["d"].origin, origins["d"].value) == ("assumed", 2.0)
    assert origins["b"] is None and origins["r"] is None


# -- absent formulas -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        pytest.param("{sum: [q, a]}", 5.0, id="counts nothing in a sum"),
        pytest.param("{sum: [q]}", 0.0, id="a sum of absent parts is nothing"),
        pytest.param("{max: [q, a]}", 5.0, id="drops out of a maximum"),
        pytest.param("{min: [q, a]}", 5.0, id="drops out of a minimum"),
        pytest.param("{max: [q]}", "absent", id="a maximum of absent parts is absent"),
        pytest.param("{min: [q]}", "absent", id="a minimum of absent parts is absent"),
        pytest.param("{value: q if given(q) else 7}", 7.0, id="given() is false"),
        pytest.param("{value: q + 1}", "absent", id="reading it is a problem"),
        pytest.param("{value: a if a > 1 else q}", 5.0, id="unless the branch is not taken"),
        pytest.param("{sum: [q.low, a]}", 5.0, id="its ends are absent too"),
    ],
)
def test_absent_parts(formula: str, expected: Any) -> None:
    trace = run(f"  q: {{when: a > 9, value: 3}}\n  r: {formula}", "{a: 5}")
    assert state(trace, "q") == "absent"
    if expected == "absent" and "value" in formula:
        problem = trace.failures["r"]
        assert problem.code == "absent" and "guard it with given(q)" in problem.hint
        assert str(problem.where) == "core.yaml:17:3"
    else:
        assert state(trace, "r") == expected


def test_present_parts() -> None:
    trace = run(
        "  q: {when: a > 1, value: 3}\n  r: {sum: [q, a]}\n  g: {value: 1 if given(q) else 0}",
        "{a: 5}",
    )
    assert (state(trace, "q"), state(trace, "r"), state(trace, "g")) == (3.0, 8.0, 1.0)


def test_a_part_that_may_be_absent_leaves_a_sum_undecided() -> None:
    trace = run("  q: {when: on, value: 3}\n  r: {sum: [q, a]}", "{a: 5}")
    assert state(trace, "r") == {"missing": {"on"}}


def test_cases_without_a_last_one_are_absent() -> None:
    trace = run("  q: {cases: [{when: a > 9, value: 1}]}\n  r: {sum: [q]}", "{a: 5}")
    assert state(trace, "q") == "absent" and state(trace, "r") == 0.0


@pytest.mark.parametrize(("a", "expected"), [("1", 10.0), ("2", 20.0), ("3", 30.0)])
def test_the_first_case_that_holds_wins(a: str, expected: float) -> None:
    cases = "{when: a < 2, value: 10}, {when: a < 3, value: 20}, {value: 30}"
    assert state(run(f"  q: {{cases: [{cases}]}}", f"{{a: {a}}}"), "q") == expected


def test_words_and_truths_as_formulas() -> None:
    trace = run(
        """\
  word: {type: enum, cases: [{when: on, value: big}, {value: small}]}
  size: {value: "1 if word == 'big' else 2"}
  truth: {type: boolean, cases: [{when: on, value: false}, {value: true}]}
  always: {when: true, value: 4}
  never: {when: false, value: 4}
""",
        "{on: true}",
    )
    assert [state(trace, name) for name in ("word", "size", "truth", "always", "never")] == [
        "big", 1.0, False, 4.0, "absent",
    ]  # fmt: skip


# -- arithmetic that fails -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "given", "said"),
    [
        ("a / z", "{a: 2}", "division by zero, with a = 2, z = 0."),
        ("a // z", "{a: 2}", "division by zero, with a = 2, z = 0."),
        ("a % z", "{a: 2}", "division by zero, with a = 2, z = 0."),
        ("z ** -1", "{}", "division by zero, with z = 0."),
        ("1 / 0", "{}", "division by zero, with no names."),
        ("sqrt(a)", "{a: -1}", "with a = -1."),
        ("log2(z)", "{}", "with z = 0."),
        ("a ** 0.5", "{a: -8}", "-8 ** 0.5 is no real number, with a = -8."),
        ("a ** b", "{a: 2, b: 65}", "exponent 65 is over 64, with a = 2, b = 65."),
        ("a * 1e300 * 1e300", "{a: 2}", "the result is not finite, with a = 2."),
        ("ceil(a * 1e300 * 1e300)", "{a: 2}", "with a = 2."),
        ("a * 1e308 - a * 1e308 * 10", "{a: 2}", "the result is not finite"),
    ],
)
def test_arithmetic_that_fails_says_where_and_with_which_values(
    value: str, given: str, said: str
) -> None:
    trace = run(
        f"  r: {{value: {value}}}\n  up: {{value: r + 1}}\n  total: {{sum: [r, up]}}", given
    )
    problem = trace.failures["r"]
    assert problem.code == "arithmetic" and said in problem.message
    assert str(problem.where) == "core.yaml:16:14"
    assert trace.failures["up"] is problem and trace.failures["total"] is problem


@pytest.mark.parametrize("kind", ["sum", "max", "min"])
def test_parts_that_add_up_to_more_than_a_number(kind: str) -> None:
    trace = run(f"  r: {{{kind}: [a, b]}}\n  up: {{max: [r]}}", "{a: 1.7e308, b: 1.6e308}")
    if kind == "sum":
        assert trace.failures["r"].message == "'r' is not finite."
        assert trace.failures["up"] is trace.failures["r"]
    else:
        assert isinstance(state(trace, "r"), float)


def test_a_failure_in_a_branch_not_taken_is_none() -> None:
    trace = run("  bad: {value: a / z}\n  r: {value: a if a > 1 else bad}", "{a: 2}")
    assert state(trace, "bad") == "arithmetic" and state(trace, "r") == 2.0


def test_a_default_out_of_its_range_is_a_problem_at_its_place() -> None:
    rules = book(
        "inputs:\n"
        "  a: {type: number}\n"
        "  b: {type: integer, range: [1, 8], default: {value: a * 2, because: twice}}\n"
        "formulas: {r: {value: b}}\n"
    )
    engine = Engine(rules)
    assert engine.run(scenario(rules, "a: 3")).values["r"] == 6.0
    for given, said in (("a: 9", "outside 1 .. 8"), ("a: 0.75", "needs a whole number")):
        problem = engine.run(scenario(rules, given)).failures["r"]
        assert said in problem.message and str(problem.where) == "core.yaml:3:54"


# -- ranges ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        pytest.param("{value: a, low: a - 1, high: a + 1}", (4.0, 5.0, 6.0), id="both ends"),
        pytest.param("{value: a, high: a + 1}", (5.0, 5.0, 6.0), id="no low: the value is it"),
        pytest.param("{value: a, low: a - 1}", (4.0, 5.0, 5.0), id="no high: the value is it"),
        pytest.param("{value: a, low: a, high: a}", (5.0, 5.0, 5.0), id="no width"),
        pytest.param("{value: a}", (5.0, 5.0, 5.0), id="no range"),
        pytest.param("{value: q * 2}", (10.0, 10.0, 10.0), id="reading a range is no range"),
        pytest.param("{value: q, low: q.low, high: q.high}", (4.0, 5.0, 7.0), id="handed on"),
        pytest.param("{sum: [q, a]}", (9.0, 10.0, 12.0), id="a sum ranges as its parts"),
        pytest.param("{max: [q, six]}", (6.0, 6.0, 7.0), id="a maximum too"),
        pytest.param("{min: [q, six]}", (4.0, 5.0, 6.0), id="a minimum too"),
        pytest.param("{sum: [a, six]}", (11.0, 11.0, 11.0), id="a sum of plain parts"),
        pytest.param("{sum: [q.low, six.low]}", (10.0, 10.0, 10.0), id="ends as parts"),
        pytest.param("{value: q.high + six.high}", (13.0, 13.0, 13.0), id="ends in an expression"),
        pytest.param(
            "{cases: [{when: a > 1, value: 3, low: 2, high: 4}, {value: 9}]}",
            (2.0, 3.0, 4.0),
            id="the range of a case",
        ),
        pytest.param(
            "{cases: [{when: a > 9, value: 3, low: 2, high: 4}, {value: 9}]}",
            (9.0, 9.0, 9.0),
            id="and of another",
        ),
    ],
)
def test_ranges(formula: str, expected: tuple[float, float, float]) -> None:
    trace = run(
        f"  q: {{value: a, low: a - 1, high: a + 2}}\n  six: {{value: 6}}\n  r: {formula}", "{a: 5}"
    )
    assert trace.range("r") == expected


@pytest.mark.parametrize(
    "formula",
    [
        pytest.param("{value: a, low: a + 1}", id="low above the value"),
        pytest.param("{value: a, high: a - 1}", id="high below the value"),
        pytest.param("{value: a, low: 9, high: 1}", id="the wrong way round"),
        pytest.param("{cases: [{value: a, low: 9}]}", id="in a case"),
    ],
)
def test_ranges_the_wrong_way_round(formula: str) -> None:
    problem = run(f"  r: {formula}", "{a: 5}").failures["r"]
    assert problem.code == "range" and "'r' ranges from" in problem.message


def test_a_hair_of_rounding_is_no_wrong_range() -> None:
    trace = run("  r: {value: a * 3, low: a + a + a, high: a * 3}", "{a: 0.1}")
    low, likely, high = trace.range("r") or (0, 0, 0)
    assert low <= likely <= high


def test_a_range_that_lacks_an_end_is_undecided() -> None:
    assert state(run("  r: {value: a, high: b}", "{a: 5}"), "r") == {"missing": {"b"}}


@pytest.mark.parametrize(
    ("asked", "expected"), [("q.low", 1.0), ("q.high", 1.0), ("q", 1.0), ("off.low", 0.0)]
)
def test_given_of_the_ends_of_a_range(asked: str, expected: float) -> None:
    trace = run(
        f"  q: {{value: a}}\n  off: {{when: false, value: a}}\n"
        f"  r: {{value: 1 if given({asked}) else 0}}",
        "{a: 5}",
    )
    assert state(trace, "r") == expected


# -- tables ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        pytest.param("{sum: {over: t, value: n * a}}", 60.0, id="every row"),
        pytest.param("{sum: {over: t, where: \"k == 'u'\", value: n}}", 4.0, id="some rows"),
        pytest.param("{sum: {over: t, where: n > 9, value: n}}", 0.0, id="no row"),
        pytest.param("{max: {over: t, value: n}}", 3.0, id="the most"),
        pytest.param("{min: {over: t, where: n > 1, value: n}}", 2.0, id="the least"),
        pytest.param("{max: {over: t, where: n > 9, value: n}}", "absent", id="the most of none"),
        pytest.param("{sum: {over: t, value: 1 if k == 'u' else 0}}", 2.0, id="counting"),
        pytest.param("{sum: {over: t, value: b}}", {"missing": {"b"}}, id="a missing input"),
        pytest.param("{sum: {over: t, where: n > b, value: 1}}", {"missing": {"b"}}, id="in where"),
        pytest.param("{sum: {over: t, value: 1 / (n - 2)}}", "arithmetic", id="a row that fails"),
        pytest.param("{sum: {over: t, value: n * 1e308}}", "arithmetic", id="too much"),
    ],
)
def test_tables(formula: str, expected: Any) -> None:
    assert state(run(f"  r: {formula}", f"{{a: 10, {ROWS}}}"), "r") == expected


def test_a_failing_row_is_named_by_its_values() -> None:
    problem = run("  r: {sum: {over: t, value: 1 / (n - 2)}}", f"{{{ROWS}}}").failures["r"]
    assert "division by zero, with n = 2." in problem.message


def test_a_table_nobody_gave_and_one_without_rows() -> None:
    assert state(run("  r: {sum: {over: t, value: n}}"), "r") == {"missing": {"t"}}
    assert state(run("  r: {sum: {over: t, value: n}}", "{t: []}"), "r") == 0.0
    assert state(run("  r: {max: {over: t, value: n}}", "{t: []}"), "r") == "absent"


@pytest.mark.parametrize("value", ["n", "1 / (n - 2)", "b"])
def test_columns_do_not_leak_and_hide_nothing_for_good(value: str) -> None:
    trace = run(
        f"  k: {{value: 8}}\n  n: {{value: 7}}\n  r: {{sum: {{over: t, value: {value}}}}}\n"
        "  after: {value: n + k + (r if given(r) else 0)}",
        f"{{{ROWS}}}",
    )
    assert state(trace, "n") == 7.0 and state(trace, "k") == 8.0
    assert state(trace, "after") == (21.0 if value == "n" else 15.0)


def test_columns_are_not_there_outside_their_table() -> None:
    trace = run("  r: {sum: {over: t, value: n}}", f"{{{ROWS}}}")
    assert not {"n", "k"} & (set(trace.values) | set(trace.missing))


# -- size ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("forward", [True, False])
def test_a_chain_of_two_thousand_formulas(forward: bool) -> None:
    links = [f"  f{n}: {{value: f{n - 1} + 1}}" for n in range(1, 2000)]
    chain = ["  f0: {value: a}", *links]
    trace = run("\n".join(chain if forward else chain[::-1]), "{a: 1}")
    assert state(trace, "f1999") == 2000.0
    assert state(run("\n".join(chain)), "f1999") == {"missing": {"a"}}


def test_a_wide_sum() -> None:
    parts = "\n".join(f"  f{n}: {{value: a * {n}}}" for n in range(500))
    names = ", ".join(f"f{n}" for n in range(500))
    assert state(run(f"{parts}\n  r: {{sum: [{names}]}}", "{a: 2}"), "r") == 249500.0


# -- the engine ------------------------------------------------------------------------------------


def test_only_what_the_targets_rest_on_is_computed() -> None:
    rules = book(f"{INPUTS}formulas:\n  p: {{value: a}}\n  q: {{value: p + 1}}\n  r: {{value: b}}")
    trace = Engine(rules).run(scenario(rules, "{a: 1, b: 2}"), ["q"])
    assert trace.values == {"a": 1.0, "p": 1.0, "q": 2.0}
    assert not trace.missing and not trace.failures


def test_a_trace_belongs_to_its_scenario_alone() -> None:
    rules = book(f"{INPUTS}formulas:\n  r: {{value: a}}")
    engine = Engine(rules)
    first = engine.run(scenario(rules, "{a: 1}"))
    second = engine.run(scenario(rules, "{}"))
    assert first.values["r"] == 1.0 and "r" not in second.values


def located(text: str) -> Located:
    document = read_text(f'v: "{text}"', "policy.yaml")
    return Located(parse(text), Field(text, document, document.data, "v"))


@pytest.mark.parametrize(
    ("text", "given", "value", "missing", "code"),
    [
        ("r > 1", "{a: 2}", True, set(), ""),
        ("r > b", "{a: 2}", None, {"b"}, ""),
        ("r > b and c > 1", "{}", None, {"a", "b"}, ""),
        ("off > 1", "{a: 2}", None, set(), "absent"),
        ("1 / z > r", "{a: 2}", None, set(), "arithmetic"),
        ("bad > 1", "{a: 2}", None, set(), "arithmetic"),
        ("given(off) or given(r)", "{a: 2}", True, set(), ""),
        ("m == 'x'", "{m: y}", False, set(), ""),
        ("extra > 2", "{}", True, set(), ""),
    ],
)
def test_reading_an_expression_over_a_trace(
    text: str, given: str, value: Any, missing: set[str], code: str
) -> None:
    formulas = "  r: {value: a}\n  off: {when: false, value: 1}\n  bad: {value: a / z}"
    for trace, fast in zip(traces(formulas, given), (False, True), strict=True):
        before = dict(trace.values), dict(trace.missing), dict(trace.failures)
        reading = Reader(trace, fast, {"extra": 3.0})(located(text))
        assert (reading.value, set(reading.missing)) == (value, missing)
        assert (reading.problem.code if reading.problem else "") == code
        assert reading.known is (value is not None)
        assert before == (trace.values, trace.missing, trace.failures), "reading leaves no trace"
