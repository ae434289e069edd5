"""A comparison of two rulebooks as text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from advisor.comparison import Comparison, Difference
from advisor.report.phrases import phrase
from advisor.report.style import Style


def comparison_text(comparison: Comparison, language: str) -> str:
    """Differences by subject and a summary line, without a newline at the end."""
    return "\n".join(_lines(comparison, Style(language)))


def _lines(comparison: Comparison, style: Style) -> Iterator[str]:
    for subject, differences in groupby(comparison.differences, key=lambda one: one.subject):
        yield subject
        for one in differences:
            before, after = (_side(one, side, style) for side in (one.before, one.after))
            name = _name(one, style)
            yield "  " + style.word("diff_change", name=name, before=before, after=after)
    yield style.word(
        "diff_summary",
        subjects=len({one.subject for one in comparison.differences}),
        scenarios=comparison.scenarios,
        examples=comparison.examples,
    )


def _name(one: Difference, style: Style) -> str:
    if one.kind in ("answer", "check"):
        return one.name
    return style.word(f"diff_{one.kind}", name=one.name)


def _side(one: Difference, side: tuple[str, ...], style: Style) -> str:
    """One side of a difference in words."""
    if one.kind == "policy":
        if not side:
            return style.word("diff_absent")
        state, level = side
        return style.remarked(style.word(f"state_{state}".replace(" ", "_")), level)
    if not side:
        return style.word("undecided" if one.kind == "answer" else "diff_none")
    if one.kind == "problems":
        return style.word("diff_count", count=side[0])
    if one.kind == "verdict":
        return phrase(style.language, side[0])
    return style.names(side)
