"""Every definition held against the names, tables and types of the whole book."""

from collections.abc import Iterable, Mapping
from itertools import islice, product

from advisor.errors import Span, said
from advisor.rulebook.definitions import Draft, Field
from advisor.rulebook.expr import NOT_READ
from advisor.rulebook.link import (
    MAX_SHOWN,
    PLACEHOLDER,
    Parts,
    base_name,
    column_types,
    formula_type,
    input_type,
)
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
)
from advisor.rulebook.types import BOOLEAN, UNKNOWN, agree, describe, infer


class Checker:
    """Reports to the draft whatever does not fit together."""

    def __init__(self, draft: Draft, parts: Parts, types: Mapping[str, Type]) -> None:
        self.draft = draft
        self.parts = parts
        self.types = types

    def check_all(self) -> None:
        """Check every definition and the ladder."""
        for source in self.parts.inputs.values():
            self.check_input(source)
        for table in self.parts.parameters.values():
            self.check_parameter(table)
        for formula in self.parts.formulas.values():
            self.check_formula(formula)
        for remedy in self.parts.remedies.values():
            self.check_remedy(remedy)
        for policy in self.parts.policies.values():
            self.check_policy(policy)
        for answer in self.parts.answers.values():
            self.check_answer(answer)
        self.check_ladder()

    def field(self, section: str, name: str, key: str, *steps: str | int) -> Field | None:
        """What is written under a key of a definition, or deeper."""
        return self.draft.sections[section][name].inside(key, *steps)

    def span(self, section: str, name: str, key: str, *steps: str | int) -> Span:
        """Where it stands; the definition's place when it cannot be told."""
        found = self.field(section, name, key, *steps)
        return found.span if found else self.draft.sections[section][name].span

    def check(
        self,
        located: Located | None,
        want: Type,
        what: str,
        columns: Mapping[str, Type] | None = None,
        is_default: bool = False,
    ) -> None:
        """Every name known, every part of one kind, the whole of the wanted type.

        ``what`` is the key that the expression stands under, with its colon, or whose value it is.
        """
        if located is None or located.expression is NOT_READ:
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
                "type",
                said("{message}.", message=mismatch.message),
                mismatch.hint,
                located.where(mismatch.offset),
            )
        if not found and not agree(have, want):
            shown = what if what.endswith(":") else said("'{name}'", name=what)
            self.draft.report(
                "type",
                said(
                    "{what} is {want}, but this gives {have}.",
                    what=said("the default of '{name}'", name=what) if is_default else shown,
                    want=describe(want),
                    have=describe(have),
                ),
                said("Check the unit: and the expression."),
                located.span,
            )

    def unknown(self, name: str, where: Span, known: Iterable[str]) -> None:
        base = name.removesuffix(".low").removesuffix(".high")
        if base != name and base in self.types:
            hint = said("Only numbers that are formulas range; write {base}.", base=base)
        else:
            hint = self.draft.close(name, known)
        self.draft.report(
            "unknown-name", said("there is no '{name}'.", name=name[:80]), hint, where
        )

    def check_input(self, source: Input) -> None:
        want = input_type(source)
        self.check(source.when, BOOLEAN, "when:")
        for case in source.default:
            self.check_case(case, want, source.name, True)

    def check_case(self, case: Case, want: Type, name: str, is_default: bool = False) -> None:
        self.check(case.when, BOOLEAN, "when:")
        for located in (case.value, case.low, case.high):
            if isinstance(located, Located):
                self.check(located, want, name, is_default=is_default)

    def check_parameter(self, table: Parameter) -> None:
        if not table.by or () in table.values:
            return
        axes: list[tuple[str, ...]] = []
        for position, name in enumerate(table.by):
            source = self.parts.inputs.get(name) or self.parts.formulas.get(name)
            if source is None and name not in self.types:
                self.unknown(name, self.by_span(table, position), self.types)
                return
            if source is None or source.type != "enum":
                self.draft.report(
                    "type",
                    said(
                        "'{table}' is a table by '{name}', which is no enum.",
                        table=table.name,
                        name=name,
                    ),
                    said("Use an enum input or formula."),
                    self.by_span(table, position),
                )
                return
            axes.append(source.choices)
        if len(axes) > 2:
            message = said(
                "'{name}' is a table over {count} inputs.", name=table.name, count=len(axes)
            )
            self.draft.report("value", message, said("Two at most."), self.by_span(table, 2))
            return
        if table.values or table.otherwise is not None:
            self.check_rows(table, axes)

    def by_span(self, table: Parameter, position: int) -> Span:
        listed = self.field("parameters", table.name, "by", position)
        return listed.span if listed else self.span("parameters", table.name, "by")

    def check_rows(self, table: Parameter, axes: list[tuple[str, ...]]) -> None:
        """Every row must occur, and every combination have a row."""
        for row in table.values:
            for depth, (word, choices) in enumerate(zip(row, axes, strict=True), start=1):
                if word not in choices:
                    close = self.draft.close(word, choices)
                    written = self.field("parameters", table.name, "values", *row[:depth])
                    self.draft.report(
                        "value",
                        said(
                            "'{name}' has a row '{word}' that never occurs.",
                            name=table.name,
                            word=word,
                        ),
                        close or said("Choices: {names}.", names=tuple(choices)),
                        written.key_span if written else table.origin.span,
                    )
        if table.otherwise is None:
            lacking = (" ".join(row) for row in product(*axes) if row not in table.values)
            missing = list(islice(lacking, MAX_SHOWN))
            if missing:
                more = said(" and more") if len(missing) == MAX_SHOWN else ""
                self.draft.report(
                    "uncovered",
                    said(
                        "'{name}' has no row for {missing}{more}.",
                        name=table.name,
                        missing=tuple(missing),
                        more=more,
                    ),
                    said("Add the rows, or else: with a value."),
                    self.span("parameters", table.name, "values"),
                )

    def check_formula(self, formula: Formula) -> None:
        want = formula_type(formula)
        self.check(formula.when, BOOLEAN, "when:")
        for position, part in enumerate(formula.parts):
            kind = self.types.get(part)
            if kind is not None and agree(kind, want):
                continue
            span = self.span("formulas", formula.name, formula.kind, position)
            if kind is None:
                self.unknown(part, span, self.types)
            else:
                self.draft.report(
                    "type",
                    said(
                        "'{name}' is {want}, its part '{part}' {kind}.",
                        name=formula.name,
                        want=describe(want),
                        part=part,
                        kind=describe(kind),
                    ),
                    said("Parts share the unit of the whole."),
                    span,
                )
        for case in formula.cases:
            self.check_case(case, want, formula.name)
        if formula.kind == "table":
            table = self.parts.inputs.get(formula.over)
            if table is None or table.type != "table":
                tables = [name for name, one in self.parts.inputs.items() if one.type == "table"]
                self.draft.report(
                    "unknown-name",
                    said(
                        "'{name}' goes over '{over}', which is no table.",
                        name=formula.name,
                        over=formula.over,
                    ),
                    self.draft.close(formula.over, tables),
                    self.span("formulas", formula.name, formula.fold, "over"),
                )
                return
            columns = column_types(self.parts.inputs.get(formula.over))
            self.check(formula.where, BOOLEAN, "where:", columns)
            self.check(formula.value, want, formula.name, columns)
            return
        for located in (formula.value, formula.low, formula.high):
            self.check(located, want, formula.name)

    def check_remedy(self, remedy: Remedy) -> None:
        self.check(remedy.when, BOOLEAN, "when:")
        before: dict[str, Type] = {}
        if remedy.tries:  # names read the tried values, was.NAME what stood there before
            before = {f"was.{name}": kind for name, kind in self.types.items()}
        for name, value in remedy.sets.items():
            if isinstance(value, Located):
                self.check(value, input_type(self.parts.inputs[name]), name, before)
        for position, name in enumerate(remedy.improves):
            if base_name(name, self.parts.formulas) not in self.types:
                span = self.span("remedies", remedy.name, "improves", position)
                self.unknown(name, span, self.parts.formulas)

    def check_policy(self, policy: Policy) -> None:
        self.check(policy.when, BOOLEAN, "when:")
        self.check(policy.require, BOOLEAN, "require:")
        self.check_message(policy)
        if policy.fix == "ladder":
            if policy.left is None:
                self.draft.report(
                    "policy",
                    said("'{name}' has fix: ladder but compares nothing.", name=policy.name),
                    said("Write require: a <= b, or name remedies."),
                    self.span("policies", policy.name, "fix"),
                )
            return
        written = self.field("policies", policy.name, "fix")
        places = {item.value: item.span for item in written.items()} if written else {}
        for name in policy.fix:
            if name not in self.parts.remedies:
                self.draft.report(
                    "unknown-name",
                    said("there is no remedy '{name}'.", name=name),
                    self.draft.close(name, self.parts.remedies),
                    places.get(name) or self.span("policies", policy.name, "fix"),
                )

    def check_message(self, policy: Policy) -> None:
        written = self.field("policies", policy.name, "message")
        for language, sentence in policy.message.items():
            found = written.get(language) or written if written else None

            def at(offset: int, found: Field | None = found) -> Span:
                return found.at(offset) if found else policy.origin.span

            for placeholder in PLACEHOLDER.finditer(sentence):
                name = placeholder[1]
                if name not in self.types:
                    self.draft.report(
                        "unknown-name",
                        said(
                            "the message ({language}) shows '{name}', which is no name.",
                            language=language,
                            name=name[:60],
                        ),
                        self.draft.close(name, self.types),
                        at(placeholder.start()),
                    )
            stray = next((i for i, char in enumerate(_blanked(sentence)) if char in "{}"), None)
            if stray is not None:
                self.draft.report(
                    "placeholder",
                    said(
                        "the message ({language}) has a brace without its partner.",
                        language=language,
                    ),
                    said("A placeholder is {{name}}."),
                    at(stray),
                )

    def check_answer(self, answer: Answer) -> None:
        for key in ("value", "limit", "parts"):
            name = getattr(answer, key)
            if name and name not in self.types:
                self.unknown(name, self.span("answers", answer.name, key), self.types)
        for position, name in enumerate(answer.also):
            if name not in self.types:
                self.unknown(name, self.span("answers", answer.name, "also", position), self.types)
        value, limit = self.types.get(answer.value, UNKNOWN), self.types.get(answer.limit, UNKNOWN)
        if not agree(value, limit):
            self.draft.report(
                "type",
                said(
                    "'{limit}' is {limit_kind}, '{value}' {value_kind}.",
                    limit=answer.limit,
                    limit_kind=describe(limit),
                    value=answer.value,
                    value_kind=describe(value),
                ),
                said("A limit has the unit of the value."),
                self.span("answers", answer.name, "limit"),
            )

    def check_ladder(self) -> None:
        seen: set[str] = set()
        for entry in self.draft.ladder:
            if entry.name not in self.parts.remedies:
                self.draft.report(
                    "unknown-name",
                    said("there is no remedy '{name}'.", name=entry.name),
                    self.draft.close(entry.name, self.parts.remedies),
                    entry.span,
                )
            elif entry.name in seen:
                self.draft.report(
                    "defined-twice",
                    said("'{name}' is on the ladder twice.", name=entry.name),
                    said("Keep one."),
                    entry.span,
                )
            seen.add(entry.name)


def _blanked(sentence: str) -> str:
    return PLACEHOLDER.sub(lambda found: " " * len(found[0]), sentence)
