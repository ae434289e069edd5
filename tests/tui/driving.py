"""Running the full screen without a terminal, and reading what is on it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import cache
from pathlib import Path
from typing import Any

from textual.pilot import Pilot
from textual.widgets import OptionList

from advisor.conversation import Conversation, State
from advisor.project import Project, open_project
from advisor.tui import AdvisorApp
from advisor.tui.screens.talk import TalkScreen
from advisor.tui.widgets.chat import ChatLog
from advisor.tui.widgets.prompt import Prompt
from advisor.tui.widgets.question import QuestionPanel
from tests.support import TODAY

LINE = "qwen2.5 7b lora on a 4090 seq 2048"
SETTLED = "qwen2.5 7b lora on a 4090 seq 2048 checkpointing off transformers batch 1"


@cache
def rules() -> Project:
    return open_project([], TODAY)


class Seat:
    """A person before the screen: keys, clicks, and eyes."""

    def __init__(self, app: AdvisorApp, pilot: Pilot[State]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def talk(self) -> TalkScreen:
        return self.app.talk_screen

    @property
    def state(self) -> State:
        return self.talk.state

    @property
    def prompt(self) -> Prompt:
        return self.talk.query_one(Prompt)

    @property
    def question(self) -> QuestionPanel:
        return self.talk.query_one(QuestionPanel)

    @property
    def popup(self) -> OptionList:
        return self.talk.query_one(OptionList)

    @property
    def chat(self) -> ChatLog:
        return self.talk.query_one(ChatLog)

    async def settle(self) -> None:
        """Until nothing is worked out any more."""
        for _ in range(400):
            await self.pilot.pause(0.01)
            if not self.app.is_running or not (
                self.talk.is_busy or any(not one.is_finished for one in self.app.workers)
            ):
                break
        await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.settle()

    async def type(self, text: str, *keys: str) -> None:
        """Type a text as fast as a paste, then keys."""
        self.prompt.insert_text_at_cursor(text)
        await self.pilot.pause()
        await self.press(*keys)

    async def click(self, text: str, last: bool = True) -> None:
        """Click on a text that is on the screen."""
        rows = self.text().splitlines()
        hits = [(cells(row[: row.index(text)]), y) for y, row in enumerate(rows) if text in row]
        assert hits, f"{text!r} is not on the screen:\n{self.text()}"
        x, y = hits[-1 if last else 0]
        await self.pilot.click(offset=(x + 1, y))
        await self.settle()

    def text(self) -> str:
        """The characters on the screen."""
        strips = self.app.screen._compositor.render_strips()
        lines = ["".join(segment.text for segment in strip).rstrip() for strip in strips]
        return "\n".join(lines) + "\n"


def cells(text: str) -> int:
    from advisor.report.phrases import width

    return width(text)


def sit(
    then: Callable[[Seat], Awaitable[Any]],
    size: tuple[int, int] = (80, 24),
    language: str = "en",
    folder: Path | None = None,
) -> AdvisorApp:
    """Open the screen, do something before it, and leave."""
    app = AdvisorApp(Conversation(rules(), folder or Path("no-such-folder")), State(language))

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            seat = Seat(app, pilot)
            await seat.settle()
            await then(seat)
            await seat.settle()

    asyncio.run(run())
    return app
