"""Predictions beside measured runs as tables for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.accuracy import Accuracy, Figures, VerdictFigures
from advisor.report.phrases import pad, right, width

MOST_LISTED = 20
_HEAD = ("rows", "median", "90 %", "worst", "bias", "under", "in band", "band")
_VERDICT_HEAD = ("rows", "oom", "said so", "ran", "refused", "tight")


def accuracy_text(accuracy: Accuracy) -> str:
    """Figures by group, then what was left out and why."""
    return "\n".join(_lines(accuracy)) + "\n"


def _lines(accuracy: Accuracy) -> Iterator[str]:
    yield f"{accuracy.file}   {len(accuracy.rows)} predictions as {accuracy.shape}"
    numbers = [one for one in accuracy.groups if isinstance(one, Figures)]
    verdicts = [one for one in accuracy.groups if isinstance(one, VerdictFigures)]
    if numbers:
        yield ""
        yield from _table(_HEAD, [(one.group, _cells(one)) for one in numbers])
        yield "  error: predicted over measured; under: rows predicted over 5 % too low"
        yield "  in band: rows measured inside low to high; band: its median half width"
    if verdicts:
        yield ""
        yield from _table(_VERDICT_HEAD, [(one.group, _verdict_cells(one)) for one in verdicts])
    if accuracy.skipped:
        yield ""
        yield f"  not used: {len(accuracy.skipped)}"
        for one in accuracy.skipped[:MOST_LISTED]:
            yield f"    {one.id}: {one.reason}"
        more = len(accuracy.skipped) - MOST_LISTED
        if more > 0:
            yield f"    and {more} more; --format json lists them all"


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
