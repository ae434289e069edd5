"""A trace held against the policies: what fits, what holds, what cannot be decided."""

from collections.abc import Collection, Mapping
from typing import Literal, NamedTuple

from advisor.errors import Problem
from advisor.evaluate import Reader, Reading, Trace
from advisor.rulebook.link import PLACEHOLDER
from advisor.rulebook.model import PLAIN, Answer, Input, Level3, Policy, Text, say
from advisor.rulebook.values import value_text
from advisor.units import quantity_text
from advisor.waivers import NO_EXCUSE, Excuse, Waiver

State = Literal["fits", "tight", "does not fit", "undecided", "no limit"]
OutcomeState = Literal["holds", "fails", "not applicable", "undecided", "waived"]


class Part(NamedTuple):
    """One share of an answer, in the answer's unit."""

    name: str
    value: float


class AnswerResult(NamedTuple):
    """One answer: its range, its limit, where it stands, and what it consists of.

    ``moment`` is the name of the part of a maximum that decided, when the parts are one moment's.
    """

    name: str
    answer: Answer
    state: State
    low: float | None = None
    likely: float | None = None
    high: float | None = None
    limit: float | None = None
    parts: tuple[Part, ...] = ()
    moment: str = ""
    missing: frozenset[str] = frozenset()


class Outcome(NamedTuple):
    """One policy's result; ``left`` and ``right`` are the compared sides when it compares.

    ``waiver`` is what covers the failure of a policy that is waived.
    """

    policy: Policy
    state: OutcomeState
    left: float | None = None
    right: float | None = None
    missing: frozenset[str] = frozenset()
    waiver: Waiver | None = None

    @property
    def level(self) -> Level3:
        return self.policy.level


class Verdict(NamedTuple):
    """Everything the rules say about one scenario, and what may excuse where it fails."""

    trace: Trace
    answers: Mapping[str, AnswerResult]
    outcomes: tuple[Outcome, ...]
    problems: tuple[Problem, ...]
    excuse: Excuse = NO_EXCUSE

    @property
    def state(self) -> State:
        """Where the first answer with a limit stands: the headline."""
        for result in self.answers.values():
            if result.answer.limit:
                return result.state
        return "undecided"

    def failing(self, *levels: Level3) -> tuple[Outcome, ...]:
        """The policies of these levels that fail."""
        return tuple(o for o in self.outcomes if o.state == "fails" and o.level in levels)

    def undecided(self, *levels: Level3) -> tuple[Outcome, ...]:
        """The policies of these levels that cannot be decided."""
        return tuple(o for o in self.outcomes if o.state == "undecided" and o.level in levels)

    def waived(self) -> tuple[Outcome, ...]:
        """The policies that fail and are waived."""
        return tuple(outcome for outcome in self.outcomes if outcome.state == "waived")

    def missing(self) -> tuple[str, ...]:
        """The inputs whose absence leaves an answer or a policy undecided, sorted."""
        names: set[str] = set()
        for result in self.answers.values():
            names |= result.missing
        for outcome in self.outcomes:
            names |= outcome.missing
        return self.owners(names)

    def owners(self, names: Collection[str]) -> tuple[str, ...]:
        """The inputs to give so that names get a value, sorted."""
        return tuple(sorted({self._owner(name) for name in names}))

    def _owner(self, name: str) -> str:
        """The catalogue input whose entry would bring a missing fact, or the name itself."""
        trace = self.trace
        for one in trace.book.inputs.values():
            if one.catalogue and name.startswith(f"{one.name}.") and one.name not in trace.values:
                return one.name
        return name


def judge(
    trace: Trace,
    fast: bool = False,
    details: bool = True,
    only: Collection[str] | None = None,
    excuse: Excuse = NO_EXCUSE,
) -> Verdict:
    """Judge a trace; a failure that ``excuse`` covers is waived.

    ``details`` adds the parts of answers and ``only`` names the policies to hold it against, for
    sweeps that need less.
    """
    problems: dict[Problem, None] = {}
    answers = {
        name: _answer(trace, answer, details, problems)
        for name, answer in trace.book.answers.items()
    }
    read = Reader(trace, fast)
    outcomes = tuple(
        _excused(_outcome(read, policy, problems), trace, excuse)
        for policy in trace.book.policies.values()
        if only is None or policy.name in only
    )
    return Verdict(trace, answers, outcomes, tuple(problems), excuse)


def _answer(
    trace: Trace, answer: Answer, details: bool, problems: dict[Problem, None]
) -> AnswerResult:
    missing = trace.missing.get(answer.value, frozenset())
    limit_missing = trace.missing.get(answer.limit, frozenset()) if answer.limit else frozenset()
    for name in (answer.value, answer.limit):
        if name in trace.failures:
            problems[trace.failures[name]] = None
    found = trace.range(answer.value)
    limit = trace.number(answer.limit) if answer.limit else None
    optional = answer.limit in trace.book.inputs and trace.book.inputs[answer.limit].optional
    if optional or answer.limit in trace.absent:
        optional, limit_missing = True, frozenset()
    if found is None:
        return AnswerResult(
            answer.name, answer, "undecided", limit=limit, missing=missing | limit_missing
        )
    low, likely, high = found
    parts, moment = _parts(trace, answer, likely) if details else ((), "")
    if limit is None:
        state: State = "no limit" if not answer.limit or optional else "undecided"
    else:
        state = "does not fit" if likely > limit else "tight" if high > limit else "fits"
    return AnswerResult(
        answer.name, answer, state, low, likely, high, limit, parts, moment, limit_missing
    )


def _parts(trace: Trace, answer: Answer, total: float) -> tuple[tuple[Part, ...], str]:
    """The shares people see: the parts of the deciding moment, and what the answer adds to them."""
    formulas = trace.book.formulas
    formula = formulas.get(answer.parts)
    moment = ""
    while formula is not None and formula.kind in ("max", "min"):
        present = [name for name in formula.parts if isinstance(trace.values.get(name), float)]
        if not present:
            return (), ""
        choose = max if formula.kind == "max" else min
        moment = choose(present, key=lambda name: float(trace.values[name]))
        formula = formulas.get(moment)
    if formula is None or formula.kind != "sum":
        return (), moment
    shares = [
        Part(name, trace.values[name])
        for name in formula.parts
        if isinstance(trace.values.get(name), float) and trace.values[name]
    ]
    rest = total - sum(part.value for part in shares)
    if rest > 0.001 * total:
        shares.append(Part(answer.value, rest))
    return tuple(sorted(shares, key=lambda part: -part.value)), moment


def _outcome(read: Reader, policy: Policy, problems: dict[Problem, None]) -> Outcome:
    if policy.when is not None:
        applies = read(policy.when)
        if not applies.known:
            return _undecided(policy, applies, problems)
        if not applies.value:
            return Outcome(policy, "not applicable")
    holds = read(policy.require)
    if not holds.known:
        return _undecided(policy, holds, problems)
    left = read(policy.left).value if policy.left else None
    right = read(policy.right).value if policy.right else None
    return Outcome(
        policy,
        "holds" if holds.value else "fails",
        left if isinstance(left, float) else None,
        right if isinstance(right, float) else None,
    )


def _excused(outcome: Outcome, trace: Trace, excuse: Excuse) -> Outcome:
    if outcome.state != "fails" or not excuse.waivers:
        return outcome
    waiver = excuse.find(outcome.policy.name, lambda name: number_of(trace, name))
    return outcome if waiver is None else outcome._replace(state="waived", waiver=waiver)


def number_of(trace: Trace, name: str) -> float | None:
    """The number of a name; an end of what does not range is the number itself."""
    found = trace.number(name)
    base, _, end = name.rpartition(".")
    return trace.number(base) if found is None and end in ("low", "high") else found


def _undecided(policy: Policy, reading: Reading, problems: dict[Problem, None]) -> Outcome:
    if reading.problem is not None:
        problems[reading.problem] = None
    return Outcome(policy, "undecided", missing=reading.missing)


def is_idle(read: Reader, source: Input) -> bool:
    """Whether an input means nothing here: its ``when`` is known not to hold."""
    if source.when is None:
        return False
    found = read(source.when)
    return found.known and not found.value


def name_text(trace: Trace, name: str, is_labelled: bool = True) -> str:
    """The value of a name as people read it, with the label of what it counts or without."""
    value = trace.values.get(name)
    base, _, end = name.rpartition(".")
    if value is None and end in ("low", "high"):
        value = trace.values.get(base)
    if value is None:
        return "unknown"
    unit = trace.book.unit(name)
    if isinstance(value, float) and not isinstance(value, bool):
        source = trace.book.inputs.get(name)
        if source is not None and source.type == "date":
            from advisor.units import date_text

            return date_text(value)
        return quantity_text(value, unit if is_labelled or not unit.is_label else PLAIN)
    return value_text(value, unit)


def fill(text: Text, trace: Trace, language: str) -> str:
    """A message with its {names} replaced by values.

    The labels of units (``sample``, ``token``) are English words: a sentence in another language
    says itself what is counted.
    """
    sentence = say(text, language)
    is_labelled = language == "en" or language not in text
    return PLACEHOLDER.sub(lambda found: name_text(trace, found[1], is_labelled), sentence)
