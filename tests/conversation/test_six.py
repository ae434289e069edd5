"""What newcomers ask first, word for word, in two languages, and the answers they must get."""

from __future__ import annotations

import pytest

from advisor.conversation import Conversation, Lines, State
from advisor.conversation.commands import Turn
from advisor.conversation.events import Compared, Crashed, PlanShown, RemedyExplained
from advisor.verdict import Verdict
from tests.conversation.held import limit, span
from tests.conversation.held import plan as held_plan
from tests.conversation.held import verdict as held


def run(talk: Conversation, *lines: str, language: str = "en") -> list[Turn]:
    """The turns of some lines; then every open question gets what is suggested."""
    turns = [Turn(State(language), ())]
    for line in lines:
        turns.append(talk.send(turns[-1].state, line))
    while talk.question(turns[-1].state) is not None:
        turns.append(talk.send(turns[-1].state, ""))
    return turns


def text(talk: Conversation, turns: list[Turn]) -> str:
    found = []
    for turn in turns:
        lines = Lines(talk.world.book, turn.state.language, lambda: ())
        found += [line for event in turn.events for line in lines.of(event)]
    return "\n".join(found)


def final(talk: Conversation, turns: list[Turn]) -> Verdict:
    verdict = talk.world.check(turns[-1].state).verdict
    assert verdict is not None
    return verdict


def failing(verdict: Verdict) -> set[str]:
    return {outcome.policy.name for outcome in verdict.failing("deny", "warn", "info")}


def plan(turns: list[Turn]) -> list[str]:
    shown = [event for event in turns[-1].events if isinstance(event, PlanShown)]
    assert shown, "no plan was shown at the end"
    return [rung.remedy.name for rung in shown[-1].plan.rungs]


def compared(turns: list[Turn]) -> Compared:
    return next(event for turn in turns for event in turn.events if isinstance(event, Compared))


BOTH = pytest.mark.parametrize("language", ["en", "zh"])
WORDS = {
    "en": {"fits": "Fits", "tight": "Tight", "does not fit": "Does not fit"},
    "zh": {"fits": "放得下", "tight": "偏紧", "does not fit": "放不下"},
}


@pytest.mark.parametrize(
    ("language", "line"),
    [
        (
            "en",
            "Can a 4090 do LoRA of a 4B vision model on 50,000 x 512 tokens, batch 4,"
            " checkpointing, within 6 hours?",
        ),
        (
            "zh",
            "4090 能在 6 小时内对 4B 视觉模型做 LoRA 吗？50,000 条 × 512 token，批大小 4，开检查点",
        ),
    ],
)
def test_1_it_fits_and_a_trial_decides_the_time(talk, language, line):
    turns = run(talk, line, "qwen3-vl 4b", "seq 512", language=language)
    verdict = final(talk, turns)
    assert verdict.state == "fits", "with room"
    assert span(verdict, "memory")[2] < limit(verdict, "memory")
    low, _, high = span(verdict, "time")
    assert limit(verdict, "time") == 6 * 3600
    assert low < 6 * 3600 < high, "the range straddles the budget"
    assert "time-uncertain" in failing(verdict)
    shown = text(talk, turns)
    assert "trial.samples" in shown, "run some hundred samples first"
    assert "300" in shown


@pytest.mark.parametrize(
    ("language", "lines"),
    [
        (
            "en",
            [
                "24 GB, 4B vision model, LoRA, batch 8, seq 1024, rank 32: out of memory after half"
                " an epoch. Lower the rank?",
                "RTX 4090",
                "qwen3-vl 4b",
            ],
        ),
        (
            "zh",
            [
                "24 GB，4B 视觉模型 LoRA，批大小 8，长度 1024，rank 32：跑了半个 epoch 爆显存。"
                "要降低 rank 吗？",
                "RTX 4090",
                "qwen3-vl 4b",
            ],
        ),
    ],
)
def test_2_the_rank_is_not_what_helps(talk, language, lines):
    turns = run(talk, *lines, language=language)
    assert turns[1].state.crash is not None
    assert any(isinstance(event, RemedyExplained) for event in turns[1].events)
    assert final(talk, turns).state == "does not fit"
    steps = plan(turns)
    assert steps[0] == "gradient-checkpointing"
    assert "lower-rank" not in steps
    rank = talk.send(turns[-1].state, "/why lower-rank").events[0]
    saved = rank.before["memory"] - rank.after["memory"]
    assert 0.1 < saved / (1 << 30) < 0.8, "about 0.3 GB of tens"
    shown = text(talk, turns)
    assert "logits" in shown
    assert "vision.images_per_sample" in shown


@pytest.mark.parametrize(
    ("language", "line"),
    [
        (
            "en",
            "LLaMA-3-8B full on a 3090: CUDA out of memory, Tried to allocate 2.00 GiB."
            " Is my code wrong?",
        ),
        (
            "zh",
            "LLaMA-3-8B 全参微调，3090：CUDA out of memory, Tried to allocate 2.00 GiB。"
            "是不是代码写错了？",
        ),
    ],
)
def test_3_the_code_is_not_wrong_the_method_is(talk, language, line):
    turns = run(talk, line, language=language)
    assert any(isinstance(event, Crashed) for event in turns[1].events)
    verdict = final(talk, turns)
    assert verdict.state == "does not fit"
    assert span(verdict, "memory")[1] > 2 * limit(verdict, "memory")
    assert plan(turns)[0] == "full-to-lora"
    told = {"en": "your code is not the reason", "zh": "不是代码的问题"}
    assert told[language] in text(talk, turns)
    rows = compared([talk.send(turns[-1].state, "/compare methods")]).rows
    states = {row.label: held(row.check).state for row in rows}
    assert states["full"] == "does not fit"
    best = {
        row.label: row.check.plan.final.state if row.check.plan else states[row.label]
        for row in rows
    }
    assert best["lora"] in ("tight", "fits")
    assert best["qlora"] == "fits"


@pytest.mark.parametrize(
    ("language", "line"),
    [
        (
            "en",
            "7B LoRA batch 4 seq 2048 with checkpointing and a fused loss comes to 22-25 GB;"
            " I have 24 GB. Start?",
        ),
        (
            "zh",
            "7B LoRA，批大小 4，长度 2048，开检查点，用融合损失，算出来 22-25 GB，"
            "我有 24 GB，可以开始吗？",
        ),
    ],
)
def test_4_tight_is_not_yes(talk, language, line):
    turns = run(talk, line, "RTX 4090", "qwen2.5 7b", "rank 32", language=language)
    verdict = final(talk, turns)
    assert verdict.state == "tight"
    assert "headroom" in failing(verdict)
    steps = plan(turns)
    assert steps[0] == "halve-batch"
    assert "four-bit-base" not in steps, "4-bit comes last"
    shown = text(talk, turns)
    assert "training.micro_batch_size: 2" in shown
    assert "training.gradient_accumulation_steps: 2" in shown
    assert {"en": "longest", "zh": "最长"}[language] in shown, "try the longest samples first"
    assert WORDS[language]["tight"] in shown or {"en": "tight", "zh": "勉强"}[language] in shown


@pytest.mark.parametrize(
    ("language", "line"),
    [("en", "Are eight A100 eight times faster?"), ("zh", "八张 A100 会快八倍吗？")],
)
def test_5_eight_cards_are_not_eight_times_as_fast_and_cost_more(talk, language, line):
    job = "qwen3-vl 4b lora 50000 x 512 tokens bs 4 seq 512 checkpointing on"
    turns = run(talk, job, line, "A100 SXM 80GB", line, language=language)
    rows = [row for turn in turns for e in turn.events if isinstance(e, Compared) for row in e.rows]
    by_count = {row.label: held(row.check) for row in rows[-3:]}
    assert set(by_count) == {"1", "4", "8"}
    faster = span(by_count["1"], "time")[1] / span(by_count["8"], "time")[1]
    dearer = span(by_count["8"], "cost")[1] / span(by_count["1"], "cost")[1]
    assert 5 < faster < 7.5
    assert 1.05 < dearer < 1.6
    assert "one-card-enough" in failing(final(talk, turns))


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "Only a 3060 12 GB: what can I tune?"),
        ("zh", "只有 3060 12GB，能微调什么？"),
    ],
)
def test_6_what_a_small_card_can_do_is_computed(talk, language, line):
    turn = talk.send(State(language), line)
    rows = {row.label: row.check for row in compared([turn]).rows}
    small = rows["Qwen/Qwen2.5-1.5B · qlora"]
    assert held(small).state == "fits", "easily"
    seven = rows["Qwen/Qwen2.5-7B · qlora"]
    reached = seven.plan.final.state if seven.plan else held(seven).state
    assert reached in ("tight", "fits"), "perhaps: a trial first"
    assert held(seven).state != "fits"
    plain = rows["Qwen/Qwen2.5-7B · lora"]
    assert held(plain).state == "does not fit"
    assert not held_plan(plain).solved, "no step helps on this card"
    assert "Qwen/Qwen2.5-7B · qlora" in text(talk, [turn])


@BOTH
def test_every_line_of_a_conversation_is_in_its_language(talk, language):
    turns = run(talk, "qwen2.5 7b lora on a 4090 bs 4 foo bar", language=language)
    shown = text(talk, turns)
    assert ("Question" in shown) == (language == "en")
    assert ("问题" in shown) == (language == "zh")
