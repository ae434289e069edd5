"""What plain readers see, word for word: the contract with screen readers, and with pipes.

``pytest tests/conversation --update-golden`` writes ``transcripts/`` anew.
"""

from __future__ import annotations

import difflib
import re
from pathlib import Path

import pytest

from tests.conversation.conversations import STEPS
from tests.conversation.test_plain import run

FOLDER = Path(__file__).with_name("transcripts")
DIGEST = re.compile(r"\(?\b[0-9a-f]{8}\b\)?")


def transcript(name: str, folder: Path) -> tuple[int, str]:
    """The exit code, and what comes out; the digest of the rules is not told."""
    told = STEPS[name]
    text = "".join(f"{line}\n" for line in told.lines)
    code, out, err = run(text, "--lang", told.language, folder=folder)
    assert err == ""
    return code, DIGEST.sub("(DIGEST)", out)


@pytest.mark.parametrize("name", STEPS)
def test_transcript(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    code, found = transcript(name, tmp_path)
    path = FOLDER / f"{name}.txt"
    if request.config.getoption("--update-golden"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(found, "utf-8")
    expected = path.read_text("utf-8") if path.is_file() else ""
    diff = difflib.unified_diff(expected.splitlines(True), found.splitlines(True))
    assert found == expected, "".join(diff)
    assert code == 0


def test_no_transcript_is_left_over() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(STEPS)


@pytest.mark.parametrize("name", STEPS)
def test_a_transcript_can_be_read_aloud(name: str) -> None:
    """One line after the other, nothing drawn, choices numbered, each line typed shown once."""
    text = (FOLDER / f"{name}.txt").read_text("utf-8")
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f]", text)
    assert not re.search("[█▓▒░│╭╰━]", text)
    typed = [line[2:] for line in text.splitlines() if re.match("❯( |$)", line)]
    assert typed == list(STEPS[name].lines)


@pytest.mark.parametrize("name", [name for name in STEPS if name.startswith("steps")])
def test_the_way_leads_from_does_not_fit_over_the_steps_to_fits(name: str) -> None:
    text = (FOLDER / f"{name}.txt").read_text("utf-8")
    ways = {
        "en": ("Does not fit", "Do this, in order", "❯ /take", "fits", "out.yaml", "Verdict: fits"),
        "zh": ("放不下", "按顺序这样做", "❯ /take", "放得下", "out.yaml", "放得下"),
    }
    at = 0
    for word in ways[STEPS[name].language]:
        at = text.index(word, at) + 1


def test_both_languages_tell_the_same_numbers() -> None:
    """The same commands in both: the same figures in the same order."""
    figures = []
    for language in ("en", "zh"):
        text = " ".join((FOLDER / f"steps-{language}.txt").read_text("utf-8").split())
        figures.append(re.findall(r"\d+\.\d GiB|[+−]\d+ %", text))
    assert figures[0] == figures[1]
    assert len(figures[0]) > 20
