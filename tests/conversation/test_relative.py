"""Changes of what is known: double the batch, 2 more cards; and what is told where they fail."""

from __future__ import annotations

import pytest

from advisor.conversation import Conversation
from advisor.conversation.events import Failed, NotUsed, Understood

BASE = "qwen3 8b lora 4090 batch 4 seq 2048 epochs 3"


def changes(talk: Conversation, *lines: str) -> set[str]:
    """What the last line changed, or how it failed."""
    found = set()
    for event in talk.replay(lines)[-1].events:
        if isinstance(event, Understood):
            found |= {f"{one.answer.name.rpartition('.')[2]}={one.shown}" for one in event.items}
        elif isinstance(event, Failed):
            found.add(event.key)
        elif isinstance(event, NotUsed):
            found |= {f"-{words}" for words in event.words}
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("halve the sequence length", {"sequence_length=1024"}),
        ("double the batch", {"micro_batch_size=8"}),
        ("please double the batch size", {"micro_batch_size=8"}),
        ("批大小减半", {"micro_batch_size=2"}),
        ("序列长度翻倍", {"sequence_length=4096"}),
        (
            "double the batch and halve the sequence length",
            {"micro_batch_size=8", "sequence_length=1024"},
        ),
        ("2 more gpus", {"count=3"}),
        ("add one card", {"count=2"}),
        ("加一张卡", {"count=2"}),
        ("add 2 epochs", {"epochs=5"}),
        # and what no change is made of
        ("double quant", {"weights_dtype=nf4-dq"}),
        ("batch 6", {"micro_batch_size=6"}),
        ("double 4090", {"gpu=RTX 4090", "-double"}),
        ("double", {"no_answer"}),
        ("more than 3 epochs", {"epochs=3"}),
    ],
)
def test_a_change_is_of_what_is_known(talk, text, expected):
    assert changes(talk, BASE, text) == expected


@pytest.mark.parametrize("text", ["halve the batch", "add 100000 gpus"])
def test_a_change_out_of_range_is_refused(talk, text):
    assert changes(talk, BASE.replace("batch 4", "batch 1"), text) == {"refused_range"}


@pytest.mark.parametrize("text", ["fsdp: false", "no flash attention", "can't use unsloth"])
def test_what_is_denied_is_told_and_nothing_else_is_suggested(talk, text):
    found = changes(talk, text)
    assert len(found) == 1
    assert found.pop().startswith("-")
