"""LitGPT's own file and flags."""

from __future__ import annotations

import pytest

from tests.unit.trainers.support import NONE, OPEN, check, read

FULL = """\
checkpoint_dir: checkpoints/meta-llama/Llama-2-7b-hf
train: {global_batch_size: 8, micro_batch_size: 2, max_seq_length: 512, epochs: 3}
"""
LORA = FULL + "lora_r: 32\n"
QLORA = LORA + "precision: bf16-true\nquantize: bnb.nf4-dq\n"

ROWS = [
    ("model", FULL, "model", "meta-llama/Llama-2-7b-hf"),
    (
        "model-elsewhere",
        FULL.replace("checkpoints/", "/data/checkpoints/"),
        "model",
        "meta-llama/Llama-2-7b-hf",
    ),
    ("full", FULL, "method", "full"),
    ("lora", LORA, "method", "lora"),
    ("qlora", QLORA, "method", "qlora"),
    ("8-bit", QLORA.replace("nf4-dq", "int8-training"), "training.weights_dtype", "int8"),
    ("4-bit", QLORA, "training.weights_dtype", "nf4-dq"),
    ("precision-absent", LORA, "training.weights_dtype", "fp32"),
    ("precision-absent-casts", LORA, "training.autocast", True),
    ("precision-absent-adapters", LORA, "lora.dtype", "fp32"),
    ("precision-true", LORA + "precision: bf16-true", "training.weights_dtype", "bf16"),
    ("precision-true-adapters", LORA + "precision: bf16-true", "lora.dtype", "bf16"),
    ("precision-true-no-cast", LORA + "precision: bf16-true", "training.autocast", False),
    ("precision-32", LORA + "precision: 32-true", "training.compute_dtype", "fp32"),
    ("rank", LORA, "lora.rank", 32),
    ("alpha-absent", LORA, "lora.alpha", 16),
    ("dropout-absent", LORA, "lora.dropout", 0.05),
    ("targets-absent", LORA, "lora.target_modules", ["q", "v", "qkv"]),
    (
        "targets",
        LORA + "lora_query: false\nlora_mlp: true",
        "lora.target_modules",
        ["v", "qkv", "gate", "up", "down", "gate_up"],
    ),
    ("micro", FULL, "training.micro_batch_size", 2),
    ("micro-absent", FULL.replace("micro_batch_size: 2, ", ""), "training.micro_batch_size", 1),
    ("accumulation", FULL, "training.gradient_accumulation_steps", 4),
    (
        "accumulation-absent",
        FULL.replace("global_batch_size: 8, ", ""),
        "training.gradient_accumulation_steps",
        8,
    ),
    ("accumulation-over-devices", FULL + "devices: 4", "training.gradient_accumulation_steps", 1),
    ("length", FULL, "training.sequence_length", 512),
    ("length-none", FULL.replace("512", "null"), "training.sequence_length", OPEN),
    ("checkpointing-one", FULL, "training.gradient_checkpointing", False),
    ("checkpointing-several", FULL + "devices: 2", "training.gradient_checkpointing", True),
    ("devices-absent", FULL, "hardware.count", 1),
    ("devices", FULL + "devices: 2\nnum_nodes: 2", "hardware.count", 4),
    ("devices-auto", FULL + "devices: auto", "hardware.count", 1),
    ("one-card", FULL, "sharding.strategy", NONE),
    ("several-cards", FULL + "devices: 2", "sharding.strategy", "fsdp"),
    ("optimizer-absent", FULL, "training.optimizer", "adamw"),
    (
        "optimizer-class",
        FULL + "optimizer: {class_path: torch.optim.SGD, init_args: {lr: 0.1}}",
        "training.optimizer",
        "sgd",
    ),
    ("optimizer-quantised", QLORA, "training.optimizer", "paged-adamw"),
    ("optimizer-odd", FULL + "optimizer: GaLore", "training.optimizer", OPEN),
    ("epochs", FULL, "data.epochs", 3),
    ("epochs-absent", FULL.replace(", epochs: 3", ""), "data.epochs", 5),
    ("evaluation-absent", FULL, "evaluation.enabled", True),
    ("evaluation-off", FULL + "eval: {final_validation: false}", "evaluation.enabled", False),
]


@pytest.mark.parametrize(
    ("text", "name", "expected"), [r[1:] for r in ROWS], ids=[r[0] for r in ROWS]
)
def test_a_key(text, name, expected):
    found = read(text)
    assert found.trainer == "litgpt"
    check(found, name, expected)


def test_a_command():
    script = (
        "litgpt finetune_lora checkpoints/microsoft/phi-2 "
        "--train.micro_batch_size 4 --precision bf16-true\n"
    )
    found = read(script, "run.sh")
    names = ("model", "method", "training.micro_batch_size", "training.weights_dtype")
    assert [found[name] for name in names] == ["microsoft/phi-2", "lora", 4, "bf16"]


@pytest.mark.parametrize("command", ["litgpt chat checkpoints/x", "litgpt pretrain pythia-14m"])
def test_other_commands_train_nothing_we_know(command):
    with pytest.raises(AssertionError, match="no trainer's file"):
        read(command, "run.sh")
