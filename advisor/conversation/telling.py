"""Commands that show something and change nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from advisor.check import CheckResult
from advisor.conversation.answering import answers_of, item, remarks
from advisor.conversation.commands import Turn, find, registry
from advisor.conversation.comparing import lent_state, named_input
from advisor.conversation.events import (
    Charted,
    Event,
    Explained,
    Failed,
    Filled,
    Helped,
    Item,
    Listed,
    PlanShown,
    PolicyExplained,
    QuestionExplained,
    RemedyExplained,
    Said,
    Themed,
    WhatIf,
)
from advisor.conversation.questions import Question
from advisor.conversation.slots import read_text
from advisor.conversation.state import Entry, State
from advisor.conversation.tokens import key_of
from advisor.conversation.writing import shown
from advisor.errors import close_names
from advisor.evaluate import Reader
from advisor.explain import explain
from advisor.ladder import Range
from advisor.verdict import Verdict, fill, is_idle

if TYPE_CHECKING:
    from advisor.conversation.core import Conversation

_MOST_NAMES = 24
_DEPTH = 2


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
        return Turn(state, (_question(talk, state, question),), False)
    event = _named(talk, check, check.verdict, argument)
    if event is None:
        book = talk.world.book
        known = [*book.types, *book.policies, *book.remedies, *book.answers]
        near = tuple(close_names(argument, known))
        event = Failed("why_what", {"word": argument[:80], "near": near})
    return Turn(state, (event,), False)


def _named(talk: Conversation, check: CheckResult, verdict: Verdict, word: str) -> Event | None:
    book = talk.world.book
    if not word:
        headline = next((one for one in book.answers.values() if one.limit), None)
        return Explained(explain(verdict.trace, headline.value, _DEPTH)) if headline else None
    rungs = check.plan.rungs if check.plan else ()
    if word.isascii() and word.isdigit() and 1 <= int(word[:9]) <= len(rungs):
        return _remedy(check, rungs[int(word) - 1].remedy.name)
    if word in book.remedies:
        return _remedy(check, word)
    if word in book.policies:
        return _policy(verdict, word)
    if word in book.answers:
        return Explained(explain(verdict.trace, book.answers[word].value, _DEPTH))
    base = word if word in book.types else talk.world.marker.vocabulary.named(word)
    if base is None:
        titles = [(one.name, one.title) for one in book.formulas.values()]
        titles += [(one.value, one.title) for one in book.answers.values()]
        key = key_of(word)
        base = next((n for n, title in titles if key in map(key_of, title.values())), None)
    return Explained(explain(verdict.trace, base, _DEPTH)) if base else None


def _question(talk: Conversation, state: State, question: Question) -> QuestionExplained:
    target = talk.world.book.inputs[question.name]
    effect = talk.view(state).verdict.outlook.effects.get(question.name)
    outcomes = tuple(
        (
            one.value,
            one.signature[0][0] if one.signature[0] else "",
            next(iter(one.amounts.values()), None),
        )
        for one in (effect.trials if effect else ())
    )
    return QuestionExplained(question, outcomes, str(target.origin.span))


def _policy(verdict: Verdict, name: str) -> PolicyExplained:
    policy = verdict.trace.book.policies[name]
    state = next((one.state for one in verdict.outcomes if one.policy.name == name), "")
    messages = {
        language: fill(policy.message, verdict.trace, language) for language in policy.message
    }
    rule = policy.require.expression.text
    return PolicyExplained(name, policy.level, rule, str(policy.origin.span), messages, state)


def _remedy(check: CheckResult, name: str) -> RemedyExplained:
    verdict = check.verdict
    assert verdict is not None
    remedy = verdict.trace.book.remedies[name]
    before: Mapping[str, Range] = {}
    after: Mapping[str, Range] = {}
    reason = detail = ""
    if check.plan is not None:
        for rung in check.plan.rungs:
            if rung.remedy.name == name:
                return RemedyExplained(remedy, _likely(rung.before), _likely(rung.after), "", "")
        for one in check.plan.skipped:
            if one.remedy.name == name:
                before, after, reason, detail = one.before, one.after, one.reason, one.detail
    return RemedyExplained(remedy, _likely(before), _likely(after), reason, detail)


def _likely(ranges: Mapping[str, Range]) -> dict[str, float]:
    return {name: likely for name, (_, likely, _) in ranges.items()}


# -- what if, and comparisons ---------------------------------------------------------------------


def whatif(talk: Conversation, state: State, argument: str) -> Turn:
    """The answers as they would be with some inputs otherwise."""
    if not argument:
        return Turn(state, (Failed("whatif_what"),), False)
    reading = read_text(argument, talk.world.marker)
    new = answers_of(talk.world, reading)
    events = remarks(reading)
    if reading.unclear:
        first = reading.unclear[0]
        target = talk.world.book.inputs[first.name]
        meant = [talk.world.meant(target, one) for one in first.candidates[:_MOST_NAMES]]
        names = [shown(target, one) for one in meant]
        values: Filled = {"written": first.written, "names": tuple(names)}
        return Turn(state, (Failed("whatif_unclear", values),), False)
    if not new:
        return Turn(state, (*events, Failed("not_understood", {"words": argument})), False)
    lent = lent_state(talk, state)
    after = lent.having(Entry("", tuple(new)))
    items = tuple(item(talk.world, lent, one) for one in new)
    told = WhatIf(items, talk.world.check(lent), talk.world.check(after))
    return Turn(state, (told, *events), False)


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
