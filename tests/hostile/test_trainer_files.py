"""Files that pretend to be trainers': huge, deep, odd, or written to do harm.

Each ends with an exit code that means what it says; nothing of it runs or reaches a terminal raw.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest

from advisor.cli.app import run
from advisor.cli.exits import Exit

FLAGS = ["--gpu", "RTX 4090", "--today", "2026-11-29", "--no-config"]
AXOLOTL = "base_model: Qwen/Qwen2.5-0.5B\nadapter: lora\nlora_r: 8\ndatasets: [x]\n"
LAUGHS = "a0: &a0 [x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 30)
)
MANY_KEYS = AXOLOTL + "".join(f"key_{n}: {'x' * 90}\n" for n in range(10_000))
MANY_FLAGS = "swift sft --model Qwen/Qwen2.5-0.5B --max_length 512 " + " ".join(
    f"--flag_{n} '{'x' * 80}'" for n in range(10_000)
)
MANY_CALLS = (
    'FastModel.from_pretrained("unsloth/Qwen2.5-0.5B", max_seq_length=512)\n'
    "FastModel.get_peft_model(model, r=8)\n" + "".join(f"call_{n}(x={n})\n" for n in range(10_000))
)
ESCAPE = "\\e[31m\\e]0;owned\\a\\u202e"

# id, name, content, exit codes it may end with
FILES = [
    ("many-keys", "a.yaml", MANY_KEYS, {Exit.HOLDS}),
    ("many-flags", "a.sh", MANY_FLAGS, {Exit.HOLDS}),
    ("many-calls", "a.py", MANY_CALLS, {Exit.HOLDS}),
    ("laughs", "a.yaml", AXOLOTL + LAUGHS, {Exit.BROKEN}),
    ("one-laugh", "a.yaml", AXOLOTL + "x: &x [1, 2]\ny: [*x, *x]\n", {Exit.HOLDS}),
    ("loop", "a.yaml", AXOLOTL + "x: &x {y: *x}\n", {Exit.BROKEN}),
    ("deep", "a.yaml", AXOLOTL + "x: " + "[" * 5000, {Exit.BROKEN}),
    ("deep-json", "a.json", '{"zero_optimization": ' + '{"a":' * 5000, {Exit.BROKEN}),
    ("too-large", "a.yaml", AXOLOTL + "# " + "x" * (1 << 20), {Exit.BROKEN}),
    ("nul", "a.yaml", AXOLOTL + "x: \x00\n", {Exit.BROKEN}),
    ("not-utf-8", "a.yaml", AXOLOTL.encode() + b"x: \xff\xfe\n", {Exit.BROKEN}),
    ("crlf", "a.yaml", AXOLOTL.replace("\n", "\r\n"), {Exit.HOLDS}),
    ("mark", "a.yaml", "\ufeff" + AXOLOTL, {Exit.HOLDS}),
    (
        "python-tag",
        "a.yaml",
        AXOLOTL + "x: !!python/object/apply:os.system ['exit 3']\n",
        {Exit.HOLDS},
    ),
    ("repeated-keys", "a.yaml", AXOLOTL + "lora_r: 4\n" * 500, {Exit.HOLDS}),
    ("escapes-in-a-value", "a.yaml", AXOLOTL + f'optimizer: "{ESCAPE}"\n', {Exit.UNDECIDED}),
    (
        "escapes-in-the-model",
        "a.yaml",
        AXOLOTL.replace("Qwen/Qwen2.5-0.5B", f'"{ESCAPE}"'),
        {Exit.BROKEN},
    ),
    ("escapes-in-a-key", "a.yaml", f'"{ESCAPE}": 1\n', {Exit.BROKEN}),
    (
        "escapes-in-a-repeated-key",
        "a.yaml",
        AXOLOTL + f'"{ESCAPE}": 1\n"{ESCAPE}": 2\n',
        {Exit.HOLDS},
    ),
    (
        "escapes-in-a-flag",
        "a.sh",
        "swift sft --model Qwen/Qwen2.5-0.5B --optim $'\x1b[31m'\n",
        {Exit.UNDECIDED, Exit.BROKEN},
    ),
    ("model-is-a-map", "a.yaml", AXOLOTL.replace("Qwen/Qwen2.5-0.5B", "{a: 1}"), {Exit.UNDECIDED}),
    (
        "model-is-a-list",
        "a.yaml",
        AXOLOTL.replace("Qwen/Qwen2.5-0.5B", "[a, b]"),
        {Exit.BROKEN, Exit.UNDECIDED},
    ),
    ("model-is-a-number", "a.yaml", AXOLOTL.replace("Qwen/Qwen2.5-0.5B", "7"), {Exit.BROKEN}),
    (
        "model-leads-out",
        "a.yaml",
        AXOLOTL.replace("Qwen/Qwen2.5-0.5B", "../../../etc"),
        {Exit.BROKEN},
    ),
    (
        "model-is-a-file-elsewhere",
        "a.yaml",
        AXOLOTL.replace("Qwen/Qwen2.5-0.5B", "/etc/config.json"),
        {Exit.BROKEN},
    ),
    ("rank-is-a-map", "a.yaml", AXOLOTL + "lora_r: {a: 1}\n", {Exit.UNDECIDED}),
    ("rank-is-huge", "a.yaml", AXOLOTL + "lora_r: 1e300\n", {Exit.BROKEN}),
    ("rank-is-not-a-number", "a.yaml", AXOLOTL + "lora_r: .nan\n", {Exit.BROKEN}),
    ("rank-has-many-digits", "a.yaml", AXOLOTL + f"lora_r: {'9' * 5000}\n", {Exit.BROKEN}),
    ("batch-of-nothing", "a.yaml", AXOLOTL + "micro_batch_size: 0\nbatch_size: 4\n", {Exit.BROKEN}),
    ("shell-unclosed", "a.sh", "swift sft --model 'Qwen\n" + "$((" * 5000, {Exit.BROKEN}),
    (
        "shell-doubling",
        "a.sh",
        "A=xxxxxxxxxx\n"
        + "".join(f"{chr(66 + n)}=${chr(65 + n)}${chr(65 + n)}\n" for n in range(20))
        + "swift sft --model $U\n",
        {Exit.UNDECIDED},
    ),
    (
        "python-deep",
        "a.py",
        "FastModel.from_pretrained(" + "[" * 90 + "]" * 90 + ")",
        {Exit.UNDECIDED},
    ),
    ("python-too-deep", "a.py", "f(" * 3000, {Exit.BROKEN}),
    ("notebook-of-nothing", "a.ipynb", '{"cells": []}', {Exit.BROKEN}),
    (
        "notebook-odd",
        "a.ipynb",
        '{"cells": [1, {"cell_type": "code", "source": {"a": 1}}]}',
        {Exit.BROKEN},
    ),
    (
        "task-with-odd-command",
        "a.yaml",
        'resources: {accelerators: [1, {}]}\nrun: "\'"\n',
        {Exit.BROKEN, Exit.UNDECIDED},
    ),
]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize(
    ("name", "content", "codes"), [r[1:] for r in FILES], ids=[r[0] for r in FILES]
)
def test_a_hostile_file_ends_well(folder, capfd, name, content, codes, form):
    (folder / name).write_bytes(encoded(content))
    code = run(["check", name, "--format", form, *FLAGS])
    written = capfd.readouterr()
    assert code in codes, written.out[-2000:]
    assert "Traceback" not in written.out + written.err
    assert not any(char in written.out + written.err for char in "\x1b\x07\x00\u202e")
    if form == "json":
        assert json.loads(written.out)["summary"]["exit"] == code


def encoded(content: Any) -> bytes:
    """The bytes of a row's content."""
    return content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")


def test_a_folder_of_hostile_files_hides_no_good_one(folder, capfd):
    for number, (_, name, content, _) in enumerate(FILES):
        (folder / f"{number}{Path(str(name)).suffix}").write_bytes(encoded(content))
    (folder / "good.yaml").write_text(AXOLOTL, "utf-8")
    code = run(["check", ".", "--format", "json", *FLAGS])
    found = json.loads(capfd.readouterr().out)
    assert code == Exit.BROKEN
    assert {"holds"} == {one["status"] for one in found["results"] if one["file"] == "good.yaml"}


@pytest.mark.parametrize("kind", ["fifo", "loop", "folder"])
def test_what_is_no_regular_file(folder, capfd, kind):
    path = folder / "a.yaml"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "loop":
        path.symlink_to(path)
    else:
        path.mkdir()
    assert run(["check", "a.yaml", *FLAGS]) == Exit.BROKEN
    assert "Traceback" not in capfd.readouterr().out


def test_a_named_fifo_is_not_read(folder):
    os.mkfifo(folder / "ds.json")
    (folder / "a.yaml").write_text(AXOLOTL + "deepspeed: ds.json\n", "utf-8")
    assert run(["check", "a.yaml", *FLAGS]) == Exit.UNDECIDED
