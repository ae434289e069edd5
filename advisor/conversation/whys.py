"""What ``/why`` and questions about a word find: an input, policy, remedy or number, explained."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from advisor.check import CheckResult
from advisor.conversation.comparing import options
from advisor.conversation.events import (
    Event,
    Explained,
    PolicyExplained,
    QuestionExplained,
    RemedyExplained,
)
from advisor.conversation.questions import MOST_CHOICES, Question, question_about
from advisor.conversation.state import Answer, Entry, State
from advisor.conversation.tokens import key_of
from advisor.explain import explain
from advisor.ladder import Range
from advisor.rulebook.link import PLACEHOLDER
from advisor.rulebook.model import Input, RuleBook, Text, Value
from advisor.verdict import Verdict, fill

if TYPE_CHECKING:
    from advisor.conversation.core import Conversation

_DEPTH = 2
_LEAST = 3  # characters of the beginning of a title


def named(
    talk: Conversation, state: State, check: CheckResult, verdict: Verdict, word: str
) -> Event | None:
    """The explanation of a word after ``/why``; the headline without one; None where unknown."""
    book = talk.world.book
    if not word:
        headline = next((one for one in book.answers.values() if one.limit), None)
        return Explained(explain(verdict.trace, headline.value, _DEPTH)) if headline else None
    rungs = check.plan.rungs if check.plan else ()
    if word.isascii() and word.isdigit() and 1 <= int(word[:9]) <= len(rungs):
        return remedy(check, rungs[int(word) - 1].remedy.name)
    if word in book.remedies:
        return remedy(check, word)
    if word in book.policies:
        return policy(verdict, word)
    if word in book.answers:
        return Explained(explain(verdict.trace, book.answers[word].value, _DEPTH))
    base = word if word in book.types else talk.world.marker.vocabulary.named(word)
    if base is None:
        base = _entitled(word, [(one.name, one.title) for one in book.formulas.values()])
        base = base or _entitled(word, [(one.value, one.title) for one in book.answers.values()])
    if base is None:
        found = _titled(word, [(one.name, one.title) for one in book.remedies.values()])
        if found is not None:
            return remedy(check, found)
        found = _titled(word, [(one.name, one.title) for one in book.policies.values()])
        return policy(verdict, found) if found is not None else None
    target = book.inputs.get(base)
    if target is not None and target.ask and base not in verdict.trace.values:
        return about(talk, state, target)
    return Explained(explain(verdict.trace, base, _DEPTH))


def _entitled(word: str, titles: Iterable[tuple[str, Text]]) -> str | None:
    """What has this title in some language."""
    key = key_of(word)
    return next((one for one, title in titles if key in map(key_of, title.values())), None)


def _titled(word: str, titles: Iterable[tuple[str, Text]]) -> str | None:
    """What has this title, or the only one whose title begins so."""
    known = list(titles)
    exact = _entitled(word, known)
    key = key_of(word)
    if exact is not None or (len(key) < _LEAST and key.isascii()):
        return exact
    begun = [
        one for one, title in known if any(key_of(text).startswith(key) for text in title.values())
    ]
    return begun[0] if key and len(begun) == 1 else None


def asked(talk: Conversation, state: State, question: Question) -> QuestionExplained:
    """Why a question is asked, with what its answers come to."""
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


def about(talk: Conversation, state: State, target: Input) -> QuestionExplained:
    """An input as its question would explain it, whether or not that is asked."""
    look = talk.view(state).verdict.outlook
    found = asked(talk, state, question_about(talk.world, look, target))
    if found.outcomes or look.needed:
        return found
    outcomes = []
    for value in options(talk, state, target)[:MOST_CHOICES]:
        check = talk.world.check(state.having(Entry("", (Answer(target.name, value),))))
        if check.verdict is not None:
            first = next((one for one in check.verdict.answers.values() if one.answer.limit), None)
            likely = first.likely if first is not None else None
            outcomes.append((value, check.verdict.state, likely))
    return found._replace(outcomes=tuple(outcomes))


def meaning(talk: Conversation, state: State, target: Input, value: Value | None) -> list[Event]:
    """What an input is, and the remedies that set it to a value somebody asks about."""
    check = talk.world.check(state)
    if check.verdict is None:
        return []
    if value is None and target.type == "boolean":
        value = True
    setting = (
        one.name
        for one in talk.world.book.remedies.values()
        if value is not None and one.sets.get(target.name) == value
    )
    first = next(setting, None)
    found: list[Event] = [remedy(check, first)] if first is not None else []
    if target.ask:
        return [*found, about(talk, state, target)]
    return [*found, Explained(explain(check.verdict.trace, target.name, _DEPTH))]


def policy(verdict: Verdict, name: str) -> PolicyExplained:
    """A policy, with its message where all that stands in it is known."""
    one = verdict.trace.book.policies[name]
    outcome = next((it for it in verdict.outcomes if it.policy.name == name), None)
    is_open = outcome is None or outcome.state in ("undecided", "not applicable")
    read = {_base(it) for text in one.message.values() for it in PLACEHOLDER.findall(text)}
    messages = one.why  # where the message would tell of what does not exist here
    if read <= verdict.trace.values.keys():
        messages = {
            language: fill(one.message, verdict.trace, language) for language in one.message
        }
    return PolicyExplained(
        name,
        one.level,
        one.require.expression.text,
        str(one.origin.span),
        messages,
        outcome.state if outcome else "",
        one.title,
        _lacking(verdict, name, is_open),
    )


def _lacking(verdict: Verdict, name: str, is_open: bool) -> tuple[str, ...]:
    """The inputs without which a policy's message cannot be told; of an open one its rule, too."""
    trace = verdict.trace
    one = trace.book.policies[name]
    read = {found for text in one.message.values() for found in PLACEHOLDER.findall(text)}
    for located in (one.when, one.require) if is_open else ():
        if located is not None:
            read |= {*located.expression.names, *located.expression.guarded}
    lacking: set[str] = set()
    for outcome in verdict.outcomes:
        if outcome.policy.name == name:
            lacking |= outcome.missing
    for found in read:
        base = _base(found)
        lacking |= trace.missing.get(base, frozenset())
        if base in trace.book.inputs and base not in trace.values:
            lacking.add(base)
    return tuple(
        dict.fromkeys(owner(trace.book, one) for one in trace.book.inputs if one in lacking)
    )


def _base(name: str) -> str:
    return name.removesuffix(".low").removesuffix(".high")


def owner(book: RuleBook, name: str) -> str:
    """The input to answer for one that an entry of it brings; otherwise the input itself."""
    owners = (one.name for one in book.inputs.values() if one.catalogue)
    return next((one for one in owners if name.startswith(f"{one}.")), name)


def remedy(check: CheckResult, name: str) -> RemedyExplained:
    """A remedy with what it does to the answers now, or why it is skipped."""
    verdict = check.verdict
    assert verdict is not None
    found = verdict.trace.book.remedies[name]
    before: Mapping[str, Range] = {}
    after: Mapping[str, Range] = {}
    reason = detail = ""
    if check.plan is not None:
        for rung in check.plan.rungs:
            if rung.remedy.name == name:
                return RemedyExplained(found, _likely(rung.before), _likely(rung.after), "", "")
        for one in check.plan.skipped:
            if one.remedy.name == name:
                before, after, reason, detail = one.before, one.after, one.reason, one.detail
    return RemedyExplained(found, _likely(before), _likely(after), reason, detail)


def _likely(ranges: Mapping[str, Range]) -> dict[str, float]:
    return {name: likely for name, (_, likely, _) in ranges.items()}
