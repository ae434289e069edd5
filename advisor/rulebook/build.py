"""Definitions into the frozen values of the model: expressions parsed, units and values read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, Literal

from advisor.errors import suggestion
from advisor.rulebook.definitions import Definition, Draft, Field
from advisor.rulebook.expr import BadExpression, Expression, comparison, parse, part
from advisor.rulebook.model import (
    PLAIN,
    Answer,
    Case,
    Column,
    Example,
    Formula,
    Input,
    Located,
    Origin,
    Parameter,
    Policy,
    Remedy,
    Text,
    Value,
)
from advisor.rulebook.values import BadValue, read_number, read_value
from advisor.source import Mapping, Sequence
from advisor.units import SECOND, Unit, parse_unit

_DATE_UNIT = Unit("second", SECOND, 1.0)


def text(found: Field | None) -> Text:
    """A sentence by language; a plain string is English."""
    if found is None:
        return {}
    return dict(found.value) if isinstance(found.value, Mapping) else {"en": str(found.value)}


class Builder:
    """Builds model values from a draft's definitions, reporting every problem to the draft."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.parsed: dict[str, Expression] = {}  # every fifth expression was written before

    def origin(self, source: Definition) -> Origin:
        return Origin(source.span, source.layer)

    # -- parts that several kinds of definition share ------------------------------------------

    def expression(self, found: Field | None) -> Located | None:
        """The expression written in a field; None when absent or (reported) not well formed."""
        if found is None:
            return None
        written = str(found.value)
        parsed = self.parsed.get(written)
        if parsed is None:
            try:
                parsed = self.parsed[written] = parse(written)
            except BadExpression as error:
                where = found.at(error.offset)
                self.draft.report("expression", f"{error.message}.", error.hint, where)
                return None
        return Located(parsed, found)

    def required(self, found: Field | None) -> Located:
        """As ``expression``; a harmless stand-in when a problem was reported."""
        return self.expression(found) or Located(parse("0"), found)

    def unit(self, source: Definition) -> Unit:
        found = source.fields.get("unit")
        if found is None:
            return PLAIN
        try:
            return parse_unit(str(found.value))
        except ValueError as error:
            self.draft.report(
                "unit", f"{error}.", "Units are listed in rules/README.md.", found.span
            )
            return PLAIN

    def sources(self, source: Definition) -> tuple[Mapping, ...]:
        found = source.fields.get("source")
        return tuple(item.value for item in found.items()) if found else ()

    def words(self, found: Field | None) -> tuple[str, ...]:
        return tuple(str(item.value) for item in found.items()) if found else ()

    def typed(self, target: Input, found: Field) -> Located | Value | None:
        """A constant of the input's type, or an expression where numbers and truths allow one."""
        raw = found.value
        if isinstance(raw, str) and target.type in ("integer", "number", "boolean"):
            try:
                return read_value(target, raw)
            except BadValue:
                return self.expression(found)
        return self.constant(target, found)

    def constant(self, target: Input, found: Field) -> Value | None:
        try:
            return read_value(target, found.value)
        except BadValue as error:
            self.draft.report("value", f"{error.message}.", error.hint, found.span)
            return None

    def cases(
        self, found: Field, read: Callable[[Field], Located | Value | None]
    ) -> tuple[Case, ...]:
        built: list[Case] = []
        for position, item in enumerate(found.items()):
            condition = item.get("when")
            last = position == len(found.value) - 1
            if condition is None and not last:
                self.draft.report(
                    "unreachable",
                    "cases after one without when: are never reached.",
                    "Move it to the end.",
                    item.span,
                )
            value_field = item.get("value")
            assert value_field is not None  # the schema requires it
            value = read(value_field)
            if value is None:
                continue
            low, high = self.expression(item.get("low")), self.expression(item.get("high"))
            built.append(Case(self.expression(condition), value, low, high))
        return tuple(built)

    # -- inputs ---------------------------------------------------------------------------------

    def input(self, source: Definition) -> Input:
        fields = source.fields
        kind = str(fields["type"].value)
        unit = _DATE_UNIT if kind == "date" else self.unit(source)
        choices = self.words(fields.get("choices"))
        if kind in ("enum", "set") and not choices:
            self.draft.report(
                "missing-key",
                f"'{source.name}' lists no choices.",
                "Add choices: […].",
                source.span,
            )
        if kind == "table" and "columns" not in fields:
            self.draft.report(
                "missing-key",
                f"'{source.name}' lists no columns.",
                "Add columns: {…}.",
                source.span,
            )
        bare = Input(
            name=source.name,
            type=kind,
            unit=unit,
            origin=self.origin(source),
            title=text(fields.get("title")),
            range=self.range(source, unit),
            ask=text(fields.get("ask")),
            when=self.expression(fields.get("when")),
            aliases=self.words(fields.get("aliases")),
            choices=choices,
            groups=self.groups(fields.get("groups"), choices),
            catalogue=str(fields["of"].value) if "of" in fields else "",
            optional="optional" in fields and fields["optional"].value is True,
            columns=self.columns(fields.get("columns")),
            sources=self.sources(source),
        )
        return self.with_values(bare, fields)

    def with_values(self, bare: Input, fields: dict[str, Field]) -> Input:
        typical: list[Value] = []
        for item in fields["typical"].items() if "typical" in fields else ():
            value = self.constant(bare, item)
            if value is not None:
                typical.append(value)
        default: tuple[Case, ...] = ()
        because: Text = {}
        given = fields.get("default")
        if given is not None:
            because = text(given.get("because"))
            value_field, cases_field = given.get("value"), given.get("cases")
            if (value_field is None) == (cases_field is None):
                self.draft.report(
                    "one-of",
                    f"the default of '{bare.name}' needs value: or cases:.",
                    "Give exactly one.",
                    given.span,
                )
            elif cases_field is not None:
                default = self.cases(cases_field, lambda item: self.typed(bare, item))
            elif value_field is not None:
                chosen = self.typed(bare, value_field)
                default = (Case(None, chosen),) if chosen is not None else ()
        if not typical and not default:
            return bare
        return bare._replace(typical=tuple(typical), default=default, because=because)

    def range(self, source: Definition, unit: Unit) -> tuple[float, float] | None:
        found = source.fields.get("range")
        if found is None:
            return None
        bounds: list[float] = []
        for item in found.items():
            try:
                bounds.append(read_number(item.value, unit, source.name))
            except BadValue as error:
                self.draft.report("value", f"{error.message}.", error.hint, item.span)
                return None
        if len(bounds) != 2 or bounds[0] > bounds[1]:
            self.draft.report(
                "range",
                f"the range of '{source.name}' is not low, high.",
                "Write [low, high].",
                found.span,
            )
            return None
        return bounds[0], bounds[1]

    def groups(self, found: Field | None, choices: tuple[str, ...]) -> dict[str, frozenset[str]]:
        built: dict[str, frozenset[str]] = {}
        for group in found.items() if found else ():
            for item in group.items():
                if item.value not in choices:
                    self.draft.report(
                        "value",
                        f"'{item.value}' in group '{group.key}' is no choice.",
                        suggestion(str(item.value), choices),
                        item.span,
                    )
            built[str(group.key)] = frozenset(map(str, group.value))
        return built

    def columns(self, found: Field | None) -> dict[str, Column]:
        built: dict[str, Column] = {}
        for column in found.items() if found else ():
            unit_field = column.get("unit")
            unit = PLAIN
            if unit_field is not None:
                try:
                    unit = parse_unit(str(unit_field.value))
                except ValueError as error:
                    self.draft.report("unit", f"{error}.", "", unit_field.span)
            kind = column.get("type")
            assert kind is not None  # the schema requires it
            built[str(column.key)] = Column(
                str(kind.value), unit, self.words(column.get("choices"))
            )
        return built

    # -- parameters -----------------------------------------------------------------------------

    def parameter(self, source: Definition) -> Parameter:
        fields = source.fields
        unit = self.unit(source)
        by_field = fields.get("by")
        by: tuple[str, ...] = ()
        if by_field is not None:
            is_list = isinstance(by_field.value, Sequence)
            by = self.words(by_field) if is_list else (str(by_field.value),)
        value, values = fields.get("value"), fields.get("values")
        rows: dict[tuple[str, ...], float] = {}
        otherwise: float | None = None
        if (value is None) == (values is None) or (by_field is None) != (values is None):
            self.draft.report(
                "one-of",
                f"'{source.name}' needs value:, or by: with values:.",
                "Give exactly one of the two.",
                source.span,
            )
        elif value is not None:
            rows[()] = self.amount(value, unit, source.name)
        elif values is not None:
            rows, otherwise = self.rows(values, unit, source.name, len(by))
        return Parameter(
            source.name,
            text(fields.get("title")),
            unit,
            self.origin(source),
            by,
            rows,
            otherwise,
            self.sources(source),
            str(fields["checked"].value) if "checked" in fields else "",
            text(fields.get("why")),
        )

    def amount(self, found: Field, unit: Unit, name: str) -> float:
        try:
            return read_number(found.value, unit, name)
        except BadValue as error:
            self.draft.report("value", f"{error.message}.", error.hint, found.span)
            return 1.0

    def rows(
        self, values: Field, unit: Unit, name: str, depth: int
    ) -> tuple[dict[tuple[str, ...], float], float | None]:
        rows: dict[tuple[str, ...], float] = {}
        otherwise: float | None = None
        for item in values.items():
            if item.key == "else":
                otherwise = self.amount(item, unit, name)
            elif depth == 2 and isinstance(item.value, Mapping):
                for inner in item.items():
                    rows[str(item.key), str(inner.key)] = self.amount(inner, unit, name)
            elif isinstance(item.value, Mapping):
                self.draft.report(
                    "value",
                    f"'{name}' is a table over one input.",
                    "Write a number for each row.",
                    item.span,
                )
            elif depth == 2:
                self.draft.report(
                    "value",
                    f"'{name}' is a table over two inputs.",
                    f"Write {item.key}: {{…}}.",
                    item.span,
                )
            else:
                rows[(str(item.key),)] = self.amount(item, unit, name)
        return rows, otherwise

    # -- formulas -------------------------------------------------------------------------------

    def formula(self, source: Definition) -> Formula:
        fields = source.fields
        kinds = [key for key in ("value", "cases", "sum", "max", "min") if key in fields]
        if len(kinds) != 1:
            self.draft.report(
                "one-of",
                f"'{source.name}' needs one of value, cases, sum, max, min"
                f"{' and has ' + ' and '.join(kinds) if kinds else ''}.",
                "Keep exactly one.",
                source.span,
            )
        kind = kinds[0] if kinds else "value"
        declared = str(fields["type"].value) if "type" in fields else "number"
        built: dict[str, Any] = {
            "name": source.name,
            "title": text(fields.get("title")),
            "unit": self.unit(source),
            "type": declared,
            "kind": kind,
            "origin": self.origin(source),
            "when": self.expression(fields.get("when")),
            "low": self.expression(fields.get("low")),
            "high": self.expression(fields.get("high")),
            "why": text(fields.get("why")),
            "sources": self.sources(source),
        }
        if kind != "value" and ("low" in fields or "high" in fields):
            self.draft.report(
                "range",
                f"low: and high: of '{source.name}' go with value:.",
                "Sums and maxima range as their parts do; cases hold their own.",
                source.span,
            )
        if declared == "enum" and kind != "cases":
            self.draft.report(
                "one-of", f"'{source.name}' is an enum and needs cases:.", "", source.span
            )
        if kind == "value":
            built["value"] = self.required(fields.get("value"))
        elif kind == "cases":
            built.update(self.formula_cases(fields["cases"], declared))
        else:
            built.update(self.parts(fields[kind], kind))
        return Formula(**built)

    def formula_cases(self, found: Field, declared: str) -> dict[str, Any]:
        if declared != "enum":
            return {"cases": self.cases(found, self.expression)}
        cases = self.cases(found, lambda item: str(item.value))
        return {"cases": cases, "choices": tuple(dict.fromkeys(str(case.value) for case in cases))}

    def parts(self, found: Field, kind: str) -> dict[str, Any]:
        if isinstance(found.value, Sequence):
            return {"parts": tuple(str(item.value) for item in found.items())}
        over, value = found.get("over"), found.get("value")
        assert over is not None  # the schema requires both
        return {
            "kind": "table",
            "fold": kind,
            "over": str(over.value),
            "where": self.expression(found.get("where")),
            "value": self.required(value),
        }

    # -- remedies, policies, answers, examples --------------------------------------------------

    def remedy(self, source: Definition, inputs: dict[str, Input]) -> Remedy:
        fields = source.fields
        sets: dict[str, Located | Value] = {}
        for item in fields["set"].items():
            target = self.target(item, inputs)
            value = self.typed(target, item) if target else None
            if value is not None:
                sets[str(item.key)] = value
        quality = fields["quality"].value
        return Remedy(
            source.name,
            text(fields.get("title")),
            self.origin(source),
            self.expression(fields.get("when")),
            "repeat" in fields and fields["repeat"].value is True,
            sets,
            tuple(self.tries(fields.get("try"), inputs)),
            self.words(fields.get("improves")),
            int(quality),
            text(fields.get("why")),
            text(fields.get("trade_off")),
            self.sources(source),
        )

    def target(self, item: Field, inputs: dict[str, Input]) -> Input | None:
        target = inputs.get(str(item.key))
        if target is None:
            where = item.document.key_span(item.container, item.key)
            self.draft.report(
                "unknown-name",
                f"there is no input '{item.key}'.",
                suggestion(str(item.key), inputs),
                where,
            )
        return target

    def tries(self, found: Field | None, inputs: dict[str, Input]) -> Iterator[dict[str, Value]]:
        if found is None:
            return
        axes: list[list[tuple[str, Value]]] = []
        for item in found.items():
            target = self.target(item, inputs)
            if target is None:
                continue
            values = [self.constant(target, choice) for choice in item.items()]
            axes.append([(target.name, value) for value in values if value is not None])
        for combination in product(*axes):
            yield dict(combination)

    def policy(self, source: Definition) -> Policy:
        fields = source.fields
        require = self.required(fields.get("require"))
        left, right = self.sides(require)
        fix: tuple[str, ...] | Literal["ladder"] = ()
        if "fix" in fields:
            named = fields["fix"].value
            fix = self.words(fields["fix"]) if isinstance(named, Sequence) else (str(named),)
            if fix == ("ladder",):
                fix = "ladder"
        return Policy(
            source.name,
            text(fields.get("title")),
            self.origin(source),
            fields["level"].value,
            self.expression(fields.get("when")),
            require,
            left,
            right,
            text(fields.get("message")),
            fix,
            "final" in fields and fields["final"].value is True,
            text(fields.get("why")),
            self.sources(source),
        )

    @staticmethod
    def sides(require: Located) -> tuple[Located | None, Located | None]:
        """What must be small and what bounds it, when the requirement is one comparison."""
        import ast

        sides = comparison(require.expression)
        if sides is None:
            return None, None
        left, kind, right = sides
        if kind in (ast.Eq, ast.NotEq):
            return None, None
        if kind in (ast.Gt, ast.GtE):
            left, right = right, left

        expression, written = require
        return Located(part(expression, left), written), Located(part(expression, right), written)

    def answer(self, source: Definition) -> Answer:
        fields = source.fields

        def name(key: str) -> str:
            return str(fields[key].value) if key in fields else ""

        return Answer(
            source.name,
            text(fields.get("title")),
            name("value"),
            name("limit"),
            name("parts"),
            self.origin(source),
            self.words(fields.get("also")),
            text(fields.get("rest")),
        )

    @staticmethod
    def example(found: Field, layer: str) -> Example:
        name, given, expect = found.get("name"), found.get("given"), found.get("expect")
        assert name is not None and given is not None and expect is not None  # the schema's
        return Example(
            str(name.value),
            given.value,
            expect.value,
            found.span,
            layer,
            found.document,
            found.value,
            text(found.get("seed_says")),
        )
