"""A rulebook applied to a scenario: every value with its state, as data.

Names are computed in the book's order, so that no chain of rules is too deep. What cannot be known
is remembered and only counts where it is read: an input nobody gave makes undecided exactly the
quantities that need it, a division by zero fails only the branch that is taken.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from advisor.errors import Problem
from advisor.rulebook import graph
from advisor.rulebook.expr import CALLEES, CompiledEvaluator, Evaluator, is_guard
from advisor.rulebook.model import Case, Formula, Input, Located, Origin, Parameter, RuleBook, Value
from advisor.rulebook.values import BadValue, read_value, value_text
from advisor.scenario import Provided, Scenario

_TOLERANCE = 1e-9


class _Unavailable(Exception):
    """A name without a value was read."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class _Names(dict[str, Any]):
    """Values by name; a plain value stands for its own low and high."""

    def __missing__(self, name: str) -> Any:
        guarded = is_guard(name)
        if guarded is not None:
            return guarded in self
        if name.endswith((".low", ".high")):
            base = name.rpartition(".")[0]
            if base in self:
                return self[base]
        if name in CALLEES:  # compiled code looks here first and then among its functions
            raise KeyError(name)
        raise _Unavailable(name)


class Trace(NamedTuple):
    """What came out, by name.

    ``values`` holds numbers in base units, truths, words, sets and tables, and ``x.low`` /
    ``x.high`` where ``x`` ranges; ``missing`` maps an undecided name to the inputs it lacks;
    ``absent`` are formulas whose ``when`` does not hold; ``failures`` maps a name to what went wrong.
    """

    book: RuleBook
    scenario: Scenario
    values: Mapping[str, Any]
    assumed: frozenset[str]
    missing: Mapping[str, frozenset[str]]
    absent: frozenset[str]
    failures: Mapping[str, Problem]

    def number(self, name: str) -> float | None:
        """The likely value of a name, or None when it has none."""
        value = self.values.get(name)
        return value if isinstance(value, float) else None

    def range(self, name: str) -> tuple[float, float, float] | None:
        """Low, likely and high; the three are equal where the name does not range."""
        likely = self.number(name)
        if likely is None:
            return None
        return (
            self.values.get(f"{name}.low", likely),
            likely,
            self.values.get(f"{name}.high", likely),
        )

    def origin(self, name: str) -> Provided | None:
        """Where an input's value came from; None for what is computed or has no value."""
        provided = self.scenario.given.get(name)
        if provided is not None:
            return provided
        if name in self.assumed:
            return Provided(self.values[name], "assumed", "", self.book.inputs[name].origin.span)
        return None


class Reading(NamedTuple):
    """What an expression outside the formulas gives: a value, or the inputs it lacks, or a problem."""

    value: Any = None
    missing: frozenset[str] = frozenset()
    problem: Problem | None = None

    @property
    def known(self) -> bool:
        return self.problem is None and self.value is not None


class Reader:
    """Evaluates expressions outside the formulas (a policy's, a remedy's) over a trace.

    ``extra`` names come on top of the trace's.
    """

    def __init__(
        self, trace: Trace, fast: bool = False, extra: Mapping[str, Any] | None = None
    ) -> None:
        self._run = _Run(trace.book, trace.scenario, fast, trace, extra)

    def __call__(self, located: Located) -> Reading:
        run = self._run
        try:
            return Reading(run.of(located))
        except _Failed as error:
            return Reading(problem=error.problem)
        except _Unavailable as error:
            always = [name for name in located.expression.always if name not in run.names]
            run.lacks("", [error.name, *always], located)
            return Reading(
                missing=run.missing.pop("", frozenset()), problem=run.failures.pop("", None)
            )


class Engine:
    """Evaluates one rulebook; keeps nothing between calls but the order of computing."""

    def __init__(self, book: RuleBook) -> None:
        self.book = book
        self._plans: dict[frozenset[str], tuple[str, ...]] = {}

    def run(
        self, scenario: Scenario, targets: Iterable[str] | None = None, fast: bool = False
    ) -> Trace:
        """Compute the targets and all they rest on, or everything.

        ``fast`` evaluates the same trees as code objects instead of with simpleeval; the results
        are equal.
        """
        order = self.book.order if targets is None else self._plan(frozenset(targets))
        return _Run(self.book, scenario, fast).compute(order)

    def _plan(self, targets: frozenset[str]) -> tuple[str, ...]:
        if targets not in self._plans:
            needed = graph.closure(targets, self.book.reads)
            self._plans[targets] = tuple(name for name in self.book.order if name in needed)
        return self._plans[targets]


class _Run:
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
        self.names: Any = _Names()
        self.assumed: set[str] = set()
        self.missing: dict[str, frozenset[str]] = {}
        self.absent: set[str] = set()
        self.failures: dict[str, Problem] = {}
        if trace is not None:
            self.names = trace.values
            self.missing, self.failures = dict(trace.missing), dict(trace.failures)
            self.absent = set(trace.absent)
            if extra:
                self.names = _Names(trace.values)
                self.names.update(extra)
        self.evaluate: Callable[..., Any] = (
            CompiledEvaluator(self.names) if fast else Evaluator(self.names)
        )

    def compute(self, order: Iterable[str]) -> Trace:
        book, given, names = self.book, self.scenario.given, self.names
        formulas, parameters, inputs = book.formulas, book.parameters, book.inputs
        for name in order:
            formula = formulas.get(name)
            if formula is not None:
                self.formula(formula)
                continue
            parameter = parameters.get(name)
            if parameter is not None:
                self.parameter(parameter)
                continue
            provided = given.get(name)
            if provided is not None:
                names[name] = provided.value
            else:
                self.default(inputs[name])
        return Trace(
            book,
            self.scenario,
            names,
            frozenset(self.assumed),
            self.missing,
            frozenset(self.absent),
            self.failures,
        )

    # -- inputs and parameters --------------------------------------------------------------------

    def default(self, source: Input) -> None:
        if not source.default:
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
        except _Unavailable as error:
            self.lacks(source.name, [error.name], source.origin)
        except _Failed as error:
            self.failures[source.name] = error.problem

    def bounded(self, source: Input, value: Any, located: Located) -> Value:
        if isinstance(value, float):
            value /= source.unit.scale
        try:
            return read_value(source, value)
        except BadValue as error:
            raise _Failed(Problem("value", f"{error.message}.", error.hint, located.span)) from None

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
        except _Unavailable as error:
            self.lacks(name, [error.name, *self.sure(formula)], formula.origin)
        except _Failed as error:
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
            raise _Failed(
                Problem(
                    "range",
                    f"'{name}' ranges from {least:g} over {value:g} to {most:g}.",
                    "low must not exceed the value, nor the value high.",
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
        for part in formula.parts:
            if part in names:
                present.append(part)
            elif part not in self.absent:
                lacking.append(part)
        if lacking:
            self.lacks(formula.name, lacking, formula.origin)
            return
        combine: Callable[..., float] = _FOLDS[formula.kind]
        if not present:
            if formula.kind == "sum":
                names[formula.name] = 0.0
            else:
                self.absent.add(formula.name)
            return
        names[formula.name] = self.finite(combine([names[part] for part in present]), formula)
        if any(f"{part}.low" in names for part in present):
            for end in (".low", ".high"):
                names[formula.name + end] = combine([names[part + end] for part in present])

    def table(self, formula: Formula) -> None:
        names = self.names
        results: list[float] = []
        assert formula.value is not None
        for row in names[formula.over]:
            names.update(row)
            try:
                if formula.where is None or self.of(formula.where):
                    results.append(self.of(formula.value))
            finally:
                for column in row:
                    del names[column]
        if results or formula.fold == "sum":
            names[formula.name] = self.finite(_FOLDS[formula.fold](results), formula)
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
        except _Unavailable:
            raise
        except (ArithmeticError, ValueError) as error:
            raise _Failed(self.trouble(located, error)) from None
        if type(value) is float and not math.isfinite(value):
            raise _Failed(self.trouble(located, OverflowError("the result is not finite")))
        return value

    def finite(self, value: float, formula: Formula) -> float:
        if not math.isfinite(value):
            raise _Failed(
                Problem("arithmetic", f"'{formula.name}' is not finite.", "", formula.origin.span)
            )
        return value

    def trouble(self, located: Located, error: Exception) -> Problem:
        what = "division by zero" if isinstance(error, ZeroDivisionError) else str(error)
        shown = [
            f"{name} = {value_text(self.names[name], self.book.unit(name))}"
            for name in located.expression.names
            if name in self.names
        ]
        return Problem(
            "arithmetic",
            f"{what}, with {', '.join(shown[:6]) or 'no names'}.",
            "Guard the expression, or check the inputs.",
            located.span,
        )

    def sure(self, formula: Formula) -> list[str]:
        """Further names the formula reads whatever happens, and that have no value either."""
        located = formula.value
        if located is None or formula.over:
            return []
        return [name for name in located.expression.always if name not in self.names]

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
                    f"'{name}' reads '{base}', which does not apply here.",
                    f"Use it in a sum or max, or guard it with given({base}).",
                    origin.span,
                )
                return
        self.missing[name] = frozenset(lacking)


class _Failed(Exception):
    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


_FOLDS: dict[str, Callable[..., float]] = {"sum": math.fsum, "max": max, "min": min}
