"""Which questions come, in which order, when they stop, and what a verdict may claim then."""

from __future__ import annotations

from itertools import product

import pytest

from advisor.conversation import Conversation, State
from advisor.conversation.events import Asked, PlanShown, Said, VerdictShown
from advisor.conversation.outlook import signature
from advisor.conversation.state import Answer, Entry
from advisor.evaluate import Reader, Trace
from advisor.project import Project, open_project
from advisor.rulebook.model import Value
from advisor.verdict import is_idle, judge
from tests.conversation import held
from tests.support import TODAY, book

ONE_LINE = "qwen2.5 7b qlora on 2x4090 seq 2k bs 4, 20k samples, 3 epochs"


def after(talk: Conversation, *lines: str) -> State:
    """The state after some lines."""
    state = State()
    for line in lines:
        state = talk.send(state, line).state
    return state


def asked(talk: Conversation, state: State, answer: str = "", most: int = 30) -> list[str]:
    """The inputs asked for while every question gets the same answer."""
    names: list[str] = []
    while (question := talk.question(state)) is not None and len(names) < most:
        names.append(question.name)
        state = talk.send(state, answer).state
    return names


# -- how many, and which --------------------------------------------------------------------------


def test_pressing_enter_leads_to_a_verdict_in_at_most_eight_questions(talk):
    state = State()
    questions = 0
    while talk.question(state) is not None:
        questions += 1
        turn = talk.send(state, "")
        state = turn.state
    assert 3 <= questions <= 8
    shown = [event for event in turn.events if isinstance(event, VerdictShown)]
    assert shown and shown[-1].is_final
    assert held.verdict(shown[-1].check).state in ("fits", "tight", "does not fit")
    assert not shown[-1].outlook.is_settled, "it rests on a model and a card nobody named"


def test_while_an_answer_is_needed_nothing_else_is_tried(talk):
    look = talk.view(State()).verdict.outlook
    assert {"model", "hardware.gpu"} <= look.effects.keys() <= set(look.needed)
    assert set(look.needed) < set(look.unsure) and not look.is_settled
    known = talk.view(after(talk, "qwen2.5 7b lora on a 4090")).verdict.outlook
    assert not known.needed
    assert known.effects.keys() == set(known.unsure)


def test_the_first_question_is_what_matters_most(talk):
    assert talk.question(State()).name == "model"
    assert set(asked(talk, State())[:3]) == {"model", "hardware.gpu", "method"}


@pytest.mark.parametrize("answer", ["", "1", "2"])
def test_one_line_leads_to_a_verdict_in_at_most_two_questions(talk, answer):
    turn = talk.send(State(), ONE_LINE)
    assert any(isinstance(event, VerdictShown) for event in turn.events)
    names = asked(talk, turn.state, answer, most=5)
    assert len(names) <= 2, names


def test_a_suggestion_has_a_reason_and_is_marked(talk):
    state = State()
    while (question := talk.question(state)) is not None:
        assert question.suggested, question.name
        assert question.because.get("en") and question.because.get("zh")
        state = talk.send(state, "").state
        assert not state.answers[question.name].is_known


def test_what_was_suggested_can_be_changed_later(talk):
    state = after(talk, "", "")
    changed = talk.send(state, "qwen2.5 0.5b").state
    assert changed.answers["model"].value == "Qwen/Qwen2.5-0.5B"
    assert changed.answers["model"].is_known


@pytest.mark.parametrize(
    "word", ["", "?", "idk", "I don't know", "not sure", "skip", "不知道", "随便"]
)
def test_not_knowing_takes_the_suggestion(talk, word):
    state = after(talk, word)
    assert state.answers["model"] == Answer("model", "Qwen/Qwen2.5-7B", "assumed")


def test_an_answer_that_is_none_leaves_the_question(talk):
    for text in ("gibberish", "/foo", "99", "no", "2048"):
        turn = talk.send(State(), text)
        assert turn.state == State()
        assert talk.question(turn.state).name == "model"


@pytest.mark.parametrize(
    ("line", "never"),
    [
        ("llama 3 8b full on a 4090", ["lora.rank", "vision.images_per_sample"]),
        ("qwen2.5 7b lora 4090", ["vision.images_per_sample", "sharding.strategy"]),
        ("qwen3-vl 4b lora 4090", ["sharding.strategy", "evaluation.micro_batch_size"]),
    ],
)
def test_what_does_not_apply_is_not_asked(talk, line, never):
    names = asked(talk, after(talk, line, "/more"))
    assert names
    assert not set(names) & set(never)
    assert len(names) == len(set(names))


def test_pictures_are_asked_for_where_a_model_reads_them(talk):
    assert "vision.images_per_sample" in asked(
        talk, after(talk, "qwen3-vl 4b lora 4090 bs 1 seq 1024 trl ckpt")
    )


def test_without_more_only_what_changes_the_verdict_is_asked(talk):
    settled = "qwen2.5 0.5b lora h100 sxm bs 1 seq 512 rank 8 checkpointing on framework trl"
    state = after(talk, settled)
    assert talk.question(state) is None
    assert talk.view(state).verdict.outlook.is_settled
    names = asked(talk, after(talk, settled, "/more"))
    assert {"data.samples", "data.tokens.mean"} <= set(names)


def test_a_budget_makes_the_amount_of_data_matter(talk):
    names = asked(talk, after(talk, "qwen2.5 0.5b lora h100 sxm within 2 hours"))
    assert {"data.samples", "data.tokens.mean"} <= set(names)


def test_a_vague_card_is_asked_for_at_once(talk):
    turn = talk.send(State(), "a100, qwen2.5 7b")
    question = turn.events[-1].question
    assert isinstance(turn.events[-1], Asked)
    assert question.reason == "unclear"
    texts = " ".join(choice.text for choice in question.choices)
    assert "40 GB" in texts and "80 GB" in texts
    picked = talk.send(turn.state, "2").state
    assert picked.answers["hardware.gpu"].value == question.choices[1].text
    typed = talk.send(turn.state, "A100 SXM 80GB").state
    assert typed.answers["hardware.gpu"].value == "A100 SXM 80 GB"


def test_a_digit_answers_what_is_listed_and_not_what_is_counted(talk):
    state = after(talk, "qwen2.5 7b lora 4090")
    while (question := talk.question(state)).is_numbered:
        state = talk.send(state, "").state
    assert question.name == "training.sequence_length"
    assert talk.send(state, "512").state.answers[question.name].value == 512
    assert talk.send(state, "2k").state.answers[question.name].value == 2048


# -- what a verdict claims ------------------------------------------------------------------------


def test_a_verdict_on_a_suggested_card_is_never_settled(talk):
    state = after(
        talk, "qwen2.5 72b full bs 16 seq 8192 checkpointing off framework transformers", ""
    )
    assert not state.answers["hardware.gpu"].is_known
    assert not talk.view(state).verdict.outlook.is_settled


def test_a_verdict_says_what_could_turn_it(talk):
    look = talk.view(after(talk, ONE_LINE)).verdict.outlook
    assert not look.is_settled
    assert look.turners
    assert look.low < look.high


SETTLED = [
    "qwen2.5 0.5b lora h100 sxm",
    "qwen2.5 1.5b qlora l40s bs 1 seq 512 trl checkpointing on",
    "qwen2.5 72b full rtx 3060",
    "llama 3 8b full 3090",
    "qwen2.5 7b lora 4090 bs 1 seq 512 trl checkpointing on",
    "qwen2.5 14b lora h100 sxm bs 1 seq 1024 checkpointing on unsloth",
]


def grid_of(talk: Conversation, state: State) -> tuple[dict[str, tuple[Value | None, ...]], Trace]:
    """The typical values of what was not asked, and the trace they vary."""
    world = talk.world
    trace = world.engine.run(world.scenario(state), fast=True)
    read = Reader(trace, fast=True)
    options: dict[str, tuple[Value | None, ...]] = {}
    for name, target in world.book.inputs.items():
        usual = world.typical(target)
        if target.ask and usual and name not in state.answers and not is_idle(read, target):
            options[name] = (*usual, None) if target.optional else usual
    return options, trace


def hold_against_the_grid(talk: Conversation, line: str, most: int) -> bool:
    """Whether the verdict is settled; fails where a combination of what was not asked turns it."""
    state = after(talk, line)
    while (question := talk.question(state)) is not None:
        state = talk.send(state, question.suggested).state
    if not talk.view(state).verdict.outlook.is_settled:
        return False
    options, trace = grid_of(talk, state)
    standing = signature(judge(trace, fast=True))
    grid = list(product(*options.values()))
    for values in grid[:: max(1, len(grid) // most) | 1]:
        changes = {n: v for n, v in zip(options, values, strict=True) if v is not None}
        varied = talk.world.engine.rerun(
            trace, trace.scenario.with_values(changes, "grid"), talk.world.book.order, fast=True
        )
        assert signature(judge(varied, fast=True)) == standing, changes
    return True


@pytest.mark.parametrize("line", SETTLED)
def test_no_unasked_answer_changes_a_settled_verdict(talk, line):
    """Brute force: every combination of typical values of what was not asked."""
    assert hold_against_the_grid(talk, line, 400)


MANY = product(
    ("qwen2.5 0.5b", "qwen2.5 7b", "llama 3 8b", "qwen3-vl 4b", "gemma 9b", "qwen2.5 32b", "gpt2"),
    ("lora", "qlora", "full"),
    ("3060", "4090", "l40s", "a100 sxm 80gb", "8x h100 sxm"),
    ("", "bs 4", "seq 2048 within 6 hours"),
)


@pytest.mark.slow
def test_no_unasked_answer_changes_any_settled_verdict(talk):
    lines = [" ".join(one) for one in MANY]
    settled = [line for line in lines if hold_against_the_grid(talk, line, 60)]
    assert len(settled) > len(lines) / 2


def test_the_end_says_what_is_still_open(talk):
    turn = talk.send(after(talk, ONE_LINE, ""), "")
    assert any(isinstance(event, PlanShown) for event in turn.events)
    last = turn.events[-1]
    assert isinstance(last, Said)
    assert last.key == "more_for_numbers"
    assert "data.tokens.mean" in last.names


# -- questions are the rules' ---------------------------------------------------------------------

TEAM = """
language: 1
inputs:
  today: {type: date}
  disk.free:
    type: number
    unit: byte
    range: [1, 1e15]
    typical: [1 GiB, 8 GiB, 64 GiB]
    ask: {en: How much disk is free?, zh: 还有多少磁盘？}
    aliases: [free disk]
    suggest: {value: 8 GiB, because: {en: what most have, zh: 大多如此}}
  disk.copies:
    type: integer
    unit: "1"
    range: [1, 100]
    typical: [1, 2, 16]
    ask: {en: How many copies?, zh: 几份？}
    aliases: [copies]
    default: {value: 1, because: {en: enough, zh: 够用}}
  disk.fast:
    type: boolean
    typical: [false, true]
    ask: {en: Fast?, zh: 快吗？}
    default: {value: false, because: {en: cheap, zh: 便宜}}
formulas:
  disk.need: {title: Need, unit: byte, value: disk.copies * one}
parameters:
  one: {title: One copy, unit: byte, value: 2 GiB, source: [{name: us}], checked: 2026-11-29}
policies:
  enough:
    level: deny
    require: disk.need <= disk.free
    message: {en: too little, zh: 不够}
    fix: ladder
  spinning: {level: info, require: disk.fast, message: {en: slow, zh: 慢}, fix: []}
remedies:
  fewer:
    title: {en: fewer, zh: 更少}
    when: disk.copies > 1
    repeat: true
    set: {disk.copies: floor(disk.copies / 2)}
    improves: [disk.need]
    quality: 1
    why: {en: w, zh: w}
    trade_off: {en: t, zh: t}
ladder: [fewer]
answers:
  disk: {title: {en: disk, zh: 磁盘}, value: disk.need, limit: disk.free}
"""


@pytest.fixture(scope="module")
def team() -> Conversation:
    return Conversation(Project(book(TEAM), {}, TODAY))


def test_a_teams_own_rules_get_their_questions(team):
    assert team.question(State()).name == "disk.free"
    state = team.send(State(), "8 GB").state
    assert state.answers["disk.free"].value == 8e9
    assert team.question(state).name == "disk.copies", "16 copies would not fit"
    state = team.send(state, "16 copies").state
    assert team.question(state) is None, "whether the disk is fast changes nothing"
    assert team.world.check(state).verdict.state == "does not fit"
    taken = team.send(state, "/take").state
    assert team.world.check(taken).verdict.state == "fits"


def test_a_project_of_layers_is_asked_too(tmp_path):
    (tmp_path / "layer.yaml").write_text(
        "language: 1\nlayer: team\ninputs:\n  team.nodes: {type: integer, unit: '1',"
        " typical: [1, 2], ask: {en: Nodes?, zh: 几台？},"
        " default: {value: 1, because: {en: one, zh: 一台}}}\n"
        "policies:\n  one-node: {level: deny, require: team.nodes == 1,"
        " message: {en: one node only, zh: 只能一台}, fix: []}\n",
        "utf-8",
    )
    talk = Conversation(open_project([tmp_path / "layer.yaml"], TODAY))
    assert "team.nodes" in asked(talk, after(talk, "qwen2.5 0.5b lora h100 sxm bs 1 seq 512"))


def test_a_session_without_answers_is_undecided(talk):
    assert talk.status(State()).value == "undecided"
    entry = Entry("", (Answer("method", "lora"),))
    assert talk.status(State().having(entry)).value == "undecided"


@pytest.mark.parametrize("line", ["", "qwen2.5 7b lora 4090", "llama 3 8b full 2x a100 sxm 80gb"])
def test_a_question_comes_after_those_its_default_rests_on(talk, line):
    """Who took ``1024: the framework's own limit`` finds it again after naming the trainer."""
    state = after(talk, line) if line else State()
    order: list[str] = []
    while (question := talk.question(state)) is not None and len(order) < 20:
        order.append(question.name)
        state = talk.send(state, "").state
    assert order
    reads = talk.world.book.reads
    for at, name in enumerate(order):
        assert not reads.get(name, frozenset()) & set(order[at + 1 :]), name
