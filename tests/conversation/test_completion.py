"""What a line may go on with, and what is said against one before it is sent."""

from __future__ import annotations

import pytest

from advisor.conversation import State, registry
from advisor.conversation.events import Failed
from tests.conversation.test_questions import ONE_LINE, after


@pytest.mark.parametrize(
    ("line", "whole"),
    [
        ("qwen2.5 7", "Qwen/Qwen2.5-7B"),
        ("llama 3 8", "meta-llama/Meta-Llama-3-8B"),
        ("4090", "rtx-4090"),
        ("lora on a 409", "lora on a rtx-4090"),
        ("qwen3-vl 4b on a 3060-t", "qwen3-vl 4b on a rtx-3060-ti"),
        ("/", "/help"),
        ("/wha", "/whatif"),
        ("/lang z", "/lang zh"),
        ("/export m", "/export md"),
        ("/compare g", "/compare gpus"),
        ("/chart gp", "/chart gpus"),
        ("/chart training.micro", "/chart training.micro_batch_size"),
        ("/the", "/theme"),
        ("/set lora.r", "/set lora.rank="),
        ("/why lower", "/why lower-rank"),
        ("bat", "batch"),
        ("qlo", "qlora"),
        ("/whatif training.micro", "/whatif training.micro_batch_size"),
    ],
)
def test_a_line_can_go_on(talk, line, whole):
    found = talk.complete(State(), line)
    assert whole in [line[: one.start] + one.text for one in found]
    assert len(found) <= 20
    assert len(found) == len(set(found))


@pytest.mark.parametrize("line", ["zzzz", "/zzz", "/quit ", "batch 4 ", "\x1b[31m", "x" * 5000])
def test_nothing_to_go_on_with(talk, line):
    assert talk.complete(after(talk, ONE_LINE), line) == []


def test_an_empty_line_offers_the_answers(talk):
    found = [one.text for one in talk.complete(State(), "")]
    assert "Qwen/Qwen2.5-7B" in found
    question = talk.question(after(talk, ONE_LINE))
    found = [one.text for one in talk.complete(after(talk, ONE_LINE), "")]
    assert found == [choice.text for choice in question.choices]


def test_every_command_completes(talk):
    found = {one.text for one in talk.complete(State(), "/")}
    assert found == {f"/{name}" for name in registry()}


@pytest.mark.parametrize("line", ["gibberish", "2048", "99"])
def test_a_line_that_means_nothing_is_objected_to(talk, line):
    assert isinstance(talk.objection(State(), line), Failed)


@pytest.mark.parametrize(
    "line", ["", "1", "lora", "a100", "/anything", "OOM", "Which gpu?", "what can I tune", "?"]
)
def test_a_line_that_means_something_is_not(talk, line):
    assert talk.objection(State(), line) is None
