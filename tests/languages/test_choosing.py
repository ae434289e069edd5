"""Which language a call speaks, and who gets lines instead of a screen."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from advisor.cli import chat, tui
from advisor.cli.app import run
from advisor.cli.exits import Exit
from advisor.cli.languages import language

LOCALES = ("LC_ALL", "LC_MESSAGES", "LANG")


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in LOCALES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))


@pytest.mark.parametrize(
    ("flag", "locale", "spoken"),
    [
        (None, {}, "en"),
        (None, {"LANG": "zh_CN.UTF-8"}, "zh"),
        (None, {"LC_MESSAGES": "zh_TW.UTF-8", "LANG": "de_DE.UTF-8"}, "zh"),
        (None, {"LC_ALL": "C.UTF-8", "LC_MESSAGES": "zh_CN", "LANG": "zh_CN"}, "en"),
        (None, {"LC_ALL": "", "LANG": "ZH"}, "zh"),
        (None, {"LANG": "de_DE.UTF-8"}, "en"),
        ("en", {"LC_ALL": "zh_CN.UTF-8"}, "en"),
        ("zh", {"LC_ALL": "C"}, "zh"),
    ],
)
def test_a_flag_outranks_the_locale_and_the_first_variable_the_others(
    monkeypatch, flag, locale, spoken
):
    for name, value in locale.items():
        monkeypatch.setenv(name, value)
    assert language(flag) == spoken


SAYS = [
    (("--lang", "zh"), {}, "问题 1"),
    (("--lang", "zh", "--plain"), {}, "问题 1"),
    ((), {"LANG": "zh_CN.UTF-8"}, "问题 1"),
    (("--lang", "en"), {"LANG": "zh_CN.UTF-8"}, "Question 1"),
    (("--plain",), {}, "Question 1"),
    (("--lang", "zh", "chat"), {}, "问题 1"),
    (("--plain", "chat"), {}, "Question 1"),
    (("--lang", "zh", "chat", "--lang", "en"), {}, "Question 1"),
    (("--lang", "zh", "gpus", "T4"), {}, "核对于"),
    (("gpus", "T4", "--lang", "zh"), {}, "核对于"),
    (("models",), {"LC_ALL": "zh_CN.UTF-8"}, "共 "),
    (("--lang", "zh", "rules", "show", "ladder"), {}, "打开梯度检查点"),
    (("rules", "show", "ladder"), {}, "turn on gradient checkpointing"),
    (("rules", "lint", "--lang", "zh"), {}, "个错误"),
]


@pytest.mark.parametrize(("call", "locale", "said"), SAYS, ids=[" ".join(one[0]) for one in SAYS])
def test_every_call_speaks_the_language_asked_for(monkeypatch, capsys, call, locale, said):
    for name, value in locale.items():
        monkeypatch.setenv(name, value)
    run([*call])
    assert said in capsys.readouterr().out


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (("--lang", "fr"), "'en', 'zh'"),
        (("--lang",), "requires an argument"),
        (("--plain", "check", "run.yaml"), "--plain is for the conversation"),
        (("--plain", "rules", "lint"), "--plain is for the conversation"),
        (("--rules", "team.yaml", "check", "run.yaml"), "advisor check --rules PATH"),
        (("--lang", "fr", "gpus"), "'en', 'zh'"),
    ],
)
def test_a_wrong_call_is_refused(capsys, call, said):
    assert run([*call]) == Exit.BROKEN
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""


@pytest.mark.parametrize(
    ("call", "screens"),
    [
        ((), [(None, ())]),
        (("--lang", "zh"), [("zh", ())]),
        (("--rules", "a.yaml", "--rules", "b"), [(None, (Path("a.yaml"), Path("b")))]),
        (("--plain",), []),
        (("--plain", "--lang", "zh"), []),
    ],
)
def test_plain_lines_are_for_who_asks_for_them_on_a_terminal_too(
    monkeypatch, capsys, call, screens
):
    opened: list[tuple[str | None, tuple[Path, ...]]] = []

    def screen(lang: str | None, rules: tuple[Path, ...]) -> Exit:
        opened.append((lang, rules))
        return Exit.HOLDS

    monkeypatch.setattr(chat, "has_screen", lambda: True)
    monkeypatch.setattr(tui, "start", screen)
    monkeypatch.setattr(chat, "talk", lambda *given: Exit.UNDECIDED)
    assert run([*call]) == (Exit.HOLDS if screens else Exit.UNDECIDED)
    assert opened == screens
