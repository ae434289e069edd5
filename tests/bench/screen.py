"""The full screen: how soon the first question stands there, and how soon a key shows.

Real programs on a terminal of their own. Starts take turns with those of a bare Textual app, so
that a busy moment falls on both alike. Both start once before, so that their bytecode is there.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from advisor.conversation import Conversation, Lines, State
from advisor.project import open_project
from tests.bench.figures import Figure
from tests.bench.terminal import ROOT, Terminal
from tests.support import TODAY

STARTS = 15
ROWS = 1000
HELLO = [str(ROOT / "tests" / "bench" / "hello.py")]
ADVISOR = ["-m", "advisor"]
TYPED = "qwen2.5 14b lora on 2x4090"
HEAVY = "qwen2.5 72b full on a 3060"
"""A line that takes long to work out: every plan for it has many steps."""
_BETWEEN = 0.03
"""Seconds between two keys of somebody who types fast."""


def screen() -> list[Figure]:
    """All figures of the full screen."""
    talk = Conversation(open_project([], TODAY), ROOT)
    with tempfile.TemporaryDirectory() as folder:
        return [*first_question(talk, Path(folder)), *typing(talk, Path(folder))]


def first_question(talk: Conversation, folder: Path) -> Iterator[Figure]:
    """From the start of the process to the question's words on the screen."""
    question = talk.question(State())
    assert question is not None
    words = " ".join(talk.world.book.inputs[question.name].ask["en"].split()[:3])
    programs = {"bare Textual app: words on the screen": (HELLO, "hello")}
    programs["advisor: first question on the screen"] = (ADVISOR, words)
    times: dict[str, list[float]] = {name: [] for name in programs}
    for turn in range(STARTS + 1):
        for name, (arguments, awaited) in programs.items():
            with Terminal(arguments, folder) as terminal:
                seconds = terminal.until(awaited)
            if turn:
                times[name].append(seconds)
    bare, ours = (median(one) for one in times.values())
    names = [*programs]
    yield Figure(names[0], 1000 * bare, "ms")
    yield Figure(names[1], 1000 * ours, "ms", 600)
    yield Figure("  beside the bare app", ours / bare, "x", 2.5)


def typing(talk: Conversation, folder: Path) -> Iterator[Figure]:
    """Keys one by one under a long chat, a line, and keys while a line is worked out."""
    with Terminal(ADVISOR, folder) as terminal:
        terminal.until("❯")
        terminal.settle()
        for _ in range(math.ceil(ROWS / len(told(talk, "/help")))):
            terminal.press("/help\r")
        keys = [terminal.press(key) for key in TYPED]
        heard = told(talk, TYPED)[0].split()[0]
        begin = terminal.write("\r")
        terminal.until(heard)
        line = terminal.settle() - begin
        terminal.press(HEAVY)
        begin = terminal.write("\r")
        busy: list[float] = []
        for key in TYPED:
            time.sleep(_BETWEEN)
            busy.append(terminal.respond(key))
    yield Figure(f"key to settled screen, {ROWS:,} rows of chat", 1000 * median(keys), "ms", 100)
    yield Figure("  the slowest", 1000 * max(keys), "ms", 100)
    yield Figure("  line to settled screen", 1000 * line, "ms")
    yield Figure("key to its letter while a line is worked out", 1000 * median(busy), "ms", 100)
    yield Figure("  the slowest", 1000 * max(busy), "ms", 100)


def told(talk: Conversation, line: str) -> list[str]:
    """The rows that a line is answered with."""
    lines = Lines(talk.world.book, "en", talk.world.project.trainers, 78)
    return [row for event in talk.send(State(), line).events for row in lines.of(event)]
