"""What the columns of a table of measured runs mean: the files ``rules/runs/*.yaml``, checked."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from advisor import schemas
from advisor.errors import FileProblems, Problem, Span, cause, said, suggestion
from advisor.rulebook.definitions import Field
from advisor.rulebook.expr import BadExpression
from advisor.rulebook.model import Input, Located, RuleBook, Text, Type
from advisor.rulebook.parsing import parse
from advisor.rulebook.types import infer
from advisor.rulebook.values import BadValue, read_value
from advisor.source import Document, read_file
from advisor.units import Unit, parse_unit

CELL = "cell"
"""The name by which an expression of a mapping reads the measured number."""

Cells = Mapping[str, str]


class When(NamedTuple):
    """Columns whose cells must match one of some patterns (``*`` and ``?`` as in file names)."""

    tests: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def holds(self, cells: Cells) -> bool:
        """Whether every named column matches; a column that is not there is empty."""
        return all(
            any(fnmatch.fnmatchcase(cells.get(column, ""), pattern) for pattern in patterns)
            for column, patterns in self.tests
        )


class Reading(NamedTuple):
    """One way to get an input's value: from a column, or (``value``) the same for every row."""

    column: str = ""
    when: When = When()
    words: Mapping[str, Any] | None = None
    split: str = ""
    unit: str = ""
    absent: Any = None
    value: Any = None
    also: tuple[When, tuple[str, ...]] | None = None


class Measure(NamedTuple):
    """A measured quantity: where it stands, and the formula or answer that predicts it.

    ``measured`` turns the cell into the quantity where it is another one (a speed, say).
    """

    quantity: str
    column: str
    when: When
    unit: Unit
    shown: Unit
    measured: Located | None
    predicted: str
    words: Mapping[str, str]
    answer: str


class Group(NamedTuple):
    """Rows that are judged together; ``title`` is what people see in place of the name."""

    name: str
    quantities: tuple[str, ...]
    when: When
    title: Text


class Shape(NamedTuple):
    """One kind of table."""

    name: str
    title: str
    recognise: tuple[str, ...]
    identify: str
    inputs: Mapping[str, tuple[Reading, ...]]
    measures: tuple[Measure, ...]
    groups: tuple[Group, ...]
    known: frozenset[str]

    def targets(self, book: RuleBook) -> frozenset[str]:
        """Every name that has to be computed."""
        found: set[str] = set()
        for one in self.measures:
            if one.answer:
                answer = book.answers[one.answer]
                found |= {answer.value, answer.limit}
            else:
                found.add(one.predicted)
            if one.measured is not None:
                found |= set(one.measured.expression.names) - {CELL}
        return frozenset(name for name in found if name)


def read_shapes(folder: Path, shown: str, book: RuleBook) -> tuple[Shape, ...]:
    """Every kind of table of a folder; raises FileProblems with everything wrong in the files."""
    problems: list[Problem] = []
    shapes: list[Shape] = []
    for path in sorted(folder.glob("*.yaml")):
        document = read_file(path, f"{shown}/{path.name}")
        if not schemas.accepts("runs", document.data):
            problems.extend(schemas.problems("runs", document))
            continue
        builder = _Builder(document, book)
        shapes.append(builder.shape())
        problems.extend(builder.problems)
    if problems:
        raise FileProblems(problems)
    return tuple(shapes)


class _Builder:
    """Builds one shape, and holds every name and value in it against the rules."""

    def __init__(self, document: Document, book: RuleBook) -> None:
        self.document = document
        self.book = book
        self.problems: list[Problem] = []
        self.columns: set[str] = set()

    def report(self, code: str, message: str, hint: str, where: Span) -> None:
        self.problems.append(Problem(code, message, hint, where))

    def shape(self) -> Shape:
        data = self.document.data
        self.columns.update(data["recognise"], data.get("unused", ()))
        if "identify" in data:
            self.columns.add(data["identify"])
        readings = {
            name: tuple(self.readings(Field(written, self.document, data["inputs"], name)))
            for name, written in data["inputs"].items()
        }
        measures = tuple(filter(None, (self.measure(one) for one in self.top("measures").items())))
        groups = tuple(
            Group(one["name"], tuple(one["quantity"]), self.when(one), dict(one.get("title", {})))
            for one in data.get("groups", ())
        )
        return Shape(
            data["runs"],
            data["title"],
            tuple(data["recognise"]),
            data.get("identify", ""),
            readings,
            measures,
            groups,
            frozenset(self.columns),
        )

    def top(self, key: str) -> Field:
        return Field(self.document.data[key], self.document, self.document.data, key)

    def when(self, written: Mapping[str, Any]) -> When:
        tests = []
        for column, patterns in written.get("when", {}).items():
            self.columns.add(column)
            tests.append((column, (patterns,) if isinstance(patterns, str) else tuple(patterns)))
        return When(tuple(tests))

    # -- inputs -----------------------------------------------------------------------------------

    def readings(self, found: Field) -> Iterator[Reading]:
        name = str(found.key)
        target = self.book.inputs.get(name)
        if target is None:
            hint = suggestion(name, self.book.inputs)
            self.report(
                "unknown-name",
                said("there is no input '{name}'.", name=name[:80]),
                hint,
                found.key_span,
            )
            return
        for one in found.items() if isinstance(found.value, list) else (found,):
            yield self.reading(target, one)

    def reading(self, target: Input, found: Field) -> Reading:
        written = found.value
        if ("column" in written) is ("value" in written):
            self.report(
                "reading",
                said("'{name}' is read from one column, or has one value.", name=target.name),
                said("Write column: or value:."),
                found.key_span,
            )
        if "column" in written:
            self.columns.add(written["column"])
        constants = [found.get("value"), found.get("absent")]
        words = found.get("map")
        constants += list(words.items()) if words else []
        also = found.get("also")
        if also is not None:
            constants.append(also.get("value"))
        for one in constants:
            if one is not None:
                self.check(target, one)
        return Reading(
            written.get("column", ""),
            self.when(written),
            written.get("map"),
            written.get("split", ""),
            written.get("unit", ""),
            written.get("absent"),
            written.get("value"),
            (self.when(also.value), tuple(also.value["value"])) if also else None,
        )

    def check(self, target: Input, found: Field) -> None:
        if target.catalogue:  # the catalogue says what it knows when a row names it
            return
        try:
            read_value(target, found.value)
        except BadValue as error:
            self.report("value", said("{message}.", message=error.message), error.hint, found.span)

    # -- what was measured ------------------------------------------------------------------------

    def measure(self, found: Field) -> Measure | None:
        written = found.value
        self.columns.add(written["column"])
        answer, predicted = found.get("answer"), found.get("predicted")
        if (answer is None) is (predicted is None) or ("map" in written) is (answer is None):
            self.report(
                "measure",
                said(
                    "'{name}' needs predicted:, or answer: and map:.",
                    name=written["quantity"],
                ),
                said("Name a formula, or an answer with what its words mean."),
                found.key_span,
            )
            return None
        named, known = (answer, self.book.answers) if answer else (predicted, self.book.types)
        assert named is not None
        if named.value not in known:
            self.report(
                "unknown-name",
                said("there is no '{name}'.", name=named.value[:80]),
                suggestion(named.value, known),
                named.span,
            )
            return None
        unit = self.unit(found, "unit", "1")
        shown = self.unit(found, "shown", written.get("unit", "1"))
        if unit is None or shown is None:
            return None
        measure = Measure(
            written["quantity"],
            written["column"],
            self.when(written),
            unit,
            shown,
            self.expression(found.get("measured"), unit, shown),
            predicted.value if predicted else "",
            written.get("map", {}),
            answer.value if answer else "",
        )
        if predicted is not None:
            self.same_dimension(measure, predicted)
        return measure

    def unit(self, found: Field, key: str, otherwise: str) -> Unit | None:
        try:
            return parse_unit(str(found.value.get(key, otherwise)))
        except ValueError as error:
            written = found.get(key)
            self.report(
                "unit", said("{message}.", message=cause(error)), "", (written or found).span
            )
            return None

    def same_dimension(self, measure: Measure, predicted: Field) -> None:
        kind = self.book.types[measure.predicted]
        have = measure.shown if measure.measured else measure.unit
        dimensions = {have.dimension, measure.shown.dimension, kind.dimension}
        if kind.kind != "number" or len(dimensions) > 1:
            self.report(
                "dimension",
                said(
                    "'{name}' is not measured in {shown}.",
                    name=measure.predicted,
                    shown=measure.shown.name,
                ),
                said("Name another formula or unit."),
                predicted.span,
            )

    def expression(self, found: Field | None, unit: Unit, shown: Unit) -> Located | None:
        if found is None:
            return None
        try:
            parsed = parse(str(found.value))
        except BadExpression as error:
            self.report(
                "expression",
                said("{message}.", message=error.message),
                error.hint,
                found.at(error.offset),
            )
            return None
        types = {**self.book.types, CELL: Type("number", unit.dimension)}
        for name, offset in parsed.names.items():
            if name not in types:
                hint = suggestion(name, types)
                self.report(
                    "unknown-name",
                    said("there is no '{name}'.", name=name[:80]),
                    hint,
                    found.at(offset),
                )
                return None
        kind, wrong = infer(parsed, types)
        for one in wrong:
            self.report(
                "dimension", said("{message}.", message=one.message), one.hint, found.at(one.offset)
            )
        if not wrong and kind.dimension != shown.dimension:
            self.report(
                "dimension",
                said("this is not measured in {shown}.", shown=shown.name),
                "",
                found.span,
            )
        return Located(parsed, found)


def recognised(shapes: Iterable[Shape], header: Iterable[str], where: Span) -> Shape:
    """The shape of a table with these columns; raises FileProblems when there is none."""
    columns = set(header)
    known = list(shapes)
    fitting = [one for one in known if columns.issuperset(one.recognise)]
    if fitting:
        return max(fitting, key=lambda one: len(one.recognise))
    nearest = max(known, key=lambda one: len(columns & one.known), default=None)
    hint = said("rules/runs/ says which columns are known.")
    if nearest is not None and columns & nearest.known:
        missing = [name for name in nearest.recognise if name not in columns]
        hint = said(
            "It is most like {nearest}, which needs also: {missing}.",
            nearest=nearest.name,
            missing=tuple(missing),
        )
    message = said("these columns are no known table of measured runs.")
    raise FileProblems([Problem("unknown-table", message, hint, where)])
