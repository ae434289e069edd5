"""Commands that change the answers, or take a change back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from advisor.conversation.answering import answers_of, hear, item, refused_event, remarks
from advisor.conversation.closing import closing
from advisor.conversation.commands import Turn
from advisor.conversation.events import Event, Failed, Said, Understood
from advisor.conversation.questions import suggestion
from advisor.conversation.reading import Reading, refusal
from advisor.conversation.slots import read_text
from advisor.conversation.spoken import LANGUAGES
from advisor.conversation.state import Answer, Entry, State, changed
from advisor.conversation.writing import shown
from advisor.errors import FileProblems
from advisor.rulebook.values import BadValue, read_value
from advisor.source import read_text as read_yaml

if TYPE_CHECKING:
    from advisor.conversation.core import Conversation


def back(talk: Conversation, state: State, argument: str) -> Turn:
    """Take back the last line that changed something."""
    if not state.log:
        return Turn(state, (Failed("nothing_to_undo"),), False)
    return Turn(state.back(), (Said("undone", {"text": _shown(state.log[-1])}),))


def redo(talk: Conversation, state: State, argument: str) -> Turn:
    """Do again what was taken back."""
    if not state.undone:
        return Turn(state, (Failed("nothing_to_redo"),), False)
    return Turn(state.redo(), (Said("redone", {"text": _shown(state.undone[-1])}),))


def _shown(entry: Entry) -> str:
    names = ", ".join(answer.name for answer in entry.answers)
    return " ".join(entry.text.split())[:80] or names


def skip(talk: Conversation, state: State, argument: str) -> Turn:
    """Take the suggestion for the question that is asked."""
    heard = hear(talk.world, state, talk.question(state), "")
    if heard.entry is None:
        return Turn(state, (Failed("nothing_asked"),), False)
    return Turn(state.having(heard.entry), heard.events)


def more(talk: Conversation, state: State, argument: str) -> Turn:
    """Go on asking, for what only changes time and cost too."""
    after = state._replace(refine=True)
    if talk.question(after) is None:
        return Turn(state, (closing(after, talk.view(after).verdict.outlook),), False)
    return Turn(after, ())


def lang(talk: Conversation, state: State, argument: str) -> Turn:
    """Speak another language."""
    wanted = argument.casefold()
    if wanted not in LANGUAGES:
        return Turn(state, (Failed("no_language", {"known": LANGUAGES}),), False)
    return Turn(state._replace(language=wanted), (Said("language"),))


def set_(talk: Conversation, state: State, argument: str) -> Turn:
    """Give inputs a value: ``name=value``, or as in a free line."""
    if not argument:
        return Turn(state, (Failed("set_what"),), False)
    exact = _assignment(talk, state, argument)
    if isinstance(exact, Failed):
        return Turn(state, (exact,), False)
    reading = Reading()
    if exact is not None:
        said = [exact]
    else:
        reading = read_text(argument, talk.world.marker)
        said = answers_of(talk.world, reading)
    events: list[Event] = []
    if said:
        events.append(Understood(tuple(item(talk.world, state, one) for one in said)))
    events += remarks(reading)
    new = changed(state, said)
    if not new and not reading.unclear:
        if not said and not reading.refused:
            events = [Failed("not_understood", {"words": argument})]
        return Turn(state, tuple(events), False)
    return Turn(state.having(Entry(f"/set {argument}", new, reading.unclear)), tuple(events))


_ASSIGNMENT = re.compile(r"([A-Za-z_][\w. -]*?)\s*=\s*(\S.*)")


def _assignment(talk: Conversation, state: State, argument: str) -> Answer | Failed | None:
    """One assignment by an input's name; None for anything else."""
    match = _ASSIGNMENT.fullmatch(argument)
    if match is None or "=" in match[2]:
        return None
    world = talk.world
    name = match[1] if match[1] in world.book.inputs else world.marker.vocabulary.named(match[1])
    target = world.book.inputs.get(name or "")
    if target is None:
        return None
    if match[2].strip() in world.marker.words.unknown:
        value = None
        if not target.default:
            value = suggestion(world, talk.view(state).verdict.outlook, target)
        return Answer(target.name, value, "assumed")
    if target.type in ("table", "date"):
        return Failed("cannot_set", {"name": target.name})
    if target.type == "catalogue":
        if not match[2].endswith(".json"):
            return None
        return Answer(target.name, match[2], "said", argument)
    raw: object = None
    try:
        raw = read_yaml(f"v: {match[2]}", "/set").data["v"]
        return Answer(target.name, read_value(target, raw), "said", argument)
    except (BadValue, FileProblems, KeyError, TypeError) as error:
        if not isinstance(error, BadValue) or read_text(argument, world.marker).found:
            return None
        return refused_event(refusal(target, match[2], raw, error))


def take(talk: Conversation, state: State, argument: str) -> Turn:
    """Take the first N steps of the plan; all of them without a number."""
    check = talk.world.check(state)
    if check.plan is None or not check.plan.rungs:
        return Turn(state, (Failed("no_plan"),), False)
    count = len(check.plan.rungs)
    if argument and argument.casefold() != "all":
        if not (argument.isascii() and argument.isdigit() and 1 <= int(argument[:9]) <= count):
            key = "take_what" if count > 1 else "take_what_one"
            return Turn(state, (Failed(key, {"count": str(count)}),), False)
        count = int(argument)
    taken: dict[str, Answer] = {}
    for rung in check.plan.rungs[:count]:
        for name, value in rung.settings.items():
            written = shown(talk.world.book.inputs[name], value)
            taken[name] = Answer(name, value, "remedy", written, "", rung.remedy.name)
    new = changed(state, taken.values())
    told = Understood(tuple(item(talk.world, state, one) for one in new))
    return Turn(state.having(Entry(f"/take {count}", new)), (told,))
