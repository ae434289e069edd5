"""A waiver in one sentence: until when, by whom, how far, and why."""

from __future__ import annotations

from advisor.report.phrases import names, phrase, remarked
from advisor.rulebook.model import RuleBook
from advisor.units import date_text, quantity_text
from advisor.waivers import Waiver


def waiver_text(waiver: Waiver, book: RuleBook, language: str) -> str:
    """``waived until 2026-12-20 by NAME (memory.need up to 23.2 GiB): REASON``."""
    limits = [
        phrase(
            language,
            "waived_least" if bound.least else "waived_most",
            name=name,
            value=quantity_text(bound.value, book.unit(name)),
        )
        for name, bound in waiver.allow.items()
    ]
    return phrase(
        language,
        "waived",
        until=date_text(waiver.expires),
        who=remarked(language, waiver.approved_by, names(language, limits)),
        reason=" ".join(waiver.reason.split()),
    )
