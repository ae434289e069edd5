"""The formats of a check: that all say the same, stay whole whatever is in the files, and land."""

from __future__ import annotations

import errno
import json
import os
import re
import stat
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from jsonschema import Draft4Validator, Draft202012Validator
from markdown_it import MarkdownIt

from advisor import schemas
from advisor.check import Status
from advisor.check import check as judge
from advisor.cli import outputs as cli_outputs
from advisor.cli.app import run
from advisor.cli.outputs import FORMATS
from advisor.errors import visible
from advisor.evaluate import Engine
from advisor.project import Project
from advisor.report.phrases import phrase
from advisor.report.writing import Context, whole
from tests import support

TODAY = ["--today", "2026-11-29"]
SCENARIOS = {
    "fits.yaml": "{model: Qwen/Qwen2.5-0.5B, method: lora, hardware: {gpu: A100 SXM 80GB}}",
    "fails.yaml": "{model: Qwen/Qwen2.5-7B, method: full, hardware: {gpu: RTX 4090}}",
    "waived.yaml": "{model: Qwen/Qwen2.5-7B, method: full, hardware: {gpu: RTX 4090}}",
    "warns.yaml": "{model: Qwen/Qwen2.5-0.5B, method: lora, hardware: {gpu: A100 SXM 80GB},"
    " data: {samples: 1000}}",
    "open.yaml": "{model: {parameters: 7e9}, method: lora, hardware: {gpu: RTX 4090}}",
    "broken.yaml": "{model: Qwen/Qwen2.5-7B, method: qlroa, training: {packing: yes}}",
    "gone.yaml": None,
}
CONFIG = """
language: 1
files: ['f*.yaml', waived.yaml]
waivers:
  - {policy: fits-in-memory, scenario: 'w*.yaml', reason: a pilot, approved_by: ann,
     approved_on: 2026-11-20, expires: 2026-12-03}
"""
OLD = "  - {policy: fits-in-memory, scenario: 'fi*.yaml', reason: not needed, approved_by: ann,\n"
OLD += "     approved_on: 2026-11-20, expires: 2026-12-03}\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    for name, text in SCENARIOS.items():
        if text is not None:
            (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "advisor.yaml").write_text(CONFIG, "utf-8")
    monkeypatch.chdir(tmp_path)
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def check(capsys):
    """Check in one format: the exit code and what stands on standard output."""

    def called(form: str, *arguments: str) -> tuple[int, str]:
        code = run(["check", "--format", form, *TODAY, *arguments])
        return int(code), capsys.readouterr().out

    return called


# -- reading each format back ---------------------------------------------------------------------


class Told(Counter[str]):
    """What a report points out, counted by kind, and the exit code that it tells."""

    exit: int | None = None


def exit_of(found: Counter[str]) -> int:
    return 2 if found["problem"] else 1 if found["fails"] else 3 if found["undecided"] else 0


def told_json(text: str, strict: bool) -> Told:
    report = json.loads(text)
    Draft202012Validator(schemas.load("check")).validate(report)
    found = Told()
    for one in report["problems"]:
        found["problem" if one["level"] == "error" else "warns"] += 1
    for result in report["results"]:
        if result["status"] == "broken":
            found["problem"] += len(result["problems"])
            continue
        for policy in result["policies"]:
            level, state = policy["level"], policy["state"]
            if state == "waived":
                found["waived"] += 1
            elif state == "undecided" and level == "deny":
                found["undecided"] += 1
            elif state == "fails" and (level == "deny" or (strict and level == "warn")):
                found["fails"] += 1
            elif state == "fails":
                found["warns" if level == "warn" else "told"] += 1
    found.exit = report["summary"]["exit"]
    assert report["summary"]["waived"] == found["waived"]
    return found


LINE = re.compile(r"::(error|warning|notice) (?:file=([^,\n]*),line=(\d+),col=(\d+),)?"
                  r"title=([^:\n,]*)::([^\n]*)\Z")  # fmt: skip


def commands_of(text: str) -> list[tuple[str, ...]]:
    """The commands of a report for GitHub, decoded as the runner does; the last line is none."""
    *lines, last = text.removesuffix("\n").split("\n")
    assert last.startswith("advisor: ")
    found = []
    for line in lines:
        match = LINE.match(line)
        assert match, line
        found.append(tuple(decoded(part or "") for part in match.groups()))
    return found


def decoded(text: str) -> str:
    for code, char in (("%2C", ","), ("%3A", ":"), ("%0A", "\n"), ("%0D", "\r"), ("%25", "%")):
        text = text.replace(code, char)
    return text


def told_github(text: str, strict: bool) -> Told:
    found = Told()
    for command, *_ in commands_of(text):
        found[command] += 1
    return found


def told_gitlab(text: str, strict: bool) -> Told:
    kinds = {"blocker": "problem", "critical": "fails", "major": "undecided", "minor": "warns"}
    issues = json.loads(text)
    assert len({one["fingerprint"] for one in issues}) == len(issues)
    for one in issues:
        assert {"description", "check_name", "fingerprint", "severity", "location"} <= one.keys()
        assert one["location"]["path"] and not one["location"]["path"].startswith("./")
        assert one["location"]["lines"]["begin"] >= 1
    found = Told(kinds.get(one["severity"], "info") for one in issues)
    found.exit = exit_of(found)
    return found


def told_junit(text: str, strict: bool) -> Told:
    root = ElementTree.fromstring(text)
    found = Told()
    for suite in root:
        cases = suite.findall("testcase")
        counts = Counter(child.tag for case in cases for child in case)
        assert int(suite.get("tests", "-1")) == len(cases)
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped",) * 2):
            assert int(suite.get(attribute, "-1")) == counts[tag]
        for error in suite.iter("error"):
            found["undecided" if error.get("type") == "undecided" else "problem"] += 1
        found["fails"] += counts["failure"]
        found["info"] += counts["system-out"]
    properties = {one.get("name"): one.get("value") for one in root.iter("property")}
    found.exit = int(properties["exit"] or -1)
    found["waived"] = int(properties["waived"] or 0)
    return found


SARIF_SCHEMA = os.environ.get("ADVISOR_SARIF_SCHEMA")
"""The official schema, where somebody has it: its licence keeps it out of here."""


def told_sarif(text: str, strict: bool) -> Told:
    log = json.loads(text)
    if SARIF_SCHEMA:
        Draft4Validator(json.loads(Path(SARIF_SCHEMA).read_text("utf-8"))).validate(log)
    assert log["version"] == "2.1.0"
    [found_run] = log["runs"]
    rules = found_run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    found = Told()
    for one in found_run["results"]:
        assert rules[one["ruleIndex"]]["id"] == one["ruleId"]
        assert one["level"] in ("error", "warning", "note")
        assert one["message"]["text"]
        assert "suppressions" not in one
        assert re.fullmatch("[0-9a-f]{32}", one["partialFingerprints"]["advisor/v1"])
        [location] = one["locations"]
        place = location["physicalLocation"]
        assert re.fullmatch(r"(?:[A-Za-z0-9._~/-]|%[0-9A-F]{2}|file://)+",
                            place["artifactLocation"]["uri"])  # fmt: skip
        assert place["region"]["startLine"] >= 1 and place["region"]["startColumn"] >= 1
        found[one["properties"]["kind"]] += 1
    [invocation] = found_run["invocations"]
    for notification in invocation["toolExecutionNotifications"]:
        found["problem" if notification["level"] == "error" else "warns"] += 1
    found.exit = invocation["exitCode"]
    assert invocation["executionSuccessful"] is (found.exit != 2)
    found["waived"] = found_run["properties"]["waived"]
    return found


READERS = {
    "json": told_json,
    "github": told_github,
    "gitlab": told_gitlab,
    "junit": told_junit,
    "sarif": told_sarif,
}


def same(form: str, found: Told, expected: Told) -> None:
    """Whether a format tells what JSON tells, as far as it tells things apart."""
    wanted = Told(expected)
    if form == "github":
        wanted = Told(
            error=expected["problem"] + expected["fails"] + expected["undecided"],
            warning=expected["warns"],
            notice=expected["told"] + expected["waived"],
        )
    elif form == "gitlab":
        wanted["info"] = wanted.pop("told", 0) + wanted.pop("waived", 0)
    elif form == "junit":
        wanted["info"] = wanted.pop("told", 0) + wanted.pop("warns", 0)
    assert +found == +wanted
    assert found.exit in (None, expected.exit)


# -- all agree ------------------------------------------------------------------------------------

CALLS: list[tuple[str, list[str], int]] = [
    ("fits", ["fits.yaml"], 0),
    ("fails", ["fails.yaml"], 1),
    ("waived", ["waived.yaml"], 0),
    ("open", ["open.yaml"], 3),
    ("broken", ["broken.yaml"], 2),
    ("gone", ["gone.yaml"], 2),
    ("all", [*SCENARIOS], 2),
    ("without-broken", ["fits.yaml", "fails.yaml", "open.yaml", "waived.yaml"], 1),
    ("strict", ["warns.yaml", "waived.yaml", "--fail-on", "warn"], 1),
    ("lenient", ["warns.yaml", "waived.yaml"], 0),
    ("listed", [], 1),
    ("no-files", ["--no-config"], 2),
    ("no-rules", ["fits.yaml", "--rules", "gone"], 2),
    ("no-config", ["fits.yaml", "--config", "gone.yaml"], 2),
    ("bad-setting", ["fits.yaml", "--set", "method"], 2),
    ("bad-input", ["fits.yaml", "fails.yaml", "--set", "lora.rnak=3"], 2),
    ("bad-baseline", ["fits.yaml", "--baseline", "gone.json"], 2),
    ("waiver-ends", ["waived.yaml", "--today", "2026-12-03"], 0),
    ("waiver-ended", ["waived.yaml", "--today", "2026-12-04"], 1),
    ("waiver-not-needed", ["fits.yaml"], 2),
]


def pairs(*written: tuple[str, str | None]) -> list[str]:
    return [
        word
        for form, output in written
        for word in ("--format", form, *(["--output", output] if output else []))
    ]


@pytest.fixture
def check_all(folder, capsys):
    """Check once in every format: the exit code and each document."""

    def called(*arguments: str) -> tuple[int, dict[str, str]]:
        target = folder / "reports"
        target.mkdir(exist_ok=True)
        wanted = [(form, str(target / form)) for form in FORMATS]
        code = run(["check", *TODAY, *arguments, *pairs(*wanted)])
        capsys.readouterr()
        return int(code), {form: (target / form).read_bytes().decode("utf-8") for form in FORMATS}

    return called


@pytest.mark.parametrize(("name", "arguments", "code"), CALLS, ids=[row[0] for row in CALLS])
def test_all_formats_agree(check_all, folder, name, arguments, code):
    if name == "waiver-not-needed":
        (folder / "advisor.yaml").write_text(CONFIG + OLD, "utf-8")
    strict = "--fail-on" in arguments
    ended, texts = check_all(*arguments)
    expected = told_json(texts["json"], strict)
    assert (ended, expected.exit, exit_of(expected)) == (code, code, code)
    for form, read in READERS.items():
        same(form, read(texts[form], strict), expected)
    totals = json.loads(texts["json"])["summary"]
    counts = phrase("en", "summary", **totals)
    for form in ("github", "markdown", *(["text"] if totals["files"] > 1 else [])):
        assert counts in texts[form]


def test_the_code_is_the_same_for_every_format(check):
    assert {check(form, "open.yaml", "fits.yaml")[0] for form in FORMATS} == {3}


def test_the_same_call_gives_the_same_bytes(check_all):
    assert check_all(*SCENARIOS) == check_all(*SCENARIOS)


NOTHING = """
inputs:
  small: {type: number, unit: "1", default: {value: 1, because: {en: it is small}}}
policies:
  idle: {level: deny, when: small > 2, require: small > 3, message: no}
answers:
  one: {value: small}
"""


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("form", READERS)
def test_a_file_that_no_policy_applies_to_is_broken_in_every_format(form, strict):
    rules = support.book(NOTHING)
    result = judge(Engine(rules), support.scenario(rules, "{small: 1}", catalogues={}))
    assert result.status(strict) is Status.BROKEN
    context = Context(Project(rules, {}, support.TODAY), strict)
    text = whole(cli_outputs.report_module(form).report(context), [result], strict, 2)
    expected = Told(problem=1)
    expected.exit = 2
    same(form, READERS[form](text, strict), expected)
    assert "nothing-checked" in text


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "gitlab"])
def test_every_format_says_what_is_waived(check, form):
    assert "waived" in check(form, "waived.yaml")[1]


@pytest.mark.parametrize("form", ["text", "github", "gitlab", "junit", "markdown"])
def test_a_waiver_is_told_with_its_end_its_signer_and_its_reason(check, form):
    text = " ".join(check(form, "waived.yaml")[1].split())
    for word in ("until 2026-12-03", "by ann", "a pilot"):
        assert word in text


def test_what_is_waived_is_no_result_of_sarif(check):
    results = json.loads(check("sarif", "waived.yaml")[1])["runs"][0]["results"]
    assert "fits-in-memory" not in {one["ruleId"] for one in results}


@pytest.mark.parametrize("form", FORMATS)
def test_chinese_in_every_format(check, form):
    text = check(form, "fails.yaml", "waived.yaml", "--lang", "zh")[1]
    if form in ("json", "gitlab", "sarif"):
        assert text.isascii()
        text = json.dumps(json.loads(text), ensure_ascii=False)
    assert "需要" in text


# -- where an annotation stands -------------------------------------------------------------------

WHERE: list[tuple[str, str, int, int]] = [
    # the plan starts with checkpointing, which the file gives
    ("first-rung", """\
model: Qwen/Qwen2.5-7B
method: lora
hardware: {gpu: RTX 4090}
training:
  sequence_length: 4096
  micro_batch_size: 8
  gradient_checkpointing: false
""", 7, 27),
    # the plan starts with something that is not in the file; the largest part is the weights
    ("largest-part", """\
method: qlora

hardware: {gpu: RTX 4090}
training: {gradient_checkpointing: true}
model: Qwen/Qwen2.5-72B
""", 5, 8),
    ("nothing-given", "{keep: [data.samples]}", 1, 1),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "line", "column"), [row[1:] for row in WHERE], ids=[row[0] for row in WHERE]
)
def test_the_line_most_worth_changing(check, folder, text, line, column):
    (folder / "here.yaml").write_text(text, "utf-8")
    flags = [] if "model" in text else ["--set", "model=Qwen/Qwen2.5-72B", "--set", "method=full",
                                        "--gpu", "RTX 4090"]  # fmt: skip
    code, out = check("github", "here.yaml", *flags)
    assert code == 1
    [found] = [one for one in commands_of(out) if one[4] == "advisor: fits-in-memory"]
    assert found[:4] == ("error", "here.yaml", str(line), str(column))


def test_a_problem_stands_where_it_is(check):
    problems = json.loads(check("json", "broken.yaml")[1])["results"][0]["problems"]
    places = {(str(one["where"]["line"]), str(one["where"]["column"])) for one in problems}
    assert {one[2:4] for one in commands_of(check("github", "broken.yaml")[1])} == places


def test_the_plan_is_in_the_annotation(check):
    [found] = [one for one in commands_of(check("github", "fails.yaml")[1]) if "fits-in" in one[4]]
    lines = found[5].split("\n")
    assert lines[1].startswith("Do this, in order")
    assert lines[2].startswith("1. ")


def test_fingerprints_outlive_moved_lines_and_other_numbers(check, folder):
    def fingerprints() -> set[tuple[str, str]]:
        found = json.loads(check("sarif", "fails.yaml")[1])["runs"][0]["results"]
        return {(one["ruleId"], one["partialFingerprints"]["advisor/v1"]) for one in found}

    before = fingerprints()
    text = SCENARIOS["fails.yaml"] or ""
    (folder / "fails.yaml").write_text("# moved\n\n\n" + text.replace("7B", "14B"), "utf-8")
    assert fingerprints() == before
    (folder / "other.yaml").write_text(text, "utf-8")
    others = json.loads(check("sarif", "other.yaml")[1])["runs"][0]["results"]
    assert not {one["partialFingerprints"]["advisor/v1"] for one in others} & {
        one[1] for one in before
    }


def test_a_path_is_told_from_the_working_directory_on(check, folder):
    whole = str(folder / "fails.yaml")
    assert {one[1] for one in commands_of(check("github", whole)[1])} == {"fails.yaml"}
    issues = json.loads(check("gitlab", whole)[1])
    assert {one["location"]["path"] for one in issues} == {"fails.yaml"}


# -- chosen by itself -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "flags", "starts"),
    [
        ("true", [], "::"),
        ("true", ["--format", "text"], "✗"),
        ("false", [], "✗"),
        ("", [], "✗"),
        (None, [], "✗"),
    ],
)
def test_github_is_chosen_by_itself_there(monkeypatch, capsys, value, flags, starts):
    if value is not None:
        monkeypatch.setenv("GITHUB_ACTIONS", value)
    assert run(["check", "fails.yaml", *flags, *TODAY]) == 1
    assert capsys.readouterr().out.startswith(starts)


# -- hostile files --------------------------------------------------------------------------------

HOSTILE = [
    "::error::x.yaml",
    "a\n::error file=b::c.yaml",
    "a\r::stop-commands::b.yaml",
    "%0A::warning::a.yaml",
    "##[error]a.yaml",
    "a,line=7.yaml",
    "]]>&amp;<b>.yaml",
    "a'\"&<.yaml",
    "a|b`c``d.yaml",
    "`.yaml",
    "[x](http:..evil).yaml",
    "<!-- a -->.yaml",
    "<img src=x onerror=y>.yaml",
    "@team #12 !3 www.a.b.yaml",
    "\x1b[31ma\x07.yaml",
    "\u202egpj.yaml",
    "\ufffe\u0085\u2028.yaml",
    "a b\tc.yaml",
    "模型 100%.yaml",
    "n" * 240 + ".yaml",
]


@pytest.mark.parametrize("content", ["fails.yaml", "broken.yaml"])
def test_names_of_files_break_no_format(check_all, folder, content):
    for name in HOSTILE:
        (folder / name).write_text(SCENARIOS[content] or "", "utf-8")
    _, texts = check_all(*HOSTILE)
    expected = told_json(texts["json"], False)
    for form, read in READERS.items():
        same(form, read(texts[form], False), expected)
    shown = texts["text"].replace("\n", "")
    assert visible(shown) == shown
    assert {one[1] for one in commands_of(texts["github"])} == set(map(visible, HOSTILE))
    uris = {
        one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for one in json.loads(texts["sarif"])["runs"][0]["results"]
    }
    assert set(map(unquoted, uris)) == set(HOSTILE)
    issues = json.loads(texts["gitlab"])
    assert {one["location"]["path"] for one in issues} == set(HOSTILE)
    suites = [one.get("name") for one in ElementTree.fromstring(texts["junit"])]
    assert suites == [*map(visible, HOSTILE), "advisor"]
    looks_harmless(texts["markdown"], *map(visible, HOSTILE))


def unquoted(uri: str) -> str:
    parts = re.split("%([0-9A-F]{2})", uri)
    found = b"".join(
        bytes.fromhex(part) if at % 2 else part.encode() for at, part in enumerate(parts)
    )
    return found.decode("utf-8", "surrogateescape")


def looks_harmless(text: str, *names: str) -> None:
    """Markdown that is a table and lists with the names in code spans, and nothing else."""
    markdown = MarkdownIt("gfm-like", {"html": True})
    assert markdown.linkify is not None
    markdown.linkify.set({"fuzzy_link": False})  # model.name is no address where comments stand
    tokens = markdown.parse(text)
    children = [child for token in tokens for child in token.children or ()]
    kinds = {one.type for one in [*tokens, *children]}
    assert kinds <= {
        "heading_open", "heading_close", "inline", "text", "code_inline", "strong_open",
        "strong_close", "softbreak", "html_inline", "paragraph_open", "paragraph_close",
        "table_open", "table_close", "thead_open", "thead_close", "tbody_open", "tbody_close",
        "tr_open", "tr_close", "th_open", "th_close", "td_open", "td_close",
        "bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close",
        "text_special",
    }  # fmt: skip
    html = {one.content for one in children if one.type == "html_inline"}
    assert html <= {"<br>", "<sub>", "</sub>"}
    spans = {one.content for one in children if one.type == "code_inline"}
    assert {" ".join(name.split()) for name in names} <= spans
    shown = "".join(one.content for one in children if one.type == "text")
    assert not re.search(r"@\w|#\d|\bwww\.|://", shown)


def test_a_name_that_is_no_text_breaks_no_format(check_all, folder):
    name = os.fsdecode(b"caf\xe9.yaml")
    try:
        (folder / name).write_text(SCENARIOS["fails.yaml"] or "", "utf-8")
    except OSError as error:
        assert error.errno == errno.EILSEQ
        pytest.skip("this file system holds no such name")
    code, texts = check_all(name)
    assert code == 1
    results = json.loads(texts["sarif"])["runs"][0]["results"]
    location = results[0]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == "caf%E9.yaml"


WORDS = "]]> <b>&amp; ::error::x\\n@team |x| `y` \\x1b[31m \\u202e http://a.b " + "w" * 3000


def test_words_of_rules_and_waivers_break_no_format(check_all, folder):
    words = json.dumps(WORDS.replace("\\n", "\n").replace("\\x1b", "\x1b"))
    (folder / "team.yaml").write_text(
        "language: 1\nlayer: team\npolicies:\n"
        f"  rank: {{level: deny, require: lora.rank <= 1, message: {words}}}\n"
        f"  other: {{level: deny, require: lora.rank <= 1, message: {words}}}\n",
        "utf-8",
    )
    (folder / "advisor.yaml").write_text(
        "language: 1\nrules: [team.yaml]\nwaivers:\n"
        f"  - {{policy: rank, scenario: 'f*.yaml', reason: {words}, approved_by: {words},\n"
        "     approved_on: 2026-11-20, expires: 2026-12-31}\n",
        "utf-8",
    )
    _, texts = check_all("fits.yaml")
    expected = told_json(texts["json"], False)
    assert (expected["fails"], expected["waived"]) == (1, 1)
    for form, read in READERS.items():
        same(form, read(texts[form], False), expected)
    looks_harmless(texts["markdown"], "fits.yaml")
    for text in texts.values():
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert max(map(len, texts["github"].splitlines())) < 4096


def test_a_model_may_be_called_anything(check_all, folder):
    name = "::error::<b>|`x`]]>@team"
    text = f"{{model: {{name: {json.dumps(name)}, parameters: 7e9}}, method: lora}}"
    (folder / "x.yaml").write_text(text, "utf-8")
    code, texts = check_all("x.yaml", "--gpu", "RTX 4090")
    assert code == 3
    for form, read in READERS.items():
        same(form, read(texts[form], False), told_json(texts["json"], False))
    looks_harmless(texts["markdown"], "x.yaml")


def test_a_comment_stays_short_enough_to_post(check, folder):
    names = []
    for number in range(150):
        names.append(f"{number}-{'n' * 180}.yaml")
        (folder / names[-1]).write_text("{model: x, method: x, lora: {rank: x}}", "utf-8")
    code, text = check("markdown", *names)
    assert code == 2
    assert len(text) < 65_536
    assert "150 files: " in text
    assert "50 more files" in text
    looks_harmless(text, names[0])


# -- where reports go -----------------------------------------------------------------------------


def test_several_reports_in_one_call(folder, capsys):
    targets = [(form, f"{form}.out") for form in FORMATS if form != "json"]
    code = run(["check", *SCENARIOS, *TODAY, *pairs(*targets, ("json", None))])
    written = capsys.readouterr()
    assert (code, written.err) == (2, "")
    assert json.loads(written.out)["summary"]["files"] == len(SCENARIOS)
    for form, name in targets:
        run(["check", *SCENARIOS, *TODAY, "--format", form])
        assert (folder / name).read_bytes().decode("utf-8", "surrogatepass") == (
            capsys.readouterr().out
        )
    assert not [path.name for path in folder.iterdir() if path.name.startswith(".")]


ORDERS = [
    (["--format", "json", "--format", "github", "--output", "x"], "json"),
    (["--format", "github", "--output", "x", "--format", "json"], "json"),
    (["--output=x", "--format=json"], None),
    (["--output", "x"], "counts"),
    (["--format", "json", "--output", "x"], "counts"),
    (["--format", "json", "--format", "github"], None),
    (["--format", "json", "--output", "x", "--output", "y"], None),
    (["--format", "json", "--output", "x", "--format", "github", "--output", "x"], None),
    (["--format", "json", "--output", "x", "--format", "github", "--output", "./x"], None),
]


@pytest.mark.parametrize(("flags", "shown"), ORDERS, ids=[" ".join(row[0]) for row in ORDERS])
def test_an_output_belongs_to_the_format_before_it(folder, capsys, flags, shown):
    code = run(["check", "fits.yaml", *TODAY, *flags])
    written = capsys.readouterr()
    assert code == (2 if shown is None else 0)
    assert (folder / "x").exists() is (shown is not None)
    if shown == "json":
        json.loads(written.out)
        assert (folder / "x").read_text("utf-8").startswith("::")
    elif shown == "counts":
        assert written.out == ""
        assert written.err.startswith("1 files: 1 hold")


def test_a_file_that_is_there_is_replaced_with_its_rights(folder):
    (folder / "x").write_text("old", "utf-8")
    (folder / "x").chmod(0o640)
    (folder / "link").symlink_to("x")
    run(["check", "fits.yaml", *TODAY, "--format", "json", "--output", "link"])
    assert json.loads((folder / "x").read_text("utf-8"))
    assert stat.S_IMODE((folder / "x").stat().st_mode) == 0o640
    assert (folder / "link").is_symlink()


@pytest.mark.parametrize("target", ["gone/x", ".", "/dev/null", "n" * 300])
@pytest.mark.parametrize("form", ["text", "json"])
def test_an_output_that_cannot_be_opened(folder, capsys, form, target):
    (folder / "kept").write_text("old", "utf-8")
    arguments = pairs(("sarif", "kept"), ("junit", target), (form, None))
    assert run(["check", "fits.yaml", *TODAY, *arguments]) == 2
    written = capsys.readouterr()
    if form == "json":
        report = json.loads(written.out)
        assert (report["summary"]["exit"], report["results"]) == (2, [])
        assert "--output" in report["problems"][0]["message"]
    else:
        assert written.out == ""
        assert "--output" in written.err
    assert (folder / "kept").read_text("utf-8") == "old"
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        ["kept", "advisor.yaml", *(name for name, text in SCENARIOS.items() if text)]
    )


@pytest.mark.parametrize("step", ["write", "finish", "keep"])
def test_a_file_that_cannot_be_written_is_exit_2_and_stays(folder, capsys, monkeypatch, step):
    """A disk that fills up while reports are written."""
    (folder / "full").write_text("old", "utf-8")
    (folder / "fine").write_text("old", "utf-8")
    whole = getattr(cli_outputs.FileSink, step)

    def full(self: Any, *arguments: str) -> None:
        if self.shown.name == "full":
            raise self.failed(OSError(errno.ENOSPC, "No space left on device"))
        whole(self, *arguments)

    monkeypatch.setattr(cli_outputs.FileSink, step, full)
    arguments = pairs(("json", None), ("sarif", "full"), ("gitlab", "fine"))
    assert run(["check", "fits.yaml", *TODAY, *arguments]) == 2
    report = json.loads(capsys.readouterr().out)
    Draft202012Validator(schemas.load("check")).validate(report)
    assert report["summary"]["exit"] == 2
    assert [one["message"] for one in report["problems"]] == [
        "--output full: No space left on device"
    ]
    assert len(report["results"]) == 1, "what was checked is told all the same"
    assert (folder / "full").read_text("utf-8") == "old"
    fine = (folder / "fine").read_text("utf-8")
    assert fine == "old" or exit_of(told_gitlab(fine, False)) == 2 or step == "keep"
    assert not [path for path in folder.iterdir() if path.name.startswith(".advisor")]


def test_a_bug_leaves_every_file_as_it_was(folder, monkeypatch):
    (folder / "x").write_text("old", "utf-8")
    monkeypatch.setattr("advisor.cli.check.check_file", lambda *arguments: 1 / 0)
    monkeypatch.setenv("TMPDIR", str(folder))
    assert run(["check", "fits.yaml", *TODAY, "--format", "json", "--output", "x"]) == 4
    assert (folder / "x").read_text("utf-8") == "old"
    assert not [path for path in folder.iterdir() if path.name.startswith(".advisor")]


# -- against a baseline ---------------------------------------------------------------------------


@pytest.fixture
def base(folder, check):
    """Write a report of some files as they are, to compare with later."""

    def write(*names: str) -> str:
        (folder / "base.json").write_text(check("json", *names)[1], "utf-8")
        return "base.json"

    return write


def worse_of(text: str) -> dict[str, list[tuple[str, str]]]:
    report = json.loads(text)
    Draft202012Validator(schemas.load("check")).validate(report)
    return {
        one["file"]: [(w["kind"], w["name"]) for w in one["worse"]] for one in report["results"]
    }


BIGGER = SCENARIOS["fits.yaml"].replace("0.5B", "3B") if SCENARIOS["fits.yaml"] else ""
TOO_BIG = BIGGER.replace("3B", "72B")
CHANGES = [
    ("same", SCENARIOS["fits.yaml"], []),
    ("a-little", str(SCENARIOS["fits.yaml"]).replace("lora,", "lora, lora: {rank: 17},"), []),
    ("bigger", BIGGER, [("answer", "memory")]),
    ("too-big", TOO_BIG, [("status", ""), ("verdict", ""), ("policy", "fits-in-memory"),
                          ("answer", "memory")]),
    ("broken", "model:", [("status", "")]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "worse"), [r[1:] for r in CHANGES], ids=[r[0] for r in CHANGES])
def test_what_got_worse_is_told(check, folder, base, text, worse):
    report = base("fits.yaml")
    (folder / "fits.yaml").write_text(text, "utf-8")
    code, out = check("json", "fits.yaml", "--baseline", report)
    assert json.loads(out)["baseline"] == "base.json"
    assert worse_of(out)["fits.yaml"] == worse
    assert code == check("json", "fits.yaml")[0], "a comparison changes no exit code"
    shown = check("text", "fits.yaml", "--baseline", report)[1]
    assert ("worse than in base.json" in shown) is bool(worse)
    comment = check("markdown", "fits.yaml", "--baseline", report)[1]
    assert ("`base.json`" in comment) is bool(worse)


def test_better_is_not_worse(check, folder, base):
    report = base("fails.yaml")
    (folder / "fails.yaml").write_text(SCENARIOS["fits.yaml"] or "", "utf-8")
    assert worse_of(check("json", "fails.yaml", "--baseline", report)[1]) == {"fails.yaml": []}


def test_a_failure_that_is_now_waived_was_no_better_before(check, folder, base):
    report = base("fits.yaml", "waived.yaml")
    (folder / "advisor.yaml").unlink()
    found = worse_of(check("json", "waived.yaml", "--baseline", report)[1])
    assert ("policy", "fits-in-memory") in found["waived.yaml"]


def test_files_are_found_again_however_they_are_named(check, folder, base):
    report = base("./fits.yaml")
    (folder / "fits.yaml").write_text(BIGGER, "utf-8")
    assert worse_of(check("json", "fits.yaml", "--baseline", report)[1])["fits.yaml"]


def test_a_new_file_is_not_worse(check, base):
    assert worse_of(check("json", "fails.yaml", "--baseline", base("fits.yaml"))[1]) == {
        "fails.yaml": []
    }


BAD_BASELINES = [
    ("empty", ""),
    ("no-json", "{format: 1}"),
    ("half", '{"format": 1, "results": ['),
    ("a-list", "[]"),
    ("nothing-in-it", "{}"),
    ("other-format", '{"format": 2, "rules": {}, "results": []}'),
    ("refused-then", '{"format": 1, "rules": null, "results": []}'),
    ("no-results", '{"format": 1, "rules": {}}'),
    ("results-of-words", '{"format": 1, "rules": {}, "results": ["x"]}'),
    ("no-status", '{"format": 1, "rules": {}, "results": [{"file": "fits.yaml"}]}'),
    ("odd-status", '{"format": 1, "rules": {}, "results": [{"file": "x", "status": "ok"}]}'),
    ("odd-file", '{"format": 1, "rules": {}, "results": [{"file": 1, "status": "holds"}]}'),
    ("odd-verdict", '{"format": 1, "rules": {}, "results": [{"file": "x", "status": "holds",'
     '"verdict": "fine", "policies": [], "answers": {}}]}'),
    ("no-answers", '{"format": 1, "rules": {}, "results": [{"file": "x", "status": "holds",'
     '"verdict": "fits", "policies": []}]}'),
    ("odd-answer", '{"format": 1, "rules": {}, "results": [{"file": "x", "status": "holds",'
     '"verdict": "fits", "policies": [], "answers": {"memory": {"likely": "14 GiB"}}}]}'),
    ("odd-policy", '{"format": 1, "rules": {}, "results": [{"file": "x", "status": "holds",'
     '"verdict": "fits", "policies": [{"name": "x"}], "answers": {}}]}'),
    ("infinite", '{"format": 1, "rules": {}, "results": [], "x": Infinity}'),
    ("deep", "[" * 100_000),
    ("long-number", '{"format": 1' + "1" * 5000 + "}"),
    ("yaml", "format: 1\nrules: {}\nresults: []"),
]  # fmt: skip


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize(
    "content", [row[1] for row in BAD_BASELINES], ids=[row[0] for row in BAD_BASELINES]
)
def test_a_baseline_that_is_no_report_is_exit_2(check, folder, form, content):
    (folder / "base.json").write_text(content, "utf-8")
    code, text = check(form, "fits.yaml", "--baseline", "base.json")
    assert code == 2
    if form == "json":
        [problem] = json.loads(text)["problems"]
        assert (problem["code"], problem["where"]["file"]) == ("baseline", "base.json")
