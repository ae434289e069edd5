"""Plans on narrow screens: every figure is there, and no line is wider than the screen."""

from __future__ import annotations

import pytest

from advisor.conversation import Lines
from advisor.conversation.events import PlanShown
from advisor.report.phrases import width
from tests.conversation.test_questions import after

LINES = (
    "qwen2.5 7b lora on a 4090, seq 2048, 20k samples, 2 epochs",
    "transformers, checkpointing off, batch 2, accumulation 16, 600 tokens, rank 16, 1 gpu",
)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("columns", [44, 50, 58, 62, 69, 72, 78])
def test_a_plan_has_room(talk, columns, language):
    state = after(talk, *LINES)
    (shown,) = [one for one in talk.send(state, "/plan").events if isinstance(one, PlanShown)]
    assert len(shown.plan.rungs) == 2
    lines = Lines(talk.world.book, language, talk.world.project.trainers, columns).of(shown)
    assert max(map(width, lines)) <= columns
    told = " ".join(" ".join(lines).split())
    for figure in ("49.4 → 23.7 GiB", "23.7 → 18.1 GiB", "+46 %", "−1 %"):
        assert figure in told
    assert told.count("✓") == 1
