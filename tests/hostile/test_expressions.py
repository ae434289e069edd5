"""Expressions that want more than arithmetic, or are wrong: each refused where it shows."""

from __future__ import annotations

import warnings

import pytest

from advisor.rulebook.expr import BadExpression
from advisor.rulebook.parsing import parse
from tests.support import raised

ATTRIBUTE, CALL, LIST = "an attribute of a value", "only a function of the language", "a list is"
WORD, SYNTAX, CHARACTER = "may only be compared", "not an expression", "the character"

HOSTILE = [
    # what would reach into Python
    ("().__class__", 0, ATTRIBUTE),
    ("().__class__.__bases__[0]", 0, "an index"),
    ("x.__class__", 0, "the name 'x.__class__' is not allowed"),
    ("x.y.__globals__", 0, "the name 'x.y.__globals__'"),
    ("__import__('os')", 0, "there is no function '__import__'"),
    ("__builtins__", 0, "the name '__builtins__'"),
    ("_x", 0, "the name '_x'"),
    ("a__b", 0, "the name 'a__b'"),
    ("open('/etc/passwd')", 0, "there is no function 'open'"),
    ("exec('1')", 0, "there is no function 'exec'"),
    ("eval('1')", 0, "there is no function 'eval'"),
    ("getattr(x, 'y')", 0, "there is no function 'getattr'"),
    ("print(1)", 0, "there is no function 'print'"),
    ("len(x)", 0, "there is no function 'len'"),
    ("pow(2, 3)", 0, "there is no function 'pow'"),
    ("a.min(1, 2)", 0, "there is no function 'a.min'"),
    ("'a'.upper()", 0, CALL),
    ("(a)(b)", 0, "there is no function 'a'"),
    ("min(1, 2)(3)", 0, CALL),
    ("min(1, 2).real", 0, ATTRIBUTE),
    ("1.0.real", 0, ATTRIBUTE),
    ("True.x", 0, ATTRIBUTE),
    ("lambda: 1", 6, "the character ':'"),
    ("lambda x: x", 8, "the character ':'"),
    ("[i for i in x]", 0, "a loop"),
    ("(i for i in x)", 0, "a loop"),
    ("min(i for i in x)", 0, "min() takes at least 2 values"),
    ("x := 1", 2, "the character ':'"),
    ("(x := 1)", 3, "the character ':'"),
    ("f'{x}'", 2, "the character '{'"),
    ("f'x'", 0, "a formatted text"),
    ("b'x'", 0, "is not allowed"),
    ("yield x", 0, "'yield'"),
    ("await x", 0, "'await'"),
    ("import os", 0, SYNTAX),
    ("del x", 0, SYNTAX),
    ("assert x", 0, SYNTAX),
    ("x; y", 1, "the character ';'"),
    ("@x", 0, "the character '@'"),
    ("`x`", 0, "the character '`'"),
    ("{1}", 0, "the character '{'"),
    ("{'a': 1}", 0, "the character '{'"),
    ("x[0]", 0, "an index"),
    ("x[1:2]", 3, "the character ':'"),
    ("[1, 2]", 0, LIST),
    ("(1, 2)", 0, LIST),
    ("a, b", 0, LIST),
    ("()", 0, LIST),
    ("...", 0, "'...'"),
    ("None", 0, "'None'"),
    ("x is None", 0, "'is'"),
    ("x is not y", 0, "'is not'"),
    # what would take memory or time
    ("9**9**9", 3, "an exponent over 64"),
    ("2 ** 65", 5, "an exponent over 64"),
    ("2 ** -65", 5, "an exponent over 64"),
    ("2 ** (64 + 1)", 6, "an exponent over 64"),
    ("2 ** min(99, 100)", 5, "an exponent over 64"),
    ("2 ** (1 / 0)", 6, "an exponent over 64"),
    ("1e999", 0, "this number is not finite"),
    ("-1e999", 1, "this number is not finite"),
    ("9" * 400, 0, "this number is not finite"),
    ("1 << 99", 0, "'<<'"),
    ("1 >> 9", 0, "'>>'"),
    ("'a' * 999", 0, WORD),
    ("a + 'b' * 9", 4, WORD),
    ("1" * 10_000_000, 0, "longer than 1000"),
    ("'" + "a" * 10_000_000 + "'", 0, "longer than 1000"),
    ("(" * 900, 199, SYNTAX),
    ("[" * 900, 199, SYNTAX),
    ("-" * 900 + "1", 41, "nested over 40 deep"),
    ("not " * 200 + "a", 164, "nested over 40 deep"),
    ("min(" * 60 + "1" + ",1)" * 60, 164, "nested over 40 deep"),
    ("+".join("a" * 400), 0, "nested over 40 deep"),
    ("9**" * 200 + "9", 120, "nested over 40 deep"),
    ("a if b else " * 60 + "c", 485, "nested over 40 deep"),
    (" and ".join("a" * 180), 0, "longer than 1000"),
    ("min(" + ",".join("1" * 400) + ")", 602, "over 300 parts"),
    # what looks like something else
    ("1 & 2", 2, "the character '&'"),
    ("1 | 2", 2, "the character '|'"),
    ("1 ^ 2", 2, "the character '^'"),
    ("~1", 0, "the character '~'"),
    ("a && b", 2, "the character '&'"),
    ("!a", 0, SYNTAX),
    ("a ? b : c", 2, "the character '?'"),
    ("a $ b", 2, "the character '$'"),
    ("a # b", 2, "the character '#'"),
    ("a\\b", 1, "the character '\\'"),
    ("x == 'a\\'b'", 7, "the character '\\'"),
    ("x == '\\x41'", 6, "the character '\\'"),
    ("ａ + 1", 0, "the character 'ａ'"),
    ("а + 1", 0, "the character 'а'"),
    ("a − b", 2, "the character '−'"),
    ("a · b", 2, "the character '·'"),
    ("1٢", 1, "the character '٢'"),
    ("x == ‘a’", 5, "the character '‘'"),
    ("x\u200b", 1, CHARACTER),
    ("x\u202e", 1, CHARACTER),
    ("x\0", 1, CHARACTER),
    ("x\x1b[31m", 1, CHARACTER),
    ("\ud800", 0, CHARACTER),
    ("0x10", 0, "'0x10' is not a number"),
    ("0b1", 0, "'0b1' is not a number"),
    ("1_000", 0, "'1_000' is not a number"),
    ("1j", 0, "'1j' is not a number"),
    ("1e", 0, "'1e' is not a number"),
    ("1if a else 2", 0, "'1if' is not a number"),
    ("a + 2or b", 4, "'2or' is not a number"),
    ("a + .5if b else 1", 4, "'.5if' is not a number"),
    ("1..2", 0, SYNTAX),
    ("01", 0, SYNTAX),
    ("a) + (b", 1, "this ')' closes nothing"),
    ("a)", 1, "this ')' closes nothing"),
    (")(", 0, "this ')' closes nothing"),
    # what is only wrong
    ("", 0, "there is no expression"),
    (" \n\t", 0, "there is no expression"),
    ("(a", 0, SYNTAX),
    ("a +", 2, SYNTAX),
    ("* a", 0, SYNTAX),
    ("a b", 0, SYNTAX),
    ("a.", 1, SYNTAX),
    ("a..b", 2, SYNTAX),
    ("a.if.b", 2, SYNTAX),
    ("if", 0, SYNTAX),
    ("a if b", 0, SYNTAX),
    ("a = b", 0, SYNTAX),
    ("a == b = c", 7, SYNTAX),
    ("a += 1", 2, SYNTAX),
    ("a => b", 2, SYNTAX),
    ("a <> b", 2, SYNTAX),
    ("x == 'a", 5, SYNTAX),
    ("24 GiB * a", 0, SYNTAX),
    ("'a'", 0, WORD),
    ("x + 'a'", 4, WORD),
    ("1 if 'a' else 2", 5, WORD),
    ("x < 'a'", 0, "words compare with == and != only"),
    ("x == 'a' == 'b'", 0, "words compare with == and != only"),
    ("x == 'a' != y", 0, "words compare with == and != only"),
    ("'a' == 'b'", 0, "a word compares with a name only"),
    ("a + 1 == 'b'", 0, "a word compares with a name only"),
    ("x in y", 0, "'in' needs a name and a list of words"),
    ("x in []", 0, "'in' needs a name and a list of words"),
    ("x in 'abc'", 0, "'in' needs a name and a list of words"),
    ("'a' in x", 0, "'in' needs a name and a list of words"),
    ("x in ['a', 1]", 0, "'in' needs a name and a list of words"),
    ("x in ['a'] in ['b']", 0, "'in' between other comparisons"),
    ("x in [" + ", ".join(["'a'"] * 33) + "]", 0, "over 32 words"),
    ("min(1)", 0, "min() takes at least 2 values, not 1"),
    ("min()", 0, "min() takes at least 2 values, not 0"),
    ("min(*x, 1)", 4, "'*'"),
    ("max(1, 2, key=3)", 0, "max() takes no named arguments"),
    ("max(1, 2, **x)", 0, "max() takes no named arguments"),
    ("ceil(1, 2)", 0, "ceil() takes 1 value, not 2"),
    ("round(1.5, 1)", 0, "round() takes 1 value, not 2"),
    ("abs()", 0, "abs() takes 1 value, not 0"),
    ("given()", 0, "given() takes 1 value, not 0"),
    ("given(1)", 0, "given() takes one name"),
    ("given(a + b)", 0, "given() takes one name"),
    ("given('a')", 0, "given() takes one name"),
    ("given(given(a))", 0, "given() takes one name"),
    ("has(x)", 0, "has() takes at least 2 values, not 1"),
    ("has(x, 1)", 7, "has() takes words"),
    ("has('a', 'b')", 0, "has() takes the name of a set first"),
    ("has(has(x, 'a'), 'b')", 0, "has() takes the name of a set first"),
]


@pytest.mark.parametrize(
    ("text", "offset", "message"), HOSTILE, ids=[ascii(one[0][:40]) for one in HOSTILE]
)
def test_refused_where_it_shows(text: str, offset: int, message: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # Python's own opinions must not reach a terminal either
        with pytest.raises(BadExpression) as caught:
            parse(text)
    assert message in caught.value.message
    assert caught.value.offset == offset
    assert len(caught.value.message) < 200


def test_there_are_enough_of_them_and_each_is_another() -> None:
    assert len({text for text, _, _ in HOSTILE}) == len(HOSTILE) >= 80


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("a ^ b", "Powers are written **."),
        ("a & b", "Write 'and'."),
        ("a | b", "Write 'or'."),
        ("a = b", "Compare with '=='."),
        ("a => b", "Write '>='."),
        ("a =< b", "Write '<='."),
        ("a <> b", "Write '!='."),
        ("24 GiB * a", "belongs in a parameter"),
        ("mni(1, 2)", "Did you mean 'min'?"),
        ("MIN(1, 2)", "Did you mean 'min'?"),
        ("zzz(1)", "Known: min, max,"),
        ("x in y", "has(set, 'a')"),
        ("().x", "a plain name, as lora.rank"),
        ("+".join("a" * 400), "Split it into formulas."),
        ("", "Write one, or drop the key."),
    ],
)
def test_hints(text: str, hint: str) -> None:
    with pytest.raises(BadExpression) as caught:
        parse(text)
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("(a) + (b)", id="parentheses that do close"),
        pytest.param("x == 'a)'", id="a parenthesis inside a word"),
        pytest.param('x == "4bit"', id="a word that starts with a digit"),
        pytest.param("x1or + b2_if", id="names that hold digits and words of the language"),
        pytest.param("a + 1e-5 + 1.e3 + .5E+2 + 00", id="numbers of every form"),
        pytest.param("a\r\n+\tb", id="line breaks and tabs"),
        pytest.param("a if b else -1", id="a sign after a word"),
        pytest.param("2 ** (x if y else 99)", id="an exponent that only values can tell"),
        pytest.param("min.x + given.y + has.z", id="dotted names that start as functions do"),
    ],
)
def test_what_only_looks_wrong_is_allowed(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert parse(text).names


@pytest.mark.parametrize(
    ("written", "place"),
    [
        pytest.param("value: 1 + $", "3:16", id="plain"),
        pytest.param("value: '1 + $'", "3:17", id="quoted"),
        pytest.param("value: 'm == ''a'' and $'", "3:28", id="after doubled quotes"),
        pytest.param('value: "m == \\"a\\" and $"', "3:28", id="after escapes"),
        pytest.param("value: >-\n      1 +\n      $ + 2", "5:7", id="folded"),
        pytest.param("value: |\n      1\n        + $", "5:11", id="literal"),
        pytest.param("value: 1 +\n      2 + $", "4:11", id="over two lines"),
    ],
)
def test_the_place_in_the_file(written: str, place: str) -> None:
    (problem,) = raised(f"formulas:\n  f:\n    {written}\n")
    assert problem.code == "expression" and "'$'" in problem.message
    assert str(problem.where) == f"core.yaml:{place}"
