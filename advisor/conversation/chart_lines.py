"""Charts as rows of text: the same numbers, for who reads or hears them."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.conversation import events as happened
from advisor.conversation.charts import Chart, Point
from advisor.conversation.sentences import Sentences
from advisor.report.phrases import pad, right, width
from advisor.report.style import SIGNS, label
from advisor.units import quantity_text
from advisor.verdict import AnswerResult


class ChartLines(Sentences):
    """Renders charts."""

    def charted(self, event: happened.Charted) -> Iterator[str]:
        chosen = event.charts if event.at is None else (event.charts[event.at],)
        for number, chart in enumerate(chosen):
            if number:
                yield ""
            yield from self.chart(chart)

    def chart(self, chart: Chart) -> Iterator[str]:
        """The title, a row for each value, and what holds for all of them."""
        yield self.chart_title(chart)
        rows = [self._row(chart, point) for point in chart.points]
        widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
        for point, row in zip(chart.points, rows, strict=True):
            first = (pad if chart.is_across else right)(row[0], widths[0])
            rest = [right(cell, room) for cell, room in zip(row[1:], widths[1:], strict=True)]
            mark = self.say("compared_current") if point.is_current else " "
            yield "  ".join([f"{mark} {first}", *rest, self.standing(point)]).rstrip()
        yield from self.chart_notes(chart)

    def chart_title(self, chart: Chart) -> str:
        """What the chart is of."""
        answers = chart.others or (chart.points[0].first,)
        names = self.say("chart_and").join(label(one.answer, self.style) for one in answers)
        key = "chart_across" if chart.is_across else "chart_title"
        return self.say(key, answer=names, name=self.title(chart.name))

    def chart_notes(self, chart: Chart) -> list[str]:
        """The limit, where it is one, and answers that hold for every row."""
        notes: list[str] = []
        if chart.limit is not None:
            limit = self.chart_amount(chart.points[0].first, chart.limit)
            notes += self.texts("chart_limit", limit=limit)
        for name, value in chart.held:
            notes += self.texts("chart_held", name=self.title(name), value=self.value_text(value))
        if chart.wanted:
            notes += self.texts("more_for_numbers", names=self.titles(chart.wanted))
        return notes

    def chart_amount(self, result: AnswerResult, amount: float | None) -> str:
        """An amount of an answer with its unit."""
        return quantity_text(amount or 0.0, self.book.unit(result.answer.value))

    def standing(self, point: Point) -> str:
        """Whether it fits there: a sign and the word."""
        return f"{SIGNS[point.first.state]} {self.style.word(point.first.state)}"

    def _row(self, chart: Chart, point: Point) -> list[str]:
        others = {one.name for one in chart.others}
        amounts = [
            self.chart_amount(one, one.likely)
            for one in point.results
            if one is point.first or one.name in others
        ]
        return [point.label, *amounts]
