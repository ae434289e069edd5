"""Any lines in any order: the conversation never breaks, goes back exactly, and asks each once."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from advisor.conversation import Conversation, Lines, State
from advisor.conversation.events import Asked, Event, VerdictShown
from advisor.errors import visible
from advisor.project import open_project
from tests.conversation.held import NoFiles
from tests.conversation.test_slots import PHRASINGS, escaped
from tests.support import TODAY

PROJECT = open_project([], TODAY)
TALK = Conversation(PROJECT, files=NoFiles())
COMMANDS = [
    "/help", "/help take", "/why", "/why memory", "/why lora.rank", "/why 1", "/why fits-in-memory",
    "/why lower-rank", "/why nonsense", "/skip", "/more", "/set bs=2", "/set lora.rank=?",
    "/set model=?", "/set nonsense", "/set", "/answers", "/plan", "/take", "/take 1", "/take 99",
    "/whatif bs 2 seq 4k", "/whatif", "/whatif a100", "/compare gpus", "/compare methods",
    "/compare ladder", "/compare bs", "/compare foo", "/export", "/export md", "/export json",
    "/export foo", "/copy", "/save", "/open x.yaml", "/lang zh", "/lang en", "/lang xx", "/quit",
    "/bak", "/", "//", "/ help", "/\x00", "/chart",
    "/chart gpus", "/chart x", "/theme", "/theme x", "/take -1", "/take 1e9", "/set =",
    "/set a=b=c",
]  # fmt: skip
SHOWS_ONLY = (
    "/help", "/why", "/answers", "/plan", "/whatif", "/compare", "/export", "/copy", "/quit",
    "/chart", "/theme",
)  # fmt: skip

ANSWERS = [
    "",
    "?",
    "1",
    "2",
    "3",
    "yes",
    "no",
    "4",
    "2048",
    "0",
    "-1",
    "9999999999",
    "1e400",
    "不知道",
]
PIECES = ["batch", "4", "lora", "x", "a100", "=", "seq", "2k", "no", "24 GB", "of", "7b", "model"]
LINES = st.one_of(
    st.sampled_from([escaped(text) for text, _ in PHRASINGS]),
    st.sampled_from(COMMANDS),
    st.sampled_from(ANSWERS),
    st.text(max_size=40),
    st.builds(" ".join, st.lists(st.sampled_from(PIECES), max_size=8)),
)  # fmt: skip


def shown(state: State, events: tuple[Event, ...]) -> list[str]:
    """Every line of some events, as a face would print it."""
    lines = Lines(TALK.world.book, state.language, lambda: ())
    return [visible(line) for event in events for line in lines.of(event)]


class Machine(RuleBasedStateMachine):
    """A person typing; every state that was reached is kept for going back."""

    def __init__(self) -> None:
        super().__init__()
        self.state = State()
        self.before: list[State] = []

    @rule(line=LINES)
    def types(self, line: str) -> None:
        turn = TALK.send(self.state, line)
        again = TALK.send(self.state, line)
        assert again == turn, "the same state and line give the same turn"
        shown(turn.state, turn.events)
        if len(turn.state.log) > len(self.state.log):
            assert turn.state.log[:-1] == self.state.log
            assert turn.state.undone == () or line.startswith("/redo")
            self.before.append(self.state)
        if line.startswith(SHOWS_ONLY):
            assert turn.state == self.state
        self.state = turn.state

    @rule()
    def accepts_what_is_suggested(self) -> None:
        question = TALK.question(self.state)
        turn = TALK.send(self.state, "")
        if question is None:
            assert turn.state == self.state
            return
        assert question.name in turn.state.answers
        assert not turn.state.answers[question.name].is_known
        after = TALK.question(turn.state)
        assert after is None or after.name != question.name, "a question is asked once"
        self.before.append(self.state)
        self.state = turn.state

    @precondition(lambda self: self.before)
    @rule()
    def goes_back(self) -> None:
        was = self.before.pop()
        turn = TALK.send(self.state, "/back")
        assert turn.state.log == was.log
        assert turn.state.answers == was.answers
        redone = TALK.send(turn.state, "/redo").state
        assert redone.log == self.state.log
        assert redone.answers == self.state.answers
        self.state = turn.state._replace(undone=(), refine=was.refine)
        assert TALK.question(self.state) == TALK.question(
            was._replace(undone=(), language=self.state.language)
        )

    @invariant()
    def no_question_is_asked_that_is_answered_or_does_not_apply(self) -> None:
        question = TALK.question(self.state)
        if question is None or question.reason == "unclear":
            return
        assert question.name not in self.state.answers
        assert question.number <= question.most
        source = TALK.world.book.inputs[question.name]
        assert source.ask

    @invariant()
    def what_is_exported_is_what_is_shown(self) -> None:
        check = TALK.world.check(self.state)
        assert all(one.code != "bug" for one in check.problems)


EVERYDAY = settings(
    max_examples=30,
    stateful_step_count=10,
    derandomize=True,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
Machine.TestCase.settings = EVERYDAY
TestMachine = Machine.TestCase


@pytest.mark.slow
def test_many_more_conversations():
    run_state_machine_as_test(Machine, settings=settings(EVERYDAY, max_examples=300))


@settings(max_examples=10, derandomize=True, deadline=None)
@given(st.lists(LINES, max_size=6))
def test_a_replay_gives_the_same_events(lines):
    other = Conversation(PROJECT, files=NoFiles())  # it has worked nothing out yet
    for turn, again in zip(TALK.replay(lines), other.replay(lines), strict=True):
        assert again.state == turn.state
        assert [type(event) for event in again.events] == [type(event) for event in turn.events]
        assert shown(again.state, again.events) == shown(turn.state, turn.events)


@settings(max_examples=25, derandomize=True, deadline=None)
@given(st.lists(LINES, max_size=4), LINES)
def test_what_if_changes_nothing(lines, last):
    state = TALK.replay(lines)[-1].state if lines else State()
    assert TALK.send(state, f"/whatif {last}").state == state


@settings(max_examples=12, derandomize=True, deadline=None)
@given(st.lists(LINES, max_size=5))
def test_the_number_of_questions_is_bounded(lines):
    state = TALK.replay(lines)[-1].state if lines else State()
    asked = 0
    while TALK.question(state) is not None:
        state = TALK.send(state, "").state
        asked += 1
        assert asked <= (16 if state.refine else 8) + len(lines), "words of each line may be vague"


def test_events_of_verdicts_carry_the_check():
    turn = TALK.send(State(), "qwen2.5 7b qlora on 2x4090 seq 2k bs 4, 20k samples, 3 epochs")
    verdicts = [event for event in turn.events if isinstance(event, VerdictShown)]
    assert [one.check for one in verdicts] == [TALK.world.check(turn.state)]
    assert isinstance(turn.events[-1], Asked)
