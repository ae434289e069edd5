"""Rows of a table as scenarios, and what the rules say about each beside what was measured."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from advisor import source as reading
from advisor.accuracy.shape import CELL, Measure, Reading, Shape
from advisor.accuracy.table import Row, Table
from advisor.errors import FileProblems, cause, said, sentences, visible
from advisor.evaluate import Engine, Reader, Trace
from advisor.project import Project
from advisor.rulebook.model import Input
from advisor.rulebook.values import BadValue, read_number, read_value
from advisor.scenario import Provided, Scenario
from advisor.verdict import judge


class Prediction(NamedTuple):
    """One measured number and the predicted one, in the measure's shown unit.

    ``source`` is the formula that predicts it, ``cells`` the row, ``group`` where it counts.
    """

    id: str
    quantity: str
    measured: float
    low: float
    predicted: float
    high: float
    source: str
    unit: str
    group: str
    cells: Mapping[str, str]

    @property
    def error(self) -> float:
        """How far the prediction is off, as a share of what was measured; negative is too low."""
        return self.predicted / self.measured - 1

    @property
    def covered(self) -> bool:
        """Whether the predicted range holds what was measured."""
        return self.low <= self.measured <= self.high

    @property
    def width(self) -> float:
        """Half of the range as a share of the prediction."""
        return (self.high - self.low) / 2 / self.predicted if self.predicted else 0.0


class Judged(NamedTuple):
    """A run that fitted or did not, and the predicted verdict."""

    id: str
    quantity: str
    measured: str
    predicted: str
    group: str
    cells: Mapping[str, str]


class Skipped(NamedTuple):
    """A row, a column or one figure of a row that is not used, and why."""

    id: str
    reason: str


Found = Prediction | Judged | Skipped


class Unreadable(Exception):
    """A cell does not give the value it should."""


class Predictor:
    """Predicts the rows of tables of one shape."""

    def __init__(self, project: Project, shape: Shape) -> None:
        self.book = project.book
        self.shape = shape
        self.engine = Engine(project.book)
        self.scenarios = project.reader()
        self.targets = shape.targets(project.book)
        self.entries: dict[tuple[str, str], Mapping[str, Provided] | str] = {}

    def table(self, table: Table) -> Iterator[Found]:
        """Everything the table gives, in its order; what is not used comes with its reason."""
        for name in table.header:
            if name not in self.shape.known:
                reason = said(
                    "the table '{name}' has no such column, so it is not read",
                    name=self.shape.name,
                )
                yield Skipped(said("column {name}", name=_shown(name)), reason)
        for row in table.rows:
            yield from self.row(row, table)

    def row(self, row: Row, table: Table) -> Iterator[Found]:
        if len(row.cells) != len(table.header):
            reason = said(
                "line {line} has {cells} cells for {columns} columns",
                line=row.line,
                cells=len(row.cells),
                columns=len(table.header),
            )
            yield Skipped(str(row.number), reason)
            return
        cells = dict(zip(table.header, row.cells, strict=True))
        name = _shown(cells.get(self.shape.identify, "")) or str(row.number)
        measures = self.measures(cells)
        if not measures:
            yield Skipped(name, said("nothing was measured in this row"))
            return
        try:
            scenario = self.scenario(name, cells, f"{table.name}:{row.line}")
        except Unreadable as error:
            yield Skipped(name, cause(error))
            return
        trace = self.engine.run(scenario, self.targets, fast=True)
        for measure in measures:
            try:
                yield self.judged(name, measure, cells, trace)
            except Unreadable as error:
                yield Skipped(
                    name, said("{quantity}: {error}", quantity=measure.quantity, error=cause(error))
                )

    def measures(self, cells: Mapping[str, str]) -> list[Measure]:
        """What was measured in a row: of each quantity the first way to say it that applies."""
        found: dict[str, Measure] = {}
        for one in self.shape.measures:
            if cells.get(one.column) and one.when.holds(cells):
                found.setdefault(one.quantity, one)
        return list(found.values())

    # -- a row as a scenario ----------------------------------------------------------------------

    def scenario(self, name: str, cells: Mapping[str, str], source: str) -> Scenario:
        """The scenario of a row; raises Unreadable with everything that cannot be read."""
        given: dict[str, Provided] = {}
        wrong: list[str] = []
        for input_name, readings in self.shape.inputs.items():
            target = self.book.inputs[input_name]
            try:
                raw = _raw(readings, cells)
                if raw is None:
                    continue
                if target.catalogue:
                    given.update(self.entry(target, str(raw)))
                else:
                    given[input_name] = Provided(read_value(target, raw), "given", source)
            except BadValue as error:
                wrong.append(sentences(said("{message}.", message=error.message), error.hint))
            except Unreadable as error:
                wrong.append(cause(error))
        if wrong:
            raise Unreadable(sentences(*wrong))
        return Scenario(name, given)

    def entry(self, target: Input, name: str) -> Mapping[str, Provided]:
        """A catalogue entry as inputs; one name is looked up once."""
        key = (target.name, name)
        if key not in self.entries:
            document = reading.read_text(json.dumps({target.name: name}), target.name)
            try:
                self.entries[key] = self.scenarios.build(document, None).given
            except FileProblems as error:
                self.entries[key] = sentences(
                    *(text for one in error.problems for text in (one.message, one.hint))
                )
        found = self.entries[key]
        if isinstance(found, str):
            raise Unreadable(found)
        return found

    # -- what was measured beside what is predicted -----------------------------------------------

    def judged(
        self, name: str, measure: Measure, cells: Mapping[str, str], trace: Trace
    ) -> Prediction | Judged:
        cell = cells[measure.column]
        group = self.group(measure.quantity, cells)
        if measure.answer:
            word = measure.words.get(cell)
            if word is None:
                raise Unreadable(
                    said(
                        "'{name}' is '{word}', not one of: {known}.",
                        name=measure.column,
                        word=_shown(cell),
                        known=tuple(measure.words),
                    )
                )
            result = judge(trace, fast=True, details=False, only=()).answers[measure.answer]
            if result.state in ("undecided", "no limit"):
                answer = self.book.answers[measure.answer]
                raise Unreadable(self.why(trace, (answer.value, answer.limit)))
            return Judged(name, measure.quantity, word, result.state, group, cells)
        measured = self.measured(measure, cell, trace) / measure.shown.scale
        found = trace.range(measure.predicted)
        if found is None:
            raise Unreadable(self.why(trace, (measure.predicted,)))
        low, predicted, high = (value / measure.shown.scale for value in found)
        source, unit = measure.predicted, measure.shown.name
        return Prediction(
            name, measure.quantity, measured, low, predicted, high, source, unit, group, cells
        )

    def measured(self, measure: Measure, cell: str, trace: Trace) -> float:
        try:
            value = read_number(cell, measure.unit, measure.column)
        except BadValue as error:
            raise Unreadable(
                sentences(said("{message}.", message=error.message), error.hint)
            ) from None
        if value <= 0:
            raise Unreadable(
                said(
                    "'{name}' is {cell}; it must be above zero.",
                    name=measure.column,
                    cell=_shown(cell),
                )
            )
        if measure.measured is None:
            return value
        result = Reader(trace, fast=True, extra={CELL: value})(measure.measured)
        if not result.known:
            raise Unreadable(self.why(trace, measure.measured.expression.names))
        return float(result.value)

    def why(self, trace: Trace, names: Any) -> str:
        """Why a row has no prediction: the inputs it lacks, or what went wrong."""
        for name in names:
            if name in trace.failures:
                return trace.failures[name].message
        lacking = {one for name in names for one in trace.missing.get(name, ())}
        if lacking:
            return said("the row does not say {lacking}.", lacking=tuple(sorted(lacking)))
        return said("the rules give no figure for this row.")

    def group(self, quantity: str, cells: Mapping[str, str]) -> str:
        for one in self.shape.groups:
            if quantity in one.quantities and one.when.holds(cells):
                return one.name
        return quantity


def _raw(readings: tuple[Reading, ...], cells: Mapping[str, str]) -> Any:
    """What the first reading that applies gives, before it is typed; None when none does."""
    for one in readings:
        if not one.when.holds(cells):
            continue
        if not one.column:
            return one.value
        cell = cells.get(one.column, "")
        if cell:
            return _with_also(one, _worded(one, cell), cells)
        if one.absent is not None:
            return _with_also(one, one.absent, cells)
    return None


def _worded(one: Reading, cell: str) -> Any:
    if one.split:
        found: list[str] = []
        for word in cell.split(one.split):
            value = _word(one, word.strip())
            found.extend(value if isinstance(value, list) else [value])
        return found
    value = _word(one, cell)
    return f"{value} {one.unit}" if one.unit else value


def _word(one: Reading, word: str) -> Any:
    if one.words is None:
        return word
    if word not in one.words:
        raise Unreadable(
            said(
                "'{name}' is '{word}', not one of: {known}.",
                name=one.column,
                word=_shown(word),
                known=tuple(one.words),
            )
        )
    return one.words[word]


def _with_also(one: Reading, value: Any, cells: Mapping[str, str]) -> Any:
    if one.also is None or not one.also[0].holds(cells):
        return value
    return [*(value if isinstance(value, list) else [value]), *one.also[1]]


def _shown(text: str) -> str:
    return visible(text[:60])
