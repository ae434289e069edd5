"""What there is to point out in a check, one thing at a time: what annotations are made of."""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from advisor.check import CheckResult, Status
from advisor.errors import Problem, Span, visible
from advisor.report.phrases import labelled, names, phrase, remarked
from advisor.report.place import place_of
from advisor.report.problems import problem_text
from advisor.report.waiver_text import waiver_text
from advisor.report.writing import Context
from advisor.rulebook.model import Input, Value, say
from advisor.rulebook.values import input_text
from advisor.verdict import Outcome, Verdict, fill

if TYPE_CHECKING:
    from advisor.trainers.writes import Trainer

Kind = Literal["problem", "fails", "undecided", "warns", "told", "waived"]
_ORDER = get_args(Kind)
MAX_MESSAGE = 2000
MAX_NAME = 300


class Finding(NamedTuple):
    """One thing to point out. ``rule`` is a policy or the code of a problem.

    ``kind`` says what it does to the exit code: ``problem`` makes it 2, ``fails`` 1, ``undecided``
    3, the others nothing. ``advice`` are the rungs of the plan, in order. ``identity`` stays the
    same while lines move and numbers change.
    """

    rule: str
    kind: Kind
    message: str
    where: Span
    identity: str
    advice: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Message and advice in one paragraph."""
        return " ".join([self.message, *self.advice])


def findings(result: CheckResult, context: Context) -> Iterator[Finding]:
    """What to point out in one file, worst first."""
    if result.status(context.strict) is Status.BROKEN:
        yield from problem_findings(result.problems, result.path, context)
        return
    verdict = result.verdict
    if verdict is None:
        return
    kinds = ((outcome, _kind(outcome, context.strict)) for outcome in verdict.outcomes)
    told = [(outcome, kind) for outcome, kind in kinds if kind is not None]
    for outcome, kind in sorted(told, key=lambda one: _ORDER.index(one[1])):
        name = outcome.policy.name
        yield Finding(
            name,
            kind,
            short(_message(outcome, verdict, context.language), MAX_MESSAGE),
            local(place_of(result, outcome), context.root),
            _identity(name, _local(result.path, context.root)),
            _advice(result, verdict, outcome, context),
        )


def problem_findings(problems: Iterable[Problem], file: str, context: Context) -> Iterator[Finding]:
    """What is wrong with a file or with the call, whose ``file`` is empty."""
    for one in problems:
        where, message = one.where or Span(file), problem_text(one, context.language)
        if where.file.startswith("--"):  # an option of the call is no file
            where, message = Span(file), f"{where.file}: {message}"
        text = short(visible(message), MAX_MESSAGE)
        identity = _identity(one.code, _local(where.file, context.root), _stable(one.message))
        kind: Kind = "problem" if one.level == "error" else "warns"
        yield Finding(one.code, kind, text, local(where, context.root), identity)


def _kind(outcome: Outcome, strict: bool) -> Kind | None:
    if outcome.state == "waived":
        return "waived"
    if outcome.state == "undecided":
        return "undecided" if outcome.level == "deny" else None
    if outcome.state != "fails":
        return None
    if outcome.level == "deny" or (strict and outcome.level == "warn"):
        return "fails"
    return "warns" if outcome.level == "warn" else "told"


def _message(outcome: Outcome, verdict: Verdict, language: str) -> str:
    if outcome.state == "undecided":
        missing = names(language, verdict.owners(outcome.missing))
        return phrase(language, "not_decidable", names=missing)
    message = fill(outcome.policy.message, verdict.trace, language)
    if outcome.waiver is not None:
        message += phrase(language, "sentences")
        message += waiver_text(outcome.waiver, verdict.trace.book, language)
    return visible(message)


def _advice(
    result: CheckResult, verdict: Verdict, outcome: Outcome, context: Context
) -> tuple[str, ...]:
    """The plan in a line for each rung, for the policies that it is to satisfy."""
    plan, language = result.plan, context.language
    if plan is None or not plan.rungs or outcome.state != "fails":
        return ()
    if outcome.policy.name not in plan.goals:
        return ()
    key = (
        "plan_unsolved" if not plan.solved else "plan_required" if plan.required else "plan_offered"
    )
    lines = [labelled(language, phrase(language, key), "").rstrip()]
    trainer = trainer_of(result, context)
    for number, rung in enumerate(plan.rungs, start=1):
        sets = ", ".join(
            typed(verdict.trace.book.inputs[name], value, trainer)
            for name, value in rung.settings.items()
        )
        step = remarked(language, say(rung.remedy.title, language), sets)
        lines.append(visible(f"{number}. {step}"))
    return tuple(lines)


def trainer_of(result: CheckResult, context: Context) -> Trainer | None:
    """The trainer that a scenario uses, if the plan can be typed in its words."""
    if result.verdict is None:
        return None
    used = {value for value in result.verdict.trace.values.values() if isinstance(value, str)}
    return next((one for one in context.trainers(result) if one.name in used), None)


def typed(target: Input, value: Value, trainer: Trainer | None) -> str:
    """What to type for a value: in the trainer's words where it has some."""
    lines = trainer.lines(target, value) if trainer is not None else []
    return ", ".join(lines) or f"{target.name}: {input_text(target, value)}"


class Identities:
    """Fingerprints of one report: what is told again, further down a file, gets one of its own."""

    def __init__(self) -> None:
        self.seen: dict[str, int] = {}

    def of(self, finding: Finding) -> str:
        """The fingerprint of a finding."""
        count = self.seen.get(finding.identity, 0) + 1
        self.seen[finding.identity] = count
        return finding.identity if count == 1 else _identity(finding.identity, str(count))


# -- names and places that hold anywhere ----------------------------------------------------------


def short(text: str, most: int = MAX_NAME) -> str:
    """A text cut to so many characters."""
    return text if len(text) <= most else text[: most - 1] + "…"


def local(span: Span, root: str) -> Span:
    """A place in a path from the root on (empty: no file); a whole file is its first character."""
    return Span(_local(span.file, root), max(span.line, 1), max(span.column, 1))


def _local(file: str, root: str) -> str:
    path = Path(file)
    if root and path.is_absolute() and path.is_relative_to(root):
        path = path.relative_to(root)
    return posixpath.normpath(path.as_posix()) if file else ""


def _identity(*parts: str) -> str:
    """A fingerprint of what does not move."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _stable(message: str) -> str:
    """A message without the places it mentions."""
    return re.sub(r":\d+(?::\d+)?", "", message)
