"""Every sentence that people see is there in both languages, and fills in the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
import yaml

from advisor.report import phrases
from tests.languages.stage import TRAINER_WORDS, WORDS
from tests.support import ROOT

LANGUAGES = ("en", "zh")
FILES = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in ("core", "napkin", "ladders", "trainers", "runs")
    for path in (ROOT / "rules" / folder).rglob("*.yaml")
)


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def texts(node: Any, keys: set[str], path: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of a key whose value is a sentence, with the way to it."""
    if isinstance(node, dict):
        for key, value in node.items():
            where = f"{path}.{key}"
            if key in keys and (
                isinstance(value, str) or (isinstance(value, dict) and value.keys() & {*LANGUAGES})
            ):
                yield where, value
            else:
                yield from texts(value, keys, where)
    elif isinstance(node, list):
        for number, value in enumerate(node):
            yield from texts(value, keys, f"{path}[{number}]")


def keys_of(name: str) -> set[str]:
    folder = Path(name).parts[1]
    if folder == "trainers":
        return TRAINER_WORDS
    return {"title"} if folder == "runs" else WORDS


@pytest.mark.parametrize("name", FILES)
def test_rules_say_everything_in_both_languages(name):
    data = yaml.load((ROOT / name).read_text("utf-8"), yaml.BaseLoader)  # as text, unread
    if "/runs/" in name:
        data = data.get("groups", [])  # the title of a table of runs is shown nowhere
    for where, text in texts(data, keys_of(name)):
        assert isinstance(text, dict) or ("/trainers/" in name and " " not in text), where
        if isinstance(text, dict):
            assert set(text) == set(LANGUAGES), where
            assert placeholders(text["en"]) == placeholders(text["zh"]), where


def test_reports_say_everything_in_both_languages():
    english, chinese = (phrases._words(language) for language in LANGUAGES)
    assert list(english) == list(chinese)
    for key, text in english.items():
        assert placeholders(text) == placeholders(chinese[key]), key


def test_templates_are_there_in_both_languages():
    folder = ROOT / "advisor" / "cli" / "templates"
    files = [sorted(path.name for path in (folder / one).iterdir()) for one in LANGUAGES]
    assert files[0] == files[1]


def test_every_word_of_reports_is_used():
    code = "\n".join(path.read_text("utf-8") for path in (ROOT / "advisor").rglob("*.py"))
    made = ("state_", "reason_", "worse_", "origin_", "story_", "confidence_", "note_", "init_",
            "diff_", "accuracy_", "plan_", "fix_", "waived_", "data_")  # fmt: skip
    states = {"fits", "tight", "does not fit", "undecided", "no limit"}
    unused = [
        key
        for key in phrases._words("en")
        if not re.search(rf"['\"]{re.escape(key)}['\"]", code)
        and not key.startswith(made)
        and key not in states
    ]
    assert unused == []
