"""A question is answered and sets nothing; what only looks like one is an answer as ever."""

from __future__ import annotations

import pytest

from advisor.conversation import State
from advisor.conversation.events import (
    Asked,
    Compared,
    Explained,
    Failed,
    NotUsed,
    QuestionExplained,
    RemedyExplained,
    Said,
    VerdictShown,
    WhatIf,
)
from tests.conversation import held
from tests.conversation.test_commands import one, printed
from tests.conversation.test_questions import after

RUN = "qwen2.5 7b lora 2x4090 bs 4 seq 2048, framework transformers, checkpointing off, loss full"
BATCH = "training.micro_batch_size"
CKPT = "training.gradient_checkpointing"


# -- what would be --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("what if I use batch 8?", BATCH, 8.0),
        ("What if batch 8", BATCH, 8.0),
        ("should I use 8 gpus?", "hardware.count", 8.0),
        ("should we go for qlora?", "method", "qlora"),
        ("what happens with four cards?", "hardware.count", 4.0),
        ("What would happen at seq 4096?", "training.sequence_length", 4096.0),
        ("would checkpointing help?", CKPT, True),
        ("does a fused loss help?", "training.loss", "fused"),
        ("checkpointing on: would that help", CKPT, True),
        ("Are 8 gpus faster?", "hardware.count", 8.0),
        ("如果用四张卡会怎样", "hardware.count", 4.0),
        ("要不要开检查点？", CKPT, True),
        ("开检查点有帮助吗？", CKPT, True),
        ("假如批大小是 8 呢", BATCH, 8.0),
    ],
)
def test_what_would_be_is_shown_and_changes_nothing(talk, line, name, value):
    state = after(talk, RUN)
    turn = talk.send(state, line)
    assert turn.state == state
    told = one(turn.events, WhatIf)
    assert {it.answer.name: it.answer.value for it in told.items} == {name: value}
    assert told.before == talk.world.check(state)
    assert f"/set {name}=" in printed(talk, turn.events), "and how to make it so"


def test_it_tells_what_the_command_tells(talk):
    state = after(talk, RUN)
    asked = one(talk.send(state, "what if I use batch 8 and seq 1024?").events, WhatIf)
    assert asked == one(talk.send(state, "/whatif batch 8 and seq 1024").events, WhatIf)


@pytest.mark.parametrize("line", ["what if I use batch 8?", "要不要用 8 张卡？"])
def test_in_an_empty_talk_too_and_the_question_stays(talk, line):
    turn = talk.send(State(), line)
    assert turn.state == State()
    assert isinstance(turn.events[-1], Asked) and turn.events[-1].question.name == "model"
    assert talk.objection(State(), line) is None


def test_what_is_said_beside_the_question_counts(talk):
    turn = talk.send(after(talk, RUN), "seq is 1024. Should I use batch 8? rank 16")
    answers = turn.state.answers
    assert answers["training.sequence_length"].value == 1024
    assert answers["lora.rank"].value == 16
    assert answers[BATCH].value == 4
    assert one(turn.events, WhatIf).after == talk.world.check(
        talk.send(turn.state, "batch 8").state
    )
    assert talk.send(turn.state, "/back").state.answers == after(talk, RUN).answers


@pytest.mark.parametrize(
    ("line", "kinds"),
    [
        ("what if batch 8? what if batch 2?", [WhatIf, WhatIf]),
        ("What is qlora? Should I use it, or 8 gpus?", [Said, WhatIf]),
        ("lora or qlora? And would packing help?", [Compared, WhatIf]),
        ("什么是融合损失？要不要开检查点？", [Said, WhatIf]),
        ("should I use 8 gpus? " * 40, [WhatIf] * 8),
    ],
)
def test_several_questions_are_all_answered_and_set_nothing(talk, line, kinds):
    state = after(talk, RUN)
    turn = talk.send(state, line)
    assert turn.state == state
    shown = [type(event) for event in turn.events if isinstance(event, Said | WhatIf | Compared)]
    assert shown == kinds


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("I should use batch 8", BATCH, 8.0),
        ("batch 8, that would do", BATCH, 8.0),
        ("use batch 8 if it fits", BATCH, 8.0),
        ("I need 8 gpus", "hardware.count", 8.0),
        ("help: batch 8", BATCH, 8.0),
        ("batch 8?", BATCH, 8.0),
        ("will it fit with batch 8?", BATCH, 8.0),
        ("要开检查点", CKPT, True),
        ("用四张卡", "hardware.count", 4.0),
        ("如果可以，批大小用 8", BATCH, 8.0),
    ],
)
def test_a_statement_with_the_same_words_still_sets(talk, line, name, value):
    turn = talk.send(after(talk, RUN), line)
    assert turn.state.answers[name].value == value
    assert not any(isinstance(event, WhatIf) for event in turn.events)


@pytest.mark.parametrize(
    ("line", "settings"),
    [
        ("qwen2.5 7b lora on a 4090?", {"method": "lora", "hardware.gpu": "RTX 4090"}),
        ("will a 7b lora fit on a 3090?", {"method": "lora", "hardware.gpu": "RTX 3090"}),
        ("what if I do qlora on a 3090, does it fit?", {"method": "qlora"}),
        ("如果我有一张 3090，能不能做 LoRA？", {"method": "lora", "hardware.gpu": "RTX 3090"}),
        ("CUDA out of memory with batch 8, what happens?", {BATCH: 8.0}),
    ],
)
def test_a_run_described_as_a_question_is_a_description(talk, line, settings):
    answers = talk.send(State(), line).state.answers
    assert {name: answers[name].value for name in settings if name in answers} == settings


# -- which is better ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "name", "labels"),
    [
        ("Is LoRA better than full?", "method", {"lora", "full"}),
        ("lora or qlora?", "method", {"lora", "qlora"}),
        ("what is the difference between lora and qlora?", "method", {"lora", "qlora"}),
        ("is batch 3 faster than 6?", BATCH, {"3", "6"}),
        ("should I use 3 or 6 gpus?", "hardware.count", {"3", "6"}),
        ("is a 3090 worse than an L4?", "hardware.gpu", {"RTX 3090", "L4"}),
        ("Are eight A100 eight times faster?", "hardware.count", {"8"}),
        ("LoRA 和 QLoRA 有什么区别？", "method", {"lora", "qlora"}),
        ("LoRA 比全参好吗？", "method", {"lora", "full"}),
        ("八张 A100 会快八倍吗？", "hardware.count", {"8"}),
    ],
)
def test_two_values_in_a_question_are_compared_and_set_nothing(talk, line, name, labels):
    state = after(talk, RUN)
    turn = talk.send(state, line)
    assert turn.state == state
    table = one(turn.events, Compared)
    assert table.name == name
    assert labels <= {row.label for row in table.rows}
    assert not any(isinstance(event, VerdictShown) for event in turn.events)


def test_nothing_is_set_in_an_empty_talk_either(talk):
    turn = talk.send(State(), "Is LoRA better than full?")
    assert turn.state == State()
    assert one(turn.events, Compared).name == "method"


def test_what_else_such_a_question_says_for_the_first_time_counts(talk):
    turn = talk.send(State(), "lora or qlora for llama 3 8b on a 3090?")
    answers = turn.state.answers
    assert answers["hardware.gpu"].value == "RTX 3090"
    assert "method" not in answers
    assert one(turn.events, Compared).name == "method"


def test_what_contradicts_an_answer_is_only_supposed(talk):
    state = after(talk, RUN)
    turn = talk.send(state, "is lora better than qlora on an L40S?")
    assert turn.state == state
    assert [it.answer.value for it in one(turn.events, WhatIf).items] == ["L40S"]
    row = one(turn.events, Compared).rows[0]
    assert held.verdict(row.check).trace.values["hardware.gpu"] == "L40S"


def test_a_vague_card_in_such_a_question_is_told(talk):
    turn = talk.send(after(talk, RUN), "Are eight A100 eight times faster?")
    assert one(turn.events, NotUsed).words == ("A100",)


def test_with_nothing_to_compare_with_the_number_of_cards_is_an_answer(talk):
    state = talk.send(State(), "Are eight A100 eight times faster?").state
    assert state.answers["hardware.count"].value == 8


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("lora, or so", "method", "lora"),
        ("qlora is better than lora, use qlora", "method", "qlora"),
        ("batch 8, better than nothing", BATCH, 8.0),
        ("batch 8 and seq 1024", BATCH, 8.0),
        ("8 gpus or so", "hardware.count", 8.0),
        ("QLoRA 和检查点", "method", "qlora"),
    ],
)
def test_what_only_has_the_words_of_a_comparison_sets(talk, line, name, value):
    turn = talk.send(after(talk, "llama 3 8b on a 3090"), line)
    found = turn.state.answers.get(name)
    pending = turn.state.pending
    assert (found is not None and found.value == value) or (
        pending is not None and value in pending.candidates
    )
    assert not any(isinstance(event, Compared) for event in turn.events)


# -- what a word means ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "name", "kind"),
    [
        ("What is a fused loss?", "training.loss", RemedyExplained),
        ("what does gradient checkpointing mean?", CKPT, RemedyExplained),
        ("what is the lora rank for?", "lora.rank", QuestionExplained),
        ("What does packing do?", "training.packing", RemedyExplained),
        ("what is lora and how does it work?", "method", QuestionExplained),
        ("what is a learning rate?", "training.learning_rate", Explained),
        ("梯度检查点是什么意思？", CKPT, RemedyExplained),
        ("什么是融合损失", "training.loss", RemedyExplained),
    ],
)
def test_a_word_is_explained_and_sets_nothing(talk, line, name, kind):
    for state in (State(), after(talk, RUN)):
        turn = talk.send(state, line)
        assert turn.state == state
        assert one(turn.events, Said).values["name"] == name
        assert any(isinstance(event, kind) for event in turn.events)
        for language in ("en", "zh"):
            assert "rules/core" in printed(talk, turn.events, language)


def test_it_tells_what_the_values_would_come_to(talk):
    turn = talk.send(after(talk, RUN), "what is gradient checkpointing?")
    amounts = [amount for _, _, amount in one(turn.events, QuestionExplained).outcomes]
    assert len(set(amounts)) == 2 and None not in amounts


@pytest.mark.parametrize(
    "line", ["what is qwen2.5 7b lora on a 4090", "what is lora on batch 4", "explain nothing"]
)
def test_what_is_more_than_a_word_is_not_explained(talk, line):
    turn = talk.send(State(), line)
    keys = [event.key for event in turn.events if isinstance(event, Said | Failed)]
    assert not {"explains", "explains_plain"} & set(keys)


# -- tables wait for the card ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "line", ["what can I train on two A100 80GB?", "两张 A100 80GB 能训练什么？"]
)
@pytest.mark.parametrize("answer", ["2", "A100 PCIe 80 GB", "/set gpu=A100 PCIe 80GB"])
def test_which_card_is_asked_before_the_table(talk, line, answer):
    first = talk.send(State(), line)
    assert not any(isinstance(event, Compared) for event in first.events)
    assert isinstance(first.events[-1], Asked)
    second = talk.send(first.state, answer)
    row = one(second.events, Compared).rows[0]
    values = held.verdict(row.check).trace.values
    assert (values["hardware.gpu"], values["hardware.count"]) == ("A100 PCIe 80 GB", 2)
    third = talk.send(second.state, "")
    assert not any(isinstance(event, Compared) for event in third.events), "once"


def test_a_table_asked_for_while_a_card_is_open_waits_too(talk):
    state = after(talk, "two A100 80GB")
    turn = talk.send(state, "what can I train?")
    assert not any(isinstance(event, Compared) for event in turn.events)
    assert isinstance(turn.events[-1], Asked)
    assert any(isinstance(event, Compared) for event in talk.send(turn.state, "1").events)
    assert not any(isinstance(event, Compared) for event in talk.send(turn.state, "/back").events)


def test_a_card_that_is_clear_has_its_table_at_once(talk):
    turn = talk.send(State(), "Only a 3060 12 GB: what can I tune?")
    assert one(turn.events, Compared)
    settled = talk.send(after(talk, "a100"), "1")
    assert not any(isinstance(event, Compared) for event in settled.events), "nobody asked"
