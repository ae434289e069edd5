"""The talk: chat, question and prompt, with the panel beside it or the strip above it."""

from __future__ import annotations

import time
from io import BytesIO
from typing import ClassVar

from textual import events, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from advisor.conversation import Completion, Conversation, State, Turn, View, registry
from advisor.conversation.completion import complete
from advisor.conversation.events import (
    Asked,
    Charted,
    Copied,
    Ended,
    Event,
    Exported,
    Listed,
    Themed,
)
from advisor.conversation.leaving import Leaving
from advisor.report.phrases import width
from advisor.tui.panel import closing_text, cut, link, panel_content, strip_content, title_text
from advisor.tui.screens.chart import ChartScreen
from advisor.tui.shown import Shown, shown
from advisor.tui.themes import names as theme_names
from advisor.tui.themes import put_on
from advisor.tui.widgets.chat import Block, ChatLog
from advisor.tui.widgets.links import Links
from advisor.tui.widgets.prompt import Prompt
from advisor.tui.widgets.question import PICK, QuestionPanel
from advisor.tui.wording import Wording, safe

_TWICE = 2.0  # seconds between two Ctrl+C that mean to leave
_BEGUN = ("set", "open", "whatif", "lang")
"""Commands that say nothing without what follows them."""


def option(one: Completion) -> Option:
    """A line of the popup: the text to take, and what it is."""
    note = f"   {safe(one.note)}" if one.note else ""
    return Option(Content.assemble(safe(one.text), (note, "$foreground-muted")))


class TalkScreen(Screen[None]):
    """Shows one conversation. Lines are worked out in a thread, one after the other."""

    AUTO_FOCUS = "#prompt"
    GRACE: ClassVar[float] = 0.3
    """Seconds after a question comes up in which Enter alone does not answer it: it was pressed
    for what stood there before."""
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012  # as Screen has it
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (15, "-short"), (20, "-tall")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(one.key, f"command('{one.name}')", show=False, priority=True, id=one.name)
            for one in registry().values()
            if one.key
        ),
        Binding("pageup", "page(-1)", show=False, priority=True),
        Binding("pagedown", "page(1)", show=False, priority=True),
        Binding("shift+up", "scroll_chat(-1)", show=False),
        Binding("shift+down", "scroll_chat(1)", show=False),
        Binding("ctrl+c", "copy_or_leave", show=False, priority=True),
    ]

    class Turned(Message):
        """A line was worked out."""

        def __init__(self, shown: Shown) -> None:
            super().__init__()
            self.shown = shown

    def __init__(self, talk: Conversation, state: State) -> None:
        super().__init__()
        self.talk = talk
        self.state = state
        self.events: list[Event] = []
        self.wording = Wording(talk, state.language)
        self.leaving = Leaving(state)
        self._shown: Shown | None = None
        self._waiting: list[str] = []
        self.is_busy = False
        self._completions: list[Completion] = []
        self._interrupted = -_TWICE
        self._asked_at = 0.0

    def compose(self) -> ComposeResult:
        yield Links(id="title")
        with Horizontal(id="body"):
            with Vertical(id="talk"):
                yield ChatLog(id="chat")
                yield Links(id="strip")
                yield QuestionPanel(id="question")
                popup = OptionList(id="completions", markup=False)
                popup.can_focus = False
                yield popup
                with Horizontal(id="line"):
                    yield Links("❯ ", id="mark")
                    yield Prompt(id="prompt")
            with VerticalScroll(id="side", can_focus=False):
                yield Links(id="panel")
        yield Links(id="keys")

    def on_mount(self) -> None:
        self.watch(self.query_one("#side"), "show_vertical_scrollbar", self._refit)
        self.is_busy = True
        self._start(self.state)

    # -- lines ------------------------------------------------------------------------------------

    @work(thread=True, group="turns")
    def _start(self, state: State) -> None:
        self.post_message(self.Turned(shown(self.talk, self.talk.start(state))))

    @work(thread=True, group="turns")
    def _send(self, state: State, line: str) -> None:
        self.post_message(self.Turned(shown(self.talk, self.talk.send(state, line))))

    def send(self, line: str) -> None:
        """Send a line; while another is worked out it waits, unless it says nothing."""
        if self.is_busy:
            if line.strip():
                self._waiting.append(line)
            return
        self.is_busy = True
        blocks: list[Block] = []
        question = self._shown.view.question if self._shown else None
        if question is not None and not line.startswith("/"):
            ask = self.wording.lines(200).ask(question)
            blocks += [Block(self.wording, text=""), Block(self.wording, text=ask, tone="muted")]
        elif self.events:
            blocks.append(Block(self.wording, text=""))
        shown = "\n  ".join(line.split("\n"))
        blocks.append(Block(self.wording, text=f"❯ {shown}", tone="person"))
        self._blocks = blocks
        self._send(self.state, line)

    _blocks: list[Block] = []  # noqa: RUF012  # replaced, never changed

    def on_talk_screen_turned(self, message: Turned) -> None:
        if not self.is_attached or not self.is_running:
            return
        self.is_busy = False
        self._shown = message.shown
        turn = message.shown.turn
        self.state = turn.state
        self.wording = Wording(self.talk, turn.state.language)
        self.events += turn.events
        self.leaving.saw(turn.state, turn.events)
        blocks = [block for event in turn.events for block in self._blocks_of(event)]
        self.query_one(ChatLog).add([*self._blocks, *blocks])
        self._blocks = []
        for event in turn.events:
            if isinstance(event, Copied):
                self.copy(event.text)
            elif isinstance(event, Exported) and event.path and self.app.is_web:
                self.app.deliver_binary(BytesIO(event.text.encode()), save_filename=event.path)
            elif isinstance(event, Charted) and self.is_current:
                self.app.push_screen(ChartScreen(self.wording, event.charts, event.at or 0))
            elif isinstance(event, Ended) and self.may_leave():
                self.app.exit(turn.state)
                return
        self.draw(turn)
        if self._waiting:
            self.send(self._waiting.pop(0))

    # -- drawing ----------------------------------------------------------------------------------

    def draw(self, turn: Turn | None = None) -> None:
        """Draw everything but the chat anew; a turn may bring another question."""
        if self._shown is None:
            return
        view = self._shown.view
        if turn is not None:
            panel = self.query_one(QuestionPanel)
            if view.question != panel.question:
                self._asked_at = time.monotonic()
            panel.show(self.wording, view.question, closing_text(self.wording, view))
        prompt = self.query_one(Prompt)
        prompt.placeholder = self.wording.say("prompt_hint")
        columns = self.query_one("#strip", Links).size.width or self.size.width - 2
        self.query_one("#strip", Links).update(strip_content(self.wording, view, columns))
        self._draw_panel(view, self._shown.listed)
        self._draw_edges(view)

    def _draw_panel(self, view: View, listed: Listed) -> None:
        columns = self.query_one("#side").scrollable_content_region.width
        if columns > 0:
            content = panel_content(self.wording, view, listed, columns)
            self.query_one("#panel", Links).update(content)

    def _draw_edges(self, view: View) -> None:
        """The title row and the row of keys, in the columns there are."""
        columns = self.size.width - 2
        name = "advisor"
        title = cut(title_text(view), columns - len(name) - 2)
        gap = " " * max(1, columns - len(name) - width(title))
        self.query_one("#title", Links).update(
            Content.assemble((name, "bold"), gap, (title, "$foreground-muted"))
        )
        keys = [
            (f"/{one.name}", one.key, f"key_{one.name}") for one in registry().values() if one.key
        ]
        keys.sort(key=lambda one: (not one[1].startswith("f"), one[1]))
        keys.append(("palette", "ctrl+p", "key_palette"))
        made: list[Content] = []
        used = 0
        for line, key, word in keys:
            text = f"{key.replace('ctrl+', '^')} {self.wording.say(word)}"
            if used + width(text) > columns:
                continue
            used += width(text) + 2
            made.append(link(line, text))
        self.query_one("#keys", Links).update(Content("  ").join(made))

    def _refit(self) -> None:
        """Draw again where the panel's own scrollbar took a column, or gave it back."""
        self.call_after_refresh(self.draw)

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self.draw)

    # -- typing -----------------------------------------------------------------------------------

    def on_input_changed(self, event: Prompt.Changed) -> None:
        event.stop()
        text = event.value
        if self._shown is not None:
            number = int(text) - 1 if text.isascii() and text.isdigit() and len(text) == 1 else -1
            panel = self.query_one(QuestionPanel)
            if panel.question is not None and (text or panel.chosen >= 0):
                panel.choose(number if panel.question.is_numbered else -1)
        self._complete(text)

    def _complete(self, text: str) -> None:
        found: list[Completion] = []
        if self._shown is not None and len(text.strip()) > 1:
            view = self._shown.view
            more = {"theme": theme_names(self.app)}
            found = complete(self.talk.world, self.state, view.question, text, more)
            found = [one for one in found if text[: one.start] + one.text != text]
        options = self.query_one(OptionList)
        if found != self._completions:
            self._completions = found
            options.set_options(map(option, found))
        options.highlighted = None
        self._popup(bool(found))

    def _popup(self, is_open: bool) -> None:
        self.query_one(OptionList).display = is_open
        self.query_one(QuestionPanel).set_class(is_open, "-covered")

    def on_input_submitted(self, event: Prompt.Submitted) -> None:
        event.stop()
        options = self.query_one(OptionList)
        prompt = self.query_one(Prompt)
        if options.display and options.highlighted is not None:
            self._take(options.highlighted, sends=True)
            return
        panel = self.query_one(QuestionPanel)
        chosen = panel.line(panel.chosen) if not prompt.value.strip() else ""
        is_early = time.monotonic() - self._asked_at < self.GRACE
        if is_early and panel.question is not None and not (prompt.value.strip() or chosen):
            return
        self.send(prompt.taken() or chosen)

    def _take(self, at: int, sends: bool = False) -> None:
        """Put a completion into the prompt; one that is a whole answer is sent at once."""
        one = self._completions[at]
        prompt = self.query_one(Prompt)
        prompt.put(prompt.value[: one.start] + one.text)
        if sends and one.start == 0 and not one.text.startswith("/"):
            self.send(prompt.taken())
        elif not one.text.endswith("="):
            prompt.put(prompt.value + " ")
        prompt.focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._take(event.option_index, sends=True)

    def on_prompt_pressed(self, event: Prompt.Pressed) -> None:
        event.stop()
        prompt, options = self.query_one(Prompt), self.query_one(OptionList)
        if event.key == "escape":
            self._popup(False)
            self.query_one(QuestionPanel).choose(-1)
            self.clear_selection()
        elif event.key == "tab":
            if options.display:
                self._take(options.highlighted or 0)
        elif options.display and prompt.value not in prompt.history:
            options.action_cursor_down() if event.key == "down" else options.action_cursor_up()
        else:
            by = 1 if event.key == "down" else -1
            if prompt.value or not self.query_one(QuestionPanel).move(by):
                prompt.recall(by)

    # -- clicks and keys --------------------------------------------------------------------------

    def begin_or_send(self, line: str) -> None:
        """Send a command, or put up its beginning where it says nothing alone."""
        if line.removeprefix("/") in _BEGUN:
            prompt = self.query_one(Prompt)
            prompt.begin(line + " ")
            prompt.focus()
        else:
            self.send(line)

    def on_links_clicked(self, event: Links.Clicked) -> None:
        event.stop()
        self._clicked(event.line)

    def on_chat_log_clicked(self, event: ChatLog.Clicked) -> None:
        event.stop()
        self._clicked(event.line)

    def _clicked(self, line: str) -> None:
        prompt = self.query_one(Prompt)
        prompt.focus()
        if line.startswith(PICK):
            self.send(self.query_one(QuestionPanel).line(int(line.removeprefix(PICK))))
        elif line == "palette":
            self.app.action_command_palette()
        elif line.endswith("="):
            prompt.begin(line)
        else:
            self.begin_or_send(line)

    def action_command(self, name: str) -> None:
        self.begin_or_send(f"/{name}")

    def action_page(self, by: int) -> None:
        chat = self.query_one(ChatLog)
        chat.scroll_relative(y=by * max(1, chat.size.height - 1), animate=False)

    def action_scroll_chat(self, by: int) -> None:
        self.query_one(ChatLog).scroll_relative(y=by, animate=False)

    # -- what only a screen can do ----------------------------------------------------------------

    def _blocks_of(self, event: Event) -> list[Block]:
        """What the chat says of an event."""
        if isinstance(event, Asked | Charted):
            return []  # they have places of their own
        if isinstance(event, Themed):
            return [Block(self.wording, text=put_on(self.app, self.wording, event.name))]
        return [Block(self.wording, event)]

    # -- the clipboard, and leaving ---------------------------------------------------------------

    def copy(self, text: str) -> None:
        """Put a text on the clipboard, and say so."""
        self.app.copy_to_clipboard(text)
        self.notify(self.wording.say("copied"), timeout=2, markup=False)

    def may_leave(self) -> bool:
        """Whether nothing holds the end back; what does is said, once."""
        if not self.leaving.is_held_back(self.state):
            return True
        said = Block(self.wording, text=self.wording.say("not_kept"), tone="warning")
        self.query_one(ChatLog).add([said])
        return False

    def action_copy_or_leave(self) -> None:
        """Copy what is selected; without a selection say how to leave, and the second time do."""
        prompt = self.query_one(Prompt)
        selected = self.get_selected_text() or prompt.selected_text
        if selected:
            self.copy(selected)
            self.clear_selection()
            return
        now = time.monotonic()
        if now - self._interrupted < _TWICE:
            self.app.exit(self.state)
        self._interrupted = now
        self.notify(self.wording.say("leave_hint"), timeout=_TWICE, markup=False)
