"""Check results as one JSON document; its shape is ``advisor/schemas/check.schema.json``.

Numbers are in base units (byte, second, FLOP, USD and plain counts), so that nothing is rounded.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from advisor import __version__
from advisor.check import CheckResult
from advisor.errors import Problem, Span
from advisor.ladder import Plan, Range, Rung, Skipped
from advisor.project import Project
from advisor.report.problems import in_language
from advisor.report.writing import Context, Report, Totals, whole
from advisor.rulebook.model import Change, RuleBook, say
from advisor.trainers.writes import Trainer
from advisor.units import NONE, Unit, date_text, dimension_text
from advisor.verdict import AnswerResult, Outcome, Verdict, fill
from advisor.waivers import Waiver

if TYPE_CHECKING:
    from advisor.baseline import Worse

FORMAT = 1


def report(context: Context) -> Report:
    """The report as one JSON document; the same input gives the same bytes."""
    return _JsonReport(context)


def check_json(
    results: list[CheckResult], project: Project, warnings_fail: bool, exit_code: int, language: str
) -> str:
    """The document over results that are all there, ending with a newline."""
    context = Context(project, warnings_fail, language)
    return whole(report(context), results, warnings_fail, exit_code)


class _JsonReport:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.written = 0

    def begin(self) -> str:
        project, language = self.context.project, self.context.language
        head = {
            "format": FORMAT,
            "advisor": __version__,
            "today": date_text(project.today) if project else None,
            "config": project.file.name if project and project.file else None,
            "rules": _rules(project.book, language) if project else None,
        }
        return _text(head).removesuffix("\n}") + ',\n  "results": ['

    def result(self, result: CheckResult, worse: Sequence[Worse]) -> str:
        context = self.context
        state = result.status(context.strict).value
        found = _result(result, state, context.trainers(result), context.language)
        if context.baseline:
            found["worse"] = [one._asdict() for one in worse]
        self.written += 1
        comma = "," if self.written > 1 else ""
        return f"{comma}\n    " + _text(found).replace("\n", "\n    ")

    def end(self, totals: Totals, problems: Sequence[Problem]) -> str:
        tail = {
            "problems": [problem_map(one, self.context.language) for one in problems],
            "baseline": self.context.baseline or None,
            "summary": totals._asdict(),
        }
        closed = "\n  ]," if self.written else "],"
        return closed + _text(tail).removeprefix("{") + "\n"


def _text(part: Mapping[str, Any]) -> str:
    return json.dumps(part, ensure_ascii=True, indent=2, allow_nan=False)


def _rules(book: RuleBook, language: str) -> dict[str, Any]:
    def change(one: Change) -> dict[str, Any]:
        return {
            "layer": one.layer,
            "target": one.target,
            "action": one.action,
            "was": one.was,
            "now": one.now,
            "reason": say(one.reason, language),
            "weakens": one.weakens,
            "where": where_map(one.where),
        }

    return {
        "digest": book.digest,
        "layers": list(book.layers),
        "ladder": {"layer": book.ladder_layer, "order": list(book.ladder)},
        "changes": [change(one) for one in book.changes],
        "problems": [problem_map(one, language) for one in book.problems],
    }


def _result(
    result: CheckResult, state: str, trainers: Iterable[Trainer], language: str
) -> dict[str, Any]:
    found: dict[str, Any] = {
        "file": result.file,
        "status": state,
        "problems": [problem_map(one, language) for one in result.problems],
    }
    verdict = result.verdict
    if verdict is None or result.scenario is None:
        return found
    if result.lengths is not None:
        from advisor.lengths import rows_of  # few calls measure data
        from advisor.report.lengths_json import lengths_map

        limit, batch = rows_of(verdict.trace.values)
        found["data"] = lengths_map(result.lengths, limit, batch, language)
    if result.translation is not None:
        from advisor.report.translation_json import translation_map

        found["read"] = translation_map(result.translation, language)
    return found | {
        "verdict": verdict.state,
        "answers": {name: _answer(verdict, one) for name, one in verdict.answers.items()},
        "policies": [_policy(verdict, one, language) for one in verdict.outcomes],
        "plan": _plan(result.plan, verdict, trainers, language) if result.plan else None,
        "missing": list(verdict.missing()),
        "idle": list(result.idle),
        "overrides": [
            {"input": one.name, "was": _plain(one.was), "now": _plain(one.now), "by": one.source}
            for one in result.scenario.overrides
        ],
        "keep": sorted(result.scenario.keep),
        "inputs": _inputs(verdict, language),
    }


def _base(unit: Unit) -> str:
    return "1" if unit.dimension == NONE else dimension_text(unit.dimension)


def _answer(verdict: Verdict, one: AnswerResult) -> dict[str, Any]:
    trace = verdict.trace
    return {
        "name": one.answer.value,
        "unit": _base(trace.book.unit(one.answer.value)),
        "state": one.state,
        "low": one.low,
        "likely": one.likely,
        "high": one.high,
        "limit": one.limit,
        "moment": one.moment or None,
        "parts": [{"name": part.name, "value": part.value} for part in one.parts],
        "also": {name: trace.number(name) for name in one.answer.also},
        "missing": sorted(one.missing),
    }


def _policy(verdict: Verdict, one: Outcome, language: str) -> dict[str, Any]:
    policy = one.policy
    return {
        "name": policy.name,
        "level": policy.level,
        "state": one.state,
        "message": fill(policy.message, verdict.trace, language),
        "left": one.left,
        "right": one.right,
        "fix": policy.fix if policy.fix == "ladder" else list(policy.fix),
        "layer": policy.origin.layer,
        "where": where_map(policy.origin.span),
        "missing": sorted(one.missing),
        "waiver": _waiver(one.waiver) if one.waiver else None,
    }


def _waiver(waiver: Waiver) -> dict[str, Any]:
    return {
        "scenario": waiver.scenario,
        "reason": waiver.reason,
        "approved_by": waiver.approved_by,
        "approved_on": date_text(waiver.approved_on),
        "expires": date_text(waiver.expires),
        "allow": {name: bound.value for name, bound in waiver.allow.items()},
        "source": waiver.source,
        "where": where_map(waiver.where),
    }


def _plan(
    plan: Plan, verdict: Verdict, trainers: Iterable[Trainer], language: str
) -> dict[str, Any]:
    return {
        "goals": list(plan.goals),
        "required": plan.required,
        "solved": plan.solved,
        "verdict": plan.final.state,
        "rungs": [_rung(rung, verdict, trainers, language) for rung in plan.rungs],
        "skipped": [_skipped(one, language) for one in plan.skipped],
    }


def _rung(
    rung: Rung, verdict: Verdict, trainers: Iterable[Trainer], language: str
) -> dict[str, Any]:
    inputs = verdict.trace.book.inputs
    typed: dict[str, list[str]] = {}
    for trainer in trainers:
        for name, value in rung.settings.items():
            typed.setdefault(trainer.name, []).extend(trainer.lines(inputs[name], value))
    return {
        "remedy": rung.remedy.name,
        "title": say(rung.remedy.title, language),
        "set": {
            name: {"was": _plain(was), "now": _plain(now)}
            for name, (was, now) in rung.changes.items()
        },
        "before": _ranges(rung.before),
        "after": _ranges(rung.after),
        "gain": rung.gain,
        "standing": rung.standing,
        "quality": rung.remedy.quality,
        "why": say(rung.remedy.why, language),
        "trade_off": say(rung.remedy.trade_off, language),
        "type": typed,
        "layer": rung.remedy.origin.layer,
        "where": where_map(rung.remedy.origin.span),
    }


def _skipped(one: Skipped, language: str) -> dict[str, Any]:
    return {
        "remedy": one.remedy.name,
        "title": say(one.remedy.title, language),
        "reason": one.reason,
        "gain": one.gain,
        "detail": in_language(one.detail, language),
    }


def _ranges(side: Mapping[str, Range]) -> dict[str, Any]:
    return {
        name: {"low": low, "likely": likely, "high": high}
        for name, (low, likely, high) in side.items()
    }


def _inputs(verdict: Verdict, language: str) -> dict[str, Any]:
    trace = verdict.trace
    found: dict[str, Any] = {}
    for name, source in trace.book.inputs.items():
        provided = trace.origin(name)
        if provided is None or source.type == "table":
            continue
        because = say(source.because, language) if provided.origin == "assumed" else provided.source
        found[name] = {
            "value": _plain(provided.value),
            "origin": provided.origin,
            "source": because,
            "where": where_map(provided.span) if provided.span else None,
        }
    return found


def _plain(value: Any) -> Any:
    return sorted(value) if isinstance(value, frozenset) else value


def where_map(span: Span) -> dict[str, Any]:
    """A place."""
    return {"file": span.file, "line": span.line, "column": span.column}


def problem_map(one: Problem, language: str) -> dict[str, Any]:
    """A problem."""
    return {
        "code": one.code,
        "level": one.level,
        "message": in_language(one.message, language),
        "hint": in_language(one.hint, language),
        "where": where_map(one.where) if one.where else None,
    }
