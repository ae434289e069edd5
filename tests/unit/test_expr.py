"""Expressions: what parses into what, what it reads, what it comes to, in both evaluators."""

from __future__ import annotations

import ast
import math
from typing import Any

import pytest
import simpleeval
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.evaluate.trace import Names
from advisor.rulebook import parsing
from advisor.rulebook.expr import (
    BINARY,
    COMPARE,
    FUNCTION_NAMES,
    FUNCTIONS,
    UNARY,
    BadExpression,
    CompiledEvaluator,
    Evaluator,
    Expression,
    comparison,
    part,
    renamed,
    unparse,
)
from advisor.rulebook.parsing import MAX_DEPTH, MAX_LENGTH, MAX_NODES, parse

NAMES = {"a": 2.0, "b": 5.0, "z": 0.0, "t": True, "f": False, "m": "lora", "s": frozenset("qv")}


def results(text: str, names: dict[str, Any] | None = None) -> list[Any]:
    """What an expression comes to in simpleeval and as code; the name of the error where one is."""
    found: list[Any] = []
    known = Names(NAMES if names is None else names)
    for evaluate in (Evaluator(known), CompiledEvaluator(known)):
        try:
            found.append(evaluate(parse(text)))
        except (ArithmeticError, ValueError) as error:
            found.append(type(error).__name__)
    return found


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("1 + 2 * 3", 7.0, id="products bind first"),
        pytest.param("(1 + 2) * 3", 9.0, id="parentheses"),
        pytest.param("2 ** 3 ** 2", 512.0, id="powers bind from the right"),
        pytest.param("-2 ** 2", -4.0, id="a power binds before its sign"),
        pytest.param("7 // 2", 3.0, id="whole division"),
        pytest.param("-7 // 2", -4.0, id="whole division rounds down"),
        pytest.param("-7 % 3", 2.0, id="the remainder has the sign of the divisor"),
        pytest.param("7 / 2", 3.5, id="division is never whole by itself"),
        pytest.param("a if t else b", 2.0, id="first branch"),
        pytest.param("a if f else b", 5.0, id="second branch"),
        pytest.param("1 / z if f else 7", 7.0, id="the other branch is not computed"),
        pytest.param("f and 1 / z > 0", False, id="and stops"),
        pytest.param("t or 1 / z > 0", True, id="or stops"),
        pytest.param("not f", True, id="not"),
        pytest.param("1 < a < b < 9", True, id="a chain"),
        pytest.param("1 < a > b", False, id="a chain that breaks"),
        pytest.param("a == 2", True, id="equal"),
        pytest.param("a != 2", False, id="unequal"),
        pytest.param("m == 'lora'", True, id="a word"),
        pytest.param("'full' == m", False, id="a word first"),
        pytest.param("m in ['full', 'lora']", True, id="one of some words"),
        pytest.param("m not in ['full', 'lora']", False, id="none of some words"),
        pytest.param("has(s, 'q')", True, id="a word of a set"),
        pytest.param("has(s, 'k', 'o')", False, id="none of some words of a set"),
        pytest.param("has(s, m)", False, id="a name as the word"),
        pytest.param("min(a, b, 1)", 1.0, id="least"),
        pytest.param("max(a, b)", 5.0, id="most"),
        pytest.param("ceil(2.1) + floor(2.9)", 5.0, id="up and down"),
        pytest.param("floor(-0.5)", -1.0, id="down below zero"),
        pytest.param("round(2.5)", 2.0, id="half goes to even"),
        pytest.param("abs(-3)", 3.0, id="absolute"),
        pytest.param("sqrt(9)", 3.0, id="root"),
        pytest.param("log2(8)", 3.0, id="logarithm"),
        pytest.param("given(a)", True, id="given"),
        pytest.param("given(nope.nope)", False, id="not given"),
        pytest.param("a.low + a.high", 4.0, id="what does not range is its own ends"),
        pytest.param("True", True, id="a truth"),
        pytest.param("0 ** 0", 1.0, id="nothing to the power of nothing"),
        pytest.param("1 / z", "ZeroDivisionError", id="division by zero"),
        pytest.param("1 // z", "ZeroDivisionError", id="whole division by zero"),
        pytest.param("1 % z", "ZeroDivisionError", id="remainder by zero"),
        pytest.param("z ** -1", "ZeroDivisionError", id="zero to a negative power"),
        pytest.param("(0 - 8) ** 0.5", "ValueError", id="no real root"),
        pytest.param("sqrt(0 - a)", "ValueError", id="root of a negative number"),
        pytest.param("log2(z)", "ValueError", id="logarithm of zero"),
        pytest.param("a ** (b * 13)", "OverflowError", id="an exponent over 64"),
        pytest.param("(a * 1e300) ** 2", "OverflowError", id="a power beyond numbers"),
        pytest.param("1e308 * 10", math.inf, id="a product beyond numbers, refused later"),
    ],
)
def test_values_in_both_evaluators(text: str, value: Any) -> None:
    assert results(text) == [value, value]
    assert [type(one) for one in results(text)] == [type(value)] * 2


# -- what an expression uses -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "names", "always"),
    [
        ("a + b.c", {"a": 0, "b.c": 4}, {"a", "b.c"}),
        ("a + a", {"a": 0}, {"a"}),
        ("a if b else c", {"a": 0, "b": 5, "c": 12}, {"b"}),
        ("a and b", {"a": 0, "b": 6}, {"a"}),
        ("a < b < c", {"a": 0, "b": 4, "c": 8}, {"a", "b"}),
        ("min(a, b) + 1", {"a": 4, "b": 7}, {"a", "b"}),
        ("x == 'w' or y", {"x": 0, "y": 12}, {"x"}),
        ("has(s, 'q', m)", {"s": 4, "m": 12}, {"s", "m"}),
        ("given(a.b)", {}, set()),
        ("a if given(a) else 0", {"a": 0}, set()),
        ("(a).b + c . d", {"a.b": 0, "c.d": 8}, {"a.b", "c.d"}),
        ("  a", {"a": 2}, {"a"}),
        ("a +\n  b", {"a": 0, "b": 6}, {"a", "b"}),
    ],
)
def test_names_and_where_they_stand(text: str, names: dict[str, int], always: set[str]) -> None:
    found = parse(text)
    assert found.names == names and found.always == always


def test_words_guards_and_numbers_with_their_places() -> None:
    found = parse("m in ['a', 'b'] and given(c.d) and has(s, 'q') and x < 3.5")
    assert [(use.name, use.word, use.offset) for use in found.words] == [
        ("m", "a", 6),
        ("m", "b", 11),
        ("s", "q", 42),
    ]
    assert found.guarded == {"c.d": 26}
    assert found.numbers == ((3.5, 55),)


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("a + 1 <= b", ("a + 1.0", "b")),
        ("a >= b * 2", ("a", "b * 2.0")),
        ("m == 'x'", ("m", "'x'")),
        ("0 < a < 3", None),
        ("a <= b and c", None),
        ("not a <= b", None),
        ("a", None),
    ],
)
def test_sides_of_a_comparison(text: str, sides: tuple[str, str] | None) -> None:
    found = comparison(parse(text))
    assert (found and (unparse(found[0]), unparse(found[2]))) == sides


def test_a_side_reads_only_its_own_names() -> None:
    whole = parse("a + b * (c if given(e) else 1) <= d")
    found = comparison(whole)
    assert found is not None
    left, right = part(whole, found[0]), part(whole, found[2])
    assert set(left.names) == {"a", "b", "c"} and left.always == {"a", "b"}
    assert set(left.guarded) == {"e"} and set(right.names) == {"d"} and not right.guarded
    assert Evaluator(Names(a=1.0, b=2.0))(left) == 3.0


def test_names_that_are_called_otherwise_now() -> None:
    old = parse("x + y.low if given(x) and m == 'w' else z")
    new = renamed(old, {"x": "n.x", "y.low": "n.y.low", "m": "n.m"})
    assert unparse(new.tree) == "n.x + n.y.low if given(n.x) and n.m == 'w' else z"
    assert new.names == {"n.x": 0, "n.y.low": 4, "n.m": 26, "z": 40}
    assert new.guarded == {"n.x": 19} and [use.name for use in new.words] == ["n.m"]
    assert set(old.names) == {"x", "y.low", "m", "z"}, "the old expression is as it was"


# -- the allow-list --------------------------------------------------------------------------------

ALLOWED = {
    "Add", "And", "BinOp", "BoolOp", "Call", "Compare", "Constant", "Div", "Eq", "FloorDiv", "Gt",
    "GtE", "IfExp", "Load", "Lt", "LtE", "Mod", "Mult", "Name", "Not", "NotEq", "Or", "Pow", "Sub",
    "UAdd", "USub", "UnaryOp",
}  # fmt: skip


def kinds(found: Expression) -> set[str]:
    return {type(node).__name__ for node in ast.walk(found.tree)}


EVERYTHING = [
    "+a - b * c / d // e % f ** -g",
    "not x and y or z",
    "a if b else c",
    "a < b <= c > d >= e == f != g",
    "min(a, max(b, 1)) + ceil(c) + floor(d) + abs(e) + sqrt(f) + log2(g) + round(h)",
    "has(s, 'q') and given(x.y) and m == 'w' and m in ['v'] and m not in ['u', 't']",
]


def test_trees_hold_these_nodes_and_no_others() -> None:
    """Whoever adds a kind of node changes this list, and the two evaluators with it."""
    assert set().union(*(kinds(parse(text)) for text in EVERYTHING)) == ALLOWED


def test_no_operator_or_function_beyond_the_language() -> None:
    assert set(FUNCTION_NAMES) == {
        "min", "max", "ceil", "floor", "abs", "sqrt", "log2", "round", "given", "has",
    }  # fmt: skip
    operators = {kind.__name__ for table in (BINARY, COMPARE, UNARY) for kind in table}
    assert operators == {
        "Add", "Sub", "Mult", "Div", "FloorDiv", "Mod", "Pow", "Eq", "NotEq", "Lt", "LtE", "Gt",
        "GtE", "USub", "UAdd", "Not",
    }  # fmt: skip


def test_simpleeval_itself_is_cut_down_to_the_language() -> None:
    simple = Evaluator({})._simple
    assert set(simple.functions) == set(FUNCTIONS) and simple.allowed_attrs == {}
    assert {kind.__name__ for kind in simple.nodes} == {
        "Name", "UnaryOp", "BinOp", "BoolOp", "Compare", "IfExp", "Call", "Constant",
    }  # fmt: skip


@pytest.mark.parametrize("text", ["a.b", "[1][0]", "f'{a}'", "(1).real", "{1: 2}", "open(1)"])
def test_the_inner_wall_refuses_what_never_gets_there(text: str) -> None:
    """Were the outer wall to fall, simpleeval would still refuse these."""
    tree = ast.parse(text, mode="eval").body
    with pytest.raises((simpleeval.InvalidExpression, TypeError)):
        Evaluator({"a": 2.0})(Expression(text, tree, {}, frozenset(), {}, (), (), []))


def test_compiled_code_reaches_no_builtins() -> None:
    tree = ast.parse("open('x')", mode="eval").body
    with pytest.raises(NameError):
        CompiledEvaluator({})(Expression("", tree, {}, frozenset(), {}, (), (), []))


# -- limits ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"a + {'1' * 300}", id="a number of 300 digits"),
        pytest.param(" " * (MAX_LENGTH - 1) + "a", id="the longest"),
        pytest.param("-" * MAX_DEPTH + "1", id="the deepest"),
        pytest.param(f"min({', '.join('1' * (MAX_NODES - 1))})", id="the most parts"),
        pytest.param("(" * 100 + "a" + ")" * 100, id="parentheses do not count"),
        pytest.param(" and ".join("a" * 150), id="a long chain of and"),
        pytest.param(f"x in [{', '.join([repr('w')] * 32)}]", id="the most words"),
    ],
)
def test_within_the_limits(text: str) -> None:
    assert parse(text).tree is not None


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(" " * MAX_LENGTH + "a", id="one character too long"),
        pytest.param("-" * (MAX_DEPTH + 1) + "1", id="one level too deep"),
        pytest.param(f"min({', '.join('1' * MAX_NODES)})", id="one part too many"),
        pytest.param(f"x in [{', '.join([repr('w')] * 33)}]", id="one word too many"),
    ],
)
def test_beyond_the_limits(text: str) -> None:
    with pytest.raises(BadExpression):
        parse(text)


def test_limits_are_what_the_language_page_promises() -> None:
    assert (parsing.MAX_LENGTH, parsing.MAX_NODES, parsing.MAX_DEPTH) == (1000, 300, 40)


# -- properties ------------------------------------------------------------------------------------

numbers = st.sampled_from(["0", "1", "2", "0.5", "3", "1e3", "a", "b.c", "z", "b.c.low"])
truths = st.sampled_from(
    ["t", "f", "True", "given(a)", "given(nope)", "m == 'lora'", "m != 'x'", "'full' == m",
     "m in ['x', 'lora']", "m not in ['x']", "has(s, 'q')", "has(s, 'k', m)"]
)  # fmt: skip


def grown(number: st.SearchStrategy[str], truth: st.SearchStrategy[str]) -> Any:
    """One level more of numbers."""
    return st.one_of(
        st.builds("({} {} {})".format, number, st.sampled_from(["+", "-", "*", "/"]), number),
        st.builds("({} {} {})".format, number, st.sampled_from(["//", "%"]), number),
        st.builds("{} + {} * {}".format, number, number, number).map("({})".format),
        st.builds("({}) ** {}".format, number, st.sampled_from(["2", "-1", "0.5", "a"])),
        st.builds("-({})".format, number),
        st.builds("({} if {} else {})".format, number, truth, number),
        st.builds("{}({}, {})".format, st.sampled_from(["min", "max"]), number, number),
        st.builds(
            "{}({})".format,
            st.sampled_from(["ceil", "floor", "abs", "sqrt", "log2", "round"]),
            number,
        ),
    )


def grown_truth(number: st.SearchStrategy[str], truth: st.SearchStrategy[str]) -> Any:
    signs = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])
    return st.one_of(
        st.builds("({} {} {})".format, number, signs, number),
        st.builds("({} {} {} {} {})".format, number, signs, number, signs, number),
        st.builds("({} {} {})".format, truth, st.sampled_from(["and", "or"]), truth),
        st.builds("({} and {} and {})".format, truth, truth, truth),
        st.builds("(not {})".format, truth),
        st.builds("({} if {} else {})".format, truth, truth, truth),
    )


one_number, one_truth = grown(numbers, truths), grown_truth(numbers, truths)
two_number = grown(st.one_of(numbers, one_number), st.one_of(truths, one_truth))
two_truth = grown_truth(st.one_of(numbers, one_number), st.one_of(truths, one_truth))
expressions = st.one_of(
    numbers, truths, two_number, two_truth, grown(two_number, two_truth),
    grown_truth(two_number, two_truth),
)  # fmt: skip


def parsed(text: str) -> Expression | None:
    try:
        return parse(text)
    except BadExpression as error:
        assert "exponent" in error.message or "longer" in error.message or "parts" in error.message
        return None


@given(expressions)
@settings(max_examples=300, deadline=None)
def test_printing_and_parsing_again_gives_the_same_tree(text: str) -> None:
    first = parsed(text)
    if first is not None and len(printed := unparse(first.tree)) <= MAX_LENGTH:
        second = parse(printed)
        assert ast.dump(second.tree) == ast.dump(first.tree)
        assert unparse(second.tree) == printed
        assert (
            set(second.names) == set(first.names) and second.guarded.keys() == first.guarded.keys()
        )


values = st.one_of(st.sampled_from([0.0, 1.0, -1.0, 2.0, 0.5, 1e308, 5e-324]), st.floats(-1e6, 1e6))


@given(expressions, values, values, values, st.booleans(), st.sampled_from(["lora", "x", "full"]))
@settings(max_examples=300, deadline=None)
def test_both_evaluators_agree(text: str, a: float, bc: float, low: float, t: bool, m: str) -> None:
    names = {**NAMES, "a": a, "b.c": bc, "b.c.low": low, "t": t, "m": m}
    if parsed(text) is None:
        return
    simple, code = results(text, names)
    assert type(simple) is type(code)
    assert simple == code or (simple != simple and code != code)


@given(st.text(st.sampled_from("ab.1e+-*/%()<>=!,'\"[] \n"), max_size=30))
@settings(max_examples=500, deadline=None)
def test_any_text_parses_or_is_refused_at_one_of_its_characters(text: str) -> None:
    try:
        found = parse(text)
    except BadExpression as error:
        assert 0 <= error.offset <= max(len(text) - 1, 0)
    else:
        assert kinds(found) <= ALLOWED
        assert all(text[at:].lstrip("( ").startswith(name[0]) for name, at in found.names.items())


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("max（1, 2)", "("), ("max(1，2)", ","), ("a ＞ 1", ">"), ("a ≥ 1", ">="), ("a × 2", "*"),
        ("“lora”", '"'), ("a — b", "-"), ("１ ＋ 2", "1"),
    ],
)  # fmt: skip
def test_a_sign_of_a_chinese_keyboard_is_named_with_the_right_one(text, right):
    with pytest.raises(BadExpression) as caught:
        parse(text)
    assert caught.value.hint == f"Write '{right}'."


@pytest.mark.parametrize("text", ["1 ☃ 2", "a @ b", "a ? b", "a 与 b"])
def test_other_signs_have_no_such_hint(text):
    with pytest.raises(BadExpression) as caught:
        parse(text)
    assert "Write" not in caught.value.hint
