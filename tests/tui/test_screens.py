"""What the main scenes look like, as text that a reviewer can read: ``screens/*.txt``.

``pytest tests/tui --update-golden`` writes them anew. Where one differs, its picture is written to
``screens-actual/``.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from rich.color import Color
from textual.theme import BUILTIN_THEMES

from tests.tui.driving import LINE, Seat, sit

SCREENS = Path(__file__).with_name("screens")
SIZES = ((120, 40), (80, 24), (60, 16))


async def first_question(seat: Seat) -> None:
    pass


async def completing(seat: Seat) -> None:
    await seat.type("qwen 7")


async def muted(seat: Seat) -> None:
    await seat.type(LINE, "enter")


async def plan(seat: Seat) -> None:
    await muted(seat)
    await seat.press("1", "enter")
    await seat.press("2", "enter")


async def taken(seat: Seat) -> None:
    await plan(seat)
    await seat.type("/take", "enter")


async def comparing(seat: Seat) -> None:
    await muted(seat)
    await seat.type("/compare methods", "enter")


async def chart(seat: Seat) -> None:
    await plan(seat)
    await seat.press("f7")


async def cards(seat: Seat) -> None:
    await plan(seat)
    await seat.type("20k samples, 2 epochs, 600 tokens", "enter")
    await seat.type("/chart gpus", "enter")


async def chinese(seat: Seat) -> None:
    await seat.type("/lang zh", "enter")
    await plan(seat)


SCENES = (first_question, completing, muted, plan, taken, comparing, chart, cards, chinese)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
def test_scene(
    scene: Callable[[Seat], Awaitable[None]],
    size: tuple[int, int],
    request: pytest.FixtureRequest,
) -> None:
    name = f"{scene.__name__}-{size[0]}x{size[1]}"
    path = SCREENS / f"{name}.txt"
    seen: list[str] = []

    async def person(seat: Seat) -> None:
        seat.prompt.cursor_blink = False
        await scene(seat)
        seen.append(re.sub(r"\b[0-9a-f]{8}\b", "HASH", seat.text()))
        seen.append(seat.app.export_screenshot())

    sit(person, size)
    if request.config.getoption("--update-golden"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(seen[0], "utf-8")
        return
    expected = path.read_text("utf-8") if path.exists() else ""
    if seen[0] != expected:
        picture = SCREENS.with_name("screens-actual") / f"{name}.svg"
        picture.parent.mkdir(exist_ok=True)
        picture.write_text(seen[1], "utf-8")
        diff = difflib.unified_diff(expected.splitlines(True), seen[0].splitlines(True))
        pytest.fail(f"{name} differs (see {picture.relative_to(SCREENS.parent)})\n{''.join(diff)}")


# -- colour ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", ["textual-dark", "textual-light", "ansi-dark", "nord"])
def test_every_theme_draws_the_plan(theme):
    if theme not in BUILTIN_THEMES:
        theme = next(name for name in BUILTIN_THEMES if "ansi" in name)

    async def person(seat: Seat) -> None:
        await plan(seat)
        before = seat.text()
        seat.app.theme = theme
        await seat.settle()
        assert seat.text() == before

    sit(person)


def test_without_colour_signs_still_tell(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")

    async def person(seat: Seat) -> None:
        await plan(seat)
        text = seat.text()
        assert "✗" in text and "✓ fits" in text and "┃" in text
        colours = {
            colour
            for strip in seat.app.screen._compositor.render_strips()
            for segment in strip
            if segment.style
            for colour in (segment.style.color, segment.style.bgcolor)
            if isinstance(colour, Color) and colour.triplet is not None
        }
        assert all(max(one.triplet) - min(one.triplet) <= 1 for one in colours if one.triplet)

    sit(person, (120, 40))
