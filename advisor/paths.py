"""Where the shipped rules and catalogues are (inside the wheel, or beside the package), and what
lies in a folder."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_BUNDLED = _PACKAGE / "_data"


def shipped(name: str) -> Path:
    """The folder ``rules``, ``gpus``, ``models`` or ``examples`` of this installation."""
    root = _BUNDLED if _BUNDLED.is_dir() else _PACKAGE.parent
    return root / name


def is_inside(path: Path, folder: Path) -> bool:
    """Whether a path, links followed, lies in a folder; false for what no file can be called."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):  # a loop of links, a name no file can have
        return False
