"""What a check holds, for tests that know it is there; and a conversation's world without files."""

from __future__ import annotations

from pathlib import Path

from advisor.check import CheckResult
from advisor.errors import BadCall
from advisor.ladder import Plan
from advisor.source import Document
from advisor.verdict import Verdict


def verdict(check: CheckResult) -> Verdict:
    assert check.verdict is not None, check.problems
    return check.verdict


def plan(check: CheckResult) -> Plan:
    assert check.plan is not None
    return check.plan


def span(found: Verdict, name: str) -> tuple[float, float, float]:
    """Low, likely and high of an answer."""
    one = found.answers[name]
    assert one.low is not None and one.likely is not None and one.high is not None
    return one.low, one.likely, one.high


def limit(found: Verdict, name: str) -> float:
    value = found.answers[name].limit
    assert value is not None
    return value


class NoFiles:
    """No files at all: no line of a test reaches the disk."""

    told = "exported"

    def read(self, path: str) -> Document:
        raise BadCall("files cannot be opened here")

    def folder_of(self, path: str) -> Path | None:
        return None

    def write(self, path: str, text: str, replace: bool) -> None:
        raise BadCall("files cannot be written here")
