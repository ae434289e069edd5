"""Two worlds in which forgotten English shows: one of marked sentences, and the Chinese one.

In the marked world every sentence that is data (the conversation's messages, the words of reports,
every text of the rule and trainer files) is written in letters that English has not. What still
reads as English then was written in code.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from advisor import paths
from advisor.cli.app import run
from advisor.conversation import sentences
from advisor.project import Project, open_project, shipped_layers
from advisor.report import phrases
from tests.support import ROOT, TODAY

MARKED, CHINESE = "marked", "zh"
_LETTERS = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "áƀćđéƒǵĥíĵķĺḿńóṕɋŕśţúṽŵẋýźÁƁĆĐÉƑǴĤÍĴĶĹḾŃÓṔɊŔŚŢÚṼŴẊÝŹ",
)
_PLACEHOLDER = re.compile(r"(\{[^{}]*\})")
WORDS = {"title", "why", "ask", "because", "message", "trade_off", "rest", "label", "reason"}
"""Keys of rule files whose value is a sentence for people."""
TRAINER_WORDS = {"none", "note", "refuse", "unknown"}
CITED = {"source", "because", "note", "title", "name"}
"""Keys of rule and trainer files whose plain value is a citation or a name, which is data."""


def marked(text: str) -> str:
    """A sentence in letters that English has not, between marks; what is filled in stays."""
    parts = _PLACEHOLDER.split(text)
    return "⟦" + "".join(p if p[:1] == "{" else p.translate(_LETTERS) for p in parts) + "⟧"


class Stage:
    """One world: what faces say there, and which English in it is data."""

    def __init__(self, world: str, project: Project) -> None:
        self.world = world
        self.project = project
        self.language = "zh" if world == CHINESE else "en"
        self.data = sorted(set(_data(project)), key=len, reverse=True)

    def call(self, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
        """What a call prints on both streams."""
        code = run(["--lang", self.language, *arguments])
        told = "".join(capsys.readouterr())
        assert code != 4, told
        return told

    def forgotten(self, text: str, names: Iterable[str] = ()) -> list[str]:
        """Runs of three English words in a text that are neither marked nor data."""
        for one in (*self.data, *names):
            text = text.replace(one, "*")
        return [found[0] for line in text.splitlines() for found in RUN.finditer(line)]


# A word has two letters and more: `A x B` is a formula.
RUN = re.compile(r"(?<![\w/.-])[A-Za-z][a-z'’]+(?: [A-Za-z]?[a-z'’]+){2,}(?![\w/])")


def build(world: str, folder: Path, patch: pytest.MonkeyPatch) -> Stage:
    """Open a world; ``patch`` takes it down again."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "GITHUB_ACTIONS"):
        patch.delenv(name, raising=False)
    if world == MARKED:
        rules = folder / "rules"
        shutil.copytree(ROOT / "rules", rules)
        for path in rules.rglob("*.yaml"):
            path.write_text(rewritten(path), "utf-8")
        shipped = paths.shipped
        patch.setattr(paths, "shipped", lambda name: rules if name == "rules" else shipped(name))
        for module, store in ((sentences, "_messages"), (phrases, "_words")):
            known = {key: marked(text) for key, text in getattr(module, store)("en").items()}
            patch.setattr(module, store, lambda language, known=known: known)
    return Stage(world, open_project([], TODAY))


def rewritten(path: Path) -> str:
    """A rule file with every text that people see marked."""
    text = path.read_text("utf-8")
    ours = "runs" not in path.parts and "lengths" not in path.parts
    found = sorted(_sentences(yaml.compose(text), ours, ""), key=lambda one: -one.start_mark.index)
    for node in found:
        end = "\n" if text[node.start_mark.index] in ">|" else ""
        new = json.dumps(marked(node.value), ensure_ascii=False) + end
        text = text[: node.start_mark.index] + new + text[node.end_mark.index :]
    return text


def _sentences(node: Any, ours: bool, key: str) -> Iterator[yaml.ScalarNode]:
    """Scalars that are sentences, citations or the names of examples."""
    if isinstance(node, yaml.MappingNode):
        keys = {name.value for name, _ in node.value}
        for name, value in node.value:
            is_text = name.value == "en" and keys <= {"en", "zh"}
            is_cited = ours and name.value in CITED | TRAINER_WORDS and " " in value.value
            if isinstance(value, yaml.ScalarNode):
                if is_text or (
                    is_cited and (name.value != "name" or key in ("source", "examples"))
                ):
                    yield value
            else:
                yield from _sentences(value, ours, name.value)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            yield from _sentences(value, ours, key)


def _data(project: Project) -> Iterator[str]:
    """English that is data wherever it is shown: names, expressions of rules, and citations."""
    book = open_project([], TODAY, examples=True).book
    for catalogue in project.catalogues.values():
        for entry in catalogue.entries():
            yield from (entry.name, *entry.aliases)
            for fact in entry.facts.values():
                yield fact.source
                yield str(fact.value)
    for group in (book.parameters, book.formulas, book.inputs):
        for one in group.values():
            for source in one.sources:
                yield from source.values()
    for definition in book.definitions.values():
        for key, field in definition.fields.items():
            yield from _expressions(field.value, key)
    for layer in (None, *shipped_layers()):
        opened = open_project([layer] if layer else [], TODAY, examples=True)
        yield from (one.name for one in opened.book.examples)
    for path in (ROOT / "rules" / "trainers").rglob("*.yaml"):
        yield from _cited(yaml.load(path.read_text("utf-8"), yaml.BaseLoader))
    yield from (one.title for one in project.formats())


def _expressions(value: Any, key: str) -> Iterator[str]:
    """What is computed, in the rule language."""
    if key in WORDS | CITED:
        return
    if isinstance(value, dict):
        for name, one in value.items():
            yield from _expressions(one, name)
    elif isinstance(value, list):
        for one in value:
            yield from _expressions(one, key)
    elif " " in str(value):
        yield " ".join(str(value).split())


def _cited(node: Any) -> Iterator[str]:
    """Where a trainer's file says that a default comes from."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key in CITED and isinstance(value, str) and " " in value:
                yield value
            else:
                yield from _cited(value)
    elif isinstance(node, list):
        for value in node:
            yield from _cited(value)
