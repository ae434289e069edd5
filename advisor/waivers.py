"""Waivers: dated, signed exceptions to one policy for the scenarios of one path pattern.

A policy is always evaluated first; only a failure can be waived, and ``standing`` alone decides
whether a waiver covers it. A waiver that asks for more than its policy grants is no waiver but a
problem of its file.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

from advisor import patterns
from advisor.errors import FileProblems, Problem, Span, cause, said, suggestion
from advisor.rulebook.definitions import Field
from advisor.rulebook.model import Policy, RuleBook
from advisor.rulebook.values import BadValue, read_number
from advisor.units import parse_date

DAY = 86400.0
MAX_WAIVERS = 1000

Number = Callable[[str], float | None]
"""The value of a name in a scenario, in base units."""

Standing = Literal["covers", "expired", "exceeded", "not yet"]


class Bound(NamedTuple):
    """How far a waiver goes: the number may be so large, or with ``least`` so small."""

    value: float
    least: bool

    def holds(self, number: float | None) -> bool:
        if number is None:
            return False
        return number >= self.value if self.least else number <= self.value


class Waiver(NamedTuple):
    """One exception. Days are seconds since 1970, ``expires`` is the last day that counts.

    ``allow`` bounds the violation by the names of numbers; ``where`` is the place of the entry and
    ``source`` the layer or file it belongs to.
    """

    policy: str
    scenario: str
    reason: str
    approved_by: str
    approved_on: float
    expires: float
    allow: Mapping[str, Bound]
    where: Span
    source: str


def standing(waiver: Waiver, today: float, number: Number) -> Standing:
    """Whether a waiver covers a failure of its policy on a day, or why it does not."""
    if today > waiver.expires:
        return "expired"
    if today < waiver.approved_on - DAY:  # who signs may be a time zone ahead
        return "not yet"
    if not all(bound.holds(number(name)) for name, bound in waiver.allow.items()):
        return "exceeded"
    return "covers"


class Excuse(NamedTuple):
    """What may excuse the failures of one scenario: the waivers for its path, and the day."""

    waivers: tuple[Waiver, ...] = ()
    today: float = 0.0

    def find(self, policy: str, number: Number) -> Waiver | None:
        """The first waiver that covers a failing policy."""
        for waiver in self.waivers:
            if waiver.policy == policy and standing(waiver, self.today, number) == "covers":
                return waiver
        return None


NO_EXCUSE = Excuse()


def excuse(waivers: Iterable[Waiver], path: str, today: float) -> Excuse:
    """The waivers for a scenario's path (from the working directory on, with ``/``)."""
    return Excuse(
        tuple(waiver for waiver in waivers if patterns.covers(waiver.scenario, path)), today
    )


# -- reading --------------------------------------------------------------------------------------


def read_waivers(written: Iterable[tuple[Field, str]], book: RuleBook) -> tuple[Waiver, ...]:
    """The waivers of layers and of a project's file, each given with what it belongs to.

    Their shape is checked already. Raises FileProblems with everything wrong in them: what no
    policy is called, what may not be waived, or not for so long, or not by whom it is signed.
    """
    problems: list[Problem] = []
    waivers: list[Waiver] = []
    seen: dict[tuple[str, str], Span] = {}
    for entry, source in written:
        if len(seen) == MAX_WAIVERS:
            problems.append(
                Problem(
                    "too-many",
                    said("over {most} waivers.", most=MAX_WAIVERS),
                    said("Mend a rule."),
                    entry.span,
                )
            )
            break
        reader = _Reader(entry, book)
        waiver = reader.waiver(source)
        problems.extend(reader.problems)
        key = waiver.policy, waiver.scenario
        if key in seen:
            problems.append(
                Problem(
                    "waiver-twice",
                    said(
                        "'{name}' is waived for these scenarios already in {where}.",
                        name=waiver.policy,
                        where=seen[key],
                    ),
                    said("Keep one of them."),
                    entry.span,
                )
            )
        seen.setdefault(key, entry.span)
        waivers.append(waiver)
    if problems:
        raise FileProblems(problems)
    return tuple(waivers)


class _Reader:
    """Reads one entry and collects what is wrong with it."""

    def __init__(self, entry: Field, book: RuleBook) -> None:
        self.entry = entry
        self.book = book
        self.problems: list[Problem] = []

    def report(self, code: str, message: str, hint: str, where: Span) -> None:
        self.problems.append(Problem(code, message, hint, where))

    def field(self, key: str) -> Field:
        found = self.entry.get(key)
        assert found is not None  # the schema requires it
        return found

    def text(self, key: str) -> str:
        return str(self.field(key).value)

    def waiver(self, source: str) -> Waiver:
        approved_on, expires = self.day("approved_on"), self.day("expires")
        policy = self.policy()
        if policy is not None and approved_on is not None and expires is not None:
            self.check_terms(policy, approved_on, expires)
        self.check_pattern()
        return Waiver(
            self.text("policy"),
            self.text("scenario"),
            self.text("reason").strip(),
            self.text("approved_by").strip(),
            approved_on or 0.0,
            expires or 0.0,
            dict(self.bounds(policy)),
            self.entry.span,
            source,
        )

    def day(self, key: str) -> float | None:
        found = self.field(key)
        try:
            return parse_date(str(found.value))
        except ValueError as error:
            self.report(
                "bad-date",
                said("{message}.", message=cause(error)),
                said("Write it as 2026-11-29."),
                found.span,
            )
            return None

    def policy(self) -> Policy | None:
        found, policies = self.field("policy"), self.book.policies
        name = str(found.value)
        if name not in policies:
            hint = suggestion(name, policies) or said("Name a policy that some rule file defines.")
            self.report(
                "unknown-name",
                said("there is no policy '{name}'.", name=name[:80]),
                hint,
                found.span,
            )
        return policies.get(name)

    def check_pattern(self) -> None:
        found = self.field("scenario")
        fault = patterns.fault(str(found.value))
        if fault:
            hint = said("Write the path of the scenario, as runs/qwen.yaml or runs/**/*.yaml.")
            self.report(
                "bad-pattern", said("the scenario's path {fault}.", fault=fault), hint, found.span
            )

    def check_terms(self, policy: Policy, approved_on: float, expires: float) -> None:
        """Whether the policy lets itself be waived like this."""
        terms, where = policy.waiver, policy.origin.span
        if terms is None:
            self.report(
                "waiver-never",
                said(
                    "'{name}' cannot be waived ({where} says so).",
                    name=policy.name,
                    where=where,
                ),
                said("Change the scenario, or the rule with its owner."),
                self.field("policy").span,
            )
            return
        if expires < approved_on:
            self.report(
                "waiver-over",
                said("it expires before the day it was approved on."),
                said("Check the two days."),
                self.field("expires").span,
            )
        days = round((expires - approved_on) / DAY)
        if terms.max_days is not None and days > terms.max_days:
            self.report(
                "waiver-too-long",
                said(
                    "it lasts {days} days; {where} grants '{name}' {max_days}.",
                    days=days,
                    where=where,
                    name=policy.name,
                    max_days=terms.max_days,
                ),
                said("Bring expires: forward."),
                self.field("expires").span,
            )
        signed = self.text("approved_by").strip()
        if terms.approvers and signed not in terms.approvers:
            self.report(
                "waiver-approver",
                said(
                    "'{signed}' may not waive '{name}' ({where}).",
                    signed=signed[:80],
                    name=policy.name,
                    where=where,
                ),
                said("One of: {names}.", names=tuple(terms.approvers)),
                self.field("approved_by").span,
            )

    def bounds(self, policy: Policy | None) -> Iterator[tuple[str, Bound]]:
        allow = self.entry.get("allow")
        for item in allow.items() if allow else ():
            name = str(item.key)
            base = name.removesuffix(".low").removesuffix(".high")
            known = self.book.types.get(base)
            if known is None or known.kind != "number":
                hint = suggestion(name, self.book.types)
                self.report(
                    "unknown-name",
                    said("there is no number '{name}'.", name=name[:80]),
                    hint,
                    item.key_span,
                )
                continue
            try:
                value = read_number(item.value, self.book.unit(name), name)
            except BadValue as error:
                self.report(
                    "value", said("{message}.", message=error.message), error.hint, item.span
                )
                continue
            yield name, Bound(value, policy is not None and _wanted_large(policy, name))


def _wanted_large(policy: Policy, name: str) -> bool:
    """Whether a policy asks a number to be large, so that what is allowed is how small it gets."""
    if policy.left is None or policy.right is None:
        return False
    return name in policy.right.expression.names and name not in policy.left.expression.names
