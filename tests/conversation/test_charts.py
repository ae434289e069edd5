"""Charts: every point is what a check of it says, and nothing is drawn that says nothing."""

from __future__ import annotations

import pytest

from advisor.conversation import Conversation, Lines, State
from advisor.conversation.charts import Chart
from advisor.conversation.events import Charted, Failed, Said
from advisor.report.phrases import width
from tests.conversation import held
from tests.conversation.test_questions import after

RUN = "qwen2.5 7b lora on a 4090, seq 2048, 20k samples, 2 epochs, 600 tokens, transformers"
CARDS = "hardware.gpu"


def drawn(talk: Conversation, state: State, line: str = "/chart") -> Charted:
    (event,) = talk.send(state, line).events
    assert isinstance(event, Charted)
    return event


def cards(talk: Conversation, *lines: str) -> Chart:
    charts = drawn(talk, after(talk, *lines)).charts
    (found,) = [one for one in charts if one.name == CARDS]
    return found


def test_there_is_memory_against_batch_and_length_and_time_and_cost_across_cards(talk):
    charts = drawn(talk, after(talk, RUN)).charts
    names = [one.name for one in charts]
    assert {"training.micro_batch_size", "training.sequence_length"} <= set(names)
    assert names[-1] == CARDS and len(names) == len(set(names))
    assert [one.name for one in charts[-1].others] == ["time", "cost"]
    assert all(not one.others and one.limit for one in charts[:-1])
    assert charts[-1].limit is None, "each card has its own"


@pytest.mark.parametrize("extra", ["", "0.40 USD/h", "deadline 6 h", "4x", "qlora"])
def test_every_point_is_what_a_check_says(talk, extra):
    state = after(talk, RUN, extra) if extra else after(talk, RUN)
    for chart in drawn(talk, state).charts:
        assert [point.label for point in chart.points if point.is_current]
        for point in chart.points:
            name = f"'{point.value}'" if chart.is_across else f"{point.value:g}"
            turn = talk.send(state, f"/set {chart.name}={name.strip(chr(39))}")
            checked = held.verdict(talk.world.check(turn.state))
            for one in point.results:
                assert one.likely == pytest.approx(checked.answers[one.name].likely)
                assert one.limit == checked.answers[one.name].limit
                assert one.state == checked.answers[one.name].state


@pytest.mark.parametrize(
    ("line", "chosen"),
    [
        ("/chart", None),
        ("/chart batch", "training.micro_batch_size"),
        ("/chart training.sequence_length", "training.sequence_length"),
        ("/chart gpus", CARDS),
        ("/chart gpu", CARDS),
    ],
)
def test_one_can_be_asked_for(talk, line, chosen):
    event = drawn(talk, after(talk, RUN), line)
    found = None if event.at is None else event.charts[event.at].name
    assert found == chosen


@pytest.mark.parametrize(
    "word", ["nonsense", "model", "budget.time", "training.loss", "\x1b[2J", "9"]
)
def test_of_other_things_there_is_none(talk, word):
    state = after(talk, RUN)
    turn = talk.send(state, f"/chart {word}")
    assert turn.state == state
    (event,) = turn.events
    assert isinstance(event, Failed) and event.key == "chart_what"


@pytest.mark.parametrize("lines", [(), ("lora",), ("lora", "4090")])
def test_where_nothing_is_known_nothing_is_drawn(talk, lines):
    (event,) = talk.send(after(talk, *lines), "/chart").events
    assert event == Said("chart_none")


@pytest.mark.parametrize(
    ("extra", "told"),
    [
        ("0.40 USD/h", (("cost.price_per_gpu_hour", "0.4 USD/h"),)),
        ("", ()),
        ("deadline 6 h", ()),
        ("budget 3 USD", ()),
        ("rank 8, batch 2", ()),
    ],
)
def test_an_answer_that_stands_in_for_every_card_is_told(talk, extra, told):
    assert cards(talk, RUN, *([extra] if extra else [])).held == told


def test_without_data_memory_is_drawn_and_what_is_missing_told(talk):
    found = cards(talk, "qwen2.5 7b lora on a 4090, seq 2048, transformers")
    assert found.others == ()
    assert {"data.samples", "data.tokens.mean"} <= set(found.wanted)
    assert all(point.first.limit for point in found.points)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_as_rows_of_text(talk, language, columns=92):
    event = drawn(talk, after(talk, RUN))
    lines = Lines(talk.world.book, language, talk.world.project.trainers, columns).of(event)
    text = "\n".join(lines)
    assert max(map(width, lines)) <= columns
    assert not set(text) & set("█▓▒░┃·")
    for chart in event.charts:
        rows = Lines(talk.world.book, language, lambda: (), columns).chart(chart)
        for point, row in zip(chart.points, list(rows)[1:], strict=False):
            assert point.label in row
            assert row.startswith("•") == point.is_current
