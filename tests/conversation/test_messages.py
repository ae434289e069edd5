"""Every sentence is data, in both languages, and nothing else is said."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from string import Formatter

import pytest

from advisor.conversation import Lines, State, registry
from advisor.conversation.spoken import LANGUAGES, words
from advisor.source import read_file
from tests.conversation.test_questions import ONE_LINE
from tests.support import ROOT

PACKAGE = ROOT / "advisor" / "conversation"
MESSAGES = {name: dict(read_file(PACKAGE / "messages" / f"{name}.yaml").data) for name in LANGUAGES}


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def test_both_languages_have_the_same_sentences():
    assert MESSAGES["en"].keys() == MESSAGES["zh"].keys()


@pytest.mark.parametrize("key", list(MESSAGES["en"]))
def test_a_sentence_fills_in_the_same_in_both(key):
    assert placeholders(MESSAGES["en"][key]) == placeholders(MESSAGES["zh"][key])


def test_every_command_has_help():
    told = {f"{kind}_{name}" for name in registry() for kind in ("help", "form")}
    assert told <= MESSAGES["en"].keys()


def test_every_sentence_is_used():
    source = "\n".join(path.read_text("utf-8") for path in PACKAGE.glob("*.py"))
    source += "\n".join(path.read_text("utf-8") for path in (ROOT / "advisor").rglob("*.py"))
    made = re.compile(
        "|".join(("help_", "form_", "origin_", "settled_", "refused_", "muted", "panel_", "key_"))
    )
    unused = [
        key
        for key in MESSAGES["en"]
        if not re.search(rf"[\"']{re.escape(key)}[\"']", source) and not made.match(key)
    ]
    assert unused == []


def test_what_people_say_is_told_apart():
    spoken = words()
    assert not spoken.yes & spoken.no
    assert not spoken.yes & spoken.unknown
    assert not set(spoken.many) & set(spoken.multiples)


def test_an_intent_runs_a_command_there_is(talk):
    for intent in words().intents:
        turn = talk.send(talk.send(State(), ONE_LINE).state, intent.run)
        assert turn.events
        assert not any(type(event).__name__ == "Failed" for event in turn.events), intent.run


STATES = {"does not fit", "Traceback (most recent call last)"}  # what others call it
SENTENCE = re.compile(r"[A-Za-z]{3,} [a-z]{2,} [a-z]{2,}")


@pytest.mark.parametrize(
    "path", [*PACKAGE.glob("*.py"), *(ROOT / "advisor/chat").glob("*.py")], ids=lambda p: p.name
)
def test_no_sentence_is_in_the_code(path):
    """Docstrings, the wording of file errors and patterns of foreign messages apart."""
    if path.name in ("crash.py", "files.py"):
        return
    tree = ast.parse(path.read_text("utf-8"))
    told = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    } | {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise)
        for part in ast.walk(node)
    }
    said = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in told
        and node.value not in STATES
        and (SENTENCE.search(node.value) or re.search("[\u4e00-\u9fff]{2}", node.value))
    ]
    assert said == []


def test_the_readme_of_words_is_read():
    assert Path(PACKAGE / "words" / "en.yaml").is_file()


@pytest.mark.parametrize(
    ("language", "names", "said"),
    [
        ("en", ("training.micro_batch_size", "hardware.gpu"), "micro batch size, GPU"),
        ("zh", ("training.micro_batch_size", "hardware.gpu"), "微批大小、显卡"),
        ("en", ("model.hidden_size", "no.such_input"), "model.hidden_size, no.such_input"),
        ("zh", (), ""),
    ],
)
def test_sentences_call_inputs_by_their_titles(talk, language, names, said):
    assert Lines(talk.world.book, language, lambda: ()).titles(names) == said


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_asked_has_a_title(talk, language):
    inputs = talk.world.book.inputs.values()
    assert [one.name for one in inputs if one.ask and not one.title.get(language)] == []
