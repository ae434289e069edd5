"""What the questions rest on in the rules: suggestions, words for values, and who is unsure."""

from __future__ import annotations

import subprocess
import sys

import pytest

from advisor.evaluate import Engine
from advisor.rulebook.values import read_value
from tests.support import book, problems, scenario

SUGGEST = "{type: integer, unit: '1', suggest: {value: 3, because: {en: usual, zh: 常见}}}"


def test_a_suggestion_is_there_and_never_taken_unasked():
    rules = book(f"inputs: {{x: {SUGGEST}}}")
    source = rules.inputs["x"]
    assert source.suggest == 3.0
    assert source.because["zh"] == "常见"
    assert Engine(rules).run(scenario(rules)).missing.keys() >= {"x"}


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("{type: integer, unit: '1', suggest: {value: x, because: b}}", "value"),
        ("{type: integer, unit: '1', range: [1, 2], suggest: {value: 3, because: b}}", "value"),
        ("{type: integer, unit: '1', suggest: {value: 3}}", "missing-key"),
        (
            "{type: integer, unit: '1', default: {value: 1, because: b},"
            " suggest: {value: 3, because: b}}",
            "one-of",
        ),
        ("{type: enum, choices: [a, b], suggest: {value: c, because: b}}", "value"),
        ("{type: enum, choices: [a, b], said: {c: [see]}}", "value"),
        ("{type: enum, choices: [a, b], said: {a: []}}", "wrong-value"),
        ("{type: integer, unit: '1', said: {a: [see]}}", "wrong-key"),
        ("{type: boolean, said: {yes: [please]}}", "value"),
    ],
)
def test_a_suggestion_or_a_word_that_is_wrong(written, code):
    assert any(code in one for one in problems(f"inputs: {{x: {written}}}"))


@pytest.mark.parametrize(
    "written",
    [
        "{type: enum, choices: [a, b], said: {a: [first, the first], b: [2nd]}}",
        "{type: set, choices: [a, b], groups: {both: [a, b]}, said: {both: [all of them]}}",
        "{type: boolean, said: {true: [with it], false: [without it]}}",
        SUGGEST,
    ],
)
def test_a_suggestion_or_a_word_that_is_right(written):
    assert not [one for one in problems(f"inputs: {{x: {written}}}") if "unused" not in one]


RULES = """
inputs:
  today: {type: date}
  x: {type: integer, unit: "1", default: {value: 1, because: {en: d, zh: d}}}
  y: {type: integer, unit: "1", suggest: {value: 2, because: {en: s, zh: s}}}
formulas: {z: {title: z, unit: "1", value: x + y}}
"""


def test_what_a_scenario_assumes_is_told_apart():
    rules = book(RULES)
    read = scenario(rules, "{y: 5, assumed: [x, y]}")
    assert read.unsure == {"x", "y"}
    assert read.given["y"].origin == "assumed"
    trace = Engine(rules).run(read)
    assert trace.values["z"] == 6
    for name in ("x", "y"):
        provided = trace.origin(name)
        assert provided is not None and provided.origin == "assumed"


def test_a_flag_settles_what_a_scenario_assumes():
    rules = book(RULES)
    read = scenario(rules, "{y: 5, assumed: [y]}", [("y", "7")])
    assert read.given["y"].origin == "given"


def test_check_names_what_is_assumed(tmp_path):
    path = tmp_path / "run.yaml"
    path.write_text(
        "model: Qwen/Qwen2.5-7B\nmethod: lora\nhardware: {gpu: T4}\nassumed: [hardware.gpu]\n",
        "utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-m", "advisor", "check", str(path), "--no-config"],
        capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert "hardware.gpu = T4" in done.stdout.partition("assumed:")[2]


# -- the shipped questions ------------------------------------------------------------------------


def test_every_question_of_the_core_rules_can_be_answered(talk):
    rules = talk.world.book
    for name, source in rules.inputs.items():
        if not source.ask:
            continue
        assert source.ask.get("en") and source.ask.get("zh"), name
        answerable = source.default or source.suggest is not None or source.optional
        assert answerable, f"{name} has nothing to offer somebody who does not know"
        if source.because:
            assert source.because.get("zh"), name


def test_typical_values_are_values_and_entries_that_exist(talk):
    for name, source in talk.world.book.inputs.items():
        if source.type == "catalogue":
            assert len(talk.world.typical(source)) == len(source.typical) > 2, name
            assert source.suggest is not None
        elif source.range is not None:
            assert all(isinstance(one, float) for one in source.typical)
            assert list(source.typical) == sorted(source.typical), name
        if source.type == "enum":
            assert all(read_value(source, value) == value for value in source.typical)


def test_no_word_names_two_inputs_that_are_asked_for(talk):
    vocabulary = talk.world.marker.vocabulary
    for word, names in vocabulary.names.items():
        asked = [name for name in names if talk.world.book.inputs[name].ask]
        assert len(asked) < 2, (word, asked)
