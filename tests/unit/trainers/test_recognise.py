"""Which file is whose: certainty, doubt, force, and what is refused."""

from __future__ import annotations

import pytest

from advisor.errors import FileProblems
from advisor.source.lenient import read_lenient
from advisor.trainers.own import is_own
from advisor.trainers.recognise import recognise
from advisor.trainers.runs import Run
from tests.unit.trainers.support import formats, project, read, runs

AXOLOTL = "base_model: Qwen/Qwen2.5-7B\ndatasets: [x]\nmicro_batch_size: 1\n"

# id, file, trainer, confidence
ROWS = [
    ("axolotl", AXOLOTL, "axolotl", "certain"),
    ("few-known-keys", AXOLOTL + "".join(f"x{n}: 1\n" for n in range(20)), "axolotl", "likely"),
    ("trl", "model_name_or_path: x\ndataset_name: y\nlearning_rate: 1e-4", "trl", "certain"),
    (
        "llama-factory",
        "model_name_or_path: x\nstage: sft\ncutoff_len: 1",
        "llama-factory",
        "certain",
    ),
    ("swift", "model: x\nlora_rank: 8\nlora_alpha: 2", "ms-swift", "certain"),
    ("v1", "model: x\ntrain_dataset: y\npeft_config: {name: lora}", "llama-factory-v1", "certain"),
    ("deepspeed", '{"zero_optimization": {"stage": 2}}', "deepspeed", "certain"),
    ("accelerate", "distributed_type: FSDP\nnum_processes: 2", "accelerate", "certain"),
    ("skypilot", "resources: {cpus: 2}\nrun: echo", "skypilot", "certain"),
    ("litgpt", "checkpoint_dir: x\ntrain: {}", "litgpt", "certain"),
]


@pytest.mark.parametrize(("text", "name", "sure"), [r[1:] for r in ROWS], ids=[r[0] for r in ROWS])
def test_a_file_is_taken_for_what_it_is(text, name, sure):
    document = read_lenient(text, "a.yaml").document
    found = recognise(document, "yaml", formats())
    assert [(one.format.name, one.confidence) for one in found] == [(name, sure)]
    assert found[0].because


def test_where_two_fit_the_better_known_one_is_a_guess_and_the_other_is_named():
    text = (
        AXOLOTL
        + "model_name_or_path: x\nstage: sft\ntemplate: y\nfinetuning_type: lora\n"
        + "cutoff_len: 1\ndataset: z\n"
    )
    document = read_lenient(text, "a.yaml").document
    (found,) = recognise(document, "yaml", formats())
    assert (found.format.name, found.confidence, found.others) == (
        "llama-factory",
        "guess",
        ("axolotl",),
    )


# id, file: what is nobody's
NOBODY = [
    ("compose", "services: {db: {image: x}}\nversion: '3'"),
    ("list", "- a\n- b"),
    ("number", "7"),
    ("package-json", '{"name": "x", "version": "1", "scripts": {"test": "y"}}'),
    ("model-config", '{"architectures": ["LlamaForCausalLM"], "hidden_size": 8}'),
    ("rules", "language: 1\nlayer: team\npolicies: {}"),
    ("half-axolotl", "base_model: x\noutput_dir: y"),
    ("half-accelerate", "distributed_type: FSDP"),
    ("model-alone", "model: x\nseed: 1"),
]


@pytest.mark.parametrize("text", [r[1] for r in NOBODY], ids=[r[0] for r in NOBODY])
def test_a_file_of_something_else_is_taken_for_nothing(text):
    document = read_lenient(text, "a.yaml").document
    assert recognise(document, "yaml", formats()) == ()


def test_a_file_that_nobody_knows_lists_what_was_tried():
    (run,) = runs({"a.yaml": "services: {db: 1}"})
    assert isinstance(run, Run)
    (problem,) = run.problems
    assert problem.code == "not-recognised"
    assert all(one in problem.hint for one in ("axolotl (no base_model)", "--as", "trl ("))


def test_force_takes_a_file_for_what_the_caller_says():
    found = read("base_model: Qwen/Qwen2.5-7B\noutput_dir: x", wanted="axolotl")
    assert (found.trainer, found.translation.sources[0].confidence) == ("axolotl", "forced")
    assert found["training.sequence_length"] == 512


def test_force_leaves_companions_what_they_are():
    from tests.unit.trainers.support import read_all

    files = {
        "a.yaml": "base_model: Qwen/Qwen2.5-7B\nx: 1",
        "z.json": '{"zero_optimization": {"stage": 2}}',
    }
    found = read_all(files, wanted="axolotl")
    assert found.trainer == "axolotl"


# -- our own format -------------------------------------------------------------------------------

OWN = [
    ("smallest", "model: Qwen/Qwen2.5-7B\nmethod: lora", True),
    ("nested", "model: x\nmethod: lora\ntraining: {micro_batch_size: 2}\nkeep: [method]", True),
    ("one-typo", "model: x\nmethod: lora\nlora: {rnk: 2}", True),
    ("inline-model", "model: {parameters: 7e9, layers: 2}\nmethod: full", True),
    ("oumi", "model: {model_name: x}\ntraining: {use_peft: true, optimizer: y}", False),
    ("axolotl", AXOLOTL, False),
    ("swift", "model: x\nlora_rank: 8", False),
    ("empty-list", "[]", False),
]


@pytest.mark.parametrize(("text", "expected"), [r[1:] for r in OWN], ids=[r[0] for r in OWN])
def test_a_scenario_is_told_from_other_files(text, expected):
    document = read_lenient(text, "a.yaml").document
    assert is_own(document, project().book.inputs) is expected


@pytest.mark.parametrize("text", ["model: x\nmetod: lora", "training: {mikro: 1}\nfoo: 2", "- 1"])
def test_what_could_be_a_broken_scenario_is_faulted_as_one(text):
    (run,) = runs({"a.yaml": text})
    assert isinstance(run, Run)
    assert (run.sources, run.problems) == ((), ())
    with pytest.raises(FileProblems):
        project().reader().build(read_lenient(text, "a.yaml").document, None)
