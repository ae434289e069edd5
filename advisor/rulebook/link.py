"""Names, tables and types of a built book held against each other; the order of computing.

Everything a rule names must exist, tables must cover their enum, both sides of an addition must be
of one dimension, and nothing may rest on itself.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from advisor.errors import Span, suggestion
from advisor.rulebook import graph
from advisor.rulebook.definitions import Draft
from advisor.rulebook.model import (
    Answer,
    Case,
    Formula,
    Input,
    Located,
    Parameter,
    Policy,
    Remedy,
    Text,
    Type,
    Value,
)
from advisor.rulebook.types import BOOLEAN, UNKNOWN, agree, describe, infer

PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


class Parts(NamedTuple):
    """All built definitions of a book, before they are known to fit together."""

    inputs: Mapping[str, Input]
    parameters: Mapping[str, Parameter]
    formulas: Mapping[str, Formula]
    remedies: Mapping[str, Remedy]
    policies: Mapping[str, Policy]
    answers: Mapping[str, Answer]


class Linked(NamedTuple):
    """What linking finds out: an order of computing, what reads what, the type of each name."""

    order: tuple[str, ...]
    reads: Mapping[str, frozenset[str]]
    types: Mapping[str, Type]


def base_name(name: str, formulas: Mapping[str, Formula]) -> str:
    """``x`` for ``x.low`` and ``x.high`` of a formula ``x``, else the name itself."""
    if name not in formulas and name.endswith((".low", ".high")):
        base = name.rpartition(".")[0]
        if base in formulas:
            return base
    return name


def input_type(source: Input) -> Type:
    """The static type of an input."""
    if source.type in ("integer", "number", "date"):
        return Type("number", source.unit.dimension)
    if source.type in ("enum", "set"):
        return Type(source.type, None, frozenset(source.choices))
    kinds = {"boolean": "boolean", "table": "table"}
    return Type(kinds.get(source.type, "text"), None)


def formula_type(source: Formula) -> Type:
    """The static type a formula declares."""
    if source.type == "boolean":
        return BOOLEAN
    if source.type == "enum":
        return Type("enum", None, frozenset(source.choices))
    return Type("number", source.unit.dimension)


class Linker:
    def __init__(self, draft: Draft, parts: Parts) -> None:
        self.draft = draft
        self.parts = parts
        self.types: dict[str, Type] = {}
        self.columns: dict[str, Type] = {}

    def link(self) -> Linked:
        parts = self.parts
        self.types = {name: input_type(one) for name, one in parts.inputs.items()}
        self.types |= {n: Type("number", one.unit.dimension) for n, one in parts.parameters.items()}
        self.types |= {name: formula_type(one) for name, one in parts.formulas.items()}
        for name, one in parts.formulas.items():
            if one.type == "number":
                self.types[f"{name}.low"] = self.types[f"{name}.high"] = self.types[name]
        reads = {name: frozenset(self.reads_of(name)) for name in self.computable()}
        order, cycles = graph.order(reads)
        for cycle in cycles:
            self.report_cycle(cycle)
        for source in parts.inputs.values():
            self.check_input(source)
        for table in parts.parameters.values():
            self.check_parameter(table)
        for formula in parts.formulas.values():
            self.check_formula(formula)
        for remedy in parts.remedies.values():
            self.check_remedy(remedy)
        for policy in parts.policies.values():
            self.check_policy(policy)
        for answer in parts.answers.values():
            self.check_answer(answer)
        self.check_ladder()
        return Linked(order, reads, self.types)

    # -- what reads what --------------------------------------------------------------------------

    def computable(self) -> Iterator[str]:
        yield from self.parts.inputs
        yield from self.parts.parameters
        yield from self.parts.formulas

    def reads_of(self, name: str) -> Iterator[str]:
        parts = self.parts
        if name in parts.formulas:
            formula = parts.formulas[name]
            yield from (base_name(part, parts.formulas) for part in formula.parts)
            if formula.over:
                yield formula.over
            columns = self.column_types(formula)
            for located in formula_expressions(formula):
                yield from (read for read in self.names(located) if read not in columns)
        elif name in parts.parameters:
            yield from parts.parameters[name].by
        else:
            source = parts.inputs[name]
            for written in (*case_expressions(source.default), source.when):
                if written:
                    yield from self.names(written)

    def names(self, located: Located) -> Iterator[str]:
        expression = located.expression
        for name in (*expression.names, *expression.guarded):
            yield base_name(name, self.parts.formulas)

    def report_cycle(self, cycle: tuple[str, ...]) -> None:
        parts = self.parts
        spans = {
            name: one.origin.span
            for table in (parts.inputs, parts.parameters, parts.formulas)
            for name, one in table.items()
        }
        places = "; ".join(f"{name} ({spans[name]})" for name in cycle[:-1])
        self.draft.report(
            "cycle",
            f"{' → '.join(cycle)}: each needs the next.",
            f"Break it at one of {places}.",
            spans[cycle[0]],
        )

    # -- expressions ------------------------------------------------------------------------------

    def check(
        self,
        located: Located | None,
        want: Type,
        what: str,
        columns: Mapping[str, Type] | None = None,
    ) -> None:
        """Every name known, every part of one kind, the whole of the wanted type."""
        if located is None:
            return
        types = {**self.types, **columns} if columns else self.types
        for name, offset in (
            *located.expression.names.items(),
            *located.expression.guarded.items(),
        ):
            if name not in types:
                self.unknown(name, located.where(offset), types)
        have, found = infer(located.expression, types)
        for mismatch in found:
            self.draft.report(
                "type", f"{mismatch.message}.", mismatch.hint, located.where(mismatch.offset)
            )
        if not found and not agree(have, want):
            self.draft.report(
                "type",
                f"{what} is {describe(want)}, but this gives {describe(have)}.",
                "Check the unit: and the expression.",
                located.span,
            )

    def unknown(self, name: str, where: Span, known: Iterable[str]) -> None:
        self.draft.report(
            "unknown-name", f"there is no '{name[:80]}'.", suggestion(name, known), where
        )

    # -- definitions ------------------------------------------------------------------------------

    def check_input(self, source: Input) -> None:
        want = input_type(source)
        self.check(source.when, BOOLEAN, "when:")
        for case in source.default:
            self.check_case(case, want, f"the default of '{source.name}'")
        if source.catalogue and source.type != "catalogue":
            self.draft.report(
                "wrong-key",
                f"'{source.name}' is no catalogue input.",
                "Drop of:.",
                source.origin.span,
            )

    def check_case(self, case: Case, want: Type, what: str) -> None:
        self.check(case.when, BOOLEAN, "when:")
        for located in (case.value, case.low, case.high):
            if isinstance(located, Located):
                self.check(located, want, what)

    def check_parameter(self, table: Parameter) -> None:
        span = table.origin.span
        if not table.by:
            return
        axes: list[tuple[str, ...]] = []
        for name in table.by:
            source = self.parts.inputs.get(name) or self.parts.formulas.get(name)
            if source is None:
                self.unknown(name, span, self.types)
                return
            if source.type != "enum":
                self.draft.report(
                    "type",
                    f"'{table.name}' is a table by '{name}', which is no enum.",
                    "Use an enum input or formula.",
                    span,
                )
                return
            axes.append(source.choices)
        if len(axes) > 2:
            self.draft.report(
                "value", f"'{table.name}' is a table over {len(axes)} inputs.", "Two at most.", span
            )
            return
        for row in table.values:
            for word, choices in zip(row, axes, strict=False):
                if word not in choices:
                    close = suggestion(word, choices)
                    self.draft.report(
                        "value",
                        f"'{table.name}' has a row '{word}' that never occurs.",
                        close or f"Choices: {', '.join(choices)}.",
                        span,
                    )
        if table.otherwise is None:
            wanted = (
                [(one,) for one in axes[0]]
                if len(axes) == 1
                else [(one, two) for one in axes[0] for two in axes[1]]
            )
            missing = [" ".join(row) for row in wanted if row not in table.values]
            if missing:
                self.draft.report(
                    "uncovered",
                    f"'{table.name}' has no row for {', '.join(missing[:6])}.",
                    "Add the rows, or else: with a value.",
                    span,
                )

    def column_types(self, formula: Formula) -> dict[str, Type]:
        table = self.parts.inputs.get(formula.over) if formula.over else None
        if table is None:
            return {}
        return {
            name: Type("enum", None, frozenset(column.choices))
            if column.type == "enum"
            else Type("number", column.unit.dimension)
            for name, column in table.columns.items()
        }

    def check_formula(self, formula: Formula) -> None:
        want = formula_type(formula)
        what = f"'{formula.name}'"
        self.check(formula.when, BOOLEAN, "when:")
        for part in formula.parts:
            kind = self.types.get(part)
            if kind is None:
                self.unknown(part, formula.origin.span, self.types)
            elif not agree(kind, want):
                self.draft.report(
                    "type",
                    f"{what} is {describe(want)}, its part '{part}' {describe(kind)}.",
                    "Parts share the unit of the whole.",
                    formula.origin.span,
                )
        for case in formula.cases:
            self.check_case(case, want, what)
        if formula.kind == "table":
            table = self.parts.inputs.get(formula.over)
            if table is None or table.type != "table":
                tables = [name for name, one in self.parts.inputs.items() if one.type == "table"]
                self.draft.report(
                    "unknown-name",
                    f"{what} goes over '{formula.over}', which is no table.",
                    suggestion(formula.over, tables),
                    formula.origin.span,
                )
                return
            columns = self.column_types(formula)
            self.check(formula.where, BOOLEAN, "where:", columns)
            self.check(formula.value, want, what, columns)
            return
        for located in (formula.value, formula.low, formula.high):
            self.check(located, want, what)

    def check_remedy(self, remedy: Remedy) -> None:
        self.check(remedy.when, BOOLEAN, "when:")
        before: dict[str, Type] = {}
        if remedy.tries:  # names read the tried values, was.NAME what stood there before
            before = {f"was.{name}": kind for name, kind in self.types.items()}
        for name, value in remedy.sets.items():
            if isinstance(value, Located):
                self.check(value, input_type(self.parts.inputs[name]), f"'{name}'", before)
        for name in remedy.improves:
            if base_name(name, self.parts.formulas) not in self.types:
                self.unknown(name, remedy.origin.span, self.parts.formulas)

    def check_policy(self, policy: Policy) -> None:
        self.check(policy.when, BOOLEAN, "when:")
        self.check(policy.require, BOOLEAN, "require:")
        self.check_message(policy.message, policy.origin.span)
        if policy.fix == "ladder":
            if policy.left is None:
                self.draft.report(
                    "policy",
                    f"'{policy.name}' has fix: ladder but compares nothing.",
                    "Write require: a <= b, or name remedies.",
                    policy.origin.span,
                )
            return
        for name in policy.fix:
            if name not in self.parts.remedies:
                self.draft.report(
                    "unknown-name",
                    f"there is no remedy '{name}'.",
                    suggestion(name, self.parts.remedies),
                    policy.origin.span,
                )

    def check_message(self, message: Text, where: Span) -> None:
        for language, sentence in message.items():
            for name in PLACEHOLDER.findall(sentence):
                if name not in self.types:
                    self.draft.report(
                        "unknown-name",
                        f"the message ({language}) shows '{name[:60]}', which is no name.",
                        suggestion(name, self.types),
                        where,
                    )

    def check_answer(self, answer: Answer) -> None:
        for name in filter(None, (answer.value, answer.limit, answer.parts, *answer.also)):
            if name not in self.types:
                self.unknown(name, answer.origin.span, self.types)
        value, limit = self.types.get(answer.value, UNKNOWN), self.types.get(answer.limit, UNKNOWN)
        if not agree(value, limit):
            self.draft.report(
                "type",
                f"'{answer.limit}' is {describe(limit)}, '{answer.value}' {describe(value)}.",
                "A limit has the unit of the value.",
                answer.origin.span,
            )

    def check_ladder(self) -> None:
        seen: set[str] = set()
        for entry in self.draft.ladder:
            if entry.name not in self.parts.remedies:
                self.draft.report(
                    "unknown-name",
                    f"there is no remedy '{entry.name}'.",
                    suggestion(entry.name, self.parts.remedies),
                    entry.span,
                )
            elif entry.name in seen:
                self.draft.report(
                    "defined-twice",
                    f"'{entry.name}' is on the ladder twice.",
                    "Keep one.",
                    entry.span,
                )
            seen.add(entry.name)


def case_expressions(cases: Iterable[Case]) -> Iterator[Located]:
    """Every expression in a list of cases."""
    for case in cases:
        yield from filter(None, (case.when, case.low, case.high))
        if isinstance(case.value, Located):
            yield case.value


def formula_expressions(formula: Formula) -> Iterator[Located]:
    """Every expression of a formula."""
    yield from filter(None, (formula.when, formula.value, formula.low, formula.high, formula.where))
    yield from case_expressions(formula.cases)


def remedy_expressions(remedy: Remedy) -> Iterator[Located]:
    """Every expression of a remedy."""
    if remedy.when:
        yield remedy.when
    values: Iterable[Located | Value] = remedy.sets.values()
    yield from (value for value in values if isinstance(value, Located))
