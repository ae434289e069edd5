"""Where the shipped rules and catalogues are: inside the wheel, or beside the package."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_BUNDLED = _PACKAGE / "_data"


def shipped(name: str) -> Path:
    """The folder ``rules``, ``gpus``, ``models`` or ``examples`` of this installation."""
    root = _BUNDLED if _BUNDLED.is_dir() else _PACKAGE.parent
    return root / name
