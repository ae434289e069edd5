"""What every format of a check's report has in common: parts written one by one, and the counts.

A report is written while files are checked, so that a thousand of them need no more memory than
one: ``begin``, one ``result`` for each, ``end``. Nothing in here knows where the text goes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from advisor.check import CheckResult, Status
from advisor.errors import Problem
from advisor.project import Project

if TYPE_CHECKING:
    from advisor.baseline import Worse
    from advisor.trainers.writes import Trainer

COUNTED = ("holds", "fails", "undecided", "broken")


class Totals(NamedTuple):
    """Files by how they stand, policies waived in them, and the code that the call ends with."""

    files: int
    holds: int
    fails: int
    undecided: int
    broken: int
    waived: int
    exit: int


class Report(Protocol):
    """One format. Joined, what the calls return is the document."""

    def begin(self) -> str:
        """What comes before the first file."""

    def result(self, result: CheckResult, worse: Sequence[Worse]) -> str:
        """One file, and what got worse in it since the baseline."""

    def end(self, totals: Totals, problems: Sequence[Problem]) -> str:
        """What comes after the last file: the counts, and what is wrong with the call itself."""


@dataclass(slots=True)
class Context:
    """What a report needs besides results.

    ``project`` is None where the call could not begin. ``strict`` counts warnings as failures;
    ``root`` is the working directory, which paths are told from; ``baseline`` is the name of the
    report compared with, or empty.
    """

    project: Project | None
    strict: bool = False
    language: str = "en"
    colour: bool = False
    root: str = ""
    baseline: str = ""
    read: tuple[Trainer, ...] | None = None

    def trainers(self, result: CheckResult) -> tuple[Trainer, ...]:
        """What to type in each trainer; read when the first plan has to say it."""
        if result.plan is None or self.project is None:
            return ()
        if self.read is None:
            self.read = self.project.trainers()
        return self.read


@dataclass(slots=True)
class Tally:
    """Counts results as they come."""

    strict: bool
    states: dict[str, int]
    waived: int = 0

    def add(self, result: CheckResult) -> Status:
        """Count one result; how it stands."""
        status = result.status(self.strict)
        self.states[status.value] = self.states.get(status.value, 0) + 1
        if result.verdict is not None and status is not Status.BROKEN:
            self.waived += len(result.verdict.waived())
        return status

    def totals(self, exit_code: int) -> Totals:
        """What was counted, with the code that the call ends with."""
        holds, fails, undecided, broken = (self.states.get(state, 0) for state in COUNTED)
        files = holds + fails + undecided + broken
        return Totals(files, holds, fails, undecided, broken, self.waived, exit_code)


def whole(report: Report, results: Iterable[CheckResult], strict: bool, exit_code: int) -> str:
    """The document over results that are all there."""
    tally = Tally(strict, {})
    parts = [report.begin()]
    for result in results:
        tally.add(result)
        parts.append(report.result(result, ()))
    parts.append(report.end(tally.totals(exit_code), ()))
    return "".join(parts)
