"""ms-swift's commands and files, over its three generations of keys."""

from __future__ import annotations

import pytest

from tests.unit.trainers.support import NONE, OPEN, check, read

BASE = "model: Qwen/Qwen2.5-7B\nsplit_dataset_ratio: 0\n"
FULL = BASE + "tuner_type: full\n"
SCRIPT = """\
NPROC_PER_NODE=2 CUDA_VISIBLE_DEVICES=0,1 swift sft --model Qwen/Qwen2.5-7B {} --output_dir out
"""
OLD = """\
python llm_sft.py --model_id_or_path qwen/Qwen1.5-7B --sft_type lora --quantization_bit 4 \\
  --batch_size 2 {}
"""


def script(flags: str = "") -> str:
    return SCRIPT.format(flags)


# id, file, its name, version, input, value
ROWS = [
    ("model", BASE, "a.yaml", "", "model", "Qwen/Qwen2.5-7B"),
    ("method-absent", BASE, "a.yaml", "", "method", "lora"),
    ("full", FULL, "a.yaml", "", "method", "full"),
    ("train-type", BASE + "train_type: full", "a.yaml", "", "method", "full"),
    ("qlora", BASE + "quant_bits: 4\nquant_method: bnb", "a.yaml", "", "method", "qlora"),
    (
        "qlora-weights",
        BASE + "quant_bits: 4\nquant_method: bnb",
        "a.yaml",
        "",
        "training.weights_dtype",
        "nf4-dq",
    ),
    (
        "qlora-not-doubled",
        BASE + "quant_bits: 4\nbnb_4bit_use_double_quant: false",
        "a.yaml",
        "",
        "training.weights_dtype",
        "nf4",
    ),
    (
        "hqq",
        BASE + "quant_bits: 4\nquant_method: hqq",
        "a.yaml",
        "",
        "training.weights_dtype",
        OPEN,
    ),
    (
        "gptq",
        BASE.replace("2.5-7B", "2.5-7B-Instruct-GPTQ-Int4"),
        "a.yaml",
        "",
        "training.weights_dtype",
        "gptq4",
    ),
    (
        "gptq-8",
        BASE.replace("2.5-7B", "2.5-7B-Instruct-GPTQ-Int8"),
        "a.yaml",
        "",
        "training.weights_dtype",
        "gptq8",
    ),
    ("dtype", BASE + "torch_dtype: bfloat16", "a.yaml", "", "training.weights_dtype", "bf16"),
    ("dtype-absent", BASE, "a.yaml", "", "training.weights_dtype", NONE),
    (
        "dtype-32-computes-16",
        BASE + "torch_dtype: float32",
        "a.yaml",
        "",
        "training.compute_dtype",
        "fp16",
    ),
    ("rank-absent", BASE, "a.yaml", "", "lora.rank", 8),
    ("alpha-absent", BASE, "a.yaml", "", "lora.alpha", 32),
    ("targets-absent", BASE, "a.yaml", "", "lora.target_modules", ["all-linear"]),
    (
        "targets",
        BASE + "target_modules: [q_proj, v_proj]",
        "a.yaml",
        "",
        "lora.target_modules",
        ["q", "v"],
    ),
    ("micro-absent", BASE, "a.yaml", "", "training.micro_batch_size", 1),
    ("accumulation-absent", BASE, "a.yaml", "", "training.gradient_accumulation_steps", 16),
    (
        "accumulation-absent-rounds-up",
        BASE + "per_device_train_batch_size: 3",
        "a.yaml",
        "",
        "training.gradient_accumulation_steps",
        6,
    ),
    (
        "accumulation",
        BASE + "gradient_accumulation_steps: 4",
        "a.yaml",
        "",
        "training.gradient_accumulation_steps",
        4,
    ),
    ("length", BASE + "max_length: 2048", "a.yaml", "", "training.sequence_length", 2048),
    ("length-absent", BASE, "a.yaml", "", "training.sequence_length", OPEN),
    ("length-absent-then", BASE, "a.yaml", "2.6.1", "training.sequence_length", 2048),
    ("packing-absent", BASE, "a.yaml", "", "training.packing", False),
    ("checkpointing-absent", BASE, "a.yaml", "", "training.gradient_checkpointing", True),
    (
        "checkpointing-off",
        BASE + "gradient_checkpointing: false",
        "a.yaml",
        "",
        "training.gradient_checkpointing",
        False,
    ),
    ("attention", BASE + "attn_impl: flash_attn", "a.yaml", "", "training.attention", "flash"),
    ("liger", BASE + "use_liger_kernel: true", "a.yaml", "", "training.loss", "fused"),
    ("loss-absent", BASE, "a.yaml", "", "training.loss", "full"),
    ("no-upcast", BASE, "a.yaml", "", "training.kbit_upcast", False),
    ("zero", BASE + "deepspeed: zero2", "a.yaml", "", "sharding.strategy", "zero2"),
    ("zero-offload", BASE + "deepspeed: zero3_offload", "a.yaml", "", "sharding.offload", "all"),
    ("zero-by-path", BASE + "deepspeed: my/ds_z3.json", "a.yaml", "", "sharding.strategy", "zero3"),
    ("fsdp", BASE + "fsdp: fsdp2", "a.yaml", "", "sharding.strategy", "fsdp"),
    ("count-of-sharded", BASE + "deepspeed: zero2", "a.yaml", "", "hardware.count", OPEN),
    ("count-in-env", BASE + "ENV: {NPROC_PER_NODE: '4'}", "a.yaml", "", "hardware.count", 4),
    ("vision-absent", BASE, "a.yaml", "", "vision.frozen", True),
    ("vision", BASE + "freeze_vit: false", "a.yaml", "", "vision.frozen", False),
    (
        "evaluation-split",
        BASE.replace("ratio: 0", "ratio: 0.01"),
        "a.yaml",
        "",
        "evaluation.enabled",
        True,
    ),
    ("evaluation-absent", BASE, "a.yaml", "", "evaluation.enabled", False),
    ("epochs-absent", BASE, "a.yaml", "", "data.epochs", 3),
    (
        "grpo",
        script("--rlhf_type grpo").replace("swift sft", "swift rlhf"),
        "a.sh",
        "",
        "method",
        OPEN,
    ),
    # commands
    ("flag-model", script(), "a.sh", "", "model", "Qwen/Qwen2.5-7B"),
    ("flag-count", script(), "a.sh", "", "hardware.count", 2),
    (
        "flag-targets",
        script("--target_modules q_proj k_proj"),
        "a.sh",
        "",
        "lora.target_modules",
        ["q", "k"],
    ),
    (
        "flag-pairs",
        script("--rlhf_type dpo --per_device_train_batch_size 2").replace(
            "swift sft", "swift rlhf"
        ),
        "a.sh",
        "",
        "training.micro_batch_size",
        4,
    ),
    (
        "flag-accumulation-over-gpus",
        script("--per_device_train_batch_size 2"),
        "a.sh",
        "",
        "training.gradient_accumulation_steps",
        4,
    ),
    (
        "flag-accumulation-elsewhere",
        script("--gradient_accumulation_steps $(expr 16 / $n)"),
        "a.sh",
        "",
        "training.gradient_accumulation_steps",
        OPEN,
    ),
    (
        "one-visible",
        "CUDA_VISIBLE_DEVICES=3 swift sft --model Qwen/Qwen2.5-7B\n",
        "a.sh",
        "",
        "hardware.count",
        1,
    ),
    (
        "visible-share-a-model",
        "CUDA_VISIBLE_DEVICES=0,1 swift sft --model Qwen/Qwen2.5-7B\n",
        "a.sh",
        "",
        "hardware.count",
        OPEN,
    ),
    # 1.x and 2.x
    ("old-model", OLD.format(""), "a.sh", "", "model", "Qwen/Qwen1.5-7B"),
    ("old-method", OLD.format(""), "a.sh", "", "method", "qlora"),
    ("old-micro", OLD.format(""), "a.sh", "", "training.micro_batch_size", 2),
    (
        "old-targets",
        OLD.format("--lora_target_modules ALL"),
        "a.sh",
        "",
        "lora.target_modules",
        ["all-linear"],
    ),
    (
        "old-targets-default",
        OLD.format("--lora_target_modules DEFAULT"),
        "a.sh",
        "",
        "lora.target_modules",
        ["q", "k", "v", "qkv"],
    ),
    ("old-flash", OLD.format("--use_flash_attn true"), "a.sh", "", "training.attention", "flash"),
    # Megatron
    (
        "megatron-method",
        "megatron sft --model Qwen/Qwen2.5-7B --micro_batch_size 2\n",
        "a.sh",
        "",
        "method",
        "full",
    ),
    (
        "megatron-sharding",
        "megatron sft --model Qwen/Qwen2.5-7B\n",
        "a.sh",
        "",
        "sharding.strategy",
        OPEN,
    ),
    (
        "megatron-recompute",
        BASE + "micro_batch_size: 1\nrecompute_granularity: full",
        "a.yaml",
        "",
        "training.gradient_checkpointing",
        True,
    ),
]


@pytest.mark.parametrize(
    ("text", "file", "version", "name", "expected"), [r[1:] for r in ROWS], ids=[r[0] for r in ROWS]
)
def test_a_key(text, file, version, name, expected):
    found = read(text, file, version=version)
    assert found.trainer == "ms-swift"
    check(found, name, expected)


@pytest.mark.parametrize(
    "command", ["swift infer --model x", "swift export --model x --quant_bits 4"]
)
def test_other_commands_train_nothing(command):
    with pytest.raises(AssertionError, match="no trainer's file"):
        read(command, "a.sh")
