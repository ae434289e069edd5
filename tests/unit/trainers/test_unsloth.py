"""Unsloth scripts and notebooks: the literal arguments of calls, and nothing else."""

from __future__ import annotations

import json

import pytest

from tests.unit.trainers.support import NONE, OPEN, check, read

LOAD = (
    "model, tokenizer = FastLanguageModel.from_pretrained("
    'model_name="unsloth/Meta-Llama-3.1-8B-bnb-4bit"{})\n'
)
ADAPT = (
    "model = FastLanguageModel.get_peft_model("
    'model, r=16, target_modules=["q_proj", "v_proj"], lora_alpha=16{})\n'
)
TRAIN = "SFTTrainer(args=SFTConfig(per_device_train_batch_size=2, max_steps=60{}))\n"


def code(load: str = "", adapt: str = "", train: str = "", before: str = "") -> str:
    return before + LOAD.format(load) + ADAPT.format(adapt) + TRAIN.format(train)


ROWS = [
    ("model", code(), "model", "meta-llama/Llama-3.1-8B"),
    (
        "model-by-position",
        'FastModel.from_pretrained("unsloth/gemma-3-4b-it")',
        "model",
        "google/gemma-3-4b-it",
    ),
    (
        "model-in-a-variable",
        code(before='name = "unsloth/Qwen2.5-7B"\n').replace(
            '"unsloth/Meta-Llama-3.1-8B-bnb-4bit"', "name"
        ),
        "model",
        "Qwen/Qwen2.5-7B",
    ),
    (
        "model-worked-out",
        code().replace('"unsloth/Meta-Llama-3.1-8B-bnb-4bit"', 'prefix + "x"'),
        "model",
        OPEN,
    ),
    (
        "variable-set-twice",
        code(before='name = "a"\nname = "b"\n').replace(
            '"unsloth/Meta-Llama-3.1-8B-bnb-4bit"', "name"
        ),
        "model",
        OPEN,
    ),
    ("qlora-by-absence", code(), "method", "qlora"),
    ("qlora", code(", load_in_4bit=True"), "method", "qlora"),
    ("lora", code(", load_in_4bit=False"), "method", "lora"),
    ("8-bit", code(", load_in_8bit=True"), "training.weights_dtype", "int8"),
    ("full", code(", full_finetuning=True"), "method", "full"),
    ("no-adapters", LOAD.format(""), "method", OPEN),
    ("weights", code(), "training.weights_dtype", "nf4-dq"),
    ("dtype-auto", code(", load_in_4bit=False, dtype=None"), "training.weights_dtype", NONE),
    ("dtype", code(", load_in_4bit=False, dtype=torch.bfloat16"), "training.weights_dtype", "bf16"),
    ("rank", code(), "lora.rank", 16),
    ("rank-absent", LOAD.format("") + "FastLanguageModel.get_peft_model(model)", "lora.rank", 16),
    ("targets", code(), "lora.target_modules", ["q", "v"]),
    (
        "targets-absent",
        LOAD.format("") + "FastLanguageModel.get_peft_model(model)",
        "lora.target_modules",
        ["q", "k", "v", "o", "gate", "up", "down"],
    ),
    (
        "copies",
        code(adapt=', modules_to_save=["lm_head"]'),
        "lora.target_modules",
        ["q", "v", "head"],
    ),
    ("length-absent", code(), "training.sequence_length", 2048),
    ("length", code(", max_seq_length=4096"), "training.sequence_length", 4096),
    (
        "length-of-the-trainer",
        code(", max_seq_length=4096", train=", max_length=1024"),
        "training.sequence_length",
        1024,
    ),
    ("checkpointing-absent", code(), "training.gradient_checkpointing", True),
    (
        "checkpointing",
        code(adapt=', use_gradient_checkpointing="unsloth"'),
        "training.gradient_checkpointing",
        True,
    ),
    (
        "checkpointing-off",
        code(adapt=", use_gradient_checkpointing=False"),
        "training.gradient_checkpointing",
        False,
    ),
    ("micro", code(), "training.micro_batch_size", 2),
    (
        "micro-absent",
        LOAD.format("") + ADAPT.format("") + "SFTConfig(max_steps=60)",
        "training.micro_batch_size",
        8,
    ),
    ("micro-pairs", code().replace("SFTTrainer", "DPOTrainer"), "training.micro_batch_size", 4),
    ("grpo", code().replace("SFTTrainer", "GRPOTrainer"), "method", OPEN),
    ("optimizer", code(train=', optim="adamw_8bit"'), "training.optimizer", "adamw-8bit"),
    (
        "precision-by-card",
        code(train=", bf16=is_bfloat16_supported()"),
        "training.compute_dtype",
        NONE,
    ),
    ("precision", code(train=", bf16=True"), "training.compute_dtype", "bf16"),
    ("kernels", code(), "training.kernels", "unsloth"),
    ("loss", code(), "training.loss", "fused"),
    ("fast-inference", code(", fast_inference=True"), "method", OPEN),
    (
        "vision",
        'FastVisionModel.from_pretrained("unsloth/Qwen2.5-VL-7B-Instruct")\n'
        "FastVisionModel.get_peft_model(model, finetune_vision_layers=True)",
        "vision.frozen",
        False,
    ),
    (
        "dead-code",
        "if False:\n    " + LOAD.format("").replace("Meta-Llama-3.1-8B", "Qwen2.5-7B") + code(),
        "model",
        "meta-llama/Llama-3.1-8B",
    ),
    (
        "first-call-counts",
        code() + LOAD.format("").replace("unsloth/Meta-Llama-3.1-8B-bnb-4bit", "lora_model"),
        "model",
        "meta-llama/Llama-3.1-8B",
    ),
]


@pytest.mark.parametrize(
    ("text", "name", "expected"), [r[1:] for r in ROWS], ids=[r[0] for r in ROWS]
)
def test_an_argument(text, name, expected):
    found = read(text, "train.py")
    assert found.trainer == "unsloth"
    check(found, name, expected)


def notebook(*cells: str, **others: object) -> str:
    made = [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]
    return json.dumps(
        {"cells": [*made, {"cell_type": "markdown", "source": ["# FastModel("]}], **others},
        indent=1,
    )


def test_a_notebook_is_read_cell_by_cell():
    text = notebook(
        "%%capture\n!pip install unsloth",
        "max_seq_length = 1024\n" + LOAD.format(", max_seq_length=max_seq_length"),
        ADAPT.format(""),
    )
    found = read(text, "train.ipynb")
    assert (found["training.sequence_length"], found["lora.rank"]) == (1024, 16)


def test_a_place_in_a_notebook_is_one_of_its_own_text():
    text = notebook('print("a \\" b")', "\n" + LOAD.format("") + ADAPT.format(""))
    found = read(text, "train.ipynb")
    _, line, column = found.place("lora.rank").rsplit(":", 2)
    row = text.split("\n")[int(line) - 1]
    assert row[int(column) - 1 :].startswith("16, target")


def test_a_cell_that_is_no_python_is_left_out_and_told():
    text = notebook("this is ( not python", code())
    found = read(text, "train.ipynb")
    assert found["lora.rank"] == 16
    assert [one.code for one in found.translation.warnings] == ["python"]


def test_nothing_is_run(tmp_path):
    target = tmp_path / "ran"
    text = f"open({str(target)!r}, 'w')\n__import__('os').system('touch {target}')\n" + code()
    read(text, "train.py")
    assert not target.exists()
