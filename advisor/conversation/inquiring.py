"""What a line that asks leads to: an explanation, what would be, or a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from advisor.conversation import comparing, trying, whys
from advisor.conversation.answering import Heard, answers_of, hear, is_news, is_puzzled, item
from advisor.conversation.asking import Inquiry, Line, clause
from advisor.conversation.events import Event, NotUsed, Said, Understood
from advisor.conversation.reading import Reading
from advisor.conversation.slots import read_text
from advisor.conversation.spoken import Intent
from advisor.conversation.state import Answer, Entry, State
from advisor.conversation.tokens import clean
from advisor.rulebook.model import say

if TYPE_CHECKING:
    from advisor.conversation.core import Conversation


_SHOWN = 80  # characters of what was not read


def told(talk: Conversation, state: State, line: Line) -> tuple[State, tuple[Event, ...]]:
    """The state after what a line says beside its questions, and what there is to show."""
    after, events = _said(talk, state, line.said, line.asked)
    for one in line.asked:
        if one.kind == "word":
            events += _word(talk, after, one)
        elif one.kind == "supposed":
            events += trying.supposing(talk, after, one.reading)
        else:
            events += _compared(talk, after, one)
    if line.unread:
        events += (NotUsed((line.unread[:_SHOWN],)),)
    return after, events


def _word(talk: Conversation, state: State, one: Inquiry) -> tuple[Event, ...]:
    target = talk.world.book.inputs[one.about]
    value = next(iter(one.values), None)
    title = say(target.title, state.language)
    said = Said("explains_plain", {"name": one.about})
    if title not in ("", one.about):
        said = Said("explains", {"name": one.about}, (one.about,))
    return (said, *whys.meaning(talk, state, target, value))


def _said(
    talk: Conversation, state: State, text: str, asked: tuple[Inquiry, ...] = ()
) -> tuple[State, tuple[Event, ...]]:
    """The state after a text, and after what comparisons say that nobody has said before."""
    heard = Heard(None, ())
    if any(map(str.isalnum, text)):  # without a word it would take a suggestion
        heard = hear(talk.world, state, talk.question(state), text)
    events = tuple(event for event in heard.events if not is_puzzled(event))
    entry = heard.entry
    known = {*state.answers, *(it.name for it in (entry.answers if entry else ()))}
    known.update(one.about for one in asked)
    for one in asked:
        if one.kind != "compared":
            continue
        new = tuple(it for it in answers_of(talk.world, one.reading) if it.name not in known)
        unclear = tuple(it for it in one.reading.unclear if it.name not in known)
        known |= {*(it.name for it in new), *(it.name for it in unclear)}
        if new:
            events += (Understood(tuple(item(talk.world, state, it) for it in new)),)
        if new or unclear:
            entry = entry or Entry(text)
            entry = entry._replace(
                answers=(*entry.answers, *new), unclear=(*entry.unclear, *unclear)
            )
    return (state.having(entry) if entry else state), events


def _compared(talk: Conversation, state: State, one: Inquiry) -> tuple[Event, ...]:
    """The table, with what contradicts an answer only supposed."""
    world = talk.world
    target = world.book.inputs[one.about]
    supposed, events = otherwise(talk, state, one.reading, one.about)
    named = [world.meant(target, value) for value in one.values]
    table = comparing.table(talk, supposed, [target], named)
    return (*events, table) if table is not None else events


def otherwise(
    talk: Conversation, state: State, reading: Reading, *but: str
) -> tuple[State, tuple[Event, ...]]:
    """The state as a question supposes it against its answers, and what says so."""
    known = state.answers
    new: list[Answer] = [
        one
        for one in answers_of(talk.world, reading)
        if one.name not in but and one.name in known and known[one.name].value != one.value
    ]
    vague = tuple(
        one.written
        for one in reading.unclear
        if one.name in known and one.name not in but and is_news(talk.world, state, one)
    )
    events: tuple[Event, ...] = (NotUsed(vague),) if vague else ()
    if not new:
        return state, events
    names = {one.name for one in new}
    found = tuple(one for one in reading.found if one.name in names)
    shown = trying.supposing(talk, state, Reading(found))
    return state.having(Entry("", tuple(new))), (*shown, *events)


# -- what a sentence asks for beside the answers in it --------------------------------------------


class Wanted(NamedTuple):
    """A command that a text asks for, and where its words stand in the text without wide blanks."""

    intent: Intent
    start: int
    end: int


def wanted(talk: Conversation, text: str) -> Wanted | None:
    """The first command whose words stand in a text."""
    folded = _line(text).casefold()
    for intent in talk.world.marker.words.intents:
        for phrase in intent.phrases:
            at = folded.find(phrase)
            if at >= 0:
                return Wanted(intent, at, at + len(phrase))
    return None


def owed(before: State, after: State) -> str:
    """The line whose vague words were settled just now: what it asks for can be told at last."""
    if before.pending is None or after.pending is not None or len(after.log) <= len(before.log):
        return ""
    return next((entry.text for entry in reversed(before.current) if entry.unclear), "")


def against(
    talk: Conversation, state: State, text: str, want: Wanted
) -> tuple[State, tuple[Event, ...]] | None:
    """A table for values that contradict the answers, which stay; None where nothing does.

    What stands in other clauses than the question is said as ever.
    """
    world = talk.world
    line = _line(text)
    first, last = clause(line, want.start, want.end)
    reading = read_text(line[first:last], world.marker)
    known = state.answers
    differs = [
        one.name
        for one in answers_of(world, reading)
        if one.name in known and known[one.name].value != one.value
    ]
    differs += [
        one.name for one in reading.unclear if one.name in known and is_news(world, state, one)
    ]
    if not differs:
        return None
    rest = f"{line[:first]} {line[last:]}"
    after, before = _said(talk, state, rest)
    targets, kept = comparing.named_inputs(talk, want.intent.run.split()[1:])
    names = [one.name for one in targets]
    supposed, events = otherwise(talk, after, reading, *names)
    named = [
        one.value
        for one in answers_of(world, reading)
        if one.name == names[0] and one.value is not None
    ]
    table = comparing.table(talk, supposed, targets, named, kept)
    return after, (*before, *events, *((table,) if table else ()))


def _line(text: str) -> str:
    return " ".join(clean(text).split())
