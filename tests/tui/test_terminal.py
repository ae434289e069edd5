"""The real program on a real terminal: tmux draws it, types into it, and tells its exit code."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conversation.test_plain import run as plain
from tests.support import ROOT

TMUX = shutil.which("tmux")
pytestmark = pytest.mark.skipif(TMUX is None, reason="tmux is not installed")
SECONDS = 30.0
UNSET = ("CI", "NO_COLOR", "LC_ALL", "COLUMNS", "LINES", "TEXTUAL_DRIVER")


class Terminal:
    """A terminal in a tmux server of its own; ``run`` starts one program in it."""

    def __init__(self, name: str, folder: Path) -> None:
        self.socket = f"advisor-{os.getpid()}-{name}"
        self.folder = folder

    def tmux(self, *arguments: str) -> str:
        done = subprocess.run(
            [str(TMUX), "-L", self.socket, "-f", os.devnull, *arguments],
            capture_output=True, text=True, check=False, timeout=SECONDS,
        )  # fmt: skip
        return done.stdout

    def run(self, command: str, size: str = "80x24", **environment: str) -> None:
        wide, high = size.split("x")
        told = {"TERM": "tmux-256color", "LANG": "C.UTF-8", "PYTHONPATH": str(ROOT), **environment}
        unset = " ".join(f"-u {name}" for name in UNSET)
        pairs = " ".join(f"{name}={shlex.quote(value)}" for name, value in told.items())
        script = (
            f"cd {shlex.quote(str(self.folder))}; stty -g >before; "
            f"env {unset} {pairs} {command}; code=$?; stty -g >after; "
            f"cmp before after && echo same; echo EXIT:$code; exec sleep {SECONDS:.0f}"
        )
        self.tmux("new-session", "-d", "-s", "t", "-x", wide, "-y", high, "sh", "-c", script)

    def screen(self) -> str:
        return self.tmux("capture-pane", "-p", "-t", "t")

    def wait(self, text: str) -> str:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            seen = self.screen()
            if text in seen:
                return seen
            time.sleep(0.05)
        pytest.fail(f"{text!r} did not come up:\n{self.screen()}")

    def type(self, text: str, *keys: str) -> None:
        if text:
            self.tmux("send-keys", "-t", "t", "-l", "--", text)
        if keys:
            self.tmux("send-keys", "-t", "t", *keys)

    def told(self, name: str) -> str:
        """What tmux knows of the terminal, as ``#{alternate_on}``."""
        return self.tmux("display-message", "-p", "-t", "t", f"#{{{name}}}").strip()


@pytest.fixture
def terminal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Terminal]:
    opened = Terminal(str(abs(hash(request.node.name))), tmp_path)
    yield opened
    opened.tmux("kill-server")


PLAIN = [sys.executable, "-m", "advisor"]
ADVISOR = f"{shlex.quote(sys.executable)} -m advisor"


def restored(terminal: Terminal) -> None:
    assert "same" in terminal.screen(), "stty is not as before"
    assert terminal.told("alternate_on") == "0"
    assert terminal.told("mouse_any_flag") == "0"
    assert terminal.told("cursor_flag") == "1"


def test_from_nothing_to_a_plan_that_fits_and_back_to_the_shell(terminal):
    terminal.run(ADVISOR)
    terminal.wait("Question 1 of at most")
    terminal.type("qwen2.5 7b lora on a 4090 seq 2048", "Enter")
    terminal.wait("≈ does not fit as it stands")
    terminal.type("1", "Enter")
    terminal.wait("checkpointing on?")
    terminal.type("2", "Enter")
    terminal.wait("/take takes these steps")
    terminal.type("/take", "Enter")
    terminal.wait("fits as it stands")
    terminal.tmux("resize-window", "-t", "t", "-x", "120", "-y", "40")
    terminal.wait("answers (a click changes one)")
    terminal.type("/export yaml out.yaml", "Enter")
    terminal.wait("Written to out.yaml")
    assert terminal.told("alternate_on") == "1"
    terminal.type("", "C-q")
    seen = terminal.wait("EXIT:0")
    assert "Verdict: fits" in seen
    restored(terminal)
    check = subprocess.run(
        [sys.executable, "-m", "advisor", "check", str(terminal.folder / "out.yaml")],
        cwd=ROOT, capture_output=True, check=False,
    )  # fmt: skip
    assert check.returncode == 0


def test_the_same_conversation_on_a_terminal_and_through_a_pipe(terminal):
    lines = [
        ("qwen2.5 7b lora on a 4090 seq 2048", "as it stands"),
        ("1", "checkpointing on?"),
        ("2", "/take takes these steps"),
        ("/take", "gradient_checkpointing = yes"),
        ("/export yaml out.yaml", "Written to out.yaml"),
        ("/export json out.json", "Written to out.json"),
    ]
    terminal.run(ADVISOR, "99x30")
    terminal.wait("Question 1 of at most")
    for line, answer in lines:
        terminal.type(line, "Enter")
        seen = terminal.wait(answer)
    terminal.type("/quit", "Enter")
    ended = terminal.wait("EXIT:")

    other = terminal.folder / "pipe"
    other.mkdir()
    text = "".join(f"{line}\n" for line, _ in lines) + "/quit\n"
    code, out, err = plain(text, call=PLAIN, folder=other)
    assert err == ""
    assert f"EXIT:{code}\n" in ended
    assert out.splitlines()[-1] == "Verdict: fits"
    assert "Verdict: fits" in ended
    for name in ("out.yaml", "out.json"):
        assert (terminal.folder / name).read_bytes() == (other / name).read_bytes()

    check = [*PLAIN, "check", "out.yaml", "--format", "json", "--no-config"]
    checked = json.loads(plain(None, call=check, folder=other)[1])["results"][0]
    exported = json.loads((other / "out.json").read_text("utf-8"))["results"][0]
    assert checked["answers"] == exported["answers"]
    memory = checked["answers"]["memory"]
    strip = f"{memory['likely'] / 2**30:.1f} GiB of {memory['limit'] / 2**30:.1f} GiB"
    assert strip in seen


def test_what_does_not_fit_ends_in_1(terminal):
    terminal.run(ADVISOR, "60x16")
    terminal.wait("Question 1")
    terminal.type("qwen2.5 72b full on a 4090 seq 2048", "Enter")
    terminal.wait("does not fit")
    terminal.type("/quit", "Enter")
    terminal.wait("/quit once more")
    terminal.type("/quit", "Enter")
    terminal.wait("EXIT:1")
    restored(terminal)


def test_a_terminal_that_cannot_draw_gets_plain_lines(terminal):
    terminal.run(ADVISOR, TERM="dumb")
    terminal.wait("Question 1 of at most")
    assert terminal.told("alternate_on") == "0"
    terminal.type("/quit", "Enter")
    terminal.wait("EXIT:")


def test_who_asks_for_plain_lines_gets_them_where_there_is_a_screen(terminal):
    terminal.run(f"{ADVISOR} --plain --lang zh")
    terminal.wait("问题 1")
    assert terminal.told("alternate_on") == "0"
    terminal.type("/quit", "Enter")
    terminal.wait("EXIT:3")


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_being_told_to_end_restores_the_terminal(terminal, name):
    terminal.run(f"sh -c 'echo $$ >pid; exec {ADVISOR}'")
    terminal.wait("Question 1 of at most")
    os.kill(int((terminal.folder / "pid").read_text()), getattr(signal, name))
    terminal.wait("EXIT:")
    restored(terminal)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_being_told_to_end_while_it_starts_restores_the_terminal(terminal, name):
    terminal.run(f"sh -c 'echo $$ >pid; exec {ADVISOR}'")
    end = time.monotonic() + SECONDS
    while terminal.told("alternate_on") != "1":
        assert time.monotonic() < end
    os.kill(int((terminal.folder / "pid").read_text()), getattr(signal, name))
    terminal.wait("EXIT:")
    restored(terminal)


def test_a_mistake_of_ours_restores_the_terminal_and_ends_in_4(terminal):
    broken = "import sys; from advisor.tui.screens import talk; from advisor.cli.app import main"
    broken += "; talk.strip_content = None; sys.argv[1:] = []; main()"
    terminal.run(f"{shlex.quote(sys.executable)} -c {shlex.quote(broken)}", TMPDIR=".")
    seen = terminal.wait("EXIT:4")
    assert "mistake in advisor itself" in seen
    assert "Traceback" not in seen
    restored(terminal)
