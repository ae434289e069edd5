"""oumi, OpenRLHF, and the formats that are known so that they are not taken for others."""

from __future__ import annotations

import pytest

from tests.unit.trainers.support import NONE, OPEN, check, read, read_all

OUMI = "model: {model_name: Qwen/Qwen2.5-7B, model_max_length: 2048}\ndata: {train: {pack: true}}\n"
FULL = OUMI + "training: {trainer_type: TRL_SFT}\n"
LORA = OUMI + "training: {use_peft: true}\npeft: {lora_target_modules: [q_proj]}\n"
QLORA = OUMI + "training: {use_peft: true}\npeft: {q_lora: true, lora_r: 64}\n"

OUMI_ROWS = [
    ("model", FULL, "model", "Qwen/Qwen2.5-7B"),
    ("method-absent", FULL, "method", "full"),
    ("lora", LORA, "method", "lora"),
    ("qlora", QLORA, "method", "qlora"),
    ("qlora-weights", QLORA, "training.weights_dtype", "nf4"),
    (
        "qlora-8",
        QLORA.replace("{q_lora", "{q_lora_bits: 8, q_lora"),
        "training.weights_dtype",
        "int8",
    ),
    ("qlora-upcast", QLORA, "training.kbit_upcast", True),
    ("weights-absent", FULL, "training.weights_dtype", "bf16"),
    (
        "weights",
        FULL.replace("{model_name", "{torch_dtype_str: float32, model_name"),
        "training.weights_dtype",
        "fp32",
    ),
    ("rank-absent", LORA, "lora.rank", 8),
    ("alpha-absent", LORA, "lora.alpha", 8),
    ("targets", LORA, "lora.target_modules", ["q"]),
    ("targets-absent", QLORA, "lora.target_modules", ["q", "v", "qkv"]),
    ("micro-absent", FULL, "training.micro_batch_size", 8),
    ("accumulation-absent", FULL, "training.gradient_accumulation_steps", 1),
    ("length", FULL, "training.sequence_length", 2048),
    (
        "length-absent",
        FULL.replace(", model_max_length: 2048", ""),
        "training.sequence_length",
        OPEN,
    ),
    ("packing", FULL, "training.packing", True),
    ("checkpointing-absent", FULL, "training.gradient_checkpointing", False),
    ("optimizer-absent", FULL, "training.optimizer", "adamw"),
    ("epochs-absent", FULL, "data.epochs", 3),
    ("fsdp-absent", FULL, "sharding.strategy", NONE),
    (
        "fsdp-off",
        FULL + "fsdp: {enable_fsdp: false, sharding_strategy: FULL_SHARD}",
        "sharding.strategy",
        NONE,
    ),
    (
        "fsdp",
        FULL + "fsdp: {enable_fsdp: true, auto_wrap_policy: TRANSFORMER_BASED_WRAP}",
        "sharding.strategy",
        "fsdp",
    ),
    ("fsdp-unwrapped", FULL + "fsdp: {enable_fsdp: true}", "sharding.strategy", OPEN),
    (
        "dpo",
        LORA.replace("true}\npeft", "true, trainer_type: TRL_DPO}\npeft"),
        "training.micro_batch_size",
        8,
    ),
    ("grpo", FULL.replace("TRL_SFT", "TRL_GRPO"), "method", OPEN),
]


@pytest.mark.parametrize(
    ("text", "name", "expected"), [r[1:] for r in OUMI_ROWS], ids=[r[0] for r in OUMI_ROWS]
)
def test_a_key_of_oumi(text, name, expected):
    found = read(text)
    assert found.trainer == "oumi"
    check(found, name, expected)


def test_oumi_is_not_taken_for_a_scenario_though_it_shares_its_keys():
    text = FULL + "lora: {}\n"
    assert read(text.replace("lora: {}\n", "")).trainer == "oumi"


def test_a_command_of_oumi_overrides_its_file():
    script = (
        "oumi distributed torchrun -m oumi train -c configs/t.yaml --model.model_max_length 512\n"
    )
    found = read_all({"run.sh": script, "configs/t.yaml": LORA})
    assert (found["training.sequence_length"], found["method"]) == (512, "lora")


NEW = "deepspeed --module openrlhf.cli.train_sft --model.model_name_or_path Qwen/Qwen2.5-7B {}\n"
OLD = "deepspeed --module openrlhf.cli.train_sft --pretrain Qwen/Qwen2.5-7B {}\n"

RLHF_ROWS = [
    ("model", NEW, "", "", "model", "Qwen/Qwen2.5-7B"),
    ("model-old", OLD, "", "", "model", "Qwen/Qwen2.5-7B"),
    ("full", NEW, "", "", "method", "full"),
    ("full-by-rank", NEW, "--ds.lora.rank 0", "", "method", "full"),
    ("lora", NEW, "--ds.lora.rank 64", "", "method", "lora"),
    ("lora-old", OLD, "--lora_rank 64", "", "lora.rank", 64),
    ("qlora", NEW, "--ds.lora.rank 64 --ds.load_in_4bit", "", "method", "qlora"),
    ("targets-absent", NEW, "--ds.lora.rank 64", "", "lora.target_modules", ["all-linear"]),
    ("micro-absent", NEW, "", "", "training.micro_batch_size", 8),
    ("micro", NEW, "--train.micro_batch_size 2", "", "training.micro_batch_size", 2),
    ("micro-old", OLD, "--micro_train_batch_size 2", "", "training.micro_batch_size", 2),
    ("length-absent", NEW, "", "", "training.sequence_length", 2048),
    ("length-old", OLD, "--max_len 4096", "", "training.sequence_length", 4096),
    ("checkpointing-absent", NEW, "", "", "training.gradient_checkpointing", False),
    (
        "checkpointing-old",
        OLD,
        "--gradient_checkpointing",
        "",
        "training.gradient_checkpointing",
        True,
    ),
    ("attention-absent", NEW, "", "", "training.attention", "flash"),
    ("attention-absent-then", OLD, "", "0.9.0", "training.attention", "sdpa"),
    ("attention-old", OLD, "--flash_attn", "0.9.0", "training.attention", "flash"),
    ("zero-absent", NEW, "", "", "sharding.strategy", "zero2"),
    ("zero-old", OLD, "--zero_stage 3", "", "sharding.strategy", "zero3"),
    ("offload", NEW, "--ds.adam_offload", "", "sharding.offload", "optimizer"),
    ("packing-absent", NEW, "", "", "training.packing", False),
    ("epochs-absent", NEW, "", "", "data.epochs", 2),
    ("accumulation-needs-the-count", NEW, "", "", "training.gradient_accumulation_steps", OPEN),
    ("count", NEW.replace("--module", "--num_gpus 8 --module"), "", "", "hardware.count", 8),
    (
        "accumulation",
        NEW.replace("--module", "--num_gpus 8 --module"),
        "",
        "",
        "training.gradient_accumulation_steps",
        2,
    ),
    ("ppo", NEW.replace("train_sft", "train_ppo_ray"), "", "", "method", OPEN),
]


@pytest.mark.parametrize(
    ("command", "flags", "version", "name", "expected"),
    [r[1:] for r in RLHF_ROWS],
    ids=[r[0] for r in RLHF_ROWS],
)
def test_a_flag_of_openrlhf(command, flags, version, name, expected):
    found = read(command.format(flags), "run.sh", version=version)
    assert found.trainer == "openrlhf"
    check(found, name, expected)


def test_a_command_in_a_here_document():
    script = """\
        read -r -d '' training_commands <<EOF
        openrlhf.cli.train_sft \\
          --pretrain x/y \\
          --max_len 512
        EOF
        """
    found = read(script, "run.sh", flags={"model": "Qwen/Qwen2.5-7B"})
    assert found["training.sequence_length"] == 512


# id, file, its name, a word of the reason
REFUSED = [
    ("nemo", "trainer: {devices: 8}\nmodel: {micro_batch_size: 4}", "a.yaml", "Megatron"),
    ("megatron-bridge", "model: {seq_length: 1}\ntrain: {micro_batch_size: 4}", "a.yaml", "recipe"),
    (
        "open-instruct",
        "model_name_or_path: x\ndataset_mixer_list: [a]\nper_device_train_batch_size: 1",
        "a.yaml",
        "own training script",
    ),
]


@pytest.mark.parametrize(
    ("text", "name", "word"), [r[1:] for r in REFUSED], ids=[r[0] for r in REFUSED]
)
def test_a_known_format_that_is_not_read_is_refused_with_its_reason(text, name, word):
    with pytest.raises(AssertionError, match=f"not-described.*{word}"):
        read(text, name)
