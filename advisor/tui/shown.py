"""A turn, and all that a screen shows of the state after it."""

from __future__ import annotations

from typing import NamedTuple

from advisor.conversation import Conversation, Turn, View
from advisor.conversation.events import Listed


class Shown(NamedTuple):
    """A turn with all that the screen shows of the state after it."""

    turn: Turn
    view: View
    listed: Listed


def shown(talk: Conversation, turn: Turn) -> Shown:
    """Work out what a turn's screen needs; slow enough for a thread."""
    view = talk.view(turn.state)
    listed = next(
        one for one in talk.send(turn.state, "/answers").events if isinstance(one, Listed)
    )
    return Shown(turn, view, listed)
