"""Wrong files and calls through the whole program: what they say in English and in Chinese."""

from __future__ import annotations

import html
import io
import json
import re
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from advisor.cli.app import run

CASES = yaml.safe_load(Path(__file__).with_name("wrong_calls.yaml").read_text("utf-8"))
SOUND = "model: Qwen/Qwen2.5-7B\nmethod: lora\nhardware: {gpu: RTX 4090}\n"
BY_VERB = {case["call"].split()[0]: case for case in CASES if case["says"][0] != " "}

# Words that are no sentence: what people type, names of things, kinds of files.
_NAMES = re.compile(
    r"“[^”]*”|'[^']*'|`[^`]*`|advisor check(?: --format json --output)? FILE"
    r"|advisor rules (?:show NAME|diff --rules PATH)|\[FILES\]\.\.\."
)
_SENTENCE = re.compile(r"(?<![\w.])[A-Za-z]{2,}(?:[ ,]+[A-Za-z]{2,}){2,}")
_PLACE = re.compile(r"^(?:advisor: |(?:--set )?[^\s:]+(?::\d+:\d+)?: [a-z0-9-]+: )")


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    """Run one case in a language that the environment or an option asks for."""

    def called(case: dict[str, Any], language: str, option: bool = False) -> tuple[int, list[str]]:
        for name, text in {"run.yaml": SOUND, **case.get("files", {})}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            text = "# " + "x" * (1 << 20) if text == "too large" else text
            path.write_bytes(text.encode("latin-1" if "\xff" in text else "utf-8"))
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        monkeypatch.setattr(sys, "stdin", io.StringIO(case.get("lines", "")))
        for name in ("LC_MESSAGES", "LANG", "GITHUB_ACTIONS"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("LC_ALL", {"en": "C.UTF-8", "zh": "zh_CN.UTF-8"}[language])
        arguments = shlex.split(case["call"])
        if option:
            monkeypatch.setenv("LC_ALL", "C.UTF-8")
            arguments += ["--lang", language]
        code = int(run(arguments))
        written = capsys.readouterr()
        lines = (written.out + written.err).splitlines()
        if "lines" in case:  # what the first line that was typed led to
            typed = [number for number, line in enumerate(lines) if line.startswith("❯")]
            lines = lines[typed[0] + 1 : typed[1]]
        about_rules = ("rules core", "规则 core")
        return code, [line for line in lines if line and not line.startswith(about_rules)]

    return called


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_in_english(call, case):
    code, lines = call(case, "en")
    assert lines == case["says"].splitlines()
    assert code == case["code"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_in_chinese(call, case):
    code, lines = call(case, "zh")
    told = lines[:-1] if case["call"].startswith("rules lint") else lines  # the last line counts
    assert code == case["code"]
    for line in told:
        assert not _SENTENCE.search(_NAMES.sub("·", line)), line
        assert "  " not in line.strip() and "。。" not in line and "{" not in _NAMES.sub("", line)
    assert re.search("[一-鿿]", "".join(told))
    if "lines" not in case:
        assert [_PLACE.findall(line) for line in lines] == [
            _PLACE.findall(line) for line in case["says"].splitlines()
        ]


@pytest.mark.parametrize("verb", ["accuracy", "check", "chat", "explain", "init", "lengths"])
def test_the_option_asks_for_chinese_as_the_locale_does(call, verb):
    assert call(BY_VERB[verb], "zh", option=True) == call(BY_VERB[verb], "zh")


@pytest.mark.parametrize(
    ("arguments", "is_chinese"),
    [
        (["chek", "--lang", "zh"], True),
        (["chek", "--lang=zh"], True),
        (["chek", "--lang", "xx"], False),
        (["chek", "--", "--lang", "zh"], False),
        (["chek", "--lang"], False),
        (["chek", "--language", "zh"], False),
        (["chek", "--lang", "zh", "--lang", "en"], False),
    ],
)
def test_a_call_that_cannot_be_read_is_told_in_the_language_it_asks_for(
    capsys, monkeypatch, arguments, is_chinese
):
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    assert run(arguments) == 2
    # What click says itself (no such option, missing argument) stays English.
    assert bool(re.search("[一-鿿]", capsys.readouterr().err)) == is_chinese


def test_english_sentences_are_found():
    line = "run.yaml:2:9: value: “method”不能是“x”。 One of them must be given."
    assert _SENTENCE.search(_NAMES.sub("·", line))


WRONG = {"files": {"run.yaml": SOUND.replace("lora", "qlroa")}}
TOLD = {
    "en": "'method' cannot be 'qlroa'. Did you mean 'qlora'? One of: full, lora, qlora.",
    "zh": "“method”不能是“qlroa”。是不是想写“qlora”？可选：full、lora、qlora。",
}


@pytest.mark.parametrize("language", TOLD)
@pytest.mark.parametrize("form", ["text", "markdown", "junit", "github", "gitlab", "sarif", "json"])
def test_every_format_tells_it_in_the_language_of_the_report(call, form, language):
    case = {**WRONG, "call": f"check run.yaml --today 2026-11-29 --format {form}"}
    code, lines = call(case, language)
    assert code == 2
    told = html.unescape("\n".join(lines)).replace("\\", "")
    if form in ("gitlab", "sarif", "json"):
        told = json.dumps(json.loads("".join(lines)), ensure_ascii=False)
    if form == "json":
        told = told.replace('", "hint": "', " " if language == "en" else "")
    assert TOLD[language] in told
    other = TOLD["zh" if language == "en" else "en"]
    assert other not in told


@pytest.mark.parametrize("form", ["gitlab", "sarif"])
def test_a_finding_is_the_same_one_in_every_language(call, form):
    def identities(language: str) -> set[str]:
        case = {**WRONG, "call": f"check run.yaml --today 2026-11-29 --format {form}"}
        return set(re.findall(r'"[0-9a-f]{32,64}"', "".join(call(case, language)[1])))

    assert identities("en") == identities("zh") != set()
