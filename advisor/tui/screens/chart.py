"""The chart: the first answer against one input, with the limit; arrows go to other inputs."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen

from advisor.conversation.writing import shown
from advisor.report.phrases import pad, right, width
from advisor.report.style import SIGNS, label
from advisor.tui.bar import EMPTY, LIMIT
from advisor.tui.panel import cut, link
from advisor.tui.sweep import Sweep
from advisor.tui.widgets.links import Links
from advisor.tui.wording import Wording
from advisor.units import quantity_text

_COLOURS = {"fits": "$text-success", "tight": "$text-warning", "does not fit": "$text-error"}
NEXT = "next"
_BEYOND = 2.5  # times the limit: longer bars are cut, or short ones could not be told apart


class ChartScreen(ModalScreen[None]):
    """Bars of one sweep at a time."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter", "dismiss", show=False),
        Binding("right,down,tab", "turn(1)", show=False),
        Binding("left,up,shift+tab", "turn(-1)", show=False),
    ]

    def __init__(self, wording: Wording, sweeps: tuple[Sweep, ...]) -> None:
        super().__init__()
        self.wording = wording
        self.sweeps = sweeps
        self.at = 0

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="chart", can_focus=False):
            yield Links(id="chart-text")

    def on_mount(self) -> None:
        self.draw()

    def on_resize(self, event: events.Resize) -> None:
        self.draw()

    def action_turn(self, by: int) -> None:
        if self.sweeps:
            self.at = (self.at + by) % len(self.sweeps)
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
        """Title, one bar a value, and the keys."""
        say = self.wording.say
        close = link("", say("chart_close"), "$text-accent")
        if not self.sweeps:
            return Content("\n").join([Content(say("chart_none")), close])
        sweep = self.sweeps[self.at]
        rows = [Content.styled(self._title(sweep), "bold"), Content("")]
        rows += self._bars(sweep, columns)
        place = say("chart_next", at=self.at + 1, count=len(self.sweeps))
        rows += [Content(""), Content.assemble(link(NEXT, place, "$text-accent"), "   ", close)]
        return Content("\n").join(rows)

    def _title(self, sweep: Sweep) -> str:
        first = sweep.points[0].result
        style = self.wording.lines(0).style
        return self.wording.say("chart_title", answer=label(first.answer, style), name=sweep.name)

    def _bars(self, sweep: Sweep, columns: int) -> list[Content]:
        book = self.wording.talk.world.book
        style = self.wording.lines(0).style
        target = book.inputs[sweep.name]
        unit = book.unit(sweep.points[0].result.answer.value)
        names = [shown(target, point.value) for point in sweep.points]
        amounts = [quantity_text(point.result.likely or 0.0, unit) for point in sweep.points]
        limits = [point.result.limit or 0.0 for point in sweep.points]
        largest = max(point.result.likely or 0.0 for point in sweep.points)
        whole = min(largest, max(limits) * _BEYOND) if max(limits) > 0 else largest
        whole = max(whole, *limits)
        left = max(map(width, names))
        after = max(map(width, amounts))
        room = max(8, columns - left - after - 20)
        rows: list[Content] = []
        for point, name, amount in zip(sweep.points, names, amounts, strict=True):
            share = (point.result.likely or 0.0) / whole
            filled = min(room, round(share * room))
            mark = min(room - 1, round((point.result.limit or 0.0) / whole * room))
            bar = ["█" if at < filled else EMPTY for at in range(room)]
            if share > 1:
                bar[-1] = "▶"  # it goes on
            if point.result.limit:
                bar[mark] = LIMIT
            state = point.result.state
            told = f"{SIGNS[state]} {style.word(state)}"
            colour = _COLOURS.get(state, "")
            rows.append(
                Content.assemble(
                    ("• " if point.is_current else "  ", "bold"),
                    (right(name, left), "bold" if point.is_current else ""),
                    " ",
                    ("".join(bar[:filled]), colour),
                    ("".join(bar[filled:]), "$foreground-muted"),
                    f" {right(amount, after)}  ",
                    (pad(cut(told, 14), 14), colour),
                )
            )
        return rows
