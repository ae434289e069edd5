"""Leaving asks once where answers would be lost, and never where nobody sits."""

from __future__ import annotations

import pytest

from advisor.chat.plain import Printer, converse
from advisor.conversation import Conversation, State
from advisor.conversation.leaving import Leaving
from tests.conversation.test_plain import FAILS, Terminal, run
from tests.conversation.test_questions import after

LOST = "/save keeps it"


@pytest.fixture
def fresh(talk, tmp_path):
    return Conversation(talk.world.project, tmp_path)


@pytest.mark.parametrize(
    ("lines", "is_held"),
    [
        ([FAILS], True),
        (["lora"], True),
        ([""], True),
        ([FAILS, "/export yaml out.yaml", "batch 2"], True),
        ([FAILS, "/export", "/back"], False),
        ([FAILS, "/answers", "/whatif batch=2", "/chart"], True),
        ([], False),
        (["/help", "/lang zh", "gibberish", "/export pdf"], False),
        ([FAILS, "/export yaml out.yaml"], False),
        ([FAILS, "/save", "/answers", "/help"], False),
        ([FAILS, "/copy"], False),
        ([FAILS, "/export md"], False),
        ([FAILS, "/back"], False),
        ([FAILS, "/save a.yaml", "/open a.yaml"], False),
    ],
)
def test_what_would_be_lost(fresh, lines, is_held):
    state = State()
    leaving = Leaving(state)
    for line in lines:
        turn = fresh.send(state, line)
        state = turn.state
        leaving.saw(state, turn.events)
    assert leaving.is_held_back(state) is is_held
    assert not leaving.is_held_back(state), "once"


def test_what_was_opened_and_not_changed_is_not_lost(talk):
    state = after(talk, FAILS)
    assert not Leaving(state).is_held_back(state)


def said(talk: Conversation, lines: list[str], is_terminal: bool) -> str:
    out: list[str] = []
    rest = iter(lines)
    printer = Printer(talk, out.append, False, is_terminal)
    converse(talk, State(), lambda state: next(rest, None), printer)
    assert list(rest) == [], "everything was read"
    return "".join(out)


def test_plain_lines_ask_on_a_terminal_and_the_second_time_leave(talk):
    assert said(talk, [FAILS, "/quit", "/quit"], True).count(LOST) == 1
    assert said(talk, [FAILS, "/quit", "batch 2", "/quit", "/quit"], True).count(LOST) == 2
    assert said(talk, ["/quit"], True).count(LOST) == 0


def test_pipes_are_never_asked(talk):
    assert said(talk, [FAILS, "/quit"], False).count(LOST) == 0
    code, out, _ = run(f"{FAILS}\n/quit\nnever read\n")
    assert code == 1
    assert LOST not in out and "never read" not in out


def test_the_end_of_input_is_not_held_back(talk):
    assert said(talk, [FAILS], True).count(LOST) == 0


@pytest.mark.parametrize("env", [{"TERM": "dumb"}, {"CI": "1"}])
def test_a_poor_terminal_is_not_asked(env):
    terminal = Terminal("chat", "--no-config", **env)
    terminal.until("Enter =")
    terminal.type("lora\n")
    terminal.until("method = lora")
    terminal.type("/quit\n")
    assert terminal.end() == 3
    assert LOST not in terminal.seen
