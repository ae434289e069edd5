"""Scenarios: what files, inline maps and flags give, and everything that can be wrong in them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from advisor.errors import FileProblems, Problem
from advisor.project import core_rules, open_catalogues
from advisor.rulebook.load import load
from advisor.rulebook.model import RuleBook
from advisor.scenario import Scenario, ScenarioReader
from advisor.source import read_text
from advisor.units import parse_date
from tests.support import TODAY, book, scenario

RULES = book(
    """
    inputs:
      method: {type: enum, choices: [full, lora, qlora], aliases: [finetuning_type, adapter]}
      lora.rank: {type: integer, range: [1, 4096], aliases: [r, lora_r]}
      lora.targets: {type: set, choices: [q, k, v], groups: {all-linear: [q, k, v]}}
      training.rate: {type: number, range: [0, 1], aliases: [learning rate]}
      training.on: {type: boolean}
      memory: {type: number, unit: byte, range: [0, 10 TiB]}
      budget.time: {type: number, unit: second, optional: true}
      note: {type: text}
      rows: {type: table, columns: {n: {type: integer}}}
      model: {type: catalogue, of: models}
      model.name: {type: text, optional: true}
      model.layers: {type: integer, range: [1, 999], optional: true}
      model.vision.layers: {type: integer, optional: true}
      robot: {type: catalogue, of: robots}
    """
)


def given(
    text: str, settings: Iterable[tuple[str, str]] = (), rules: RuleBook = RULES
) -> dict[str, Any]:
    """The values given, without today."""
    found = scenario(rules, text, settings)
    return {name: one.value for name, one in found.given.items() if name != "today"}


def wrong(
    text: str, settings: Iterable[tuple[str, str]] = (), rules: RuleBook = RULES
) -> tuple[Problem, ...]:
    with pytest.raises(FileProblems) as caught:
        scenario(rules, text, settings)
    return caught.value.problems


def one_wrong(text: str, settings: Iterable[tuple[str, str]] = ()) -> str:
    (problem,) = wrong(text, settings)
    return str(problem)


# -- what is read ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "values"),
    [
        pytest.param("{}", {}, id="nothing"),
        pytest.param("lora: {rank: 8}", {"lora.rank": 8.0}, id="nested"),
        pytest.param("lora.rank: 8", {"lora.rank": 8.0}, id="dotted"),
        pytest.param("lora: {}", {}, id="an empty group"),
        pytest.param(
            "lora.rank: 8\nlora: {targets: all-linear}",
            {"lora.rank": 8.0, "lora.targets": frozenset("qkv")},
            id="dotted and nested side by side",
        ),
        pytest.param("budget: {time: 6 h}", {"budget.time": 21600.0}, id="a unit"),
        pytest.param("memory: 24 GiB", {"memory": 24 * 2.0**30}, id="memory"),
        pytest.param(
            "model: {name: mine, layers: 4, vision: {layers: 2}}",
            {
                "model": "mine",
                "model.name": "mine",
                "model.layers": 4.0,
                "model.vision.layers": 2.0,
            },
            id="a model described inline",
        ),
        pytest.param("model: {}", {"model": "described inline"}, id="a model without a name"),
        pytest.param("model.layers: 4", {"model.layers": 4.0}, id="a field without its model"),
        pytest.param("note: no", {"note": "no"}, id="a word YAML 1.1 would turn"),
        pytest.param("rows: [{n: 1}, {n: 2}]", {"rows": ({"n": 1.0}, {"n": 2.0})}, id="a table"),
    ],
)
def test_what_is_given(text: str, values: dict[str, Any]) -> None:
    assert given(text) == values


def test_each_value_says_where_it_came_from() -> None:
    found = scenario(RULES, "method: lora\nlora:\n  rank: 8\n", [("note", "hello")])
    assert (
        found.given["method"].origin == "given" and found.given["method"].source == "scenario.yaml"
    )
    assert str(found.given["lora.rank"].span) == "scenario.yaml:3:9"
    assert found.given["note"].source == "--set note=hello" and found.given["note"].span is None
    assert found.given["today"].value == TODAY and found.name == "scenario.yaml"


# -- keys that are wrong ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("lora: {rnk: 8}", "scenario.yaml:1:8: unknown-key: there is no input "
                     "'lora.rnk'. Did you mean 'lora.rank'?", id="a typo inside"),
        pytest.param("lor: {rank: 8}", "no input 'lor'. Did you mean 'lora'?", id="a group"),
        pytest.param("Lora: {rank: 8}", "Did you mean 'lora'?", id="a capital"),
        pytest.param("LORA.RANK: 8", "Did you mean 'lora.rank'?", id="all capitals"),
        pytest.param("rank: 8", "Did you mean 'lora.rank'?", id="the last word alone"),
        pytest.param("r: 8", "Did you mean 'lora.rank'?", id="an alias"),
        pytest.param("finetuning_type: lora", "Did you mean 'method'?", id="a trainer's word"),
        pytest.param("learning rate: 1", "Did you mean 'training.rate'?", id="two words"),
        pytest.param("training: {lora_r: 8}", "Did you mean 'lora.rank'?", id="an alias elsewhere"),
        pytest.param("zzz: 1", "Known at the top: budget, lora, memory,", id="nothing close"),
        pytest.param("'': 1", "there is no input ''.", id="no name"),
        pytest.param("__class__: 1", "there is no input '__class__'.", id="a name of Python's"),
        pytest.param('"a\\eb": 1', "there is no input 'a\\x1bb'.", id="a control character"),
        pytest.param('"a\\nb": 1', "there is no input 'a\\nb'.", id="a line break"),
        pytest.param("lora: 8", "'lora' is a group of inputs, not one. Write lora: {rank: …}.",
                     id="a value for a group"),
        pytest.param("lora:", "'lora' is a group of inputs", id="nothing for a group"),
        pytest.param("lora: [8]", "'lora' is a group of inputs", id="a list for a group"),
        pytest.param("lora.rank.x: 1", "Did you mean 'lora.rank'?", id="below an input"),
        pytest.param("model: {depth: 3}", "no input 'model.depth'.", id="an unknown field"),
        pytest.param("lora: {keep: [method]}", "there is no input 'lora.keep'.", id="keep inside"),
        pytest.param("today: 2026-01-01", "there is no input 'today'.", id="another day"),
    ],
)  # fmt: skip
def test_keys_nobody_knows(text: str, said: str) -> None:
    assert said in one_wrong(text)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("lora.rank: 8\nlora: {rank: 9}", "2:14"),
        ("lora: {rank: 9}\nlora.rank: 8", "2:12"),
        ("model: {layers: 3}\nmodel.layers: 4", "2:15"),
    ],
)
def test_one_input_given_twice(text: str, place: str) -> None:
    assert f"{place}: duplicate-key:" in one_wrong(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "1:1: wrong-type: a scenario is a map of inputs."),
        ("- method: lora", "a scenario is a map of inputs."),
        ("lora", "a scenario is a map of inputs."),
        ("method: qlroa", "'method' cannot be 'qlroa'. Did you mean 'qlora'?"),
        ("method: {a: b}", "'method' cannot be a map"),
        ("method:", "'method' has no value"),
        ("lora: {rank: 8.5}", "needs a whole number, not 8.5"),
        ("lora: {rank: -1}", "outside 1 .. 4096"),
        ("lora: {rank: .nan}", "must be a finite number, not nan"),
        ("lora: {rank: {value: 8}}", "needs a number, not a map"),
        ("training: {rate: 1e999}", "must be a finite number, not inf"),
        ("training: {on: yes}", "YAML 1.2 reads 'yes' as text"),
        ("memory: 9000 TiB", "outside 0 B .. 10.0 TiB"),
        ("memory: 24 GB/s", "measured in byte, not GB/s"),
        ("model: [a]", "needs text, not a list"),
        ("model: {layers: 0}", "'model.layers' is 0, outside 1 .. 999"),
        ("rows: [{n: 1.5}]", "'rows[1].n' needs a whole number"),
        ("robot: r2d2", "'robot' is of the catalogue 'robots', and there is none."),
    ],
)
def test_values_that_do_not_suit(text: str, said: str) -> None:
    assert said in one_wrong(text)


def test_everything_wrong_is_found_at_once() -> None:
    found = wrong(
        "methd: x\nlora: {rank: 0, targets: [z]}\nmemory: 6 h\nkeep: [y]", [("note", "[1]")]
    )
    assert [f"{one.where} {one.code}" for one in found] == [
        "--set note=[1] value",
        "scenario.yaml:1:1 unknown-key",
        "scenario.yaml:2:14 value",
        "scenario.yaml:2:26 value",
        "scenario.yaml:3:9 value",
        "scenario.yaml:4:8 unknown-name",
    ]


def test_thousands_of_wrong_keys_are_all_named_and_few_get_suggestions() -> None:
    found = wrong("\n".join(f"methd{number}: 1" for number in range(3000)))
    assert len(found) == 3000
    assert 1 <= sum("Did you mean" in one.hint for one in found) <= 30


# -- names of the catalogues -----------------------------------------------------------------------


@cache
def core() -> RuleBook:
    return load(core_rules(), today=TODAY)


def core_scenario(
    text: str, settings: Iterable[tuple[str, str]] = (), folder: Path | None = None
) -> Scenario:
    reader = ScenarioReader(core(), open_catalogues(), TODAY)
    return reader.build(read_text(text, "scenario.yaml"), folder, settings)


def core_wrong(text: str, **more: Any) -> str:
    with pytest.raises(FileProblems) as caught:
        core_scenario(text, **more)
    return "\n".join(map(str, caught.value.problems))


@pytest.mark.parametrize(
    "name", ["RTX 4090", "rtx4090", "NVIDIA GeForce RTX 4090", "geforce-rtx-4090"]
)
def test_names_match_whatever_their_spelling(name: str) -> None:
    found = core_scenario(f"hardware: {{gpu: {name}}}")
    assert found.given["hardware.gpu"].origin == "given"
    assert found.given["hardware.gpu.bandwidth"].origin == "catalogue"
    assert (
        found.given["hardware.gpu"].value
        == core_scenario("hardware.gpu: RTX 4090").given["hardware.gpu"].value
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("hardware: {gpu: A100}", "is the name of more than one", id="several GPUs"),
        pytest.param("hardware: {gpu: RTX 9999}", "no GPU is called 'RTX 9999'", id="no such GPU"),
        pytest.param("model: qwen", "is the name of more than one model", id="several models"),
        pytest.param("model: Qwen/Qwen9-7B", "no model is called", id="no such model"),
        pytest.param("model: ''", "no model is called ''", id="an empty name"),
        pytest.param('model: "a\\e[31m"', "cannot be shown: a\\x1b[31m", id="control sequence"),
    ],
)
def test_names_that_mean_nothing_or_too_much(text: str, said: str) -> None:
    shown = core_wrong(text)
    assert said.lower() in shown.lower() and "\x1b" not in shown


def test_a_given_value_stands_over_the_catalogue_whatever_the_order() -> None:
    for text in (
        "model: Qwen/Qwen2.5-7B-Instruct\nmodel.context_length: 4096",
        "model.context_length: 4096\nmodel: Qwen/Qwen2.5-7B-Instruct",
    ):
        fact = core_scenario(text).given["model.context_length"]
        assert (fact.value, fact.origin) == (4096.0, "given")


# -- a model's own config.json ---------------------------------------------------------------------

CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 2048,
    "intermediate_size": 8192,
    "num_hidden_layers": 16,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "tie_word_embeddings": True,
    "max_position_embeddings": 131072,
    "rms_norm_eps": 1e-5,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of a scenario, with a config inside it and one outside."""
    inside = tmp_path / "runs"
    (inside / "mine").mkdir(parents=True)
    for path in (inside / "mine/config.json", tmp_path / "config.json"):
        path.write_text(json.dumps(CONFIG))
    (inside / "link.json").symlink_to(tmp_path / "config.json")
    (inside / "inner.json").symlink_to(inside / "mine/config.json")
    (inside / "loop.json").symlink_to(inside / "loop.json")
    (inside / "away").symlink_to(tmp_path)
    (inside / "broken.json").write_text("{")
    return inside


@pytest.mark.parametrize("path", ["mine/config.json", "./mine/../mine/config.json", "inner.json"])
def test_a_config_below_the_scenario(folder: Path, path: str) -> None:
    found = core_scenario(f"model: {path}", folder=folder)
    assert found.given["model.layers"].value == 16.0
    assert found.given["model.layers"].origin == "catalogue"


@pytest.mark.parametrize(
    ("path", "code"),
    [
        pytest.param("../config.json", "outside", id="above"),
        pytest.param("mine/../../config.json", "outside", id="down and up"),
        pytest.param("{tmp}/config.json", "outside", id="an absolute path"),
        pytest.param("/etc/passwd.json", "outside", id="elsewhere"),
        pytest.param("link.json", "outside", id="a link that leads out"),
        pytest.param("away/config.json", "outside", id="a linked folder that leads out"),
        pytest.param("loop.json", "outside", id="a link to itself"),
        pytest.param('"a\\0.json"', "value", id="a name no file can have"),
        pytest.param("n" * 190 + "/" + "../" * 2 + "x.json", "value", id="a long path"),
        pytest.param("missing.json", "no-file", id="no such file"),
        pytest.param("broken.json", "yaml", id="half a file"),
    ],
)
def test_paths_that_are_refused(folder: Path, path: str, code: str) -> None:
    shown = core_wrong(f"model: {path.format(tmp=folder.parent)}", folder=folder)
    assert f": {code}: " in shown


def test_a_config_is_no_gpu(folder: Path) -> None:
    assert "describes one of the models" in core_wrong(
        "hardware: {gpu: mine/config.json}", folder=folder
    )


def test_without_a_folder_no_file_may_be_named() -> None:
    assert "outside: a path is not allowed here." in core_wrong("model: mine/config.json")


def test_an_example_may_name_no_file(folder: Path) -> None:
    reader = ScenarioReader(core(), open_catalogues(), TODAY)
    document = read_text("given: {model: mine/config.json}", str(folder / "rules.yaml"))
    with pytest.raises(FileProblems):
        reader.from_map(document.data["given"], document, "example")


# -- flags -----------------------------------------------------------------------------------------


def test_flags_beat_the_file_and_what_changed_is_reported() -> None:
    found = scenario(
        RULES,
        "method: lora\nlora: {rank: 8}",
        [("lora.rank", "16"), ("note", "new"), ("method", "lora")],
    )
    assert found.given["lora.rank"].value == 16.0
    (override,) = found.overrides
    assert (override.name, override.was, override.now) == ("lora.rank", 8.0, 16.0)
    assert override.source == "--set lora.rank=16"


@pytest.mark.parametrize(
    ("name", "written", "value"),
    [
        ("memory", "24 GiB", 24 * 2.0**30),
        ("lora.targets", "[q, v]", frozenset("qv")),
        ("lora.targets", "all-linear", frozenset("qkv")),
        ("training.on", "true", True),
        ("note", "'8'", "8"),
        ("model", "{layers: 3}", "described inline"),
    ],
)
def test_flags_take_what_yaml_takes(name: str, written: str, value: Any) -> None:
    assert given("{}", [(name, written)])[name] == value


@pytest.mark.parametrize(
    ("name", "written", "said"),
    [
        pytest.param("lora.rnk", "8", "Did you mean 'lora.rank'?", id="a typo"),
        pytest.param("lora.rank", "x", "needs a number", id="no number"),
        pytest.param("lora.rank", "", "has no value", id="nothing"),
        pytest.param("lora.rank", "8\nmethod: full", "this is not one value", id="two lines"),
        pytest.param("lora.rank", "[", "not YAML", id="no YAML"),
        pytest.param("lora.rank", "*x", "an alias", id="an alias"),
        pytest.param("keep", "[method]", "'keep' is no input that can be set", id="keep"),
        pytest.param("today", "2026-01-01", "Use --today.", id="today"),
        pytest.param("lora", "8", "is a group of inputs", id="a group"),
        pytest.param("note", "\udcff", "not-utf-8", id="bytes that are no text"),
    ],
)
def test_flags_that_are_wrong(name: str, written: str, said: str) -> None:
    shown = one_wrong("method: lora", [(name, written)])
    assert said in shown and shown.startswith(f"--set {name}=")


def test_another_model_leaves_nothing_of_the_first() -> None:
    first = core_scenario("model: Qwen/Qwen3-VL-4B-Instruct")
    assert first.given["model.vision_layers"].value
    other = core_scenario(
        "model: Qwen/Qwen3-VL-4B-Instruct", [("model", "Qwen/Qwen2.5-7B-Instruct")]
    )
    alone = core_scenario("model: Qwen/Qwen2.5-7B-Instruct")
    assert {n: p.value for n, p in other.given.items()} == {
        n: p.value for n, p in alone.given.items()
    }
    assert [one.name for one in other.overrides] == ["model"]


def test_another_model_leaves_nothing_of_an_inline_one() -> None:
    text = "model: {layers: 3, vocab_size: 1000, experts: 8}"
    other = core_scenario(text, [("model", "Qwen/Qwen2.5-7B-Instruct")])
    assert other.given["model.vocab_size"].value == 152064.0
    assert other.given["model.experts"].value == 0.0


def test_of_flags_the_one_that_names_a_field_counts_whatever_the_order() -> None:
    flags = [("model.layers", "3"), ("model", "Qwen/Qwen2.5-7B-Instruct")]
    for order in (flags, flags[::-1]):
        assert core_scenario("{}", order).given["model.layers"].value == 3.0


def test_the_order_of_keys_does_not_change_a_scenario() -> None:
    one = given("method: lora\nlora: {rank: 8}\nmemory: 1 GiB")
    assert one == given("memory: 1 GiB\nlora.rank: 8\nmethod: lora")


# -- lists of names --------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["keep", "assumed"])
@pytest.mark.parametrize(
    ("written", "names"),
    [("[method, lora.rank]", {"method", "lora.rank"}), ("[]", set()), ("[model]", {"model"})],
)
def test_lists_of_input_names(key: str, written: str, names: set[str]) -> None:
    found = scenario(RULES, f"{key}: {written}")
    assert (found.keep if key == "keep" else found.unsure) == names


@pytest.mark.parametrize("key", ["keep", "assumed"])
@pytest.mark.parametrize(
    ("written", "said"),
    [
        pytest.param("method", "is a list of input names", id="no list"),
        pytest.param("{a: 1}", "is a list of input names", id="a map"),
        pytest.param("", "is a list of input names", id="nothing"),
        pytest.param(
            "[methd]", "names 'methd', which is no input. Did you mean 'method'?", id="typo"
        ),
        pytest.param("[3]", "names '3', which is no input.", id="a number"),
        pytest.param("[[method]]", "which is no input.", id="a list in the list"),
        pytest.param("[lora]", "names 'lora', which is no input.", id="a group"),
    ],
)
def test_lists_that_are_wrong(key: str, written: str, said: str) -> None:
    assert said in one_wrong(f"{key}: {written}")


def test_the_day_of_the_call_is_no_matter_of_the_file() -> None:
    rules = book("inputs: {today: {type: date}, a: {type: number}}")
    (problem,) = wrong("today: 2020-01-01\na: 1", rules=rules)
    assert problem.hint == "Use --today." and str(problem.where) == "scenario.yaml:1:8"
    assert scenario(rules, "a: 1").given["today"].value == TODAY


def test_an_example_may_have_a_day_of_its_own() -> None:
    rules = book("inputs: {today: {type: date}}")
    reader = ScenarioReader(rules, {}, TODAY)
    document = read_text("given: {today: 2020-01-01}\nother: {a: 1}", "rules.yaml")
    found = reader.from_map(document.data["given"], document, "example")
    assert found.given["today"].value == parse_date("2020-01-01")
    with pytest.raises(FileProblems):
        reader.from_map(document.data["other"], document, "example")


def test_setting_inputs_makes_another_scenario() -> None:
    before = scenario(RULES, "method: lora\nkeep: [method]")
    after = before.with_values({"method": "qlora", "lora.rank": 4.0}, "a remedy")
    assert before.given["method"].value == "lora" and "lora.rank" not in before.given
    assert after.given["method"].value == "qlora" and after.given["lora.rank"].source == "a remedy"
    assert after.keep == before.keep and after.name == before.name
