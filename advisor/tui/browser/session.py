"""One visitor's process: started without a shell, fed and read, and gone when the visitor is."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shlex
from collections.abc import Iterable, Sequence
from typing import Any

from aiohttp import web
from textual_serve._binary_encode import DecodeError, load
from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

from advisor.errors import visible
from advisor.tui.browser.files import is_plain

GRACE = 3.0
"""Seconds a process has to end by itself."""
_LAST_WORDS = 0.5
_EMPTY = "\x1b[?1049l\x1b]11;#121212\x07\x1b[2J\x1b[H\x1b[?25l"
_PRELUDE = b"__GANGLION__\n"
_MOST_PACKET = 1 << 24
_MOST_SAID = 1 << 14
_MOST_KEPT = 8
_CHUNK = 1 << 16
# of the terminal that the server was started on, which is not the visitor's
_NOT_OURS = ("TMUX", "SSH_TTY", "CI", "LINES", "TEXTUAL", "TEXTUAL_LOG")


class Session(AppService):
    """Runs one program for one WebSocket. ``downloads`` are its files, by key: name and content."""

    def __init__(self, program: Sequence[str], websocket: web.WebSocketResponse) -> None:
        super().__init__(
            shlex.join(program),
            write_bytes=websocket.send_bytes,
            write_str=websocket.send_str,
            close=self._close,
            download_manager=DownloadManager(),
        )
        self.program = program
        self.downloads: dict[str, tuple[str, bytes]] = {}
        self._websocket = websocket
        self._has_begun = False
        self._arriving: dict[str, tuple[str, bytearray]] = {}
        self._ending: asyncio.Task[None] | None = None

    async def _close(self) -> None:
        await self._websocket.close()

    def _build_environment(self, width: int = 80, height: int = 24) -> dict[str, str]:
        made = super()._build_environment(width, height)
        for name in _NOT_OURS:
            made.pop(name, None)
        return made

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Any:
        self._process = process = await asyncio.create_subprocess_exec(
            *self.program,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=self._build_environment(width, height),
            start_new_session=True,  # Ctrl+C on the server's terminal is for the server
        )
        self._stdin = process.stdin
        return process

    # -- from the process to the visitor ----------------------------------------------------------

    async def run(self) -> None:
        """Pass on what the process draws until it ends; then what it said, and the end."""
        process = self._process
        assert process is not None and process.stdout is not None and process.stderr is not None
        saying = asyncio.create_task(_said(process.stderr))
        try:
            await self._pass_on(process.stdout)
        except asyncio.IncompleteReadError:
            pass  # the end of what it draws
        except (ValueError, KeyError, TypeError, DecodeError):
            _kill(process)  # it does not speak as agreed
        finally:
            while await process.stdout.read(_CHUNK):
                pass  # or the process would wait for a reader
            await process.wait()
            said = await saying
        if said:
            await self._show(plain(visible(line) for line in said.splitlines()))
        with contextlib.suppress(ConnectionError, RuntimeError):
            await self.remote_close()

    async def _pass_on(self, stdout: asyncio.StreamReader) -> None:
        if await stdout.readexactly(len(_PRELUDE)) != _PRELUDE:
            raise ValueError("not a screen")
        self._has_begun = True
        while True:
            head = await stdout.readexactly(5)
            size = int.from_bytes(head[1:], "big")
            if size > _MOST_PACKET:
                raise ValueError("a packet is too large")
            payload = await stdout.readexactly(size)
            match head[:1]:
                case b"D":
                    await self._show(payload)
                case b"M":
                    await self.on_meta(payload)
                case b"P":
                    await self.on_packed(payload)
                case _:
                    raise ValueError("not a packet")

    async def _show(self, data: bytes) -> None:
        with contextlib.suppress(ConnectionError, RuntimeError):  # the visitor may be gone
            await self.remote_write_bytes(data)

    async def on_meta(self, data: bytes) -> None:
        """Begin a download. Nothing else that a process may ask of a browser is passed on."""
        meta = json.loads(data)
        if meta["type"] != "deliver_file_start":
            return
        key, name = str(meta["key"]), str(meta["path"]).rpartition("/")[2]
        if is_plain(key) and is_plain(name):
            self._arriving[key] = (name, bytearray())
            await self._ask_for(key)

    async def on_packed(self, payload: bytes) -> None:
        """A piece of a download; the visitor hears of it when it is whole."""
        match load(payload):
            case ("deliver_chunk", str(key), bytes(chunk)) if key in self._arriving:
                name, content = self._arriving[key]
                content += chunk
                if chunk and len(content) <= _MOST_PACKET:
                    await self._ask_for(key)
                    return
                del self._arriving[key]
                if chunk:
                    raise ValueError("a file is too large")
                while len(self.downloads) >= _MOST_KEPT:
                    del self.downloads[next(iter(self.downloads))]
                self.downloads[key] = (name, bytes(content))
                with contextlib.suppress(ConnectionError, RuntimeError):
                    await self.remote_write_str(json.dumps(["deliver_file_start", key]))

    async def _ask_for(self, key: str) -> None:
        await self.send_meta({"type": "deliver_chunk_request", "key": key, "size": _CHUNK})

    # -- the end ----------------------------------------------------------------------------------

    async def stop(self) -> None:
        """End the process, if need be by force, and wait until it is gone."""
        if self._process is None:
            return
        if self._ending is None:
            self._ending = asyncio.create_task(self._end())
        await asyncio.shield(self._ending)

    async def _end(self) -> None:
        process = self._process
        assert process is not None
        if not self._has_begun:  # it would hear of it only when it has loaded everything
            _kill(process)
        try:
            async with asyncio.timeout(GRACE):
                if process.returncode is None:
                    await self.send_meta({"type": "quit"})
                    self.stdin.close()
                await process.wait()
        except TimeoutError:
            _kill(process)
        if self._task is not None:
            await asyncio.wait({self._task}, timeout=_LAST_WORDS)
            self._task.cancel()  # it may still wait for a visitor who does not read
            await asyncio.wait({self._task})


def _kill(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.kill()


def plain(lines: Iterable[str]) -> bytes:
    """What a terminal draws lines from, on an empty screen in the colour of ours."""
    return (_EMPTY + "".join(f"\r\n  {line}" for line in lines)).encode()


async def _said(stream: asyncio.StreamReader) -> str:
    """The beginning of what a process tells on its standard error; all of it is read."""
    kept = b""
    while data := await stream.read(_CHUNK):
        kept += data[: _MOST_SAID - len(kept)]
    return kept.decode("utf-8", "replace")
