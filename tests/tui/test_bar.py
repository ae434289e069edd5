"""The stacked bar: which part fills which cell, and where the limit is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from advisor.report.phrases import width
from advisor.tui.bar import EMPTY, LIMIT, cells
from advisor.tui.panel import cut


@pytest.mark.parametrize(
    ("parts", "limit", "columns", "drawn"),
    [
        ([5, 5], 20, 20, "█████▓▓▓▓▓·········┃"),
        ([10, 10], 10, 20, "██████████┃▓▓▓▓▓▓▓▓▓"),
        ([1, 1, 1, 1], None, 8, "██▓▓▒▒░░"),
        ([1] * 8, None, 8, "█▓▒░▚▞▞▞"),
        ([0, 4], 4, 4, "▓▓▓┃"),
        ([], 4, 4, "···┃"),
        ([0], None, 4, ""),
        ([3], 4, 0, ""),
    ],
)
def test_a_bar(parts, limit, columns, drawn):
    assert "".join(cell.glyph for cell in cells(parts, limit, columns)) == drawn


@given(
    some.lists(some.floats(0, 1e12), min_size=1, max_size=9),
    some.none() | some.floats(1, 1e12),
    some.integers(1, 120),
)
def test_a_bar_fills_its_columns_and_marks_what_is_over(parts, limit, columns):
    drawn = cells(parts, limit, columns)
    assert len(drawn) in (0, columns)
    if limit is None:
        assert not any(cell.is_over or cell.glyph == LIMIT for cell in drawn)
    elif drawn:
        at = [cell.glyph for cell in drawn].index(LIMIT)
        assert not any(cell.is_over for cell in drawn[:at])
        if sum(parts) <= limit:
            assert not any(cell.is_over for cell in drawn)
            assert at == columns - 1
        elif sum(parts) > 2 * limit and columns > 4:
            assert all(cell.is_over for cell in drawn[at + 1 :] if cell.glyph != EMPTY)


@given(some.text(max_size=40), some.integers(1, 30))
def test_cutting_respects_wide_characters(text, columns):
    found = cut(text, columns)
    assert width(found) <= max(columns, 1)
    assert found == text or found.endswith("…")
