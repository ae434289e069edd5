"""Free text to values: what people type, and what must not be read into it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from advisor.conversation import Conversation
from advisor.conversation.reading import Reading
from advisor.conversation.slots import read_text
from advisor.rulebook.values import input_text

SHORT = {
    "model": "model", "method": "method", "gpu": "hardware.gpu", "count": "hardware.count",
    "seq": "training.sequence_length", "bs": "training.micro_batch_size",
    "accum": "training.gradient_accumulation_steps", "samples": "data.samples",
    "epochs": "data.epochs", "mean": "data.tokens.mean", "p95": "data.tokens.p95",
    "max": "data.tokens.max", "rank": "lora.rank", "alpha": "lora.alpha",
    "dropout": "lora.dropout", "targets": "lora.target_modules", "lr": "training.learning_rate",
    "ckpt": "training.gradient_checkpointing", "packing": "training.packing",
    "bucket": "training.group_by_length", "attn": "training.attention",
    "optim": "training.optimizer", "loss": "training.loss", "kernels": "training.kernels",
    "framework": "training.framework", "strategy": "sharding.strategy", "time": "budget.time",
    "cost": "budget.cost", "price": "cost.price_per_gpu_hour", "trial": "trial.samples",
    "eval": "evaluation.enabled", "eval_bs": "evaluation.micro_batch_size",
    "eval_samples": "evaluation.samples", "weights": "training.weights_dtype",
    "compute": "training.compute_dtype", "offload": "sharding.offload",
    "ram": "hardware.host_memory", "link": "hardware.interconnect", "padding": "training.padding",
    "images": "vision.images_per_sample", "image_tokens": "vision.tokens_per_image",
    "vision_frozen": "vision.frozen",
}  # fmt: skip
LONG = {long: short for short, long in SHORT.items()}


def phrasings() -> Iterator[tuple[str, str]]:
    for line in Path(__file__).with_name("phrasings.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            text, _, expected = line.partition("=>")
            yield text.strip(), expected.strip()


PHRASINGS = list(phrasings())


def escaped(text: str) -> str:
    """The text with \\x1b, \\u202e and \\n as the characters they stand for."""
    for written, char in (("\\x1b", "\x1b"), ("\\x00", "\0"), ("\\n", "\n")):
        text = text.replace(written, char)
    return text.replace("\\u202e", "\u202e").replace("\\u200b", "\u200b")


def told(talk: Conversation, reading: Reading) -> set[str]:
    """A reading in the words of the table."""
    inputs = talk.world.book.inputs
    found = set()
    for one in reading.found:
        target = inputs[one.name]
        value = one.value
        if target.type == "catalogue":
            shown = talk.world.entry_name(target, str(value))
        elif isinstance(value, frozenset):
            shown = input_text(target, value)
            shown = shown if shown in target.groups else "+".join(sorted(value))
        elif isinstance(value, bool):
            shown = str(value).lower()
        elif isinstance(value, float):
            shown = f"{value / target.unit.scale:.12g}"
        else:
            shown = str(value)
        if target.unit.name in ("second",) and isinstance(value, float):
            shown = f"{value:.12g}"
        found.add(f"{LONG[one.name]}={shown}")
    found |= {f"?{LONG[one.name]}" for one in reading.unclear}
    found |= {f"!{LONG[one.name]}" for one in reading.refused}
    return found | {f"-{words}" for words in reading.unused}


def test_the_table_is_large():
    assert len(PHRASINGS) >= 200


@pytest.mark.parametrize(("text", "expected"), PHRASINGS, ids=[text for text, _ in PHRASINGS])
def test_what_a_text_is_taken_for(talk, text, expected):
    found = told(talk, read_text(escaped(text), talk.world.marker))
    wanted = [
        {one.strip() for one in way.split(", ") if one.strip()} for way in expected.split(" | ")
    ]
    assert found in wanted


ASKED = "training.gradient_checkpointing"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("yes and batch 4", "ckpt=true, bs=4"),
        ("yes, rank 32", "ckpt=true, rank=32"),
        ("yes but only 2 cards", "ckpt=true, count=2"),
        ("no, packing on", "ckpt=false, packing=true"),
        ("no batch 4", "ckpt=false, bs=4"),
        ("i think so", "ckpt=true"),
        ("I don't think so", "ckpt=false"),
        ("yep sure", "ckpt=true"),
        ("yes please", "ckpt=true"),
        ("no thanks", "ckpt=false"),
        ("it's on", "ckpt=true"),
        ("it's off", "ckpt=false"),
        ("not on", "ckpt=false"),
        ("not off", "ckpt=true"),
        ("nah", "ckpt=false"),
        ("always", "ckpt=true"),
        ("never", "ckpt=false"),
        ("of course", "ckpt=true"),
        ("of course not", "ckpt=false"),
        ("不开", "ckpt=false"),
        ("没开", "ckpt=false"),
        ("开了", "ckpt=true"),
        ("不是，批大小 4", "ckpt=false, bs=4"),
        # and what is no answer to it
        ("no packing", "packing=false"),
        ("on 4 cards", "count=4"),
        ("on a 4090", "gpu=RTX 4090"),
        ("no 4090", "-4090"),
        ("有4张卡", "count=4"),
        ("not sure, batch 4", "bs=4"),
        ("no idea, batch 4", "bs=4"),
        ("yes or no", ""),
        ("batch 4", "bs=4"),
        ("能开吗", ""),
    ],
)
def test_a_yes_before_other_things_answers_the_question(talk, text, expected):
    asked = talk.world.book.inputs[ASKED]
    found = told(talk, read_text(text, talk.world.marker, asked))
    assert found == {one for one in expected.split(", ") if one}


@pytest.mark.parametrize("text", ["yes, batch 4", "no", "it's on", "not on", "i think so"])
def test_a_yes_to_no_such_question_is_nothing(talk, text):
    asked = talk.world.book.inputs["training.micro_batch_size"]
    found = {one.name for one in read_text(text, talk.world.marker, asked).found}
    assert ASKED not in found
    assert found <= {"training.micro_batch_size"}


@pytest.mark.parametrize(
    "piece",
    ["7x", "1/", "2^", "1.5m rows ", "batch 4 or ", "half an ", "two ", "not use ", "€5 ",
     "两万三千", "no_packing ", "r8 a16 ", "1h30m ", "2-3 ", "what is ", "-> ", "thirty ",
     "no packing ", "packing no ",
     "don't have 4 ", "2 nodes ", "or lora ", "not used ", "qwen3 4b or 8b or ", "4090 x2 "],
)  # fmt: skip
def test_the_same_thing_a_thousand_times_breaks_nothing(talk, piece):
    for text in (piece * (4000 // len(piece)), f"batch {piece * 40} seq", f"lora {piece}"):
        reading = read_text(text, talk.world.marker)
        assert all(one.candidates for one in reading.unclear)
