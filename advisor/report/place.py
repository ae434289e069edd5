"""Which line of a checked file is most worth changing for a policy that does not hold."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from advisor.check import CheckResult
from advisor.errors import Span
from advisor.evaluate import Trace
from advisor.rulebook.model import Located
from advisor.verdict import Outcome, Verdict


def place_of(result: CheckResult, outcome: Outcome) -> Span:
    """The place of an outcome in the files that were checked.

    It is the given input that the first rung of the plan changes; else the nearest input behind the
    largest part of the answer that the policy bounds; else the nearest behind the policy itself;
    else the first line of the file. Facts of catalogues count as the entry that was named.
    """
    verdict = result.verdict
    if verdict is None or outcome.state == "undecided":  # what is missing stands nowhere
        return Span(result.path, 1, 1)
    trace = verdict.trace
    for name in _candidates(result, verdict, outcome):
        span = _written(trace, name)
        if span is not None:
            return span
    return Span(result.path, 1, 1)


def _candidates(result: CheckResult, verdict: Verdict, outcome: Outcome) -> Iterator[str]:
    plan, policy = result.plan, outcome.policy
    if plan is not None and plan.rungs and policy.name in plan.goals:
        yield from plan.rungs[0].changes
    left = set(policy.left.expression.names) if policy.left else set()
    for answer in verdict.answers.values():
        if answer.answer.value in {name.removesuffix(".high") for name in left}:
            for part in answer.parts:
                if part.name != answer.answer.value:
                    yield from _behind(verdict.trace, [part.name])
    for located in filter(None, (policy.left, policy.require, policy.when)):
        yield from _behind(verdict.trace, _names(located))


def _names(located: Located) -> list[str]:
    return [*located.expression.names, *located.expression.guarded]


def _behind(trace: Trace, names: Iterable[str]) -> Iterator[str]:
    """The inputs that names rest on, the nearest first."""
    book = trace.book
    waiting = deque(name.removesuffix(".low").removesuffix(".high") for name in names)
    seen = set(waiting)
    while waiting:
        name = waiting.popleft()
        if name in book.inputs:
            yield name
        for other in sorted(book.reads.get(name, ())):
            if other not in seen:
                seen.add(other)
                waiting.append(other)


def _written(trace: Trace, name: str) -> Span | None:
    """Where somebody wrote an input, or the entry of a catalogue that it belongs to."""
    given = trace.scenario.given
    provided = given.get(name)
    if provided is not None and provided.origin == "catalogue":
        owners = [one for one in trace.book.inputs.values() if one.catalogue]
        owner = next((one.name for one in owners if name.startswith(f"{one.name}.")), "")
        provided = given.get(owner)
    if provided is None or provided.origin not in ("given", "assumed"):
        return None
    return provided.span if provided.span is not None and provided.span.line else None
