"""Versions of trainers: as typed, or as pinned in a requirements or lock file."""

import re
from collections.abc import Mapping
from pathlib import Path

from advisor.errors import BadCall, FileProblems, Problem, Span, cause, said
from advisor.source import decode, read_bytes

MAX_LOCK = 16 << 20
_VERSION = re.compile(r"[vV]?(\d{1,9}(?:\.\d{1,9}){0,5})")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*\Z")
_PIN = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*={2,3}\s*([^\s;,#]+)")
_LOCKS = ("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml")

Versions = Mapping[str, tuple[int, ...]]
"""Versions by the name of the package, lower case with dashes; the empty name is any trainer's."""


def parse_version(text: str) -> tuple[int, ...] | None:
    """The numbers a version starts with (``v0.9.1.dev0`` is 0.9.1), or None."""
    found = _VERSION.match(text.strip())
    return tuple(int(part) for part in found[1].split(".")) if found else None


def compare(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    """-1, 0 or 1: 0.9 is 0.9.0."""
    size = max(len(one), len(other))
    left, right = (side + (0,) * (size - len(side)) for side in (one, other))
    return (left > right) - (left < right)


def normal(name: str) -> str:
    """A package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def is_versions_file(path: Path) -> bool:
    """Whether a file is one that pins versions, by its name."""
    name = path.name.lower()
    return name in _LOCKS or (name.startswith("requirements") and name.endswith((".txt", ".lock")))


def versions_of(typed: str) -> dict[str, tuple[int, ...]]:
    """The versions that one ``--trainer-version`` names: ``0.9.1``, ``trl==0.21.0``, or a file.

    Raises BadCall, or FileProblems where a file cannot be read.
    """
    name, _, number = typed.replace("==", "=").rpartition("=")
    version = parse_version(number)
    if version is not None and (not name or _NAME.match(name)):
        return {normal(name): version}
    if "/" in typed or "\\" in typed or typed.endswith((".txt", ".lock", ".toml")):
        return read_versions(Path(typed), typed)
    raise BadCall(
        said(
            "--trainer-version {typed}: write 0.9.1, trl==0.21.0, or a lock file's path",
            typed=typed[:60],
        )
    )


def read_versions(path: Path, shown: str) -> dict[str, tuple[int, ...]]:
    """What a requirements or lock file pins; what it leaves open is not in the result.

    Raises FileProblems: the file cannot be read, or is no TOML.
    """
    text = decode(read_bytes(path, shown, MAX_LOCK), shown)
    if path.name.lower().startswith("requirements") or path.suffix == ".txt":
        pins = (_PIN.match(line) for line in text.splitlines())
        found = {normal(pin[1]): parse_version(pin[2]) for pin in pins if pin}
        return {name: version for name, version in found.items() if version is not None}
    return _locked(text, shown)


def _locked(text: str, shown: str) -> dict[str, tuple[int, ...]]:
    import tomllib  # only lock files are TOML

    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        problem = Problem(
            "toml",
            said("not TOML: {error}.", error=cause(error)),
            said("Name a lock file."),
            Span(shown),
        )
        raise FileProblems([problem]) from None
    found: dict[str, tuple[int, ...]] = {}
    for key in ("package", "packages"):
        entries = data.get(key)
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict) and isinstance(entry.get("name"), str):
                version = parse_version(str(entry.get("version", "")))
                if version is not None:
                    found[normal(entry["name"])] = version
    return found
