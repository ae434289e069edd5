"""JSON Schemas of the file formats: for editors, and for checking files.

Two readers of one declaration: ``accepts`` compiles the few keywords our schemas use into closures
and answers yes or no quickly; only when it says no does ``problems`` import python-jsonschema,
which costs more than everything else a passing check does, and words what is wrong with its
place. A test holds the two equal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from advisor.errors import Problem, Span
from advisor.source import Document

Check = Callable[[Any], bool]


@cache
def load(name: str) -> dict[str, Any]:
    """The schema ``advisor/schemas/NAME.schema.json``."""
    path = Path(__file__).with_name(f"{name}.schema.json")
    schema: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return schema


def accepts(name: str, data: Any, part: str = "") -> bool:
    """Whether data has the shape of the schema, or of its part (``$defs/formula``)."""
    return _compiled(name, part)(data)


@cache
def _compiled(name: str, part: str) -> Check:
    schema = load(name)
    return _Compiler(schema).check(_part(schema, part))


def _part(schema: dict[str, Any], part: str) -> Any:
    node: Any = schema
    for key in filter(None, part.split("/")):
        node = node[key]
    return node


_TYPES: dict[str, Check] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: value is True or value is False,
    "null": lambda value: value is None,
    "integer": lambda value: type(value) is int or (type(value) is float and value.is_integer()),
    "number": lambda value: type(value) is int or type(value) is float,
}
_DESCRIPTIVE = {"$schema", "$id", "$defs", "title", "description", "examples", "default"}


def _equal(value: Any, expected: Any) -> bool:
    """Equality of JSON: 1 is 1.0, and no truth is a number."""
    return bool(value == expected) and isinstance(value, bool) == isinstance(expected, bool)


class _Compiler:
    def __init__(self, root: dict[str, Any]) -> None:
        self.root = root
        self.known: dict[str, Check] = {}

    def check(self, schema: Any) -> Check:
        if schema is True:
            return lambda value: True
        checks: list[Check] = []
        for keyword, argument in schema.items():
            if keyword in _DESCRIPTIVE or (
                keyword == "additionalProperties" and "properties" in schema  # done there
            ):
                continue
            built = getattr(self, "on_" + keyword.lstrip("$"), None)
            if built is None:
                raise NotImplementedError(f"schema keyword {keyword}")
            checks.append(built(argument, schema))
        if len(checks) == 1:
            return checks[0]

        def every(value: Any) -> bool:
            for check in checks:  # noqa: SIM110 (all() over a generator takes twice as long)
                if not check(value):
                    return False
            return True

        return every

    def on_ref(self, target: str, schema: Any) -> Check:
        if target not in self.known:
            self.known[target] = lambda value: self.known[target](value)  # recursive schemas
            self.known[target] = self.check(_part(self.root, target.removeprefix("#/")))
        return lambda value: self.known[target](value)

    def on_type(self, names: str | list[str], schema: Any) -> Check:
        kinds = [_TYPES[name] for name in ([names] if isinstance(names, str) else names)]
        if len(kinds) == 1:
            return kinds[0]
        return lambda value: any(kind(value) for kind in kinds)

    def on_enum(self, values: list[Any], schema: Any) -> Check:
        return lambda value: any(_equal(value, one) for one in values)

    def on_const(self, expected: Any, schema: Any) -> Check:
        return lambda value: _equal(value, expected)

    def on_properties(self, properties: dict[str, Any], schema: Any) -> Check:
        checks = {key: self.check(part) for key, part in properties.items()}
        rest = schema.get("additionalProperties", True)
        other = None if rest is False else self.check(rest)

        def check(value: Any) -> bool:
            if not isinstance(value, dict):
                return True
            for key, item in value.items():
                one = checks.get(key, other)
                if one is None or not one(item):
                    return False
            return True

        return check

    def on_additionalProperties(self, rest: Any, schema: Any) -> Check:
        other = self.check(rest)
        return lambda value: not isinstance(value, dict) or all(map(other, value.values()))

    def on_required(self, keys: list[str], schema: Any) -> Check:
        return lambda value: not isinstance(value, dict) or all(key in value for key in keys)

    def on_items(self, item: Any, schema: Any) -> Check:
        check = self.check(item)
        return lambda value: not isinstance(value, list) or all(map(check, value))

    def on_minItems(self, least: int, schema: Any) -> Check:
        return lambda value: not isinstance(value, list) or len(value) >= least

    def on_minProperties(self, least: int, schema: Any) -> Check:
        return lambda value: not isinstance(value, dict) or len(value) >= least

    def on_maxProperties(self, most: int, schema: Any) -> Check:
        return lambda value: not isinstance(value, dict) or len(value) <= most

    def on_minimum(self, least: float, schema: Any) -> Check:
        number = _TYPES["number"]
        return lambda value: not number(value) or value >= least

    def on_maxLength(self, most: int, schema: Any) -> Check:
        return lambda value: not isinstance(value, str) or len(value) <= most

    def on_minLength(self, least: int, schema: Any) -> Check:
        return lambda value: not isinstance(value, str) or len(value) >= least

    def on_pattern(self, pattern: str, schema: Any) -> Check:
        search = re.compile(pattern).search
        return lambda value: not isinstance(value, str) or search(value) is not None

    def on_propertyNames(self, names: Any, schema: Any) -> Check:
        check = self.check(names)
        return lambda value: not isinstance(value, dict) or all(map(check, value))


def problems(
    name: str, document: Document, part: str = "", data: Any = None, start: Span | None = None
) -> list[Problem]:
    """What is wrong with the shape of a document, each with its place; empty when nothing is.

    With ``part``, ``data`` (a value inside the document, standing at ``start``) is held against
    that part of the schema.
    """
    import jsonschema  # 70 ms; only failing paths come here

    from advisor.schemas.wording import worded

    schema = load(name)
    if part:
        schema = {"$ref": f"#/{part}", "$defs": schema.get("$defs", {})}
    validator = jsonschema.Draft202012Validator(schema)
    root = document.data if data is None else data
    found: dict[Problem, None] = {}  # each missing key is an error of its own, naming them all
    for error in validator.iter_errors(root):
        found.update(dict.fromkeys(worded(error, document, root, start or document.start)))
    return list(found)
