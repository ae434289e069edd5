"""Comparing: what its rows hold, that it agrees with the plan, and how it says both."""

from __future__ import annotations

import pytest

from advisor.chat.plain import farewell
from advisor.conversation import Conversation, Lines, State
from advisor.conversation.closing import closing
from advisor.conversation.events import Compared, Event, Failed, NotUsed, PlanShown, Said
from advisor.conversation.outlook import Effect, Outlook
from advisor.report.style import Style
from advisor.report.text import check_text
from tests.conversation import held
from tests.conversation.test_questions import after

SMALL = "qwen2.5 14b lora on a t4 seq 512, framework transformers"
FULL = "qwen2.5 7b full on a 4090"
TIGHT = "qwen2.5 7b lora on a 3060"
LATE = (
    "qwen2.5 7b qlora on a 4090 bs 4 seq 1024, 50k samples, 500 tokens, 3 epochs, transformers,"
    " checkpointing on, budget 2 h"
)
RUNS = (SMALL, FULL, TIGHT, LATE)
NEVER = {"en": "no way found", "zh": "找不到办法"}


def compared(talk: Conversation, line: str, word: str) -> Compared:
    events = talk.send(after(talk, line), f"/compare {word}".strip()).events
    return next(event for event in events if isinstance(event, Compared))


def lines(talk: Conversation, event: Event, language: str = "en", columns: int = 92) -> list[str]:
    return Lines(talk.world.book, language, lambda: (), columns).of(event)


# -- what is held ---------------------------------------------------------------------------------


@pytest.mark.parametrize("line", RUNS)
@pytest.mark.parametrize(
    ("word", "kept"),
    [
        ("", {"hardware.gpu", "hardware.count"}),
        ("gpus", {"hardware.gpu", "hardware.count"}),
        ("methods", {"method"}),
        ("models", {"model"}),
        ("method checkpointing", {"method", "training.gradient_checkpointing"}),
        ("methods keep gpus", {"method", "hardware.gpu", "hardware.count"}),
        ("gpus keep method", {"method", "hardware.gpu", "hardware.count"}),
    ],
)
def test_no_step_of_a_row_touches_what_is_held(talk, line, word, kept):
    event = compared(talk, line, word)
    assert set(event.held) == kept
    for row in event.rows:
        for rung in row.check.plan.rungs if row.check.plan else ():
            assert not kept & set(rung.settings)


@pytest.mark.parametrize("line", RUNS)
@pytest.mark.parametrize("word", ["", "gpus", "methods", "methods keep gpus"])
def test_the_row_of_the_run_agrees_with_its_plan(talk, line, word):
    state = after(talk, line)
    plan = held.plan(talk.world.check(state))
    event = compared(talk, line, word)
    (row,) = [one for one in event.rows if one.is_current]
    own = held.plan(row.check)
    assert plan.solved, "or there is nothing to agree with"
    touched = {name for rung in plan.rungs for name in rung.settings} & set(event.held)
    if not touched:
        assert own.final.state == plan.final.state
        assert [one.remedy.name for one in own.rungs] == [one.remedy.name for one in plan.rungs]
    if not own.solved:
        assert row.beyond is not None and set(row.changed) <= set(event.held)
        assert row.changed, "what the plan of the run changes is said"
    for language in NEVER:
        shown = lines(talk, event, language)
        (current,) = [at for at, text in enumerate(shown) if text.startswith("•")]
        assert NEVER[language] not in "".join(shown[current : current + 2])


@pytest.mark.parametrize(
    ("line", "word", "label", "told"),
    [
        (SMALL, "methods", "lora", "fits after 2 steps"),
        (SMALL, "gpus", "T4", "only by changing number of GPUs"),
        (SMALL, "methods keep gpus", "lora", "only by changing number of GPUs"),
        (FULL, "gpus", "RTX 4090", "fits after 1 step"),
        (FULL, "methods", "full", "tight after 1 step"),
        (FULL, "methods", "qlora", "fits"),
        (FULL, "methods keep gpus", "full", "only by changing method"),
        (TIGHT, "gpus", "RTX 3060", "tight after 2 steps"),
        (TIGHT, "methods keep gpus", "lora", "only by changing method"),
        (LATE, "methods", "qlora", "all holds after 2 steps"),
    ],
)
def test_what_a_row_says(talk, line, word, label, told):
    shown = lines(talk, compared(talk, line, word), columns=120)
    (row,) = [text for text in shown if text.lstrip("• ").startswith(f"{label} ")]
    assert row.endswith(told)


def test_no_way_is_still_said_where_there_is_none(talk):
    event = compared(talk, LATE.replace("2 h", "5 min"), "methods")
    assert all(not row.changed and row.beyond is None for row in event.rows)
    shown = lines(talk, event)
    assert sum(NEVER["en"] in text for text in shown) == len(event.rows)


# -- how it is said -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "one", "two", "never"),
    [
        ("en", "after 1 step", "after 2 steps", ("1 steps", "after 1\n", "after 2\n")),
        ("zh", "1 步后", "2 步后", ("step",)),
    ],
)
def test_steps_are_counted_in_words(talk, language, one, two, never):
    shown = lines(talk, compared(talk, SMALL, "methods"), language)
    assert any(one in text and two not in text for text in shown)
    assert any(two in text for text in shown)
    assert not any(word in text + "\n" for text in shown for word in never)


@pytest.mark.parametrize("columns", [40, 58, 92])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_kept_and_how_to_go_on_is_said_once_under_the_table(talk, language, columns):
    shown = "".join(lines(talk, compared(talk, SMALL, "gpus"), language, columns))
    flat = shown.replace(" ", "")
    kept = {"en": "numberofGPUs", "zh": "卡数"}[language]
    assert flat.count("/plan") == 1 and flat.count("/sethardware.gpu=…") == 1
    assert kept in flat.split("/plan")[0]


def test_where_nothing_needs_a_step_none_is_explained(talk):
    shown = lines(talk, compared(talk, "qwen2.5 0.5b qlora on an h100 sxm seq 512", "methods"))
    assert not any("/plan" in text or "after" in text for text in shown)


def test_without_words_cards_are_compared_and_what_else_there_is_is_said(talk):
    state = after(talk, SMALL)
    usual, named = compared(talk, SMALL, ""), compared(talk, SMALL, "gpus")
    assert usual == named._replace(is_usual=True)
    assert not any(isinstance(e, PlanShown) for e in talk.send(state, "/compare").events)
    for language in ("en", "zh"):
        assert any("/compare methods" in text for text in lines(talk, usual, language))
        assert not any("/compare" in text for text in lines(talk, named, language))


@pytest.mark.parametrize(
    ("line", "kind", "word"),
    [
        ("/compare gpus keep nonsense", Failed, "nonsense"),
        ("/compare gpus keep", Failed, "keep"),
        ("/compare keep", Failed, "keep"),
        ("/compare nonsense keep method", Failed, "nonsense"),
        ("/compare gpus method nonsense", NotUsed, "nonsense"),
    ],
)
def test_no_word_is_passed_over(talk, line, kind, word):
    turn = talk.send(after(talk, SMALL), line)
    (event,) = [one for one in turn.events if isinstance(one, kind)]
    assert word in (event.words if isinstance(event, NotUsed) else event.values["word"])


@pytest.mark.parametrize("count", [1, 2])
def test_one_detail_is_one(count):
    effects = {f"x{at}": Effect(f"x{at}", (), False, True, 0.0) for at in range(count)}
    event = closing(State(), Outlook(effects=effects, is_firm=True))
    assert isinstance(event, Said) and len(event.names) == count
    assert event.key == ("more_to_refine_one" if count == 1 else "more_to_refine")


@pytest.mark.parametrize(("line", "key"), [(FULL + " bs 1", "take_what_one"), (SMALL, "take_what")])
def test_one_step_is_one(talk, line, key):
    state = after(talk, line)
    (event,) = talk.send(state, "/take 99").events
    assert isinstance(event, Failed) and event.key == key
    assert not any("1 steps" in text or "1 to /take 1" in text for text in lines(talk, event))


# -- the same words everywhere --------------------------------------------------------------------

BF16 = "qwen2.5 0.5b lora on a v100 32gb seq 512, framework transformers, bf16"


@pytest.mark.parametrize(
    ("line", "language", "word"),
    [
        (LATE, "en", "time over the limit"),
        (LATE, "zh", "时间超出上限"),
        (LATE + " cost 1 USD", "en", "time, cost over the limit"),
        (BF16, "en", "refused by bf16-supported"),
        (BF16, "zh", "被 bf16-supported 拒绝"),
        (BF16 + ", " + LATE.partition("1024, ")[2], "en", "refused by bf16-supported"),
        (SMALL, "en", "does not fit"),
        (SMALL + ", 50k samples, 500 tokens, budget 1 h", "en", "does not fit"),
        ("qwen2.5 0.5b qlora on an h100 sxm seq 512", "en", "fits"),
    ],
)
def test_what_refuses_is_named_alike_at_the_end_in_rows_and_by_check(talk, line, language, word):
    state = after(talk, line)._replace(language=language)
    check = talk.world.check(state)
    assert farewell(talk, state).rstrip("。.").endswith(word)
    assert Lines(talk.world.book, language, lambda: ()).state_text(check).endswith(f" {word}")
    assert check_text(check, (), Style(language)).split("   ")[0].endswith(f" {word}")


def test_an_overrun_budget_is_never_said_not_to_fit(talk):
    state = after(talk, LATE)
    event = talk.view(state).verdict
    shown = "\n".join(lines(talk, event))
    assert "✗ over the limit" in shown
    assert "✗ does not fit" not in shown.lower()
    assert "a policy" not in farewell(talk, state)
