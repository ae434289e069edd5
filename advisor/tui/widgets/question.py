"""The question that is open, with its choices: by digit, by arrows, by mouse."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content

from advisor.conversation import Question
from advisor.report.phrases import pad, width, wrap
from advisor.tui.panel import link, linked
from advisor.tui.widgets.links import Links
from advisor.tui.wording import Wording, safe

PICK = "pick:"
"""What a click on a choice posts, with the choice's place behind it."""
_GAP = 3


class QuestionPanel(VerticalScroll, can_focus=False):
    """Shows one question. ``chosen`` is the choice under the arrows, -1 for none."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self.wording: Wording | None = None
        self.question: Question | None = None
        self.closing = ""
        self.chosen = -1

    def compose(self) -> ComposeResult:
        yield Links(id="question-text")

    def show(self, wording: Wording, question: Question | None, closing: str) -> None:
        """Put up another question; ``closing`` is what to say where there is none."""
        self.wording, self.question, self.closing = wording, question, closing
        self.chosen = -1
        self.draw()
        self.scroll_home(animate=False)

    def move(self, by: int) -> bool:
        """Move the arrows' choice; False where there is nothing to choose."""
        if self.question is None or not self.question.choices:
            return False
        count = len(self.question.choices)
        self.chosen = (self.chosen + by) % count if self.chosen >= 0 else (0 if by > 0 else -1)
        self.chosen %= count
        self.draw()
        return True

    def choose(self, at: int) -> None:
        """Put the arrows on a choice, or on none."""
        count = len(self.question.choices) if self.question else 0
        chosen = at if 0 <= at < count else -1
        if chosen != self.chosen:
            self.chosen = chosen
            self.draw()

    def line(self, at: int) -> str:
        """What to send for a choice."""
        if self.question is None or not 0 <= at < len(self.question.choices):
            return ""
        return str(at + 1) if self.question.is_numbered else self.question.choices[at].text

    def on_resize(self, event: events.Resize) -> None:
        self.draw()

    def draw(self) -> None:
        """Lay the question out in the columns there are."""
        if self.wording is None:
            return
        columns = max(20, self.scrollable_content_region.width)
        self.query_one(Links).update(self.content(self.wording, columns))

    def content(self, wording: Wording, columns: int) -> Content:
        """The question, its choices side by side, and what Enter does."""
        question = self.question
        if question is None:
            told = [one for line in self.closing.split("\n") for one in wrap(line, columns, "")]
            return linked("\n".join(told))
        lines = wording.lines(columns)
        ask = lines.ask(question)
        if question.reason != "unclear":
            ask = lines.say("question", number=question.number, most=question.most, ask=ask)
        made = [Content.styled("\n".join(map(safe, wrap(ask, columns, ""))), "bold")]
        made += self._choices(wording, question, columns)
        if question.suggested:
            because = lines.because(question)
            shown = lines.value_text(question.suggested)
            key = "enter" if because else "enter_plain"
            enter = lines.say(key, suggested=shown, because=because)
        else:
            enter = lines.say("enter_open")
        told = [safe(line) for line in wrap(enter.strip(), columns, "")]
        made.append(link("", "\n".join(told), "$foreground-muted"))
        return Content("\n").join(made)

    def _choices(self, wording: Wording, question: Question, columns: int) -> list[Content]:
        lines = wording.lines(columns)
        texts: list[str] = []
        for at, choice in enumerate(question.choices):
            is_suggested = choice.text == question.suggested
            shown = lines.value_text(choice.text)
            if question.is_numbered:
                key = "choice_suggested" if is_suggested else "choice"
                shown = " ".join(lines.say(key, number=at + 1, text=shown).split())
            elif is_suggested:
                shown = wording.say("choice_usual", text=shown)
            texts.append(safe(shown))
        rows: list[Content] = []
        row: list[Content] = []
        used = 0
        step = max(map(width, texts), default=0) + _GAP
        across = max(1, (columns + _GAP) // step)
        for at, text in enumerate(texts):
            if used == across:
                rows.append(Content("").join(row))
                row, used = [], 0
            style = "reverse bold" if at == self.chosen else "$text-accent"
            row += [link(f"{PICK}{at}", text, style), Content(pad("", step - width(text)))]
            used += 1
        return [*rows, Content("").join(row)] if row else rows
