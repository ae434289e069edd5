"""Plain lines for real: pipes, a terminal, no streams at all; exit codes and clean endings."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from advisor.chat.plain import Printer, converse, piped
from advisor.chat.prompt import Prompt
from advisor.conversation import Conversation, Lines, State
from advisor.conversation.clipboard import osc52
from tests.conversation.test_questions import ONE_LINE, after
from tests.support import ROOT

ADVISOR = [sys.executable, "-m", "advisor"]
CHAT = [*ADVISOR, "chat", "--today", "2026-11-29", "--no-config"]
QUIET = {
    **os.environ, "CI": "", "LC_ALL": "C.UTF-8", "TERM": "xterm-256color", "NO_COLOR": "",
    "ADVISOR_HISTORY": "",
}  # fmt: skip
FITS = "qwen2.5 0.5b lora h100 sxm bs 1 seq 512 rank 8 framework trl checkpointing on"
FAILS = "llama 3 8b full 3090 bs 1 seq 512 framework trl checkpointing on"
TIMEOUT = 30  # far above the two seconds it may take: machines are busy


def run(
    text: str | None,
    *more: str,
    call: list[str] = CHAT,
    folder: Path | None = None,
    **env: str,
) -> tuple[int, str, str]:
    """Exit code, standard output and error for some lines on standard input."""
    done = subprocess.run(
        [*call, *more],
        input=text,
        stdin=subprocess.DEVNULL if text is None else None,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=TIMEOUT,
        env={**QUIET, "PYTHONPATH": str(ROOT), **env},
        cwd=folder,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


# -- pipes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        (None, 3),
        ("", 3),
        ("\n", 3),
        (f"{FITS}\n", 0),
        (f"{FITS}\n/quit\n", 0),
        (f"{FAILS}\n", 1),
        (f"{FAILS}\n/quit\nnever read\n", 1),
        (f"{FAILS}\n/take\n", 0),
        ("lora\n", 3),
        ("/quit\n", 3),
    ],
)
def test_the_exit_code_tells_the_verdict(lines, code):
    found, out, err = run(lines)
    assert found == code
    assert err == ""
    assert "\x1b" not in out
    assert "never read" not in out
    assert out.rstrip().splitlines()[-1].startswith("Verdict: ")


def test_the_same_conversation_through_a_pipe_and_check_on_its_export(tmp_path):
    path = tmp_path / "session.yaml"
    said = f"{ONE_LINE}\ntransformers\ncheckpointing off\n"
    code, out, _ = run(f"{said}/take\n/export yaml {path}\n/quit\n")
    assert code == 0
    assert "Does not fit" in out or "does not fit" in out
    assert "✓ Fits" in out
    done = subprocess.run(
        [*ADVISOR, "check", str(path), "--format", "json", "--today", "2026-11-29", "--no-config"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code
    assert json.loads(done.stdout)["results"][0]["verdict"] == "fits"


@pytest.mark.parametrize(
    ("arguments", "env", "word"),
    [
        ((), {}, "Question 1"),
        (("--lang", "zh"), {}, "问题 1"),
        ((), {"LC_ALL": "zh_CN.UTF-8"}, "问题 1"),
        (("--lang", "en"), {"LC_ALL": "zh_CN.UTF-8"}, "Question 1"),
    ],
)
def test_the_language(arguments, env, word):
    assert word in run(None, *arguments, **env)[1]


def test_it_goes_on_with_a_file(tmp_path):
    path = tmp_path / "run.yaml"
    path.write_text("model: Qwen/Qwen2.5-7B\nmethod: qlora\nhardware: {gpu: RTX 4090}\n", "utf-8")
    code, out, _ = run("/answers\n", str(path))
    assert code in (0, 1)
    assert "method = qlora" in out


@pytest.mark.parametrize("text", ["foo: 1", "model: nope", None, "["])
def test_a_file_that_is_wrong_is_a_wrong_call(tmp_path, text):
    path = tmp_path / "run.yaml"
    if text is not None:
        path.write_text(text, "utf-8")
    code, out, err = run(None, str(path))
    assert (code, out) == (2, "")
    assert "run.yaml" in err
    assert "Traceback" not in err


def test_a_traceback_over_several_lines_is_one_message():
    lines = (
        "Traceback (most recent call last):\n"
        '  File "/x/train.py", line 3, in <module>\n'
        "    trainer.train()\n"
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
        "llama 3 8b full on a 3090\n"
    )
    code, out, _ = run(lines)
    assert code == 1
    assert "It asked for 2.00 GiB more." in out
    assert "not used" not in out
    assert out.count("❯") == 2


@pytest.mark.parametrize(
    "text",
    ["\x1b[31mred\x1b[0m\n", "[bold]x[/]\n", "\x07\x00\n", "\u202egnp\n", "x" * 10_000 + "\n"],
)
def test_nothing_raw_comes_back(text):
    code, out, err = run(text)
    assert (code, err) == (3, "")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e]", out)


def test_bytes_that_are_no_text():
    done = subprocess.run(
        CHAT, input=b"\xff\xfe\x80 batch 4\n", capture_output=True, timeout=TIMEOUT, env=QUIET,
        check=False,
    )  # fmt: skip
    assert done.returncode == 3
    assert b"training.micro_batch_size = 4" in done.stdout


BOTH_CALLS = pytest.mark.parametrize("call", ["chat --no-config", ""], ids=["chat", "bare"])


@BOTH_CALLS
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", ">/dev/full"])
def test_closed_streams_end_it(call, closed):
    given = "" if "<" in closed else "</dev/null"
    command = f'exec "$0" -m advisor {call} {given} {closed}'
    done = subprocess.run(
        ["/bin/sh", "-c", command, sys.executable],
        capture_output=True, timeout=TIMEOUT, env=QUIET, check=False,
    )  # fmt: skip
    assert done.returncode == (2 if "full" in closed else 3)
    assert b"Traceback" not in done.stderr
    assert b"\x1b" not in done.stdout + done.stderr


@BOTH_CALLS
@pytest.mark.parametrize("lines", [None, "batch 4\n"])
@pytest.mark.parametrize("env", [{}, {"CI": "1"}, {"TERM": "dumb"}, {"NO_COLOR": "1"}], ids=str)
def test_where_nobody_sits_it_ends_by_itself(call, lines, env):
    code, out, err = run(lines, call=[*ADVISOR, *call.split()], **env)
    assert (code, err) == (3, "")
    assert "Question 1" in out
    assert "\x1b" not in out
    assert out.rstrip().splitlines()[-1].startswith("Verdict: ")


def test_a_reader_who_leaves_ends_it_quietly():
    command = (
        '"$0" -m advisor chat --today 2026-11-29 --no-config | head -n 1; exit ${PIPESTATUS[0]}'
    )
    done = subprocess.run(
        ["/bin/bash", "-c", command, sys.executable],
        input="batch 4\n" * 50, capture_output=True, text=True, timeout=TIMEOUT, env=QUIET,
        check=False,
    )  # fmt: skip
    assert done.returncode == 3
    assert done.stderr == ""


def test_lines_are_shown_as_they_are_read(talk):
    shown: list[str] = []
    lines = iter(["batch 4\n", "\x1b[31m\n"])

    class Stream:
        def readline(self, limit: int) -> str:
            return next(lines, "")

    read = piped(Stream(), shown.append)  # type: ignore[arg-type]
    assert read(State()) == "batch 4"
    assert read(State()) == "\x1b[31m"
    assert read(State()) is None
    assert shown == ["❯ batch 4\n", "❯ \\x1b[31m\n"]


# -- plain lines show what the events say ---------------------------------------------------------


def test_every_event_is_printed_once_and_nothing_twice(talk):
    lines = iter([ONE_LINE, "", "/why", "/compare gpus", "/quit"])
    out: list[str] = []
    printer = Printer(talk, out.append, colour=False, is_terminal=False)
    converse(talk, State(), lambda state: next(lines, None), printer)
    turns = talk.replay([ONE_LINE, "", "/why", "/compare gpus", "/quit"])
    rendered = Lines(talk.world.book, "en", talk.world.project.trainers)
    expected = [line for turn in turns for event in turn.events for line in rendered.of(event)]
    printed = "".join(out).splitlines()
    assert printed[-len(expected) :] == [line.rstrip() for line in expected]


def test_colour_marks_signs_and_says_nothing_of_its_own(talk):
    plain: list[str] = []
    coloured: list[str] = []
    turn = talk.send(State(), FAILS)
    Printer(talk, plain.append, False, False).show(turn.state, turn.events)
    Printer(talk, coloured.append, True, True).show(turn.state, turn.events)
    assert "\x1b[31m✗" in "".join(coloured)
    assert re.sub("\x1b\\[[0-9]*m", "", "".join(coloured)) == "".join(plain)


def test_copy_reaches_the_terminals_clipboard_or_is_shown(talk):
    turn = talk.send(after(talk, FAILS), "/copy")
    shown: list[str] = []
    Printer(talk, shown.append, False, is_terminal=False).show(turn.state, turn.events)
    assert "model: meta-llama/Meta-Llama-3-8B" in "".join(shown)
    shown.clear()
    Printer(talk, shown.append, False, is_terminal=True).show(turn.state, turn.events)
    assert "".join(shown).startswith("\x1b]52;c;")


@pytest.mark.parametrize("in_tmux", [False, True])
def test_the_clipboard_sequence(in_tmux):
    text = osc52("ü\x1b", in_tmux)
    assert "w7wb" in text  # base64 of the bytes: nothing of the text is raw
    assert text.startswith("\x1bPtmux;" if in_tmux else "\x1b]52;c;")
    assert len(osc52("x" * 10**6)) < 110_000


# -- prompt_toolkit without a terminal ------------------------------------------------------------


def typed(talk: Conversation, keys: str, state: State | None = None) -> str | None:
    """What the prompt gives for some keys."""
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        pipe.send_text(keys)
        return Prompt(talk)(state or State())


def test_a_line_is_read(talk):
    assert typed(talk, "qwen2.5 7b\r") == "qwen2.5 7b"


def test_enter_alone_is_a_line(talk):
    assert typed(talk, "\r") == ""


def test_the_end_of_input_is_the_end(talk):
    assert typed(talk, "\x04") is None


def test_tab_completes_models_cards_and_commands(talk):
    assert typed(talk, "/wha\t\r") == "/whatif"
    assert typed(talk, "qwen3-vl-4\t\r") == "Qwen/Qwen3-VL-4B-Instruct"
    assert typed(talk, "lora on rtx-3060-t\t\r") == "lora on rtx-3060-ti"


def test_ctrl_c_drops_the_line_and_twice_ends(talk):
    assert typed(talk, "foo\x03lora\r") == "lora"
    with pytest.raises(KeyboardInterrupt):
        typed(talk, "\x03\x03")


def test_a_line_that_means_nothing_stays_for_correction(talk):
    fixed = "gibberish\r" + "\x15" + "lora\r"
    assert typed(talk, fixed) == "lora"


# -- a real terminal ------------------------------------------------------------------------------


class Terminal:
    """The program on a pseudo-terminal."""

    def __init__(self, *call: str, **env: str) -> None:
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve(sys.executable, [sys.executable, "-m", "advisor", *call], {**QUIET, **env})
        self.seen = ""
        self.modes = [termios.tcgetattr(self.fd)]

    def until(self, text: str) -> str:
        """What is on the screen once it holds the text."""
        end = time.monotonic() + TIMEOUT
        while text not in self.seen:
            assert time.monotonic() < end, self.seen[-2000:]
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    self.seen += os.read(self.fd, 65536).decode("utf-8", "replace")
                except OSError:
                    assert text in self.seen, self.seen[-2000:]
        return self.seen

    def type(self, text: str) -> None:
        os.write(self.fd, text.encode())

    def end(self) -> int:
        """The exit code."""
        limit = time.monotonic() + TIMEOUT
        while True:
            if select.select([self.fd], [], [], 0.05)[0]:
                with contextlib.suppress(OSError):
                    self.seen += os.read(self.fd, 65536).decode("utf-8", "replace")
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.modes.append(termios.tcgetattr(self.fd))
                os.close(self.fd)
                return os.waitstatus_to_exitcode(status)
            if time.monotonic() > limit:
                os.kill(self.pid, signal.SIGKILL)
                raise AssertionError(self.seen[-2000:])


def test_a_conversation_on_a_terminal():
    terminal = Terminal("chat", "--today", "2026-11-29", "--no-config")
    terminal.until("❯")
    terminal.type(f"{FAILS}\r")
    terminal.until("Does not fit")
    terminal.type("/quit\r")
    terminal.until("/save keeps it")
    terminal.type("/quit\r")
    terminal.until("Verdict")
    assert terminal.end() == 1
    assert "Traceback" not in terminal.seen


def test_ctrl_c_twice_is_an_interruption():
    terminal = Terminal("chat", "--no-config")
    terminal.until("❯")
    terminal.type("\x03")
    time.sleep(0.2)
    terminal.type("\x03")
    assert terminal.end() == 130
    assert "Traceback" not in terminal.seen


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_being_told_to_end_restores_the_terminal(name):
    terminal = Terminal("chat", "--no-config")
    terminal.until("❯")
    terminal.type(f"{FITS}\r")
    terminal.until("Fits")
    os.kill(terminal.pid, getattr(signal, name))
    assert terminal.end() == 0
    assert "Verdict: fits" in terminal.seen
    assert terminal.modes[0] == terminal.modes[1]
    assert terminal.seen.rindex("\x1b[?2004l") > terminal.seen.rindex("\x1b[?2004h")


@pytest.mark.parametrize(
    ("text", "said", "unsaid"),
    [
        ("x" * 16_000 + "/export yaml\nbs 4\n", "training.micro_batch_size = 4", "model:"),
        ("x" * 16_000, "only the first 4,000", "assumed"),
        ("x" * 16_000 + "\n", "only the first 4,000", "assumed"),
        ("\x01\n", "Question 1", "assumed"),
        ("\x00\x01\x02\n", "Question 1", "assumed"),
        (" \u3000\n", "assumed", "no answer I understand"),
    ],
)
def test_neither_a_rest_nor_control_characters_are_a_line(text, said, unsaid):
    code, out, err = run(text)
    assert (code, err) == (3, "")
    assert said in out
    assert unsaid not in out


@pytest.mark.parametrize("env", [{"TERM": "dumb"}, {"CI": "true"}])
def test_a_poor_terminal_gets_plain_lines(env):
    terminal = Terminal("chat", "--no-config", **env)
    terminal.until("Enter =")
    terminal.type("lora\n")
    terminal.until("method = lora")
    terminal.type("\x04")
    assert terminal.end() == 3
    assert "\x1b" not in terminal.seen


# -- what is loaded -------------------------------------------------------------------------------


@pytest.mark.parametrize("call", [["chat"], []], ids=["chat", "bare"])
def test_without_a_terminal_no_terminal_library_is_loaded(call):
    probe = (
        "import sys; from advisor.cli.app import run; run(sys.argv[1:]);"
        "print([n for n in sys.modules if n in ('prompt_toolkit', 'textual', 'rich')],"
        " file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe, *call], stdin=subprocess.DEVNULL, capture_output=True,
        text=True, env=QUIET, timeout=TIMEOUT, check=False, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert done.stderr.splitlines()[-1] == "[]"
