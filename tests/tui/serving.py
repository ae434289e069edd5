"""Running ``advisor serve`` as people do, and asking it as a page or a stranger does."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support import ROOT

SECONDS = 30.0
UNSET = ("CI", "NO_COLOR", "LC_ALL", "COLUMNS", "LINES", "TEXTUAL_DRIVER")


class Served:
    """A running server; ``url`` is what it printed."""

    def __init__(self, process: subprocess.Popen[str], said: str) -> None:
        self.process = process
        self.said = said
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", said)
        assert found is not None, said
        self.url = found[0]
        self.port = int(found[1])
        self.host = f"127.0.0.1:{self.port}"
        self.ws = f"ws://{self.host}/ws"

    def end(self, name: str = "SIGTERM") -> tuple[int, str]:
        """Send a signal; the exit code, and what was said on standard error."""
        self.process.send_signal(getattr(signal, name))
        _, errors = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, errors

    def children(self) -> list[int]:
        """The processes of the conversations that go on."""
        found = []
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = path.read_text("utf-8", "replace").rpartition(")")[2].split()
            except OSError:
                continue  # it is gone
            if int(fields[1]) == self.process.pid:
                found.append(int(path.parent.name))
        return found

    def ask(self, path: str, host: str | None = None, *lines: str, method: str = "GET") -> str:
        """The raw answer to a request as it is written here."""
        first = [f"{method} {path} HTTP/1.1", f"Host: {self.host if host is None else host}"]
        with socket.create_connection(("127.0.0.1", self.port), SECONDS) as opened:
            text = "\r\n".join([*first, *lines, "Connection: close", "", ""])
            opened.sendall(text.encode())
            return b"".join(iter(lambda: opened.recv(65536), b"")).decode("utf-8", "replace")

    def upgrade(self, host: str | None = None, *lines: str) -> int:
        """The status of an answer to a request for a conversation; it ends at once."""
        host = self.host if host is None else host
        wanted = [
            "GET /ws HTTP/1.1", f"Host: {host}", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            *lines, "", "",
        ]  # fmt: skip
        with socket.create_connection(("127.0.0.1", self.port), SECONDS) as opened:
            opened.sendall("\r\n".join(wanted).encode())
            return int(opened.recv(65536).split()[1])


def environment(**more: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key not in UNSET}
    return {**kept, "LANG": "C.UTF-8", "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error", **more}


@contextmanager
def serving(folder: Path, *options: str, **more: str) -> Iterator[Served]:
    """A server in a folder, on any free port."""
    process = subprocess.Popen(
        [sys.executable, "-m", "advisor", "serve", "--port", "0", *options],
        cwd=folder, env=environment(**more), text=True, encoding="utf-8",
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    with process:
        assert process.stdout is not None and process.stderr is not None
        said = process.stdout.readline()
        try:
            assert said, process.stderr.read()
            yield Served(process, said)
        finally:
            if process.poll() is None:
                process.terminate()


def until(holds: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + SECONDS
    while not holds():
        if time.monotonic() > end:
            pytest.fail(f"waited in vain: {what}")
        time.sleep(0.05)


def is_running(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text("utf-8")
    except OSError:
        return False
