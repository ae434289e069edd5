"""Static types: what goes together before any number is there, and what does not."""

from __future__ import annotations

import pytest

from advisor.rulebook.model import Type
from advisor.rulebook.parsing import parse
from advisor.rulebook.types import BOOLEAN, UNKNOWN, agree, describe, infer
from advisor.units import NONE, Dimension

BYTE: Dimension = (1, 0, 0, 0)
SECOND: Dimension = (0, 1, 0, 0)
RATE: Dimension = (1, -1, 0, 0)


def number(dimension: Dimension | None) -> Type:
    return Type("number", dimension)


TYPES = {
    "n": number(NONE),
    "b": number(BYTE),
    "s": number(SECOND),
    "usd": number((0, 0, 0, 1)),
    "flop": number((0, 0, 1, 0)),
    "rate": number(RATE),
    "area": number((2, 0, 0, 0)),
    "on": BOOLEAN,
    "m": Type("enum", None, frozenset({"full", "lora", "qlora"})),
    "dtype": Type("enum", None, frozenset({"bf16", "fp32"})),
    "some": Type("enum", None, frozenset({"full", "lora"})),
    "set": Type("set", None, frozenset({"q", "v"})),
    "rows": Type("table", None),
    "note": Type("text", None),
}


def inferred(text: str) -> tuple[Type, list[str]]:
    """The type of an expression, and what is wrong as ``offset message``."""
    kind, found = infer(parse(text), TYPES)
    return kind, [f"{one.offset} {one.message}" for one in found]


@pytest.mark.parametrize(
    ("text", "dimension"),
    [
        pytest.param("b + b", BYTE, id="bytes and bytes"),
        pytest.param("b - 0", BYTE, id="zero has every dimension"),
        pytest.param("0 + b", BYTE, id="zero first"),
        pytest.param("b + 0.0", BYTE, id="zero with a point"),
        pytest.param("2 * b", BYTE, id="a number times bytes"),
        pytest.param("b * s", (1, 1, 0, 0), id="a product of two"),
        pytest.param("b / s", RATE, id="a quotient is a rate"),
        pytest.param("b / rate", SECOND, id="a rate divides into a time"),
        pytest.param("b / b", NONE, id="a share"),
        pytest.param("b // b", NONE, id="how often it fits"),
        pytest.param("b % b", BYTE, id="a remainder"),
        pytest.param("1 / s", (0, -1, 0, 0), id="one over a time"),
        pytest.param("usd / s * s", (0, 0, 0, 1), id="a price times a time"),
        pytest.param("-b", BYTE, id="a sign"),
        pytest.param("b ** 2", (2, 0, 0, 0), id="a whole power"),
        pytest.param("n ** 0.5", NONE, id="any power of a plain number"),
        pytest.param("2 ** n", NONE, id="a plain power of a number"),
        pytest.param("sqrt(area)", BYTE, id="the root of a square"),
        pytest.param("sqrt(n)", NONE, id="the root of a number"),
        pytest.param("log2(b / b)", NONE, id="the logarithm of a share"),
        pytest.param("min(b, 0)", BYTE, id="the least of bytes and zero"),
        pytest.param("max(b, b, 2 * b)", BYTE, id="the most of bytes"),
        pytest.param("ceil(b)", BYTE, id="rounded up"),
        pytest.param("b if on else 0", BYTE, id="bytes or nothing"),
        pytest.param("0 if on else b", BYTE, id="nothing or bytes"),
        pytest.param("b * (1 if on else 2)", BYTE, id="a factor by case"),
    ],
)
def test_numbers_that_go_together(text: str, dimension: Dimension) -> None:
    assert inferred(text) == (number(dimension), [])


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("b < 2 * b", id="bytes with bytes"),
        pytest.param("b > 0", id="bytes with zero"),
        pytest.param("0 <= b <= b", id="a chain"),
        pytest.param("on", id="a truth"),
        pytest.param("on == on", id="truths equal"),
        pytest.param("on != True", id="a truth and True"),
        pytest.param("not on and (b > 0 or on)", id="logic"),
        pytest.param("m == 'lora'", id="a choice"),
        pytest.param("m in ['lora', 'qlora']", id="two choices"),
        pytest.param("m == some", id="two enums"),
        pytest.param("has(set, 'q')", id="a word of the set"),
        pytest.param("has(set, m)", id="a set and an enum"),
        pytest.param("given(note)", id="anything may be given"),
        pytest.param("True if on else on", id="truths by case"),
    ],
)
def test_truths(text: str) -> None:
    assert inferred(text) == (BOOLEAN, [])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("b + s", "4 second does not go with byte", id="bytes and seconds"),
        pytest.param("b + 1", "4 a plain number does not go with byte", id="bytes and one"),
        pytest.param("1 - b", "4 byte does not go with a plain number", id="one less bytes"),
        pytest.param("b + b + s", "8 second does not go with byte", id="further on"),
        pytest.param("b % s", "4 second does not go with byte", id="a remainder"),
        pytest.param("b < s", "4 second does not go with byte", id="compared"),
        pytest.param("b < 24", "4 a plain number does not go with byte", id="a bare number"),
        pytest.param("0 < b < s", "8 second does not go with byte", id="in a chain"),
        pytest.param("min(b, s)", "7 second does not go with byte", id="the least of two kinds"),
        pytest.param("b if on else s", "13 one branch is byte, the other second", id="by case"),
        pytest.param("b if on else 1", "13 one branch is byte, the other a plain", id="or one"),
        pytest.param("b if on else on", "13 one branch is byte, the other true", id="or a truth"),
        pytest.param("2 ** b", "5 an exponent must be a plain number", id="an exponent of bytes"),
        pytest.param("b ** n", "5 the power of a quantity needs a whole", id="an unknown power"),
        pytest.param("b ** 0.5", "5 the power of a quantity needs a whole", id="half a power"),
        pytest.param("sqrt(b)", "0 sqrt() of byte", id="the root of bytes"),
        pytest.param("log2(b)", "0 log2() of byte", id="the logarithm of bytes"),
        pytest.param("b + on", "4 'on' is true or false, not a number", id="a truth added"),
        pytest.param("-on", "1 'on' is true or false, not a number", id="a truth negated"),
        pytest.param("abs(on)", "4 'on' is true or false, not a number", id="a truth's size"),
        pytest.param("n + m", "4 'm' is a word, not a number", id="a word added"),
        pytest.param("n * set", "4 'set' is a set of words, not a number", id="a set"),
        pytest.param("n * rows", "4 'rows' is a table, not a number", id="a table"),
        pytest.param("note + n", "0 'note' is text, not a number", id="a text"),
        pytest.param(
            "n and on", "0 'n' is a plain number, not true or false", id="a number as true"
        ),
        pytest.param("on or m", "6 'm' is a word, not true or false", id="a word as true"),
        pytest.param("not b", "4 'b' is byte, not true or false", id="not bytes"),
        pytest.param("1 if n else 2", "5 'n' is a plain number, not true or false", id="condition"),
        pytest.param("on < on", "0 truths compare with == and != only", id="truths by size"),
        pytest.param("on == n", "0 'on' is true or false, not a number", id="a truth and a number"),
        pytest.param("m < some", "0 words compare with == and != only", id="words by size"),
        pytest.param("m == dtype", "0 these are never equal", id="enums without a common choice"),
        pytest.param("m == n", "0 'm' is a word, not a number", id="a word and a number"),
        pytest.param("note == note", "0 'note' is text, not a number", id="two texts"),
        pytest.param("m == 'qlroa'", "5 'm' is never 'qlroa'", id="no such choice"),
        pytest.param("m in ['lora', 'x']", "14 'm' is never 'x'", id="no such choice in a list"),
        pytest.param("has(set, 'z')", "9 'set' is never 'z'", id="no such word in the set"),
        pytest.param("b == 'x'", "5 'b' is byte, not a choice of words", id="bytes as a word"),
        pytest.param("note == 'x'", "8 'note' is text, not a choice of words", id="a text"),
        pytest.param("on == 'x'", "6 'on' is true or false, not a choice", id="a truth"),
        pytest.param("has(m, 'lora')", "4 has() needs a set of words, not a word", id="no set"),
        pytest.param("has(set, n)", "9 has() looks for words, not a plain number", id="no word"),
    ],
)
def test_what_does_not_go_together(text: str, problem: str) -> None:
    _, found = inferred(text)
    assert any(one.startswith(problem) for one in found), found


def test_a_misspelt_choice_gets_a_suggestion_and_the_list() -> None:
    _, found = infer(parse("m == 'qlroa'"), TYPES)
    assert found[0].hint == "Did you mean 'qlora'? One of: full, lora, qlora."


def test_names_nobody_knows_are_not_complained_about_here() -> None:
    assert inferred("nope + b")[1] == [] and inferred("nope == 'x'")[1] == []


def test_every_complaint_is_made_at_once() -> None:
    _, found = inferred("(b + s) * (n + m) if on else b < s")
    assert len(found) == 3


@pytest.mark.parametrize(
    ("have", "want", "does"),
    [
        (number(BYTE), number(BYTE), True),
        (number(None), number(BYTE), True),
        (number(BYTE), number(None), True),
        (number(BYTE), number(NONE), False),
        (number(NONE), BOOLEAN, False),
        (BOOLEAN, BOOLEAN, True),
        (UNKNOWN, BOOLEAN, True),
        (TYPES["some"], TYPES["m"], True),
        (TYPES["m"], TYPES["some"], False),
        (TYPES["dtype"], TYPES["m"], False),
        (TYPES["set"], TYPES["m"], False),
        (TYPES["note"], TYPES["rows"], False),
    ],
)
def test_what_may_stand_where(have: Type, want: Type, does: bool) -> None:
    assert agree(have, want) is does


def test_every_type_has_words() -> None:
    assert {describe(kind) for kind in TYPES.values()} >= {
        "byte", "a plain number", "true or false", "a word", "a set of words", "a table", "text",
    }  # fmt: skip
