"""SARIF 2.1.0 for code scanning: results with fingerprints that outlive moved lines.

What is waived is left out, because readers of the format show it all the same; only its count is
told. What is wrong with files is a result like any other, so that no rule's silence hides it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from advisor import __version__
from advisor.check import CheckResult
from advisor.errors import Problem
from advisor.report.findings import Finding, Identities, Kind, findings, problem_findings
from advisor.report.writing import Context, Report, Totals
from advisor.rulebook.model import Policy, say
from advisor.units import date_text

if TYPE_CHECKING:
    from advisor.baseline import Worse

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS: dict[Kind, str] = {
    "problem": "error",
    "fails": "error",
    "undecided": "error",
    "warns": "warning",
    "told": "note",
}
_POLICY_LEVELS = {"deny": "error", "warn": "warning", "info": "note"}
_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")


def report(context: Context) -> Report:
    """The report as one SARIF log with one run."""
    return _SarifReport(context)


class _SarifReport:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.written = 0
        self.identities = Identities()
        policies = context.project.book.policies if context.project else {}
        self.rules = [_rule(one, context.language) for one in policies.values()]
        self.index = {name: number for number, name in enumerate(policies)}

    def begin(self) -> str:
        return (
            f'{{\n  "$schema": "{SCHEMA}",\n  "version": "2.1.0",\n  "runs": [\n    {{\n'
            '      "columnKind": "unicodeCodePoints",\n      "results": ['
        )

    def result(self, result: CheckResult, worse: Sequence[Worse]) -> str:
        return self.results(findings(result, self.context))

    def end(self, totals: Totals, problems: Sequence[Problem]) -> str:
        found = list(problem_findings(problems, "", self.context))
        last = self.results(one for one in found if one.where.file)
        tail = {
            "tool": {
                "driver": {
                    "name": "advisor",
                    "version": __version__,
                    "rules": self.rules,
                }
            },
            "invocations": [
                {
                    "executionSuccessful": totals.exit != 2,
                    "exitCode": totals.exit,
                    "toolExecutionNotifications": [
                        _notification(one) for one in found if not one.where.file
                    ],
                }
            ],
            "properties": self.properties(totals),
        }
        body = json.dumps(tail, ensure_ascii=True, indent=2).removeprefix("{").removesuffix("\n}")
        closed = "\n      ]," if self.written else "],"
        return last + closed + body.replace("\n", "\n    ") + "\n    }\n  ]\n}\n"

    def properties(self, totals: Totals) -> dict[str, Any]:
        found: dict[str, Any] = {"files": totals.files, "waived": totals.waived}
        project = self.context.project
        if project is not None:
            found |= {
                "rules": project.book.digest,
                "layers": list(project.book.layers),
                "today": date_text(project.today),
                "config": project.file.name if project.file else None,
            }
        return found

    def results(self, found: Iterable[Finding]) -> str:
        parts: list[str] = []
        for one in found:
            if one.kind == "waived":
                continue
            if one.rule not in self.index:
                self.index[one.rule] = len(self.rules)
                self.rules.append({"id": one.rule, "shortDescription": {"text": one.rule}})
            parts.append("," if self.written else "")
            body = json.dumps(self.one(one), ensure_ascii=True, indent=2)
            parts.append("\n        " + body.replace("\n", "\n        "))
            self.written += 1
        return "".join(parts)

    def one(self, one: Finding) -> dict[str, Any]:
        region = {"startLine": one.where.line, "startColumn": one.where.column}
        return {
            "ruleId": one.rule,
            "ruleIndex": self.index[one.rule],
            "level": LEVELS[one.kind],
            "message": {"text": one.text},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": uri(one.where.file)},
                        "region": region,
                    }
                }
            ],
            "partialFingerprints": {"advisor/v1": self.identities.of(one)},
            "properties": {"kind": one.kind},
        }


def _notification(one: Finding) -> dict[str, Any]:
    return {
        "descriptor": {"id": one.rule},
        "level": LEVELS[one.kind],
        "message": {"text": one.text},
    }


def _rule(policy: Policy, language: str) -> dict[str, Any]:
    title = say(policy.title, language) or policy.name
    found: dict[str, Any] = {
        "id": policy.name,
        "shortDescription": {"text": title},
        "defaultConfiguration": {"level": _POLICY_LEVELS[policy.level]},
        "properties": {"layer": policy.origin.layer, "where": str(policy.origin.span)},
    }
    why = say(policy.why, language)
    if why:
        found["fullDescription"] = {"text": why}
    return found


def uri(file: str) -> str:
    """A path as a URI: relative to the repository, or ``file:`` for one outside."""
    try:
        written = file.encode("utf-8", "surrogateescape")  # the bytes the name has on disk
    except UnicodeEncodeError:
        written = file.encode("utf-8", "surrogatepass")
    quoted = "".join(chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in written)
    return f"file://{quoted}" if PurePath(file).is_absolute() else quoted
