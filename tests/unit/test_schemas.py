"""The schemas: our quick check and python-jsonschema accept the same data, and word the rest."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor import schemas
from advisor.errors import FileProblems
from advisor.rulebook.load import load
from advisor.source import Document, Mapping, Sequence, read_text
from tests.support import ROOT

SHAPES = sorted((ROOT / "advisor/schemas").glob("*.schema.json"))
NAMES = [path.name.removesuffix(".schema.json") for path in SHAPES]
RULE_FILES = sorted((ROOT / "rules/core").rglob("*.yaml"))


@cache
def validator(name: str) -> Any:
    return jsonschema.Draft202012Validator(schemas.load(name))


def agree(name: str, data: Any) -> bool:
    """What both say about data; fails where they do not say the same."""
    theirs: bool = validator(name).is_valid(data)
    assert schemas.accepts(name, data) is theirs
    return theirs


@cache
def rule_file(path: Path) -> Document:
    return read_text(path.read_text("utf-8"), path.name)


# -- the schemas themselves ------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_one(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schemas.load(name))


def keywords(schema: Any) -> Iterator[str]:
    if not isinstance(schema, dict):
        return
    for keyword, argument in schema.items():
        yield keyword
        if keyword in ("properties", "$defs"):
            for inner in argument.values():
                yield from keywords(inner)
        elif isinstance(argument, dict):
            yield from keywords(argument)


def test_every_keyword_of_the_rules_is_one_the_quick_check_knows() -> None:
    used = set(keywords(schemas.load("rules")))
    assert {"pattern", "propertyNames", "maxProperties", "$ref"} <= used
    schemas.accepts("rules", {})  # would raise for any other


def closed(schema: Any, path: str = "") -> Iterator[str]:
    """Paths of maps with known keys that would take unknown ones silently."""
    if not isinstance(schema, dict):
        return
    if "properties" in schema and "additionalProperties" not in schema:
        yield path
    for keyword, argument in schema.items():
        if isinstance(argument, dict):
            yield from closed(argument, f"{path}/{keyword}")


def test_maps_of_the_rules_are_closed_except_what_replaces_whole_definitions() -> None:
    assert list(closed(schemas.load("rules"))) == ["/properties/replace/additionalProperties"]


# -- a table ---------------------------------------------------------------------------------------

FORMULA = {"value": "1"}


@pytest.mark.parametrize(
    ("data", "accepted"),
    [
        pytest.param({"language": 1}, True, id="the least"),
        pytest.param({"language": 1.0}, True, id="one is one with a point"),
        pytest.param({"language": True}, False, id="true is not one"),
        pytest.param({"language": "1"}, False, id="text is not one"),
        pytest.param({}, False, id="no version"),
        pytest.param([], False, id="a list"),
        pytest.param(None, False, id="nothing"),
        pytest.param("x", False, id="text"),
        pytest.param({"language": 1, "more": 1}, False, id="a key too many"),
        pytest.param({"language": 1, "formulas": {}}, True, id="an empty section"),
        pytest.param({"language": 1, "formulas": None}, False, id="a section of nothing"),
        pytest.param({"language": 1, "formulas": {"a": FORMULA}}, True, id="a formula"),
        pytest.param({"language": 1, "formulas": {"a.b_1": FORMULA}}, True, id="a dotted name"),
        pytest.param({"language": 1, "formulas": {"A": FORMULA}}, False, id="a capital"),
        pytest.param({"language": 1, "formulas": {"a.": FORMULA}}, False, id="a dot at the end"),
        pytest.param({"language": 1, "formulas": {"a\n": FORMULA}}, False, id="a line break"),
        pytest.param({"language": 1, "formulas": {"": FORMULA}}, False, id="no name"),
        pytest.param({"language": 1, "formulas": {"a": {"value": True}}}, True, id="a truth"),
        pytest.param({"language": 1, "formulas": {"a": {"value": []}}}, False, id="a list"),
        pytest.param({"language": 1, "formulas": {"a": {"sum": []}}}, False, id="no parts"),
        pytest.param({"language": 1, "formulas": {"a": {"sum": {"over": "t"}}}}, False, id="half"),
        pytest.param({"language": 1, "formulas": {"a": {"title": " "}}}, False, id="a blank title"),
        pytest.param({"language": 1, "formulas": {"a": {"title": {"zh": "x"}}}}, False, id="zh"),
        pytest.param({"language": 1, "layer": "team-1.a"}, True, id="a layer"),
        pytest.param({"language": 1, "layer": "x" * 61}, False, id="a long layer"),
        pytest.param({"language": 1, "layer": "x\n"}, False, id="a layer and a line break"),
        pytest.param({"language": 1, "ladder": ["a", 1]}, False, id="a number on the ladder"),
        pytest.param(
            {"language": 1, "disable": {"policies.a": {"reason": "r", "until": "2026-11-29"}}},
            True,
            id="a day",
        ),
        pytest.param(
            {"language": 1, "disable": {"policies.a": {"reason": "r", "until": "２０26-11-29"}}},
            False,
            id="a day in other digits",
        ),
        pytest.param(
            {"language": 1, "patch": {"ladder": {"reason": "r", "insert": {"a": {}}}}},
            False,
            id="no place",
        ),
        pytest.param(
            {"language": 1, "replace": {"formulas.a": {"reason": "r", "anything": 1}}},
            True,
            id="a replacement is checked elsewhere",
        ),
        pytest.param(
            {"language": 1, "replace": {"formulas.a": {"reason": "", "value": 1}}},
            False,
            id="but its reason here",
        ),
        pytest.param({"language": 1, "examples": [{"name": "", "given": {}, "expect": {"a": 1}}]},
                     False, id="an example without a name"),
        pytest.param({"language": 1, "examples": [{"name": "n", "given": {}, "expect": {}}]},
                     False, id="an example that expects nothing"),
    ],
)  # fmt: skip
def test_both_say_the_same(data: Any, accepted: bool) -> None:
    assert agree("rules", data) is accepted


@pytest.mark.parametrize("path", RULE_FILES, ids=lambda path: path.stem)
def test_every_shipped_rule_file_has_the_shape(path: Path) -> None:
    assert agree("rules", rule_file(path).data)


# -- mutated files ---------------------------------------------------------------------------------

VALUES: list[Any] = [
    None, True, 0, 1.5, -1, "", " ", "x", "a.b", "A", "2026-11-29", [], ["x"], [1], {}, {"en": "x"},
    {"value": 1}, float("nan"), 10**30,
]  # fmt: skip
KEYS = ["value", "title", "unit", "en", "zh", "reason", "sum", "over", "extra", "A", "a\n", "when"]


def plain(data: Any) -> Any:
    """The data without its places, so that it can be changed."""
    if isinstance(data, dict):
        return {key: plain(value) for key, value in data.items()}
    return [plain(value) for value in data] if isinstance(data, list) else data


def containers(data: Any) -> list[Any]:
    found = [data] if isinstance(data, dict | list) and data else []
    for value in (
        data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    ):
        found.extend(containers(value))
    return found


def mutated(data: Any, chance: Any) -> Any:
    """The data with one key dropped, added, renamed or given another value, somewhere."""
    changed = copy.deepcopy(data)
    inside = chance.choice(containers(changed))
    keys = list(inside) if isinstance(inside, dict) else list(range(len(inside)))
    key, value = chance.choice(keys), copy.deepcopy(chance.choice(VALUES))
    action = chance.randrange(4)
    if action == 0:
        del inside[key]
    elif action == 1:
        inside[key] = value
    elif isinstance(inside, list):
        inside.append(value)
    elif action == 2:
        inside[chance.choice(KEYS)] = value
    else:
        inside[chance.choice(KEYS)] = inside.pop(key)
    return changed


@pytest.mark.parametrize("path", RULE_FILES, ids=lambda path: path.stem)
@given(chance=st.randoms(use_true_random=False))
@settings(max_examples=12, deadline=None)
def test_both_say_the_same_about_files_that_were_tampered_with(path: Path, chance: Any) -> None:
    agree("rules", mutated(plain(rule_file(path).data), chance))


BASE = ROOT / "tests/unit/bad_rules/base.yaml"


def test_tampering_matters() -> None:
    good = plain(rule_file(BASE).data)
    assert agree("rules", good)
    assert not any(
        agree("rules", {**good, key: 1}) for key in ("extra", "formulas", "language ", "A")
    )


@given(chance=st.randoms(use_true_random=False))
@settings(max_examples=250, deadline=None)
def test_a_tampered_file_is_refused_with_places_or_loads_and_has_the_shape(
    tmp_path_factory: pytest.TempPathFactory, chance: Any
) -> None:
    changed = mutated(plain(rule_file(BASE).data), chance)
    file = tmp_path_factory.getbasetemp() / "tampered.yaml"
    file.write_text(json.dumps(changed).replace("NaN", ".nan"), "utf-8")
    try:
        load((file, "rules.yaml"))
    except FileProblems as error:
        assert all(one.where for one in error.problems)
    else:
        assert schemas.accepts("rules", changed)


# -- words -----------------------------------------------------------------------------------------


def shown(text: str) -> list[str]:
    return [str(one) for one in schemas.problems("rules", read_text(text, "f.yaml"))]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("language: 2", "f.yaml:1:11: wrong-value: '2' is not possible in 'language'. One of: 1."),
        ("formulas: {}", "f.yaml:1:1: missing-key: 'language' is missing. Add it."),
        (
            "language: 1\nformulas: 3",
            "f.yaml:2:11: wrong-type: the number 3 where a map belongs in",
        ),
        ("language: 1\nformulas: {a: {vaule: 1}}", "unknown key 'vaule' in 'formulas.a'. Did you"),
        ("language: 1\nformulas: {a: {zzz: 1}}", "Known here: cases, high, low, max, min, source,"),
        (
            "language: 1\nformulas: {A: {value: 1}}",
            "f.yaml:2:12: bad-name: 'A' is no name in 'form",
        ),
        (
            "language: 1\nladder: [[a]]",
            "f.yaml:2:10: wrong-type: a list where text belongs in 'ladd",
        ),
        ("language: 1\nformulas: {a: {sum: []}}", "nothing is listed in 'formulas.a.sum'."),
        ("language: 1\nlayer: a b", "'a b' is not well formed in 'layer'. A word of letters,"),
        ("language: 1\nformulas: {a: {title: ' '}}", "the text is empty in 'formulas.a.title'."),
        (
            "language: 1\nformulas: {a: {value: }}",
            "nothing where text or a number or true or false",
        ),
    ],
)
def test_words_and_places(text: str, said: str) -> None:
    assert any(said in one for one in shown(text))


def test_two_missing_keys_are_one_problem() -> None:
    text = "language: 1\nanswers: {}\npolicies: {a: {level: info}}"
    assert shown(text) == [
        "f.yaml:3:15: missing-key: 'require', 'message' are missing in 'policies.a'. Add them."
    ]


def test_a_part_of_a_schema_and_a_value_inside_a_document() -> None:
    document = read_text("x: {y: [1]}", "f.yaml")
    start = document.span(document.data, "x")
    part = "$defs/text"
    assert schemas.accepts("rules", "words", part) and not schemas.accepts("rules", [1], part)
    (problem,) = schemas.problems("rules", document, part, document.data["x"]["y"], start)
    assert problem.where == start and problem.message == "a list where text or a map belongs."


def test_a_file_of_wrong_keys_is_told_in_full_without_a_thousand_suggestions() -> None:
    text = "language: 1\n" + "".join(f"formulaz{number}: 1\n" for number in range(2000))
    found = schemas.problems("rules", read_text(text, "f.yaml"))
    assert len(found) == 2000 and sum("Did you mean" in one.hint for one in found) < 50


def test_what_is_accepted_has_no_problems_and_the_other_way_round() -> None:
    good, bad = read_text("language: 1", "f"), read_text("language: 3", "f")
    assert schemas.accepts("rules", good.data) and schemas.problems("rules", good) == []
    assert not schemas.accepts("rules", bad.data) and schemas.problems("rules", bad)


def test_the_readers_containers_count_as_maps_and_lists() -> None:
    document: Document = read_text("language: 1\nladder: [a]", "f")
    assert isinstance(document.data, Mapping) and isinstance(document.data["ladder"], Sequence)
    assert agree("rules", document.data)
