"""The charts: answers against one input, with the limit; arrows go from one chart to the next."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen

from advisor.conversation import Lines
from advisor.conversation.charts import Chart, Point
from advisor.report.phrases import bar, pad, right, width, wrap
from advisor.report.style import SIGNS
from advisor.tui.bar import EMPTY, LIMIT
from advisor.tui.panel import cut, link
from advisor.tui.widgets.links import Links
from advisor.tui.wording import Wording, safe

_COLOURS = {"fits": "$text-success", "tight": "$text-warning", "does not fit": "$text-error"}
NEXT = "next"
_BEYOND = 2.5  # times the limit: longer bars are cut, or short ones could not be told apart
_LEAST_BAR = 4
_SIGN = 3
_STANDING = 16
_TALL = 20
"""Rows of a screen that has room for blank ones."""


class ChartScreen(ModalScreen[None]):
    """Bars of one chart at a time."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter,f7", "dismiss", show=False),
        Binding("right,down,tab,space", "turn(1)", show=False),
        Binding("left,up,shift+tab", "turn(-1)", show=False),
    ]

    def __init__(self, wording: Wording, charts: tuple[Chart, ...], at: int = 0) -> None:
        super().__init__()
        self.wording = wording
        self.charts = charts
        self.at = at

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="chart", can_focus=False):
            yield Links(id="chart-text")

    def on_mount(self) -> None:
        self.draw()

    def on_resize(self, event: events.Resize) -> None:
        self.draw()

    def action_turn(self, by: int) -> None:
        self.at = (self.at + by) % len(self.charts)
        self.draw()

    def on_links_clicked(self, event: Links.Clicked) -> None:
        event.stop()
        if event.line == NEXT:
            self.action_turn(1)
        else:
            self.dismiss()

    def draw(self) -> None:
        columns = max(30, min(self.size.width, 100) - 8)
        self.query_one(Links).update(self.content(columns))

    def content(self, columns: int) -> Content:
        """Title, one row a value, notes, and the keys."""
        lines = self.wording.lines(columns)
        chart = self.charts[self.at]
        title = [safe(line) for line in wrap(lines.chart_title(chart), columns, "")]
        rows = [Content.styled(line, "bold") for line in title]
        blank = [Content("")] if self.size.height >= _TALL else []
        rows += blank
        rows += self._across(chart, lines) if chart.others else self._against(chart, lines)
        notes = [safe(line) for line in lines.chart_notes(chart)]
        if chart.limit is not None:
            notes[0] = f"{LIMIT} {notes[0].strip()}"
        rows += [Content.styled(line, "$foreground-muted") for line in notes]
        return Content("\n").join([*rows, *blank, self._keys(lines, columns)])

    def _keys(self, lines: Lines, columns: int) -> Content:
        say = self.wording.say
        close = link("", say("chart_close"), "$text-accent")
        if len(self.charts) < 2:
            return close
        after = (self.at + 1) % len(self.charts)
        room = columns - width(say("chart_close")) - 3
        title = lines.chart_title(self.charts[after])
        for cutting in range(width(title) + 1):
            shown = cut(title, width(title) - cutting)
            text = say("chart_next", title=shown, at=self.at + 1, count=len(self.charts))
            if width(text) <= room:
                break
        return Content.assemble(link(NEXT, text, "$text-accent"), "   ", close)

    def _against(self, chart: Chart, lines: Lines) -> list[Content]:
        """One bar a value, with the limit in it."""
        amounts = [lines.chart_amount(point.first, point.first.likely) for point in chart.points]
        limits = [point.first.limit or 0.0 for point in chart.points]
        largest = max(point.first.likely or 0.0 for point in chart.points)
        whole = max(min(largest, max(limits) * _BEYOND) if any(limits) else largest, *limits)
        names = max(width(point.label) for point in chart.points)
        aligned = pad if chart.is_across else right
        after = max(map(width, amounts))
        room = max(8, lines.columns - names - after - 4 - _STANDING)
        rows: list[Content] = []
        for point, amount in zip(chart.points, amounts, strict=True):
            share = (point.first.likely or 0.0) / whole
            filled = min(room, round(share * room))
            drawn = ["█" if at < filled else EMPTY for at in range(room)]
            if share > 1:
                drawn[-1] = "▶"  # it goes on
            if point.first.limit:
                drawn[min(room - 1, round(point.first.limit / whole * room))] = LIMIT
            colour = _COLOURS.get(point.first.state, "")
            rows.append(
                Content.assemble(
                    *_name(lines, point, aligned(safe(point.label), names)),
                    ("".join(drawn[:filled]), colour),
                    ("".join(drawn[filled:]), "$foreground-muted"),
                    f" {right(amount, after)}  ",
                    (cut(lines.standing(point), _STANDING - 2), colour),
                )
            )
        return rows

    def _across(self, chart: Chart, lines: Lines) -> list[Content]:
        """One row an entry, with a bar for each answer besides the first."""
        shown = [one.name for one in chart.others]
        columns = [
            [next(one for one in point.results if one.name == name) for point in chart.points]
            for name in shown
        ]
        amounts = [[lines.chart_amount(one, one.likely) for one in column] for column in columns]
        afters = [max(map(width, column)) for column in amounts]
        names = max(width(point.label) for point in chart.points)
        left = lines.columns - names - 3 - sum(after + 2 for after in afters)
        has_words = left - _STANDING >= 8 * len(shown)
        room = max(_LEAST_BAR, (left - (_STANDING if has_words else _SIGN)) // len(shown))
        rows: list[Content] = []
        for at, point in enumerate(chart.points):
            state = point.first.state
            colour = _COLOURS.get(state, "")
            made: list[Content | str | tuple[str, str]] = [
                *_name(lines, point, pad(safe(point.label), names))
            ]
            for column, texts, after in zip(columns, amounts, afters, strict=True):
                largest = max(one.likely or 0.0 for one in column)
                drawn = bar(column[at].likely or 0.0, largest, room)
                made += [(pad(drawn, room), colour), f" {right(texts[at], after)} "]
            told = lines.standing(point) if has_words else SIGNS[state]
            rows.append(Content.assemble(*made, (f" {told}", colour)))
        return rows


def _name(lines: Lines, point: Point, name: str) -> list[tuple[str, str]]:
    """The value, marked where it is the one that was answered."""
    mark = lines.say("compared_current") if point.is_current else " "
    return [(f"{mark} ", "bold"), (name, "bold" if point.is_current else ""), (" ", "")]
