"""``--fix`` and ``--diff``: what is written, byte for byte, and what is left alone."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from advisor.cli.app import run
from advisor.errors import FileProblems
from advisor.fix import replace_file
from advisor.fix.edit import set_key
from advisor.fix.guard import differences, shape_of
from advisor.fix.words import in_json, in_yaml, number
from advisor.fix.writing import in_trainer
from advisor.project import open_project
from advisor.source import read_text
from advisor.source.lenient import read_lenient
from advisor.trainers.keys import find
from advisor.trainers.writes import Trainer, Write
from tests.support import TODAY

DAY = ["--today", "2026-11-29"]

# -- one key of a text ----------------------------------------------------------------------------


def edited(text: str, path: str, value: Any) -> str:
    edit = set_key(read_lenient(text, "f.yaml").document, path, value, root_is_flow(text))
    return text if edit is None else edit.apply(text)


def root_is_flow(text: str) -> bool:
    return shape_of(text, "f.yaml").root_is_flow


# text, key, value, what becomes of it
EDITS: list[tuple[str, str, Any, str]] = [
    # a value in its place
    ("a: 1 # why\nb: 2\n", "a", 3.0, "a: 3 # why\nb: 2\n"),
    ("a:   1\n", "a", 0.00002, "a:   0.00002\n"),
    ("a: 1", "a", True, "a: true"),
    ("a: x\r\nb: y\r\n", "a", "z", "a: z\r\nb: y\r\n"),
    ("a: 'x'\n", "a", "it's", "a: 'it''s'\n"),
    ('a: "x"\n', "a", "y", 'a: "y"\n'),
    ("a: x\n", "a", "yes", 'a: "yes"\n'),
    ("a: x\n", "a", "12", 'a: "12"\n'),
    ("a: x\n", "a", None, "a: null\n"),
    ("a:\nb: 1\n", "a", 2.0, "a: 2\nb: 1\n"),
    ("a:   # empty\n", "a", True, "a: true   # empty\n"),
    ("a: [q, k]\n", "a", ["q", "v"], "a: [q, v]\n"),
    ("a: {b: 1, c: 2}\n", "a.c", 3.0, "a: {b: 1, c: 3}\n"),
    ("a.b: 1\n", "a.b", 2.0, "a.b: 2\n"),
    ("é: 1\nb: 世 # ü\nc: 2\n", "c", 3.0, "é: 1\nb: 世 # ü\nc: 3\n"),
    ('{"a": 1, "b": "x"}', "b", "y", '{"a": 1, "b": "y"}'),
    ('{\t"a": "\\ud83d\\ude00", "b": 1}', "b", True, '{\t"a": "\\ud83d\\ude00", "b": true}'),
    # nothing to do
    ("a: 1\n", "a", 1.0, "a: 1\n"),
    ("a: yes\n", "a", True, "a: yes\n"),
    # a key that is missing
    ("a: 1\n# end\n", "b", True, "a: 1\nb: true\n# end\n"),
    ("a: 1", "b", True, "a: 1\nb: true"),
    ("a: 1\r\n", "b", True, "a: 1\r\nb: true\r\n"),
    ("a:\n    b: 1\n    c: 2\nd: 3\n", "a.e", 4.0, "a:\n    b: 1\n    c: 2\n    e: 4\nd: 3\n"),
    ("a:\n    b: 1\n", "x.y", 4.0, "a:\n    b: 1\nx:\n    y: 4\n"),
    ("a:\n  b:\n    c: 1\n", "a.d", 2.0, "a:\n  d: 2\n  b:\n    c: 1\n"),
    ("a: |\n  text\n\n", "b", 1.0, "a: |\n  text\n\nb: 1\n"),
    ("a: {b: 1}\n", "a.c", True, "a: {b: 1, c: true}\n"),
    ("a: {}\n", "a.c", True, "a: {c: true}\n"),
    ("a: {b: 1}\n", "a.c.d", True, "a: {b: 1, c: {d: true}}\n"),
    ("{a: 1}\n", "b", "x", "{a: 1, b: x}\n"),
    ('{"a": 1}\n', "b", "x", '{"a": 1, "b": "x"}\n'),
    ('{\n  "a": 1,\n  "b": {\n    "c": 1\n  }\n}\n', "b.d", True,
     '{\n  "a": 1,\n  "b": {\n    "c": 1,\n    "d": true\n  }\n}\n'),
    ('{\n  "a": 1\n}\n', "x.y", 1.5, '{\n  "a": 1,\n  "x": {"y": 1.5}\n}\n'),
    # what a list has to hold
    ("a: [x]\n", "a", ("y",), "a: [x, y]\n"),
    ("a: [x]\n", "a", ("x",), "a: [x]\n"),
    ("a: []\n", "a", ("y",), "a: [y]\n"),
    ("a:\n  - x\n  - z # why\nb: 1\n", "a", ("y",), "a:\n  - x\n  - z # why\n  - y\nb: 1\n"),
    ("a:\n- x\n", "a", ("y", "z"), "a:\n- x\n- y\n- z\n"),
    ("b: 1\n", "a", ("y",), "b: 1\na: [y]\n"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "path", "value", "expected"), EDITS)
def test_a_key_is_set_and_the_rest_stays(text, path, value, expected):
    assert edited(text, path, value) == expected


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("a: {b: 1}\n", "a"),
        ("a:\n  - x\n", "a"),
        ("a: |\n  x\n", "a"),
        ("a: >\n  x\n", "a"),
        ("a: x\n  y\n", "a"),
        ('a: "x\n  y"\n', "a"),
        ("a: ${b}\nb: 1\n", "a"),
        ("a: ???\n", "a"),
        ("a: 1\n", "a.b"),
        ("a: [1]\n", "a.b"),
        ("a:\nb: 1\n", "a.b"),
    ],
)
def test_what_is_not_plain_is_not_written_over(text, path):
    with pytest.raises(FileProblems) as caught:
        edited(text, path, 5.0)
    (problem,) = caught.value.problems
    assert problem.code == "cannot-fix"
    assert problem.where
    assert problem.where.line


@pytest.mark.parametrize("end", ["- |\n    x", "- - x", "- x\n    y"])
def test_a_list_with_an_odd_end_is_not_added_to(end):
    with pytest.raises(FileProblems):
        edited(f"a:\n  {end}\n", "a", ("y",))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: &x 1\nb: *x\n", "&x"),
        ("a: &x {c: 1}\nb:\n  <<: *x\n", "*x"),
        ("a: !thing 1\n", "!thing"),
        ("a: 1\n---\nb: 2\n", "second document"),
    ],
)
def test_a_text_that_means_more_than_it_says(text, told):
    assert told in "".join(one.message for one in shape_of(text, "f.yaml").problems)


def test_a_plain_text_has_no_such_problem():
    for text in (
        "a: 1\n",
        "--- # x\na: !!str 1\n",
        '{"a": [1, {"b": null}]}',
        "%YAML 1.1\n---\na: 1\n",
    ):
        assert shape_of(text, "f.yaml").problems == ()


def test_differences_of_texts():
    before = read_text("a: 1\nb: {c: [1, 2], d: x}\n", "f")
    after = read_text("a: true\nb: {c: [1, 3], d: x}\ne: 1\n", "f")
    assert differences(before, after) == {"a", "b.c", "e"}
    assert differences(before, before) == set()


@pytest.mark.parametrize("value", [1e-5, 2e-4, 0.1, 1 / 3, 123456789.0, 1e15, 1e22, 5e-324])
def test_numbers_are_digits_that_give_them_back(value):
    text = number(value)
    assert float(text) == value
    assert "e" not in text.lower()


WORDS = ["no", "on", "null", "~", "1e3", "0x1f", "", " x", "x:", "#x", "- x", "[x", "*x", "&x",
         "x\ny", "é", "a b", "24 GiB", "q_proj"]  # fmt: skip


@pytest.mark.parametrize("word", WORDS)
def test_words_are_read_back_as_they_are(word):
    for text in (in_yaml(word), in_yaml(word, "'"), in_yaml(word, '"')):
        assert read_lenient(f"a: {text}\n", "f").document.data["a"] == word
    assert json.loads(in_json(word)) == word


# -- a trainer's words ----------------------------------------------------------------------------


def written(input_: str, value: Any, was: Any, text: str, writes: tuple[Write, ...]) -> list[Any]:
    """The keys and values for an input in a file whose one key ``old`` says it now."""
    document = read_lenient(text, "f.yaml").document
    place = find(document, "old")
    target = open_project([], TODAY).book.inputs[input_]
    final = {"training.micro_batch_size": 2.0, "hardware.count": 4.0}
    found = in_trainer(
        Trainer("t", {input_: writes}), target, value, was, final, document,
        {input_: place} if place else {},
    )  # fmt: skip
    return [(one.path, one.value) for one in found]


LIST = Write("l", {"fused": "[x.Plugin, y]"}, {})
BATCH = "training.micro_batch_size"


@pytest.mark.parametrize(
    ("input_", "value", "was", "text", "writes", "expected"),
    [
        (BATCH, 2.0, 4.0, "a: 1", (Write("new", {}, {}),), [("new", 2.0)]),
        (BATCH, 2.0, 4.0, "old: 4", (Write("new", {}, {}),), [("old", 2.0)]),
        (BATCH, 2.0, 4.0, "old: 4\nnew: 4", (Write("new", {}, {}),), [("new", 2.0)]),
        (BATCH, 2.0, 8.0, "old: 4", (Write("old", {}, {}),), [("old", 1.0)]),
        (BATCH, 2.0, 4.0, "a: 1", (Write("", {}, {"en": "by hand"}),), []),
        (BATCH, 2.0, 4.0, "a: 1", (Write("k", {}, {}, only_there=True),), []),
        (BATCH, 2.0, 4.0, "k: 1", (Write("k", {}, {}, only_there=True),), [("k", 2.0)]),
        ("training.gradient_accumulation_steps", 8.0, 4.0, "a: 1",
         (Write("k", {}, {}, times=(BATCH, "hardware.count")),), [("k", 64.0)]),
        ("training.loss", "fused", "full", "a: 1", (LIST,), [("l", ("x.Plugin", "y"))]),
        ("training.loss", "full", "fused", "a: 1", (LIST,), []),
        ("training.gradient_checkpointing", True, False, "a: 1",
         (Write("off", {"true": "false", "false": "true"}, {}),), [("off", False)]),
        ("method", "full", "lora", "old: lora", (Write("old", {"full": ""}, {}),), [("old", None)]),
        ("method", "full", "lora", "a: 1", (Write("k", {"full": "no"}, {}),), [("k", "no")]),
        ("lora.target_modules", frozenset("qk"), None, "a: 1",
         (Write("t", {"q": "q_proj"}, {}),), [("t", ["k", "q_proj"])]),
        ("lora.target_modules", frozenset("qk"), None, "t: v,o",
         (Write("t", {}, {}),), [("t", "k,q")]),
    ],
)  # fmt: skip
def test_how_a_trainer_writes_an_input(input_, value, was, text, writes, expected):
    assert written(input_, value, was, text, writes) == expected


# -- files of each kind ---------------------------------------------------------------------------

FLAGS = ["--gpu", "RTX 4090", "--gpus", "1", "--set", "data.samples=1000", "--set",
         "data.tokens.mean=500", "--set", "data.tokens.max=2000"]  # fmt: skip

SCENARIO = """\
# our run
model: Qwen/Qwen2.5-7B-Instruct
method: lora
lora: {rank: 32, target_modules: all-linear}   # as the paper
training:
    micro_batch_size: 4      # what fitted last year
    gradient_accumulation_steps: 4
    sequence_length: 2048

    gradient_checkpointing: false
hardware: {gpu: RTX 4090, count: 1}
data: {samples: 5000, tokens: {mean: 900, p95: 1800, max: 2048}, epochs: 2}
# the end
"""
AXOLOTL = """\
base_model: Qwen/Qwen2.5-7B   # the base
adapter: lora
lora_r: 32
lora_alpha: 64
lora_target_linear: true
datasets:
  - path: data.jsonl
    type: alpaca
sequence_len: 2048
micro_batch_size: 4
gradient_accumulation_steps: 4
num_epochs: 1
learning_rate: 0.0002
bf16: true
optimizer: adamw_torch
gradient_checkpointing: false

plugins:
  - axolotl.integrations.spectrum.SpectrumPlugin
"""
LLAMA_FACTORY = """\
### model
model_name_or_path: Qwen/Qwen2.5-7B-Instruct

### method
stage: sft
do_train: true
finetuning_type: lora
lora_rank: 32
lora_target: all
disable_gradient_checkpointing: true

### dataset
dataset: identity
template: qwen
cutoff_len: 2048

### train
per_device_train_batch_size: 4
gradient_accumulation_steps: 4
learning_rate: 1.0e-4
num_train_epochs: 1.0
bf16: true
"""
TRL = """\
model_name_or_path: Qwen/Qwen2.5-7B-Instruct
dtype: bfloat16
dataset_name: trl-lib/Capybara
use_peft: true
lora_r: 32
lora_target_modules: all-linear
max_length: 2048
per_device_train_batch_size: 4
gradient_accumulation_steps: 4
gradient_checkpointing: false
bf16: true
learning_rate: 2.0e-4
output_dir: out
"""
TRL_JSON = json.dumps(
    {
        "model_name_or_path": "Qwen/Qwen2.5-7B-Instruct", "dtype": "bfloat16", "use_peft": True,
        "lora_r": 32, "lora_target_modules": "all-linear", "max_seq_length": 2048,
        "per_device_train_batch_size": 4, "gradient_accumulation_steps": 4, "bf16": True,
        "gradient_checkpointing": False, "output_dir": "out", "dataset_name": "é",
    },
    indent=4,
    ensure_ascii=False,
)  # fmt: skip
TORCHTUNE = """\
output_dir: /tmp/out
tokenizer:
  _component_: torchtune.models.qwen2_5.qwen2_5_tokenizer
  path: ${output_dir}/vocab.json
  max_seq_len: 2048
model:
  _component_: torchtune.models.qwen2_5.lora_qwen2_5_7b_instruct
  lora_attn_modules: ['q_proj', 'v_proj', 'output_proj']
  apply_lora_to_mlp: True
  lora_rank: 32
  lora_alpha: 64
dataset:
  _component_: torchtune.datasets.alpaca_cleaned_dataset
  packed: False
batch_size: 4
gradient_accumulation_steps: 4
optimizer:
  _component_: torch.optim.AdamW
  lr: 2e-3
loss:
  _component_: torchtune.modules.loss.LinearCrossEntropyLoss
epochs: 1
max_steps_per_epoch: null
dtype: bf16
enable_activation_checkpointing: False  # True reduces memory
"""
LITGPT = """\
checkpoint_dir: checkpoints/Qwen/Qwen2.5-7B-Instruct
precision: bf16-true
devices: 1
lora_r: 32
lora_alpha: 16
lora_query: true
lora_value: true
train:
  epochs: 1
  global_batch_size: 16
  micro_batch_size: 4
  max_seq_length: 2048
"""
KINDS = {
    "scenario.yaml": SCENARIO,
    "axolotl.yml": AXOLOTL,
    "llama_factory.yaml": LLAMA_FACTORY,
    "trl.yaml": TRL,
    "trl.json": TRL_JSON,
    "torchtune.yaml": TORCHTUNE,
    "litgpt.yaml": LITGPT,
}
# what must become of a file: a key's line before and after (None: it is added)
CHANGES: dict[str, list[tuple[str | None, str]]] = {
    "scenario.yaml": [
        ("    micro_batch_size: 4      # what fitted last year",
         "    micro_batch_size: 2      # what fitted last year"),
        ("    gradient_checkpointing: false", "    gradient_checkpointing: true"),
        (None, "    loss: fused"),
    ],
    "axolotl.yml": [
        ("gradient_checkpointing: false", "gradient_checkpointing: true"),
        (None, "  - axolotl.integrations.liger.LigerPlugin"),
        (None, "liger_fused_linear_cross_entropy: true"),
    ],
    "llama_factory.yaml": [
        ("disable_gradient_checkpointing: true", "disable_gradient_checkpointing: false"),
        (None, "enable_liger_kernel: true"),
    ],
    "trl.yaml": [("gradient_checkpointing: false", "gradient_checkpointing: true")],
    "trl.json": [('    "gradient_checkpointing": false,', '    "gradient_checkpointing": true,')],
    "torchtune.yaml": [
        ("enable_activation_checkpointing: False  # True reduces memory",
         "enable_activation_checkpointing: true  # True reduces memory"),
    ],
    "litgpt.yaml": [("  micro_batch_size: 4", "  micro_batch_size: 1")],
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def flags(name: str) -> list[str]:
    more = ["--trainer-version", "trl==1.0"] if name.startswith("trl") else []
    return [*([] if name == "scenario.yaml" else FLAGS), *more, *DAY]


@pytest.mark.parametrize("name", KINDS)
def test_a_file_is_fixed_and_holds_from_then_on(folder, capsys, name):
    path = folder / name
    path.write_text(KINDS[name], "utf-8", newline="")
    assert run(["check", name, "--diff", *flags(name)]) == 1
    shown = capsys.readouterr().out
    assert path.read_text("utf-8") == KINDS[name]
    code = run(["check", name, "--fix", *flags(name)])
    out = capsys.readouterr().out
    assert code == 0, out
    before, after = KINDS[name].splitlines(), path.read_text("utf-8").splitlines()
    for old, new in CHANGES[name]:
        assert new in after, out
        assert old is None or (old in before and old not in after)
        assert f"+{new}" in shown
    assert len([line for line in before if line in after]) >= len(before) - 5
    written = path.read_bytes()
    assert run(["check", name, "--fix", *flags(name)]) == 0, capsys.readouterr().out
    assert path.read_bytes() == written


@pytest.mark.parametrize(
    ("name", "change"),
    [("scenario.yaml", "windows"), ("trl.json", "windows"), ("axolotl.yml", "windows"),
     ("llama_factory.yaml", "mark"), ("trl.json", "mark"), ("trl.yaml", "no end")],
)  # fmt: skip
def test_line_ends_and_marks_stay(folder, capsys, name, change):
    text = KINDS[name]
    text = {"windows": text.replace("\n", "\r\n"), "mark": "\ufeff" + text,
            "no end": text.rstrip("\n")}[change]  # fmt: skip
    (folder / name).write_text(text, "utf-8", newline="")
    assert run(["check", name, "--fix", *flags(name)]) == 0, capsys.readouterr().out
    after = (folder / name).read_bytes().decode()
    assert after.startswith("\ufeff") == (change == "mark")
    assert after.count("\n") - after.count("\r\n") == (
        0 if change == "windows" else after.count("\n")
    )
    assert after.endswith("\n") == text.endswith("\n")


# -- what is told ---------------------------------------------------------------------------------


def test_what_the_trainer_sets_besides_is_told(folder, capsys):
    (folder / "a.yml").write_text(AXOLOTL, "utf-8")
    run(["check", "a.yml", "--diff", *flags("a.yml")])
    assert "follows from it, as the trainer does: " in capsys.readouterr().out


def test_other_formats_stay_one_document(folder, capsys):
    (folder / "s.yaml").write_text(SCENARIO, "utf-8")
    assert run(["check", "s.yaml", "--fix", "--format", "json", *DAY]) == 0
    said = capsys.readouterr()
    document = json.loads(said.out)
    assert document["summary"]["exit"] == 0
    assert document["results"][0]["status"] == "holds"
    assert "+    gradient_checkpointing: true" in said.err


def test_a_file_that_holds_is_left_alone(folder, capsys):
    text = SCENARIO.replace("false", "true").replace("RTX 4090", "h200-sxm")
    (folder / "s.yaml").write_text(text, "utf-8")
    assert run(["check", "s.yaml", "--fix", *DAY]) == 0
    assert "@@" not in capsys.readouterr().out
    assert (folder / "s.yaml").read_text("utf-8") == text


def test_one_file_that_cannot_be_fixed_does_not_keep_others(folder, capsys):
    kept = ("training.loss", "training.micro_batch_size", "training.gradient_checkpointing",
            "method", "lora.rank", "training.sequence_length", "hardware.count",
            "training.optimizer", "sharding.offload", "training.weights_dtype")  # fmt: skip
    (folder / "a.yaml").write_text(f"{SCENARIO}keep: [{', '.join(kept)}]\n", "utf-8")
    (folder / "b.yaml").write_text(SCENARIO, "utf-8")
    before = (folder / "a.yaml").read_bytes()
    assert run(["check", "a.yaml", "b.yaml", "--fix", *DAY]) == 1
    out = capsys.readouterr().out
    assert "a.yaml: cannot-fix: no plan solves it" in out
    assert "b.yaml: the plan is written into it" in out
    assert (folder / "a.yaml").read_bytes() == before


def test_the_two_flags_exclude_each_other(folder, capsys):
    (folder / "s.yaml").write_text(SCENARIO, "utf-8")
    assert run(["check", "s.yaml", "--fix", "--diff", *DAY]) == 2
    assert "--fix and --diff" in capsys.readouterr().err


# -- what is not touched --------------------------------------------------------------------------

UNTOUCHED: list[tuple[str, str, str, str]] = [
    # id, file, old text, new text
    ("duplicate key", "axolotl.yml", "lora_r: 32\n", "lora_r: 16\nlora_r: 32\n"),
    ("anchor", "axolotl.yml", "lora_r: 32\n", "lora_r: &rank 32\n"),
    ("alias", "axolotl.yml", "lora_alpha: 64\n", "lora_alpha: &a 64\nseed: *a\n"),
    ("tag", "axolotl.yml", "lora_r: 32\n", "lora_r: !number 32\n"),
    ("two documents", "axolotl.yml", "plugins:", "---\nplugins:"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [row[1:] for row in UNTOUCHED],
    ids=[row[0] for row in UNTOUCHED],
)
def test_what_is_not_fully_understood_is_left_as_it_was(folder, capsys, name, old, new):
    text = KINDS[name]
    assert old in text
    path = folder / name
    path.write_text(text.replace(old, new, 1), "utf-8")
    before = path.read_bytes()
    assert run(["check", name, "--fix", *flags(name)]) == 1, capsys.readouterr().out
    assert "cannot-fix" in capsys.readouterr().out
    assert path.read_bytes() == before
    assert [one.name for one in folder.iterdir()] == [name]


def test_what_the_call_sets_is_left_and_another_plan_is_found(folder, capsys):
    (folder / "s.yaml").write_text(SCENARIO, "utf-8")
    kept = [
        "--set",
        "training.gradient_checkpointing=false",
        "--set",
        "training.loss=full",
    ]
    assert run(["check", "s.yaml", "--fix", *kept, *DAY]) == 0
    out = capsys.readouterr().out
    assert "another plan than the one shown" in out
    assert "training.gradient_checkpointing" in out
    text = (folder / "s.yaml").read_text("utf-8")
    assert "    gradient_checkpointing: false\n" in text
    assert "loss:" not in text


def test_what_others_refer_to_is_left(folder, capsys):
    text = TORCHTUNE + "batch_size_val: ${batch_size}\nx: ${enable_activation_checkpointing}\n"
    (folder / "t.yaml").write_text(text, "utf-8")
    run(["check", "t.yaml", "--fix", *flags("t.yaml")])
    after = (folder / "t.yaml").read_text("utf-8")
    assert "\nbatch_size: 4\n" in after
    assert "\nenable_activation_checkpointing: False " in after
    out = capsys.readouterr().out
    assert "training.gradient_checkpointing" in out.partition("✗")[0] + out.partition("✓")[0]


def test_a_script_is_not_changed(folder, capsys):
    text = (
        "llamafactory-cli train --stage sft --finetuning_type lora --template qwen --do_train "
        "--model_name_or_path Qwen/Qwen2.5-7B --per_device_train_batch_size 16 --bf16 "
        "--cutoff_len 4096 --disable_gradient_checkpointing\n"
    )
    (folder / "a.sh").write_text(text, "utf-8")
    assert run(["check", "a.sh", "--fix", *FLAGS, *DAY]) == 1
    assert "only YAML and JSON files are mended" in capsys.readouterr().out
    assert (folder / "a.sh").read_text("utf-8") == text


# -- the file itself ------------------------------------------------------------------------------


def test_the_mode_stays_and_nothing_is_left_behind(folder):
    path = folder / "s.yaml"
    path.write_text(SCENARIO, "utf-8")
    path.chmod(0o640)
    assert run(["check", "s.yaml", "--fix", *DAY]) == 0
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [one.name for one in folder.iterdir()] == ["s.yaml"]


def test_a_link_inside_its_folder_is_followed_and_stays_one(folder):
    (folder / "real").mkdir()
    (folder / "real" / "s.yaml").write_text(SCENARIO, "utf-8")
    (folder / "s.yaml").symlink_to("real/s.yaml")
    assert run(["check", "s.yaml", "--fix", *DAY]) == 0
    assert (folder / "s.yaml").is_symlink()
    assert "loss: fused" in (folder / "real" / "s.yaml").read_text("utf-8")


def test_a_link_out_of_its_folder_is_not_followed(folder, tmp_path_factory, capsys):
    outside = tmp_path_factory.mktemp("outside") / "s.yaml"
    outside.write_text(SCENARIO, "utf-8")
    (folder / "s.yaml").symlink_to(outside)
    assert run(["check", "s.yaml", "--fix", *DAY]) == 1
    assert "the link leads out of its folder" in capsys.readouterr().out
    assert outside.read_text("utf-8") == SCENARIO


def test_a_file_with_two_names_is_left_alone(folder, capsys):
    (folder / "s.yaml").write_text(SCENARIO, "utf-8")
    os.link(folder / "s.yaml", folder / "t.yaml")
    assert run(["check", "s.yaml", "--fix", *DAY]) == 1
    assert "hard links" in capsys.readouterr().out
    assert (folder / "t.yaml").read_text("utf-8") == SCENARIO


def test_a_file_that_changed_meanwhile_is_left_alone(folder):
    path = folder / "a"
    path.write_bytes(b"now")
    with pytest.raises(FileProblems, match="it has changed since"):
        replace_file(path, "a", b"then", b"new")
    assert path.read_bytes() == b"now"
    replace_file(path, "a", b"now", b"new")
    assert path.read_bytes() == b"new"
    with pytest.raises(FileProblems, match="cannot be read again"):
        replace_file(folder / "none", "none", b"", b"new")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_file_is_left_alone(folder):
    path = folder / "a"
    path.write_bytes(b"now")
    path.chmod(0o444)
    with pytest.raises(FileProblems, match="read-only"):
        replace_file(path, "a", b"now", b"new")
