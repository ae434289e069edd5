"""What a plan consists of, as data."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from advisor.rulebook.model import Remedy, Value
from advisor.verdict import Verdict

SkipReason = Literal[
    "not needed",
    "does not apply",
    "kept",
    "changes nothing",
    "gains little",
    "cannot be set",
    "breaks a policy",
    "helps something else",
]

Standing = Literal["fails", "tight", "holds"]
"""What a scenario comes to: a goal that denies fails, only one that warns does, or none."""

Range = tuple[float, float, float]


class Rung(NamedTuple):
    """One remedy taken: what it sets, and every answer before and after (low, likely, high).

    ``standing`` is what the scenario comes to with this rung, ``was`` what it came to before it.
    """

    remedy: Remedy
    changes: Mapping[str, tuple[Value | None, Value]]
    before: Mapping[str, Range]
    after: Mapping[str, Range]
    gain: float
    was: Standing
    standing: Standing

    @property
    def settings(self) -> dict[str, Value]:
        return {name: new for name, (_, new) in self.changes.items()}


class Skipped(NamedTuple):
    """One remedy not taken, why, and what it would do.

    ``gain`` is its gain on the goal (a share; negative: worse), ``before`` and ``after`` every
    answer where it was tried; ``detail`` names what keeps, breaks or cannot be set.
    """

    remedy: Remedy
    reason: SkipReason
    gain: float | None = None
    detail: str = ""
    before: Mapping[str, Range] = {}
    after: Mapping[str, Range] = {}


class Plan(NamedTuple):
    """The rungs to take in order, those skipped, and where that leads.

    ``required`` is false when the plan is only offered (the verdict was tight). ``solved`` says
    whether no goal denies at the end (none warns either, where the plan is only offered); if not,
    ``final`` is the nearest miss. ``changeable`` names the parts of the first answer that some
    remedy of the ladder makes smaller.
    """

    goals: tuple[str, ...]
    rungs: tuple[Rung, ...]
    skipped: tuple[Skipped, ...]
    required: bool
    solved: bool
    final: Verdict
    changeable: frozenset[str]

    @property
    def ladder_layer(self) -> str:
        """The layer that listed the ladder climbed."""
        return self.final.trace.book.ladder_layer
