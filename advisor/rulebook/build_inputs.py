"""Inputs and parameters: what can be given, and the numbers that have a source."""

from advisor.errors import cause, said
from advisor.rulebook.build import Builder, text
from advisor.rulebook.definitions import Definition, Field, reserved
from advisor.rulebook.model import PLAIN, Case, Column, Input, Parameter, Text, Value
from advisor.rulebook.values import BadValue, read_number
from advisor.source import Mapping
from advisor.units import SECOND, Unit, parse_date, parse_unit

_DATE_UNIT = Unit("second", SECOND, 1.0)
_NUMBERS = ("integer", "number")
_BELONGS = {
    "unit": _NUMBERS,
    "range": _NUMBERS,
    "choices": ("enum", "set"),
    "groups": ("set",),
    "said": ("enum", "set", "boolean"),
    "of": ("catalogue",),
    "columns": ("table",),
}
_NEEDED = {"enum": "choices", "set": "choices", "table": "columns", "catalogue": "of"}


def _named(fields: dict[str, Field]) -> list[str]:
    """Names of values beside the choices: groups of a set, the two truths."""
    if fields["type"].value == "boolean":
        return ["true", "false"]
    groups = fields.get("groups")
    return [str(item.key) for item in groups.items()] if groups else []


class InputBuilder(Builder):
    """Builds inputs and parameters."""

    def input(self, source: Definition) -> Input:
        fields = source.fields
        kind = str(fields["type"].value)
        unit = _DATE_UNIT if kind == "date" else self.unit(source)
        choices = self.words(fields.get("choices"))
        self.check_keys(source, kind)
        self.check_twice(fields.get("choices"))
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
            said=self.said(fields.get("said"), [*choices, *_named(fields)]),
            sources=self.sources(source),
        )
        return self.with_values(bare, fields)

    def check_keys(self, source: Definition, kind: str) -> None:
        """A key that means nothing for the type would be ignored, so it is refused."""
        for key, kinds in _BELONGS.items():
            if key in source.fields and kind not in kinds:
                self.draft.report(
                    "wrong-key",
                    said("'{key}' means nothing for an input of type {kind}.", key=key, kind=kind),
                    said("It belongs to type {kinds}.", kinds=" or ".join(kinds)),
                    source.fields[key].key_span,
                )
        needed = _NEEDED.get(kind)
        if needed and needed not in source.fields:
            self.draft.report(
                "missing-key",
                said(
                    "'{name}' is of type {kind} and has no {needed}.",
                    name=source.name,
                    kind=kind,
                    needed=needed,
                ),
                said("Add {needed}:.", needed=needed),
                source.span,
            )

    def check_twice(self, found: Field | None) -> None:
        seen: set[str] = set()
        for item in found.items() if found else ():
            if item.value in seen:
                self.draft.report(
                    "defined-twice",
                    said("'{name}' is listed twice.", name=item.value),
                    said("Keep one."),
                    item.span,
                )
            seen.add(str(item.value))

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
                    said("the default of '{name}' needs value: or cases:.", name=bare.name),
                    said("Give exactly one."),
                    given.span,
                )
            elif cases_field is not None:
                default = self.cases(cases_field, lambda item: self.typed(bare, item))
            elif value_field is not None:
                chosen = self.typed(bare, value_field)
                default = (Case(None, chosen),) if chosen is not None else ()
        suggest: Value | None = None
        offered = fields.get("suggest")
        if offered is not None and given is not None:
            self.draft.report(
                "one-of",
                said("'{name}' has a default already, which is what it suggests.", name=bare.name),
                said("Give exactly one."),
                offered.span,
            )
        elif offered is not None:
            because = text(offered.get("because"))
            value_field = offered.get("value")
            assert value_field is not None  # the schema requires it
            suggest = self.constant(bare, value_field)
        if not typical and not default and suggest is None:
            return bare
        return bare._replace(
            typical=tuple(typical), default=default, because=because, suggest=suggest
        )

    def range(self, source: Definition, unit: Unit) -> tuple[float, float] | None:
        found = source.fields.get("range")
        if found is None:
            return None
        bounds: list[float] = []
        for item in found.items():
            try:
                bounds.append(read_number(item.value, unit, source.name))
            except BadValue as error:
                self.draft.report(
                    "value", said("{message}.", message=error.message), error.hint, item.span
                )
                return None
        if len(bounds) != 2 or bounds[0] > bounds[1]:
            self.draft.report(
                "range",
                said("the range of '{name}' is not low, high.", name=source.name),
                said("Write [low, high]."),
                found.span,
            )
            return None
        return bounds[0], bounds[1]

    def groups(self, found: Field | None, choices: tuple[str, ...]) -> dict[str, frozenset[str]]:
        built: dict[str, frozenset[str]] = {}
        for group in found.items() if found else ():
            if group.key in choices:
                self.draft.report(
                    "defined-twice",
                    said("the group '{name}' has the name of a choice.", name=group.key),
                    said("Choose another name."),
                    group.key_span,
                )
            for item in group.items():
                if item.value not in choices:
                    self.draft.report(
                        "value",
                        said(
                            "'{value}' in group '{name}' is no choice.",
                            value=item.value,
                            name=group.key,
                        ),
                        self.draft.close(str(item.value), choices),
                        item.span,
                    )
            built[str(group.key)] = frozenset(map(str, group.value))
        return built

    def said(self, found: Field | None, known: list[str]) -> dict[str, tuple[str, ...]]:
        """The words people have for each value."""
        built: dict[str, tuple[str, ...]] = {}
        for item in found.items() if found else ():
            if item.key not in known:
                self.draft.report(
                    "value",
                    said("'{name}' is no value that can be said otherwise.", name=item.key),
                    self.draft.close(str(item.key), known),
                    item.key_span,
                )
            built[str(item.key)] = self.words(item)
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
                    hint = said("Units are listed in rules/README.md.")
                    self.draft.report(
                        "unit", said("{message}.", message=cause(error)), hint, unit_field.span
                    )
            kind = column.get("type")
            assert kind is not None  # the schema requires it
            self.check_column(column, str(kind.value))
            built[str(column.key)] = Column(
                str(kind.value), unit, self.words(column.get("choices"))
            )
        return built

    def check_column(self, column: Field, kind: str) -> None:
        taken = reserved(str(column.key))
        if taken:
            self.draft.report(
                "reserved",
                said("'{name}' {taken}.", name=column.key, taken=taken),
                said("Choose another name."),
                column.key_span,
            )
        choices = column.get("choices")
        if choices is None and kind == "enum":
            self.draft.report(
                "missing-key",
                said("the column '{name}' is of type enum and has no choices.", name=column.key),
                said("Add choices: […]."),
                column.key_span,
            )
        if choices is not None and kind != "enum":
            self.draft.report(
                "wrong-key",
                said("'choices' means nothing for a column of type {kind}.", kind=kind),
                said("It belongs to type enum."),
                choices.key_span,
            )
        self.check_twice(choices)

    def parameter(self, source: Definition) -> Parameter:
        fields = source.fields
        unit = self.unit(source)
        by_field = fields.get("by")
        by = self.names(by_field)
        value, values = fields.get("value"), fields.get("values")
        rows: dict[tuple[str, ...], float] = {}
        otherwise: float | None = None
        if (value is None) == (values is None) or (by_field is None) != (values is None):
            self.draft.report(
                "one-of",
                said("'{name}' needs value:, or by: with values:.", name=source.name),
                said("Give exactly one of the two."),
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
            self.checked(fields.get("checked")),
            text(fields.get("why")),
        )

    def checked(self, found: Field | None) -> str:
        if found is None:
            return ""
        try:
            parse_date(str(found.value))
        except ValueError as error:
            self.draft.report(
                "bad-date",
                said("{message}.", message=cause(error)),
                said("Write it as 2026-11-29."),
                found.span,
            )
        return str(found.value)

    def amount(self, found: Field, unit: Unit, name: str) -> float:
        try:
            return read_number(found.value, unit, name)
        except BadValue as error:
            self.draft.report(
                "value", said("{message}.", message=error.message), error.hint, found.span
            )
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
                    said("'{name}' is a table over one input.", name=name),
                    said("Write a number for each row."),
                    item.span,
                )
            elif depth == 2:
                self.draft.report(
                    "value",
                    said("'{name}' is a table over two inputs.", name=name),
                    said("Write {item}: {{…}}.", item=item.key),
                    item.span,
                )
            else:
                rows[(str(item.key),)] = self.amount(item, unit, name)
        return rows, otherwise
