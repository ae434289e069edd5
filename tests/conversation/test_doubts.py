"""What is said twice, denied, corrected or only asked about is never a silent choice."""

from __future__ import annotations

import pytest

from advisor.conversation import State
from advisor.conversation.commands import Turn
from advisor.conversation.events import Asked, Failed, NotUsed, Said
from advisor.conversation.questions import Question

BATCH = "training.micro_batch_size"


def asked(turn: Turn) -> Question:
    """The question at the end of a turn."""
    return next(event.question for event in reversed(turn.events) if isinstance(event, Asked))


@pytest.mark.parametrize(
    ("text", "name", "offered"),
    [
        ("lora or qlora on a 4090", "method", ["lora", "qlora"]),
        ("batch 4 or 8", BATCH, ["4", "8"]),
        ("batch 8, batch 2", BATCH, ["8", "2"]),
        ("2-3 epochs", "data.epochs", ["2", "3"]),
        ("zero3 with offload", "sharding.offload", ["optimizer", "all"]),
        ("within 5 or 6 hours", "budget.time", ["5 h", "6 h"]),
        ("4090 laptop", "hardware.gpu", ["RTX 4090", "RTX 4090 D", "RTX 4060 Laptop"]),
        ("4090还是3090", "hardware.gpu", ["RTX 4090", "RTX 3090"]),
        ("批大小是2还是4", BATCH, ["2", "4"]),
        ("no, not lora", "method", ["full", "qlora"]),
        ("not full fine-tuning on a 4090", "method", ["lora", "qlora"]),
        ("不要 QLoRA", "method", ["full", "lora"]),
    ],
)
def test_two_values_for_one_input_are_a_question(talk, text, name, offered):
    turn = talk.send(State(), text)
    question = asked(turn)
    assert name not in turn.state.answers
    assert (question.name, question.reason) == (name, "unclear")
    assert [choice.text for choice in question.choices] == offered


@pytest.mark.parametrize(
    ("text", "answer", "value"),
    [
        ("batch 2 or 8", "8", 8.0),  # a number is meant, not a place in the list
        ("batch 2 or 8", "2", 2.0),
        ("batch 2 or 8", "16", 16.0),
        ("batch 2 or 8", "", 2.0),
        ("lora or qlora", "2", "qlora"),
        ("lora or qlora", "qlora", "qlora"),
        ("cpu offload", "all", "all"),
        ("cpu offload", "", "optimizer"),
    ],
)
def test_the_question_takes_an_answer(talk, text, answer, value):
    state = talk.send(State(), text).state
    name = state.pending.name
    after = talk.send(state, answer).state
    assert after.answers[name].value == value
    assert after.pending is None


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("batch 4, no wait, batch 2", BATCH, 2.0),
        ("seq 4096 -> 2048", "training.sequence_length", 2048.0),
        ("change batch from 8 to 4", BATCH, 4.0),
        ("not 4090 but 3090", "hardware.gpu", "RTX 3090"),
        ("instead of lora use qlora", "method", "qlora"),
        ("lora r 8 batch 4, batch 4", BATCH, 4.0),
        ("batch 4 or 4", BATCH, 4.0),
        ("batch 0 or 4", BATCH, 4.0),
    ],
)
def test_a_correction_or_the_same_again_is_no_question(talk, text, name, value):
    state = talk.send(State(), text).state
    assert state.answers[name].value == value
    assert state.pending is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("not a 4090", "hardware.gpu"),
        ("never use flash attention", "training.attention"),
        ("global batch size 32", BATCH),
        ("总批大小 64", BATCH),
        ("the full dataset", "method"),
        ("by tomorrow", "budget.time"),
        ("1000 steps", "data.samples"),
        ("预算 100 元", "budget.cost"),
        ("€50", "budget.cost"),
    ],
)
def test_what_is_denied_or_is_another_thing_sets_nothing(talk, text, name):
    turn = talk.send(State(), text)
    assert name not in turn.state.answers
    told = [event for event in turn.events if isinstance(event, Failed | NotUsed)]
    assert told, "and it is not swallowed"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("what is lora?", "method"),
        ("什么是 qlora？", "method"),
        ("what is gradient checkpointing", "training.gradient_checkpointing"),
    ],
)
def test_a_question_about_a_word_sets_nothing(talk, text, name):
    turn = talk.send(State(), text)
    assert turn.state == State()
    assert [event.values["name"] for event in turn.events if isinstance(event, Said)] == [name]


@pytest.mark.parametrize("before", [(), ("qwen2.5 7b on a 4090",), ("qwen2.5 7b lora on a 4090",)])
def test_a_denied_choice_is_asked_for_again_wherever_one_stands(talk, before):
    state = State()
    for line in before:
        state = talk.send(state, line).state
    turn = talk.send(state, "no, not lora")
    assert not any(isinstance(event, Failed) for event in turn.events)
    assert (asked(turn).name, asked(turn).reason) == ("method", "unclear")
    assert talk.send(turn.state, "qlora").state.answers["method"].value == "qlora"


@pytest.mark.parametrize(
    ("text", "name"),
    [("not trl", "training.framework"), ("no flash attention", "training.attention")],
)
def test_what_has_a_default_is_not_asked_for(talk, text, name):
    assert talk.send(State(), text).state.pending is None


def test_a_question_about_a_run_is_not_one_about_a_word(talk):
    assert talk.send(State(), "what is qwen2.5 7b lora").state.answers["method"].value == "lora"
