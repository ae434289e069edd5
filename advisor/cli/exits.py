"""Exit codes: part of the interface, their meaning never changes with a flag."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """What a call ends with; of several files the first in ``SEVERITY`` decides."""

    HOLDS = 0  # everything holds; waived counts as holding
    FAILS = 1  # a deny policy fails: not fitting is one
    BROKEN = 2  # the files or the call are wrong, or nothing was checked
    UNDECIDED = 3  # a deny policy cannot be decided: inputs are missing
    BUG = 4  # our fault
    INTERRUPTED = 130


SEVERITY = (Exit.BUG, Exit.BROKEN, Exit.FAILS, Exit.UNDECIDED, Exit.HOLDS)


def worst(codes: list[Exit]) -> Exit:
    """The code that several results end with; nothing checked is BROKEN."""
    return min(codes, key=SEVERITY.index) if codes else Exit.BROKEN
