"""YAML and JSON into data with places: what is read, what is refused, and where it is shown."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.errors import FileProblems, Problem, Span
from advisor.source import MAX_BYTES, MAX_DEPTH, Document, read_bytes, read_file, read_text
from advisor.source.places import lines_of


def refused(text: str) -> list[Problem]:
    with pytest.raises(FileProblems) as caught:
        read_text(text, "f.yaml")
    return list(caught.value.problems)


def shown(text: str) -> list[str]:
    """The problems of a text as ``line:column code``."""
    return [f"{one.where.line}:{one.where.column} {one.code}" for one in refused(text) if one.where]


def where(document: Document, *path: str | int) -> tuple[int, int]:
    """Line and column of the value at a path."""
    container, last = document.data, path[-1]
    for step in path[:-1]:
        container = container[step]
    span = document.span(container, last)
    return span.line, span.column


# -- scalars ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "value"),
    [
        pytest.param("989e12", 989e12, id="exponent without a point is a number"),
        pytest.param("1e-4", 1e-4, id="negative exponent is a number"),
        pytest.param("1.5E3", 1500.0, id="capital E"),
        pytest.param(".5", 0.5, id="no digit before the point"),
        pytest.param("5.", 5.0, id="no digit after the point"),
        pytest.param("+3", 3, id="plus sign"),
        pytest.param("-0", 0, id="minus zero"),
        pytest.param("0", 0, id="zero is not octal"),
        pytest.param("09.5", 9.5, id="a leading zero before a point is no octal"),
        pytest.param("0x1f", 31, id="hexadecimal"),
        pytest.param("0o17", 15, id="octal as YAML 1.2 writes it"),
        pytest.param("true", True, id="true"),
        pytest.param("False", False, id="capital False"),
        pytest.param("null", None, id="null"),
        pytest.param("~", None, id="tilde"),
        pytest.param("9" * 40, int("9" * 40), id="forty digits"),
        pytest.param(".inf", math.inf, id="infinity"),
        pytest.param("+.INF", math.inf, id="infinity in capitals with a sign"),
        pytest.param("-.Inf", -math.inf, id="minus infinity"),
        pytest.param("1e999", math.inf, id="too large a number is infinite, and refused later"),
    ],
)
def test_plain_scalars_of_yaml_1_2(written: str, value: Any) -> None:
    found = read_text(f"a: {written}", "f").data["a"]
    assert found == value and type(found) is type(value)


def test_nan_is_a_number() -> None:
    assert math.isnan(read_text("a: .nan", "f").data["a"])


@pytest.mark.parametrize(
    "written",
    [
        pytest.param("no", id="Norway"),
        pytest.param("yes", id="yes"),
        pytest.param("on", id="on"),
        pytest.param("Off", id="Off"),
        pytest.param("y", id="y"),
        pytest.param("12:30", id="no base sixty"),
        pytest.param("12:30:45", id="no base sixty with seconds"),
        pytest.param("2026-11-29", id="no date"),
        pytest.param("1_000", id="no underscores in numbers"),
        pytest.param("1,024", id="no commas in numbers"),
        pytest.param("0b11", id="no binary"),
        pytest.param("tRue", id="mixed case"),
        pytest.param(".infinity", id="not quite infinity"),
        pytest.param("nan", id="nan without a point"),
        pytest.param("=", id="the value key of YAML 1.1"),
        pytest.param("1e", id="half an exponent"),
        pytest.param("+", id="a sign alone"),
        pytest.param(".", id="a point alone"),
        pytest.param("24 GiB", id="a quantity"),
    ],
)
def test_what_stays_text(written: str) -> None:
    assert read_text(f"a: {written}", "f").data["a"] == written


@pytest.mark.parametrize("quote", ["'", '"'])
@pytest.mark.parametrize("word", ["1", "true", "null", "", "010", ".inf", "~"])
def test_quoted_scalars_are_text(quote: str, word: str) -> None:
    assert read_text(f"a: {quote}{word}{quote}", "f").data["a"] == word


@pytest.mark.parametrize(
    ("text", "data"),
    [
        pytest.param("1: a\n1.0: b", {"1": "a", "1.0": "b"}, id="numbers"),
        pytest.param("~: a", {"~": "a"}, id="null"),
        pytest.param("010: a", {"010": "a"}, id="octal-looking"),
        pytest.param("true: a", {"true": "a"}, id="truth"),
        pytest.param("2026-11-29: a", {"2026-11-29": "a"}, id="date"),
        pytest.param("<<: {a: 1}", {"<<": {"a": 1}}, id="no merging"),
        pytest.param("'': a", {"": "a"}, id="empty"),
    ],
)
def test_keys_are_the_text_of_the_file(text: str, data: dict[str, Any]) -> None:
    assert read_text(text, "f").data == data


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a: 010", ["1:4 octal"], id="leading zero"),
        pytest.param("a: -007", ["1:4 octal"], id="leading zero after a sign"),
        pytest.param("a: [00]", ["1:5 octal"], id="two zeros"),
        pytest.param("a: " + "9" * 41, ["1:4 number"], id="an integer of 41 digits"),
        pytest.param("a: -" + "9" * 5000, ["1:4 number"], id="an integer of 5,000 digits"),
        pytest.param("a: 0x" + "f" * 50, ["1:4 number"], id="a long hexadecimal"),
        pytest.param("a: 1\nb: 2\na: 3", ["3:1 duplicate-key"], id="repeated key"),
        pytest.param("a: 1\n'a': 2", ["2:1 duplicate-key"], id="repeated, once quoted"),
        pytest.param("{a: 1, a: 2}", ["1:8 duplicate-key"], id="repeated in flow"),
        pytest.param("x:\n  a: 1\n  a: 2", ["3:3 duplicate-key"], id="repeated below"),
        pytest.param("a: {x: 1}\na: {y: 2}", ["2:1 duplicate-key"], id="repeated maps"),
        pytest.param("a: &x 1", ["1:4 anchor"], id="anchor"),
        pytest.param("a: &x {b: 1}", ["1:4 anchor"], id="anchor of a map"),
        pytest.param("&k a: 1", ["1:1 anchor"], id="anchor of a key"),
        pytest.param("a: *x", ["1:4 alias"], id="alias"),
        pytest.param("[*x, 1]", ["1:2 alias"], id="alias in a list"),
        pytest.param("*x", ["1:1 alias"], id="alias alone"),
        pytest.param("a: !!int 3", ["1:4 tag"], id="tag of the core schema"),
        pytest.param("a: !x [1]", ["1:4 tag"], id="tag of one's own"),
        pytest.param("!!str a: 1", ["1:1 tag"], id="tag of a key"),
        pytest.param(
            "a: !!python/object/apply:os.system [ls]", ["1:4 tag"], id="tag that would run code"
        ),
        pytest.param("? [a]\n: 2", ["1:3 key"], id="a list as a key"),
        pytest.param("{{a: 1}: 2}", ["1:2 key"], id="a map as a key"),
        pytest.param("a: 1\n---\nb: 2", ["2:1 documents"], id="second document"),
        pytest.param("a: 1\n---\n", ["2:1 documents"], id="second document, empty"),
        pytest.param("", ["1:1 empty"], id="nothing"),
        pytest.param("  \n\n", ["1:1 empty"], id="blanks"),
        pytest.param("# words\n", ["1:1 empty"], id="a comment"),
        pytest.param("---\n", ["1:1 empty"], id="a document without content"),
        pytest.param("null", ["1:1 empty"], id="null"),
        pytest.param("a:\n\tb: 1", ["2:1 yaml"], id="tab as indentation"),
        pytest.param("a: 'x", ["1:6 yaml"], id="quote not closed"),
        pytest.param("a: [1, 2", ["2:1 yaml"], id="bracket not closed"),
        pytest.param("a: 1\n  b: 2", ["2:4 yaml"], id="stray indentation"),
        pytest.param("a: @x", ["1:4 yaml"], id="a character YAML reserves"),
        pytest.param("a: \0", ["1:4 yaml"], id="NUL"),
        pytest.param("a: \x1b[31m", ["1:4 yaml"], id="escape"),
        pytest.param("\x07: 1", ["1:1 yaml"], id="bell in a key"),
        pytest.param("a: \x7f", ["1:4 yaml"], id="delete"),
        pytest.param("a: \x9b31m", ["1:4 yaml"], id="C1 control"),
        pytest.param("a: \ufffe", ["1:4 yaml"], id="no character"),
        pytest.param("é: ü\nß: \x1b", ["2:4 yaml"], id="the column counts characters, not bytes"),
        pytest.param("a: \ud800", ["1:4 not-utf-8"], id="half a character"),
        pytest.param('{"a": "\\ud83d"}', ["1:10 yaml"], id="half a character, escaped"),
    ],
)
def test_refused_with_its_place(text: str, expected: list[str]) -> None:
    assert shown(text) == expected


def test_every_problem_of_a_file_is_found_at_once() -> None:
    text = "a: 010\na: &x 1\nb: *y\nc: !!t 2\nd: 007\n"
    assert shown(text) == [
        "1:4 octal",
        "2:1 duplicate-key",
        "2:4 anchor",
        "3:4 alias",
        "4:4 tag",
        "5:4 octal",
    ]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        pytest.param("when: 'a' in b", "must be quoted as a whole", id="starts with a quote"),
        pytest.param('when: "a" == b', "must be quoted as a whole", id="double quote"),
        pytest.param("- when: 'a' in b", "must be quoted as a whole", id="in a list"),
        pytest.param("x: {when: 'a' in b, v: 2}", "must be quoted as a whole", id="in a flow map"),
        pytest.param("x: {value: min(a, b)}", "comma inside {…}", id="cut at a comma"),
        pytest.param("x: {value: max(min(a, b), c), unit: byte}", "comma inside {…}", id="nested"),
        pytest.param("v: *x", "starts with * must be quoted", id="starts with *"),
        pytest.param("- *x", "starts with * must be quoted", id="starts with * in a list"),
        pytest.param("v: *x + 3", "starts with * must be quoted", id="* and more"),
    ],
)
def test_the_usual_accidents_have_their_own_hints(text: str, hint: str) -> None:
    assert hint in refused(text)[0].hint


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a: 'x' # said so\nb: [1", id="a comment after a quoted value"),
        pytest.param("a: {b: 'x'}\nc: [1", id="a brace after a quoted value"),
        pytest.param("a: 'x'\nb: [1", id="a quoted value, whole"),
    ],
)
def test_no_hint_about_quotes_without_need(text: str) -> None:
    assert "quoted as a whole" not in refused(text)[0].hint


@pytest.mark.parametrize(
    ("text", "data"),
    [
        pytest.param("x: {value: 'min(a, b)'}", {"x": {"value": "min(a, b)"}}, id="quoted"),
        pytest.param("x: {value: (a), other: }", {"x": {"value": "(a)", "other": None}}, id="even"),
        pytest.param("x:\n  value: min(a, b)", {"x": {"value": "min(a, b)"}}, id="block"),
        pytest.param("v: '*x'", {"v": "*x"}, id="quoted star"),
        pytest.param("when: \"'a' in b\"", {"when": "'a' in b"}, id="quoted as a whole"),
    ],
)
def test_the_right_way_of_writing_each_accident(text: str, data: Any) -> None:
    assert read_text(text, "f").data == data


# -- sizes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[" * 500_000, id="half a million brackets"),
        pytest.param("a: " + "[" * 500_000, id="brackets below a key"),
        pytest.param('{"a":' * 200_000, id="maps in JSON"),
        pytest.param("- " * 200_000 + "a", id="lists in lists"),
        pytest.param("\n".join(" " * depth + "a:" for depth in range(600)), id="indentation"),
        pytest.param("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), id="one level too many"),
    ],
)
def test_too_deep(text: str) -> None:
    assert [one.code for one in refused(text)] == ["too-deep"]


def test_as_deep_as_allowed() -> None:
    assert read_text("[" * MAX_DEPTH + "]" * MAX_DEPTH, "f").data == read_nested(MAX_DEPTH)


def read_nested(depth: int) -> list[Any]:
    nested: list[Any] = []
    for _ in range(depth - 1):
        nested = [nested]
    return nested


def test_nested_keys_that_are_maps_stay_bounded() -> None:
    assert len(refused("? " * 10_000 + "a")) <= MAX_DEPTH + 1


# -- texts and files -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "data"),
    [
        pytest.param("\ufeffa: 1", {"a": 1}, id="byte order mark"),
        pytest.param("a: 1\r\nb:\r\n  c: 2\r\n", {"a": 1, "b": {"c": 2}}, id="CRLF"),
        pytest.param("a: 1\rb: 2", {"a": 1, "b": 2}, id="CR"),
        pytest.param("a:\t1", {"a": 1}, id="tab before a value"),
        pytest.param("---\na: 1\n...\n", {"a": 1}, id="document marks"),
        pytest.param("%YAML 1.1\n---\na: no", {"a": "no"}, id="1.1 asked for, 1.2 read"),
        pytest.param('{\n\t"a":\t1,\n\t"b": [\n\t\t2\n\t]\n}', {"a": 1, "b": [2]}, id="JSON, tabs"),
        pytest.param('{"a": "x\\ty",\n\t"b": "\\n"}', {"a": "x\ty", "b": "\n"}, id="escaped tab"),
        pytest.param('{"a": "\\ud83d\\ude00"}', {"a": "😀"}, id="two escapes, one character"),
        pytest.param('{"a": "\\\\ud83d\\\\ude00"}', {"a": "\\ud83d\\ude00"}, id="escaped escapes"),
        pytest.param('{"\\ud83d\\ude00": 1}', {"😀": 1}, id="two escapes in a key"),
        pytest.param('{"a": "\\/", "b": "\\u00e9"}', {"a": "/", "b": "é"}, id="JSON escapes"),
        pytest.param('a: "\\e\\0"', {"a": "\x1b\0"}, id="escaped control characters"),
        pytest.param("a: 😀", {"a": "😀"}, id="beyond the first plane"),
        pytest.param("[]", [], id="empty list"),
        pytest.param("text", "text", id="one word"),
    ],
)
def test_what_is_read(text: str, data: Any) -> None:
    assert read_text(text, "f").data == data


def test_places_after_two_escapes_that_are_one_character() -> None:
    document = read_text('{"a": "\\ud83d\\ude00", "b": 2}', "f")
    assert where(document, "b") == (1, 28)


def problem_of(path: Path) -> Problem:
    with pytest.raises(FileProblems) as caught:
        read_file(path, "shown.yaml")
    (only,) = caught.value.problems
    return only


@pytest.mark.parametrize(
    ("data", "place", "message"),
    [
        pytest.param(b"a: \xff", (1, 4), "byte 0xff", id="no UTF-8"),
        pytest.param("a: 1\nb: é".encode("latin-1"), (2, 4), "byte 0xe9", id="Latin-1"),
        pytest.param("ü: ".encode() + b"\x80", (1, 4), "byte 0x80", id="after two bytes of one"),
        pytest.param("a: 1".encode("utf-16"), (1, 1), "byte 0xff", id="UTF-16"),
        pytest.param(b"a: \xed\xa0\x80", (1, 4), "byte 0xed", id="half a character as bytes"),
    ],
)
def test_text_that_is_not_utf_8(
    tmp_path: Path, data: bytes, place: tuple[int, int], message: str
) -> None:
    path = tmp_path / "f.yaml"
    path.write_bytes(data)
    problem = problem_of(path)
    assert problem.code == "not-utf-8" and message in problem.message
    assert problem.where == Span("shown.yaml", *place)


def test_a_byte_order_mark_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: 1")
    document = read_file(path)
    assert document.data == {"a": 1} and where(document, "a") == (1, 4)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for name, code in {
        "missing.yaml": "no-file",
        ".": "not-a-file",
        "pipe": "not-a-file",
        "loop": "unreadable",
        "no\0file": "unreadable",
        "n" * 300: "unreadable",
    }.items():
        assert problem_of(tmp_path / name).code == code, name
    assert problem_of(Path("/dev/zero")).code == "not-a-file"


@pytest.mark.parametrize(("extra", "fits"), [(0, True), (1, False)])
def test_the_largest_file(tmp_path: Path, extra: int, fits: bool) -> None:
    path = tmp_path / "f.yaml"
    path.write_bytes(b"a: 1\n#" + b"x" * (MAX_BYTES - 6 + extra))
    if fits:
        assert read_file(path).data == {"a": 1}
    else:
        assert problem_of(path).code == "too-large"


def test_bytes_up_to_a_limit_of_the_caller(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"abc")
    assert read_bytes(path, "f", 3) == b"abc"
    with pytest.raises(FileProblems):
        read_bytes(path, "f", 2)


# -- top-level blocks left out ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a: 1\nexamples:\n  - x\n  - y\nb: 2\n", id="in the middle"),
        pytest.param("a: 1\nexamples:\n- x\n- y:\n    z\nb: 2\n", id="elements in column one"),
        pytest.param("a: 1\nexamples:\n  - x\n# words\n  - y\n\n\nb: 2\n", id="a comment inside"),
        pytest.param("a: 1\nexamples:\n  - |\n    b: 3\n    c: 4\nb: 2\n", id="a block of text"),
        pytest.param("a: 1\r\nexamples:\r\n  - x\r\nb: 2\r\n", id="CRLF"),
        pytest.param("a: 1\nb: 2\nexamples:\n  - x", id="at the end, no line break"),
    ],
)
def test_a_block_left_out(text: str) -> None:
    whole = read_text(text, "f")
    left = read_text(text, "f", skip=("examples",))
    assert left.data.get("examples") is None and {"a", "b"} <= set(left.data)
    assert where(left, "b") == where(whole, "b"), "lines keep their numbers"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("x:\n  examples:\n    - y\n", id="not at the top"),
        pytest.param("examples: [y]\n", id="on the line of its key"),
        pytest.param("my_examples:\n  - y\n", id="another key"),
        pytest.param("{a: 1,\nexamples:\n  [y]}", id="inside a flow map"),
        pytest.param("x: |\n  a\n\n  examples:\n  - y\n", id="inside a text"),
    ],
)
def test_what_is_not_left_out(text: str) -> None:
    assert read_text(text, "f", skip=("examples",)).data == read_text(text, "f").data


# -- places ----------------------------------------------------------------------------------------


def test_places_of_keys_and_values() -> None:
    document = read_text("a: 1\nb:\n  c: [x, {d: y}]\n  'e':   |\n    text\n", "f")
    data = document.data
    assert where(document, "a") == (1, 4)
    assert where(document, "b") == (3, 3)
    assert where(document, "b", "c") == (3, 6)
    assert where(document, "b", "c", 1, "d") == (3, 14)
    assert where(document, "b", "e") == (4, 10)
    assert document.key_span(data, "b") == Span("f", 2, 1)
    assert document.key_span(data["b"], "e") == Span("f", 4, 3)
    assert document.key_span(data["b"]["c"], 0) == Span("f", 3, 7), "an element is its own key"
    assert document.start == Span("f", 1, 1)


def marked(text: str) -> tuple[Document, tuple[int, int]]:
    """The document of a text, and where its § stands (line and column from 1)."""
    lines = lines_of(text[: text.index("§")])
    return read_text(text, "f"), (len(lines), len(lines[-1]) + 1)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("v: abc § def", id="plain"),
        pytest.param("v: 'abc § def'", id="single quotes"),
        pytest.param("v: 'a == ''b'' or §'", id="doubled quotes before it"),
        pytest.param('v: "abc § def"', id="double quotes"),
        pytest.param('v: "a \\" \\x41 \\u0041 \\U00000041 \\n §"', id="escapes before it"),
        pytest.param('{"v": "\\ud83d\\ude00 §"}', id="two escapes, one character"),
        pytest.param("v: abc\n  def\n  § ghi", id="plain over lines"),
        pytest.param("v: abc\n\n\n  § def", id="plain over empty lines"),
        pytest.param("v: 'abc\n    def §'", id="single quotes over lines"),
        pytest.param('v: "abc   \n  def\n\n  §"', id="double quotes over lines"),
        pytest.param('v: "abc \\\n  def §"', id="a line break taken away"),
        pytest.param("v: |\n  abc\n  def § x\n", id="literal"),
        pytest.param("v: |\n  abc\n    def\n  §\n", id="literal with deeper lines"),
        pytest.param("v: |\n\n\n  abc §\n", id="literal after empty lines"),
        pytest.param("v: |2\n    abc\n  §\n", id="literal with an indentation indicator"),
        pytest.param("v: |-\n  abc\n\n  §", id="literal without a last line break"),
        pytest.param("v: >\n  abc\n  def §\n", id="folded"),
        pytest.param("v: >-\n  abc\n\n\n  def §\n", id="folded over empty lines"),
        pytest.param("v: >\n  abc\n    deeper\n    more\n  def §\n", id="folded, deeper lines"),
        pytest.param("v: >\n\n  abc\n  §\n", id="folded after an empty line"),
        pytest.param("a: 1\r\nv: |\r\n  abc\r\n  def §\r\n", id="CRLF"),
        pytest.param("a: 1\rv: |\r  abc\r  def §\r", id="CR"),
        pytest.param("é: ü\nv: 'ß §'", id="characters of several bytes"),
        pytest.param("x: {v: 'a §', w: 1}", id="in a flow map"),
        pytest.param("x:\n  - v: >-\n      abc\n      § def\n", id="in a list"),
    ],
)
def test_the_place_of_a_character_inside_a_scalar(text: str) -> None:
    document, (line, column) = marked(text)
    container = document.data.get("x", document.data)
    container = container[0] if isinstance(container, list) else container
    offset = container["v"].index("§")
    assert document.inside(container.values_at["v"], offset) == Span("f", line, column)


def test_offsets_beyond_the_end_stay_in_the_scalar() -> None:
    document = read_text("v: abc\nw: ''\nx: |\n  abc\n", "f")
    place = document.data.values_at
    assert document.inside(place["v"], 99) == Span("f", 1, 7)
    assert document.inside(place["w"], 0) == Span("f", 2, 4)
    assert document.inside(place["x"], 99).line in (4, 5)


def test_what_is_written_at_a_place() -> None:
    document = read_text("a: 6.0e17\rb: 'x'\r\nc: 1_0", "f")
    places = document.data.values_at
    assert [document.written(places[key]) for key in "abc"] == ["6.0e17", "'x'", "1_0"]


words = st.text(st.sampled_from("ab'\"\\ \n:#é😀§-"), min_size=1, max_size=40)
styles = st.sampled_from([None, "'", '"', "|", ">"])


@given(words, styles, st.integers(12, 80))
@settings(max_examples=300, deadline=None)
def test_every_visible_character_is_found_where_it_stands(
    text: str, style: str | None, width: int
) -> None:
    written = yaml.dump({"k": {"v": text}}, default_style=style, width=width, allow_unicode=True)
    document = read_text(written, "f")
    inner = document.data["k"]
    if inner["v"] != text:
        return  # YAML cannot write it in this style, or only in another
    lines = lines_of(written)
    for offset, char in enumerate(text):
        span = document.inside(inner.values_at["v"], offset)
        at = lines[span.line - 1][span.column - 1 :]
        if char in "ab:#§-" and not at.startswith("\\"):
            assert at[:1] == char, (written, offset)


@given(st.binary(max_size=200))
@settings(max_examples=200, deadline=None)
def test_no_bytes_end_in_anything_but_data_or_problems(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_bytes(data)
    try:
        assert read_file(path).data is not None
    except FileProblems as error:
        assert error.problems


@given(st.text(st.sampled_from("a:{}[],'\"&*!|>-? #%@`\t\n\r\\\ufeff0129.e+xo\x00\x85\u2028é")))
@settings(max_examples=500, deadline=None)
def test_no_text_ends_in_anything_but_data_or_problems(text: str) -> None:
    try:
        assert read_text(text, "f").data is not None
    except FileProblems as error:
        assert all(one.where is not None for one in error.problems)
