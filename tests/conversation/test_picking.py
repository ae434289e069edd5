"""Answers that only make sense beside the question, and lines that only look like them."""

from __future__ import annotations

import pytest

from advisor.conversation import Conversation
from advisor.conversation.answering import hear
from advisor.conversation.questions import Question, choices, suggestion
from advisor.conversation.state import State

BATCH = "training.micro_batch_size"
TRAINER = "training.framework"
GPU = "hardware.gpu"


def question(talk: Conversation, state: State, name: str) -> Question:
    target = talk.world.book.inputs[name]
    suggested = suggestion(talk.world, talk.view(state).verdict.outlook, target)
    return Question(
        name,
        "needed",
        choices(talk.world, target, suggested),
        target.type not in ("integer", "number"),
        "",
        suggested,
        target.because,
        1,
        8,
    )


@pytest.mark.parametrize(
    "text",
    ["the default", "idk you pick", "whatever is usual", "no idea sorry", "default is fine",
     "just go with the default please", "i'm not sure, you decide", "the usual", "doesn't matter",
     "the default batch size", "use the recommended one", "随便吧", "a typical one",
     "either is fine", "用默认的", "我也不知道",
     "不知道用多少", "无所谓", "推荐的就行"],
)  # fmt: skip
def test_somebody_else_may_choose(talk, text):
    state = State()
    heard = hear(talk.world, state, question(talk, state, BATCH), text)
    assert heard.entry is not None
    assert [(one.name, one.origin) for one in heard.entry.answers] == [(BATCH, "assumed")]


@pytest.mark.parametrize(
    "text",
    ["not the default", "what is the default?", "what's the usual", "the default or 4",
     "i don't know which card", "16 total", "same as before", "默认是什么", "默认是多少？",
     "不要默认", "the usual suspects"],
)  # fmt: skip
def test_nothing_is_taken_for_leave_to_choose(talk, text):
    state = State()
    heard = hear(talk.world, state, question(talk, state, BATCH), text)
    assert not [
        one
        for one in (heard.entry.answers if heard.entry else ())
        if one.name == BATCH and one.origin == "assumed"
    ]


@pytest.mark.parametrize(
    ("name", "text", "at"),
    [(TRAINER, "the second", 1), (TRAINER, "the 2nd one", 1), (TRAINER, "option 2", 1),
     (TRAINER, "number 3", 2), (TRAINER, "last one", -1), (TRAINER, "the last option please", -1),
     (TRAINER, "第三个", 2), (TRAINER, "第二个吧", 1), (TRAINER, "最后一个", -1),
     (TRAINER, "选3", 2),
     (GPU, "i'd take the second", 1), (BATCH, "the second", 1), ("method", "the last", -1),
     ("training.gradient_checkpointing", "the first", 0)],
)  # fmt: skip
def test_a_choice_goes_by_its_place(talk, name, text, at):
    state = State()
    asked = question(talk, state, name)
    heard = hear(talk.world, state, asked, text)
    assert heard.entry is not None
    assert [one.value for one in heard.entry.answers] == [asked.choices[at].value]


@pytest.mark.parametrize(
    ("name", "text"),
    [(TRAINER, "the twentieth"), (TRAINER, "the first or the second"), (TRAINER, "not the first"),
     (TRAINER, "option 40"), (TRAINER, "the ninth wonder"), ("method", "the fourth"),
     (BATCH, "1 second")],
)  # fmt: skip
def test_no_choice_stands_in_that_place(talk, name, text):
    state = State()
    heard = hear(talk.world, state, question(talk, state, name), text)
    said = heard.entry.answers if heard.entry else ()
    assert name not in [one.name for one in said]


@pytest.mark.parametrize(
    ("text", "name"), [("a second 4090", "RTX 4090"), ("second hand 3090", "RTX 3090")]
)
def test_a_name_beside_the_place_is_what_counts(talk, text, name):
    state = State()
    heard = hear(talk.world, state, question(talk, state, GPU), text)
    assert heard.entry is not None
    assert [one.value for one in heard.entry.answers] == [name]


@pytest.mark.parametrize(
    ("name", "text", "values"),
    [(TRAINER, "huggingface", ["transformers"]), (TRAINER, "hugging face", ["transformers"]),
     (TRAINER, "hf", ["transformers"]), (TRAINER, "llama", ["llama-factory"]),
     ("training.optimizer", "paged", ["paged-adamw", "paged-adamw-8bit"]),
     (BATCH, "1 or 2", [1, 2]), (BATCH, "one or two", [1, 2]), (BATCH, "between 2 and 4", [2, 4]),
     (BATCH, "16 total", []), (BATCH, "总共 16", []), (BATCH, "maybe 4", [4]),
     (BATCH, "4 per gpu", [4]), (TRAINER, "h", []), (TRAINER, "lama", []), (TRAINER, "paged", []),
     ("method", "adapters", [])],
)  # fmt: skip
def test_several_that_are_meant_are_asked_about(talk, name, text, values):
    state = State()
    heard = hear(talk.world, state, question(talk, state, name), text)
    answers = [one.value for one in heard.entry.answers if one.name == name] if heard.entry else []
    unclear = [one for one in heard.entry.unclear if one.name == name] if heard.entry else []
    assert [*answers, *(value for one in unclear for value in one.candidates)] == values
    assert len(answers) == (len(values) == 1)


def test_an_earlier_answer_may_stay(talk):
    state = talk.send(State(), "qwen2.5 7b lora 4090 batch 4").state
    doubtful = talk.send(state, "batch 8 or 16").state
    assert talk.question(doubtful).name == BATCH
    after = talk.send(doubtful, "same as before").state
    assert after.answers[BATCH].value == 4
