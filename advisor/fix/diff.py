"""The difference of two texts, line by line, for people."""

import difflib
import re

_BREAK = re.compile("\r\n|[\r\n]")


def diff_lines(before: str, after: str, name: str) -> list[str]:
    """The lines of a unified difference; line ends are not shown."""
    old, new = _BREAK.split(before), _BREAK.split(after)
    return list(difflib.unified_diff(old, new, name, name, lineterm=""))
