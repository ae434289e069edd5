"""Axolotl's own file: what each key means, and what its absence does."""

from __future__ import annotations

import pytest

from tests.unit.trainers.support import NONE, OPEN, check, read

BASE = """\
base_model: Qwen/Qwen2.5-7B
datasets: [{path: x, type: alpaca}]
"""
LORA = BASE + "adapter: lora\nlora_r: 16\nlora_alpha: 32\n"
QLORA = BASE + "adapter: qlora\nload_in_4bit: true\nlora_r: 16\nlora_target_linear: true\n"
LIGER = "plugins: [axolotl.integrations.liger.LigerPlugin]\n"

# id, file, input, value
ROWS = [
    # model and method
    ("model", BASE, "model", "Qwen/Qwen2.5-7B"),
    (
        "model-derived",
        "base_model: unsloth/Qwen2.5-7B-bnb-4bit\nadapter: qlora",
        "model",
        "Qwen/Qwen2.5-7B",
    ),
    ("framework", BASE, "training.framework", "axolotl"),
    ("full", BASE, "method", "full"),
    ("full-empty", BASE + "adapter:\n", "method", "full"),
    ("full-text", BASE + "adapter: ''\n", "method", "full"),
    ("lora", LORA, "method", "lora"),
    ("qlora", QLORA, "method", "qlora"),
    ("lora-in-4-bit", LORA + "load_in_4bit: true", "method", "qlora"),
    ("lora-in-8-bit", LORA + "load_in_8bit: true", "method", "qlora"),
    ("other-adapter", BASE + "adapter: llama-adapter", "method", OPEN),
    # weights
    ("nf4-doubled", QLORA, "training.weights_dtype", "nf4-dq"),
    (
        "nf4",
        QLORA + "bnb_config_kwargs: {bnb_4bit_use_double_quant: false}",
        "training.weights_dtype",
        "nf4",
    ),
    ("int8", LORA + "load_in_8bit: true", "training.weights_dtype", "int8"),
    ("gptq", LORA + "gptq: true", "training.weights_dtype", "gptq4"),
    ("bf16", BASE + "bf16: true", "training.weights_dtype", "bf16"),
    ("bf16-pure", BASE + "bfloat16: true", "training.weights_dtype", "bf16"),
    ("bf16-pure-no-autocast", BASE + "bfloat16: true", "training.autocast", False),
    ("fp16", BASE + "fp16: true", "training.weights_dtype", "fp16"),
    ("neither", BASE + "bf16: false\nfp16: false", "training.weights_dtype", "fp32"),
    ("neither-computes", BASE + "bf16: false", "training.compute_dtype", "fp32"),
    ("auto", BASE + "bf16: auto", "training.weights_dtype", NONE),
    ("auto-computes", BASE + "bf16: auto", "training.compute_dtype", NONE),
    ("no-bf16-key", BASE, "training.weights_dtype", NONE),
    # adapters
    ("rank", LORA, "lora.rank", 16),
    ("rank-absent", BASE + "adapter: lora", "lora.rank", OPEN),
    ("rank-of-full", BASE, "lora.rank", NONE),
    ("dropout-absent", LORA, "lora.dropout", 0),
    ("targets-linear", QLORA, "lora.target_modules", ["all-linear"]),
    (
        "targets-listed",
        LORA + "lora_target_modules: [q_proj, self_attn.v_proj]",
        "lora.target_modules",
        ["q", "v"],
    ),
    ("targets-absent", LORA, "lora.target_modules", ["q", "v", "qkv"]),
    (
        "targets-unknown",
        LORA + "lora_target_modules: [q_proj, mystery]",
        "lora.target_modules",
        OPEN,
    ),
    (
        "trained-copies",
        QLORA + "lora_modules_to_save: [embed_tokens, lm_head]",
        "lora.target_modules",
        ["all-linear", "embeddings", "head"],
    ),
    (
        "copies-alone",
        LORA + "lora_modules_to_save: [lm_head]",
        "lora.target_modules",
        ["q", "v", "qkv", "head"],
    ),
    ("upcast", QLORA, "training.kbit_upcast", True),
    ("upcast-skipped", QLORA + "embeddings_skip_upcast: true", "training.kbit_upcast", False),
    (
        "upcast-not-under-fsdp",
        QLORA + "fsdp_config: {offload_params: true}",
        "training.kbit_upcast",
        False,
    ),
    ("no-upcast-of-16-bit", LORA, "training.kbit_upcast", NONE),
    # batch and length
    ("micro", BASE + "micro_batch_size: 4", "training.micro_batch_size", 4),
    ("micro-absent", BASE, "training.micro_batch_size", 1),
    ("micro-empty", BASE + "micro_batch_size:\n", "training.micro_batch_size", 1),
    ("micro-pairs", LORA + "micro_batch_size: 2\nrl: dpo", "training.micro_batch_size", 4),
    ("micro-elsewhere", BASE + "micro_batch_size: ${bs}", "training.micro_batch_size", OPEN),
    ("micro-to-fill-in", BASE + "micro_batch_size: ???", "training.micro_batch_size", OPEN),
    (
        "accumulation",
        BASE + "gradient_accumulation_steps: 8",
        "training.gradient_accumulation_steps",
        8,
    ),
    ("accumulation-absent", BASE, "training.gradient_accumulation_steps", 1),
    (
        "accumulation-derived",
        BASE + "micro_batch_size: 3\nbatch_size: 16",
        "training.gradient_accumulation_steps",
        5,
    ),
    ("length", BASE + "sequence_len: 8192", "training.sequence_length", 8192),
    ("length-absent", BASE, "training.sequence_length", 512),
    ("packing", BASE + "sample_packing: true", "training.packing", True),
    ("packing-absent", BASE, "training.packing", False),
    ("padded", BASE + "pad_to_sequence_len: true", "training.padding", "max"),
    ("grouped", BASE + "group_by_length: yes", "training.group_by_length", True),
    # memory savers
    (
        "checkpointing",
        BASE + "gradient_checkpointing: true",
        "training.gradient_checkpointing",
        True,
    ),
    (
        "checkpointing-text",
        BASE + "gradient_checkpointing: 'true'",
        "training.gradient_checkpointing",
        True,
    ),
    (
        "checkpointing-offload",
        BASE + "gradient_checkpointing: offload",
        "training.gradient_checkpointing",
        True,
    ),
    ("checkpointing-absent", BASE, "training.gradient_checkpointing", False),
    (
        "checkpointing-by-fsdp",
        BASE + "fsdp_config: {fsdp_activation_checkpointing: true}",
        "training.gradient_checkpointing",
        True,
    ),
    ("flash-new", BASE + "attn_implementation: flash_attention_2", "training.attention", "flash"),
    ("flash-old", BASE + "flash_attention: true", "training.attention", "flash"),
    ("sdp", BASE + "sdp_attention: true", "training.attention", "sdpa"),
    ("eager", BASE + "eager_attention: true", "training.attention", "eager"),
    ("attention-absent", BASE, "training.attention", "sdpa"),
    ("attention-off", BASE + "flash_attention: false", "training.attention", "sdpa"),
    (
        "cut-loss",
        BASE + "plugins: [axolotl.integrations.cut_cross_entropy.CutCrossEntropyPlugin]",
        "training.loss",
        "fused",
    ),
    (
        "liger-loss",
        BASE + LIGER + "liger_fused_linear_cross_entropy: true",
        "training.loss",
        "fused",
    ),
    (
        "liger-loss-without-its-plugin",
        BASE + "liger_fused_linear_cross_entropy: true",
        "training.loss",
        "full",
    ),
    ("chunked-loss", BASE + "chunked_cross_entropy: true", "training.loss", "chunked"),
    ("loss-absent", BASE, "training.loss", "full"),
    ("liger", BASE + LIGER + "liger_rms_norm: true", "training.kernels", "liger"),
    ("liger-loss-alone", BASE + LIGER, "training.kernels", "stock"),
    ("optimizer", BASE + "optimizer: paged_adamw_8bit", "training.optimizer", "paged-adamw-8bit"),
    ("optimizer-absent", BASE, "training.optimizer", "adamw-fused"),
    ("optimizer-unknown", BASE + "optimizer: muon", "training.optimizer", OPEN),
    ("rate", BASE + "learning_rate: 2e-4", "training.learning_rate", 2e-4),
    ("rate-text", BASE + "learning_rate: '2e-4'", "training.learning_rate", 2e-4),
    # the run
    ("epochs", BASE + "num_epochs: 3", "data.epochs", 3),
    ("epochs-absent", BASE, "data.epochs", 1),
    ("steps-without-samples", BASE + "max_steps: 100", "data.epochs", OPEN),
    ("evaluation", BASE + "val_set_size: 0.05", "evaluation.enabled", True),
    ("evaluation-none", BASE + "val_set_size: 0.0", "evaluation.enabled", False),
    ("evaluation-absent", BASE, "evaluation.enabled", False),
    ("evaluation-batch", BASE + "eval_batch_size: 2", "evaluation.micro_batch_size", 2),
    ("evaluation-batch-absent", BASE + "micro_batch_size: 4", "evaluation.micro_batch_size", 4),
    # several GPUs
    ("fsdp", BASE + "fsdp_config: {offload_params: true}", "sharding.strategy", "fsdp"),
    ("fsdp-offload", BASE + "fsdp_config: {fsdp_offload_params: true}", "sharding.offload", "all"),
    ("fsdp-empty", BASE + "fsdp:\nfsdp_config:\n", "sharding.strategy", NONE),
    (
        "zero-by-name",
        BASE + "deepspeed: deepspeed_configs/zero2.json",
        "sharding.strategy",
        "zero2",
    ),
    ("zero-by-odd-name", BASE + "deepspeed: team.json", "sharding.strategy", OPEN),
    (
        "zero-inline",
        BASE + "deepspeed: {zero_optimization: {stage: 3}}",
        "sharding.strategy",
        "zero3",
    ),
    ("count-of-sharded", BASE + "deepspeed: zero3.json", "hardware.count", OPEN),
    ("count-of-one", BASE, "hardware.count", NONE),
]


@pytest.mark.parametrize(
    ("text", "name", "expected"), [r[1:] for r in ROWS], ids=[r[0] for r in ROWS]
)
def test_a_key(text, name, expected):
    check(read(text), name, expected)


def test_steps_become_epochs_where_the_samples_are_known():
    text = LORA + "max_steps: 100\nmicro_batch_size: 2\ngradient_accumulation_steps: 4"
    assert read(text, flags={"data.samples": "400"})["data.epochs"] == 2


def test_values_tell_where_they_stand_and_what_is_the_trainers_own():
    found = read(LORA)
    assert found.place("lora.rank").endswith("train.yaml:4:9")
    assert found.origin("lora.rank") == "given"
    assert found.origin("training.sequence_length") == "trainer"
    assert "schemas/config.py" in found.scenario.given["training.sequence_length"].source


# id, what is added, inputs left open
TOLD = [
    ("dora", LORA + "peft_use_dora: true", ()),
    ("offload", LORA + "activation_offloading: true", ()),
    ("reinforcement", LORA + "rl: grpo", ("method",)),
    ("full-preference", BASE + "rl: dpo", ("method",)),
    ("some-layers", BASE + "unfrozen_parameters: [lm_head]", ("method",)),
    ("tensor-parallel", BASE + "tensor_parallel_size: 2", ()),
    ("4-bit-states", BASE + "optimizer: adamw_torch_4bit", ()),
]


@pytest.mark.parametrize(("text", "left"), [r[1:] for r in TOLD], ids=[r[0] for r in TOLD])
def test_what_the_rules_do_not_describe_is_told(text, left):
    found = read(text)
    assert ("uncounted", left) in found.notes
    assert all(found[name] is OPEN for name in left)


# id, what is added
QUIET = [
    ("lora-preference", LORA + "rl: dpo"),
    ("one-way-parallel", LORA + "tensor_parallel_size: 1"),
    ("no-offload", LORA + "activation_offloading: false"),
    ("no-dora", LORA + "peft_use_dora: false"),
    ("empty", LORA + "unfrozen_parameters:\nrl:\n"),
]


@pytest.mark.parametrize("text", [r[1] for r in QUIET], ids=[r[0] for r in QUIET])
def test_nothing_is_told_without_need(text):
    assert [kind for kind, _ in read(text).notes] == []
