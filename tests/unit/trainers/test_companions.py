"""Files that complete a trainer's: accelerate, DeepSpeed, SkyPilot, launchers; and who wins."""

from __future__ import annotations

import pytest

from advisor.trainers.runs import Left, Run
from tests.unit.trainers.support import NONE, OPEN, check, read, read_all, runs

MAIN = """\
model_name_or_path: Qwen/Qwen2.5-7B
dataset_name: x
output_dir: o
dtype: bfloat16
per_device_train_batch_size: 2
"""
HEAD = "compute_environment: LOCAL_MACHINE\nnum_processes: 8\nmixed_precision: bf16\n"
ZERO = HEAD + "distributed_type: DEEPSPEED\n"
FSDP = (
    HEAD + "distributed_type: FSDP\nfsdp_config: {fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP}\n"
)

ACCELERATE = [
    ("count", ZERO, "hardware.count", 8),
    ("count-absent", ZERO.replace("num_processes: 8\n", ""), "hardware.count", OPEN),
    ("one", HEAD + "distributed_type: 'NO'", "sharding.strategy", "none"),
    ("one-as-yaml-has-it", HEAD + "distributed_type: NO", "sharding.strategy", "none"),
    ("multi", HEAD + "distributed_type: MULTI_GPU", "sharding.strategy", "ddp"),
    ("megatron", HEAD + "distributed_type: MEGATRON_LM", "sharding.strategy", OPEN),
    ("zero-absent", ZERO, "sharding.strategy", "zero2"),
    ("zero", ZERO + "deepspeed_config: {zero_stage: 3}", "sharding.strategy", "zero3"),
    (
        "zero-offload",
        ZERO + "deepspeed_config: {offload_optimizer_device: cpu, zero_stage: 2}",
        "sharding.offload",
        "optimizer",
    ),
    (
        "zero-offload-none",
        ZERO + "deepspeed_config: {offload_optimizer_device: none, zero_stage: 2}",
        "sharding.offload",
        "none",
    ),
    (
        "zero-file",
        ZERO + "deepspeed_config: {deepspeed_config_file: a/team.json}",
        "sharding.strategy",
        OPEN,
    ),
    (
        "zero-file-named",
        ZERO + "deepspeed_config: {deepspeed_config_file: a/ds_z1.json}",
        "sharding.strategy",
        "zero1",
    ),
    ("fsdp-absent", FSDP, "sharding.strategy", "fsdp"),
    (
        "fsdp",
        FSDP.replace("{fsdp_", "{fsdp_sharding_strategy: HYBRID_SHARD, fsdp_"),
        "sharding.strategy",
        "fsdp",
    ),
    (
        "fsdp-gradients-only",
        FSDP.replace("{fsdp_", "{fsdp_sharding_strategy: SHARD_GRAD_OP, fsdp_"),
        "sharding.strategy",
        OPEN,
    ),
    (
        "fsdp-unwrapped",
        FSDP.replace("TRANSFORMER_BASED_WRAP", "NO_WRAP"),
        "sharding.strategy",
        OPEN,
    ),
    (
        "fsdp-offload",
        FSDP.replace("{fsdp_", "{fsdp_offload_params: true, fsdp_"),
        "sharding.offload",
        "all",
    ),
    (
        "fsdp-checkpointing",
        FSDP.replace("{fsdp_", "{fsdp_activation_checkpointing: true, fsdp_"),
        "training.gradient_checkpointing",
        True,
    ),
    ("precision", ZERO, "training.compute_dtype", "bf16"),
    (
        "precision-none",
        ZERO.replace("mixed_precision: bf16", "mixed_precision: no"),
        "training.compute_dtype",
        NONE,
    ),
]


@pytest.mark.parametrize(
    ("text", "name", "expected"), [r[1:] for r in ACCELERATE], ids=[r[0] for r in ACCELERATE]
)
def test_a_key_of_accelerate(text, name, expected):
    found = read(text, "acc.yaml")
    assert found.trainer == "accelerate"
    check(found, name, expected)


STAGE2 = '{"zero_optimization": {"stage": 2}}'
AUTO = """\
"train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto",
"bf16": {"enabled": "auto"}"""
DEEPSPEED = [
    ("stage", f'{{{AUTO}, "zero_optimization": {{"stage": 3}}}}', "sharding.strategy", "zero3"),
    ("stage-absent", f"{{{AUTO}}}", "sharding.strategy", "ddp"),
    ("stage-0", f'{{{AUTO}, "zero_optimization": {{"stage": 0}}}}', "sharding.strategy", "ddp"),
    ("auto-says-nothing", f"{{{AUTO}}}", "training.micro_batch_size", NONE),
    ("micro", '{"train_micro_batch_size_per_gpu": 4}', "training.micro_batch_size", 4),
    (
        "accumulation",
        '{"zero_optimization": {"stage": 1}, "gradient_accumulation_steps": 8}',
        "training.gradient_accumulation_steps",
        8,
    ),
    ("offload-absent", '{"zero_optimization": {"stage": 2}}', "sharding.offload", "none"),
    (
        "offload-optimizer",
        '{"zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}}}',
        "sharding.offload",
        "optimizer",
    ),
    (
        "offload-nvme",
        '{"zero_optimization": {"stage": 3, "offload_optimizer": {"device": "nvme"}}}',
        "sharding.offload",
        "optimizer",
    ),
    (
        "offload-none",
        '{"zero_optimization": {"stage": 3, "offload_optimizer": {"device": "none"}}}',
        "sharding.offload",
        "none",
    ),
    (
        "offload-all",
        '{"zero_optimization": {"stage": 3, "offload_param": {"device": "cpu"},'
        ' "offload_optimizer": {"device": "cpu"}}}',
        "sharding.offload",
        "all",
    ),
    (
        "offload-old-key",
        '{"zero_optimization": {"stage": 2, "cpu_offload": true}}',
        "sharding.offload",
        "optimizer",
    ),
    (
        "precision",
        '{"zero_optimization": {"stage": 2}, "fp16": {"enabled": true}}',
        "training.compute_dtype",
        "fp16",
    ),
    ("precision-auto", f"{{{AUTO}}}", "training.compute_dtype", NONE),
    ("count", '{"zero_optimization": {"stage": 2}}', "hardware.count", OPEN),
]


@pytest.mark.parametrize(
    ("text", "name", "expected"), [r[1:] for r in DEEPSPEED], ids=[r[0] for r in DEEPSPEED]
)
def test_a_key_of_deepspeed(text, name, expected):
    found = read(text, "ds.json")
    assert found.trainer == "deepspeed"
    check(found, name, expected)


TASK = "resources: {{{}}}\nnum_nodes: {}\nrun: |\n  set -e\n  {}\n"
TRAIN = "llamafactory-cli train configs/train.yaml"
SKYPILOT = [
    ("gpu", TASK.format("accelerators: 'L4:2'", 1, TRAIN), "hardware.gpu", "L4"),
    ("count", TASK.format("accelerators: 'L4:2'", 1, TRAIN), "hardware.count", 2),
    ("count-alone", TASK.format("accelerators: L4", 1, TRAIN), "hardware.count", 1),
    ("count-over-nodes", TASK.format("accelerators: 'L4:8'", 2, TRAIN), "hardware.count", 16),
    ("map", TASK.format("accelerators: {T4: 4}", 1, TRAIN), "hardware.count", 4),
    ("map-gpu", TASK.format("accelerators: {T4: 4}", 1, TRAIN), "hardware.gpu", "T4"),
    ("several", TASK.format("accelerators: {T4: 4, L4: 2}", 1, TRAIN), "hardware.gpu", OPEN),
    (
        "gcp-boards",
        TASK.format("cloud: gcp, accelerators: 'A100-80GB:8'", 1, TRAIN),
        "hardware.gpu",
        "A100 SXM 80 GB",
    ),
    ("any-of", TASK.format("any_of: [{accelerators: L4}]", 1, TRAIN), "hardware.gpu", OPEN),
    (
        "memory",
        TASK.format("accelerators: L4, memory: 64+", 1, TRAIN),
        "hardware.host_memory",
        64e9,
    ),
    ("none", TASK.format("cloud: lambda", 1, TRAIN), "hardware.gpu", NONE),
]


@pytest.mark.parametrize(
    ("text", "name", "expected"), [r[1:] for r in SKYPILOT], ids=[r[0] for r in SKYPILOT]
)
def test_a_key_of_skypilot(text, name, expected):
    found = read(text, "task.yaml")
    if name == "hardware.gpu" and isinstance(expected, str):
        assert found["hardware.gpu.name"] == expected
    else:
        check(found, name, expected)


def test_a_gpu_with_several_boards_is_not_guessed():
    with pytest.raises(Exception, match="more than one GPU"):
        read(TASK.format("accelerators: 'A100-80GB:8'", 1, TRAIN), "task.yaml")


def test_a_command_inside_a_task_has_its_place_in_the_task():
    text = """\
        resources: {accelerators: L4}
        run: |
          set -x
          swift sft --model Qwen/Qwen2.5-7B \\
            --lora_rank 64
        """
    found = read(text, "task.yaml")
    assert found.trainer == "ms-swift"
    assert found.place("lora.rank").endswith("task.yaml:5:17")


# -- who wins -----------------------------------------------------------------------------------


def test_three_files_are_one_run():
    stage3 = STAGE2.replace("2", '3, "offload_param": {"device": "cpu"}')
    files = {
        "train.yaml": MAIN,
        "acc.yaml": ZERO.replace("8", "4") + "deepspeed_config: {zero_stage: 2}",
        "ds.json": stage3,
    }
    found = read_all(files, {"hardware.count": "2"})
    assert found.trainer == "trl"
    assert found["hardware.count"] == 2
    assert [one.name for one in found.scenario.overrides] == ["hardware.count"]
    assert (found["sharding.strategy"], found["sharding.offload"]) == ("zero3", "all")
    assert ("differs", ("sharding.strategy",)) in found.notes


@pytest.mark.parametrize("order", [("train.yaml", "acc.yaml"), ("acc.yaml", "train.yaml")])
def test_the_order_of_the_call_does_not_matter(order):
    files = {"train.yaml": MAIN + "bf16: false\n", "acc.yaml": ZERO}
    (run,) = [one for one in runs(files, list(order)) if isinstance(one, Run)]
    assert run.file.path.name == "train.yaml"
    found = read_all({name: files[name] for name in order})
    assert found["training.compute_dtype"] == "fp32", "the trainer's own flags decide"
    assert found["hardware.count"] == 8


def test_a_number_that_deepspeed_contradicts_stops_the_run():
    files = {
        "train.yaml": MAIN,
        "ds.json": '{"zero_optimization": {"stage": 2}, "train_micro_batch_size_per_gpu": 4}',
    }
    with pytest.raises(Exception, match=r"conflict: 'training.micro_batch_size' is 2 here and 4"):
        read_all(files)
    found = read_all(files, {"training.micro_batch_size": "1"})
    assert found["training.micro_batch_size"] == 1


def test_a_launcher_counts_more_than_its_file_and_less_than_a_flag():
    script = (
        "accelerate launch --config_file acc.yaml --num_processes 2 "
        "trl/scripts/sft.py --model_name_or_path Qwen/Qwen2.5-7B\n"
    )
    found = read_all({"run.sh": script, "acc.yaml": ZERO})
    assert found["hardware.count"] == 2
    assert (
        read_all({"run.sh": script, "acc.yaml": ZERO}, {"hardware.count": "4"})["hardware.count"]
        == 4
    )


def test_a_task_says_less_than_the_files_it_names():
    files = {
        "task.yaml": TASK.format(
            "accelerators: 'L4:8'", 1, "accelerate launch --config_file acc.yaml train.py"
        ),
        "train.yaml": MAIN,
        "acc.yaml": ZERO.replace("8", "4"),
    }
    found = read_all(files)
    assert (found["hardware.count"], found["hardware.gpu.name"]) == (4, "L4")


# -- what belongs together ------------------------------------------------------------------------


def named(found: list[Run | Left]) -> list[tuple[str, list[str]]]:
    """Each run with the files it is made of."""
    return [
        (one.file.path.name, [s.document.name.rpartition("/")[2] for s in one.sources])
        for one in found
        if isinstance(one, Run)
    ]


OTHER = MAIN.replace("2.5-7B", "2.5-0.5B")


def test_two_configurations_are_two_runs_and_share_a_companion():
    found = runs({"a.yaml": MAIN, "b.yaml": OTHER, "acc.yaml": ZERO})
    assert named(found) == [("a.yaml", ["a.yaml", "acc.yaml"]), ("b.yaml", ["b.yaml", "acc.yaml"])]


def test_a_file_that_names_its_companion_takes_that_one():
    files = {
        "a.yaml": MAIN + "deepspeed: configs/z2.json",
        "b.yaml": OTHER + "deepspeed: configs/z3.json",
        "z2.json": STAGE2,
        "z3.json": STAGE2.replace("2", "3"),
    }
    assert named(runs(files)) == [
        ("a.yaml", ["a.yaml", "z2.json"]),
        ("b.yaml", ["b.yaml", "z3.json"]),
    ]


def test_several_companions_of_a_kind_for_one_configuration_are_a_problem():
    (run,) = runs({"a.yaml": MAIN, "z2.json": STAGE2, "z3.json": STAGE2.replace("2", "3")})[:1]
    assert isinstance(run, Run)
    assert [one.code for one in run.problems] == ["conflict"]


def test_a_companion_alone_is_a_run_that_lacks_a_model():
    found = read(
        STAGE2,
        "ds.json",
        flags={"model": "Qwen/Qwen2.5-7B", "method": "lora", "hardware.count": "4"},
    )
    assert (found["sharding.strategy"], found["model"]) == ("zero2", "Qwen/Qwen2.5-7B")


def test_in_a_folder_only_names_bring_files_together():
    files = {
        "c/a.yaml": MAIN + "deepspeed: z2.json",
        "c/b.yaml": OTHER,
        "c/z2.json": STAGE2,
        "c/acc.yaml": ZERO,
    }
    found = runs(files, ["c"])
    assert named(found) == [("a.yaml", ["a.yaml", "z2.json"]), ("b.yaml", ["b.yaml"])]
    assert [one.problem.code for one in found if isinstance(one, Left)] == ["companion"]


def test_a_named_file_below_the_folder_is_read_without_being_asked_for():
    files = {"a.yaml": MAIN + "deepspeed: ds/mine.json", "ds/mine.json": STAGE2}
    assert named(runs(files, ["a.yaml"])) == [("a.yaml", ["a.yaml", "mine.json"])]


@pytest.mark.parametrize("outside", ["../mine.json", "/etc/mine.json", "ds/../../mine.json"])
def test_a_named_file_elsewhere_is_not(outside):
    files = {"c/a.yaml": MAIN + f"deepspeed: {outside}", "mine.json": STAGE2}
    (run,) = runs(files, ["c/a.yaml"])
    assert isinstance(run, Run)
    assert [one.kind for one in run.notes] == ["named-file"]


def test_a_link_does_not_lead_out_of_the_folder(tmp_path):
    (tmp_path / "secret.json").write_text(STAGE2, "utf-8")
    folder = tmp_path / "c"
    folder.mkdir()
    (folder / "a.yaml").write_text(MAIN + "deepspeed: ds.json", "utf-8")
    (folder / "ds.json").symlink_to(tmp_path / "secret.json")
    from advisor.trainers.gather import gather
    from advisor.trainers.runs import Sorter
    from tests.unit.trainers.support import formats, project

    files = list(gather([folder / "a.yaml"], []))
    (run,) = Sorter(files, project().book.inputs, formats).runs()
    assert isinstance(run, Run)
    assert [one.kind for one in run.notes] == ["named-file"]


def test_a_script_of_two_commands_is_two_runs():
    script = "swift sft --model Qwen/Qwen2.5-7B\n\nswift sft --model Qwen/Qwen2.5-0.5B\n"
    found = runs({"run.sh": script})
    assert [one.name.rpartition("/")[2] for one in found if isinstance(one, Run)] == [
        "run.sh:1",
        "run.sh:3",
    ]
