"""The command line: what each verb says where, how it ends, what must not reach a terminal."""

from __future__ import annotations

import itertools
import json
import os
import pty
import subprocess
import sys
import tempfile
import unicodedata
from pathlib import Path

import pytest

from advisor import __version__
from advisor.cli.app import VERBS, run
from advisor.cli.exits import SEVERITY, Exit, worst
from advisor.report.phrases import phrase
from tests.support import ROOT

TODAY = ["--today", "2026-11-29"]
SCENARIOS = {
    "fits.yaml": "{model: Qwen/Qwen2.5-0.5B, method: lora, hardware: {gpu: A100 SXM 80GB}}",
    "fails.yaml": "{model: Qwen/Qwen2.5-72B, method: full, hardware: {gpu: RTX 4090}}",
    "open.yaml": "{model: {parameters: 7e9}, method: lora, hardware: {gpu: RTX 4090}}",
    "broken.yaml": "{model: Qwen/Qwen2.5-7B, method: qlroa}",
    "team.yaml": """
language: 1
layer: team
policies:
  small: {level: warn, require: model.parameters <= 1, message: "{model.parameters} is too much."}
examples:
  - {name: one, given: {method: lora, lora: {rank: 8}}, expect: {lora.rank: 8}}
""",
}
CODES = {"fits.yaml": 0, "fails.yaml": 1, "broken.yaml": 2, "open.yaml": 3}
RULES_VERBS = ("lint", "test", "show", "diff")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Every test runs in a folder with the scenarios above, in an English terminal."""
    for name, text in SCENARIOS.items():
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def call(capsys):
    """Run the command line here: exit code, standard output, standard error."""

    def called(*arguments: str) -> tuple[int, str, str]:
        code = run(list(arguments))
        assert isinstance(code, Exit)
        written = capsys.readouterr()
        return int(code), written.out, written.err

    return called


def start(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run the command line as a program of its own."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("LC_", "LANG"))}
    return subprocess.run(
        [sys.executable, "-m", "advisor", *arguments],
        env={**kept, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )


# -- help -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("option", ["--help", "-h"])
@pytest.mark.parametrize(
    "verb",
    [(), *((verb,) for verb in VERBS), *(("rules", one) for one in RULES_VERBS)],
    ids="-".join,
)
def test_help_of_every_verb(call, verb, option):
    code, out, err = call(*verb, option)
    assert (code, err) == (0, "")
    assert out.startswith(f"Usage: {' '.join(('advisor', *verb))} ")
    assert max(map(len, out.splitlines())) <= 100


def test_help_lists_every_verb_with_its_line(call):
    _, out, _ = call("--help")
    for verb, (_, line) in VERBS.items():
        assert f"  {verb} " in out
        assert line in out


def test_the_version(call):
    assert call("--version") == (0, f"advisor {__version__}\n", "")


@pytest.mark.parametrize("arguments", [("rules",)])
def test_no_verb_shows_help_but_is_a_wrong_call(call, arguments):
    code, out, err = call(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"Usage: {' '.join(('advisor', *arguments))} ")


# -- wrong calls ----------------------------------------------------------------------------------

WRONG_CALLS = [
    ("unknown-verb", ["chekc"], "there is no command 'chekc'. Did you mean 'check'?"),
    ("nothing-like-it", ["bake"], "One of: check, explain, rules, gpus, models, "),
    ("unknown-rules-verb", ["rules", "lnit"], "Did you mean 'lint'?"),
    ("unknown-option", ["check", "fits.yaml", "--formt", "json"], "--format"),
    ("unknown-option-at-the-top", ["--verbose"], "--verbose"),
    ("no-files", ["check"], "name at least one scenario file"),
    ("explain-nothing", ["explain"], "FILE"),
    ("explain-no-name", ["explain", "fits.yaml"], "NAME"),
    ("format", ["check", "fits.yaml", "--format", "xml"], "'text', 'json'"),
    ("language", ["check", "fits.yaml", "--lang", "fr"], "'en', 'zh'"),
    ("fail-on", ["check", "fits.yaml", "--fail-on", "info"], "'deny', 'warn'"),
    ("day-word", ["check", "fits.yaml", "--today", "soon"], "--today: 'soon' is not a date"),
    ("day-empty", ["check", "fits.yaml", "--today", ""], "--today: '' is not a date"),
    ("day-month", ["check", "fits.yaml", "--today", "2026-13-01"], "--today: "),
    ("day-of-no-month", ["check", "fits.yaml", "--today", "2026-02-30"], "--today: "),
    ("day-other-order", ["rules", "lint", "--today", "29.11.2026"], "like 2026-11-29"),
    ("set-no-sign", ["check", "fits.yaml", "--set", "method"], "write it as INPUT=VALUE"),
    ("set-no-name", ["check", "fits.yaml", "--set", "=4"], "write it as INPUT=VALUE"),
    ("set-no-value", ["check", "fits.yaml", "--set", "method="], "write it as INPUT=VALUE"),
    ("depth", ["explain", "fits.yaml", "memory", "--depth", "-1"], "--depth"),
    ("explain-unknown", ["explain", "fits.yaml", "memory.ned"], "Did you mean: memory.need"),
    ("explain-two", ["explain", "fits.yaml", "fails.yaml", "memory"], "unexpected extra argument"),
    ("show-unknown", ["rules", "show", "memory.ned"], "memory.need"),
    ("diff-no-rules", ["rules", "diff"], "--rules PATH"),
    ("gpu-unknown", ["gpus", "RTX 4091"], "Did you mean rtx-4090"),
    ("model-unknown", ["models", "Qwen/Qwen2.5-7C"], "Qwen/Qwen2.5-7B"),
    ("where-unknown", ["gpus", "--where", "memory>=24 GiB"], "there is no fact 'memory'"),
    ("where-no-sign", ["gpus", "--where", "bf16"], "write it as FACT>=VALUE"),
    ("where-unit", ["gpus", "--where", "bandwidth>=24 GiB"], "byte/s"),
    ("where-no-order", ["gpus", "--where", "vendor>=nvidia"], "has no order"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "said"), [row[1:] for row in WRONG_CALLS], ids=[row[0] for row in WRONG_CALLS]
)
def test_a_wrong_call_says_what_to_do(call, arguments, said):
    code, out, err = call(*arguments)
    assert (code, out) == (2, ""), "nothing was checked, so nothing is reported"
    assert said in err
    assert err.startswith("advisor: ") or ": unknown-name: " in err or "ambiguous-name: " in err
    assert "Traceback" not in err


# -- files that cannot be used --------------------------------------------------------------------

BAD_FILES: list[tuple[str, str | bytes | None, str]] = [
    ("missing", None, "there is no such file"),
    ("empty", "", "the file holds nothing"),
    ("only-a-comment", "# nothing\n", "the file holds nothing"),
    ("broken-yaml", "model: [1, 2", "yaml:"),
    ("tab", "model:\n\tname: x", "yaml:"),
    ("list", "[model]", "a scenario is a map"),
    ("binary", b"\x00\xff\xfe", "bad.yaml:1:"),
    ("not-utf-8", "model: 模型".encode("gbk"), "bad.yaml:1:"),
    ("alias", "model: &a x\nmethod: *a", "bad.yaml:1:"),
    ("unknown-key", "model: Qwen/Qwen2.5-7B\nmethd: lora", "Did you mean 'method'?"),
    ("unknown-model", "model: Qwen/Qwen2.5-7C\nmethod: lora", "Qwen/Qwen2.5-7B"),
    ("wrong-choice", "model: Qwen/Qwen2.5-7B\nmethod: qlroa", "Did you mean 'qlora'?"),
]


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize(
    ("content", "said"), [row[1:] for row in BAD_FILES], ids=[row[0] for row in BAD_FILES]
)
def test_a_bad_file_is_told_with_its_place(call, folder, content, said, form):
    if content is not None:
        data = content if isinstance(content, bytes) else content.encode()
        (folder / "bad.yaml").write_bytes(data)
    code, out, err = call("check", "bad.yaml", "--format", form, *TODAY)
    assert (code, err) == (2, "")
    if form == "text":
        assert out.startswith("bad.yaml")
        assert said in out
        return
    problems = json.loads(out)["results"][0]["problems"]
    assert {one["where"]["file"] for one in problems} == {"bad.yaml"}
    text = " ".join(
        f"bad.yaml:{one['where']['line']}: {one['code']}: {one['message']} {one['hint']}"
        for one in problems
    )
    assert said in text


def test_a_folder_is_no_scenario(call, folder):
    (folder / "runs").mkdir()
    code, out, err = call("check", "runs")
    assert (code, err) == (2, "")
    assert out.startswith("runs")


BAD_RULES: list[tuple[str, dict[str, str], str]] = [
    ("missing", {}, "there is no such file"),
    ("empty-folder", {"rules/notes.txt": "x"}, "holds no .yaml file"),
    ("hidden-only", {"rules/.old/team.yaml": "language: 1"}, "holds no .yaml file"),
    ("no-layer", {"rules/team.yaml": "language: 1"}, "says which layer it is"),
    ("no-language", {"rules/team.yaml": "layer: team"}, "'language' is missing"),
    ("other-language", {"rules/team.yaml": "{language: 2, layer: team}"}, "rules/team.yaml:1:"),
    ("broken", {"rules/team.yaml": "a: [}"}, "rules/team.yaml:1:"),
    ("typo", {"rules/t.yaml": "{language: 1, layer: t, polices: {}}"}, "Did you mean 'policies'?"),
]


@pytest.mark.parametrize(
    ("files", "said"), [row[1:] for row in BAD_RULES], ids=[row[0] for row in BAD_RULES]
)
def test_rules_that_cannot_be_used(call, folder, files, said):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    code, out, err = call("check", "fits.yaml", "--rules", "rules", *TODAY)
    assert (code, out) == (2, "")
    assert said in err
    code, out, err = call("check", "fits.yaml", "--rules", "rules", "--format", "json", *TODAY)
    assert (code, err) == (2, "")
    report = json.loads(out)
    assert report["results"] == []
    assert report["problems"]
    assert call("rules", "lint", "rules", *TODAY)[0] == 2
    assert call("rules", "test", "rules", *TODAY)[0] == 2


# -- exit codes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_several_files_end_with_the_worst(call, size):
    chosen = list(itertools.combinations(CODES, size))
    for names in [*chosen, *(tuple(reversed(one)) for one in chosen)]:
        code, out, err = call("check", *names, "--format", "json", *TODAY)
        report = json.loads(out)
        states = {one["file"]: one["status"] for one in report["results"]}
        expected = next(c for c in (2, 1, 3, 0) if c in {CODES[name] for name in names})
        assert (code, err) == (expected, "")
        assert list(states) == list(names), "every file is reported, in the order of the call"
        words = {0: "holds", 1: "fails", 2: "broken", 3: "undecided"}
        assert states == {name: words[CODES[name]] for name in names}


def test_a_broken_file_hides_no_other_in_text(call):
    code, out, err = call("check", "broken.yaml", "missing.yaml", "fits.yaml", "fails.yaml", *TODAY)
    assert (code, err) == (2, "")
    for line in ("broken.yaml:1:", "missing.yaml: no-file:", "✓ fits   fits.yaml", "fails.yaml"):
        assert line in out
    assert "4 files: 1 hold, 1 fail, 0 undecided, 2 cannot be read" in out


def test_the_order_of_severity():
    assert [int(code) for code in SEVERITY] == [4, 2, 1, 3, 0]
    assert worst([]) == Exit.BROKEN, "nothing checked is no success"
    assert worst([Exit.HOLDS, Exit.HOLDS]) == Exit.HOLDS


def test_missing_inputs_are_listed(call):
    code, out, _ = call("check", "open.yaml", *TODAY)
    assert code == 3
    assert phrase("en", "missing", names="").strip() in out
    assert "model.hidden_size" in out


def test_warnings_fail_only_on_request(call):
    arguments = ["check", "fits.yaml", "--rules", "team.yaml", *TODAY]
    code, out, _ = call(*arguments)
    assert code == 0
    assert "is too much" in out
    assert call(*arguments, "--fail-on", "warn")[0] == 1
    assert call("check", "open.yaml", *TODAY, "--fail-on", "warn")[0] in (1, 3)
    assert call("check", "broken.yaml", *TODAY, "--fail-on", "warn")[0] == 2


def test_rules_test_ends_with_1_when_an_example_fails(call, folder):
    text = SCENARIOS["team.yaml"].replace("{lora.rank: 8}", "{lora.rank: 9}")
    (folder / "wrong.yaml").write_text(text, "utf-8")
    code, out, err = call("rules", "test", "wrong.yaml", *TODAY)
    assert (code, err) == (1, "")
    assert "✗ wrong.yaml:7:5: one" in out
    assert "≠ lora.rank: 8, expected 9" in out
    assert "1 examples, 1 checks, 1 failed" in out


def test_rules_test_of_nothing_is_no_success(call, folder):
    (folder / "bare.yaml").write_text("{language: 1, layer: bare}", "utf-8")
    code, _, err = call("rules", "test", "bare.yaml", *TODAY)
    assert code == 2
    assert "nothing was tested" in err


def test_rules_lint_fails_on_advice_only_when_strict(call):
    code, out, err = call("rules", "lint", "team.yaml", *TODAY)
    assert (code, err) == (0, "")
    assert "(warning)" in out
    assert call("rules", "lint", "team.yaml", "--strict", *TODAY)[0] == 2


def test_shipped_rules_hold(call):
    code, out, err = call("rules", "lint", *TODAY)
    assert (code, err) == (0, "")
    assert out.startswith("0 errors")
    code, out, err = call("rules", "test", *TODAY)
    assert (code, err) == (0, "")
    assert out.endswith(", 0 failed\n")


# -- the verbs do what they say -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("memory.need", "memory.need = "),
        ("memory", "memory.need = "),  # an answer stands for its value
        ("memory_reserve", "memory_reserve = 1"),
        ("method", "method = full"),
        ("fits-in-memory", "fits-in-memory (deny): memory.need <= "),
    ],
)
def test_explain_every_kind_of_name(call, name, said):
    code, out, err = call("explain", "fails.yaml", name, "--depth", "1", *TODAY)
    assert (code, err) == (0, "")
    assert out.startswith(said)
    assert "rules/core/" in out or name == "method"


def test_explain_goes_as_deep_as_asked(call):
    sizes = [
        len(call("explain", "fits.yaml", "memory.need", "--depth", str(depth), *TODAY)[1])
        for depth in (0, 1, 30)
    ]
    assert sizes == sorted(set(sizes))


def test_rules_show_names_place_and_layer(call):
    code, out, err = call("rules", "show", "small", "--rules", "team.yaml", *TODAY)
    assert (code, err) == (0, "")
    assert "team.yaml:5:3" in out
    assert call("rules", "show", "policies.small", "--rules", "team.yaml", *TODAY)[1] == out


def test_rules_diff_tells_what_a_layer_changes(call):
    code, out, err = call("rules", "diff", "--rules", "team.yaml", "fits.yaml", *TODAY)
    assert (code, err) == (0, "")
    assert "\nfits.yaml\n  policy small: not there → fails (warn)\n" in out


@pytest.mark.parametrize("verb", ["gpus", "models"])
def test_catalogues_list_filter_and_show(call, verb):
    where = {"gpus": "memory_marketed >= 100 GiB", "models": "layers > 60"}[verb]
    code, everything, err = call(verb)
    assert (code, err) == (0, "")
    code, some, err = call(verb, "--where", where)
    assert (code, err) == (0, "")
    assert 2 < len(some.splitlines()) < len(everything.splitlines())
    assert set(some.split("\n")[1].split()) <= set(everything.split())
    name = {"gpus": "NVIDIA GeForce RTX 4090", "models": "qwen2.5-7b"}[verb]
    code, page, err = call(verb, name)
    assert (code, err) == (0, "")
    assert "checked 2026-" in page


@pytest.mark.parametrize(
    ("arguments", "shown", "absent"),
    [
        (["gpus", "a100"], ["A100 PCIe 40 GB", "A100 SXM 80 GB", "4 entries"], ["A10 "]),
        (["gpus", "a100", "--where", "bandwidth >= 2 TB/s"], ["SXM 80 GB", "1 entries"], ["PCIe"]),
        (["models", "QwQ"], ["Qwen/QwQ-32B", "1 entries"], ["Qwen2.5-32B"]),
        (["models", "llama"], ["Llama-3.1-8B", "TinyLlama"], ["Qwen"]),
        (["gpus", "rtx 4090", "--where", "bandwidth >= 9 TB/s"], ["0 entries"], ["4090 "]),
    ],
)
def test_a_word_that_several_names_hold_lists_them(capsys, arguments, shown, absent):
    assert run(arguments) is Exit.HOLDS
    told = capsys.readouterr().out
    assert all(one in told for one in shown)
    assert not any(one in told for one in absent)


@pytest.mark.parametrize("arguments", [["gpus"], ["gpus", "rtx 4090"], ["models", "qwen2.5-7b"]])
def test_catalogues_as_json(call, arguments):
    code, out, err = call(*arguments, "--format", "json")
    assert (code, err) == (0, "")
    entries = json.loads(out)
    assert entries
    assert all(fact["source"] for entry in entries for fact in entry["facts"].values())


SETTINGS = [
    (["--set", "method=lora"], "method", "lora"),
    (["--set", "training.micro_batch_size=2"], "training.micro_batch_size", 2),
    (["--set", "lora.target_modules=[q, v]"], "lora.target_modules", ["q", "v"]),
    (["--set", "budget.time=6 h"], "budget.time", 21600),
    (["--gpu", "H100 SXM"], "hardware.gpu", "H100 SXM"),
    (["--gpus", "8"], "hardware.count", 8),
    (["--price", "1.5"], "cost.price_per_gpu_hour", 1.5 / 3600),
    (["--gpus", "8", "--set", "hardware.count=4"], "hardware.count", 4),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "name", "value"), SETTINGS, ids=lambda one: str(one))
def test_flags_set_inputs(call, arguments, name, value):
    code, out, err = call("check", "fails.yaml", *arguments, "--format", "json", *TODAY)
    assert err == ""
    assert code in (0, 1)
    given = json.loads(out)["results"][0]["inputs"][name]
    assert given["value"] == pytest.approx(value) if isinstance(value, float) else value
    assert given["origin"] == "given"


def test_a_changed_given_value_is_reported(call):
    _, out, _ = call("check", "fails.yaml", "--set", "method=lora", *TODAY)
    assert "method: full in the file, lora by --set method=lora" in out
    _, out, _ = call("check", "fails.yaml", "--set", "method=full", *TODAY)
    assert "in the file" not in out


BAD_SETTINGS = [
    ("methd=lora", "Did you mean 'method'?"),
    ("method=lroa", "Did you mean 'lora'?"),
    ("training.micro_batch_size=many", "needs a number"),
    ("training.micro_batch_size=0", "outside"),
    ("training.micro_batch_size=.nan", "finite"),
    ("training.packing=yes", "true or false"),
    ("hardware.gpu=a100", "a100-sxm-80gb"),
    ("method=lora\nlora.rank: 4", "not one value"),
    ("method=[lora", "--set"),
]


@pytest.mark.parametrize(("setting", "said"), BAD_SETTINGS, ids=[row[0] for row in BAD_SETTINGS])
def test_a_wrong_setting_is_a_problem_of_the_call(call, setting, said):
    code, out, err = call("check", "fits.yaml", "--set", setting, *TODAY)
    assert (code, err) == (2, "")
    assert out.startswith("--set ")
    assert said in out


# -- languages ------------------------------------------------------------------------------------

SPOKEN = [
    ({}, [], "en"),
    ({"LANG": "zh_CN.UTF-8"}, [], "zh"),
    ({"LC_ALL": "zh_CN.UTF-8"}, [], "zh"),
    ({"LC_ALL": "ZH_TW.Big5"}, [], "zh"),
    ({"LC_MESSAGES": "zh_CN.UTF-8", "LANG": "en_US.UTF-8"}, [], "zh"),
    ({"LC_ALL": "C", "LANG": "zh_CN.UTF-8"}, [], "en"),
    ({"LC_ALL": "", "LANG": "zh_CN.UTF-8"}, [], "zh"),
    ({"LANG": "de_DE.UTF-8"}, [], "en"),
    ({"LANG": "zh_CN.UTF-8"}, ["--lang", "en"], "en"),
    ({}, ["--lang", "zh"], "zh"),
]


@pytest.mark.parametrize(("environment", "arguments", "spoken"), SPOKEN, ids=str)
def test_the_language_of_a_report(call, monkeypatch, environment, arguments, spoken):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    code, out, _ = call("check", "fails.yaml", *arguments, *TODAY)
    assert code == 1
    other = "en" if spoken == "zh" else "zh"
    assert out.startswith(f"✗ {phrase(spoken, 'does not fit')} ")
    assert phrase(other, "does not fit") not in out
    _, out, _ = call("explain", "fails.yaml", "method", *arguments, *TODAY)
    assert (phrase("zh", "origin_given") in out) is (spoken == "zh")


# -- what must not reach a terminal ---------------------------------------------------------------

ESCAPE = "\x1b[31m\x07\x9b\u202e\u200b"
WRITTEN = r"\e[31m\a\N\u202e\u200b".replace(r"\N", r"\x9b")
HOSTILE = {
    "model": f'model: "{WRITTEN}"\nmethod: lora',
    "key": f'"{WRITTEN}": 1',
    "choice": f'model: Qwen/Qwen2.5-7B\nmethod: "{WRITTEN}"',
    "inline-name": f'model: {{name: "{WRITTEN}", parameters: 7e9}}\nmethod: lora',
    "keep": f'model: Qwen/Qwen2.5-7B\nmethod: lora\nkeep: ["{WRITTEN}"]',
}
HOSTILE_LAYER = f"""
language: 1
layer: team
policies:
  loud: {{level: deny, require: model.parameters <= 1, message: "{WRITTEN}", fix: ladder}}
patch: {{policies.effective-batch.level: {{value: deny, reason: "{WRITTEN}"}}}}
"""


def hidden(text: str) -> set[str]:
    """Characters that move the cursor, change the direction of text, or cannot be seen."""
    return {
        char
        for char in text
        if char != "\n" and unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co")
    }


def test_the_scan_for_hidden_characters_sees_them():
    assert hidden(ESCAPE) == {"\x1b", "\x07", "\x9b", "\u202e", "\u200b"}
    assert hidden("✗ does not fit · 放不下\n") == set()


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_nothing_hidden_from_a_scenario(call, folder, text, form):
    (folder / "evil.yaml").write_text(text, "utf-8")
    code, out, err = call("check", "evil.yaml", "--format", form, *TODAY)
    assert code in (2, 3)
    assert "u202e" in out
    assert hidden(out + err) == set()


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "fits.yaml"], ["check", "fits.yaml", "--format", "json"], ["rules", "lint"],
        ["rules", "show", "loud"], ["rules", "diff"], ["explain", "fits.yaml", "loud"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_nothing_hidden_from_rules(call, folder, arguments):
    (folder / "loud.yaml").write_text(HOSTILE_LAYER, "utf-8")
    flag = [] if arguments[1] == "lint" else ["--rules"]
    code, out, err = call(*arguments, *flag, "loud.yaml", *TODAY)
    assert code in (0, 1)
    assert hidden(out + err) == set()


@pytest.mark.parametrize(
    "arguments",
    [
        [ESCAPE],
        ["rules", ESCAPE],
        ["rules", "show", ESCAPE],
        ["check", ESCAPE],
        ["check", "fits.yaml", "--set", ESCAPE],
        ["check", "fits.yaml", "--set", f"{ESCAPE}=1"],
        ["check", "fits.yaml", "--set", f"method={ESCAPE}"],
        ["check", "fits.yaml", "--gpu", ESCAPE],
        ["check", "fits.yaml", "--today", ESCAPE],
        ["check", "fits.yaml", "--format", ESCAPE],
        ["check", "fits.yaml", "--rules", ESCAPE],
        ["check", "fits.yaml", f"--{ESCAPE}"],
        ["explain", "fits.yaml", ESCAPE],
        ["gpus", ESCAPE],
        ["gpus", "--where", ESCAPE],
        ["models", "--where", f"{ESCAPE}>=1"],
    ],
    ids=lambda one: " ".join(one).replace(ESCAPE, "ESC"),
)
def test_nothing_hidden_from_the_call(call, arguments):
    code, out, err = call(*arguments)
    assert code == 2
    assert hidden(out + err) == set()


def test_nothing_hidden_from_the_name_of_a_file(call, folder):
    name = "run\x1b[31m\u202e.yaml"
    (folder / name).write_text(SCENARIOS["fails.yaml"], "utf-8")
    for form in ("text", "json"):
        code, out, err = call("check", name, "--format", form, *TODAY)
        assert (code, err) == (1, "")
        assert hidden(out) == set()


def test_nothing_raw_in_the_bytes_of_a_program(folder):
    (folder / "evil.yaml").write_text(HOSTILE["inline-name"], "utf-8")
    done = start("check", "evil.yaml", "fails.yaml", PYTHONUTF8="1")
    assert done.returncode == 2, "a name that cannot be shown is refused"
    assert hidden((done.stdout + done.stderr).decode("utf-8")) == set()


# -- colour ---------------------------------------------------------------------------------------


def on_a_terminal(*arguments: str, **environment: str) -> str:
    """What the command line writes to a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "advisor", *arguments],
        env={**os.environ, "TERM": "xterm-256color", "PYTHONUTF8": "1", **environment},
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    ):
        os.close(theirs)
        written = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # the other side is closed
                break
            if not piece:
                break
            written += piece
    os.close(ours)
    return written.decode("utf-8")


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [({}, True), ({"NO_COLOR": ""}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)],
    ids=["terminal", "NO_COLOR-empty", "NO_COLOR", "TERM-dumb"],
)
def test_colour_only_where_it_is_wanted(environment, coloured):
    text = on_a_terminal("check", "fails.yaml", *TODAY, **environment)
    assert ("\x1b[31m✗\x1b[0m" in text) is coloured
    assert ("\x1b" in text) is coloured
    assert "✗" in text
    assert "does not fit" in text, "the meaning never rests on colour"


def test_no_colour_in_a_pipe():
    assert b"\x1b" not in start("check", "fails.yaml", TERM="xterm-256color").stdout


def test_no_colour_for_what_a_file_says(folder):
    (folder / "loud.yaml").write_text(HOSTILE_LAYER, "utf-8")
    text = on_a_terminal("check", "fits.yaml", "--rules", "loud.yaml", *TODAY)
    signs = text.replace("\r", "")
    for code in ("\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[0m"):
        signs = signs.replace(code, "")
    assert hidden(signs) == set()
    assert "\x1b[31m\x07" not in text


# -- streams and ends -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["check", "fits.yaml"], 0), (["check", "fails.yaml"], 1), (["check", "open.yaml"], 3),
        (["check", "broken.yaml"], 2), (["check", "fails.yaml", "--format", "json"], 1),
        (["gpus"], 0), (["--help"], 0), (["rules", "lint", "no-such-folder"], 2),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, list) else None,
)  # fmt: skip
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_a_reader_who_leaves_changes_nothing(arguments, code, encoding):
    with subprocess.Popen(
        [sys.executable, "-m", "advisor", *arguments],
        env={**os.environ, "PYTHONIOENCODING": encoding},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()  # as `| head -0` does
        said = process.stderr.read()
    assert (process.returncode, said) == (code, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the device that is always full")
def test_a_full_disk_is_said():
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "advisor", "check", "fits.yaml"],
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.startswith(b"advisor: the report cannot be written: ")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "gbk"},
        {"PYTHONIOENCODING": "latin-1"},
    ],
    ids=str,
)
def test_any_encoding_will_do(folder, environment, lang):
    (folder / "模型.yaml").write_text(SCENARIOS["fails.yaml"], "utf-8")
    done = start("check", "模型.yaml", "broken.yaml", "--lang", lang, *TODAY, **environment)
    assert (done.returncode, done.stderr) == (2, b"")
    assert b"Traceback" not in done.stdout
    encoding = environment.get("PYTHONIOENCODING", "utf-8")
    text = done.stdout.decode(encoding)
    assert "RTX 4090" in text
    done = start("check", "模型.yaml", "--format", "json", *TODAY, **environment)
    assert json.loads(done.stdout)["summary"]["exit"] == done.returncode == 1


def test_an_interrupt_ends_with_130(call, monkeypatch):
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("advisor.cli.check.check_file", interrupted)
    code, out, err = call("check", "fits.yaml", *TODAY)
    assert (code, out) == (130, "")
    assert err.split() == ["interrupted"]


def test_a_bug_is_reported_without_a_traceback(call, monkeypatch, folder):
    def wrong(*_: object) -> None:
        raise ZeroDivisionError("the \x1b[31mcause")

    monkeypatch.setattr("advisor.cli.check.check_file", wrong)
    code, out, err = call("check", "fits.yaml", *TODAY)
    assert (code, out) == (4, "")
    assert err.startswith("advisor: this is a mistake in advisor itself.")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    (report,) = folder.glob("advisor-bug-*.txt")
    assert str(report) in err
    text = report.read_text("utf-8")
    assert text.startswith(f"advisor {__version__}\n")
    assert "ZeroDivisionError: the" in text


def test_a_bug_where_nothing_can_be_written(call, monkeypatch):
    def wrong(*_: object) -> None:
        raise ZeroDivisionError("the \x1b[31mcause")

    monkeypatch.setattr("advisor.cli.check.check_file", wrong)
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere/at/all")
    code, out, err = call("check", "fits.yaml", *TODAY)
    assert (code, out) == (4, "")
    assert "ZeroDivisionError: the \\x1b[31mcause" in err


def test_streams_are_as_before(call):
    before = sys.stdout, sys.stderr
    call("check", "fits.yaml", *TODAY)
    assert (sys.stdout, sys.stderr) == before


def test_the_module_is_the_command():
    done = start("--version")
    assert done.stdout.decode() == f"advisor {__version__}\n"
    assert ROOT.joinpath("advisor", "__main__.py").is_file()
