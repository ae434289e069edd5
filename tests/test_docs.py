"""The documents against the program: outputs, files, links, commands, exit codes, units."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from advisor import schemas
from advisor.cli.app import VERBS, run
from advisor.cli.exits import Exit
from advisor.project import open_project
from advisor.rulebook.lint import lint
from advisor.selftest import run_examples
from advisor.source import read_text
from advisor.units import parse_unit
from tests import docs
from tests.support import ROOT, TODAY

ALL = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in ("*.md", "rules/**/*.md", "gpus/*.md", "models/*.md")
    for path in ROOT.glob(pattern)
)
README, RULES = docs.CHINESE
READMES = (README, docs.CHINESE[README])
RULES_PAGES = (RULES, docs.CHINESE[RULES])


def read(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """For each document a folder with its files."""
    found = {}
    for name in docs.DOCUMENTS:
        found[name] = tmp_path_factory.mktemp("document")
        docs.write_files(read(name), found[name])
    return found


# -- what a document shows is what the program says -----------------------------------------------

COMMANDS = [
    (name, block) for name in docs.DOCUMENTS for block in docs.blocks(read(name))
    if block.kind == "console"
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "block"), COMMANDS, ids=[f"{name}:{block.line}" for name, block in COMMANDS]
)
def test_a_command_prints_what_the_document_shows(folders, name, block):
    command, _, shown = block.body.partition("\n")
    assert docs.output(command, folders[name]) == shown, "write it anew: python -m tests.docs"


@pytest.mark.parametrize(
    ("readme", "bad", "good"),
    [(README, "✗ does not fit", "✓ fits"), (docs.CHINESE[README], "✗ 放不下", "✓ 放得下")],
)
def test_the_first_screen_shows_a_real_plan(readme, bad, good):
    first = next(block for name, block in COMMANDS if name == readme)
    assert bad in first.body
    assert good in first.body
    assert first.body.endswith("\n1\n")


def test_outputs_written_anew_change_only_outputs():
    spoiled = read(README).replace("does not fit", "fits like a glove")
    assert spoiled != read(README)
    assert "fits like a glove" not in "".join(
        block.body for block in docs.blocks(docs.regenerated(spoiled)) if block.kind == "console"
    )


@pytest.mark.parametrize("command", ["advisor check run.yaml", "$ rm run.yaml", "$ pytest"])
def test_only_advisor_is_run(tmp_path, command):
    with pytest.raises(ValueError, match=r"\$ advisor"):
        docs.output(command, tmp_path)


# -- the files that documents show ----------------------------------------------------------------

FILES = [
    (name, block) for name in docs.DOCUMENTS for block in docs.blocks(read(name))
    if block.kind == "yaml" and "\ntrainer: " not in block.body  # those: test_language.py
]  # fmt: skip


def layer_of(block: docs.Block) -> str:
    """The layer a block belongs to: its folder, or the file itself; empty for a scenario."""
    if "\nlayer: " not in block.body:
        return ""
    return block.file.partition("/")[0]


LAYERS = sorted({(name, layer_of(block)) for name, block in FILES if layer_of(block)})


@pytest.mark.parametrize(
    ("name", "block"), FILES, ids=[f"{name}:{block.line}" for name, block in FILES]
)
def test_every_yaml_block_is_a_file(name, block):
    assert block.file, "start the block with # NAME.yaml, so that it is tested"
    assert layer_of(block) or name in READMES, "what is no scenario says which layer it is"


@pytest.mark.parametrize(("name", "layer"), LAYERS, ids=[f"{n}-{layer}" for n, layer in LAYERS])
def test_every_layer_loads_and_its_examples_hold(folders, name, layer, monkeypatch):
    monkeypatch.chdir(folders[name])
    opened = open_project([Path(layer)], TODAY)
    advice = [one for one in lint(opened.book) if one.where and one.where.file.startswith(layer)]
    assert [one.code for one in advice if one.code != "untranslated"] == []
    failed = [
        result for result in run_examples(opened.book, opened.reader(), opened.book.layers[-1])
        if not result.holds
    ]  # fmt: skip
    assert failed == []


def test_the_scenario_of_the_first_screen_is_short():
    scenario = next(block for _, block in FILES if not layer_of(block))
    lines = [line for line in scenario.body.splitlines() if not line.startswith("#")]
    assert len(lines) <= 8


@pytest.mark.parametrize("page", RULES_PAGES)
def test_the_rules_page_shows_every_part_of_the_language(page):
    shown = {
        line.partition(":")[0]
        for name, block in FILES if name == page
        for line in block.body.splitlines() if re.match("[a-z]+:", line)
    }  # fmt: skip
    rare = {"ladder", "answers", "renamed"}  # told in words; a team's layer has none of them
    assert shown == set(schemas.load("rules")["properties"]) - rare


# -- words that must be true ----------------------------------------------------------------------


def rows(text: str) -> list[list[str]]:
    """The cells of every table row of a document."""
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines() if line.startswith("|")
    ]  # fmt: skip


@pytest.mark.parametrize("readme", READMES)
def test_the_exit_codes_are_the_program_s(readme):
    told = [int(row[0]) for row in rows(read(readme)) if row[0].isdigit()]
    assert told == [int(code) for code in Exit]


@pytest.mark.parametrize(
    ("page", "heading"),
    [(RULES, ["dimension", "written as"]), (docs.CHINESE[RULES], ["量纲", "写法"])],
)
def test_every_unit_named_is_one(page, heading):
    table = next(rest for head, rest in tables(read(page)) if head == heading)
    named = [
        unit for row in table for code in re.findall("`([^`]+)`", row[1]) for unit in code.split()
    ]
    assert len(named) > 25
    for unit in named:
        parse_unit(unit)


def tables(text: str) -> list[tuple[list[str], list[list[str]]]]:
    """Every table of a document: its heading, its rows."""
    groups = groupby(text.splitlines(), key=lambda line: line.startswith("|"))
    found = [rows("\n".join(lines)) for is_table, lines in groups if is_table]
    return [(table[0], table[2:]) for table in found]


@pytest.mark.parametrize("name", ALL)
def test_every_command_named_exists(name, capsys):
    text = re.sub(r"^```console\n.*?^```$", "", read(name), flags=re.MULTILINE | re.DOTALL)
    named = set(
        re.findall(r"`(?:\.venv/bin/)?advisor ([a-z]+)(?: (lint|test|show|diff|\w+))?", text)
    )
    for verb, sub in sorted(named):
        assert verb in VERBS, f"advisor {verb}"
        if verb == "rules" and sub:
            assert run(["rules", sub, "--help"]) == Exit.HOLDS
    capsys.readouterr()


@pytest.mark.parametrize("readme", READMES)
@pytest.mark.parametrize("verb", VERBS)
def test_every_command_is_named_in_the_readme(verb, readme):
    assert f"`advisor {verb}" in read(readme)


@pytest.mark.parametrize("name", ALL)
def test_every_link_leads_somewhere(name):
    targets = re.findall(r"\]\(([^)#]+)\)", read(name))
    missing = [
        target for target in targets
        if "://" not in target and not (ROOT / name).parent.joinpath(target).exists()
    ]  # fmt: skip
    assert missing == []


def test_the_documents_are_there():
    assert {"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "rules/README.md"} <= set(ALL)


# -- a document in both languages ------------------------------------------------------------------


def bare(name: str) -> str:
    """A document without its fenced blocks."""
    return re.sub(r"^```\w+\n.*?^```$", "", read(name), flags=re.MULTILINE | re.DOTALL)


def has_chinese(text: str) -> bool:
    return re.search("[\u4e00-\u9fff]", text) is not None


def kept(codes: Iterable[str]) -> list[str]:
    """Pieces of code that are the same in every language."""
    return sorted(" ".join(code.split()) for code in codes if " lora " not in code)


@pytest.mark.parametrize("name", docs.CHINESE)
def test_the_two_languages_lead_to_each_other(name):
    chinese = docs.CHINESE[name]
    assert read(name).startswith(f"English · [中文]({Path(chinese).name})\n")
    assert read(chinese).startswith(f"[English]({Path(name).name}) · 中文\n")


@pytest.mark.parametrize("name", docs.CHINESE)
def test_the_two_languages_have_the_same_parts(name):
    english, chinese = bare(name), bare(docs.CHINESE[name])
    for pattern in (r"^#+ ", r"^<!-- .*$"):
        levels = re.findall(pattern, english, re.MULTILINE)
        assert levels == re.findall(pattern, chinese, re.MULTILINE)
    shapes = [[(len(rest), len(head)) for head, rest in tables(one)] for one in (english, chinese)]
    assert shapes[0] == shapes[1]
    texts = [re.findall(r"\n\n[^\n|#]", one) for one in (english, chinese)]
    assert len(texts[0]) == len(texts[1]), "as many paragraphs"


@pytest.mark.parametrize("name", docs.CHINESE)
def test_the_two_languages_name_the_same_things(name):
    english, chinese = (
        kept(re.findall("`([^`]+)`", bare(one))) for one in (name, docs.CHINESE[name])
    )
    assert english == chinese


@pytest.mark.parametrize("name", docs.CHINESE)
def test_the_two_languages_show_the_same_blocks(name):
    english, chinese = (docs.blocks(read(one)) for one in (name, docs.CHINESE[name]))
    assert [(one.kind, one.file) for one in english] == [(one.kind, one.file) for one in chinese]
    for one, other in zip(english, chinese, strict=True):
        if one.kind == "console":
            commands = [block.body.partition("\n")[0] for block in (one, other)]
            assert commands[1].replace(" --lang zh", "") == commands[0]
            assert " --lang zh" in commands[1]
        elif one.kind == "yaml":
            assert (
                differences(*(read_text(block.body, one.file).data for block in (one, other))) == []
            )
        else:
            assert one.body == other.body


def differences(one: Any, other: Any, path: str = "") -> list[str]:
    """Where two files differ in more than a sentence or a word in Chinese."""
    if isinstance(one, dict) and isinstance(other, dict) and list(one) == list(other):
        return [text for key in one for text in differences(one[key], other[key], f"{path}.{key}")]
    if isinstance(one, list) and isinstance(other, list):
        same = [value for value in other if not (isinstance(value, str) and has_chinese(value))]
        if len(same) == len(one):
            pairs = enumerate(zip(one, same, strict=True))
            return [text for at, pair in pairs for text in differences(*pair, f"{path}[{at}]")]
    said = isinstance(one, str) and isinstance(other, str) and has_chinese(other)
    return [] if said or one == other else [f"{path}: {one} / {other}"]


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"reason": "odd"}, {"reason": "奇怪"}, []),
        (["free disk"], ["空闲磁盘", "free disk"], []),
        ({"a": 1}, {"a": 2}, [".a: 1 / 2"]),
        ({"a": 1}, {"a": 1, "b": 2}, [": {'a': 1} / {'a': 1, 'b': 2}"]),
        ({"a": "x"}, {"a": "y"}, [".a: x / y"]),
        ([{"a": 1}], [{"a": 1}, {"a": 2}], [": [{'a': 1}] / [{'a': 1}, {'a': 2}]"]),
        ({"level": "deny"}, {"level": 1}, [".level: deny / 1"]),
    ],
)
def test_files_differ_where_they_do_not_say_the_same(one, other, found):
    assert differences(one, other) == found


# -- the two set-up lines -------------------------------------------------------------------------


def setup_lines() -> list[str]:
    found = [block.body.rstrip("\n") for block in docs.blocks(read(README)) if block.kind == "sh"]
    assert len(found) == 2
    return found


def test_ci_runs_the_test_command_of_the_readme():
    assert setup_lines()[1] in read(".ci/run").splitlines()


def test_the_first_set_up_line_checks_two_scenarios(monkeypatch, capsys):
    _, _, check = setup_lines()[0].rpartition(" && ")
    program, *arguments = shlex.split(check)
    assert program == ".venv/bin/advisor"
    monkeypatch.chdir(ROOT)
    assert run([*arguments, "--today", docs.TODAY]) == Exit.FAILS
    assert "2 files: 1 hold, 1 fail" in capsys.readouterr().out


def test_the_changelog_has_the_headings():
    text = read("CHANGELOG.md")
    unreleased = text.partition("## [Unreleased]")[2].partition("\n## ")[0]
    assert re.findall("^### (.+)$", unreleased, re.MULTILINE)[:3] == [
        "Added",
        "Rules",
        "Catalogues",
    ]
