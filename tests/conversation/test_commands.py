"""Every command: what it changes, what it shows, and what it refuses."""

from __future__ import annotations

import json
import os
from typing import TypeVar

import pytest

from advisor.conversation import Conversation, Lines, State, registry
from advisor.conversation.events import (
    Compared,
    Copied,
    Ended,
    Event,
    Explained,
    Exported,
    Failed,
    Helped,
    Listed,
    PlanShown,
    PolicyExplained,
    QuestionExplained,
    RemedyExplained,
    Said,
    Understood,
    WhatIf,
)
from advisor.conversation.sentences import message
from advisor.project import open_project
from tests.conversation import held
from tests.conversation.test_questions import after
from tests.support import ROOT, TODAY

FAILS = "qwen2.5 7b lora on a 4090 bs 4 seq 2048, framework transformers, checkpointing off"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Conversation:
    return Conversation(open_project([], TODAY), tmp_path_factory.mktemp("kept"))


Kind = TypeVar("Kind")


def one(events: tuple[Event, ...], kind: type[Kind]) -> Kind:
    found = [event for event in events if isinstance(event, kind)]
    assert len(found) == 1, events
    return found[0]


def printed(talk: Conversation, events: tuple[Event, ...], language: str = "en") -> str:
    lines = Lines(talk.world.book, language, lambda: ())
    return "\n".join(line for event in events for line in lines.of(event))


# -- changing -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("/set batch=2", "training.micro_batch_size", 2.0),
        ("/set training.micro_batch_size = 2", "training.micro_batch_size", 2.0),
        ("/set bs 2", "training.micro_batch_size", 2.0),
        ("/set training.optimizer=adafactor", "training.optimizer", "adafactor"),
        ("/set lora.target_modules=[q, v]", "lora.target_modules", frozenset("qv")),
        ("/set training.gradient_checkpointing=true", "training.gradient_checkpointing", True),
        ("/set budget.time=6 h", "budget.time", 21600.0),
        ("/set gpu=3060", "hardware.gpu", "RTX 3060"),
        ("/set model=qwen2.5 0.5b", "model", "Qwen/Qwen2.5-0.5B"),
    ],
)
def test_set(talk, line, name, value):
    state = talk.send(after(talk, FAILS), line).state
    assert state.answers[name].value == value
    assert state.answers[name].is_known


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("/set", "set_what"),
        ("/set batch=0", "refused_range"),
        ("/set lora.rank=1.5", "refused_whole"),
        ("/set training.optimizer=foo", "refused_choice"),
        ("/set today=2020-01-01", "cannot_set"),
        ("/set model.linears=3", "cannot_set"),
        ("/set foo=1", "not_understood"),
        ("/take 0", "take_what"),
        ("/take two", "take_what"),
        ("/take 99", "take_what"),
        ("/lang", "no_language"),
        ("/lang klingon", "no_language"),
        ("/redo", "nothing_to_redo"),
        ("/skip", "nothing_asked"),
        ("/why foo", "why_what"),
        ("/whatif", "whatif_what"),
        ("/whatif a100", "whatif_unclear"),
        ("/whatif nothing", "not_understood"),
        ("/compare foo", "compare_what"),
        ("/compare data.tokens.max", "nothing_to_compare"),
        ("/chart foo", "chart_what"),
        ("/export pdf", "export_what"),
        ("/copy pdf", "export_what"),
        ("/open", "open_what"),
        ("/foo", "no_command"),
        ("/", "no_command"),
        ("/help foo", "no_command"),
    ],
)
def test_refusals_say_what_to_do_and_change_nothing(talk, line, key):
    state = after(talk, FAILS)
    while talk.question(state) is not None:
        state = talk.send(state, "").state
    turn = talk.send(state, line)
    assert turn.state == state
    assert [event.key for event in turn.events if isinstance(event, Failed)] == [key]
    for language in ("en", "zh"):
        assert printed(talk, turn.events, language).strip()


def test_set_with_a_question_mark_takes_the_suggestion(talk):
    state = talk.send(after(talk, "qwen2.5 0.5b rank 64"), "/set lora.rank=?").state
    assert not state.answers["lora.rank"].is_known
    assert state.answers["lora.rank"].value is None, "left to the rules"
    state = talk.send(state, "/set model=?").state
    assert state.answers["model"].value == "Qwen/Qwen2.5-7B"


def test_back_and_redo_go_through_the_whole_log(talk):
    lines = ["qwen2.5 7b", "lora", "4090", "bs 4", "/set seq=2k", "", "bs 2"]
    states = [State()]
    for line in lines:
        states.append(talk.send(states[-1], line).state)
    state = states[-1]
    for earlier in reversed(states[:-1]):
        state = talk.send(state, "/back").state
        assert state.log == earlier.log
    assert talk.send(state, "/back").state == state
    for later in states[1:]:
        state = talk.send(state, "/redo").state
        assert state.log == later.log


def test_a_new_answer_forgets_what_was_undone(talk):
    state = after(talk, "qwen2.5 7b", "lora", "/back", "qlora")
    assert state.undone == ()
    assert talk.send(state, "/redo").state == state


def test_take_applies_the_steps_and_the_run_fits(talk):
    state = after(talk, FAILS)
    plan = talk.world.check(state).plan
    taken = talk.send(state, "/take").state
    assert talk.world.check(taken).verdict.state in ("fits", "tight")
    assert {answer.source for answer in taken.answers.values()} >= {
        rung.remedy.name for rung in plan.rungs
    }
    first = talk.send(state, "/take 1").state
    (name,) = plan.rungs[0].settings
    assert first.answers[name].origin == "remedy"
    assert talk.send(first, "/back").state.answers == state.answers


def test_lang_keeps_the_answers(talk):
    state = after(talk, FAILS)
    turn = talk.send(state, "/lang zh")
    assert turn.state == state._replace(language="zh")
    assert "放不下" in printed(talk, turn.events, "zh")


def test_more_asks_for_what_changes_time_and_cost(talk):
    state = after(talk, "qwen2.5 0.5b lora h100 sxm bs 1 seq 512 rank 8 framework trl ckpt")
    assert talk.question(state) is None
    assert talk.question(talk.send(state, "/more").state).name in (
        "data.samples",
        "data.tokens.mean",
    )


# -- showing --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("memory", Explained),
        ("memory.need", Explained),
        ("time.total", Explained),
        ("lora.rank", Explained),
        ("batch", Explained),
        ("context_likely", Explained),
        ("fits-in-memory", PolicyExplained),
        ("lower-rank", RemedyExplained),
        ("shard", RemedyExplained),
        ("cut samples to the usual length", RemedyExplained),
        ("Cut samples", RemedyExplained),
        ("halve the LoRA rank", RemedyExplained),
        ("打开梯度检查点", RemedyExplained),
        ("打包短", RemedyExplained),
        ("1", RemedyExplained),
    ],
)
def test_why_goes_down_to_a_place_in_the_rules(talk, word, kind):
    turn = talk.send(after(talk, FAILS), f"/why {word}")
    event = one(turn.events, kind)
    for language in ("en", "zh"):
        text = printed(talk, (event,), language)
        assert "rules/core" in text or "answers:" in text


@pytest.mark.parametrize("words", ["halve the", "c", "samples to the usual", "full", "打"])
def test_no_title_begins_so_or_more_than_one_does(talk, words):
    events = talk.send(after(talk, FAILS), f"/why {words}").events
    assert not any(isinstance(event, RemedyExplained) for event in events)


@pytest.mark.parametrize("name", ["method", "model", "hardware.gpu", "data.samples"])
def test_why_explains_an_input_that_nobody_has_given_yet(talk, name):
    turn = talk.send(State(), f"/why {name}")
    event = one(turn.events, QuestionExplained)
    assert event.question.name == name
    assert event.question.suggested and event.question.because
    for language in ("en", "zh"):
        text = printed(talk, turn.events, language)
        assert event.question.because[language] in text.replace("\n  ", " ").replace("  ", " ")
        assert "rules/core/inputs" in text


def test_why_of_an_open_policy_says_what_it_waits_for(talk):
    for language, unknown in (("en", "unknown"), ("zh", "未知")):
        for name in talk.world.book.policies:
            for state in (State(language), after(talk, FAILS)):
                events = talk.send(state, f"/why {name}").events
                assert unknown not in printed(talk, events, language)
    event = one(talk.send(State(), "/why effective-batch").events, PolicyExplained)
    assert event.lacking == ("data.samples",)
    text = printed(talk, (event,))
    assert event.rule in " ".join(text.split()) and "rules/core/policies" in text


def test_a_policy_that_is_decided_waits_for_nothing(talk):
    state = after(talk, FAILS, "20k samples, mean 500, 3 epochs")
    event = one(talk.send(state, "/why effective-batch").events, PolicyExplained)
    assert not event.lacking
    assert "20,000" in printed(talk, (event,))


@pytest.mark.parametrize(
    ("line", "key"), [("1", "number_alone"), ("2.", "number_alone"), ("99", "take_what")]
)
def test_a_lone_number_after_a_plan_is_no_step(talk, line, key):
    state = after(talk, FAILS)
    while talk.question(state) is not None:
        state = talk.send(state, "").state
    turn = talk.send(state, line)
    assert turn.state == state
    assert [event.key for event in turn.events if isinstance(event, Failed)] == [key]
    assert "/take 1" in printed(talk, turn.events) or key == "number_alone"
    assert talk.objection(state, line) == turn.events[0]


def test_a_lone_number_answers_what_is_asked_and_is_none_without_a_plan(talk):
    asked = after(talk, "qwen2.5 7b on a 4090")
    assert talk.question(asked) is not None
    assert talk.send(asked, "1").state != asked
    fits = after(talk, "qwen2.5 0.5b lora h100 sxm bs 1 seq 512 rank 8 framework trl ckpt")
    turn = talk.send(fits, "1")
    assert [event.key for event in turn.events if isinstance(event, Failed)] == ["not_understood"]


def test_why_tells_formula_numbers_and_source(talk):
    text = printed(talk, talk.send(after(talk, FAILS), "/why memory").events)
    assert "memory.peak * fragmentation_likely + memory.context" in text
    assert "GiB" in text
    assert "rules/core/memory/need.yaml:" in text
    source = printed(talk, talk.send(after(talk, FAILS), "/why context_likely").events)
    assert "source:" in source and "2026-11-29" in source


def test_why_on_a_question_tells_what_its_answers_come_to(talk):
    state = after(talk, "qwen2.5 7b lora 4090 bs 4")
    event = one(talk.send(state, "/why").events, QuestionExplained)
    assert event.question == talk.question(state)
    assert len(event.outcomes) > 1
    assert len({amount for _, _, amount in event.outcomes}) > 1
    assert event.where.startswith("rules/core/inputs/")


def test_why_without_a_question_is_about_the_verdict(talk):
    state = after(talk, "qwen2.5 0.5b lora h100 sxm bs 1 seq 512 rank 8 framework trl ckpt")
    assert one(talk.send(state, "/why").events, Explained).node.name == "memory.need"


def test_why_on_a_remedy_tells_what_it_would_do(talk):
    event = one(talk.send(after(talk, FAILS), "/why lower-rank").events, RemedyExplained)
    assert 0.98 < event.after["memory"] / event.before["memory"] < 1


def test_whatif_shows_both_and_changes_nothing(talk):
    state = after(talk, FAILS)
    event = one(talk.send(state, "/whatif checkpointing on, bs 1").events, WhatIf)
    assert event.before == talk.world.check(state)
    before, after_ = held.verdict(event.before), held.verdict(event.after)
    assert before.state == "does not fit"
    assert held.span(after_, "memory")[1] < held.span(before, "memory")[1]
    again = talk.send(
        state, "/set training.gradient_checkpointing=true training.micro_batch_size=1"
    )
    assert held.verdict(talk.world.check(again.state)).answers == after_.answers


@pytest.mark.parametrize(
    ("word", "name", "least"),
    [
        ("gpus", "hardware.gpu", 6),
        ("gpu", "hardware.gpu", 6),
        ("models", "model", 5),
        ("methods", "method", 3),
        ("method", "method", 3),
        ("count", "hardware.count", 3),
        ("bs", "training.micro_batch_size", 3),
        ("checkpointing", "training.gradient_checkpointing", 2),
        ("method checkpointing", "method, training.gradient_checkpointing", 6),
    ],
)
def test_compare(talk, word, name, least):
    state = after(talk, FAILS)
    event = one(talk.send(state, f"/compare {word}").events, Compared)
    assert event.name == name
    assert len(event.rows) >= least
    assert sum(row.is_current for row in event.rows) == (0 if word == "count" else 1)
    assert all(row.check.verdict is not None for row in event.rows)


def test_compare_ladder_shows_every_remedy(talk):
    state = after(talk, FAILS)
    event = one(talk.send(state, "/compare ladder").events, PlanShown)
    ladder = set(talk.world.book.ladder)
    shown = {rung.remedy.name for rung in event.plan.rungs} | {
        skipped.remedy.name for skipped in event.plan.skipped
    }
    assert shown == ladder


def test_who_compares_cards_buys_no_second_one(talk):
    event = one(talk.send(after(talk, FAILS), "/compare gpus").events, Compared)
    for row in event.rows:
        for rung in row.check.plan.rungs if row.check.plan else ():
            assert "hardware.count" not in rung.settings


def test_answers_lists_what_was_said_and_what_is_assumed(talk):
    event = one(talk.send(after(talk, FAILS, ""), "/answers").events, Listed)
    assert {item.answer.name for item in event.items} >= {"model", "method", "hardware.gpu"}
    assert "training.optimizer" in {name for name, _, _ in event.assumed}
    assert "training.framework" not in {name for name, _, _ in event.assumed}


def test_help_knows_every_command(talk):
    event = one(talk.send(State(), "/help").events, Helped)
    assert event.names == tuple(registry())
    for language in ("en", "zh"):
        text = printed(talk, (event,), language)
        assert all(f"/{name}" in text for name in registry())


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("bak", "back"), ("exprot", "export"), ("wahtif", "whatif"), ("anwers", "answers")],
)
def test_an_unknown_command_names_the_nearest(talk, typed, meant):
    event = one(talk.send(State(), f"/{typed}").events, Failed)
    assert f"/{meant}" in event.values["near"]


@pytest.mark.parametrize(
    ("short", "meant"), [("/wh ", "no_command"), ("/tak", None), ("/comp gpus", None)]
)
def test_a_beginning_that_only_one_command_has_will_do(talk, short, meant):
    events = talk.send(after(talk, FAILS), short).events
    failed = [event.key for event in events if isinstance(event, Failed)]
    assert failed == ([meant] if meant else [])


def test_quit_tells_the_verdict(talk):
    assert one(talk.send(after(talk, FAILS), "/quit").events, Ended).status.value == "fails"
    assert one(talk.send(State(), "/q").events, Ended).status.value == "undecided"


# -- files ----------------------------------------------------------------------------------------


def test_export_shows_or_writes(files):
    state = after(files, FAILS)
    shown = one(files.send(state, "/export").events, Exported)
    assert shown.path == "" and "Qwen/Qwen2.5-7B" in shown.text
    written = one(files.send(state, "/export run.yaml").events, Exported)
    assert (files.files.folder / "run.yaml").read_text("utf-8") == written.text == shown.text
    markdown = one(files.send(state, "/export md report.md").events, Exported)
    assert "```yaml" in markdown.text
    document = json.loads(one(files.send(state, "/export json").events, Exported).text)
    assert document["results"][0]["verdict"] == "does not fit"


def test_a_file_that_is_there_is_kept(files):
    (files.files.folder / "mine.yaml").write_text("precious", "utf-8")
    turn = files.send(after(files, FAILS), "/export mine.yaml")
    assert isinstance(turn.events[0], Failed)
    assert (files.files.folder / "mine.yaml").read_text("utf-8") == "precious"


def test_save_goes_to_the_same_file_again(files):
    state = files.send(after(files, FAILS), "/save session.yaml").state
    assert state.file == "session.yaml"
    state = files.send(state, "bs 2").state
    files.send(state, "/save")
    assert "micro_batch_size: 2" in (files.files.folder / "session.yaml").read_text("utf-8")


@pytest.mark.parametrize("path", ["no/such/folder/x.yaml", "\0.yaml", "/proc/nothing/x.yaml"])
def test_what_cannot_be_written_is_told(files, path):
    turn = files.send(after(files, FAILS), f"/export yaml {path}")
    assert any(isinstance(event, Failed) for event in turn.events)


def test_open_goes_on_and_back_returns(files):
    before = after(files, "qwen2.5 0.5b lora")
    turn = files.send(before, f"/open {ROOT / 'examples/qwen2.5-7b-lora-24gb.yaml'}")
    assert turn.state.answers["model"].value == "Qwen/Qwen2.5-7B-Instruct"
    assert turn.state.answers["lora.rank"].value == 32
    assert files.send(turn.state, "/back").state.answers == before.answers


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "model: no-such-model",
        "foo: 1",
        "a: &x 1",
    ],
)
def test_a_file_that_cannot_be_talked_about_is_told(files, text):
    (files.files.folder / "bad.yaml").write_text(text, "utf-8")
    before = after(files, "lora")
    turn = files.send(before, "/open bad.yaml")
    assert turn.state == before
    assert isinstance(turn.events[0], Failed)
    assert printed(files, turn.events).strip()


def test_copy_is_the_scenario(talk):
    state = after(talk, FAILS)
    copied = one(talk.send(state, "/copy").events, Copied)
    assert copied.text == one(talk.send(state, "/export").events, Exported).text


# -- pasted errors --------------------------------------------------------------------------------

MODERN = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total"
    " capacity of 23.52 GiB of which 1.20 GiB is free. Including non-PyTorch memory, this process"
    " has 22.43 GiB memory in use. Of the allocated memory 21.10 GiB is allocated by PyTorch, and"
    " 300.00 MiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is"
    " large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation. "
    " See documentation for Memory Management "
    " (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
)
OLD = (
    "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 23.69 GiB total"
    " capacity; 21.50 GiB already allocated; 11.06 MiB free; 22.10 GiB reserved in total by"
    " PyTorch) If reserved memory is >> allocated memory try setting max_split_size_mb to avoid"
    " fragmentation."
)
TRACE = f'Traceback (most recent call last):\n  File "/x/t.py", line 3, in f\n    t()\n{MODERN}'


@pytest.mark.parametrize(
    ("text", "asked", "capacity"),
    [
        ("CUDA out of memory. Tried to allocate 2.00 GiB", 2 << 30, None),
        (MODERN, 2 << 30, 23.52 * (1 << 30)),
        (OLD, 20 << 20, 23.69 * (1 << 30)),
        (TRACE, 2 << 30, 23.52 * (1 << 30)),
        ("HIP out of memory. Tried to allocate 64.00 MiB.", 64 << 20, None),
        ("it went out of memory", None, None),
        ("OOM", None, None),
        ("跑了半天爆显存了", None, None),
    ],
)
def test_a_pasted_error_is_understood(talk, text, asked, capacity):
    state = talk.send(State(), text).state
    assert state.crash is not None
    assert state.crash.asked == asked
    assert state.crash.capacity == (pytest.approx(capacity) if capacity else None)
    assert not state.answers, "nothing in the message is an answer"
    assert talk.question(state).name in ("model", "hardware.gpu")


@pytest.mark.parametrize("text", ["my room is small", "memory", "allocate 2 GiB of samples"])
def test_what_is_no_error_message(talk, text):
    assert talk.send(State(), text).state.crash is None


def test_the_capacity_in_the_message_asks_which_card(talk):
    question = talk.question(talk.send(State(), MODERN).state)
    assert question.name == "hardware.gpu"
    assert any("4090" in choice.text for choice in question.choices)


def test_an_error_and_what_was_running_in_one_paste(talk):
    state = talk.send(State(), f"llama 3 8b full on a 3090: {OLD} Is my code wrong?").state
    assert {name: answer.value for name, answer in state.answers.items()} == {
        "model": "meta-llama/Meta-Llama-3-8B",
        "method": "full",
        "hardware.gpu": "RTX 3090",
    }


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("qwen2.5 7b lora 4090 bs 4 seq 2k transformers ckpt off OOM", "crash_agrees"),
        ("qwen2.5 7b lora 4090 bs 4 seq 2k transformers ckpt off OOM at step 900", "crash_lasted"),
        (
            "OOM after 2 hours, qwen2.5 7b lora 4090 bs 4 seq 2k transformers ckpt off",
            "crash_lasted",
        ),
        ("qwen2.5 7b lora bs 1 seq 2k OOM", "crash_agrees_if"),
        ("qwen2.5 0.5b lora h100 sxm bs 1 seq 512 rank 8 trl ckpt OOM", "crash_disagrees"),
    ],
)
def test_a_crash_is_held_against_the_rules(talk, line, key):
    turn = talk.send(State(), line)
    while talk.question(turn.state) is not None:
        turn = talk.send(turn.state, "")
    for language in ("en", "zh"):
        text = "".join(printed(talk, turn.events, language).split())
        for other in CRASH_SENTENCES:
            sentence = message(language, other, names="|").split("|")[-1]
            assert ("".join(sentence.split()) in text) == (other == key), other


CRASH_SENTENCES = ("crash_agrees", "crash_agrees_if", "crash_lasted", "crash_disagrees")


@pytest.mark.parametrize(
    "text",
    [
        "out of memory after half an epoch",
        "OOM after 2 hours of training",
        "after about 900 steps: OOM",
        "OOM at step 900",
        "it ran for three hours, then OOM",
        "OOM in epoch 2",
        "halfway through it went out of memory",
        "跑了半个 epoch 爆显存",
        "训练了两个小时后显存不足",
        "第 900 步爆显存了",
    ],
)
def test_a_run_that_went_on_for_a_while_is_told_apart(talk, text):
    state = talk.send(State(), text).state
    assert state.crash is not None and state.crash.lasted
    assert talk.send(state, "OOM, batch 4").state.crash.lasted, "and stays so"


@pytest.mark.parametrize(
    "text",
    [
        "OOM",
        "OOM at step 1",
        "OOM at step 0",
        "out of memory after the first step",
        "OOM right at the start, 3 epochs, batch 4",
        "OOM with 900 steps planned",
        "OOM after I changed the batch to 8",
        "一开始就爆显存",
        "第 1 步就爆显存",
        MODERN,
        TRACE,
    ],
    ids=lambda text: text[:30],
)
def test_a_run_that_ended_at_once_or_says_nothing_of_it(talk, text):
    state = talk.send(State(), text).state
    assert state.crash is not None and not state.crash.lasted


# -- hostile input --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "x" * 10_000,
        "batch 4 " * 2_000,
        "\x1b[31mbatch\x1b[0m 4",
        "[bold]" * 500,
        "a100 " * 500,
        "/set " + "bs=" * 3_000,
        "/whatif " + "9" * 5_000,
        "CUDA out of memory. " * 1_000,
        "\n" * 3_000,
        "\u202e" * 500,
        "１２３４５" * 300,
        "批大小" * 2_000,
        "1e308 samples 1e308 epochs",
        "{" * 3_000,
    ],
    ids=lambda text: ascii(text[:12]),
)
def test_hostile_lines(talk, text):
    turn = talk.send(State(), text)
    for language in ("en", "zh"):
        printed(talk, turn.events, language)


def test_a_very_long_line_is_read_in_part_and_told(talk):
    turn = talk.send(State(), "batch 4 " + "x" * 10_000 + " rank 8")
    assert turn.state.answers["training.micro_batch_size"].value == 4
    assert "lora.rank" not in turn.state.answers
    assert isinstance(turn.events[0], Said) and turn.events[0].key == "too_long"


def test_what_was_understood_is_echoed_and_what_was_not_too(talk):
    turn = talk.send(State(), "qlroa frobnicate batch 4")
    understood = one(turn.events, Understood)
    assert {item.answer.name for item in understood.items} == {
        "method",
        "training.micro_batch_size",
    }
    text = printed(talk, turn.events)
    assert "frobnicate" in text and "qlroa" in text


def test_a_saved_file_is_as_readable_as_any_other(files):
    state, folder = after(files, FAILS), files.files.folder
    before = os.umask(0o027)
    try:
        files.send(state, "/save modes.yaml")
        (folder / "old.yaml").write_text("", "utf-8")
        (folder / "old.yaml").chmod(0o604)
        files.files.write("old.yaml", "text", True)
    finally:
        os.umask(before)
    modes = {name: (folder / name).stat().st_mode & 0o777 for name in ("modes.yaml", "old.yaml")}
    assert modes == {"modes.yaml": 0o640, "old.yaml": 0o604}


def test_a_link_to_nothing_is_not_replaced(files):
    (files.files.folder / "link.yaml").symlink_to(files.files.folder / "nowhere" / "x")
    event = files.send(after(files, FAILS), "/save link.yaml").events[-1]
    assert isinstance(event, Failed)
    assert (files.files.folder / "link.yaml").is_symlink()
