"""One conversation, two faces: the same events, the same words, the same files and numbers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from advisor.chat.plain import Printer
from advisor.conversation import Conversation, Lines, State
from advisor.conversation.commands import Turn
from advisor.conversation.events import Asked, Event, VerdictShown
from advisor.tui.panel import first_answer
from advisor.units import quantity_text
from tests.conversation.conversations import CONVERSATIONS, Told
from tests.conversation.test_plain import ADVISOR, run
from tests.tui.driving import Seat, rules, sit


def replayed(told: Told, folder: Path) -> list[Turn]:
    """The turns of a conversation, the greeting first."""
    talk = Conversation(rules(), folder)
    return [talk.start(State(told.language)), *talk.replay(told.lines, told.language)]


def rendered(event: Event, language: str) -> list[str]:
    return Lines(rules().book, language, rules().trainers).of(event)


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_the_screen_tells_what_plain_lines_tell(name, tmp_path):
    told = CONVERSATIONS[name]
    (tmp_path / "screen").mkdir()
    (tmp_path / "plain").mkdir()
    texts: list[str] = []

    async def person(seat: Seat) -> None:
        for line in told.lines:
            await seat.type(line, "enter")
            texts.append(seat.text() + seat.chat.text())

    app = sit(person, (160, 40), told.language, tmp_path / "screen")
    turns = replayed(told, tmp_path / "plain")
    told_here = [(type(one), rendered(one, told.language)) for one in app.talk_screen.events]
    events = [event for turn in turns for event in turn.events]
    assert told_here == [(type(one), rendered(one, told.language)) for one in events]

    printed: list[str] = []
    printer = Printer(Conversation(rules(), tmp_path), printed.append, False, False)
    for turn in turns:
        printer.show(turn.state, [one for one in turn.events if not isinstance(one, Asked)])
    lines = Lines(rules().book, told.language, rules().trainers)
    printed += [lines.ask(event.question) for event in events if isinstance(event, Asked)]
    on_screen = squeezed("\n".join(texts))
    assert [line for line in printed if squeezed(line) not in on_screen] == []

    files = [
        {path.name: path.read_bytes() for path in (tmp_path / face).iterdir()}
        for face in ("screen", "plain")
    ]
    assert files[0] == files[1]


def squeezed(text: str) -> str:
    """A text without its blanks: faces break lines where they have to."""
    return "".join(text.split())


@pytest.mark.parametrize(
    "name",
    ["six-2-zh", "steps-en"]
    + [pytest.param(n, marks=pytest.mark.slow) for n in ("six-1-en", "six-4-en")],
)
def test_the_number_on_the_bar_is_that_of_the_export_and_of_check(name, tmp_path):
    told = CONVERSATIONS[name]
    lines = [line for line in told.lines if not line.startswith(("/export", "/quit"))]
    texts: list[str] = []

    async def person(seat: Seat) -> None:
        for line in [*lines, "/export yaml out.yaml", "/export json"]:
            await seat.type(line, "enter")
        await seat.pilot.resize_terminal(99, 24)
        await seat.settle()
        texts.append(seat.text())

    app = sit(person, (120, 40), told.language, tmp_path)
    shown = [one for one in app.talk_screen.events if isinstance(one, VerdictShown)]
    first = first_answer(shown[-1].check.verdict)
    assert first is not None and first.likely is not None and first.limit is not None
    unit = rules().book.unit(first.answer.value)
    for amount in (first.likely, first.limit):
        (strip,) = [row for row in texts[0].splitlines() if quantity_text(first.limit, unit) in row]
        assert quantity_text(amount, unit) in strip
    day = ["--today", "2026-11-29", "--no-config", "--format", "json"]
    _, out, err = run(None, "check", "out.yaml", *day, call=ADVISOR, folder=tmp_path)
    assert err == ""
    checked = json.loads(out)["results"][0]
    assert checked["verdict"] == first.state
    memory = checked["answers"]["memory"]
    assert (memory["likely"], memory["limit"]) == pytest.approx((first.likely, first.limit))
    assert (
        json.loads(json_of(app.talk_screen.events))["results"][0]["answers"] == checked["answers"]
    )


def json_of(events: list[Event]) -> str:
    """The report that was exported last."""
    return next(text for one in reversed(events) if (text := getattr(one, "text", "")))
