"""The same surroundings for every screen."""

from __future__ import annotations

import pytest

from advisor.tui.screens.talk import TalkScreen


@pytest.fixture(autouse=True)
def steady(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "TMUX", "TEXTUAL_THEME", "SSH_TTY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setattr(TalkScreen, "GRACE", 0.0)  # pilots are faster than people
