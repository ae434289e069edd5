"""Which trainer a document is of, how sure that is, and what else was tried."""

from collections.abc import Iterable
from itertools import islice
from typing import Literal, NamedTuple

from advisor.errors import Problem, Span, said
from advisor.source import Document, Mapping
from advisor.trainers.keys import first_of
from advisor.trainers.model import Condition, Format, Signature

Confidence = Literal["certain", "likely", "guess", "forced"]

_SHOWN = 5
SURE = 0.4
"""Share of a file's keys that a format must know for its signature alone to be certain."""


class Recognised(NamedTuple):
    """A document and its format; ``because`` are the keys that told, ``share`` the part of the
    file's keys that the format knows, ``others`` the formats whose signature fits as well."""

    document: Document
    format: Format
    confidence: Confidence
    because: tuple[str, ...]
    share: float
    others: tuple[str, ...] = ()


def recognise(document: Document, syntax: str, formats: Iterable[Format]) -> tuple[Recognised, ...]:
    """The main format a document is of, if any, and every companion it holds.

    A command is one of a trainer and one of a launcher at once; of several mains the one counts
    that knows most of the file's keys.
    """
    mains: list[Recognised] = []
    companions: list[Recognised] = []
    for one in formats:
        told = _told(document, syntax, one)
        if told is not None:
            share = _share(document, one)
            found = Recognised(document, one, "certain", told, share)
            (mains if one.role == "main" else companions).append(found)
    if not mains:
        return tuple(companions)
    mains.sort(key=lambda found: -found.share)
    best = mains[0]
    known = best.share >= SURE or syntax != "yaml"  # the name of a program or a function tells
    sure: Confidence = "guess" if len(mains) > 1 else "certain" if known else "likely"
    others = tuple(found.format.name for found in mains[1:])
    return (best._replace(confidence=sure, others=others), *companions)


def forced(document: Document, one: Format) -> Recognised:
    """A document taken as a format because the caller says so."""
    return Recognised(document, one, "forced", (), _share(document, one))


def _told(document: Document, syntax: str, one: Format) -> tuple[str, ...] | None:
    for signature in one.signatures:
        if signature.syntax == syntax and _failing(document, signature) is None:
            keys = (*signature.all, *signature.any)
            found = (first_of(document, condition) for condition in keys)
            return tuple(dict.fromkeys(key.path for keys in found if keys for key in keys))
    return None


def _failing(document: Document, signature: Signature) -> str | None:
    """Why a document does not have a signature, or None when it has."""
    for condition in signature.all:
        if first_of(document, condition) is None:
            return said("no {key}", key=_said(condition))
    if signature.any and all(first_of(document, one) is None for one in signature.any):
        return said("none of {keys}", keys=tuple(map(_said, signature.any[:4])))
    for condition in signature.none:
        if first_of(document, condition) is not None:
            return said("has {key}", key=_said(condition))
    return None


def _said(condition: Condition) -> str:
    test = condition.tests[0]
    if test.kind:
        return f"{test.paths[0]}: {{…}}" if test.kind == "map" else f"{test.paths[0]}"
    return test.paths[0] if not test.words else f"{test.paths[0]}: {test.words[0]}"


def _share(document: Document, one: Format) -> float:
    """The part of a document's first-level keys that a format knows."""
    data = document.data
    if not isinstance(data, Mapping) or not data:
        return 0.0
    known = sum(key in one.known or key.partition(".")[0] in one.known for key in data)
    return known / len(data)


def not_recognised(
    documents: Iterable[Document], syntax: str, formats: Iterable[Format], shown: str
) -> Problem:
    """The problem of a file that is no trainer's: what was tried, and what each lacked."""
    document = next(iter(documents), None)
    if document is None or not isinstance(document.data, Mapping):
        message = said("this is no trainer's file: it holds no keys.")
        return Problem("not-recognised", message, said("Check the file."), Span(shown, 1, 1))
    tried = []
    for one in formats:
        reasons = [
            _failing(document, signature)
            for signature in one.signatures
            if signature.syntax == syntax
        ]
        if reasons:
            tried.append(said("{name} ({reason})", name=one.name, reason=reasons[0]))
    keys = tuple(said("'{name}'", name=key[:40]) for key in islice(document.data, _SHOWN))
    message = said(
        "no scenario, and no trainer's file that is known here (keys: {keys}).", keys=keys
    )
    hint = said("Say which one it is: --as NAME. Tried {tried}.", tried=tuple(tried))
    return Problem("not-recognised", message, hint, document.start)
