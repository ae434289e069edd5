"""Path patterns: ``*`` and ``?`` within a folder, ``**`` over folders; matched in bounded time."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from advisor.errors import said

MAX_LENGTH = 300

_Item = TypeVar("_Item")


def fault(pattern: str) -> str:
    """Why a text is no pattern of paths below a folder; empty when it is one."""
    if len(pattern) > MAX_LENGTH:
        return said("is longer than {most} characters", most=MAX_LENGTH)
    if "\\" in pattern:
        return said("has a backslash; write / between folders")
    if pattern.startswith(("/", "~")) or pattern[1:2] == ":":
        return said("is an absolute path; write it from the working directory on")
    parts = pattern.split("/")
    if ".." in parts:
        return said("leads out of the folder")
    if "" in parts or "." in parts:
        return said("has an empty part; write a/b without ./ and //")
    if any("**" in part and part != "**" for part in parts):
        return said("has ** inside a name; it stands alone between two /")
    if any(char in pattern for char in "[]{}"):
        return said("has brackets; only *, ? and ** stand for something else")
    return ""


def covers(pattern: str, path: str) -> bool:
    """Whether a pattern stands for a path, both with ``/`` between folders; case counts."""
    return _match(pattern.split("/"), path.split("/"), "**", _names_match)


def _names_match(pattern: str, name: str) -> bool:
    return _match(pattern, name, "*", lambda want, char: want in ("?", char))


def _match(
    pattern: Sequence[_Item],
    text: Sequence[_Item],
    star: _Item,
    same: Callable[[_Item, _Item], bool],
) -> bool:
    """Whether the pattern covers all of the text; only the last star met is ever tried again."""
    at = position = 0
    retry: tuple[int, int] | None = None
    while position < len(text):
        if at < len(pattern) and pattern[at] == star:
            retry = at, position
            at += 1
        elif at < len(pattern) and same(pattern[at], text[position]):
            at += 1
            position += 1
        elif retry is not None:
            retry = retry[0], retry[1] + 1
            at, position = retry[0] + 1, retry[1]
        else:
            return False
    return all(one == star for one in pattern[at:])
