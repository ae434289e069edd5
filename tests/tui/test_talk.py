"""Whole conversations before the screen: by keys, by the mouse, and what must not be."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from textual import events

from advisor.conversation import Conversation, Lines, State
from advisor.conversation.events import Charted, Copied, Event, Exported, PlanShown, VerdictShown
from advisor.report.style import SIGNS
from advisor.tui.panel import first_answer
from advisor.tui.screens.chart import ChartScreen
from advisor.tui.screens.talk import TalkScreen
from advisor.units import quantity_text
from tests.support import ROOT
from tests.tui.driving import LINE, Seat, cells, rules, sit


def test_by_keys_alone_to_a_plan_that_fits(tmp_path):
    async def person(seat: Seat) -> None:
        await seat.pilot.press(*"qwen2.5 7b lora on a 4090 seq 2048")
        await seat.press("enter")
        await seat.press("down", "down", "up", "enter")  # the first choice, by arrows
        await seat.press("2", "enter")  # the second, by its digit
        assert any(isinstance(one, PlanShown) for one in seat.talk.events)
        await seat.type("/take", "enter")
        await seat.type("/export yaml out.yaml", "enter")
        await seat.press("ctrl+q")

    app = sit(person, folder=tmp_path)
    answers = app.talk_screen.state.answers
    assert (answers["training.framework"].value, answers["training.framework"].origin) == (
        "transformers", "picked",
    )  # fmt: skip
    assert answers["training.gradient_checkpointing"].origin == "remedy"
    done = subprocess.run(
        [sys.executable, "-m", "advisor", "check", "out.yaml", "--format", "json",
         "--today", "2026-11-29"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    checked = json.loads(done.stdout)["results"][0]
    shown = next(one for one in app.talk_screen.events[::-1] if isinstance(one, VerdictShown))
    first = first_answer(shown.check.verdict)
    assert first is not None
    assert checked["answers"]["memory"]["likely"] == pytest.approx(first.likely)


def test_by_the_mouse_alone_to_a_plan_that_fits():
    async def person(seat: Seat) -> None:
        await seat.click("3 Qwen/Qwen2.5-7B")
        while seat.question.question is not None and len(seat.state.log) < 12:
            await seat.click("Enter =")
        await seat.click("/take")
        await seat.click("Back")
        await seat.click("/take")

    app = sit(person, (120, 40))
    origins = {one.origin for one in app.talk_screen.state.answers.values()}
    assert "remedy" in origins
    verdict = app.talk_screen.talk.view(app.talk_screen.state).verdict.check.verdict
    assert verdict is not None and verdict.state == "fits"


def test_only_enter_reaches_a_verdict_that_stays_muted():
    async def person(seat: Seat) -> None:
        for _ in range(8):
            await seat.press("enter")

    app = sit(person)
    view = app.talk_screen.talk.view(app.talk_screen.state)
    assert view.question is None
    assert view.verdict.check.verdict is not None
    assert not view.verdict.outlook.is_settled


def test_the_screen_tells_the_same_events_as_the_conversation():
    lines = [LINE, "", "1", "/answers", "/nonsense", "banana", "/back", "/whatif batch=2"]

    async def person(seat: Seat) -> None:
        for line in lines:
            await seat.type(line, "enter")

    app = sit(person)
    talk = Conversation(rules())
    expected = [*talk.start(State()).events]
    for turn in talk.replay(lines):
        expected += turn.events
    told = [
        [(type(one), lines_of(one)) for one in some] for some in (app.talk_screen.events, expected)
    ]
    assert told[0] == told[1]


def lines_of(event: Event) -> list[str]:
    return Lines(rules().book, "en", rules().trainers).of(event)


@pytest.mark.parametrize("draft", ["", "qwen", "batch 4", "/set ba", "[bold]x[/] \\", "一个草稿"])
def test_escape_destroys_nothing(draft):
    async def person(seat: Seat) -> None:
        await seat.type(LINE, "enter")
        before = seat.state
        await seat.type(draft)
        await seat.press("escape", "escape")
        assert seat.prompt.value == draft
        assert not seat.popup.display
        assert seat.state == before
        assert seat.app.is_running

    sit(person)


def test_a_draft_outlives_a_click_and_the_palette():
    async def person(seat: Seat) -> None:
        await seat.type(LINE, "enter")
        await seat.type("batch 4")
        await seat.click("• GPU")
        assert seat.prompt.value == "/set hardware.gpu="
        await seat.press("escape", "up")
        assert seat.prompt.value == "batch 4"
        await seat.press("ctrl+p")
        assert seat.app.screen is not seat.talk
        await seat.press("escape")
        assert seat.prompt.value == "batch 4"

    sit(person, (120, 40))


def test_completion_by_tab_by_arrows_and_by_the_mouse():
    async def person(seat: Seat) -> None:
        await seat.type("llama3 8b")
        assert seat.popup.display and seat.popup.option_count
        await seat.press("tab")
        assert "Llama" in seat.prompt.value and not seat.state.log
        seat.prompt.value = ""
        await seat.type("qwen 7")
        await seat.press("down", "enter")
        assert seat.state.answers["model"].origin in ("said", "picked")
        await seat.type("rtx 40")
        await seat.click("rtx-4090 ", last=False)
        assert "hardware.gpu" in seat.state.answers

    sit(person)


def test_digits_begin_a_free_line_too():
    async def person(seat: Seat) -> None:
        await seat.press("2")
        assert seat.question.chosen == 1
        await seat.press(*"x4090")
        assert seat.question.chosen == -1
        await seat.press("enter")
        answers = seat.state.answers
        assert answers["hardware.count"].value == 2
        assert "model" not in answers

    sit(person)


def test_a_paste_of_several_lines_is_one_message():
    text = "Traceback (most recent call last):\r\n  File x\r\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"  # noqa: E501

    async def person(seat: Seat) -> None:
        seat.prompt.post_message(events.Paste(text))
        await seat.settle()
        assert "\n" not in seat.prompt.value
        await seat.press("enter")
        assert seat.state.crash is not None
        assert len(seat.state.log) == 1

    sit(person)


@pytest.mark.parametrize(
    "line",
    [
        "[red]x[/red]",
        "\x1b[2J\x1b]52;c;eA==\x07",
        "a\u202eb",
        "x" * 10_000,
        "[",
        "\\[",
        "/why [@click=app.quit]",
    ],
)
def test_hostile_lines_are_only_text(line):
    async def person(seat: Seat) -> None:
        seat.talk.send(line)
        await seat.settle()
        assert seat.app.is_running
        assert "\x1b" not in seat.text() and "\u202e" not in seat.text()
        assert "[" not in line or "[" in seat.chat.text()

    sit(person)


def test_lines_typed_while_one_is_worked_out_wait():
    async def person(seat: Seat) -> None:
        seat.talk.send(LINE)
        seat.talk.send("")  # a second Enter says nothing: it must not answer the next question
        seat.talk.send("batch 2")
        seat.talk.send("rank 8")
        await seat.settle()
        assert [one.text for one in seat.state.log] == [LINE, "batch 2", "rank 8"]

    sit(person)


@pytest.mark.parametrize(
    ("grace", "text", "is_taken"),
    [
        (1e9, "", False),
        (0.0, "", True),
        (1e9, "2", True),
        (1e9, "transformers", True),
        (1e9, "  ", False),
    ],
)
def test_enter_does_not_answer_a_question_that_only_just_came_up(
    grace, text, is_taken, monkeypatch
):
    async def person(seat: Seat) -> None:
        await seat.type(LINE, "enter")
        monkeypatch.setattr(TalkScreen, "GRACE", grace)
        before = seat.state
        await seat.type(text, "enter")
        assert (seat.state != before) is is_taken
        assert seat.question.question is not None

    sit(person)


def test_the_grace_is_about_questions_and_not_about_arrows(monkeypatch):
    monkeypatch.setattr(TalkScreen, "GRACE", 1e9)

    async def person(seat: Seat) -> None:
        await seat.type(LINE, "enter")
        await seat.press("down", "enter")
        assert "training.framework" in seat.state.answers
        await seat.click("Enter =")
        assert len(seat.state.log) == 3, "who clicks has seen it"

    sit(person)


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 16), (40, 12)])
def test_wide_characters_stay_inside_the_screen(size):
    async def person(seat: Seat) -> None:
        await seat.type("/lang zh", "enter")
        await seat.type("4090 上 LoRA 微调 qwen2.5 7b，长度 2048，" + "很长的句子" * 12, "enter")
        await seat.type("批大小改成四，再看看" * 6)
        assert all(cells(row) <= size[0] for row in seat.text().splitlines())
        assert "看看" in seat.text(), "the end of the draft, where the cursor is"
        for key in ("f5", "f6", "f7", "escape", "f2"):
            await seat.press(key)
            assert all(cells(row) <= size[0] for row in seat.text().splitlines())

    sit(person, size)


def test_a_late_turn_after_the_end_is_no_error():
    async def person(seat: Seat) -> None:
        seat.talk.send(LINE)
        seat.app.leave()

    sit(person)


def test_resizing_keeps_everything():
    async def person(seat: Seat) -> None:
        await seat.type(LINE, "enter")
        await seat.type("half a li")
        for size in ((120, 40), (60, 16), (40, 12), (200, 60), (80, 24)):
            await seat.pilot.resize_terminal(*size)
            await seat.settle()
            assert seat.prompt.value == "half a li"
            assert all(len(row) <= size[0] for row in seat.text().splitlines())
            assert "half a li" in seat.text()
            assert "f1 Help" in seat.text()
            assert ("answers (a click" in seat.text()) == (size[0] >= 100)

    sit(person)


def test_copying_reaches_the_clipboard():
    async def person(seat: Seat) -> None:
        await seat.type(LINE, "enter")
        await seat.type("/copy", "enter")

    app = sit(person)
    copied = [one for one in app.talk_screen.events if isinstance(one, Copied)]
    assert app.clipboard == copied[0].text
    assert "model: Qwen/Qwen2.5-7B" in app.clipboard


def test_ctrl_c_twice_leaves_and_once_does_not():
    async def person(seat: Seat) -> None:
        await seat.press("ctrl+c")
        assert seat.app.is_running and seat.app.return_value is None
        await seat.press("ctrl+c")

    assert sit(person).return_value == State()


def test_the_language_changes_at_once():
    async def person(seat: Seat) -> None:
        await seat.type("/lang zh", "enter")
        assert "问题 1" in seat.text()
        assert "帮助" in seat.text() and "Help" not in seat.text()

    sit(person)


def test_the_numbers_on_the_bar_the_panel_and_the_export_are_one(tmp_path):
    async def person(seat: Seat) -> None:
        await seat.type(LINE, "enter")
        await seat.type("/export json", "enter")
        exported = next(one for one in seat.talk.events if isinstance(one, Exported))
        memory = json.loads(exported.text)["results"][0]["answers"]["memory"]
        for amount in (memory["likely"], memory["limit"]):
            shown = quantity_text(amount, rules().book.unit("memory.need"))
            assert shown in seat.text()
        parts = sum(one["value"] for one in memory["parts"])
        assert parts == pytest.approx(memory["likely"])

    sit(person, (120, 40), folder=tmp_path)


def test_the_chart_draws_what_check_says():
    async def person(seat: Seat) -> None:
        await seat.type(LINE, "enter")
        await seat.press("f7")
        assert isinstance(seat.app.screen, ChartScreen)
        titles = set()
        for _ in seat.app.screen.charts:
            titles.add(seat.text())
            await seat.press("right")
        assert len(titles) == len(seat.app.screen.charts) > 1
        await seat.press("escape")
        assert isinstance(seat.app.screen, TalkScreen)

    sit(person)


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 16), (40, 12)])
@pytest.mark.parametrize(
    ("line", "first", "never"),
    [
        ("qwen2.5 14b lora on a t4 bs 1", "First of 2 steps: turn on gradient", "One step"),
        ("qwen2.5 7b full on a 4090 bs 1", "One step: LoRA instead", "First of"),
        ("qwen2.5 0.5b qlora on an h100 sxm bs 1", "What next?", "step:"),
    ],
)
def test_the_first_step_of_a_plan_is_on_the_screen(size, line, first, never):
    async def person(seat: Seat) -> None:
        await seat.type(line, "enter")
        while seat.question.question is not None:
            await seat.type("/skip", "enter")
        shown = " ".join(seat.question.closing.split())
        assert shown.startswith(first) and never not in shown
        assert first[:18] in seat.text()

    sit(person, size)


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 16), (40, 12)])
def test_a_chart_can_be_typed_and_says_what_plain_lines_say(size):
    async def person(seat: Seat) -> None:
        await seat.type(f"{LINE}, 20k samples, 2 epochs, 600 tokens", "enter")
        await seat.type("/chart gpus", "enter")
        assert isinstance(seat.app.screen, ChartScreen)
        event = next(one for one in seat.talk.events[::-1] if isinstance(one, Charted))
        assert event.at is not None
        chart, text = event.charts[event.at], seat.text()
        lines = Lines(rules().book, "en", rules().trainers)
        for point in chart.points:
            told = [point.label, SIGNS[point.first.state]]
            told += [lines.chart_amount(one, one.likely) for one in point.results[1:]]
            has_row = any(all(word in row for word in told) for row in text.splitlines())
            assert has_row or size[0] < 60, told
        await seat.press("left", "right", "escape")
        assert isinstance(seat.app.screen, TalkScreen)
        assert seat.prompt.value == ""

    sit(person, size)


def test_a_chart_of_nothing_is_said():
    async def person(seat: Seat) -> None:
        await seat.press("f7")
        assert isinstance(seat.app.screen, TalkScreen)
        assert "There is nothing to draw yet." in seat.chat.text()

    sit(person)


@pytest.mark.parametrize(
    ("line", "theme", "said"),
    [
        ("/theme nord", "nord", "The theme is nord now."),
        ("/theme Textual-Light", "textual-light", "The theme is textual-light now."),
        ("/theme", "textual-dark", "There are ansi-dark, "),
        ("/theme nrod", "textual-dark", "Near: nord"),
        ("/theme [red]", "textual-dark", "There is no theme “[red]”"),
        ("/theme ../../etc", "textual-dark", "There is no theme"),
    ],
)
def test_themes_are_typed(line, theme, said):
    async def person(seat: Seat) -> None:
        await seat.type(LINE, "enter")
        state = seat.state
        await seat.type(line, "enter")
        assert seat.app.theme == theme
        assert said in " ".join(seat.chat.text().split())
        assert seat.state == state, "a theme is no answer"

    sit(person)


def test_names_of_themes_are_completed():
    async def person(seat: Seat) -> None:
        await seat.type("/theme solar")
        assert "solarized-dark" in seat.text() and "solarized-light" in seat.text()
        await seat.press("down", "enter")
        assert seat.prompt.value.startswith("/theme solarized-")
        await seat.press("enter")
        assert seat.app.theme.startswith("solarized-")

    sit(person)


@pytest.mark.parametrize("keys", [["ctrl+q"], ["/quit"]])
def test_leaving_asks_once_where_answers_would_be_lost(keys):
    async def leave(seat: Seat) -> None:
        if keys == ["/quit"]:
            await seat.type("/quit", "enter")
        else:
            await seat.press(*keys)

    async def person(seat: Seat) -> None:
        await seat.type(LINE, "enter")
        await leave(seat)
        assert seat.app.return_value is None
        assert "/save keeps it" in seat.text()
        await leave(seat)

    app = sit(person)
    assert app.return_value is not None
    assert "model" in app.return_value.answers


def test_leaving_over_a_chart_asks_in_the_talk():
    async def person(seat: Seat) -> None:
        await seat.type(LINE, "enter")
        await seat.press("f7")
        assert isinstance(seat.app.screen, ChartScreen)
        await seat.press("ctrl+q")
        assert isinstance(seat.app.screen, TalkScreen)
        assert "/save keeps it" in seat.text()
        assert seat.app.return_value is None

    sit(person)


@pytest.mark.parametrize("lines", [[], ["/help"], [LINE, "/export"], [LINE, "/back"]])
def test_leaving_does_not_ask_where_nothing_is_lost(lines):
    async def person(seat: Seat) -> None:
        for line in lines:
            await seat.type(line, "enter")
        await seat.press("ctrl+q")

    assert sit(person).return_value is not None


def test_a_thousand_rows_of_chat_draw_only_what_is_seen():
    async def person(seat: Seat) -> None:
        for _ in range(60):
            seat.talk.send("/help")
        await seat.settle()
        assert len(seat.chat.rows) > 1000
        assert len(seat.chat.children) == 0
        await seat.press("pageup", "pageup")
        assert seat.chat.scroll_offset.y < seat.chat.max_scroll_y
        await seat.type("batch 4")
        assert seat.prompt.value == "batch 4"

    sit(person)


def test_the_conversation_does_not_load_textual():
    code = "import sys, advisor.conversation, advisor.chat; sys.exit('textual' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_an_amount_stays_beside_its_unit_where_the_panel_has_a_scrollbar():
    async def person(seat: Seat) -> None:
        await seat.type(LINE, "enter")
        side = seat.talk.query_one("#side")
        assert side.show_vertical_scrollbar
        rows = seat.text().splitlines()
        (weights,) = (row for row in rows if "Weights" in row)
        assert "14.2 GiB" in weights
        panel = [row.rpartition("│")[2].strip() for row in rows]
        assert not [row for row in panel if row.startswith(("GiB", "MiB"))]

    sit(person, (110, 26))
