"""Comparisons: the same run with other values, each with the steps that leave what is compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import TYPE_CHECKING

from advisor.conversation.commands import Turn
from advisor.conversation.events import Compared, Event, Failed, NotUsed, Row
from advisor.conversation.questions import suggestion
from advisor.conversation.reading import sibling
from advisor.conversation.state import Answer, Entry, State
from advisor.conversation.writing import shown
from advisor.errors import close_names
from advisor.rulebook.model import Input, Value

if TYPE_CHECKING:
    from advisor.conversation.core import Conversation

MOST_ROWS = 24
_MOST_INPUTS = 2
_KEEP = "keep"


def compare(talk: Conversation, state: State, argument: str) -> Turn:
    """The same run with other GPUs, methods, or values of any input or of two.

    ``… keep INPUT …`` names what the steps of every row leave alone besides what is compared.
    """
    words, more = _split(argument.split())
    if words == ["ladder"] and not more:
        from advisor.conversation.telling import plan

        return plan(talk, state, "")
    targets = [_usual(talk, state)] if not words else []
    kept: list[Input] = []
    for place, word in [(targets, one) for one in words[:_MOST_INPUTS]] + [(kept, w) for w in more]:
        target = named_input(talk, word)
        if target is None:
            every = [*talk.world.shelves, *talk.world.marker.vocabulary.names]
            near = tuple(close_names(word, every))
            return Turn(state, (Failed("compare_what", {"word": word[:80], "near": near}),), False)
        place.append(target)
    shown_table = table(talk, state, targets, kept=kept, is_usual=not words)
    if shown_table is None:
        return Turn(state, (Failed("nothing_to_compare", {"word": argument[:80]}),), False)
    told: list[Event] = [shown_table]
    if words[_MOST_INPUTS:]:
        told.append(NotUsed(tuple(word[:80] for word in words[_MOST_INPUTS:])))
    return Turn(state, tuple(told), False)


def table(
    talk: Conversation,
    state: State,
    targets: Sequence[Input],
    named: Sequence[Value] = (),
    kept: Sequence[Input] = (),
    is_usual: bool = False,
) -> Compared | None:
    """The same run with the usual values of one input or two; None where there are none.

    ``named`` are values of the first of them that are to be among them, ``kept`` what the steps of
    every row leave alone besides; ``is_usual`` says that nobody named what to compare.
    """
    every = [options(talk, state, target) for target in targets]
    every[0] = _ordered([*every[0], *(one for one in named if one not in every[0])])
    if not all(every):
        return None
    base = lent_state(talk, state, *(target.name for target in targets))
    held = tuple(dict.fromkeys((*_with_counts(talk, targets), *_with_counts(talk, kept))))
    rows: list[Row] = []
    for values in list(product(*every))[:MOST_ROWS]:
        pairs = list(zip(targets, values, strict=True))
        entry = Entry("", tuple(Answer(target.name, value) for target, value in pairs))
        label = " · ".join(shown(target, value) for target, value in pairs)
        known = state.answers
        current = all(
            target.name in known and known[target.name].value == value for target, value in pairs
        )
        rows.append(_row(talk, base.having(entry), held, label, current))
    names = ", ".join(target.name for target in targets)
    return Compared(names, tuple(rows), held, is_usual)


def named_inputs(talk: Conversation, words: Sequence[str]) -> tuple[list[Input], list[Input]]:
    """The inputs that the words after ``/compare`` name, and those behind ``keep``."""
    first, more = _split(list(words))
    found = [[named_input(talk, word) for word in some] for some in (first, more)]
    targets, kept = ([one for one in some if one is not None] for some in found)
    return targets, kept


def _split(words: list[str]) -> tuple[list[str], list[str]]:
    """What to compare, and what to keep."""
    if _KEEP not in words[:-1]:
        return words, []
    at = words.index(_KEEP)
    return words[:at], words[at + 1 :]


def _row(talk: Conversation, state: State, held: tuple[str, ...], label: str, current: bool) -> Row:
    """One alternative. Where no steps help that leave alone what is held, the run's plan may yet:
    then the row tells what it would change."""
    check = talk.world.check(state, held)
    if check.plan is None or check.plan.solved:
        return Row(label, check, current)
    free = talk.world.check(state)
    if free.plan is None or not free.plan.solved or free.verdict is None:
        return Row(label, check, current)
    before, after = free.verdict.trace.values, free.plan.final.trace.values
    changed = tuple(name for name in held if before.get(name) != after.get(name))
    return Row(label, check, current, changed, free.plan)


def _with_counts(talk: Conversation, targets: Iterable[Input]) -> tuple[str, ...]:
    """Inputs, and how many there are of a thing: who asks what a card can do has no second one."""
    inputs = talk.world.book.inputs
    names = [one.name for one in targets]
    counts = [sibling(one.name) for one in targets if one.type == "catalogue"]
    return (*names, *(name for name in counts if name in inputs))


def _usual(talk: Conversation, state: State) -> Input:
    """What is compared where nobody says what: the first thing of a catalogue that is counted, or
    else the first input that has values to compare."""
    inputs = talk.world.book.inputs
    for target in inputs.values():
        if target.type == "catalogue" and sibling(target.name) in inputs:
            return target
    every = list(inputs.values())
    return next((one for one in every if options(talk, state, one)), every[0])


def named_input(talk: Conversation, word: str) -> Input | None:
    """The input of ``gpus``, ``methods``, ``hardware.count``, ``batch``."""
    book, vocabulary = talk.world.book, talk.world.marker.vocabulary
    for target in book.inputs.values():
        if target.catalogue and word.casefold() in (target.catalogue, target.catalogue.rstrip("s")):
            return target
    name = word if word in book.inputs else vocabulary.named(word) or vocabulary.named(word[:-1])
    return book.inputs.get(name or "")


def lent_state(talk: Conversation, state: State, *but: str) -> State:
    """The state with suggestions for what the verdict lacks, so that there is one to compare."""
    world, look = talk.world, talk.view(state).verdict.outlook
    lent = []
    for name in look.needed:
        value = suggestion(world, look, world.book.inputs[name])
        if name not in but and value is not None:
            lent.append(Answer(name, value, "assumed"))
    return state.having(Entry("", tuple(lent))) if lent else state


def options(talk: Conversation, state: State, target: Input) -> list[Value]:
    """The usual values of an input, with the one it has."""
    values: list[Value] = list(talk.world.typical(target))
    if not values and target.type == "boolean":
        values = [False, True]
    values = values or list(target.choices if target.type == "enum" else ())
    current = state.answers.get(target.name)
    if current is not None and current.value is not None and current.value not in values:
        values.append(current.value)
    return _ordered(values)


def _ordered(values: list[Value]) -> list[Value]:
    """Numbers by size; anything else as it is."""
    if all(isinstance(value, float) for value in values):
        values.sort(key=lambda value: float(value))  # type: ignore[arg-type]
    return values
