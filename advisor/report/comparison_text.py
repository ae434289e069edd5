"""A comparison of two rulebooks as text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from advisor.comparison import Comparison


def comparison_text(comparison: Comparison) -> str:
    """Differences by subject and a summary line, without a newline at the end."""
    return "\n".join(_lines(comparison))


def _lines(comparison: Comparison) -> Iterator[str]:
    for subject, differences in groupby(comparison.differences, key=lambda one: one.subject):
        yield subject
        for one in differences:
            yield f"  {one.name}: {one.before} → {one.after}"
    subjects = len({one.subject for one in comparison.differences})
    yield (
        f"{subjects} differ, of {comparison.scenarios} scenarios and {comparison.examples} examples"
    )
