"""Trainer files themselves: a new trainer is a new file, and what is wrong with one has a place."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor import paths
from advisor.errors import FileProblems
from advisor.trainers.globs import match, matches, pattern
from advisor.trainers.load import read_formats
from advisor.trainers.model import Format
from advisor.trainers.writes import read_trainers
from tests.docs import blocks
from tests.support import ROOT
from tests.unit.trainers.support import formats, project

GOOD = """\
language: 1
trainer: mine
title: My trainer
recognise: {all: [my_model], any: [my_rank, {my_mode: [sft], with: [my_steps]}]}
reads:
  model: {key: my_model}
  lora.rank: {key: my_rank, absent: [{until: "1.2", value: 4, source: a}, {value: 8, source: b}]}
"""


def load(tmp_path: Path, text: str, name: str = "mine.yaml") -> tuple[Format, ...]:
    (tmp_path / name).write_text(text, "utf-8")
    return read_formats(tmp_path, "trainers", project().book.inputs)


def test_a_new_trainer_is_a_new_file(tmp_path):
    (one,) = load(tmp_path, GOOD)
    assert (one.name, one.role, one.strength) == ("mine", "main", 3)
    assert one.known == {"my_model", "my_rank", "my_mode", "my_steps"}


def test_the_example_of_the_documents_is_one(tmp_path):
    text = (ROOT / "rules" / "README.md").read_text("utf-8")
    (example,) = (one.body for one in blocks(text) if one.file == "mine.yaml")
    (one,) = load(tmp_path, example)
    assert set(one.reads) == {"model", "method", "lora.rank", "training.sequence_length"}


def test_a_file_that_only_writes_is_no_format(tmp_path):
    text = "language: 1\ntrainer: mine\nwrites: {lora.rank: {key: r}}"
    assert load(tmp_path, text) == ()
    (writer,) = read_trainers(tmp_path, "trainers", project().book.inputs)
    assert writer.name == "mine"


def test_every_shipped_trainer_can_be_read_and_written():
    folder = paths.shipped("rules") / "trainers"
    written = {one.name for one in read_trainers(folder, "t", project().book.inputs)}
    names = {one.name for one in formats()}
    assert {"axolotl", "llama-factory", "trl", "torchtune", "litgpt"} <= written & names


# id, the change to the file above, the line and column of what is wrong, its code
WRONG = [
    ("name-of-the-file", ("trainer: mine", "trainer: other"), "2:10", "bad-name"),
    ("unknown-key", ("title:", "titel:"), "3:1", "unknown-key"),
    ("unknown-input", ("lora.rank:", "lora.rnk:"), "7:3", "unknown-name"),
    (
        "no-signature",
        ("all: [my_model], any: [my_rank, {my_mode: [sft], with: [my_steps]}]", "none: [x]"),
        "4:12",
        "missing-key",
    ),
    ("kind", ("{my_mode: [sft]", "{my_mode: word"), "4:55", "wrong-value"),
    ("value-of-another-type", ("value: 4", "value: many"), "7:60", "value"),
    ("no-version", ('until: "1.2"', "until: soon"), "7:46", "value"),
    ("two-meanings", ("value: 8, source", "value: 8, unknown: x, source"), "7:37", "missing-key"),
    ("nothing-to-read", ("model: {key: my_model}", "model: {source: x}"), "6:10", "missing-key"),
    (
        "no-choice",
        ("{key: my_model}", "{key: my_model}\n  method: {key: m, map: {a: loar}}"),
        "7:29",
        "value",
    ),
    (
        "no-such-map",
        ("{key: my_model}", "{key: my_model}\n  method: {key: m, map: nowhere}"),
        "7:25",
        "unknown-name",
    ),
    (
        "part-not-named",
        ("{key: my_model}", '{key: my_model, match: {"a*": "{name}"}}'),
        "6:40",
        "unknown-name",
    ),
    (
        "other-input",
        ("{key: my_model}", "{key: my_model, where: {metod: [x]}}"),
        "6:34",
        "unknown-name",
    ),
    (
        "scale-by-nothing",
        ("{key: my_rank,", "{key: my_rank, scale: {over: [{input: nope}]},"),
        "7:52",
        "unknown-name",
    ),
    ("union-of-no-set", ("{key: my_model}", "{union: [{key: a}]}"), "6:10", "wrong-type"),
    (
        "leaves-nothing",
        ("reads:", "unknowable: [{note: x, leaves: [nope]}]\nreads:"),
        "5:32",
        "unknown-name",
    ),
    ("inner-of-nobody", ("reads:", "inner: [{key: x, as: nobody}]\nreads:"), "", "unknown-name"),
    ("yaml", ("title: My trainer", "title: [My trainer"), "4:10", "yaml"),
]


@pytest.mark.parametrize(
    ("change", "place", "code"), [r[1:] for r in WRONG], ids=[r[0] for r in WRONG]
)
def test_what_is_wrong_has_its_place(tmp_path, change, place, code):
    assert change[0] in GOOD
    with pytest.raises(FileProblems) as caught:
        load(tmp_path, GOOD.replace(*change))
    first = caught.value.problems[0]
    assert first.code == code
    where = f"trainers/mine.yaml:{place}" if place else "trainers/mine.yaml"
    assert str(first.where) == where


def test_everything_wrong_is_told_at_once(tmp_path):
    text = GOOD.replace("lora.rank:", "lora.rnk:").replace(
        "model: {key", "model: {where: {x: [y]}, key"
    )
    with pytest.raises(FileProblems) as caught:
        load(tmp_path, text)
    assert len(caught.value.problems) == 2


# -- patterns -------------------------------------------------------------------------------------

MATCHES = [
    ("*zero{stage}.json", "configs/ZeRO3.json", {"stage": "3"}),
    ("{name}-bnb-4bit", "unsloth/Qwen-bnb-4bit", {"name": "unsloth/Qwen"}),
    ("{name}:{count}", "A100-80GB:8", {"name": "A100-80GB", "count": "8"}),
    ("{name}-GPTQ*", "a-GPTQ-Int4", {"name": "a"}),
    ("*", "", {}),
    ("a*a", "a", None),
    ("a*a", "aa", {}),
    ("x{n}", "y1", None),
    ("plain", "PLAIN", {}),
    ("plain", "plainer", None),
]


@pytest.mark.parametrize(("written", "text", "expected"), MATCHES)
def test_a_pattern(written, text, expected):
    assert match(text, pattern(written)) == expected


def test_words_without_a_star_are_compared_as_they_are():
    assert matches("lora", "lora")
    assert not matches("LoRA", "lora")
    assert matches("LoRA", "lo*")


def test_many_stars_over_a_long_text_come_to_an_end():
    assert match("a" * 200_000, pattern("*a*a*a*a*a*a*b" * 9)) is None
    assert match("a" * 200_000, pattern("*a*{x}a*a*a*a")) == {"x": ""}
