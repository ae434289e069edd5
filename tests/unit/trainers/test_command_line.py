"""``advisor check`` on trainers' own files: what is said, where, and how the call ends."""

from __future__ import annotations

import json
import tempfile
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from advisor import schemas
from advisor.cli.app import run

TODAY = ["--today", "2026-11-29", "--no-config"]
GPU = ["--gpu", "RTX 4090"]
AXOLOTL = """\
base_model: Qwen/Qwen2.5-0.5B
datasets: [{path: x, type: alpaca}]
adapter: lora
lora_r: 16
lora_target_linear: true
micro_batch_size: 2
learning_rate: 1e-4
"""
FILES = {
    "fits.yaml": AXOLOTL,
    "large.yaml": AXOLOTL.replace("0.5B", "72B"),
    "open.yaml": AXOLOTL.replace("micro_batch_size: 2", "micro_batch_size: ${mb}"),
    "unknown.yaml": AXOLOTL.replace("Qwen2.5-0.5B", "Qwen2.5-0.6B"),
    "own.yaml": "{model: Qwen/Qwen2.5-0.5B, method: lora}",
    "other.yaml": "services: {db: {image: x}}",
    "broken.yaml": "a: [",
    "acc.yaml": "distributed_type: MULTI_GPU\nnum_processes: 2\n",
    "lf.yaml": "model_name_or_path: Qwen/Qwen2.5-0.5B\nstage: sft\ntemplate: qwen\n",
    "requirements.txt": "llamafactory==0.9.0\n",
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "NO_COLOR", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def call(capsys):
    def called(*arguments: str) -> tuple[int, str, str]:
        code = run([*arguments, *TODAY])
        written = capsys.readouterr()
        return int(code), written.out, written.err

    return called


@pytest.fixture
def report(call):
    """The JSON report of a call, its shape checked."""

    def reported(*arguments: str) -> Any:
        code, out, err = call("check", *arguments, "--format", "json")
        found = json.loads(out)
        assert not list(Draft202012Validator(schemas.load("check")).iter_errors(found))
        assert (found["summary"]["exit"], err) == (code, "")
        return found

    return reported


# -- one file -------------------------------------------------------------------------------------

CODES = [
    ("holds", ["fits.yaml", *GPU], 0),
    ("does-not-fit", ["large.yaml", *GPU], 1),
    ("no-gpu", ["fits.yaml"], 3),
    ("left-open", ["open.yaml", *GPU], 3),
    ("left-open-and-given", ["open.yaml", *GPU, "--set", "training.micro_batch_size=1"], 0),
    ("unknown-model", ["unknown.yaml", *GPU], 2),
    ("unknown-model-named", ["unknown.yaml", *GPU, "--model", "Qwen/Qwen2.5-0.5B"], 0),
    ("unknown-model-set", ["unknown.yaml", *GPU, "--set", "model=Qwen/Qwen2.5-0.5B"], 0),
    ("nobodys", ["other.yaml", *GPU], 2),
    ("no-yaml", ["broken.yaml", *GPU], 2),
    ("no-file", ["nothing.yaml", *GPU], 2),
    ("no-notebook", ["nothing.ipynb", *GPU], 2),
    ("companion-alone", ["acc.yaml", *GPU], 3),
    ("own", ["own.yaml", *GPU], 0),
    ("own-and-foreign", ["own.yaml", "fits.yaml", *GPU], 0),
    ("bad-flag", ["fits.yaml", "--gpu", "nothing"], 2),
    ("broken-hides-nothing", ["fits.yaml", "other.yaml", *GPU], 2),
    ("forced", ["fits.yaml", *GPU, "--as", "axolotl"], 0),
    ("forced-wrong", ["fits.yaml", *GPU, "--as", "torchtune"], 3),
    ("forced-own", ["fits.yaml", *GPU, "--as", "scenario"], 2),
]


@pytest.mark.parametrize(("arguments", "code"), [r[1:] for r in CODES], ids=[r[0] for r in CODES])
def test_how_a_call_ends(call, arguments, code):
    found, out, err = call("check", *arguments)
    assert (found, err) == (code, "")
    assert out


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["fits.yaml", "--as", "axolotol"], "Did you mean 'axolotl'?"),
        (["fits.yaml", "--trainer-version", "new"], "--trainer-version new"),
        (["requirements.txt"], "beside the one that pins versions"),
        (["fits.yaml", "--trainer-version", "none.lock"], "no such file"),
    ],
)
def test_a_wrong_call(call, arguments, word):
    code, out, err = call("check", *arguments)
    assert (code, out) == (2, "")
    assert word in err


def test_the_text_says_what_was_recognised_and_where_values_come_from(call):
    _, out, _ = call("check", "fits.yaml", *GPU)
    text = " ".join(out.split())
    assert "read as Axolotl: certain (base_model, datasets" in text
    assert "lora.rank = 16 (4)" in text
    assert "training.sequence_length = 512 (schemas/config.py, sequence_len)" in text
    assert "axolotl: " not in text, "what to type is said in plans only"


def test_the_text_says_what_was_left_open_and_why(call):
    _, out, _ = call("check", "open.yaml", *GPU)
    text = " ".join(out.split())
    assert "open.yaml:6:19: ${mb} is filled in elsewhere, so training.micro_batch_size" in text
    assert "not given, and needed: " in text


def test_a_plan_is_typed_in_the_words_of_the_files_own_trainer(call):
    _, out, _ = call("check", "large.yaml", *GPU)
    assert "# axolotl: " in out
    assert "# llama-factory: " not in out


def test_an_unknown_model_has_its_place_and_names_close_to_it(call):
    _, out, _ = call("check", "unknown.yaml", *GPU)
    assert out.startswith("unknown.yaml:1:13: unknown-name: ")
    assert "Qwen/Qwen2.5-0.5B" in out
    assert "--model NAME" in out


def test_the_languages_say_the_same(call):
    counts = set()
    for language in ("en", "zh"):
        _, out, _ = call("check", "open.yaml", *GPU, "--lang", language)
        counts.add((out.count("!"), out.count("Axolotl")))
    assert len(counts) == 1


def test_the_document_says_the_same(report):
    (found,) = report("fits.yaml", *GPU)["results"]
    read, inputs = found["read"], found["inputs"]
    assert read["trainer"] == "axolotl"
    assert read["sources"][0] | {"known": 1.0} == {
        "file": "fits.yaml", "trainer": "axolotl", "title": "Axolotl", "role": "main",
        "confidence": "certain", "known": 1.0, "others": [],
        "because": ["base_model", "datasets", "adapter", "micro_batch_size"],
    }  # fmt: skip
    assert inputs["lora.rank"]["where"] == {"file": "fits.yaml", "line": 4, "column": 9}
    assert inputs["training.sequence_length"]["origin"] == "trainer"
    assert inputs["training.padding"]["origin"] == "assumed"
    assert read["keys"]["lora.rank"]["key"] == "lora_r"


def test_a_scenario_of_our_own_says_nothing_of_trainers(report):
    (found,) = report("own.yaml", *GPU)["results"]
    assert "read" not in found


# -- versions -------------------------------------------------------------------------------------

VERSIONS = [
    ("newest", [], 2048),
    ("typed", ["--trainer-version", "0.9.0"], 1024),
    ("typed-by-package", ["--trainer-version", "llamafactory==v0.9.0"], 1024),
    ("typed-by-trainer", ["--trainer-version", "llama-factory=0.9.0"], 1024),
    ("of-another", ["--trainer-version", "axolotl==0.1"], 2048),
    ("named-file", ["requirements.txt"], 1024),
    ("version-file", ["--trainer-version", "requirements.txt"], 1024),
    ("typed-over-file", ["requirements.txt", "--trainer-version", "llamafactory==0.9.4"], 2048),
]


@pytest.mark.parametrize(
    ("arguments", "length"), [r[1:] for r in VERSIONS], ids=[r[0] for r in VERSIONS]
)
def test_a_version_decides_what_absence_means(report, arguments, length):
    (found,) = report("lf.yaml", *GPU, *arguments)["results"]
    assert found["inputs"]["training.sequence_length"]["value"] == length


# -- several --------------------------------------------------------------------------------------


def test_files_that_belong_together_are_one_result(report):
    (found,) = report("fits.yaml", "acc.yaml", *GPU)["results"]
    assert [one["file"] for one in found["read"]["sources"]] == ["fits.yaml", "acc.yaml"]
    assert found["inputs"]["hardware.count"]["value"] == 2


def test_a_folder_is_checked_and_what_is_left_is_named(report, folder):
    found = report(".", *GPU)
    names = {one["file"] for one in found["results"]}
    assert names == {"fits.yaml", "large.yaml", "open.yaml", "unknown.yaml", "own.yaml", "lf.yaml"}
    told = {one["code"]: one for one in found["problems"]}
    assert "other.yaml" in told["not-recognised"]["message"]
    assert "acc.yaml" in told["companion"]["message"]
    assert told["yaml"]["where"]["file"] == "broken.yaml"
    assert {one["level"] for one in found["problems"]} == {"warning"}


def test_hidden_folders_and_links_are_not_entered(report, folder):
    for name in (".git", "node_modules", "deep/er"):
        (folder / name).mkdir(parents=True)
        (folder / name / "in.yaml").write_text(AXOLOTL, "utf-8")
    (folder / "linked").symlink_to(folder / "deep", target_is_directory=True)
    files = {one["file"] for one in report(".", *GPU)["results"]}
    assert "deep/er/in.yaml" in files
    assert not any(one.startswith((".git", "node_modules", "linked")) for one in files)


@pytest.mark.parametrize("pattern", ["f*.yaml", "**/fits.yaml", "[f]its.yaml"])
def test_a_pattern_that_no_shell_has_opened(report, pattern):
    assert [one["file"] for one in report(pattern, *GPU)["results"]] == ["fits.yaml"]


EMPTY = [
    ("folder", "empty", "no-file"),
    ("pattern", "empty/*.yaml", "no-file"),
    ("only-others", "others", "nothing-checked"),
    ("only-companions", "parts", "nothing-checked"),
]


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize(("path", "word"), [r[1:] for r in EMPTY], ids=[r[0] for r in EMPTY])
def test_nothing_to_check_is_a_wrong_call_in_every_format(call, folder, form, path, word):
    for name in ("empty", "others", "parts"):
        (folder / name).mkdir()
    (folder / "others" / "a.yaml").write_text(FILES["other.yaml"], "utf-8")
    (folder / "parts" / "a.yaml").write_text(FILES["acc.yaml"], "utf-8")
    code, out, _ = call("check", path, *GPU, "--format", form)
    assert code == 2
    assert word in out


def test_an_empty_folder_does_not_hide_a_good_file(report, folder):
    (folder / "empty").mkdir()
    found = report("fits.yaml", "empty", *GPU)
    assert [one["status"] for one in found["results"]] == ["holds"]
    assert found["summary"]["exit"] == 2


def test_many_files_come_to_what_each_comes_to_alone(report, folder):
    (folder / "many").mkdir()
    for number in range(30):
        (folder / "many" / f"{number:02}.yaml").write_text(
            FILES["large.yaml" if number % 5 else "fits.yaml"], "utf-8"
        )
    many = report("many", *GPU)
    alone = report("many/01.yaml", *GPU)["results"][0]
    assert many["summary"]["files"] == 30
    assert many["results"][1] == alone
    assert many["results"][0]["status"] == "holds"


def test_an_annotation_stands_at_the_line_of_the_trainers_own_file(call):
    _, out, _ = call("check", "large.yaml", *GPU, "--format", "github")
    assert "::error file=large.yaml,line=" in out


# -- explain --------------------------------------------------------------------------------------

EXPLAINED = [
    ("given", ["fits.yaml", "lora.rank"], "(fits.yaml:4:9)"),
    ("trainer", ["fits.yaml", "training.sequence_length"], "the trainer's own"),
    ("formula", ["fits.yaml", "lora.parameters"], "rules/core/memory/adapters.yaml"),
    ("version", ["lf.yaml", "training.sequence_length", "--trainer-version", "0.9.0"], "1,024"),
    ("own", ["own.yaml", "method"], "(own.yaml:1:"),
]


@pytest.mark.parametrize(
    ("arguments", "word"), [r[1:] for r in EXPLAINED], ids=[r[0] for r in EXPLAINED]
)
def test_a_number_of_a_trainers_file_can_be_explained(call, arguments, word):
    code, out, err = call("explain", *arguments)
    assert (code, err) == (0, "")
    assert word in out


@pytest.mark.parametrize("name", ["other.yaml", "broken.yaml", "unknown.yaml", "nothing.yaml"])
def test_what_cannot_be_read_cannot_be_explained(call, name):
    code, out, err = call("explain", name, "memory.need")
    assert (code, out) == (2, "")
    assert err.startswith(f"{name}:")
