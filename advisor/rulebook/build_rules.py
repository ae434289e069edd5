"""Formulas, remedies, policies, answers and examples: what is computed, and what is asked of it."""

import ast
import re
from collections.abc import Iterator
from itertools import product
from math import prod
from typing import Any, Literal

from advisor.errors import said
from advisor.rulebook.build import Builder, text
from advisor.rulebook.definitions import Definition, Field
from advisor.rulebook.expr import comparison, part
from advisor.rulebook.link import PLACEHOLDER
from advisor.rulebook.model import (
    Answer,
    Example,
    Formula,
    Input,
    Located,
    Policy,
    Remedy,
    Text,
    Value,
)
from advisor.rulebook.terms import terms_of
from advisor.source import Sequence

MAX_TRIES = 256


class RuleBuilder(Builder):
    """Builds what rests on inputs and parameters."""

    def formula(self, source: Definition) -> Formula:
        fields = source.fields
        kinds = [key for key in ("value", "cases", "sum", "max", "min") if key in fields]
        if len(kinds) != 1:
            self.draft.report(
                "one-of",
                said(
                    "'{name}' needs one of value, cases, sum, max, min and has {kinds}.",
                    name=source.name,
                    kinds=" and ".join(kinds),
                )
                if kinds
                else said("'{name}' needs one of value, cases, sum, max, min.", name=source.name),
                said("Keep exactly one."),
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
        self.check_kind(source, declared, kind)
        if kind == "value":
            built["value"] = self.required(fields.get("value"))
        elif kind == "cases":
            built.update(self.formula_cases(fields["cases"], declared))
        else:
            built.update(self.parts(fields[kind], kind))
        return Formula(**built)

    def check_kind(self, source: Definition, declared: str, kind: str) -> None:
        """Only numbers are added up, compared by size and given a range."""
        ranged = next((source.fields[end] for end in ("low", "high") if end in source.fields), None)
        if ranged is not None and (kind != "value" or declared != "number"):
            self.draft.report(
                "range",
                said(
                    "low: and high: of '{name}' go with the value: of a number.",
                    name=source.name,
                ),
                said("Sums and maxima range as their parts do; cases hold their own."),
                ranged.key_span,
            )
        if declared == "enum" and kind != "cases":
            self.draft.report(
                "one-of",
                said("'{name}' is an enum and needs cases:.", name=source.name),
                "",
                source.span,
            )
        elif declared == "boolean" and kind not in ("value", "cases"):
            self.draft.report(
                "one-of",
                said("'{name}' is true or false and has {kind}:.", name=source.name, kind=kind),
                said("Write value: or cases:."),
                source.fields[kind].key_span,
            )

    def formula_cases(self, found: Field, declared: str) -> dict[str, Any]:
        if declared != "number":
            for case in found.items():
                ranged = case.get("low") or case.get("high")
                if ranged is not None:
                    self.draft.report(
                        "range",
                        said("only numbers range."),
                        said("Drop low: and high:."),
                        ranged.key_span,
                    )
        if declared != "enum":
            return {"cases": self.cases(found, self.expression)}
        cases = self.cases(found, self.word)
        return {"cases": cases, "choices": tuple(dict.fromkeys(str(case.value) for case in cases))}

    def word(self, found: Field) -> str:
        """A choice of an enum formula."""
        if isinstance(found.value, bool | Sequence):
            self.draft.report("value", said("a choice is a word."), said("Quote it."), found.span)
        return str(found.value)

    def parts(self, found: Field, kind: str) -> dict[str, Any]:
        if isinstance(found.value, Sequence):
            parts = self.names(found)
            seen: set[str] = set()
            for name, item in zip(parts, found.items(), strict=True):
                if name in seen:
                    self.draft.report(
                        "defined-twice",
                        said("'{name}' is listed twice.", name=name),
                        said("Keep one: it would count twice."),
                        item.span,
                    )
                seen.add(name)
            return {"parts": parts}
        over, value = found.get("over"), found.get("value")
        assert over is not None  # the schema requires both
        return {
            "kind": "table",
            "fold": kind,
            "over": self.name(str(over.value), over.span),
            "where": self.expression(found.get("where")),
            "value": self.required(value),
        }

    def remedy(self, source: Definition, inputs: dict[str, Input]) -> Remedy:
        fields = source.fields
        sets: dict[str, Located | Value] = {}
        for item in fields["set"].items():
            target = self.target(item, inputs)
            value = self.typed(target, item) if target else None
            if target is not None and value is not None:
                sets[target.name] = value
        quality = fields["quality"].value
        return Remedy(
            source.name,
            text(fields.get("title")),
            self.origin(source),
            self.expression(fields.get("when")),
            "repeat" in fields and fields["repeat"].value is True,
            sets,
            tuple(self.tries(fields.get("try"), inputs)),
            self.names(fields.get("improves")),
            int(quality),
            text(fields.get("why")),
            text(fields.get("trade_off")),
            self.sources(source),
        )

    def target(self, item: Field, inputs: dict[str, Input]) -> Input | None:
        target = inputs.get(self.name(str(item.key), item.key_span))
        if target is None:
            self.draft.report(
                "unknown-name",
                said("there is no input '{name}'.", name=item.key),
                self.draft.close(str(item.key), inputs),
                item.key_span,
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
        if prod(map(len, axes)) > MAX_TRIES:
            self.draft.report(
                "too-many",
                said("over {most} combinations to try.", most=MAX_TRIES),
                said("Leave out what is never best."),
                found.key_span,
            )
            return
        for combination in product(*axes):
            yield dict(combination)

    def policy(self, source: Definition) -> Policy:
        fields = source.fields
        require = self.required(fields.get("require"))
        left, right = self.sides(require)
        fix: tuple[str, ...] | Literal["ladder"] = ()
        if "fix" in fields:
            gone = self.draft.disabled - self.draft.sections["remedies"].keys()
            fix = tuple(name for name in self.names(fields["fix"]) if name not in gone)
            if fields["fix"].value == "ladder":
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
            self.message(fields.get("message")),
            fix,
            "final" in fields and fields["final"].value is True,
            text(fields.get("why")),
            self.sources(source),
            terms_of(source),
        )

    def message(self, found: Field | None) -> Text:
        """A message whose placeholders go by the names of now."""
        written = text(found)
        if not self.draft.renamed or found is None:
            return written

        def now(placeholder: re.Match[str]) -> str:
            return "{" + self.name(placeholder[1], found.span) + "}"

        return {language: PLACEHOLDER.sub(now, sentence) for language, sentence in written.items()}

    @staticmethod
    def sides(require: Located) -> tuple[Located | None, Located | None]:
        """What must be small and what bounds it, when the requirement is one comparison."""
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
            found = fields.get(key)
            return self.name(str(found.value), found.span) if found else ""

        return Answer(
            source.name,
            text(fields.get("title")),
            name("value"),
            name("limit"),
            name("parts"),
            self.origin(source),
            self.names(fields.get("also")),
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
