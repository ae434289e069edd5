"""The JSON Schemas against what the program writes and reads: both must accept the same files."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator

from advisor import schemas
from advisor.catalog.folder import entry_names, read_entry
from advisor.cli.app import run
from advisor.errors import AdvisorError, Level
from advisor.ladder import SkipReason
from advisor.project import open_project
from advisor.report.scenario_schema import scenario_schema_text
from advisor.rulebook.model import Level3
from advisor.scenario import OriginKind
from advisor.source import Document, read_file, read_text
from advisor.verdict import OutcomeState, State
from tests.support import ROOT, TODAY

SCHEMAS = sorted(Path(schemas.__file__).parent.glob("*.schema.json"))
FILES = {
    "gpu": sorted((ROOT / "gpus").glob("*.yaml")),
    "model": sorted((ROOT / "models").glob("*.yaml")),
}


@cache
def project():
    return open_project([], TODAY)


def complaints(name: str, data: Any) -> list[str]:
    validator = Draft202012Validator(schemas.load(name))
    return [f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(data)]


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.name)
def test_every_schema_is_one(path):
    schema = json.loads(path.read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    assert schema["title"].startswith("advisor ")


# -- catalogue files ----------------------------------------------------------------------------


def read_all(kind: str, document: Document) -> None:
    """Read every entry of a catalogue file, as the program does."""
    for identifier in entry_names(document, kind + "s"):
        read_entry(document, kind + "s", identifier)


@pytest.mark.parametrize("kind", FILES)
def test_every_shipped_catalogue_file_is_valid(kind):
    assert len(FILES[kind]) > 40
    found = {path.name: complaints(kind, read_file(path, path.name).data) for path in FILES[kind]}
    assert not {name: lines for name, lines in found.items() if lines}


GPU = """
catalogue: 1
gpu: card
name: Card
aliases: [the card, 4090]
verified: false
checked: 2026-11-29
facts:
  vendor: {value: nvidia, source: recalled}
  bf16: {value: true, source: recalled, checked: 2026-11-01}
  memory_marketed: {value: 24 GiB, source: recalled}
prices: {low: 1, likely: 2.5, high: 3, providers: 2, spot: 0.5, as_of: 2026-11-29, source: recalled}
"""
MODEL = """
catalogue: 1
family: Family
checked: 2026-11-29
models:
  us/our-7b:
    aliases: [our-7b]
    shape: {layers: 32, hidden_size: 4096, tied_embeddings: false}
    parameters: 7000000000
    context_length: 4096
    license: apache-2.0
    source: recalled
    confidence: recalled
    note: A note.
"""
COUNTED = """
catalogue: 1
family: Qwen2.5
checked: 2026-11-29
models:
  us/our-0.5b:
    architecture: Qwen2ForCausalLM
    config:
      {hidden_size: 896, num_hidden_layers: 24, num_attention_heads: 14, num_key_value_heads: 2,
       intermediate_size: 4864, vocab_size: 151936, tie_word_embeddings: true}
    parameters: 494032768
    license: apache-2.0
    source: recalled
    confidence: read
"""
SAME = "nothing is changed"
# kind, the file, what is replaced, by what, and whether the file is still one
CATALOGUE_FILES = [
    ("gpu", GPU, SAME, SAME, True),
    ("gpu", GPU, "aliases: [the card, 4090]", "aliases: []", True),
    ("gpu", GPU, "prices: {low", "prices: {lower: 1, low", False),
    ("gpu", GPU, ", as_of: 2026-11-29", "", False),
    ("gpu", GPU, "as_of: 2026-11-29", "as_of: lately", False),
    ("gpu", GPU, "catalogue: 1", "catalogue: 2", False),
    ("gpu", GPU, "catalogue: 1\n", "", False),
    ("gpu", GPU, "gpu: card\n", "", False),
    ("gpu", GPU, "gpu: card", "gpu: [card]", False),
    ("gpu", GPU, "aliases: [the card, 4090]", "aliases: the card", False),
    ("gpu", GPU, "[the card, 4090]", "[the card, {size: 4090}]", False),
    ("gpu", GPU, "verified: false", "verified: 'no'", False),
    ("gpu", GPU, "checked: 2026-11-29\nfacts", "checked: 29.11.2026\nfacts", False),
    ("gpu", GPU, "name: Card", "name: Card\ncolour: red", False),
    ("gpu", GPU, "name: Card", "name: ''", False),
    ("gpu", GPU, "{value: nvidia, source: recalled}", "nvidia", False),
    ("gpu", GPU, "{value: nvidia, source: recalled}", "{value: nvidia}", False),
    ("gpu", GPU, "{value: nvidia,", "{value: [nvidia],", False),
    ("gpu", GPU, "{value: nvidia,", "{value: null,", False),
    ("gpu", GPU, "  vendor:", "  Vendor:", False),
    ("gpu", GPU, "recalled, checked: 2026-11-01", "recalled, seen: 2026-11-01", False),
    ("model", MODEL, SAME, SAME, True),
    ("model", COUNTED, SAME, SAME, True),
    ("model", MODEL, "    note: A note.\n", "", True),
    ("model", MODEL, "    context_length: 4096\n", "", True),
    ("model", MODEL, "family: Family\n", "", False),
    ("model", MODEL, "checked: 2026-11-29", "checked: today", False),
    ("model", MODEL, "    license: apache-2.0\n", "", False),
    ("model", MODEL, "    parameters: 7000000000\n", "", False),
    ("model", MODEL, "parameters: 7000000000", "parameters: [7, 1]", False),
    ("model", MODEL, "confidence: recalled", "confidence: sure", False),
    ("model", MODEL, "shape: {layers", "shape: {storeys: 1, layers", False),
    ("model", MODEL, "layers: 32", "layers: {each: 32}", False),
    ("model", MODEL, "    note: A note.", "    price: 1", False),
    ("model", MODEL, "aliases: [our-7b]", "aliases: our-7b", False),
    ("model", COUNTED, "    architecture: Qwen2ForCausalLM\n", "", False),
    ("model", COUNTED, "    architecture: Qwen2ForCausalLM", "    shape: {layers: 24}", False),
    ("model", COUNTED, "    architecture:", "    shape: {layers: 24}\n    architecture:", False),
    ("model", COUNTED, "    config:\n", "    config: none\n    note:\n", False),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "text", "old", "new", "valid"),
    CATALOGUE_FILES,
    ids=[f"{row[0]}-{row[2]}-{row[3]}".replace("\n", " ") for row in CATALOGUE_FILES],
)
def test_reader_and_schema_of_a_catalogue_agree(kind, text, old, new, valid):
    assert old == SAME or text.count(old) == 1, "the row changes exactly one place"
    document = read_text(text.replace(old, new), "one.yaml")
    assert bool(complaints(kind, document.data)) is not valid
    if valid:
        read_all(kind, document)
        return
    with pytest.raises(AdvisorError):
        read_all(kind, document)


# -- scenarios ----------------------------------------------------------------------------------


def test_the_scenario_schema_is_what_the_inputs_say():
    path = ROOT / "advisor" / "schemas" / "scenario.schema.json"
    assert path.read_text("utf-8") == scenario_schema_text(project().book), (
        "write it anew: python -m tests.docs"
    )


SCENARIOS = [
    ("nested", "training: {micro_batch_size: 4}", True),
    ("dotted", "training.micro_batch_size: 4", True),
    ("half-dotted", "data: {tokens.mean: 512}", True),
    ("quantity", "budget: {time: 6 h, cost: 20 USD}", True),
    ("whole-number-as-a-float", "hardware: {count: 2.0}", True),
    ("enum", "method: qlora", True),
    ("one-word-of-a-set", "lora: {target_modules: all-linear}", True),
    ("words-of-a-set", "lora: {target_modules: [q, v]}", True),
    ("inline-model", "model: {parameters: 7e9, layers: 28, hidden_size: 3584}", True),
    ("inline-gpu", "hardware: {gpu: {memory_marketed: 24 GiB}}", True),
    ("keep", "keep: [method, training.sequence_length]", True),
    ("empty-keep", "{method: lora, keep: []}", True),
    ("assumed", "{method: lora, assumed: [method, training.sequence_length]}", True),
    ("unknown-group", "trainer: {micro_batch_size: 4}", False),
    ("unknown-key", "training: {micro_batch: 4}", False),
    ("unknown-dotted", "training.micro_batch: 4", False),
    ("unknown-model-fact", "model: {size: 7e9}", False),
    ("text-for-a-number", "training: {micro_batch_size: four}", False),
    ("truth-for-a-number", "training: {micro_batch_size: true}", False),
    ("half-a-sample", "training: {micro_batch_size: 1.5}", False),
    ("below-the-range", "training: {micro_batch_size: 0}", False),
    ("above-the-range", "hardware: {count: 1e9}", False),
    ("number-for-a-truth", "training: {packing: 1}", False),
    ("old-truth", "training: {packing: yes}", False),
    ("no-choice", "method: qlroa", False),
    ("no-word-of-the-set", "lora: {target_modules: [q, x]}", False),
    ("list-for-a-number", "training: {micro_batch_size: [4]}", False),
    ("nothing-given", "method:", False),
    ("group-as-a-value", "training: 4", False),
    ("value-as-a-group", "method: {lora: 1}", False),
    ("keep-no-list", "keep: method", False),
    ("keep-no-input", "keep: [methods]", False),
    ("assumed-no-list", "assumed: method", False),
    ("assumed-no-input", "assumed: [methods]", False),
    ("list", "[method]", False),
]


@pytest.mark.parametrize(
    ("text", "valid"), [row[1:] for row in SCENARIOS], ids=[row[0] for row in SCENARIOS]
)
def test_reader_and_schema_of_scenarios_agree(text, valid):
    document = read_text(text, "run.yaml")
    assert bool(complaints("scenario", document.data)) is not valid
    if valid:
        project().reader().build(document, None)
        return
    with pytest.raises(AdvisorError):
        project().reader().build(document, None)


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.yaml")), ids=lambda p: p.name)
def test_every_shipped_scenario_is_valid(path):
    assert complaints("scenario", read_file(path, path.name).data) == []


# -- the JSON report ----------------------------------------------------------------------------

FITS = (
    "{model: Qwen/Qwen2.5-0.5B, method: lora, hardware: {gpu: A100 SXM 80GB}, data: {samples: 500}}"
)
FAILS = (
    "{model: Qwen/Qwen2.5-7B, method: full, hardware: {gpu: RTX 4090}, training: {packing: true}}"
)
STUCK = FAILS.replace("method: full", "method: full, keep: [method, hardware.count]")
QLORA = "{model: Qwen/Qwen2.5-14B, method: qlora, hardware: {gpu: RTX 3060, count: 2}}"
OPEN = "{model: {parameters: 7e9}, method: lora, hardware: {gpu: RTX 4090}}"
BROKEN = "{model: Qwen/Qwen2.5-7B, method: qlroa}"
LAYER = """
language: 1
layer: team
policies:
  small-models: {level: deny, require: model.parameters <= 1e9, message: "{model.parameters}!"}
patch: {policies.effective-batch.level: {value: info, reason: we know}}
disable: {policies.epochs: {reason: we know}}
"""
# id, the scenario files, further arguments, the exit code, the states of the results
REPORTS: list[tuple[str, list[str], list[str], int, list[str]]] = [
    ("fits", [FITS], [], 0, ["holds"]),
    ("does-not-fit", [FAILS], [], 1, ["fails"]),
    ("no-way-out", [STUCK], [], 1, ["fails"]),
    ("qlora-on-two-cards", [QLORA], [], -1, []),
    ("undecided", [OPEN], [], 3, ["undecided"]),
    ("broken", [BROKEN], [], 2, ["broken"]),
    ("empty-file", [""], [], 2, ["broken"]),
    ("several", [FITS, BROKEN, FAILS, OPEN], [], 2, ["holds", "broken", "fails", "undecided"]),
    ("overridden", [FAILS], ["--set", "method=lora", "--gpus", "2"], -1, []),
    ("with-a-layer", [FITS, FAILS], ["--rules", "layer.yaml"], -1, []),
    ("napkin", [FITS], ["--rules", str(ROOT / "rules" / "napkin")], -1, []),
    ("chinese", [FAILS, BROKEN], ["--lang", "zh"], 2, ["fails", "broken"]),
    ("warnings-fail", [FITS], ["--fail-on", "warn", "--today", "2030-01-01"], 1, ["fails"]),
    ("no-such-rules", [FITS], ["--rules", "nowhere"], 2, []),
    ("no-files", [], [], 2, []),
    ("bad-day", [FITS], ["--today", "soon"], 2, []),
    ("bad-setting", [FITS], ["--set", "method"], 2, []),
]


@pytest.mark.parametrize(
    ("texts", "arguments", "code", "states"),
    [row[1:] for row in REPORTS],
    ids=[row[0] for row in REPORTS],
)
def test_every_json_report_is_valid(tmp_path, monkeypatch, capsys, texts, arguments, code, states):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "layer.yaml").write_text(LAYER, "utf-8")
    files = [f"run{number}.yaml" for number, _ in enumerate(texts)]
    for file, text in zip(files, texts, strict=True):
        (tmp_path / file).write_text(text, "utf-8")
    found = run(["check", *files, "--format", "json", "--today", "2026-11-29", *arguments])
    written = capsys.readouterr()
    report = json.loads(written.out)
    assert complaints("check", report) == []
    assert written.err == ""
    assert report["summary"]["exit"] == found
    assert code in (-1, found)
    if states:
        assert [one["status"] for one in report["results"]] == states
        assert [one["file"] for one in report["results"]] == files
    nothing_checked = report["rules"] is None
    assert bool(report["problems"]) is nothing_checked
    assert nothing_checked or len(report["results"]) == len(texts)


def test_a_report_says_what_a_layer_changed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "layer.yaml").write_text(LAYER, "utf-8")
    (tmp_path / "run.yaml").write_text(FITS, "utf-8")
    run(["check", "run.yaml", "--format", "json", "--rules", "layer.yaml"])
    report = json.loads(capsys.readouterr().out)
    changes = {one["target"]: one for one in report["rules"]["changes"]}
    assert report["rules"]["layers"] == ["core", "team"]
    assert changes["policies.effective-batch.level"]["weakens"] is True
    assert changes["policies.epochs"]["action"] == "disable"
    names = {one["name"]: one for one in report["results"][0]["policies"]}
    assert names["small-models"]["layer"] == "team"
    assert "epochs" not in names


@pytest.mark.parametrize(
    ("part", "key", "words"),
    [
        ("result", "verdict", State),
        ("answer", "state", State),
        ("plan", "verdict", State),
        ("policy", "state", OutcomeState),
        ("policy", "level", Level3),
        ("skipped", "reason", SkipReason),
        ("input", "origin", OriginKind),
        ("problem", "level", Level),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_the_words_of_a_report_are_the_program_s(part, key, words):
    shape = schemas.load("check")["$defs"][part]["properties"][key]
    assert shape["enum"] == list(get_args(words))


BAD_REPORTS = [
    ("no-format", lambda report: report.pop("format")),
    ("other-format", lambda report: report.update(format=2)),
    ("unknown-key", lambda report: report.update(verdict="fits")),
    ("exit-code-of-a-bug", lambda report: report["summary"].update(exit=4)),
    ("state", lambda report: report["results"][0].update(status="passes")),
    ("verdict-alone", lambda report: report["results"][0].pop("answers")),
    ("text-for-a-number", lambda r: r["results"][0]["answers"]["memory"].update(likely="14 GiB")),
    ("policy-without-place", lambda report: report["results"][0]["policies"][0].pop("where")),
    ("input-without-origin", lambda r: r["results"][0]["inputs"]["method"].update(origin="")),
]


@pytest.mark.parametrize("spoil", [row[1] for row in BAD_REPORTS], ids=[r[0] for r in BAD_REPORTS])
def test_the_report_schema_refuses(tmp_path, monkeypatch, capsys, spoil):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.yaml").write_text(FITS, "utf-8")
    run(["check", "run.yaml", "--format", "json", "--today", "2026-11-29"])
    report = json.loads(capsys.readouterr().out)
    assert complaints("check", report) == []
    spoil(report)
    assert complaints("check", report)
