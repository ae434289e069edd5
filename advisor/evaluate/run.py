"""The computing itself: one pass over names in the book's order."""

import math
from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from typing import Any, NamedTuple

from advisor.errors import Problem, cause, said
from advisor.evaluate.trace import Failed, Names, Trace, Unavailable
from advisor.rulebook.expr import CompiledEvaluator, Evaluator
from advisor.rulebook.link import base_name
from advisor.rulebook.model import Case, Formula, Input, Located, Origin, Parameter, RuleBook, Value
from advisor.rulebook.values import BadValue, read_value, value_text
from advisor.scenario import Scenario

_TOLERANCE = 1e-9
_FOLDS: dict[str, Callable[..., float]] = {"sum": math.fsum, "max": max, "min": min}


class Stale(NamedTuple):
    """One name that may be out of date: what it reads, and what its ends are called."""

    name: str
    reads: frozenset[str]
    low: str
    high: str


class Run:
    def __init__(
        self,
        book: RuleBook,
        scenario: Scenario,
        fast: bool,
        trace: Trace | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        self.book = book
        self.scenario = scenario
        self.names: Any = Names()
        self.assumed: set[str] = set()
        self.missing: dict[str, frozenset[str]] = {}
        self.absent: set[str] = set()
        self.failures: dict[str, Problem] = {}
        if trace is not None:
            self.names = trace.values
            self.missing, self.failures = dict(trace.missing), dict(trace.failures)
            self.absent = set(trace.absent)
            if extra:
                self.names = Names(trace.values)
                self.names.update(extra)
        evaluator = CompiledEvaluator(self.names) if fast else Evaluator(self.names)
        self.evaluate: Callable[..., Any] = evaluator.__call__  # a method is called faster

    def take_over(self, before: Trace, gone: frozenset[str]) -> None:
        """Start from what an earlier trace holds, without the names (ends too) that are gone."""
        self.names.update(before.values)
        for name in gone & self.names.keys():
            del self.names[name]
        self.assumed.update(before.assumed - gone)
        self.absent.update(before.absent - gone)
        self.missing.update(item for item in before.missing.items() if item[0] not in gone)
        self.failures.update(item for item in before.failures.items() if item[0] not in gone)

    def compute(self, order: Iterable[str]) -> Trace:
        for name in order:
            self.one(name)
        return self.trace()

    def renew(self, order: Iterable[Stale], changed: frozenset[str]) -> Trace:
        """Compute anew what reads a changed input, or a name that came out otherwise than before.

        ``order`` holds all that rests on the inputs.
        """
        names, one = self.names, self.one
        take, now = names.pop, names.get
        moved: set[str] = set()
        untouched = moved.isdisjoint
        for name, reads, low, high in order:
            if untouched(reads) and name not in changed:
                continue
            value, least, most = take(name, None), take(low, None), take(high, None)
            if value is None:
                self.missing.pop(name, None)
                self.failures.pop(name, None)
                self.absent.discard(name)
            self.assumed.discard(name)
            one(name)
            new = now(name)
            if new is None or new != value or now(low) != least or now(high) != most:
                moved.add(name)
        return self.trace()

    def one(self, name: str) -> None:
        """Compute one name; all that it reads is there already."""
        book = self.book
        formula = book.formulas.get(name)
        if formula is not None:
            self.formula(formula)
            return
        parameter = book.parameters.get(name)
        if parameter is not None:
            self.parameter(parameter)
            return
        provided = self.scenario.given.get(name)
        if provided is not None:
            self.names[name] = provided.value
        else:
            self.default(book.inputs[name])

    def trace(self) -> Trace:
        return Trace(
            self.book,
            self.scenario,
            self.names,
            frozenset(self.assumed),
            self.missing,
            frozenset(self.absent),
            self.failures,
        )

    # -- inputs and parameters --------------------------------------------------------------------

    def default(self, source: Input) -> None:
        if not source.default or source.name in self.scenario.unknown:
            self.missing[source.name] = frozenset((source.name,))
            return
        try:
            case = self.case(source.default)
            if case is None:
                self.missing[source.name] = frozenset((source.name,))
                return
            value = case.value
            if isinstance(value, Located):
                value = self.bounded(source, self.of(value), value)
            self.names[source.name] = value
            self.assumed.add(source.name)
        except Unavailable as error:
            self.lacks(source.name, [error.name], source.origin)
        except Failed as error:
            self.failures[source.name] = error.problem

    def bounded(self, source: Input, value: Any, located: Located) -> Value:
        if isinstance(value, float):
            value /= source.unit.scale
        try:
            return read_value(source, value)
        except BadValue as error:
            raise Failed(
                Problem(
                    "value", said("{message}.", message=error.message), error.hint, located.span
                )
            ) from None

    def parameter(self, table: Parameter) -> None:
        row: list[str] = []
        for name in table.by:
            if name not in self.names:
                self.lacks(table.name, [name], table.origin)
                return
            row.append(self.names[name])
        value = table.values.get(tuple(row), table.otherwise)
        assert value is not None  # linking proved that rows cover the choices
        self.names[table.name] = value

    # -- formulas ---------------------------------------------------------------------------------

    def formula(self, formula: Formula) -> None:
        name = formula.name
        try:
            if formula.when is not None and not self.of(formula.when):
                self.absent.add(name)
                return
            kind = formula.kind
            if kind == "value":
                assert formula.value is not None
                self.put(formula, self.of(formula.value), formula.low, formula.high)
            elif kind == "cases":
                case = self.case(formula.cases)
                if case is None:
                    self.absent.add(name)
                elif isinstance(case.value, Located):
                    self.put(formula, self.of(case.value), case.low, case.high)
                else:
                    self.names[name] = case.value
            elif kind == "table":
                self.table(formula)
            else:
                self.fold(formula)
        except Unavailable as error:
            self.lacks(name, [error.name, *self.sure(formula)], formula.origin)
        except Failed as error:
            self.failures[name] = error.problem

    def put(self, formula: Formula, value: Any, low: Located | None, high: Located | None) -> None:
        name = formula.name
        if low is None and high is None:
            self.names[name] = value
            return
        least = self.of(low) if low is not None else value
        most = self.of(high) if high is not None else value
        slack = _TOLERANCE * (abs(value) + 1)
        if not least - slack <= value <= most + slack:
            raise Failed(
                Problem(
                    "range",
                    said(
                        "'{name}' ranges from {least:g} over {value:g} to {most:g}.",
                        name=name,
                        least=least,
                        value=value,
                        most=most,
                    ),
                    said("low must not exceed the value, nor the value high."),
                    formula.origin.span,
                )
            )
        self.names[name] = value
        self.names[f"{name}.low"] = min(least, value)
        self.names[f"{name}.high"] = max(most, value)

    def fold(self, formula: Formula) -> None:
        names = self.names
        present: list[str] = []
        lacking: list[str] = []
        for written in formula.parts:
            part = written if written in names else base_name(written, self.book.formulas)
            if part in names:
                present.append(part)
            elif part not in self.absent:
                lacking.append(part)
        if lacking:
            self.lacks(formula.name, lacking, formula.origin)
            return
        if not present:
            if formula.kind == "sum":
                names[formula.name] = 0.0
            else:
                self.absent.add(formula.name)
            return
        values = [names[part] for part in present]
        names[formula.name] = self.combined(formula, formula.kind, values)
        for end in (".low", ".high"):  # a part that does not range is its own end
            ends = [names.get(part + end) for part in present]
            if ends.count(None) < len(ends):
                pairs = zip(ends, values, strict=True)
                chosen = [one if one is not None else likely for one, likely in pairs]
                names[formula.name + end] = self.combined(formula, formula.kind, chosen)

    def table(self, formula: Formula) -> None:
        names = self.names
        results: list[float] = []
        assert formula.value is not None
        rows = names[formula.over]
        columns = tuple(rows[0]) if rows else ()
        hidden = {column: names[column] for column in columns if column in names}
        try:
            for row in rows:
                names.update(row)
                if formula.where is None or self.of(formula.where):
                    results.append(self.of(formula.value))
        finally:
            for column in columns:
                names.pop(column, None)
            names.update(hidden)
        if results or formula.fold == "sum":
            names[formula.name] = self.combined(formula, formula.fold, results)
        else:
            self.absent.add(formula.name)

    def case(self, cases: Iterable[Case]) -> Case | None:
        for case in cases:
            if case.when is None or self.of(case.when):
                return case
        return None

    # -- values and what is wrong with them -------------------------------------------------------

    def of(self, located: Located) -> Any:
        try:
            value = self.evaluate(located.expression)
        except Unavailable:
            raise
        except (ArithmeticError, ValueError) as error:
            raise Failed(self.trouble(located, error)) from None
        if type(value) is float and not isfinite(value):
            raise Failed(self.trouble(located, OverflowError(said("the result is not finite"))))
        return value

    def combined(self, formula: Formula, kind: str, values: list[float]) -> float:
        try:
            value = _FOLDS[kind](values)
        except OverflowError:
            value = math.inf
        if not isfinite(value):
            raise Failed(
                Problem(
                    "arithmetic",
                    said("'{name}' is not finite.", name=formula.name),
                    "",
                    formula.origin.span,
                )
            )
        return value

    def trouble(self, located: Located, error: Exception) -> Problem:
        what = said("division by zero") if isinstance(error, ZeroDivisionError) else cause(error)
        shown = tuple(
            f"{name} = {value_text(self.names[name], self.book.unit(name))}"
            for name in located.expression.names
            if name in self.names
        )
        return Problem(
            "arithmetic",
            said("{what}, with {names}.", what=what, names=shown[:6] or said("no names")),
            said("Guard the expression, or check the inputs."),
            located.span,
        )

    def sure(self, formula: Formula) -> list[str]:
        """Further names the formula reads whatever happens, and that have no value either.

        One that does not apply here is no reason yet: what is missing may decide that the formula
        does not either.
        """
        located = formula.value
        if located is None or formula.over:
            return []
        always = located.expression.always
        return [name for name in always if name not in self.names and name not in self.absent]

    def lacks(self, name: str, read: Iterable[str], origin: Origin | Located) -> None:
        """Record why a name has no value: a failure below it, or the inputs it lacks."""
        lacking: set[str] = set()
        for one in read:
            base = one
            if one.endswith((".low", ".high")) and one not in self.missing:
                base = one.rpartition(".")[0]
            if base in self.failures:
                self.failures[name] = self.failures[base]
                return
            if base in self.missing:
                lacking |= self.missing[base]
            elif base in self.absent:
                self.failures[name] = Problem(
                    "absent",
                    said(
                        "'{name}' reads '{base}', which does not apply here.", name=name, base=base
                    ),
                    said("Use it in a sum or max, or guard it with given({base}).", base=base),
                    origin.span,
                )
                return
        self.missing[name] = frozenset(lacking)
