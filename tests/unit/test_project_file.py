"""``advisor.yaml``: when it is read, what it may say, and what comes of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from advisor import schemas
from advisor.cli.app import run
from advisor.errors import FileProblems
from advisor.project import open_project
from advisor.project_file import find_files, read_project_file
from advisor.source import read_text
from tests.support import TODAY

FITS = "{model: Qwen/Qwen2.5-0.5B, method: lora, hardware: {gpu: A100 SXM 80GB}}"
NO_CARD = "{model: Qwen/Qwen2.5-0.5B, method: lora}"
LAYER = """
language: 1
layer: team
policies:
  small: {level: warn, require: model.parameters <= 1, message: "{model.parameters} is too much."}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "runs" / "deep").mkdir(parents=True)
    (tmp_path / "runs" / "a.yaml").write_text(FITS, "utf-8")
    (tmp_path / "runs" / "b.yaml").write_text(NO_CARD, "utf-8")
    (tmp_path / "runs" / "deep" / "c.yaml").write_text(FITS, "utf-8")
    (tmp_path / "team.yaml").write_text(LAYER, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(text: str, path: str = "advisor.yaml") -> Path:
    if "language" not in text:
        text = f"language: 1\n{text}\n"
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, "utf-8")
    return Path(path)


@pytest.fixture
def check(capsys):
    """Check as JSON: the exit code and the document."""

    def called(*arguments: str) -> tuple[int, dict[str, Any]]:
        code = int(run(["check", "--format", "json", "--today", "2026-11-29", *arguments]))
        return code, json.loads(capsys.readouterr().out)

    return called


def layers(report: dict[str, Any]) -> list[str]:
    found: list[str] = report["rules"]["layers"]
    return found


# -- when it is read ------------------------------------------------------------------------------


def test_it_is_read_from_the_working_directory_and_named(check):
    write("rules: [team.yaml]")
    code, report = check("runs/a.yaml")
    assert (code, report["config"], layers(report)) == (0, "advisor.yaml", ["core", "team"])


def test_without_one_nothing_is_named(check):
    code, report = check("runs/a.yaml")
    assert (code, report["config"], layers(report)) == (0, None, ["core"])


def test_text_names_it(capsys):
    write("rules: [team.yaml]")
    run(["check", "runs/a.yaml", "--today", "2026-11-29"])
    assert capsys.readouterr().out.endswith(" · config advisor.yaml\n")


def test_no_other_folder_is_looked_in(check, folder, monkeypatch):
    write("rules: [team.yaml]")
    write("rules: [team.yaml]", "runs/deep/advisor.yaml")
    monkeypatch.chdir(folder / "runs")
    assert check("deep/c.yaml")[1]["config"] is None


def test_another_file_can_be_named(check):
    write("no such key: at all")
    write("rules: [team.yaml]", "base/advisor.yaml")
    Path("base/team.yaml").write_text(LAYER, "utf-8")
    code, report = check("runs/a.yaml", "--config", "base/advisor.yaml")
    assert (code, report["config"], layers(report)) == (
        0,
        str(Path("base/advisor.yaml")),
        ["core", "team"],
    )


def test_or_none_at_all(check):
    write("no such key: at all")
    code, report = check("runs/a.yaml", "--no-config")
    assert (code, report["config"]) == (0, None)


@pytest.mark.parametrize("arguments", [["--config", "gone.yaml"], ["--config", "runs"]])
def test_a_file_that_is_named_must_be_there(check, arguments):
    code, report = check("runs/a.yaml", *arguments)
    assert code == 2
    assert report["problems"][0]["where"]["file"] == arguments[1]


def test_both_flags_are_a_wrong_call(check):
    assert check("runs/a.yaml", "--config", "advisor.yaml", "--no-config")[0] == 2


@pytest.mark.parametrize("kind", ["folder", "link-to-nothing", "not-utf-8", "empty"])
def test_one_that_is_there_and_cannot_be_read_is_no_silence(check, kind):
    path = Path("advisor.yaml")
    if kind == "folder":
        path.mkdir()
    elif kind == "link-to-nothing":
        path.symlink_to("gone.yaml")
    else:
        path.write_bytes(b"\xff\xfe" if kind == "not-utf-8" else b"")
    code, report = check("runs/a.yaml")
    assert code == 2
    assert report["results"] == []
    assert report["problems"][0]["where"]["file"] == "advisor.yaml"


def test_explain_reads_it_too(capsys):
    write("defaults: {hardware.gpu: RTX 4090}")
    assert run(["explain", "runs/b.yaml", "hardware.gpu", "--today", "2026-11-29"]) == 0
    told = capsys.readouterr().out
    assert "RTX 4090" in told
    assert "project default" in told
    assert "advisor.yaml:2:" in told
    run(["explain", "runs/b.yaml", "hardware.gpu", "--no-config", "--today", "2026-11-29"])
    assert "RTX 4090" not in capsys.readouterr().out


# -- its shape ------------------------------------------------------------------------------------

SHAPES = [
    ("rules: [team.yaml]", True),
    ("rules: [team.yaml, .]", True),
    ("defaults: {hardware: {gpu: RTX 4090}}", True),
    ("files: ['runs/*.yaml']", True),
    ("{language: 1}", True),
    ("{language: 2}", False),
    ("{rules: [team.yaml], language: '1'}", False),
    ("rule: [team.yaml]", False),
    ("rules: team.yaml", False),
    ("rules: []", False),
    ("rules: ['']", False),
    ("rules: [1]", False),
    ("rules: [{path: team.yaml}]", False),
    ("files: 'runs/*.yaml'", False),
    ("files: []", False),
    ("defaults: [hardware.gpu]", False),
    ("defaults: {}", False),
    ("defaults:", False),
    ("waivers: {policy: x}", False),
    ("waivers: []", False),
    ("waivers: [x]", False),
    ("files: ['runs/*.yaml']\nfiles: ['*.yaml']", False),
    ("language: 1\nfiles: &a ['runs/*.yaml']\nrules: *a", False),
]


@pytest.mark.parametrize(("text", "valid"), SHAPES)
def test_reader_and_schema_agree(text, valid):
    path = write(text)
    try:
        data = read_text(path.read_text("utf-8"), "advisor.yaml").data
    except FileProblems:
        assert not valid
        return
    schema = Draft202012Validator(schemas.load("project"))
    assert schema.is_valid(data) is valid
    if valid:
        read_project_file(path)
        return
    with pytest.raises(FileProblems) as raised:
        read_project_file(path)
    assert all(one.where is not None and one.where.line for one in raised.value.problems)


WRONG_PATHS = [
    ("rules: [gone.yaml]", "no-file"),
    ("rules: [../team.yaml]", "outside"),
    ("rules: [/etc]", "outside"),
    ("rules: [out]", "outside"),
    ("rules: [team.yaml, ./team.yaml]", "listed-twice"),
    ("rules: [team.yaml, same.yaml]", "listed-twice"),
    ("files: ['../*.yaml']", "bad-pattern"),
    ("files: ['/etc/*.yaml']", "bad-pattern"),
    ("files: ['runs\\*.yaml']", "bad-pattern"),
    ("files: ['a//b']", "bad-pattern"),
]


@pytest.mark.parametrize(("text", "code"), WRONG_PATHS, ids=[row[0] for row in WRONG_PATHS])
def test_paths_stay_in_the_folder(check, folder, tmp_path_factory, text, code):
    (folder / "out").symlink_to(tmp_path_factory.mktemp("elsewhere"))
    (folder / "same.yaml").symlink_to("team.yaml")
    write(text)
    ended, report = check("runs/a.yaml")
    assert ended == 2
    [problem] = report["problems"]
    assert (problem["code"], problem["where"]["file"]) == (code, "advisor.yaml")
    assert problem["where"]["line"] == 2


def test_every_problem_is_told_at_once(check):
    write("rules: [gone.yaml, ../x]\nfiles: ['/a', '..']")
    assert len(check("runs/a.yaml")[1]["problems"]) == 4


# -- layers ---------------------------------------------------------------------------------------


def other(name: str) -> str:
    Path(f"{name}.yaml").write_text(LAYER.replace("team", name).replace("small", name), "utf-8")
    return f"{name}.yaml"


def test_layers_of_the_call_are_stronger(check):
    write(f"rules: [team.yaml, {other('second')}]")
    _, report = check("runs/a.yaml", "--rules", other("third"))
    assert layers(report) == ["core", "team", "second", "third"]


def test_a_layer_that_is_named_again_takes_the_place_in_the_call(check):
    write(f"rules: [team.yaml, {other('second')}]")
    _, report = check("runs/a.yaml", "--rules", "./team.yaml")
    assert layers(report) == ["core", "second", "team"]


def test_a_broken_layer_is_told(check):
    write("rules: [team.yaml]")
    Path("team.yaml").write_text("{language: 1, layer: team, polices: {}}", "utf-8")
    code, report = check("runs/a.yaml")
    assert (code, report["results"]) == (2, [])
    assert report["problems"][0]["where"]["file"] == "team.yaml"


# -- defaults -------------------------------------------------------------------------------------


def test_a_default_is_used_where_the_file_does_not_say(check):
    write("defaults: {hardware.gpu: RTX 4090, hardware: {count: 2}, sharding.strategy: ddp}")
    code, report = check("runs/b.yaml")
    inputs = report["results"][0]["inputs"]
    assert code == 0
    assert inputs["hardware.gpu"] == {
        "value": "RTX 4090",
        "origin": "project",
        "source": "advisor.yaml",
        "where": {"file": "advisor.yaml", "line": 2, "column": 26},
    }
    assert inputs["hardware.count"]["value"] == 2
    assert inputs["hardware.gpu.vendor"]["origin"] == "catalogue"


def test_the_file_is_stronger(check):
    write("defaults: {hardware.gpu: RTX 4090}")
    inputs = check("runs/a.yaml")[1]["results"][0]["inputs"]
    assert (inputs["hardware.gpu"]["value"], inputs["hardware.gpu"]["origin"]) == (
        "A100 SXM 80 GB",
        "given",
    )


def test_no_fact_of_the_default_card_goes_with_the_card_of_the_file(check):
    Path("runs/b.yaml").write_text(
        NO_CARD.replace("lora}", "lora, hardware: {gpu: {memory_marketed: 24 GiB}}}"), "utf-8"
    )
    write("defaults: {hardware.gpu: RTX 4090}")
    inputs = check("runs/b.yaml")[1]["results"][0]["inputs"]
    assert inputs["hardware.gpu.memory_marketed"]["origin"] == "given"
    assert "hardware.gpu.bandwidth" not in inputs


def test_a_flag_is_stronger_and_replaces_nothing_that_was_given(check):
    write("defaults: {hardware.gpu: RTX 4090}")
    _, report = check("runs/b.yaml", "--gpu", "L4")
    assert report["results"][0]["inputs"]["hardware.gpu"]["value"] == "L4"
    assert report["results"][0]["overrides"] == []


def test_text_lists_defaults(capsys):
    write("defaults: {hardware.gpu: RTX 4090}")
    run(["check", "runs/b.yaml", "--today", "2026-11-29"])
    assert "by advisor.yaml: hardware.gpu = RTX 4090" in capsys.readouterr().out


def test_examples_in_rules_know_no_defaults():
    write("defaults: {method: full, hardware.gpu: RTX 4090}")
    opened = open_project([], TODAY, file=read_project_file(Path("advisor.yaml")))
    reader = opened.reader()
    document = read_text("given: {method: lora}", "x.yaml")
    given = reader.from_map(document.data["given"], document, "x").given
    assert set(given) == {"method", "today"}


WRONG_DEFAULTS = [
    ("{hardware.gpu: RTX 4091}", "unknown-name"),
    ("{hardware.gpu: a100}", "unknown-name"),
    ("{hardware.gpus: 2}", "unknown-key"),
    ("{hardware.count: two}", "value"),
    ("{hardware.count: 0}", "value"),
    ("{keep: [method]}", "value"),
    ("{assumed: [method]}", "value"),
    ("{today: 2026-01-01}", "value"),
    ("{method: }", "value"),
    ("{model: ../config.json}", "outside"),
    ("{hardware.count: 2, hardware: {count: 2}}", "duplicate-key"),
]


@pytest.mark.parametrize(("text", "code"), WRONG_DEFAULTS, ids=[row[0] for row in WRONG_DEFAULTS])
def test_a_wrong_default_is_told_with_its_place(check, text, code):
    write(f"defaults: {text}")
    ended, report = check("runs/a.yaml")
    assert ended == 2
    assert code in {one["code"] for one in report["problems"]}
    assert {one["where"]["file"] for one in report["problems"]} == {"advisor.yaml"}


# -- files ----------------------------------------------------------------------------------------

LISTED = [
    ("runs/*.yaml", ["runs/a.yaml", "runs/b.yaml"]),
    ("runs/**/*.yaml", ["runs/a.yaml", "runs/b.yaml", "runs/deep/c.yaml"]),
    ("**/c.yaml", ["runs/deep/c.yaml"]),
    ("runs/a.yaml", ["runs/a.yaml"]),
    ("runs/?.yaml', 'runs/a.*", ["runs/a.yaml", "runs/b.yaml"]),
    ("*/*/*.yaml", ["runs/deep/c.yaml"]),
    (".ci/*.yaml", [".ci/hidden.yaml"]),
    ("**/*.y*", [
        "advisor.yaml", "runs/a.yaml", "runs/b.yaml", "runs/deep/c.yaml", "team.yaml"]),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "names"), LISTED, ids=[row[0] for row in LISTED])
def test_patterns_stand_for_files(folder, pattern, names):
    (folder / ".ci").mkdir()
    (folder / ".ci" / "hidden.yaml").write_text(FITS, "utf-8")
    (folder / "runs" / "folder.yaml").mkdir()
    (folder / "runs" / "around").symlink_to(folder)
    file = read_project_file(write(f"files: ['{pattern}']"))
    assert [path.as_posix() for path in find_files(file.files, Path())] == names


def test_without_files_those_are_checked(check):
    write("defaults: {hardware.gpu: RTX 4090}\nfiles: ['runs/**/*.yaml']")
    code, report = check()
    assert code == 0
    assert [one["file"] for one in report["results"]] == [
        str(Path(name)) for name in ("runs/a.yaml", "runs/b.yaml", "runs/deep/c.yaml")
    ]


def test_named_files_are_checked_alone(check):
    write("files: ['runs/**/*.yaml']")
    assert [one["file"] for one in check("runs/a.yaml")[1]["results"]] == [str(Path("runs/a.yaml"))]


FORMATS = ["text", "json", "github", "gitlab", "junit", "sarif", "markdown"]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(
    "text", [None, "rules: [team.yaml]", "files: ['gone/*.yaml']", "files: ['runs/*.yaml', 'x*']"]
)
def test_no_file_to_check_is_exit_2_in_every_format(capsys, form, text):
    if text is not None:
        write(text)
    for flags in ([], ["--fail-on", "warn"], ["--gpu", "L4"]):
        assert run(["check", "--format", form, "--today", "2026-11-29", *flags]) == 2
        written = capsys.readouterr()
        assert written.out + written.err


def test_a_link_that_leads_out_is_refused(check, folder, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "x.yaml"
    outside.write_text(FITS, "utf-8")
    (folder / "runs" / "x.yaml").symlink_to(outside)
    write("files: ['runs/x.yaml']")
    code, report = check()
    assert (code, report["problems"][0]["code"]) == (2, "outside")
