"""What rests on Textual's own names: Textual has no public way to end without a word, to tell what
it ended for, or to write to the terminal past its screen. A version without them fails here."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import pytest
from textual.app import App

from advisor.conversation import Conversation, State
from advisor.tui import AdvisorApp
from tests.tui.driving import Seat, rules, sit

TOLD = f"Textual {version('textual')} has no App.{{}} any more: see advisor/tui/app.py"


@pytest.mark.parametrize("name", ["_fatal_error", "_close_messages_no_wait"])
def test_a_method_is_still_there(name):
    assert callable(getattr(App, name, None)), TOLD.format(name)


@pytest.mark.parametrize("name", ["_driver", "_exception", "_clipboard", "theme_variables"])
def test_a_value_is_still_there(name):
    app = AdvisorApp(Conversation(rules(), Path("no-such-folder")), State())
    assert hasattr(app, name), TOLD.format(name)


def test_a_driver_still_writes():
    from textual.driver import Driver

    assert callable(getattr(Driver, "write", None)), TOLD.format("_driver.write")


def test_what_an_app_ended_for_is_still_told():
    apps: list[AdvisorApp] = []

    def breaks() -> None:
        raise ZeroDivisionError

    async def person(seat: Seat) -> None:
        apps.append(seat.app)
        seat.app.call_later(breaks)
        await seat.pilot.pause()

    with pytest.raises(ZeroDivisionError):
        sit(person)
    assert isinstance(apps[0].failure, ZeroDivisionError), TOLD.format("_exception")
