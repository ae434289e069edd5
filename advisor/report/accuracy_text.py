"""Predictions beside measured runs as tables for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.accuracy import Accuracy, Figures, VerdictFigures
from advisor.report.phrases import labelled, pad, phrase, right, width
from advisor.rulebook.model import say

MOST_LISTED = 20
_HEAD = ("rows", "median", "p90", "worst", "bias", "under", "covered", "width")
_VERDICT_HEAD = ("rows", "oom", "oom_refused", "ran", "ran_refused", "tight")


def accuracy_text(accuracy: Accuracy, language: str) -> str:
    """Figures by group, then what was left out and why."""
    return "\n".join(_lines(accuracy, language)) + "\n"


def _lines(accuracy: Accuracy, language: str) -> Iterator[str]:
    def word(key: str, **values: object) -> str:
        return phrase(language, f"accuracy_{key}", **values)

    def title(group: str) -> str:
        return say(accuracy.titles.get(group, {}), language) or group

    count = len(accuracy.rows)
    yield word("file", file=accuracy.file, count=count, shape=accuracy.shape)
    numbers = [one for one in accuracy.groups if isinstance(one, Figures)]
    verdicts = [one for one in accuracy.groups if isinstance(one, VerdictFigures)]
    if numbers:
        yield ""
        yield from _table(
            list(map(word, _HEAD)), [(title(one.group), _cells(one)) for one in numbers]
        )
        yield f"  {word('error')}"
        yield f"  {word('band')}"
    if verdicts:
        yield ""
        yield from _table(
            list(map(word, _VERDICT_HEAD)),
            [(title(one.group), _verdict_cells(one)) for one in verdicts],
        )
    if accuracy.skipped:
        yield ""
        yield f"  {word('skipped', count=len(accuracy.skipped))}"
        for one in accuracy.skipped[:MOST_LISTED]:
            yield f"    {labelled(language, one.id, one.reason)}"
        more = len(accuracy.skipped) - MOST_LISTED
        if more > 0:
            yield f"    {word('more', count=more)}"


def _cells(one: Figures) -> tuple[str, ...]:
    return (
        str(one.rows),
        percent(one.median),
        percent(one.p90),
        percent(one.worst),
        f"{one.bias * 100:+.1f} %",
        str(one.under),
        percent(one.covered, 0),
        f"±{percent(one.width, 0)}",
    )


def _verdict_cells(one: VerdictFigures) -> tuple[str, ...]:
    numbers = (one.rows, one.oom, one.oom_refused, one.ran, one.ran_refused, one.tight)
    return tuple(map(str, numbers))


def percent(value: float, digits: int = 1) -> str:
    """A share as people read it; what is not zero does not look like it."""
    shown = f"{value * 100:.{digits}f} %"
    return f"{value * 100:.1g} %" if value and not float(shown[:-2]) else shown


def _table(head: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]]) -> Iterator[str]:
    first = max(width(name) for name, _ in rows)
    columns = [
        max(width(title), *(width(cells[at]) for _, cells in rows)) for at, title in enumerate(head)
    ]
    for name, cells in [("", head), *rows]:
        line = "  ".join(right(cell, size) for cell, size in zip(cells, columns, strict=True))
        yield f"  {pad(name, first)}  {line}".rstrip()
