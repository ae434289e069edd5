"""A line that is no command: the answer to the question, or free text about the run."""

from collections.abc import Iterable
from typing import NamedTuple

from advisor.conversation import picking
from advisor.conversation.crash import find_crash
from advisor.conversation.events import Crashed, Event, Failed, Item, NotUsed, Understood
from advisor.conversation.questions import Question
from advisor.conversation.reading import Found, Reading, Refused, Unclear, refusal
from advisor.conversation.slots import read_text
from advisor.conversation.state import Answer, Crash, Entry, Origin, State, changed
from advisor.conversation.tokens import MAX_TEXT, clean, key_of
from advisor.conversation.world import World
from advisor.conversation.writing import shown
from advisor.errors import close_names
from advisor.rulebook.model import NO_TEXT, Input, Value
from advisor.rulebook.values import BadValue, read_value


class Heard(NamedTuple):
    """What a line comes to: the entry for the log (None: nothing changed), and what to say."""

    entry: Entry | None
    events: tuple[Event, ...]


def hear(world: World, state: State, question: Question | None, text: str) -> Heard:
    """The answers in a line, held against what is known already."""
    words = world.marker.words
    bare = clean(text).strip()
    is_enter = not text.strip(" \t\r\n\u3000")  # a line of control characters is none
    is_left = bare and question and picking.leaves_it(world, question.name, bare)
    if is_enter or is_left or picking.is_unknown(words, bare):
        return _unknown(world, state, question)
    if question is not None:
        picked = _picked(world, state, question, bare)
        if picked is not None:
            return _heard(world, state, question, bare, picked)
    crash, rest = find_crash(text[:MAX_TEXT], words)
    expected = world.book.inputs[question.name] if question else None
    if question and question.reason == "unclear" and question.is_numbered:
        expected = None
    reading = read_text(rest, world.marker, expected)
    reading = _with_scaled(world, state, reading)
    if question is not None and crash is None:
        reading = picking.by_beginning(world, question.name, bare, reading)
    answers = [_answer(world, one) for one in reading.found]
    extra = _capacity(world, state, reading, crash)
    return _heard(world, state, question, text, answers, reading, crash, extra)


def _with_scaled(world: World, state: State, reading: Reading) -> Reading:
    """The reading with ``double the batch`` as the batch that comes of it."""
    for one in reading.scaled:
        target = world.book.inputs[one.name]
        verdict = world.check(state).verdict
        now = verdict.trace.values.get(one.name) if verdict is not None else None
        if isinstance(now, bool) or not isinstance(now, int | float):
            continue
        raw = (now * one.factor + one.more) / target.unit.scale
        unused = tuple(words for words in reading.unused if words != one.written)
        reading = reading._replace(unused=unused)
        try:
            found = Found(one.name, read_value(target, raw), one.written)
        except BadValue as error:
            refused = refusal(target, one.written, raw, error)
            reading = reading._replace(refused=(*reading.refused, refused))
            continue
        reading = reading._replace(found=(*reading.found, found))
    return reading


def _heard(
    world: World,
    state: State,
    question: Question | None,
    text: str,
    answers: Iterable[Answer],
    reading: Reading | None = None,
    crash: Crash | None = None,
    extra: tuple[Unclear, ...] = (),
) -> Heard:
    reading = reading or Reading()
    said = tuple(answers)
    new = changed(state, said)
    unclear = tuple(one for one in (*reading.unclear, *extra) if is_news(world, state, one))
    events: list[Event] = []
    if crash is not None:
        events.append(Crashed(crash))
    if said:
        events.append(Understood(tuple(item(world, state, one) for one in said)))
    events += remarks(reading)
    asked = question.name if question and any(one.name == question.name for one in said) else ""
    if not (new or unclear or crash or asked):
        left = set(reading.unused) - set(reading.denied)
        if not events or (left and not said and not reading.refused):
            events = [_puzzled(world, question, reading)]
        return Heard(None, tuple(events))
    return Heard(Entry(text, said if asked else new, unclear, crash, asked), tuple(events))


def is_puzzled(event: Event) -> bool:
    """Whether an event says that nothing was understood."""
    return isinstance(event, Failed) and event.key in ("not_understood", "no_answer")


def refused_event(refused: Refused) -> Failed:
    """A refusal as an event."""
    values = {"name": refused.name, "written": refused.written, "detail": refused.detail}
    return Failed(f"refused_{refused.reason}", values)


def remarks(reading: Reading) -> list[Event]:
    """What a reading could not use, and why."""
    events: list[Event] = [refused_event(one) for one in reading.refused]
    if reading.unused:
        events.append(NotUsed(reading.unused))
    return events


def _puzzled(world: World, question: Question | None, reading: Reading) -> Event:
    """Nothing was understood: say so, and what is near."""
    words = reading.unused
    if question is not None and picking.same_as_before(world.marker.words, " ".join(words)):
        return Failed("no_answer", {"words": words})
    known: list[str] = [choice.text for choice in question.choices] if question else []
    known += [word for word in world.marker.vocabulary.names if len(word) > 2]
    near = [close for word in reading.unused[:3] for close in close_names(word, known, 2)]
    if near:
        return Failed("not_understood_near", {"words": words, "near": tuple(near)})
    return Failed("not_understood" if question is None else "no_answer", {"words": words})


def is_news(world: World, state: State, unclear: Unclear) -> bool:
    """Whether a vague word leaves anything open that is not answered more exactly already."""
    known = state.answers.get(unclear.name)
    if known is None or not known.is_known:
        return True
    target = world.book.inputs[unclear.name]
    if target.type != "catalogue":
        return True
    return known.value not in [world.meant(target, one) for one in unclear.candidates]


def _unknown(world: World, state: State, question: Question | None) -> Heard:
    """The person does not know: the suggestion is taken, and marked as such."""
    if question is None:
        return Heard(None, ())
    target = world.book.inputs[question.name]
    value: Value | None = None
    if question.reason == "unclear" or not target.default:
        value = question.value
    answer = Answer(question.name, value, "assumed")
    taken = Item(answer, question.suggested, "", question.because)
    events: tuple[Event, ...] = (Understood((taken,)),)
    return Heard(Entry("", (answer,), (), None, question.name), events)


def _picked(world: World, state: State, question: Question, text: str) -> list[Answer] | None:
    """The choice that a line names: by its number, or by itself."""
    key, words = key_of(text), world.marker.words
    if question.is_numbered and text.rstrip(".)").isascii() and text.rstrip(".)").isdigit():
        position = int(text.rstrip(".)")) if len(text) < 4 else 0
        if 1 <= position <= len(question.choices):
            choice = question.choices[position - 1]
            return [Answer(question.name, choice.value, "picked", choice.text)]
    for choice in question.choices:
        if key and key_of(choice.text) == key and question.is_numbered:
            return [Answer(question.name, choice.value, "said", text)]
    target = world.book.inputs[question.name]
    value = _meant(world, target, text)
    if value is None:
        value = picking.by_place(world, question, text)
    before = state.answers.get(question.name)
    if value is None and before and before.is_known and picking.same_as_before(words, text):
        value = before.value
    return [Answer(question.name, value, "said", text)] if value is not None else None


def _meant(world: World, target: Input, text: str) -> Value | None:
    if target.type == "boolean":
        words = world.marker.words
        bare = picking.folded(text)
        if bare in words.yes:
            return True
        if bare in words.no:
            return False
    if target.type in ("boolean", "enum", "set"):
        return world.marker.vocabulary.value(target, text)
    return None


def _answer(world: World, found: Found, origin: Origin = "said") -> Answer:
    target = world.book.inputs[found.name]
    value = found.value
    if target.type == "catalogue":
        value = world.entry_name(target, str(value))
    return Answer(found.name, value, origin, found.written, found.read_as)


def answers_of(world: World, reading: Reading) -> list[Answer]:
    """The answers in a reading."""
    return [_answer(world, one) for one in reading.found]


def _capacity(
    world: World, state: State, reading: Reading, crash: Crash | None
) -> tuple[Unclear, ...]:
    """The entries that a crash message can be about, where nobody has said which."""
    if crash is None or crash.capacity is None:
        return ()
    known = {*state.answers, *(one.name for one in reading.found)}
    known.update(one.name for one in reading.unclear)
    for target in world.book.inputs.values():
        shelf = world.shelves.get(target.catalogue)
        if shelf is not None and target.name not in known:
            ids = shelf.with_figure([crash.capacity])
            if ids:
                return (Unclear(target.name, f"{crash.capacity / (1 << 30):.1f} GiB", ids),)
    return ()


def item(world: World, state: State, answer: Answer) -> Item:
    """An answer as it is shown, with what it was."""
    target = world.book.inputs[answer.name]
    before = state.answers.get(answer.name)
    now = shown(target, answer.value) if answer.value is not None else ""
    was = ""
    if before is not None and before.value is not None and before.value != answer.value:
        was = shown(target, before.value)
    is_other = target.suggest is not None and now != shown(target, target.suggest)
    return Item(answer, now, was, NO_TEXT if answer.is_known or is_other else target.because)
