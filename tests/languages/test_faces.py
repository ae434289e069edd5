"""No face says English of its own: neither beside marked sentences, nor in Chinese.

``PROBLEMS`` is the one exception, beside marked sentences: what is wrong with files and calls is
said in English by the code, and tests/unit/test_said.py holds that it is said in Chinese, too.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from advisor.accuracy import measure
from advisor.chat.plain import Printer, converse, farewell
from advisor.conversation import Conversation, State
from tests.languages.stage import CHINESE, MARKED, Stage, build
from tests.support import ROOT
from tests.tui import driving
from tests.tui.driving import Seat, sit

PROBLEMS = re.compile(
    r"^\s*(!? ?\S+:\d+:\d+: [a-z-]+: |advisor: |See ').*$"
    r"|'[\w.]+' needs a number:|is not a number with a unit|Write it as",
    re.MULTILINE,
)
"""Lines that say what is wrong with a file or a call, and of values what no wrapping parts."""


def without_problems(stage: Stage, text: str) -> str:
    return PROBLEMS.sub("", text) if stage.world == MARKED else text


COUNTED = 60_000
"""Characters of a face that are looked at; none is so long."""

Calls = pytest.CaptureFixture[str]


@pytest.fixture(scope="module", params=[MARKED, pytest.param(CHINESE, marks=pytest.mark.slow)])
def stage(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stage]:
    with pytest.MonkeyPatch.context() as patch:
        yield build(request.param, tmp_path_factory.mktemp("world"), patch)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files that calls name."""
    for path in (ROOT / "tests" / "golden").glob("*.yaml"):
        shutil.copy(path, tmp_path)
    for name, text in FILES.items():
        tmp_path.joinpath(name).write_text(text, "utf-8")
    table = (ROOT / "tests" / "accuracy" / "data" / "measured_runs.csv").read_text("utf-8")
    head, *rows = table.splitlines()
    tmp_path.joinpath("runs.csv").write_text("\n".join([head, *rows[:40]]) + "\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


FILES = {
    "llama-factory.yaml": """\
model_name_or_path: Qwen/Qwen2.5-7B-Instruct
stage: sft
finetuning_type: lora
lora_rank: 8
dataset: identity
template: qwen
cutoff_len: 2048
per_device_train_batch_size: 8
num_train_epochs: ${EPOCHS}
resume_from_checkpoint: last
bf16: true
neat_packing: maybe
""",
    "axolotl.yaml": """\
base_model: NousResearch/Llama-3.2-1B
datasets: [{path: teknium/GPT4-LLM-Cleaned, type: alpaca}]
adapter: lora
lora_r: 16
sequence_len: 2048
micro_batch_size: 64
gradient_checkpointing: false
rl: dpo
deepspeed: deepspeed_configs/zero1.json
""",
    "excused.yaml": """\
language: 1
waivers:
  - policy: fits-in-memory
    scenario: plan.yaml
    reason: 第二张卡十二月到
    approved_by: ann@example.com
    approved_on: 2026-11-02
    expires: 2026-12-04
    allow: {memory.need: 300 GiB}
""",
    "project.yaml": "language: 1\ndefaults: {hardware.gpu: RTX 4090}\n",
    "team.yaml": """\
language: 1
layer: team
patch:
  policies.effective-batch.level: {value: deny, reason: 坏批次重跑过两次}
  parameters.memory_reserve: {value: 0.5 GiB, reason: 没有桌面}
  ladder: {remove: [four-bit-base], reason: 我们不量化}
""",
    "data.jsonl": '{"text": "hello"}\n' * 50 + '{"text": "' + "long " * 900 + '"}\nnot json\n',
    "bare.yaml": "model: Qwen/Qwen2.5-7B\nmethod: lora\n",
}
GOLDEN = ("experts", "fits", "plan", "qlora", "tight", "undecided", "unsolvable", "vision", "zero3")
SCENARIOS = tuple(f"{name}.yaml" for name in GOLDEN)
DAY = ("--today", "2026-11-20")  # no waiver is about to end

CALLS: dict[str, tuple[str, ...]] = {
    "check": ("check", *SCENARIOS, *DAY),
    "check-waived": ("check", "plan.yaml", "--config", "excused.yaml", *DAY),
    "check-strict": ("check", "tight.yaml", "bare.yaml", "--fail-on", "warn", *DAY),
    "check-layer": ("check", "plan.yaml", "--rules", "team.yaml", "--gpu", "A100 SXM 40 GB", *DAY),
    "check-project": ("check", "bare.yaml", "--config", "project.yaml", *DAY),
    "check-data": ("check", "fits.yaml", "--data", "data.jsonl", *DAY),
    "check-trainers": ("check", "llama-factory.yaml", "axolotl.yaml", *DAY),
    "check-as": ("check", "llama-factory.yaml", "--as", "llama-factory", *DAY),
    "check-diff": ("check", "plan.yaml", "llama-factory.yaml", "--diff", *DAY),
    "check-fix": ("check", "plan.yaml", "--fix", *DAY),
    "explain": ("explain", "plan.yaml", "memory", "--depth", "12", *DAY),
    "explain-time": ("explain", "plan.yaml", "time", "--depth", "12", *DAY),
    "explain-cost": ("explain", "undecided.yaml", "cost.total", "--depth", "5", *DAY),
    "explain-policy": ("explain", "plan.yaml", "fits-in-memory", *DAY),
    "explain-input": ("explain", "plan.yaml", "training.optimizer", *DAY),
    "gpus": ("gpus",),
    "gpu": ("gpus", "RTX 4090"),
    "models": ("models", "--where", "layers > 60"),
    "model": ("models", "Qwen/Qwen3-VL-4B-Instruct"),
    "rules-lint": ("rules", "lint"),
    "rules-test": ("rules", "test", "-v"),
    "rules-diff": ("rules", "diff", "--rules", "team.yaml", "plan.yaml", "undecided.yaml"),
    "rules-show-ladder": ("rules", "show", "ladder", "--rules", "team.yaml"),
    "rules-show-parameter": ("rules", "show", "memory_reserve", "--rules", "team.yaml"),
    "rules-show-policy": ("rules", "show", "effective-batch", "--rules", "team.yaml"),
    "rules-show-remedy": ("rules", "show", "fused-loss"),
    "rules-show-input": ("rules", "show", "training.optimizer"),
    "lengths": ("lengths", "data.jsonl", "--sequence-length", "512", "--batch", "4"),
    "accuracy": ("accuracy", "runs.csv"),
    "init-github": ("init", "."),
    "init-gitlab": ("init", ".", "--ci", "gitlab"),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_says_no_english_of_its_own(stage, folder, capsys, name):
    if name == "init-gitlab":
        folder.joinpath("CODEOWNERS").write_text("* @everybody\n")
    told = stage.call(capsys, *CALLS[name])
    names = list(CODE.get(name, ()))
    if name == "accuracy":  # why a row is not used is a problem of its file
        found = measure(stage.project, Path("runs.csv"), "runs.csv")
        names += [one.reason for one in found.skipped]
    assert stage.forgotten(without_problems(stage, told)[:COUNTED], names) == []
    assert ("⟦" in told) == (stage.world == MARKED)


CODE = {
    "rules-test": ("does not fit",),  # what an example expects, in the rule language
}


# -- formats of a check ---------------------------------------------------------------------------

FORMATS = ("markdown", "junit", "github", "gitlab", "sarif", "json")
ELSEWHERE = {
    "$schema", "type", "set", "inputs", "rules", "uri", "informationUri",
    "verdict", "state", "status", "standing", "reason", "worse",
}  # fmt: skip
"""Parts of JSON documents that hold words for programs, which are the same in every language."""


def strings(node: Any, key: str = "") -> Iterator[str]:
    """Every text of a JSON document that people read."""
    if isinstance(node, dict):
        for name, value in node.items():
            if name not in ELSEWHERE or (isinstance(value, list) and name == "rules"):
                yield from strings(value, name)
    elif isinstance(node, list):
        for value in node:
            yield from strings(value, key)
    elif isinstance(node, str):
        yield node


@pytest.mark.parametrize("form", FORMATS)
def test_a_report_says_no_english_of_its_own(stage, folder, capsys, form):
    baseline = folder / "before.json"
    code = ["check", *SCENARIOS, *DAY, "--format", "json", "--gpu", "H200 SXM"]
    baseline.write_text(stage.call(capsys, *code), "utf-8")
    call = ("check", *SCENARIOS, "--config", "excused.yaml", "--baseline", "before.json", *DAY)
    told = stage.call(capsys, *call, "--format", form)
    if form in ("gitlab", "sarif", "json"):
        told = "\n".join(strings(json.loads(told)))
    assert stage.forgotten(told) == []


def test_the_scenarios_come_to_every_outcome(stage, folder, capsys):
    call = ("check", *SCENARIOS, "--config", "excused.yaml", *DAY, "--format", "json")
    results = json.loads(stage.call(capsys, *call))["results"]
    found = {(one["level"], one["state"]) for result in results for one in result["policies"]}
    assert {state for _, state in found} == {
        "holds", "fails", "waived", "undecided", "not applicable",
    }  # fmt: skip
    assert {level for level, state in found if state == "fails"} == {"deny", "warn", "info"}
    assert {one["verdict"] for one in results} >= {"fits", "tight", "does not fit", "undecided"}


# -- the conversation -----------------------------------------------------------------------------

ONE_LINE = "qwen2.5 7b lora on a 4090 seq 2048"
LINES = [
    "", "", "xyzzy plugh", "bs=0 rank 1.5 deadline 6 optimizer=foo", "qlroa", "", "", ONE_LINE,
    "/why", "/why fits-in-memory", "/why shard", "/why fused-loss", "/why memory.need", "/why 1",
    "/why time", "/why hardware.gpu", "/why nothing-like-it", "/answers", "checkpointing off",
    "transformers", "/plan", "/whatif", "/whatif bs 1", "/whatif a100", "/whatif qwertz",
    "/compare gpus", "/compare methods", "/compare ladder", "/compare batch", "/compare xyz",
    "/take 9", "/take", "/take", "/back", "/redo", "/redo", "/skip", "/help", "/help why", "/foo",
    "/export", "/export md", "/export foo", "/export yaml out.yaml", "/copy", "/copy foo",
    "/save kept.yaml", "/open kept.yaml", "/open", "/lang xx", "/set", "/set model=?",
    "/set batch=many", "/set hardware.gpu.memory_marketed=3", "OOM",
    "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.6 GiB",
    "a100", "", "20k samples of 512 tokens, 3 epochs, deadline 1 h, budget 1 USD",
    "/more", "", "", "", "", "", "", "", "", "", "", "which gpu", "/back", "/quit",
]  # fmt: skip


def test_a_conversation_says_no_english_of_its_own(stage, folder):
    talk = Conversation(stage.project, folder)
    told: list[str] = []
    waiting = iter(LINES)
    printer = Printer(talk, told.append, colour=False, is_terminal=False)
    state = converse(talk, State(stage.language), lambda _: next(waiting, None), printer)
    told.append(farewell(talk, state))
    text = "".join(told)
    assert len(text) > 10_000
    said = re.sub(r"^(# advisor chat, |❯ ).*$", "", text, flags=re.MULTILINE)  # YAML, and typed
    assert stage.forgotten(without_problems(stage, said)) == []


# -- the screen -----------------------------------------------------------------------------------


async def _typed(seat: Seat, *lines: str) -> None:
    for line in lines:
        await seat.type(line, "enter")


async def _settled(seat: Seat) -> None:
    await _typed(seat, ONE_LINE + " transformers checkpointing off batch 4")


async def _first(seat: Seat) -> None:
    pass


async def _completing(seat: Seat) -> None:
    await seat.type("qwen 7")


async def _muted(seat: Seat) -> None:
    await _typed(seat, ONE_LINE)


async def _said(seat: Seat, *lines: str) -> None:
    await _settled(seat)
    await _typed(seat, *lines)


async def _pressed(seat: Seat, *keys: str) -> None:
    await _settled(seat)
    for key in keys:
        await seat.press(key)


SCENES: dict[str, Callable[[Seat], Any]] = {
    "first": _first,
    "completing": _completing,
    "muted": _muted,
    "settled": _settled,
    "taken": lambda seat: _said(seat, "/take"),
    "numbers": lambda seat: _said(seat, "20k samples of 512 tokens 3 epochs", "/more"),
    "comparing": lambda seat: _said(seat, "/compare gpus"),
    "help": lambda seat: _pressed(seat, "f1"),
    "why": lambda seat: _pressed(seat, "f2"),
    "answers": lambda seat: _pressed(seat, "f5"),
    "chart": lambda seat: _pressed(seat, "f7"),
    "chart-next": lambda seat: _pressed(seat, "f7", "right"),
    "chart-early": lambda seat: seat.press("f7"),
    "palette": lambda seat: _pressed(seat, "ctrl+p"),
    "leaving": lambda seat: _pressed(seat, "ctrl+c"),
    "wrong": lambda seat: _said(seat, "rank 1.5", "/foo"),
}
SIZES = ((120, 40), pytest.param((80, 24), marks=pytest.mark.slow))


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", SCENES)
def test_a_screen_says_no_english_of_its_own(stage, folder, monkeypatch, name, size):
    monkeypatch.setattr(driving, "rules", lambda: stage.project)
    seen: list[str] = []

    async def person(seat: Seat) -> None:
        await SCENES[name](seat)
        seen.append(seat.text())

    sit(person, size, stage.language, folder)
    assert seen[0].strip()
    assert stage.forgotten(seen[0], TYPED) == []


TYPED = (
    ONE_LINE, "transformers checkpointing off batch", "samples of", "tokens", "lora on a",
)  # fmt: skip
"""What the person typed."""
