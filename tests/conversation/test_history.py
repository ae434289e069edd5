"""Typed lines are kept for the next conversation on a terminal, and nowhere else."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from advisor.chat.history import MOST_BYTES, history
from advisor.chat.prompt import Prompt
from advisor.cli.chat import history_file
from advisor.conversation import Conversation, State
from tests.conversation.test_plain import ADVISOR, Terminal, run


def typed(talk: Conversation, keys: str, kept: Path | None) -> str | None:
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        pipe.send_text(keys)
        return Prompt(talk, kept)(State())


def test_the_next_conversation_has_the_lines_of_the_last(talk, tmp_path):
    path = tmp_path / "state" / "advisor" / "history"
    assert typed(talk, "lora\r", path) == "lora"
    assert typed(talk, "batch 4\r", path) == "batch 4"
    assert list(history(path).load_history_strings()) == ["batch 4", "lora"]


def test_only_the_owner_reads_them(talk, tmp_path):
    path = tmp_path / "made" / "history"
    typed(talk, "lora\r", path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    path.chmod(0o644)
    typed(talk, "qlora\r", path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_it_does_not_grow_without_bounds(tmp_path):
    path = tmp_path / "history"
    entries = [f"\n# 2026-11-29\n+line {number} {'x' * 40}\n" for number in range(3000)]
    path.write_text("".join(entries))
    assert path.stat().st_size > MOST_BYTES
    lines = list(history(path).load_history_strings())
    assert path.stat().st_size <= MOST_BYTES
    assert lines[0].startswith("line 2999 ")
    assert all(line.startswith("line ") for line in lines)
    assert [one.name for one in tmp_path.iterdir()] == ["history"]


@pytest.mark.parametrize("kind", ["folder", "pipe", "below a file", "garbage", "loop", "nul"])
def test_a_file_that_cannot_be_used_stops_nobody(talk, tmp_path, kind):
    path = tmp_path / "history"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "below a file":
        path.write_text("")
        path = path / "history"
    elif kind == "garbage":
        path.write_bytes(bytes(range(256)) * 20)
    elif kind == "loop":
        path.symlink_to(path)
    else:
        path = Path("\0")
    assert typed(talk, "lora\r", path) == "lora"


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_cannot_be_written_stops_nobody(talk, tmp_path):
    tmp_path.chmod(0o500)
    assert typed(talk, "lora\r", tmp_path / "history") == "lora"


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ({"ADVISOR_HISTORY": ""}, None),
        ({"ADVISOR_HISTORY": "/x/y"}, "/x/y"),
        ({"XDG_STATE_HOME": "/s"}, "/s/advisor/history"),
        ({"XDG_STATE_HOME": "relative"}, None),
        ({"XDG_STATE_HOME": ""}, "/home/me/.local/state/advisor/history"),
        ({}, "/home/me/.local/state/advisor/history"),
    ],
)
def test_where_it_is(monkeypatch, env, expected):
    for name in ("ADVISOR_HISTORY", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/home/me")
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    assert history_file() == (Path(expected) if expected else None)


def test_without_a_file_it_lasts_as_long_as_the_conversation():
    assert isinstance(history(None), InMemoryHistory)


@pytest.mark.parametrize("call", [["chat", "--no-config"], []])
def test_nothing_is_kept_where_nobody_sits(tmp_path, call):
    home = {"HOME": str(tmp_path), "ADVISOR_HISTORY": str(tmp_path / "kept")}
    command = [*ADVISOR, *call]
    assert run("lora\n/quit\n", call=command, folder=tmp_path, **home)[0] == 3
    terminal = Terminal(*(call or ["chat"]), CI="1", **home)
    terminal.until("Enter =")
    terminal.type("lora\n\x04")
    terminal.end()
    assert list(tmp_path.rglob("*")) == []


def test_on_a_terminal_it_is_kept_unless_turned_off(tmp_path):
    for named, expected in ((str(tmp_path / "kept"), 1), ("", 0)):
        home = {"HOME": str(tmp_path / "home"), "XDG_STATE_HOME": "", "ADVISOR_HISTORY": named}
        terminal = Terminal("chat", "--no-config", **home)
        terminal.until("❯")
        terminal.type("lora\r")
        terminal.until("method = lora")
        terminal.type("/quit\r")
        terminal.until("/save keeps it")
        terminal.type("/quit\r")
        terminal.end()
        assert len(list(tmp_path.iterdir())) == expected
        (tmp_path / "kept").unlink(missing_ok=True)
