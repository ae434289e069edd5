"""Which question comes next, and what it offers."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile
from typing import Literal, NamedTuple

from advisor.conversation.outlook import Outlook
from advisor.conversation.reading import Unclear
from advisor.conversation.state import State
from advisor.conversation.world import World
from advisor.conversation.writing import shown
from advisor.rulebook.model import NO_TEXT, Input, Text, Value

MOST_QUESTIONS = 8
"""Questions asked of somebody who does not ask for more."""
MOST_CHOICES = 9
"""Choices shown: one for each digit."""

Reason = Literal["unclear", "needed", "verdict", "remedy", "together", "wanted", "numbers"]


class Choice(NamedTuple):
    """One answer on offer: what to send for it, and its value."""

    text: str
    value: Value


class Question(NamedTuple):
    """One question.

    ``is_numbered`` says that a digit picks a choice; a number asked for is itself the answer.
    ``suggested`` is what is taken where the person does not know (empty: nothing, and the input
    stays open), ``value`` the same as a value, ``because`` why. ``number`` counts from 1; ``most``
    is how many there may be.
    """

    name: str
    reason: Reason
    choices: tuple[Choice, ...]
    is_numbered: bool
    suggested: str
    value: Value | None
    because: Text
    number: int
    most: int
    written: str = ""


def next_question(world: World, state: State, look: Outlook) -> Question | None:
    """The question to ask now, or None when no open answer changes the verdict or what to do.

    The order: what was said and may mean several things; what the verdict lacks; what turns it,
    alone or together with others; what changes the first step; and, for somebody who asked for
    more, what time and cost lack or depend on. Stronger inputs come first.
    """
    if state.pending is not None:
        return _clarify(world, state, state.pending)
    first = next(_waiting(world, state, look), None)
    if first is None:
        return None
    name, reason = first
    waiting = {*look.needed, *look.unsure, *(look.wanted if state.refine else ())}
    most = state.questions + len(waiting - state.answers.keys())
    return _ask(world, state, look, world.book.inputs[name], reason, min(most, _most(state)))


def _most(state: State) -> int:
    return MOST_QUESTIONS * (2 if state.refine else 1)


def _waiting(world: World, state: State, look: Outlook) -> Iterator[tuple[str, Reason]]:
    """Every question that may still come, the next one first."""
    asked = state.answers.keys()
    order = {name: at for at, name in enumerate(world.book.inputs)}

    def ranked(names: Iterable[str]) -> list[str]:
        def rank(name: str) -> tuple[float, int]:
            effect = look.effects.get(name)
            return (-round(effect.size, 3) if effect else 0.0, order[name])

        return sorted((name for name in names if name not in asked), key=rank)

    def those(holds: str) -> list[str]:
        return ranked(name for name, one in look.effects.items() if getattr(one, holds))

    found: dict[str, Reason] = {}
    for name in ranked(look.needed):
        found.setdefault(name, "needed")
    if state.questions < _most(state):
        for name in those("turns"):
            found.setdefault(name, "verdict")
        for name in ranked([look.redirect] if look.redirect else []):
            found.setdefault(name, "remedy")
        for name in those("size") if look.open_together else ():
            found.setdefault(name, "together")
        if state.refine:
            for name in ranked(look.wanted):
                found.setdefault(name, "wanted")
            for name in those("moves"):
                found.setdefault(name, "numbers")
    left = max(0, _most(state) - state.questions)
    needed = sum(reason == "needed" for reason in found.values())
    order_of_asking = _after_what_they_rest_on(world.book.reads, found)
    yield from [(name, found[name]) for name in order_of_asking][: max(left, needed)]


def _after_what_they_rest_on(
    reads: Mapping[str, frozenset[str]], names: Iterable[str]
) -> Iterable[str]:
    """The names in their order, but each after those its default rests on.

    A default that was taken would change under somebody's hand otherwise: the trainer's own limit
    of the length is another one once the trainer is named.
    """
    asked = list(names)
    placed: dict[str, None] = {}

    def place(name: str, on_the_way: frozenset[str]) -> None:
        for other in asked:
            if other in reads.get(name, ()) and other not in on_the_way:
                place(other, on_the_way | {other})
        placed.setdefault(name)

    for name in asked:
        place(name, frozenset((name,)))
    return placed


def _ask(
    world: World, state: State, look: Outlook, target: Input, reason: Reason, most: int
) -> Question:
    suggested = suggestion(world, look, target)
    return Question(
        target.name,
        reason,
        choices(world, target, suggested),
        target.type not in ("integer", "number"),
        shown(target, suggested) if suggested is not None else "",
        suggested,
        target.because,
        state.questions + 1,
        max(most, state.questions + 1),
    )


def question_about(world: World, look: Outlook, target: Input) -> Question:
    """The question of an input that is not the one to ask now."""
    return _ask(world, State(), look, target, "needed", 1)


def suggestion(world: World, look: Outlook, target: Input) -> Value | None:
    """What somebody is offered who does not know: the rules' default or suggestion."""
    if target.default:
        value = look.defaults.get(target.name)
        return value if isinstance(value, float | bool | str | frozenset) else None
    if target.type == "catalogue" and target.suggest is not None:
        ids = world.shelves[target.catalogue].exactly(str(target.suggest))
        return world.entry_name(target, ids[0]) if len(ids) == 1 else None
    return target.suggest


def choices(world: World, target: Input, suggested: Value | None) -> tuple[Choice, ...]:
    """The answers on offer, the usual ones; anything else the input takes may be typed."""
    values: list[Value] = []
    if target.type == "boolean":
        values = [True, False]
    elif target.type == "set":
        return tuple(Choice(name, members) for name, members in target.groups.items())
    elif target.choices:
        values = list(target.choices)
    else:
        values = list(world.typical(target))
    if suggested is not None and suggested not in values:
        values.append(suggested)
        if all(isinstance(value, float) for value in values):
            values.sort(key=lambda value: float(value))  # type: ignore[arg-type]
    return tuple(Choice(shown(target, value), value) for value in values[:MOST_CHOICES])


def _clarify(world: World, state: State, unclear: Unclear) -> Question:
    target = world.book.inputs[unclear.name]
    if target.type != "catalogue":
        return _which(state, target, unclear)
    names = [world.entry_name(target, str(one)) for one in unclear.candidates]
    usual = [str(value) for value in world.typical(target) if value in names]
    suggest = str(target.suggest) if target.suggest is not None else ""
    ids = world.shelves[target.catalogue].exactly(suggest) if suggest else ()
    first = [world.entry_name(target, one) for one in ids if one in unclear.candidates]
    related = sorted(names, key=lambda name: -_shared(name, suggest))
    ordered = list(dict.fromkeys([*first, *usual, *related]))[:MOST_CHOICES]
    because = target.because if first else NO_TEXT
    return Question(
        target.name,
        "unclear",
        tuple(Choice(name, name) for name in ordered),
        True,
        ordered[0],
        ordered[0],
        because,
        state.questions + 1,
        max(MOST_QUESTIONS, state.questions + 1),
        unclear.written,
    )


def _shared(one: str, other: str) -> int:
    """How many letters two names begin alike with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _which(state: State, target: Input, unclear: Unclear) -> Question:
    """Several values were said for one input: which one counts."""
    offered = tuple(Choice(shown(target, one), one) for one in unclear.candidates[:MOST_CHOICES])
    return Question(
        target.name,
        "unclear",
        offered,
        target.type not in ("integer", "number"),
        offered[0].text,
        offered[0].value,
        NO_TEXT,
        state.questions + 1,
        max(MOST_QUESTIONS, state.questions + 1),
        unclear.written,
    )
