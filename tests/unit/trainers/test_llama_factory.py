"""LLaMA-Factory's own files, v0 and v1, old versions of it, and its command lines."""

from __future__ import annotations

import pytest

from tests.unit.trainers.support import NONE, OPEN, check, read, read_all

BASE = "model_name_or_path: Qwen/Qwen2.5-7B\nstage: sft\ntemplate: qwen\n"
FULL = BASE + "finetuning_type: full\n"
LORA = BASE + "finetuning_type: lora\n"

# id, file, version, input, value
ROWS = [
    ("model", BASE, "", "model", "Qwen/Qwen2.5-7B"),
    ("framework", BASE, "", "training.framework", "llama-factory"),
    # method
    ("method-absent", BASE, "", "method", "lora"),
    ("full", FULL, "", "method", "full"),
    ("lora", LORA, "", "method", "lora"),
    ("qlora", LORA + "quantization_bit: 4", "", "method", "qlora"),
    ("qlora-by-absence", BASE + "quantization_bit: 4", "", "method", "qlora"),
    (
        "quantised-base",
        "model_name_or_path: Qwen/Qwen2.5-7B-GPTQ-Int4\nstage: sft\ntemplate: qwen",
        "",
        "method",
        "qlora",
    ),
    ("freeze", BASE + "finetuning_type: freeze", "", "method", OPEN),
    ("oft", BASE + "finetuning_type: oft", "", "method", OPEN),
    ("ppo", LORA.replace("sft", "ppo"), "", "method", OPEN),
    ("full-dpo", FULL.replace("sft", "dpo"), "", "method", OPEN),
    ("full-orpo", FULL.replace("sft", "dpo") + "pref_loss: orpo", "", "method", "full"),
    ("lora-dpo", LORA.replace("sft", "dpo"), "", "method", "lora"),
    # weights
    ("doubled", LORA + "quantization_bit: 4", "", "training.weights_dtype", "nf4-dq"),
    (
        "not-doubled",
        LORA + "quantization_bit: 4\ndouble_quantization: false",
        "",
        "training.weights_dtype",
        "nf4",
    ),
    ("8-bit", LORA + "quantization_bit: 8", "", "training.weights_dtype", "int8"),
    ("3-bit", LORA + "quantization_bit: 3", "", "training.weights_dtype", OPEN),
    (
        "hqq",
        LORA + "quantization_bit: 4\nquantization_method: hqq",
        "",
        "training.weights_dtype",
        OPEN,
    ),
    (
        "aqlm",
        LORA.replace("Qwen2.5-7B", "Qwen2.5-7B-AQLM-2Bit"),
        "",
        "training.weights_dtype",
        OPEN,
    ),
    ("full-is-fp32", FULL + "bf16: true", "", "training.weights_dtype", "fp32"),
    ("full-pure", FULL + "pure_bf16: true", "", "training.weights_dtype", "bf16"),
    ("full-pure-no-autocast", FULL + "pure_bf16: true", "", "training.autocast", False),
    (
        "full-under-zero",
        FULL + "bf16: true\ndeepspeed: ds_z2_config.json",
        "",
        "training.weights_dtype",
        "bf16",
    ),
    (
        "full-under-zero-by-sharding",
        FULL + "deepspeed: ds_z3_config.json",
        "",
        "training.weights_dtype",
        "fp32",
    ),
    ("lora-bf16", LORA + "bf16: true", "", "training.weights_dtype", "bf16"),
    ("lora-neither", LORA, "", "training.weights_dtype", NONE),
    ("compute", LORA + "fp16: true", "", "training.compute_dtype", "fp16"),
    ("no-upcast", LORA + "quantization_bit: 4", "", "training.kbit_upcast", False),
    # adapters
    ("rank", LORA + "lora_rank: 64", "", "lora.rank", 64),
    ("rank-absent", LORA, "", "lora.rank", 8),
    ("alpha", LORA + "lora_alpha: 4", "", "lora.alpha", 4),
    ("alpha-follows", LORA + "lora_rank: 64", "", "lora.alpha", 128),
    ("alpha-absent", LORA, "", "lora.alpha", 16),
    ("targets-all", LORA + "lora_target: all", "", "lora.target_modules", ["all-linear"]),
    ("targets-comma", LORA + "lora_target: q_proj, v_proj", "", "lora.target_modules", ["q", "v"]),
    ("targets-absent", LORA, "", "lora.target_modules", ["all-linear"]),
    ("targets-absent-then", LORA, "0.4.0", "lora.target_modules", OPEN),
    ("targets-absent-since", LORA, "0.6.0", "lora.target_modules", ["all-linear"]),
    (
        "targets-more",
        LORA + "additional_target: embed_tokens,lm_head",
        "",
        "lora.target_modules",
        ["all-linear", "embeddings", "head"],
    ),
    # batch and length
    ("micro", BASE + "per_device_train_batch_size: 2", "", "training.micro_batch_size", 2),
    ("micro-absent", BASE, "", "training.micro_batch_size", 8),
    (
        "micro-pairs",
        BASE.replace("sft", "dpo") + "per_device_train_batch_size: 2",
        "",
        "training.micro_batch_size",
        4,
    ),
    ("micro-pairs-absent", BASE.replace("sft", "rm"), "", "training.micro_batch_size", 16),
    ("accumulation-absent", BASE, "", "training.gradient_accumulation_steps", 1),
    ("length", BASE + "cutoff_len: 4096", "", "training.sequence_length", 4096),
    ("length-absent", BASE, "", "training.sequence_length", 2048),
    ("length-absent-then", BASE, "v0.9.0", "training.sequence_length", 1024),
    ("length-absent-patch", BASE, "0.8.3", "training.sequence_length", 1024),
    ("length-absent-since", BASE, "0.9.1", "training.sequence_length", 2048),
    ("packing-absent", BASE, "", "training.packing", False),
    ("packing-absent-pt", BASE.replace("sft", "pt"), "", "training.packing", True),
    ("packing-neat", BASE + "neat_packing: true", "", "training.packing", True),
    # memory savers
    ("checkpointing-absent", BASE, "", "training.gradient_checkpointing", True),
    (
        "checkpointing-disabled",
        BASE + "disable_gradient_checkpointing: true",
        "",
        "training.gradient_checkpointing",
        False,
    ),
    (
        "checkpointing-hf-flag",
        BASE + "gradient_checkpointing: false",
        "",
        "training.gradient_checkpointing",
        True,
    ),
    ("attention", BASE + "flash_attn: fa2", "", "training.attention", "flash"),
    ("attention-auto", BASE + "flash_attn: auto", "", "training.attention", "sdpa"),
    ("attention-disabled", BASE + "flash_attn: disabled", "", "training.attention", "eager"),
    ("attention-absent", BASE, "", "training.attention", "sdpa"),
    ("attention-absent-then", BASE, "0.6.0", "training.attention", "eager"),
    ("liger", BASE + "enable_liger_kernel: true", "", "training.loss", "fused"),
    (
        "liger-not-for-dpo",
        BASE.replace("sft", "dpo") + "enable_liger_kernel: true",
        "",
        "training.loss",
        "full",
    ),
    ("loss-absent", BASE, "", "training.loss", "full"),
    ("unsloth", BASE + "use_unsloth: true", "", "training.kernels", "unsloth"),
    ("optimizer-absent", BASE, "", "training.optimizer", "adamw-fused"),
    ("optimizer-absent-then", BASE, "transformers==4.41.0", "training.optimizer", "adamw"),
    ("galore", BASE + "use_galore: true", "", "training.optimizer", OPEN),
    # the run
    ("epochs-absent", BASE, "", "data.epochs", 3),
    ("epochs", BASE + "num_train_epochs: 1.5", "", "data.epochs", 1.5),
    ("evaluation-absent", BASE + "val_size: 0.1", "", "evaluation.enabled", False),
    ("evaluation", BASE + "eval_strategy: steps", "", "evaluation.enabled", True),
    ("evaluation-off-word", BASE + "eval_strategy: no", "", "evaluation.enabled", False),
    ("evaluation-old-key", BASE + "evaluation_strategy: epoch", "", "evaluation.enabled", True),
    ("evaluation-batch-absent", BASE, "", "evaluation.micro_batch_size", 8),
    ("vision-absent", BASE, "", "vision.frozen", True),
    ("vision", BASE + "freeze_vision_tower: false", "", "vision.frozen", False),
    # several GPUs
    (
        "zero3",
        BASE + "deepspeed: examples/deepspeed/ds_z3_config.json",
        "",
        "sharding.strategy",
        "zero3",
    ),
    ("zero3-offload", BASE + "deepspeed: ds_z3_offload_config.json", "", "sharding.offload", "all"),
    (
        "zero2-offload",
        BASE + "deepspeed: ds_z2_offload_config.json",
        "",
        "sharding.offload",
        "optimizer",
    ),
    ("count-of-sharded", BASE + "deepspeed: ds_z3_config.json", "", "hardware.count", OPEN),
    (
        "count-by-ray",
        BASE + "deepspeed: ds_z3_config.json\nray_num_workers: 4",
        "",
        "hardware.count",
        4,
    ),
    ("count-of-one", BASE, "", "hardware.count", NONE),
]


@pytest.mark.parametrize(
    ("text", "version", "name", "expected"), [r[1:] for r in ROWS], ids=[r[0] for r in ROWS]
)
def test_a_key(text, version, name, expected):
    found = read(text, version=version)
    assert found.trainer == "llama-factory"
    check(found, name, expected)


V1 = "model: Qwen/Qwen3-4B\nmodel_class: llm\n"
ADAPTED = V1 + "peft_config: {name: lora, r: 16, target_modules: all}\n"

V1_ROWS = [
    ("model", V1, "model", "Qwen/Qwen3-4B"),
    ("full", V1, "method", "full"),
    ("lora", ADAPTED, "method", "lora"),
    ("qlora", ADAPTED + "quant_config: {name: bnb, quantization_bit: 4}", "method", "qlora"),
    (
        "qlora-weights",
        ADAPTED + "quant_config: {name: bnb, quantization_bit: 4}",
        "training.weights_dtype",
        "nf4-dq",
    ),
    ("qlora-auto", ADAPTED + "quant_config: {name: auto}", "training.weights_dtype", OPEN),
    ("quant-empty", V1 + "quant_config: null", "method", "full"),
    ("freeze", V1 + "peft_config: {name: freeze}", "method", OPEN),
    ("rank", ADAPTED, "lora.rank", 16),
    ("targets", ADAPTED, "lora.target_modules", ["all-linear"]),
    ("targets-absent", V1 + "peft_config: {name: lora}", "lora.target_modules", OPEN),
    ("micro-absent", V1, "training.micro_batch_size", 1),
    (
        "accumulation",
        V1 + "micro_batch_size: 2\nglobal_batch_size: 16",
        "training.gradient_accumulation_steps",
        8,
    ),
    ("accumulation-absent", V1, "training.gradient_accumulation_steps", 1),
    ("length-absent", V1, "training.sequence_length", 2048),
    ("checkpointing-absent", V1, "training.gradient_checkpointing", True),
    ("epochs-absent", V1, "data.epochs", 3),
    ("fsdp", V1 + "dist_config: {name: fsdp2}", "sharding.strategy", "fsdp"),
    ("precision", V1 + "bf16: false", "training.compute_dtype", "fp32"),
    ("attention", V1 + "flash_attn: flash_attention_2", "training.attention", "flash"),
]


@pytest.mark.parametrize(
    ("text", "name", "expected"), [r[1:] for r in V1_ROWS], ids=[r[0] for r in V1_ROWS]
)
def test_a_key_of_v1(text, name, expected):
    found = read(text)
    assert found.trainer == "llama-factory-v1"
    check(found, name, expected)


COMMAND = """\
#!/bin/bash
CUDA_VISIBLE_DEVICES=0,1 llamafactory-cli train \\
    --stage sft --model_name_or_path Qwen/Qwen2.5-7B \\
    --finetuning_type lora --lora_target q_proj,v_proj \\
    --per_device_train_batch_size=2 --bf16 --cutoff_len $LENGTH
"""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("model", "Qwen/Qwen2.5-7B"),
        ("method", "lora"),
        ("lora.target_modules", ["q", "v"]),
        ("training.micro_batch_size", 2),
        ("training.compute_dtype", "bf16"),
        ("training.sequence_length", OPEN),
        ("hardware.count", 2),
        ("training.gradient_checkpointing", True),
    ],
)
def test_a_command(name, expected):
    found = read(COMMAND, "run.sh")
    assert found.trainer == "llama-factory"
    check(found, name, expected)


def test_a_command_that_names_its_file_takes_it_in_and_has_the_last_word():
    script = "FORCE_TORCHRUN=1 llamafactory-cli train configs/train.yaml cutoff_len=512\n"
    files = {"run.sh": script, "configs/train.yaml": LORA + "cutoff_len: 4096\nlora_rank: 64\n"}
    found = read_all(files)
    assert (found["training.sequence_length"], found["lora.rank"]) == (512, 64)
    assert found.notes == []


# id, what a file of another purpose holds
OTHERS = [
    (
        "inference",
        "model_name_or_path: x\ntemplate: qwen\ninfer_backend: huggingface\nfinetuning_type: lora",
    ),
    ("export", "model_name_or_path: x\ntemplate: qwen\nfinetuning_type: lora\nexport_dir: out"),
]


@pytest.mark.parametrize("text", [r[1] for r in OTHERS], ids=[r[0] for r in OTHERS])
def test_what_trains_nothing_is_not_taken_for_training(text):
    with pytest.raises(AssertionError, match="no trainer's file"):
        read(text)
