"""TRL's own file and command, over the versions whose defaults moved."""

from __future__ import annotations

import pytest

from tests.unit.trainers.support import NONE, OPEN, check, read, read_all

BASE = "model_name_or_path: Qwen/Qwen2.5-7B\ndataset_name: x\noutput_dir: out\n"
LORA = BASE + "use_peft: true\n"
QLORA = LORA + "load_in_4bit: true\n"
DPO = BASE + "beta: 0.1\nmax_prompt_length: 512\n"

# id, file, version, input, value
ROWS = [
    ("model", BASE, "", "model", "Qwen/Qwen2.5-7B"),
    ("model-id", BASE.replace("model_name_or_path", "model_id"), "", "model", "Qwen/Qwen2.5-7B"),
    ("framework", BASE, "", "training.framework", "trl"),
    ("method-absent", BASE, "", "method", "full"),
    ("method-off", BASE + "use_peft: false\nlora_r: 8", "", "method", "full"),
    ("lora", LORA, "", "method", "lora"),
    ("qlora", QLORA, "", "method", "qlora"),
    ("8-bit", LORA + "load_in_8bit: true", "", "method", "qlora"),
    ("grpo", BASE + "num_generations: 8", "", "method", OPEN),
    ("full-dpo", DPO, "", "method", OPEN),
    ("lora-dpo", DPO + "use_peft: true", "", "method", "lora"),
    ("spectrum", BASE + "spectrum_config_path: x.yaml", "", "method", OPEN),
    # what weights are loaded in: the trap of this format
    ("weights-absent", LORA, "", "training.weights_dtype", "fp32"),
    ("weights-absent-since", LORA, "trl==0.27.2", "training.weights_dtype", "fp32"),
    ("weights-absent-then", LORA, "trl==0.26.2", "training.weights_dtype", "fp32"),
    ("weights", LORA + "dtype: bfloat16", "", "training.weights_dtype", "bf16"),
    ("weights-old-key", LORA + "torch_dtype: float16", "", "training.weights_dtype", "fp16"),
    ("weights-auto", LORA + "torch_dtype: auto", "", "training.weights_dtype", "bf16"),
    ("weights-4-bit", QLORA, "", "training.weights_dtype", "nf4"),
    (
        "weights-4-bit-doubled",
        QLORA + "use_bnb_nested_quant: true",
        "",
        "training.weights_dtype",
        "nf4-dq",
    ),
    ("weights-under-zero", BASE + "deepspeed: zero3.json", "", "training.weights_dtype", "bf16"),
    (
        "weights-under-fsdp",
        BASE + "torch_dtype: bfloat16\nfsdp: full_shard auto_wrap",
        "",
        "training.weights_dtype",
        "fp32",
    ),
    (
        "lora-under-fsdp",
        LORA + "torch_dtype: bfloat16\nfsdp: full_shard",
        "",
        "training.weights_dtype",
        "bf16",
    ),
    ("compute-absent", BASE, "", "training.compute_dtype", "bf16"),
    ("compute-absent-then", BASE, "0.18.1", "training.compute_dtype", "fp32"),
    ("compute-absent-since", BASE, "0.19.1", "training.compute_dtype", "bf16"),
    ("compute-fp16", BASE + "fp16: true", "", "training.compute_dtype", "fp16"),
    ("compute-off", BASE + "bf16: false", "", "training.compute_dtype", "fp32"),
    ("upcast-absent", QLORA, "", "training.kbit_upcast", False),
    ("upcast-absent-then", QLORA, "0.26.0", "training.kbit_upcast", True),
    ("upcast-absent-since", QLORA, "0.27.2", "training.kbit_upcast", False),
    # adapters
    ("rank-absent", LORA, "", "lora.rank", 16),
    ("alpha-absent", LORA, "", "lora.alpha", 32),
    ("dropout-absent", LORA, "", "lora.dropout", 0.05),
    ("targets-absent", LORA, "", "lora.target_modules", ["q", "v", "qkv"]),
    (
        "targets-word",
        LORA + "lora_target_modules: all-linear",
        "",
        "lora.target_modules",
        ["all-linear"],
    ),
    (
        "targets",
        LORA + "lora_target_modules: [q_proj, down_proj]",
        "",
        "lora.target_modules",
        ["q", "down"],
    ),
    (
        "copies",
        LORA + "lora_modules_to_save: [lm_head]",
        "",
        "lora.target_modules",
        ["q", "v", "qkv", "head"],
    ),
    # batch and length
    ("micro-absent", BASE, "", "training.micro_batch_size", 8),
    ("micro", BASE + "per_device_train_batch_size: 2", "", "training.micro_batch_size", 2),
    ("micro-pairs", DPO + "per_device_train_batch_size: 2", "", "training.micro_batch_size", 4),
    ("micro-pairs-absent", DPO, "", "training.micro_batch_size", 16),
    ("evaluation-batch-absent", BASE, "", "evaluation.micro_batch_size", 8),
    ("accumulation-absent", BASE, "", "training.gradient_accumulation_steps", 1),
    ("length-absent", BASE, "", "training.sequence_length", 1024),
    ("length", BASE + "max_length: 4096", "", "training.sequence_length", 4096),
    ("length-old-key", BASE + "max_seq_length: 2048", "", "training.sequence_length", 2048),
    ("length-none", BASE + "max_length: null", "", "training.sequence_length", OPEN),
    ("packing-absent", BASE, "", "training.packing", False),
    ("packing", BASE + "packing: true", "", "training.packing", True),
    (
        "grouped-new-key",
        BASE + "train_sampling_strategy: group_by_length",
        "",
        "training.group_by_length",
        True,
    ),
    ("grouped-old-key", BASE + "group_by_length: true", "", "training.group_by_length", True),
    # memory savers
    ("checkpointing-absent", BASE, "", "training.gradient_checkpointing", True),
    ("checkpointing-absent-then", BASE, "0.21.0", "training.gradient_checkpointing", False),
    ("checkpointing-absent-since", BASE, "0.22.2", "training.gradient_checkpointing", True),
    (
        "checkpointing-off",
        BASE + "gradient_checkpointing: false",
        "",
        "training.gradient_checkpointing",
        False,
    ),
    ("optimizer-absent", BASE, "", "training.optimizer", "adamw-fused"),
    ("optimizer-absent-then", BASE, "transformers==4.50.0", "training.optimizer", "adamw"),
    ("optimizer", BASE + "optim: adafactor", "", "training.optimizer", "adafactor"),
    ("attention-absent", BASE, "", "training.attention", "sdpa"),
    (
        "attention",
        BASE + "attn_implementation: kernels-community/flash-attn3",
        "",
        "training.attention",
        "flash",
    ),
    ("loss-absent", BASE, "", "training.loss", "chunked"),
    ("loss-absent-then", BASE, "1.4.0", "training.loss", "full"),
    ("loss-absent-since", BASE, "1.8.0", "training.loss", "chunked"),
    ("loss-of-pairs", DPO, "", "training.loss", "full"),
    ("loss-liger", BASE + "use_liger_kernel: true", "", "training.loss", "fused"),
    ("kernels-old-key", BASE + "use_liger: true", "", "training.kernels", "liger"),
    # the run
    ("epochs-absent", BASE, "", "data.epochs", 3),
    ("steps-off", BASE + "max_steps: -1\nnum_train_epochs: 2", "", "data.epochs", 2),
    ("evaluation-absent", BASE, "", "evaluation.enabled", False),
    ("evaluation-word", BASE + "eval_strategy: epoch", "", "evaluation.enabled", True),
    ("evaluation-no", BASE + "do_eval: true\neval_strategy: 'no'", "", "evaluation.enabled", False),
    ("saving-no", BASE + "save_strategy: no", "", "saving.enabled", False),
    ("zero", BASE + "deepspeed: configs/zero2.json", "", "sharding.strategy", "zero2"),
    ("fsdp", BASE + "fsdp: full_shard", "", "sharding.strategy", "fsdp"),
    ("fsdp-empty", BASE + "fsdp: ''", "", "sharding.strategy", NONE),
    ("count-of-sharded", BASE + "fsdp: full_shard", "", "hardware.count", OPEN),
]


@pytest.mark.parametrize(
    ("text", "version", "name", "expected"), [r[1:] for r in ROWS], ids=[r[0] for r in ROWS]
)
def test_a_key(text, version, name, expected):
    found = read(text, version=version)
    assert found.trainer == "trl"
    check(found, name, expected)


def test_without_a_limit_the_longest_sample_is_the_limit():
    found = read(BASE + "max_length: null", flags={"data.tokens.max": "3000"})
    assert found["training.sequence_length"] == 3000


def test_a_command_with_a_file_and_a_launcher():
    script = (
        "accelerate launch --num_processes 4 trl/scripts/sft.py "
        "--config train.yaml --max_length 512\n"
    )
    found = read_all({"run.sh": script, "train.yaml": LORA + "max_length: 4096\ndtype: bfloat16\n"})
    assert found.trainer == "trl"
    assert [found[name] for name in ("hardware.count", "training.sequence_length", "method")] == [
        4,
        512,
        "lora",
    ]
    assert found["training.weights_dtype"] == "bf16"
