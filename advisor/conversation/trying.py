"""The answers as they would be with some inputs otherwise; nothing is changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.conversation.answering import answers_of, item, remarks
from advisor.conversation.comparing import lent_state
from advisor.conversation.events import Event, Failed, Filled, WhatIf
from advisor.conversation.reading import Reading
from advisor.conversation.state import Entry, State
from advisor.conversation.writing import shown

if TYPE_CHECKING:
    from advisor.conversation.core import Conversation

MOST_NAMES = 24


def supposing(talk: Conversation, state: State, reading: Reading) -> tuple[Event, ...]:
    """The answers as they are and as they would be with what was read."""
    new = answers_of(talk.world, reading)
    events = remarks(reading)
    if reading.unclear:
        first = reading.unclear[0]
        target = talk.world.book.inputs[first.name]
        meant = [talk.world.meant(target, one) for one in first.candidates[:MOST_NAMES]]
        names = [shown(target, one) for one in meant]
        values: Filled = {"written": first.written, "names": tuple(names)}
        return (Failed("whatif_unclear", values),)
    if not new:
        return tuple(events)
    lent = lent_state(talk, state)
    after = lent.having(Entry("", tuple(new)))
    items = tuple(item(talk.world, lent, one) for one in new)
    told = WhatIf(items, talk.world.check(lent), talk.world.check(after))
    return (told, *events)
