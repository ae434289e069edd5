"""A program on a terminal of its own, timed by what it writes there."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from types import TracebackType
from typing import Self

ROOT = Path(__file__).parents[2]
PATIENCE = 30.0
QUIET = 0.1
"""Seconds without output after which a screen has settled."""
_UNSET = ("CI", "NO_COLOR", "TMUX", "PYTHONDONTWRITEBYTECODE", "TEXTUAL", "LC_ALL")


class Terminal:
    """Runs Python with arguments; all times are seconds."""

    def __init__(self, arguments: list[str], folder: Path, columns: int = 80, rows: int = 24):
        environment = {name: value for name, value in os.environ.items() if name not in _UNSET}
        environment |= {"TERM": "xterm-256color", "LANG": "C.UTF-8", "PYTHONPATH": str(ROOT)}
        self.screen, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            [sys.executable, *arguments],
            stdin=inside,
            stdout=inside,
            stderr=inside,
            cwd=folder,
            env=environment,
            start_new_session=True,
        )
        os.close(inside)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)  # the group is its own
        self.process.wait()
        os.close(self.screen)

    def read(self, seconds: float) -> bytes:
        """What is written next; nothing where nothing is for so long."""
        ready, _, _ = select.select([self.screen], [], [], seconds)
        return os.read(self.screen, 1 << 16) if ready else b""

    def until(self, words: str) -> float:
        """Wait for words on the screen; how long after the start they came."""
        written = b""
        while words.encode() not in written:
            new = self.read(PATIENCE)
            if not new:
                end = written[-500:]
                raise TimeoutError(f"{words!r} never came; the end of the output: {end!r}")
            written += new
        return time.perf_counter() - self.started

    def settle(self) -> float:
        """Wait for a quiet while; how long after the start the last output before it came."""
        last = time.perf_counter()
        while self.read(QUIET):
            last = time.perf_counter()
        return last - self.started

    def write(self, keys: str) -> float:
        """Press some keys; how long after the start that was."""
        moment = time.perf_counter() - self.started
        os.write(self.screen, keys.encode())
        return moment

    def press(self, keys: str) -> float:
        """Until the screen has settled after some keys."""
        begin = self.write(keys)
        if not self.read(PATIENCE):
            raise TimeoutError(f"nothing was written after {keys!r}")
        return self.settle() - begin

    def respond(self, keys: str) -> float:
        """Until anything is written after some keys; what was written before does not count."""
        while self.read(0):
            pass
        begin = self.write(keys)
        if not self.read(PATIENCE):
            raise TimeoutError(f"nothing was written after {keys!r}")
        return time.perf_counter() - self.started - begin
