"""Sentences of errors: written with their values apart, each with a Chinese one."""

from __future__ import annotations

import ast
import copy
import json
import pickle
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest
import yaml

from advisor.errors import (
    BadCall,
    FileProblems,
    Problem,
    Said,
    Span,
    cause,
    said,
    sentences,
    visible,
    whole,
)
from advisor.report.problems import in_language, problem_line, problem_text, translations
from tests.support import ROOT

PACKAGE = ROOT / "advisor"
STORE = PACKAGE / "report" / "words" / "problems" / "zh"
OTHERS = "others.yaml"
"""What libraries, the system and our schemas say: looked up as a whole, so no ``said`` has it."""


# -- how sentences are made -----------------------------------------------------------------------


def test_it_is_the_english_text():
    told = said("there is no {kind} '{name}'.", kind="input", name="lr")
    assert told == "there is no input 'lr'."
    assert hash(told) == hash("there is no input 'lr'.")
    assert f"{told}!" == "there is no input 'lr'.!"


def test_a_list_is_told_with_commas_and_a_number_in_its_form():
    assert said("One of: {names}.", names=("a", "b")) == "One of: a, b."
    assert said("byte 0x{byte:02x}.", byte=10) == "byte 0x0a."


def test_values_are_never_read_as_templates():
    assert said("no '{name}'", name="{0.__class__} {name}") == "no '{0.__class__} {name}'"
    assert whole("{x} }{") == "{x} }{"
    assert in_language(said("there is no '{name}'.", name="{x"), "zh") == "没有“{x”。"


def test_it_does_not_change():
    told = said("Add it.")
    with pytest.raises(AttributeError):
        told.template = "Drop it."  # type: ignore[attr-defined]


def pickled(value: object) -> object:
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, pickled])
def test_a_problem_is_copied_whole(again):
    hint = sentences(said("Did you mean '{name}'?", name="a"), said("Add it."))
    problem = Problem("x", said("no '{name}'", name=said("nothing")), hint, Span("f", 1, 2))
    twin = again(problem)
    assert twin == problem
    assert hash(twin) == hash(problem)
    assert problem_line(twin, "zh") == problem_line(problem, "zh")
    assert "是不是想写“a”？请补上。" in problem_line(twin, "zh")


@pytest.mark.parametrize(
    ("parts", "text"),
    [((), ""), (("", ""), ""), (("a.",), "a."), (("a.", "", "b."), "a. b."), (("", "b."), "b.")],
)
def test_sentences_follow_each_other(parts, text):
    assert sentences(*parts) == text
    assert in_language(sentences(*parts), "zh") == text.replace(". ", ".")


@pytest.mark.parametrize(
    ("error", "chinese"),
    [
        (ValueError(said("the result is not finite")), "结果不是有限的数字"),
        (BadCall(said("Add it.")), "请补上。"),
        (PermissionError(13, "Permission denied"), "没有权限"),
        (ValueError("something else"), "something else"),
        (ValueError(), ""),
    ],
)
def test_the_cause_of_an_exception_is_told(error, chinese):
    assert in_language(cause(error), "zh") == chinese


def test_control_characters_are_escaped_in_values_and_the_sentence_stays_one():
    told = visible(said("there is no '{name}'.", name="\x1b[31m"))
    assert told == "there is no '\\x1b[31m'."
    assert in_language(told, "zh") == "没有“\\x1b[31m”。"
    line = problem_line(Problem("x", said("there is no '{name}'.", name="a\x1b\nb")), "zh")
    assert line == "x: 没有“a\\x1b\\nb”。"


# -- other languages ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "language", "told"),
    [
        (said("Add it."), "en", "Add it."),
        (said("Add it."), "zh", "请补上。"),
        ("Add it.", "zh", "Add it."),  # not said: perhaps somebody's name
        (said("Add it.")[:-1], "zh", "Add it"),
        (said("{x} that nobody translated", x=said("text")), "zh", "文本 that nobody translated"),
        (said("Add it."), "xx", "Add it."),
        (said("One of: {names}.", names=("a", said("text"))), "zh", "可选：a、文本。"),
        (said("this is {what}.", what={"en": "this", "zh": "这个"}), "zh", "这是这个。"),
        (said("this is {what}.", what={"en": "odd"}), "zh", "这是 odd。"),
        (said("{kind} does not go with {first}", kind="USD", first=said("text")), "zh",
         "USD 与文本不能放在一起"),
        (said("'{name}' has no value", name="我a"), "zh", "“我a”没有值"),
    ],
)  # fmt: skip
def test_in_a_language(text, language, told):
    assert in_language(text, language) == told


def test_a_problem_keeps_its_place_and_code():
    problem = Problem("no-file", said("there is no such file."), said("Check the path."), Span("a"))
    assert str(problem) == "a: no-file: there is no such file. Check the path."
    assert problem_line(problem, "en") == str(problem)
    assert problem_line(problem, "zh") == "a: no-file: 没有这个文件。请检查路径。"
    assert problem_text(problem, "zh") == "没有这个文件。请检查路径。"
    assert str(FileProblems([problem])) == str(problem)


# -- what the code says ---------------------------------------------------------------------------

FACES = {"tui", "chat", "report"}
"""What these say lies in data already."""

COMPLAINTS = {
    "Problem", "BadCall", "UnknownName", "NotInCatalogue", "AmbiguousName", "UsageError",
    "BadParameter", "BadValue", "BadExpression", "Mismatch", "Unreadable", "Skipped", "ValueError",
    "OverflowError", "report", "refuse", "refusal", "refuse_keys", "warn", "complain", "fail",
    "left_over", "told", "_warning", "_problem", "_refused", "_refusal", "sentences",
}  # fmt: skip
"""Whatever takes a message or a hint."""

NO_SENTENCES = {"option", "argument", "version_option", "catalogue_command", "compile", "Fact"}
"""What takes help texts, patterns and sources, which stay English."""


def modules() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if name.partition("/")[0] not in FACES:
            yield name, ast.parse(path.read_text("utf-8"))


def called(node: ast.AST) -> str:
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def is_said(node: ast.AST) -> bool:
    """Whether it makes a sentence; methods of that name are about how inputs are called."""
    return called(node) == "said" and isinstance(node, ast.Call) and isinstance(node.func, ast.Name)


def texts(node: ast.AST, inside: str = "") -> Iterator[tuple[str, ast.expr]]:
    """Texts written out below a node and the call that takes them; what is ``said`` is not."""
    if isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    ):
        yield inside, node
        return
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return  # what a module, class or value means
    if is_said(node) or called(node) == "Span":
        return
    inside = called(node) or inside
    for child in ast.iter_child_nodes(node):
        yield from texts(child, inside)


def is_prose(text: ast.expr) -> bool:
    return " " in words(text)


def is_sentence(text: ast.expr) -> bool:
    is_pattern = "(?" in words(text)
    return is_prose(text) and not is_pattern and bool(re.search(r"[a-z)\]}][.?]$", words(text)))


def words(text: ast.expr) -> str:
    if isinstance(text, ast.JoinedStr):
        return "".join(
            str(one.value) if isinstance(one, ast.Constant) else "{}" for one in text.values
        )
    assert isinstance(text, ast.Constant)
    return str(text.value)


MODULES = dict(modules())


@pytest.mark.parametrize("name", MODULES)
def test_every_message_and_hint_is_said(name):
    """No text, formatted text or sum of texts where a message or a hint belongs."""
    for inside, text in texts(MODULES[name]):
        where = f"{name}:{text.lineno}: {words(text)}"
        if inside in COMPLAINTS:
            assert not is_prose(text) and not isinstance(text, ast.JoinedStr), where
        elif inside not in NO_SENTENCES and name != "cli/app.py":  # it holds the lines of --help
            assert not is_sentence(text), where


@pytest.mark.parametrize(
    ("code", "is_found"),
    [
        ("Problem('x', 'no file.')", True),
        ("Problem('x', f'no {name}')", True),
        ("Problem('x', 'no ' + 'file', where)", True),
        ("self.report('x', said('a b.'), 'Drop it.' if a else '', where)", True),
        ("raise BadCall(f'--set {name}')", True),
        (
            "Problem('wrong-value', said('no {name} here', name=f'{a} {b}'), '', Span(f'a {b}'))",
            False,
        ),
        ("Problem('x', message, hint)", False),
        ("'a docstring says this.'", False),
    ],
)
def test_messages_that_are_not_said_are_found(code, is_found):
    found = [text for inside, text in texts(ast.parse(code)) if inside in COMPLAINTS]
    assert any(map(is_prose, found)) == is_found


def templates() -> dict[str, str]:
    """Every template of the code, and where it stands."""
    found: dict[str, str] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not is_said(node):
                continue
            assert isinstance(node, ast.Call)
            where = f"{path.relative_to(ROOT)}:{node.lineno}"
            assert isinstance(node.args[0], ast.Constant), where
            template = str(node.args[0].value)
            wanted = {name for _, name, _, _ in Formatter().parse(template) if name}
            assert {one.arg for one in node.keywords} == wanted, where
            found[template] = where
    return found


TEMPLATES = templates()
CHINESE = {
    english: (chinese, path.name)
    for path in sorted(STORE.glob("*.yaml"))
    for english, chinese in yaml.safe_load(path.read_text("utf-8")).items()
}
OURS = [english for english, (_, file) in CHINESE.items() if file != OTHERS]


def test_every_template_has_a_chinese_one_and_none_is_left_over():
    assert {one: where for one, where in TEMPLATES.items() if one not in CHINESE} == {}
    assert sorted(set(OURS) - set(TEMPLATES)) == []
    assert len(TEMPLATES) > 600


def test_no_template_stands_in_two_files():
    count = sum(len(yaml.safe_load(path.read_text("utf-8"))) for path in STORE.glob("*.yaml"))
    assert len(translations("zh")) == len(CHINESE) == count
    assert translations("en") == {}


def fields(template: str) -> list[tuple[str, str | None]]:
    return sorted((name, spec) for _, name, spec, _ in Formatter().parse(template) if name)


def bare(template: str) -> str:
    """The template with ``1`` for its values and without the names of options."""
    shown = re.sub(r"\{[^{}]*\}", "1", template.replace("{{", "").replace("}}", ""))
    return re.sub(r"--[a-z-]+", "1", shown)


@pytest.mark.parametrize("english", CHINESE)
def test_a_chinese_template_is_chinese_and_fits_the_english_one(english):
    chinese, file = CHINESE[english]
    assert fields(chinese) == fields(english)
    if re.search("[A-Za-z]", bare(english)):
        assert re.search("[一-鿿]", bare(chinese))
    assert not re.search("[一-鿿] *[,.;:!?](?: |$)", bare(chinese)), "Chinese punctuation"
    assert not re.search("[，。；：！？、“”] | [，。；：！？、]", chinese)
    if file != OTHERS:
        ends = {".": "。", "?": "？"}
        assert chinese[-1:] == ends.get(english[-1], chinese[-1:])
        assert (chinese[-1] in ends.values()) == (english[-1] in ends)


def test_what_the_schemas_say_of_a_text_is_there_in_chinese():
    def hints(part: object) -> Iterator[str]:
        if isinstance(part, dict):
            if isinstance(part.get("pattern"), str) and part.get("description"):
                yield part["description"]
            part = list(part.values())
        for one in part if isinstance(part, list) else ():
            yield from hints(one)

    # The scenario's schema is for editors: scenarios are read against the rules.
    unchecked = {"scenario.schema.json", "check.schema.json"}
    paths = [one for one in (PACKAGE / "schemas").glob("*.json") if one.name not in unchecked]
    found = {hint for path in paths for hint in hints(json.loads(path.read_text("utf-8")))}
    assert len(found) > 5
    for hint in found:
        told = whole(hint)
        assert isinstance(told, Said)
        assert told.template in CHINESE, hint


def test_the_store_is_packed_with_the_code():
    assert Path(STORE, OTHERS).is_file()
