"""GitLab's code quality report: a JSON list of issues, compared by fingerprint between branches."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from advisor.check import CheckResult
from advisor.errors import Problem
from advisor.report.findings import Finding, Identities, Kind, findings, problem_findings
from advisor.report.writing import Context, Report, Totals

if TYPE_CHECKING:
    from advisor.baseline import Worse

SEVERITIES: dict[Kind, str] = {
    "problem": "blocker",
    "fails": "critical",
    "undecided": "major",
    "warns": "minor",
    "told": "info",
    "waived": "info",
}
NO_FILE = "advisor.yaml"
"""Where what is wrong with the call is shown: an issue needs a file."""


def report(context: Context) -> Report:
    """The report as GitLab's artifact ``codequality`` wants it."""
    return _GitlabReport(context)


class _GitlabReport:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.written = 0
        self.identities = Identities()

    def begin(self) -> str:
        return "["

    def result(self, result: CheckResult, worse: Sequence[Worse]) -> str:
        return self.issues(findings(result, self.context))

    def end(self, totals: Totals, problems: Sequence[Problem]) -> str:
        last = self.issues(problem_findings(problems, "", self.context))
        return last + ("\n]\n" if self.written else "]\n")

    def issues(self, found: Iterable[Finding]) -> str:
        parts: list[str] = []
        for one in found:
            parts.append(",\n  " if self.written else "\n  ")
            parts.append(json.dumps(self.issue(one), ensure_ascii=True))
            self.written += 1
        return "".join(parts)

    def issue(self, one: Finding) -> dict[str, object]:
        return {
            "type": "issue",
            "check_name": one.rule,
            "description": one.text,
            "severity": SEVERITIES[one.kind],
            "fingerprint": self.identities.of(one),
            "location": {"path": one.where.file or NO_FILE, "lines": {"begin": one.where.line}},
        }
