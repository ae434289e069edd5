"""The screen in colour: the picture that README.md shows, and some scenes in several themes.

``pytest tests/tui --update-golden`` draws them anew. A new version of Textual may move cells: then
look at what differs (``screens-actual/``) before drawing anew.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from textual.color import Color
from textual.theme import BUILTIN_THEMES

from advisor.tui.contrast import contrast
from advisor.tui.screens.chart import ChartScreen
from tests.support import ROOT
from tests.tui.drawing import picture, rows
from tests.tui.driving import Seat, sit
from tests.tui.test_screens import cards, chart, completing, plan

PICTURES = Path(__file__).with_name("pictures")
README = ROOT / "docs" / "plan.svg"
DARK, LIGHT, ANSI = "textual-dark", "textual-light", "ansi-dark"


async def from_does_not_fit_to_fits(seat: Seat) -> None:
    """What README.md shows: the run as it was told, the plan, and the plan taken."""
    await seat.type(
        "qwen2.5 7b lora on a 4090, seq 2048, 20k samples, 2 epochs, 600 tokens, 0.40 USD/h",
        "enter",
    )
    await seat.type(
        "transformers, checkpointing off, batch 2, accumulation 16, rank 16, 1 gpu", "enter"
    )
    await seat.type("/take", "enter")
    lines = [row.text for row in seat.chat.rows]
    seat.chat.scroll_to(y=next(at for at, line in enumerate(lines) if "✗" in line), animate=False)
    await seat.settle()


class Scene(NamedTuple):
    """What to do before the picture, and how large and in which theme it is taken."""

    act: Callable[[Seat], Awaitable[None]]
    theme: str = DARK
    size: tuple[int, int] = (80, 24)
    has_colour: bool = True


SCENES = {
    README: Scene(from_does_not_fit_to_fits, size=(112, 46)),
    **{
        PICTURES / f"{act.__name__}-{theme}.svg": Scene(act, theme)
        for act in (completing, plan, chart)
        for theme in (DARK, LIGHT)
    },
    PICTURES / f"plan-{ANSI}.svg": Scene(plan, ANSI),
    PICTURES / "plan-no-colour.svg": Scene(plan, has_colour=False),
}


def taken(scene: Scene, see: Callable[[Seat], object]) -> None:
    """Act a scene, put its theme on, and look."""

    async def person(seat: Seat) -> None:
        seat.prompt.cursor_blink = False
        await scene.act(seat)
        seat.app.theme = scene.theme
        await seat.settle()
        await seat.pilot.pause()
        see(seat)

    sit(person, scene.size)


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.stem)
def test_picture(
    path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = SCENES[path]
    if not scene.has_colour:
        monkeypatch.setenv("NO_COLOR", "1")
    seen: list[str] = []
    taken(scene, lambda seat: seen.append(picture(seat, path.stem.replace("-", " "))))
    if request.config.getoption("--update-golden"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(seen[0], "utf-8")
    if not path.is_file() or seen[0] != path.read_text("utf-8"):
        actual = PICTURES.with_name("screens-actual") / path.name
        actual.parent.mkdir(exist_ok=True)
        actual.write_text(seen[0], "utf-8")
        pytest.fail(f"{path.relative_to(ROOT)} differs from {actual.relative_to(ROOT)}")


def test_no_picture_is_left_over():
    assert {README, *PICTURES.iterdir()} == set(SCENES)


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.stem)
def test_a_picture_asks_for_nothing_and_runs_nothing(path):
    text = path.read_text("utf-8")
    assert re.findall('https?://[^"]*', text) == ["http://www.w3.org/2000/svg"]
    assert not re.search("<script|<image|<use|<foreignObject|href|@import|url\\(|\\bon\\w+=", text)
    assert len(text) < 40_000


def test_the_readme_shows_the_picture_from_does_not_fit_to_fits():
    assert "](docs/plan.svg)" in (ROOT / "README.md").read_text("utf-8").partition("\n## ")[0]
    said = re.sub("<[^>]*>", "", README.read_text("utf-8")).replace("\u00a0", " ")
    assert said.index("Does not fit") < said.index("Do this, in order") < said.rindex("Fits: ")


# -- contrast --------------------------------------------------------------------------------------

ORNAMENT = re.compile(r"[\s·─│╭╮╰╯━▁▂▃▄▅▆▇█▊▎▓▒░▚▞▶┃╸╺]")


def weakest(seat: Seat) -> tuple[float, str]:
    """The least contrast of a word on the screen in front, and the row it is in."""
    drawn = rows(seat)
    if isinstance(seat.app.screen, ChartScreen):
        place = seat.app.screen.query_one("#chart").region
        drawn = [row[place.x : place.right] for row in drawn[place.y : place.bottom]]
    found = [
        (contrast(Color(*cell.colour), Color(*cell.ground)), "".join(one.text for one in row))
        for row in drawn
        for cell in row
        if not ORNAMENT.match(cell.text)
    ]
    return min(found)


OF_THE_TERMINAL = {"ansi-dark", "ansi-light"}  # their colours are the terminal's to choose


@pytest.mark.parametrize(
    ("act", "themes"),
    [
        (plan, [DARK, LIGHT]),
        pytest.param(plan, sorted(set(BUILTIN_THEMES) - OF_THE_TERMINAL), marks=pytest.mark.slow),
        (completing, [DARK, LIGHT]),
        (chart, [DARK, LIGHT]),
        (cards, [DARK, LIGHT]),
    ],
    ids=["plan", "plan in every theme", "completing", "chart", "cards"],
)
def test_every_word_stands_out(act, themes):
    """4.5 to 1, what WCAG 2.2 AA asks of text."""
    assert {DARK, LIGHT} <= set(themes)
    seen: dict[str, tuple[float, str]] = {}

    async def person(seat: Seat) -> None:
        await act(seat)
        for theme in themes:
            seat.app.theme = theme
            await seat.settle()
            await seat.pilot.pause()
            seen[theme] = weakest(seat)

    sit(person, (120, 40))
    assert {theme: row for theme, row in seen.items() if row[0] < 4.5} == {}
