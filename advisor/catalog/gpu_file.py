"""One GPU's file as an entry. Which facts there may be, the rules declare; any name is read."""

from __future__ import annotations

from advisor.catalog.checking import FACT_NAME, Checker
from advisor.catalog.entries import Entry, Fact
from advisor.errors import said
from advisor.source import Document, Mapping

_KEYS = ("catalogue", "gpu", "name", "aliases", "verified", "checked", "facts", "prices")
_FACT = ("value", "source", "checked")
_PRICES = ("low", "likely", "high", "providers", "spot", "as_of", "source")
_PRICED = {
    "low": "price_low",
    "likely": "price_likely",
    "high": "price_high",
    "as_of": "price_date",
}


def names_of(document: Document) -> dict[str, tuple[str, ...]]:
    """The entry's id with every name it goes by."""
    check = Checker(document)
    data = check.root()
    identifier = check.text(data, "gpu")
    found = (identifier, check.text(data, "name"), *check.texts(data, "aliases"))
    check.finish()
    return {identifier: found}


def read_gpu(document: Document) -> Entry:
    """The entry of a GPU's file; raises FileProblems with everything wrong in it."""
    check = Checker(document)
    data = check.root()
    check.keys(data, _KEYS, _KEYS[:7], document.start)
    checked = check.date(data, "checked")
    name, verified = check.text(data, "name"), data.get("verified")
    if type(verified) is not bool:
        check.report(said("'verified' must be true or false."), "", document.start)
    facts: dict[str, Fact] = {}
    for key, value in (("name", name), ("verified", verified is True)):
        if key in data:
            facts[key] = Fact(value, document.name, checked, document.span(data, key))
    for key, fact in (check.inner(data, "facts") or {}).items():
        facts[key] = _fact(check, data["facts"], key, fact, checked)
    prices = check.inner(data, "prices")
    if prices is not None:
        check.keys(
            prices,
            _PRICES,
            ("low", "likely", "high", "as_of", "source"),
            document.span(data, "prices"),
        )
        source = check.text(prices, "source")
        for key, fact_name in _PRICED.items():
            if key in prices:
                value = check.scalar(prices, key)
                where = document.span(prices, key)
                facts[fact_name] = Fact(value, source, check.date(prices, "as_of"), where)
    identifier, aliases = check.text(data, "gpu"), check.texts(data, "aliases")
    check.finish()
    return Entry("gpus", identifier, name, document.name, verified is True, facts, aliases)


def _fact(check: Checker, facts: Mapping, key: str, fact: object, checked: str) -> Fact:
    where = check.document.span(facts, key)
    if not FACT_NAME.match(key):
        check.report(
            said("'{key}' is no name of a fact.", key=key[:60]),
            said("Use small letters and _."),
            where,
        )
    if not isinstance(fact, Mapping):
        check.report(said("'{key}' must be {{value: …, source: …}}.", key=key[:60]), "", where)
        return Fact(0, "?", checked, where)
    check.keys(fact, _FACT, ("value", "source"), where)
    value = check.scalar(fact, "value") if "value" in fact else 0
    source = check.text(fact, "source")
    return Fact(value, source, check.date(fact, "checked") or checked, where)
