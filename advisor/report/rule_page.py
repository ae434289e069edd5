"""One rule on a page: what it says, where it stands, who wrote it, its source, who uses it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from advisor.report.phrases import pad, phrase, wrap
from advisor.rulebook.definitions import Definition
from advisor.rulebook.link import PLACEHOLDER, base_name, remedy_expressions
from advisor.rulebook.model import Located, RuleBook, say

_COLUMN = 12
_COLUMNS = 92


def rule_page(book: RuleBook, full: str, language: str) -> str:
    """The page of ``section.name``, ending without a newline."""
    definition = book.definitions[full]
    lines = [f"{definition.name}   ({definition.section})"]
    for key, field in definition.fields.items():
        if key in ("source", "checked"):
            continue
        lines.extend(_row(key, _value(field.value, language)))
    lines.extend(_sources(definition, language))
    lines.extend(_row(phrase(language, "rule_defined"), str(definition.span)))
    lines.extend(_row(phrase(language, "rule_layer"), definition.layer))
    lines.extend(_row(phrase(language, "rule_hash"), definition.digest()))
    for change in book.changes:
        if change.target == full or change.target.startswith(full + "."):
            text = phrase(
                language,
                "rule_change",
                action=change.action,
                layer=change.layer,
                was=change.was,
                now=change.now,
                where=change.where,
            )
            lines.extend(_row(phrase(language, "rule_changed"), text))
    nothing = phrase(language, "rule_nothing")
    reads = sorted(book.reads.get(definition.name, ()))
    if definition.name in book.reads:
        lines.extend(_row(phrase(language, "rule_reads"), ", ".join(reads) or nothing))
    users = sorted(set(_users(book, definition)))
    lines.extend(_row(phrase(language, "rule_used_by"), ", ".join(users) or nothing))
    return "\n".join(lines)


def ladder_page(book: RuleBook, language: str) -> str:
    """The order in which remedies are tried, and which layer listed it."""
    lines = ["ladder"]
    for number, name in enumerate(book.ladder, start=1):
        lines.extend(_row(str(number), f"{name}: {say(book.remedies[name].title, language)}"))
    lines.extend(_row(phrase(language, "rule_layer"), book.ladder_layer))
    for change in book.changes:
        if change.target == "ladder":
            lines.extend(_row(phrase(language, "rule_changed"), f"{change.layer} ({change.where})"))
    return "\n".join(lines)


def _row(label: str, text: str) -> list[str]:
    wrapped = wrap(text, _COLUMNS, " " * (_COLUMN + 2)) or [""]
    return ["  " + pad(label, _COLUMN) + wrapped[0][_COLUMN + 2 :], *wrapped[1:]]


def _value(value: Any, language: str) -> str:
    if isinstance(value, dict) and "en" in value:  # a sentence
        return say(value, language)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {_value(v, language)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_value(item, language) for item in value) + "]"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _sources(definition: Definition, language: str) -> Iterator[str]:
    source = definition.fields.get("source")
    for item in source.items() if source else ():
        parts = (item.value.get(key, "") for key in ("name", "url", "note"))
        yield from _row(phrase(language, "rule_source"), " ".join(filter(None, parts)))
    checked = definition.fields.get("checked")
    if checked:
        yield from _row(phrase(language, "rule_checked"), str(checked.value))


def _users(book: RuleBook, definition: Definition) -> Iterator[str]:
    name = definition.name
    if definition.section == "remedies":
        if name in book.ladder:
            yield "ladder"
        yield from (f"policies.{p.name}" for p in book.policies.values() if name in p.fix)
        return
    if name not in book.reads:
        return
    for reader, reads in book.reads.items():
        if name in reads:
            yield reader
    for policy in book.policies.values():
        read = _all_names(book, policy.when, policy.require)
        read |= {
            base_name(one, book.formulas)
            for s in policy.message.values()
            for one in PLACEHOLDER.findall(s)
        }
        if name in read:
            yield f"policies.{policy.name}"
    for remedy in book.remedies.values():
        read = (
            _all_names(book, *remedy_expressions(remedy)) | set(remedy.sets) | set(remedy.improves)
        )
        read |= {one for tried in remedy.tries for one in tried}
        if name in read:
            yield f"remedies.{remedy.name}"
    for answer in book.answers.values():
        if name in (answer.value, answer.limit, answer.parts, *answer.also):
            yield f"answers.{answer.name}"


def _all_names(book: RuleBook, *expressions: Located | None) -> set[str]:
    names: set[str] = set()
    for located in expressions:
        if located is not None:
            for one in (*located.expression.names, *located.expression.guarded):
                names.add(base_name(one.removeprefix("was."), book.formulas))
    return names
