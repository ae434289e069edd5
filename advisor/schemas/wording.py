"""What is wrong with the shape of a file, in words."""

from __future__ import annotations

from typing import Any

from advisor.errors import Problem, Span, said, suggestion, whole
from advisor.source import Document, Mapping, Sequence

MAX_SUGGESTED = 20  # close names are looked for; a file of wrong keys must not take minutes


def _kind_name(kind: str) -> str:
    return {
        "object": said("a map"),
        "array": said("a list"),
        "string": said("text"),
        "boolean": said("true or false"),
        "integer": said("a whole number"),
        "number": said("a number"),
        "null": said("nothing"),
    }[kind]


def worded(error: Any, document: Document, root: Any, start: Span) -> list[Problem]:
    """The problems that one of jsonschema's errors stands for, each with its place."""
    path = list(error.absolute_path)
    where, label = _place(document, path, root, start)
    keyword, argument, value = error.validator, error.validator_value, error.instance
    if keyword == "additionalProperties":
        known = list(error.schema.get("properties", {}))
        listed = said("Known here: {names}.", names=tuple(sorted(known)[:20]))
        unknown = [key for key in value if key not in known]
        return [
            Problem(
                "unknown-key",
                said("unknown key '{key}'{label}.", key=key[:80], label=label),
                (suggestion(key, known) if number < MAX_SUGGESTED else "") or listed,
                document.key_span(value, key),
            )
            for number, key in enumerate(unknown)
        ]
    if keyword == "required":
        missing = [key for key in argument if key not in value]
        names = tuple(said("'{name}'", name=key) for key in missing)
        one = len(missing) == 1
        return [
            Problem(
                "missing-key",
                said("{names} is missing{label}.", names=names, label=label)
                if one
                else said("{names} are missing{label}.", names=names, label=label),
                said("Add it.") if one else said("Add them."),
                where,
            )
        ]
    if keyword == "type":
        wanted = [argument] if isinstance(argument, str) else argument
        wanted_kinds = _any_of([_kind_name(kind) for kind in wanted])
        return [
            Problem(
                "wrong-type",
                said(
                    "{kind} where {wanted} belongs{label}.",
                    kind=kind_of(value),
                    wanted=wanted_kinds,
                    label=label,
                ),
                "",
                where,
            )
        ]
    if keyword in ("enum", "const"):
        choices = [str(choice) for choice in (argument if keyword == "enum" else [argument])]
        hint = suggestion(str(value), choices) or said("One of: {names}.", names=tuple(choices))
        if str(value) in choices:
            hint = (
                said("Write it without quotes.")
                if isinstance(value, str)
                else said("Write {name}.", name=choices[0])
            )
        return [
            Problem(
                "wrong-value",
                said("'{value}' is not possible{label}.", value=str(value)[:60], label=label),
                hint,
                where,
            )
        ]
    if keyword == "pattern":
        hint = whole(error.schema.get("description", ""))
        if "propertyNames" in error.absolute_schema_path:
            key_at = document.key_span(_node(root, path), value)
            return [
                Problem(
                    "bad-name",
                    said("'{value}' is no name{label}.", value=value[:80], label=label),
                    hint,
                    key_at,
                )
            ]
        message = (
            said("'{value}' is not well formed{label}.", value=value[:60], label=label)
            if value.strip()
            else said("the text is empty{label}.", label=label)
        )
        return [Problem("wrong-value", message, hint, where)]
    if keyword in ("minItems", "minProperties", "minLength"):
        message = (
            said("nothing is listed{label}.", label=label)
            if argument == 1
            else said("fewer than {least} are listed{label}.", least=argument, label=label)
        )
        return [Problem("wrong-value", message, said("Add what is missing."), where)]
    if keyword == "minimum":
        return [
            Problem(
                "wrong-value",
                said(
                    "{value} is under {least}{label}.",
                    value=value,
                    least=argument,
                    label=label,
                ),
                "",
                where,
            )
        ]
    if keyword == "maxLength":
        message = said("a text of {count} characters{label}.", count=len(value), label=label)
        return [
            Problem("wrong-value", message, said("Keep it under {most}.", most=argument), where)
        ]
    if keyword == "maxProperties":
        return [
            Problem(
                "wrong-value",
                said("over {most} keys{label}.", most=argument, label=label),
                said("Keep one."),
                where,
            )
        ]
    message = said("{message}{label}.", message=whole(error.message[:200]), label=label)
    return [Problem("wrong-value", message, "", where)]


def kind_of(value: Any) -> str:
    """A value as a message names it: ``text 'abc'``, ``a list``, ``nothing``."""
    if value is None:
        return said("nothing")
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return said("a map")
    if isinstance(value, list):
        return said("a list")
    if isinstance(value, str):
        return said("the text '{text}'", text=value[:60])
    return said("the number {value}", value=value)


def _any_of(kinds: list[str]) -> str:
    named = kinds[0]
    for kind in kinds[1:]:
        named = said("{one} or {other}", one=named, other=kind)
    return named


def _node(root: Any, path: list[Any]) -> Any:
    for part in path:
        root = root[part]
    return root


def _place(document: Document, path: list[Any], root: Any, start: Span) -> tuple[Span, str]:
    node: Any = root
    where = start
    for part in path:
        if isinstance(node, Mapping | Sequence):
            where = document.span(node, part)
            node = node[part]
    label = said(" in '{path}'", path=".".join(str(part) for part in path)) if path else ""
    return where, label
