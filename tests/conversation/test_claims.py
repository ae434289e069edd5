"""What is said when questions end holds for everything that was tried, and names what was."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from math import sqrt
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.conversation import Conversation, Lines, State
from advisor.conversation.closing import closing, open_turners
from advisor.conversation.events import Said
from advisor.conversation.outlook import signature
from advisor.evaluate import Reader, Trace
from advisor.ladder import first_rung
from advisor.project import open_project
from advisor.rulebook.model import Input, Value
from advisor.verdict import Verdict, is_idle, judge
from tests.conversation.held import NoFiles
from tests.conversation.test_questions import ONE_LINE, after
from tests.support import TODAY

MODELS = (
    "qwen2.5 0.5b", "qwen2.5 1.5b", "qwen2.5 7b", "llama 3.1 8b", "qwen2.5 14b", "qwen2.5 32b",
    "llama 3.1 70b", "gpt2", "gemma 2 9b", "qwen3-30b-a3b", "qwen2.5 vl 7b", "tinyllama",
)  # fmt: skip
CARDS = (
    "rtx 3060", "t4", "rtx 3090", "rtx 4090", "a100 sxm 40gb", "l40s", "h100 sxm", "v100 32gb",
    "2x rtx 4090", "4x a100 sxm 80gb", "8x h100 sxm",
)  # fmt: skip
METHODS = ("lora", "qlora", "full")
MORE = (
    "batch 1", "batch 16", "seq 512", "seq 8192", "checkpointing on", "checkpointing off", "trl",
    "unsloth", "axolotl", "rank 64", "packing", "within 6 hours", "20k samples", "3 epochs",
    "accumulation 8", "mean 512", "zero3", "fsdp",
)  # fmt: skip

COMBINATIONS = 25
TALK = Conversation(open_project([], TODAY), files=NoFiles())
Draw = Callable[[st.SearchStrategy[Any]], Any]


LINES = st.builds(
    lambda model, method, card, more: ", ".join([model, method, card, *more]),
    st.sampled_from(MODELS),
    st.sampled_from(METHODS),
    st.sampled_from(CARDS),
    st.lists(st.sampled_from(MORE), max_size=5, unique=True),
)


def ended(talk: Conversation, line: str, draw: Draw) -> State:
    """The state when no question is left, some answered and some left to the rules."""
    state = after(talk, line)
    while (question := talk.question(state)) is not None:
        answers = [choice.text for choice in question.choices]
        state = talk.send(state, draw(st.sampled_from([*answers, ""]))).state
    return state


def inside(target: Input, values: tuple[Value, ...]) -> list[Value]:
    """Typical values, and of numbers some between them: what ``1 to 16`` claims."""
    found = list(values)
    numbers = sorted(value for value in values if isinstance(value, float))
    for low, high in pairwise(numbers):
        between = sqrt(low * high) if low > 0 else (low + high) / 2
        found.append(float(round(between)) if target.type == "integer" else between)
    return found


def left_open(talk: Conversation, state: State, trace: Trace) -> dict[str, list[Value]]:
    """What nobody answered, with the values to hold the claims against."""
    read = Reader(trace, fast=True)
    return {
        name: inside(target, talk.world.typical(target))
        for name, target in talk.world.book.inputs.items()
        if target.ask
        and talk.world.typical(target)
        and name not in state.answers
        and not is_idle(read, target)
    }


def hold_claims(talk: Conversation, draw: Draw) -> tuple[bool, bool]:
    """Whether the verdict is claimed, and the first step; fails where a claim does not hold."""
    line = draw(LINES)
    state = ended(talk, line, draw)
    look = talk.view(state).verdict.outlook
    claimed = not (look.needed or open_turners(state, look))
    trace = talk.world.engine.run(talk.world.scenario(state), fast=True)
    options = left_open(talk, state, trace)

    def varied(changes: Mapping[str, Value]) -> Verdict:
        scenario = trace.scenario.with_values(changes, "tried")
        order = talk.world.book.order
        return judge(talk.world.engine.rerun(trace, scenario, order, fast=True), fast=True)

    def first(verdict: Verdict) -> str:
        rung = first_rung(talk.world.engine, verdict)
        return rung.name if rung else ""

    base = varied({})
    singles = [{name: value} for name, values in options.items() for value in values]
    together = [
        {name: draw(st.sampled_from(values)) for name, values in options.items()}
        for _ in range(COMBINATIONS if claimed else 0)
    ]
    for changes in (*singles, *together) if claimed else ():
        assert signature(varied(changes)) == signature(base), (line, changes)
    usual = [
        {name: value}
        for name in options
        for value in talk.world.typical(talk.world.book.inputs[name])
    ]
    for changes in usual if look.is_firm else ():
        assert first(varied(changes)) == first(base), (line, changes)
    return claimed, look.is_firm


EVERYDAY = settings(max_examples=16, derandomize=True, deadline=None, database=None)


@EVERYDAY
@given(st.data())
def test_what_the_end_claims_holds(data):
    hold_claims(TALK, data.draw)


@pytest.mark.slow
def test_what_the_end_claims_holds_of_many():
    claims: list[tuple[bool, bool]] = []

    @settings(EVERYDAY, max_examples=200)
    @given(st.data())
    def held(data: st.DataObject) -> None:
        claims.append(hold_claims(TALK, data.draw))

    held()
    assert sum(verdict for verdict, _ in claims) > 0.9 * len(claims)
    assert sum(step for _, step in claims) > 0.8 * len(claims), "most can name the first step"


def text_of(talk: Conversation, state: State) -> str:
    """The end of a conversation as it is printed."""
    printed = Lines(talk.world.book, "en", lambda: ())
    turn = talk.send(state, "/set today=1")  # changes nothing
    events = (talk.view(turn.state).verdict, talk.send(state, "").events[-1])
    return " ".join(" ".join(line for event in events for line in printed.of(event)).split())


def test_the_sentence_names_the_values_that_were_tried(talk):
    state = after(talk, "qwen2.5 0.5b lora h100 sxm batch 1")
    while (question := talk.question(state)) is not None:
        state = talk.send(state, question.suggested).state
    text = text_of(talk, state)
    assert "(512 to 8192)" in text
    assert "trainer (6 of 9 tried)" in text
    assert "usual answer" in text
    assert "Whatever the answer" not in text, "no more than what was tried"


def test_a_verdict_that_an_open_answer_turns_is_not_called_closed(talk):
    state = after(talk, "qwen2.5 7b lora rtx 4090")
    look = talk.view(state).verdict.outlook
    assert "training.sequence_length" in open_turners(state, look)
    said = closing(state, look)
    assert isinstance(said, Said)
    assert said.key == "open_turns"
    assert "training.sequence_length" in said.names


def test_enter_alone_reaches_a_verdict_in_few_questions(talk):
    state, count = State(), 0
    while talk.question(state) is not None:
        state, count = talk.send(state, "").state, count + 1
    assert count <= 8
    assert talk.world.check(state).verdict is not None


def test_the_one_line_example_needs_two_questions_at_most(talk):
    state, count = after(talk, ONE_LINE), 0
    while talk.question(state) is not None:
        state, count = talk.send(state, "").state, count + 1
    assert count <= 2
