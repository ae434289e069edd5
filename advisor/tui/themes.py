"""The themes by name: what ``/theme`` says and does."""

from __future__ import annotations

from typing import Any

from textual.app import App

from advisor.errors import close_names
from advisor.tui.wording import Wording


def names(app: App[Any]) -> list[str]:
    """Every theme there is."""
    return sorted(app.available_themes)


def put_on(app: App[Any], wording: Wording, wanted: str) -> str:
    """Put a theme on, or only say which there are; what there is to say of it."""
    known = names(app)
    if not wanted:
        return wording.say("theme_known", name=app.theme, known=", ".join(known))
    name = wanted.casefold()
    if name not in known:
        near = ", ".join(close_names(name, known) or known)
        return wording.say("theme_unknown", word=wanted, near=near)
    app.theme = name
    return wording.say("theme_now", name=name)
