"""Commands that show something and change nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from advisor.conversation import trying, whys
from advisor.conversation.answering import item, remarks
from advisor.conversation.commands import Turn, find, registry
from advisor.conversation.comparing import named_input
from advisor.conversation.events import (
    Charted,
    Failed,
    Helped,
    Item,
    Listed,
    PlanShown,
    Said,
    Themed,
)
from advisor.conversation.slots import read_text
from advisor.conversation.state import State
from advisor.conversation.writing import shown
from advisor.errors import close_names
from advisor.evaluate import Reader
from advisor.verdict import Verdict, is_idle

if TYPE_CHECKING:
    from advisor.conversation.core import Conversation


def help_(talk: Conversation, state: State, argument: str) -> Turn:
    """The commands, or one of them."""
    command = find(argument.removeprefix("/").casefold()) if argument else None
    if argument and command is None:
        near = tuple(f"/{one}" for one in close_names(argument, registry()) or ["help"])
        return Turn(state, (Failed("no_command", {"word": argument[:40], "near": near}),), False)
    names = (command.name,) if command else tuple(registry())
    return Turn(state, (Helped(names),), False)


def answers(talk: Conversation, state: State, argument: str) -> Turn:
    """Every answer, and what the rules take for the rest."""
    world = talk.world
    given = tuple(item(world, State(), one) for one in state.answers.values())
    verdict = world.check(state).verdict
    assumed: list[tuple[str, str, Mapping[str, str]]] = []
    if verdict is not None:
        trace, read = verdict.trace, Reader(verdict.trace)
        for name, target in world.book.inputs.items():
            if name in trace.assumed and target.ask and not is_idle(read, target):
                if name in state.answers:
                    continue
                assumed.append((name, shown(target, trace.values[name]), target.because))
        given = tuple(_filled(one, verdict) for one in given)
    return Turn(state, (Listed(given, tuple(assumed)),), False)


def _filled(one: Item, verdict: Verdict) -> Item:
    """An answer left to the rules, with what they take."""
    value = verdict.trace.values.get(one.answer.name)
    if one.shown or value is None:
        return one
    return one._replace(shown=shown(verdict.trace.book.inputs[one.answer.name], value))


def plan(talk: Conversation, state: State, argument: str) -> Turn:
    """The steps that help, with the ladder's other remedies and why they are skipped."""
    check = talk.world.check(state)
    if check.verdict is None or check.plan is None:
        return Turn(state, (Said("no_plan_needed"),), False)
    return Turn(state, (PlanShown(check.plan, check.verdict),), False)


# -- why ------------------------------------------------------------------------------------------


def why(talk: Conversation, state: State, argument: str) -> Turn:
    """Why a question is asked, or how a number, remedy, policy or input comes about."""
    check = talk.world.check(state)
    question = talk.question(state)
    if check.verdict is None:
        return Turn(state, (Failed("cannot_check", {}, check.problems),), False)
    if not argument and question is not None:
        return Turn(state, (whys.asked(talk, state, question),), False)
    event = whys.named(talk, state, check, check.verdict, argument)
    if event is None:
        book = talk.world.book
        known = [*book.types, *book.policies, *book.remedies, *book.answers]
        near = tuple(close_names(argument, known))
        event = Failed("why_what", {"word": argument[:80], "near": near})
    return Turn(state, (event,), False)


# -- what if, and charts ---------------------------------------------------------------------


def whatif(talk: Conversation, state: State, argument: str) -> Turn:
    """The answers as they would be with some inputs otherwise."""
    if not argument:
        return Turn(state, (Failed("whatif_what"),), False)
    reading = read_text(argument, talk.world.marker)
    if not (reading.found or reading.unclear):
        failed = Failed("not_understood", {"words": argument})
        return Turn(state, (*remarks(reading), failed), False)
    return Turn(state, trying.supposing(talk, state, reading), False)


def chart(talk: Conversation, state: State, argument: str) -> Turn:
    """How answers go with each input that moves them, and across cards; or with one of them."""
    from advisor.conversation.charts import charts

    drawn = charts(talk, state)
    if not drawn:
        return Turn(state, (Said("chart_none"),), False)
    if not argument:
        return Turn(state, (Charted(drawn),), False)
    names = [one.name for one in drawn]
    target = named_input(talk, argument)
    if target is None or target.name not in names:
        values = {"word": argument[:80], "known": ", ".join(names)}
        return Turn(state, (Failed("chart_what", values),), False)
    return Turn(state, (Charted(drawn, names.index(target.name)),), False)


def theme(talk: Conversation, state: State, argument: str) -> Turn:
    """Other colours, which are a face's to change."""
    return Turn(state, (Themed(argument[:80]),), False)
