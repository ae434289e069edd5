"""TrainingArguments as a file, and scripts that take them as flags; the GLM demos beside them."""

from __future__ import annotations

import pytest

from tests.unit.trainers.support import NONE, OPEN, check, read

CLM = """\
model_name_or_path: Qwen/Qwen2.5-7B
train_file: a.txt
block_size: 1024
per_device_train_batch_size: 2
output_dir: out
"""
BARE = '{"output_dir": "out", "per_device_train_batch_size": 4, "bf16": true}'
SCRIPT = """\
MODEL=Qwen/Qwen2.5-7B
torchrun --nproc_per_node $GPUS --nnodes 2 finetune.py --model_name_or_path $MODEL \\
  --output_dir out --bf16 True --per_device_train_batch_size 2 --model_max_length 2048 \\
  --use_lora --gradient_checkpointing True --deepspeed ds_config_zero2.json --learning_rate 1e-5
"""

# id, file, its name, version, input, value
ROWS = [
    ("model", CLM, "a.yaml", "", "model", "Qwen/Qwen2.5-7B"),
    ("script-of-transformers", CLM, "a.yaml", "", "method", "full"),
    ("json-says-no-method", BARE, "a.json", "", "method", OPEN),
    ("json-says-no-length", BARE, "a.json", "", "training.sequence_length", OPEN),
    ("json-micro", BARE, "a.json", "", "training.micro_batch_size", 4),
    ("blocks-are-full", CLM, "a.yaml", "", "training.packing", True),
    ("length", CLM, "a.yaml", "", "training.sequence_length", 1024),
    ("weights-absent", CLM, "a.yaml", "", "training.weights_dtype", "bf16"),
    ("weights-absent-then", CLM, "a.yaml", "4.57.1", "training.weights_dtype", "fp32"),
    ("weights-absent-since", CLM, "a.yaml", "5.0", "training.weights_dtype", "bf16"),
    ("weights", CLM + "torch_dtype: float16", "a.yaml", "", "training.weights_dtype", "fp16"),
    ("compute-follows-the-weights", CLM, "a.yaml", "", "training.compute_dtype", "bf16"),
    ("compute-absent-then", CLM, "a.yaml", "4.40.0", "training.compute_dtype", "fp32"),
    ("compute", CLM + "fp16: true", "a.yaml", "", "training.compute_dtype", "fp16"),
    ("checkpointing-absent", CLM, "a.yaml", "", "training.gradient_checkpointing", False),
    ("optimizer-absent", CLM, "a.yaml", "", "training.optimizer", "adamw-fused"),
    ("optimizer-absent-then", CLM, "a.yaml", "4.30.2", "training.optimizer", "adamw"),
    (
        "micro-absent",
        CLM.replace("per_device_train_batch_size: 2\n", "")
        + "do_train: true\nper_device_eval_batch_size: 1",
        "a.yaml",
        "",
        "training.micro_batch_size",
        8,
    ),
    ("evaluation-batch-absent", CLM, "a.yaml", "", "evaluation.micro_batch_size", 8),
    ("accumulation-absent", CLM, "a.yaml", "", "training.gradient_accumulation_steps", 1),
    ("epochs-absent", CLM, "a.yaml", "", "data.epochs", 3),
    ("evaluation-absent", CLM, "a.yaml", "", "evaluation.enabled", False),
    ("grouped", CLM + "group_by_length: true", "a.yaml", "", "training.group_by_length", True),
    ("liger", CLM + "use_liger_kernel: true", "a.yaml", "", "training.loss", "fused"),
    ("loss-absent", CLM, "a.yaml", "", "training.loss", "full"),
    # flags of a script
    ("flag-model", SCRIPT, "run.sh", "", "model", "Qwen/Qwen2.5-7B"),
    ("flag-method", SCRIPT, "run.sh", "", "method", "lora"),
    ("flag-qlora", SCRIPT.replace("--use_lora", "--q_lora True"), "run.sh", "", "method", "qlora"),
    (
        "flag-quantised",
        SCRIPT.replace("--use_lora", "--q_lora True"),
        "run.sh",
        "",
        "training.weights_dtype",
        "nf4",
    ),
    ("flag-method-absent", SCRIPT.replace("--use_lora", ""), "run.sh", "", "method", OPEN),
    ("flag-length", SCRIPT, "run.sh", "", "training.sequence_length", 2048),
    ("flag-number", SCRIPT, "run.sh", "", "training.learning_rate", 1e-5),
    ("flag-zero", SCRIPT, "run.sh", "", "sharding.strategy", "zero2"),
    ("flag-count-elsewhere", SCRIPT, "run.sh", "", "hardware.count", OPEN),
    ("flag-count", SCRIPT.replace("$GPUS", "4"), "run.sh", "", "hardware.count", 8),
]


@pytest.mark.parametrize(
    ("text", "file", "version", "name", "expected"), [r[1:] for r in ROWS], ids=[r[0] for r in ROWS]
)
def test_a_key(text, file, version, name, expected):
    found = read(text, file, version=version)
    assert found.trainer == "transformers"
    check(found, name, expected)


GLM = """\
max_input_length: 512
max_output_length: 256
training_args: {per_device_train_batch_size: 1, max_steps: 3000, deepspeed: configs/ds_zero_2.json}
peft_config: {peft_type: LORA, r: 8, target_modules: [query_key_value]}
"""

GLM_ROWS = [
    ("model", GLM, "model", NONE),
    ("lora", GLM, "method", "lora"),
    ("prefix", GLM.replace("LORA", "PREFIX_TUNING"), "method", OPEN),
    ("full", GLM.partition("peft_config")[0], "method", "full"),
    ("length", GLM, "training.sequence_length", 769),
    ("targets", GLM, "lora.target_modules", ["qkv"]),
    ("micro", GLM, "training.micro_batch_size", 1),
    (
        "micro-absent",
        GLM.replace("per_device_train_batch_size: 1, ", ""),
        "training.micro_batch_size",
        8,
    ),
    ("zero", GLM, "sharding.strategy", "zero2"),
    ("checkpointing", GLM, "training.gradient_checkpointing", True),
]


@pytest.mark.parametrize(
    ("text", "name", "expected"), [r[1:] for r in GLM_ROWS], ids=[r[0] for r in GLM_ROWS]
)
def test_a_key_of_the_glm_demos(text, name, expected):
    found = read(text)
    assert found.trainer == "glm-finetune"
    check(found, name, expected)
