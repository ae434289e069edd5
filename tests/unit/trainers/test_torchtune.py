"""torchtune's own file."""

from __future__ import annotations

import pytest

from tests.unit.trainers.support import NONE, OPEN, check, read

REST = """\
tokenizer: {_component_: torchtune.models.llama3.llama3_tokenizer, max_seq_len: 4096}
optimizer: {_component_: torch.optim.AdamW, fused: True, lr: 3e-4}
loss: {_component_: torchtune.modules.loss.LinearCrossEntropyLoss}
dataset: {_component_: torchtune.datasets.alpaca_cleaned_dataset, packed: False}
batch_size: 2
epochs: 1
dtype: bf16
"""
FULL = "model: {_component_: torchtune.models.llama3_1.llama3_1_8b}\n" + REST
LORA = (
    "model: {_component_: torchtune.models.llama3_1.lora_llama3_1_8b,"
    " lora_attn_modules: [q_proj, output_proj],"
    " apply_lora_to_mlp: True, lora_rank: 64, lora_alpha: 128}\n" + REST
)
QLORA = LORA.replace("lora_llama3_1_8b", "qlora_llama3_1_8b")

ROWS = [
    ("model", FULL, "model", "meta-llama/Llama-3.1-8B"),
    ("model-of-an-adapter", LORA, "model", "meta-llama/Llama-3.1-8B"),
    ("model-odd", FULL.replace("llama3_1_8b", "my_builder"), "model", OPEN),
    ("full", FULL, "method", "full"),
    ("lora", LORA, "method", "lora"),
    ("qlora", QLORA, "method", "qlora"),
    (
        "quantised-base",
        LORA.replace("lora_rank", "quantize_base: true, lora_rank"),
        "method",
        "qlora",
    ),
    ("rank", LORA, "lora.rank", 64),
    ("rank-absent", LORA.replace("lora_rank: 64, ", ""), "lora.rank", 8),
    ("targets", LORA, "lora.target_modules", ["q", "o", "gate", "up", "down", "gate_up"]),
    (
        "targets-attention",
        LORA.replace("apply_lora_to_mlp: True", "apply_lora_to_mlp: False"),
        "lora.target_modules",
        ["q", "o"],
    ),
    (
        "targets-required",
        LORA.replace(" lora_attn_modules: [q_proj, output_proj],", "").replace(
            "apply_lora_to_mlp: True, ", ""
        ),
        "lora.target_modules",
        NONE,
    ),
    ("weights", FULL, "training.weights_dtype", "bf16"),
    ("weights-32", FULL.replace("dtype: bf16", "dtype: fp32"), "training.weights_dtype", "fp32"),
    ("weights-4-bit", QLORA, "training.weights_dtype", "nf4-dq"),
    ("adapters", LORA, "lora.dtype", "bf16"),
    ("no-autocast", FULL, "training.autocast", False),
    ("micro", FULL, "training.micro_batch_size", 2),
    ("micro-required", FULL.replace("batch_size: 2\n", ""), "training.micro_batch_size", OPEN),
    (
        "micro-pairs",
        LORA.replace(
            "torchtune.modules.loss.LinearCrossEntropyLoss", "torchtune.rlhf.loss.DPOLoss"
        ),
        "training.micro_batch_size",
        4,
    ),
    ("accumulation-absent", FULL, "training.gradient_accumulation_steps", 1),
    ("length", FULL, "training.sequence_length", 4096),
    (
        "length-none",
        FULL.replace("max_seq_len: 4096", "max_seq_len: null"),
        "training.sequence_length",
        OPEN,
    ),
    ("packing", FULL, "training.packing", False),
    ("packed", FULL.replace("packed: False", "packed: True"), "training.packing", True),
    ("checkpointing-absent", FULL, "training.gradient_checkpointing", False),
    (
        "checkpointing",
        FULL + "enable_activation_checkpointing: True",
        "training.gradient_checkpointing",
        True,
    ),
    ("optimizer", FULL, "training.optimizer", "adamw-fused"),
    ("optimizer-plain", FULL.replace("fused: True", "fused: False"), "training.optimizer", "adamw"),
    (
        "optimizer-paged",
        FULL.replace("torch.optim.AdamW", "bitsandbytes.optim.PagedAdamW8bit"),
        "training.optimizer",
        "paged-adamw-8bit",
    ),
    (
        "optimizer-odd",
        FULL.replace("torch.optim.AdamW", "torchao.optim.AdamW4bit"),
        "training.optimizer",
        OPEN,
    ),
    ("rate", FULL, "training.learning_rate", 3e-4),
    ("loss-in-chunks", FULL, "training.loss", "chunked"),
    (
        "loss-old-chunks",
        FULL.replace("LinearCrossEntropyLoss", "CEWithChunkedOutputLoss"),
        "training.loss",
        "chunked",
    ),
    (
        "loss-whole",
        FULL.replace("torchtune.modules.loss.LinearCrossEntropyLoss", "torch.nn.CrossEntropyLoss"),
        "training.loss",
        "full",
    ),
    ("epochs", FULL, "data.epochs", 1),
    ("steps", FULL + "max_steps_per_epoch: 10", "data.epochs", OPEN),
    ("steps-none", FULL + "max_steps_per_epoch: null", "data.epochs", 1),
    (
        "evaluation",
        FULL + "run_val_every_n_steps: 10\ndataset_val: {_component_: x}",
        "evaluation.enabled",
        True,
    ),
    (
        "evaluation-off",
        FULL + "run_val_every_n_steps: null\ndataset_val: {_component_: x}",
        "evaluation.enabled",
        NONE,
    ),
    (
        "evaluation-batch",
        FULL + "batch_size_val: ${batch_size}",
        "evaluation.micro_batch_size",
        OPEN,
    ),
    ("one-card", FULL, "sharding.strategy", NONE),
    ("distributed", FULL + "fsdp_cpu_offload: False", "hardware.count", OPEN),
    ("offload", FULL + "fsdp_cpu_offload: True", "sharding.offload", "all"),
    ("ppo", FULL + "ppo_epochs: 1", "method", OPEN),
    (
        "teacher",
        FULL + "teacher_model: {_component_: torchtune.models.llama3_1.llama3_1_8b}",
        "method",
        OPEN,
    ),
]


@pytest.mark.parametrize(
    ("text", "name", "expected"), [r[1:] for r in ROWS], ids=[r[0] for r in ROWS]
)
def test_a_key(text, name, expected):
    found = read(text)
    assert found.trainer == "torchtune"
    check(found, name, expected)


def test_several_cards_shard():
    found = read(FULL + "fsdp_cpu_offload: False", flags={"hardware.count": "8"})
    assert found["sharding.strategy"] == "fsdp"


def test_what_lowers_the_need_uncounted_is_told():
    text = FULL + "optimizer_in_bwd: True\nenable_activation_offloading: True"
    assert [kind for kind, _ in read(text).notes] == ["uncounted", "uncounted"]
