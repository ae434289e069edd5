"""The files that a call names: one by one, by pattern, or everything in a folder."""

import glob
import os
from collections.abc import Iterator, Sequence
from itertools import islice, takewhile
from pathlib import Path
from typing import NamedTuple

from advisor.errors import Problem, Span, said
from advisor.patterns import covers
from advisor.trainers.syntax import SUFFIXES

MAX_FILES = 100_000
MAX_ENTRIES = 1_000_000
_SKIPPED = frozenset(("node_modules", "__pycache__", "site-packages", "venv"))
_PROJECT_FILE = "advisor.yaml"


class Named(NamedTuple):
    """A file of the call; ``explicit`` is one that the caller wrote out, and must be readable."""

    path: Path
    shown: str
    explicit: bool


def gather(paths: Sequence[Path], problems: list[Problem]) -> Iterator[Named]:
    """Every file that the paths stand for, each once, folders in the order of their names.

    ``problems`` takes up a pattern or folder that holds no file that could be a trainer's, and one
    that holds too many.
    """
    seen: set[Path] = set()
    for path in paths:
        shown = str(path)
        if path.is_dir():
            found = _held(shown, _walk(path), problems)
        elif glob.has_magic(shown) and not path.exists():
            found = _held(shown, _covered(shown), problems)
        else:
            yield Named(path, shown, True)
            continue
        for one in found:
            if one not in seen:
                seen.add(one)
                yield Named(one, str(one), False)


def _held(shown: str, paths: Iterator[Path], problems: list[Problem]) -> list[Path]:
    try:
        found = list(islice(paths, MAX_FILES + 1))
    except _TooMany:
        message = said("holds over {most:,} files and folders.", most=MAX_ENTRIES)
        problems.append(Problem("too-large", message, said("Name a smaller folder."), Span(shown)))
        return []
    if not found:
        hint = said("Looked for {names}.", names=tuple(SUFFIXES))
        message = said("no file here could be a trainer's.")
        problems.append(Problem("no-file", message, hint, Span(shown)))
    if len(found) > MAX_FILES:
        message = said("holds over {most:,} files.", most=MAX_FILES)
        problems.append(Problem("too-large", message, said("Name a smaller folder."), Span(shown)))
        return []
    return found


class _TooMany(Exception):
    """A folder with more in it than is looked through."""


def _walk(folder: Path) -> Iterator[Path]:
    """Files below a folder; links to folders are not followed, hidden ones not entered.

    Raises _TooMany after MAX_ENTRIES files and folders.
    """
    left = MAX_ENTRIES
    for root, folders, files in os.walk(folder):
        left -= len(folders) + len(files)
        if left < 0:
            raise _TooMany
        folders[:] = sorted(name for name in folders if name[0] != "." and name not in _SKIPPED)
        for name in sorted(files):
            if _could_be(name):
                yield Path(root, name)


def _covered(pattern: str) -> Iterator[Path]:
    parts = Path(pattern).parts
    if "**" in parts:  # glob follows links to folders, and a link to its own folder never ends
        base = Path(*takewhile(lambda part: not glob.has_magic(part), parts))
        wanted = "/".join(parts).replace("//", "/")
        for path in _walk(base):
            if covers(wanted, path.as_posix()):
                yield path
        return
    found = glob.iglob(pattern, recursive=True)  # noqa: PTH207 - takes absolute patterns too
    for name in sorted(found):
        path = Path(name)
        if _could_be(path.name) and path.is_file():
            yield path
        elif path.is_dir() and not pattern.endswith("*"):
            yield from _walk(path)


def _could_be(name: str) -> bool:
    return name.lower().endswith(SUFFIXES) and name[0] != "." and name != _PROJECT_FILE
