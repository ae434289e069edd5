"""A check against an earlier one: what got worse since a JSON report was written."""

import json
import posixpath
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from advisor.check import CheckResult
from advisor.errors import FileProblems, Problem, Said, Span, cause, said, whole
from advisor.source import read_bytes

MAX_BYTES = 256 << 20  # a file's result takes some 60 kB
MAX_KEPT = 200  # characters of a word of the report that is shown again
RISE = 0.01
"""The share by which an answer may grow without being worse."""

_STATUS = {"holds": 0, "undecided": 1, "fails": 2, "broken": 3}
_VERDICT = {"fits": 0, "no limit": 0, "tight": 1, "undecided": 2, "does not fit": 3}
_POLICY = {"holds": 0, "not applicable": 0, "not there": 0, "waived": 1, "undecided": 1, "fails": 2}


class Worse(NamedTuple):
    """One thing that got worse: a word before and now, or a number in base units.

    ``name`` is the policy's or the answer's; ``status`` is how the file stands, ``verdict`` whether
    it fits.
    """

    kind: Literal["status", "verdict", "policy", "answer"]
    name: str
    was: str | float
    now: str | float


class Earlier(NamedTuple):
    """What a report said about one file."""

    status: str
    verdict: str
    policies: Mapping[str, str]
    answers: Mapping[str, float]


class Baseline(NamedTuple):
    """What a report said, by file."""

    files: Mapping[str, Earlier]

    def worse(self, result: CheckResult, strict: bool = False) -> tuple[Worse, ...]:
        """What got worse in a file; nothing for one that the report does not know."""
        earlier = self.files.get(_key(result.file))
        return tuple(_worse(earlier, result, strict)) if earlier is not None else ()


def read_baseline(path: Path) -> Baseline:
    """The report of ``advisor check --format json`` in a file.

    Raises FileProblems when it cannot be read or is no such report.
    """
    shown = str(path)
    data = read_bytes(path, shown, MAX_BYTES)
    try:
        report = json.loads(data, parse_constant=_refused)
        return Baseline(dict(_files(report)))
    except (ValueError, RecursionError) as error:
        hint = said("Write one with advisor check --format json --output FILE.")
        message = said("this is no report to compare with: {error}.", error=_reason(error))
        raise FileProblems([Problem("baseline", message, hint, Span(shown))]) from None


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError) or not str(error):
        return said("too deep")
    if isinstance(error, json.JSONDecodeError):
        return said(
            "{what}: line {line} column {column} (char {offset})",
            what=whole(error.msg),
            line=error.lineno,
            column=error.colno,
            offset=error.pos,
        )
    return cause(error) if isinstance(error.args[0], Said) else whole(str(error)[:MAX_KEPT])


def _refused(word: str) -> float:
    raise ValueError(said("{word} is no number", word=word))


def _key(file: str) -> str:
    return posixpath.normpath(file.replace("\\", "/"))


# -- reading --------------------------------------------------------------------------------------


def _files(report: Any) -> Iterator[tuple[str, Earlier]]:
    if not isinstance(report, dict) or report.get("format") != 1:
        raise ValueError(said("it does not say format 1"))
    if report.get("rules") is None:
        raise ValueError(said("nothing was checked when it was written"))
    for result in _typed(report, "results", list):
        if not isinstance(result, dict):
            raise ValueError(said("a result is no map"))
        yield _key(_typed(result, "file", str)), _earlier(result)


def _earlier(result: dict[str, Any]) -> Earlier:
    status = _one_of(result, "status", _STATUS)
    if "verdict" not in result:
        return Earlier(status, "", {}, {})
    policies: dict[str, str] = {}
    for policy in _typed(result, "policies", list):
        if not isinstance(policy, dict):
            raise ValueError(said("a policy is no map"))
        policies[_typed(policy, "name", str)] = _one_of(policy, "state", _POLICY)
    answers: dict[str, float] = {}
    for name, answer in _typed(result, "answers", dict).items():
        likely = answer.get("likely") if isinstance(answer, dict) else ""
        if likely is None:
            continue
        if isinstance(likely, bool) or not isinstance(likely, int | float):
            raise ValueError(said("the answer {name} has no number", name=name[:40]))
        answers[name] = float(likely)
    return Earlier(status, _one_of(result, "verdict", _VERDICT), policies, answers)


def _typed(holder: dict[str, Any], key: str, kind: type) -> Any:
    value = holder.get(key)
    if not isinstance(value, kind):
        raise ValueError(said("'{key}' is missing or no {kind}", key=key, kind=kind.__name__))
    return value


def _one_of(holder: dict[str, Any], key: str, known: Mapping[str, int]) -> str:
    value: str = _typed(holder, key, str)
    if value not in known:
        raise ValueError(said("'{key}' cannot be '{value}'", key=key, value=value[:40]))
    return value


# -- comparing ------------------------------------------------------------------------------------


def _worse(earlier: Earlier, result: CheckResult, strict: bool) -> Iterator[Worse]:
    status = result.status(strict).value
    if _STATUS[status] > _STATUS[earlier.status]:
        yield Worse("status", "", earlier.status, status)
    verdict = result.verdict
    if verdict is None or not earlier.verdict:
        return
    if _VERDICT[verdict.state] > _VERDICT[earlier.verdict]:
        yield Worse("verdict", "", earlier.verdict, verdict.state)
    for outcome in verdict.outcomes:
        was = earlier.policies.get(outcome.policy.name, "not there")
        if outcome.level != "info" and _POLICY[outcome.state] > _POLICY[was]:
            yield Worse("policy", outcome.policy.name, was, outcome.state)
    for name, answer in verdict.answers.items():
        before = earlier.answers.get(name)
        if before is not None and answer.likely is not None and _grew(before, answer.likely):
            yield Worse("answer", name, before, answer.likely)


def _grew(before: float, now: float) -> bool:
    return now - before > RISE * abs(before)
