"""Lines typed in earlier conversations, kept for the arrow keys: bounded, and the owner's alone."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from prompt_toolkit.history import FileHistory, History, InMemoryHistory

MOST_BYTES = 64 * 1024
"""A longer file is cut to its newer half before it is read."""
_ENTRY = b"\n# "


class KeptHistory(FileHistory):
    """A file that nobody misses when it cannot be read or written."""

    def load_history_strings(self) -> Iterable[str]:
        try:
            return list(super().load_history_strings())
        except OSError:
            return []

    def store_string(self, string: str) -> None:
        with contextlib.suppress(OSError):
            super().store_string(string)


def history(path: Path | None) -> History:
    """The lines in a file, made if it is not there; without a file, those of this conversation."""
    if path is None or not _is_ready(path):
        return InMemoryHistory()
    return KeptHistory(str(path))


def _is_ready(path: Path) -> bool:
    """Whether the file can be used: it is one, nobody else reads it, and it is not too long."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.exists() and not path.is_file():
            return False
        flags = os.O_RDWR | os.O_CREAT | os.O_NONBLOCK
        with os.fdopen(os.open(path, flags, 0o600), "rb") as stream:
            os.fchmod(stream.fileno(), 0o600)
            if stream.seek(0, os.SEEK_END) <= MOST_BYTES:
                return True
            stream.seek(-MOST_BYTES // 2, os.SEEK_END)
            newer = stream.read()
        _replace(path, newer[max(0, newer.find(_ENTRY)) :])
    except (OSError, ValueError, AttributeError):  # no file, no name of one, no modes of files
        return False
    return True


def _replace(path: Path, content: bytes) -> None:
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".history-", delete=False) as stream:
        stream.write(content)
    Path(stream.name).replace(path)
