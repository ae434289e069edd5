"""The files that commands name: read and written only when a person says so."""

import os
import stat
import tempfile
from pathlib import Path
from typing import Protocol

from advisor.errors import BadCall, cause, said, visible
from advisor.source import Document, read_file


class Files(Protocol):
    """What ``/open``, ``/save`` and ``/export`` need of the world.

    ``told`` is the message that says where a file went.
    """

    told: str

    def read(self, path: str) -> Document:
        """The document of a file; raises FileProblems."""

    def folder_of(self, path: str) -> Path | None:
        """The folder of a file: what the file names must lie below it."""

    def write(self, path: str, text: str, replace: bool) -> None:
        """Write a file; raises BadCall when it cannot be, or is there and not to be replaced."""


class DiskFiles:
    """Files below a folder, or anywhere when a path says so."""

    told = "exported"

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, path: str) -> Document:
        return read_file(self._path(path), path)

    def folder_of(self, path: str) -> Path | None:
        return self._path(path).parent

    def write(self, path: str, text: str, replace: bool) -> None:
        target = self._path(path)
        try:
            if (target.is_symlink() or target.exists()) and not replace:
                raise BadCall(
                    said("'{path}' exists already; name another file", path=visible(path))
                )
            with tempfile.NamedTemporaryFile(
                "w", dir=target.parent, prefix=".advisor-", delete=False, encoding="utf-8"
            ) as stream:
                stream.write(text)
            made = Path(stream.name)
            made.chmod(stat.S_IMODE(target.stat().st_mode) if target.exists() else _usual_mode())
            made.replace(target)
        except (OSError, ValueError) as error:
            raise BadCall(
                said(
                    "'{path}' cannot be written: {reason}", path=visible(path), reason=cause(error)
                )
            ) from None

    def _path(self, path: str) -> Path:
        return self.folder / Path(path).expanduser()


def _usual_mode() -> int:
    """The permissions of a new file here: a temporary one is its maker's alone."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
