"""Names, tables and types of a built book held against each other; the order of computing.

Everything a rule names must exist, tables must cover their enum, both sides of an addition must be
of one dimension, and nothing may rest on itself.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from advisor.errors import said
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
    Type,
    Value,
)
from advisor.rulebook.types import BOOLEAN

MAX_SHOWN = 12  # names of a cycle, rows that are missing
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


def column_types(table: Input | None) -> dict[str, Type]:
    """The static types of the columns of a table input; none for anything else."""
    if table is None:
        return {}
    return {
        name: Type("enum", None, frozenset(column.choices))
        if column.type == "enum"
        else Type("number", column.unit.dimension)
        for name, column in table.columns.items()
    }


class Linker:
    """Finds what reads what; a cycle is a problem."""

    def __init__(self, draft: Draft, parts: Parts) -> None:
        self.draft = draft
        self.parts = parts

    def link(self) -> Linked:
        """The order of computing, what reads what, and the type of each name."""
        parts = self.parts
        types = {name: input_type(one) for name, one in parts.inputs.items()}
        types |= {n: Type("number", one.unit.dimension) for n, one in parts.parameters.items()}
        types |= {name: formula_type(one) for name, one in parts.formulas.items()}
        for name, one in parts.formulas.items():
            if one.type == "number":
                types[f"{name}.low"] = types[f"{name}.high"] = types[name]
        reads = {name: frozenset(self.reads_of(name)) for name in self.computable()}
        order, cycles = graph.order(reads)
        for cycle in cycles:
            self.report_cycle(cycle)
        return Linked(order, reads, types)

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
            columns = column_types(parts.inputs.get(formula.over))
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
        shown = cycle if len(cycle) <= MAX_SHOWN else (*cycle[:MAX_SHOWN], "…", cycle[-1])
        places = "; ".join(f"{name} ({spans[name]})" for name in cycle[:-1][:MAX_SHOWN])
        self.draft.report(
            "cycle",
            said("{names}: each needs the next.", names=" → ".join(shown)),
            said("Break it at one of {places}.", places=places),
            spans[cycle[0]],
        )


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
