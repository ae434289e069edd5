"""Advice about a book that loads: what nobody uses, what has no source, what is not translated.

A layer is only held to account for the names it wrote itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from advisor.errors import Problem, Span, said
from advisor.rulebook import graph
from advisor.rulebook.link import (
    PLACEHOLDER,
    base_name,
    formula_expressions,
    remedy_expressions,
)
from advisor.rulebook.model import Formula, Located, RuleBook, Text

LANGUAGES = ("en", "zh")
# Numbers that need no name: nothing, one, a pair, and powers of two up to a page of memory.
_PLAIN = {0.0, *(float(2**power) for power in range(13)), 0.5}


def lint(book: RuleBook) -> list[Problem]:
    """Every piece of advice about the book, as warnings, in reading order of their places."""
    found = [
        *book.problems,
        *_unused(book),
        *_numbers(book),
        *_sources(book),
        *_texts(book),
        *_ladder(book),
        *_titles(book),
    ]
    return sorted(found, key=lambda p: (p.where or Span(""), p.code))


def _warning(code: str, message: str, hint: str, where: Span) -> Problem:
    return Problem(code, message, hint, where, "warning")


def _roots(book: RuleBook) -> Iterator[str]:
    """Names that something outside the formulas reads."""
    for answer in book.answers.values():
        yield from filter(None, (answer.value, answer.limit, answer.parts, *answer.also))
    for policy in book.policies.values():
        for located in (policy.when, policy.require):
            yield from _names(located)
        for sentence in policy.message.values():
            yield from PLACEHOLDER.findall(sentence)
    for remedy in book.remedies.values():
        yield from remedy.improves
        yield from remedy.sets
        for tried in remedy.tries:
            yield from tried
        for located in remedy_expressions(remedy):
            yield from (name.removeprefix("was.") for name in _names(located))
    for example in book.examples:
        yield from example.expect


def _names(located: Located | None) -> Iterable[str]:
    if located is None:
        return ()
    return (*located.expression.names, *located.expression.guarded)


def _unused(book: RuleBook) -> Iterator[Problem]:
    roots = {base_name(name, book.formulas) for name in _roots(book)}
    used = graph.closure(roots, book.reads)
    for source in book.inputs.values():
        fact = any(
            source.name.startswith(f"{one.name}.")
            for one in book.inputs.values()
            if one.type == "catalogue"
        )
        if source.name not in used and not fact and source.type != "date":
            yield _warning(
                "unused",
                said("nothing reads the input '{name}'.", name=source.name),
                said("Use it, or drop it."),
                source.origin.span,
            )
    for table in book.parameters.values():
        if table.name not in used:
            yield _warning(
                "unused",
                said("nothing reads the parameter '{name}'.", name=table.name),
                said("Use it, or drop it."),
                table.origin.span,
            )
    for formula in book.formulas.values():
        if formula.name not in used:
            yield _warning(
                "unused",
                said("nothing reads the formula '{name}'.", name=formula.name),
                said("Use it in a formula, policy, answer or example, or drop it."),
                formula.origin.span,
            )


def _expressions(book: RuleBook) -> Iterator[Located]:
    for formula in book.formulas.values():
        yield from formula_expressions(formula)
    for policy in book.policies.values():
        yield from filter(None, (policy.when, policy.require))


def _numbers(book: RuleBook) -> Iterator[Problem]:
    for located in _expressions(book):
        for number, offset in located.expression.numbers:
            if number not in _PLAIN:
                yield _warning(
                    "number",
                    said("{number:g} has no name, unit or source.", number=number),
                    said("Make it a parameter."),
                    located.where(offset),
                )


def _sources(book: RuleBook) -> Iterator[Problem]:
    for table in book.parameters.values():
        if not table.sources:
            yield _warning(
                "no-source",
                said("'{name}' has no source.", name=table.name),
                said("Add source:."),
                table.origin.span,
            )


def _is_in(language: str, text: Text) -> bool:
    """Whether a sentence that was written once is of a language already: Chinese by its letters."""
    only = text["en"] if tuple(text) == ("en",) else ""
    return language == "zh" and any("\u4e00" <= char <= "\u9fff" for char in only)


def _texts(book: RuleBook) -> Iterator[Problem]:
    def check(text: Text, what: str, where: Span) -> Iterator[Problem]:
        for language in LANGUAGES:
            if text and language not in text and not _is_in(language, text):
                yield _warning(
                    "untranslated",
                    said("{what} is not there in '{language}'.", what=what, language=language),
                    said("Add the sentence; until then English is shown."),
                    where,
                )

    for source in book.inputs.values():
        name = source.name
        where = source.origin.span
        yield from check(source.title, said("the title of '{name}'", name=name), where)
        yield from check(source.ask, said("the question of '{name}'", name=name), where)
        yield from check(source.because, said("the reason of '{name}'", name=name), where)
    for policy in book.policies.values():
        yield from check(
            policy.message, said("the message of '{name}'", name=policy.name), policy.origin.span
        )
    for remedy in book.remedies.values():
        for text, what in (
            (remedy.title, "title"),
            (remedy.why, "why"),
            (remedy.trade_off, "trade_off"),
        ):
            yield from check(
                text, said("the {key} of '{name}'", key=what, name=remedy.name), remedy.origin.span
            )


def _ladder(book: RuleBook) -> Iterator[Problem]:
    named = {name for policy in book.policies.values() for name in policy.fix}
    for remedy in book.remedies.values():
        if remedy.name not in book.ladder and remedy.name not in named:
            yield _warning(
                "unused",
                said("'{name}' is on no ladder and mends no policy.", name=remedy.name),
                said("Put it on the ladder, or name it under fix:."),
                remedy.origin.span,
            )


def _titles(book: RuleBook) -> Iterator[Problem]:
    def untitled(formula: Formula) -> bool:
        return not formula.title and formula.type == "number"

    for formula in book.formulas.values():
        if untitled(formula):
            yield _warning(
                "no-title",
                said("'{name}' has no title.", name=formula.name),
                said("Say in a few words what it is."),
                formula.origin.span,
            )
