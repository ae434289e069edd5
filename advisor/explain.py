"""How a number comes about: its formula, what it read, with values, sources and places."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from advisor.errors import Span
from advisor.evaluate import Trace
from advisor.rulebook.expr import Evaluator, is_guard
from advisor.rulebook.link import base_name
from advisor.rulebook.model import Case, Formula, Input, Located, Parameter, Text
from advisor.rulebook.values import value_text
from advisor.verdict import name_text


class Way(NamedTuple):
    """How a value is put together: a kind, and what a sentence about it fills in.

    ``formula`` is an expression (``value``), which is a ``case`` where a condition chose it
    (``when``); ``sum``, ``max`` and ``min`` have a ``count`` of parts, ``rows`` are those of a
    table (``fold``, ``over``, ``where``), ``table`` is one by other names (``names``), and
    ``no_case`` says that no case applies.
    """

    kind: str
    values: Mapping[str, str] = {}
    names: tuple[str, ...] = ()


class Node(NamedTuple):
    """One name of a story: what it is, its value, how it was computed, and what that read.

    ``state`` is value, missing, absent or failed; ``way`` is how the value is put together (None:
    it is given); ``chosen`` marks the part of a maximum that decided; ``again`` that the same
    name was told earlier in the story.
    """

    name: str
    kind: str
    title: Text
    value: str
    state: str
    way: Way | None = None
    why: Text | None = None
    origin: str = ""
    where: Span | None = None
    layer: str = ""
    sources: tuple[Mapping[str, str], ...] = ()
    checked: str = ""
    note: str = ""
    chosen: bool = False
    again: bool = False
    children: tuple[Node, ...] = ()


class _Recorder:
    """A mapping that remembers what was read from it."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values
        self.read: dict[str, None] = {}

    def __getitem__(self, name: str) -> Any:
        self.read[is_guard(name) or name] = None
        return self.values[name]


def explain(trace: Trace, name: str, depth: int = 4) -> Node:
    """The story of one name down to ``depth`` levels below it; the name must be known."""
    return _Story(trace, depth).node(name, 0, chosen=False)


class _Story:
    def __init__(self, trace: Trace, depth: int) -> None:
        self.trace = trace
        self.depth = depth
        self.told: set[str] = set()

    def node(self, name: str, level: int, chosen: bool) -> Node:
        book = self.trace.book
        base = base_name(name, book.formulas)
        again = base in self.told
        self.told.add(base)
        value, state = name_text(self.trace, name), self.state(base)
        if state != "value":
            value = self.lacking(base, state)
        if base in book.formulas:
            return self.formula(book.formulas[base], name, value, state, level, chosen, again)
        if base in book.parameters:
            return self.parameter(book.parameters[base], value, state, level, again)
        return self.input(book.inputs[base], value, state, again)

    def state(self, name: str) -> str:
        if name in self.trace.failures:
            return "failed"
        if name in self.trace.missing:
            return "missing"
        return "absent" if name in self.trace.absent else "value"

    def lacking(self, name: str, state: str) -> str:
        if state == "failed":
            return self.trace.failures[name].message
        if state == "missing":
            return ", ".join(sorted(self.trace.missing[name]))
        return ""

    def formula(
        self,
        formula: Formula,
        name: str,
        value: str,
        state: str,
        level: int,
        chosen: bool,
        again: bool,
    ) -> Node:
        way, reads = self.way(formula, name)
        children: tuple[Node, ...] = ()
        if not again and level < self.depth:
            best = self.best(formula)
            children = tuple(self.node(one, level + 1, one == best) for one in reads)
        return Node(
            name,
            "formula",
            formula.title,
            value,
            state,
            way,
            formula.why or None,
            "",
            formula.origin.span,
            formula.origin.layer,
            formula.sources,
            "",
            "",
            chosen,
            again,
            children,
        )

    def best(self, formula: Formula) -> str:
        if formula.kind not in ("max", "min"):
            return ""
        values = self.trace.values
        present = [part for part in formula.parts if part in values]
        choose = max if formula.kind == "max" else min
        return choose(present, key=lambda part: float(values[part])) if present else ""

    def way(self, formula: Formula, name: str) -> tuple[Way, list[str]]:
        """The way the value was computed, and the names that were really read."""
        if formula.kind == "value":
            end = name.rpartition(".")[2] if name != formula.name else ""
            located = {"low": formula.low, "high": formula.high}.get(end) or formula.value
            assert located is not None
            return _formula(located), self.reads(located)
        if formula.kind == "cases":
            return self.case(formula.cases)
        if formula.kind == "table":
            assert formula.value is not None
            reads = dict.fromkeys(
                [
                    *formula.value.expression.names,
                    *(formula.where.expression.names if formula.where else ()),
                ]
            )
            columns = self.trace.book.inputs[formula.over].columns
            told = {
                "fold": formula.fold,
                "over": formula.over,
                "value": _text(formula.value),
                **({"where": _text(formula.where)} if formula.where else {}),
            }
            return Way("rows", told), [one for one in reads if one not in columns]
        parts = [part for part in formula.parts if part not in self.trace.absent]
        way = Way(formula.kind, {"count": str(len(parts))})
        return way, sorted(parts, key=self.size)

    def size(self, name: str) -> float:
        value = self.trace.values.get(name)
        return -value if isinstance(value, float) else 0.0

    def case(self, cases: tuple[Case, ...]) -> tuple[Way, list[str]]:
        reads: dict[str, None] = {}
        for case in cases:
            holds = True
            if case.when is not None:
                found, names = self.evaluated(case.when)
                reads.update(dict.fromkeys(names))
                holds = found is True
            if holds:
                if isinstance(case.value, Located):
                    reads.update(dict.fromkeys(self.reads(case.value)))
                    value = _text(case.value)
                else:
                    value = str(case.value)
                if case.when is None:
                    return Way("formula", {"value": value}), list(reads)
                return Way("case", {"value": value, "when": _text(case.when)}), list(reads)
        return Way("no_case"), list(reads)

    def evaluated(self, located: Located) -> tuple[Any, list[str]]:
        recorder = _Recorder(self.trace.values)
        try:
            value = Evaluator(recorder)(located.expression)  # type: ignore[arg-type]
        except Exception:  # what is unavailable or fails is told by the node's state
            value = None
        return value, list(recorder.read)

    def reads(self, located: Located) -> list[str]:
        return self.evaluated(located)[1]

    def parameter(self, table: Parameter, value: str, state: str, level: int, again: bool) -> Node:
        children: tuple[Node, ...] = ()
        if not again and level < self.depth:
            children = tuple(self.node(name, level + 1, False) for name in table.by)
        way = Way("table", {}, table.by) if table.by else None
        return Node(
            table.name,
            "parameter",
            table.title,
            value,
            state,
            way,
            table.why or None,
            "",
            table.origin.span,
            table.origin.layer,
            table.sources,
            table.checked,
            again=again,
            children=children,
        )

    def input(self, source: Input, value: str, state: str, again: bool) -> Node:
        provided = self.trace.origin(source.name)
        origin = provided.origin if provided else ""
        note = provided.source if provided else ""
        where = provided.span if provided else source.origin.span
        because = source.because if origin == "assumed" else None
        if state == "value" and source.type == "number" and provided is not None:
            value = value or value_text(provided.value, source.unit)
        return Node(
            source.name,
            "input",
            source.title,
            value,
            state,
            None,
            because,
            origin,
            where,
            source.origin.layer,
            source.sources,
            "",
            note,
            again=again,
        )


def _text(located: Located) -> str:
    return " ".join(located.expression.text.split())


def _formula(located: Located) -> Way:
    return Way("formula", {"value": _text(located)})
