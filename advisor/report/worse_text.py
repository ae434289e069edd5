"""What got worse since an earlier report, in words."""

from __future__ import annotations

from advisor.baseline import Worse
from advisor.report.phrases import phrase
from advisor.rulebook.model import RuleBook, say
from advisor.units import quantity_text


def told(one: Worse, book: RuleBook, language: str) -> str:
    """``fits → does not fit``, ``memory: 20.1 GiB → 23.4 GiB (+16 %)``."""
    if isinstance(one.was, str) or isinstance(one.now, str):
        words = [f"state_{word}".replace(" ", "_") for word in (one.was, one.now)]
        was, now = (phrase(language, word) for word in words)
        return phrase(language, f"worse_{one.kind}", name=one.name, was=was, now=now)
    answer = book.answers[one.name]
    unit = book.unit(answer.value)
    was, now = (quantity_text(number, unit) for number in (one.was, one.now))
    change = f"+{(one.now / one.was - 1) * 100:.0f} %" if one.was > 0 else "+"
    title = say(answer.title, language) or one.name
    return phrase(language, "worse_answer", name=title, was=was, now=now, change=change)
