"""Folding of names, ambiguity, close names, and broken folders."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from advisor.catalog import AmbiguousName, Catalogue, NotInCatalogue
from advisor.catalog.index import build_index, write_index
from advisor.catalog.names import fold
from advisor.errors import AdvisorError, FileProblems, Span

GPU = """\
catalogue: 1
gpu: {id}
name: {name}
aliases: [{alias}]
verified: true
checked: 2026-11-29
facts:
  memory_marketed: {{value: 24 GiB, source: somewhere}}
prices: {{low: 1 USD/h, likely: 2 USD/h, high: 3 USD/h, as_of: 2026-09-06, source: a list}}
"""


@pytest.fixture
def gpus(tmp_path: Path) -> Catalogue:
    folder = tmp_path / "gpus"
    folder.mkdir()
    for number, memory in ((1, "40"), (2, "80")):
        text = GPU.format(id=f"a100-{memory}", name=f"A100 {memory} GB", alias="A100")
        (folder / f"a100-{number}.yaml").write_text(text, "utf-8")
    write_index(folder)
    return Catalogue(folder, "gpus")


@pytest.mark.parametrize(
    ("name", "kind", "expected"),
    [
        ("NVIDIA GeForce RTX 4090", "gpus", "rtx4090"),
        ("rtx-4090", "gpus", "rtx4090"),
        ("AMD Instinct MI300X", "gpus", "mi300x"),
        ("Tesla V100-SXM2-16GB", "gpus", "v100sxm216gb"),
        ("Quadro", "gpus", "quadro"),
        ("ＲＴＸ　４０９０", "gpus", "rtx4090"),
        ("Qwen/Qwen2.5-7B", "models", "qwenqwen2.57b"),
        ("InternVL3_5-8B", "models", "internvl3.58b"),
        ("nvidia/Nemotron", "models", "nvidianemotron"),
        ("a.b", "models", "ab"),
        ("...", "models", ""),
        ("", "gpus", ""),
    ],
)
def test_folding(name: str, kind: str, expected: str) -> None:
    assert fold(name, kind) == expected


def test_a_name_of_one_entry(gpus: Catalogue) -> None:
    entry = gpus.find("nvidia A100 80GB")
    assert (entry.id, entry.name, entry.path) == ("a100-80", "A100 80 GB", "gpus/a100-2.yaml")
    assert entry.facts["memory_marketed"].value == "24 GiB"
    assert entry.facts["price_likely"].value == "2 USD/h"
    assert entry.facts["price_date"].value == "2026-09-06"
    assert entry.facts["price_low"].checked == "2026-09-06"
    assert str(entry.facts["price_high"].span) == "gpus/a100-2.yaml:9:47"


def test_a_shared_name_is_refused_with_its_candidates(gpus: Catalogue) -> None:
    with pytest.raises(AmbiguousName) as caught:
        gpus.find("a100", Span("run.yaml", 3, 7))
    assert caught.value.candidates == ("a100-40", "a100-80")
    assert str(caught.value.problems[0]) == (
        "run.yaml:3:7: ambiguous-name: 'a100' is the name of more than one GPU."
        " Write a100-40 or a100-80."
    )


def test_an_unknown_name_is_refused_with_close_ones(gpus: Catalogue) -> None:
    with pytest.raises(NotInCatalogue) as caught:
        gpus.find("a10-80")
    assert "a100-80" in caught.value.candidates
    assert "Did you mean a100-80" in str(caught.value)
    with pytest.raises(NotInCatalogue) as caught:
        gpus.find("zzzzzzzz")
    assert caught.value.candidates == ()
    assert "`advisor gpus` lists them" in str(caught.value)


@pytest.mark.parametrize(
    "name",
    ["", " ", "/", "..", "../../etc/passwd", "\x1b[31ma", "a" * 100_000, "\u202ea100-08", "\ud800"],
)
def test_hostile_names_are_only_unknown(gpus: Catalogue, name: str) -> None:
    with pytest.raises(AdvisorError) as caught:
        gpus.find(name)
    shown = str(caught.value)
    assert len(shown) < 400
    assert "\x1b" not in shown and "\u202e" not in shown


def test_all_entries(gpus: Catalogue) -> None:
    assert [entry.id for entry in gpus.entries()] == ["a100-40", "a100-80"] == gpus.ids()


def test_the_index_is_plain_sorted_json(gpus: Catalogue) -> None:
    index = json.loads(build_index(gpus.folder))
    assert index == {
        "names": {"a100": ["a100-40", "a100-80"], "a10040": ["a100-40"],
                  "a10040gb": ["a100-40"], "a10080": ["a100-80"], "a10080gb": ["a100-80"]},
        "files": {"a100-40": "a100-1.yaml", "a100-80": "a100-2.yaml"},
    }  # fmt: skip
    assert not write_index(gpus.folder)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "not json", '{"names": [], "files": 1}', "[" * 100_000, '{"names": 1}']
)
def test_a_broken_index_says_how_to_write_it_anew(gpus: Catalogue, text: str) -> None:
    (gpus.folder / "index.json").write_text(text, "utf-8")
    with pytest.raises(FileProblems, match=r"gpus/index.json: index: .*advisor.catalog.index"):
        gpus.find("a100-40")


def test_a_missing_index_or_file_is_located(gpus: Catalogue) -> None:
    (gpus.folder / "a100-1.yaml").unlink()
    with pytest.raises(FileProblems, match=r"gpus/a100-1.yaml: no-file"):
        gpus.find("a100-40")
    (gpus.folder / "index.json").unlink()
    with pytest.raises(FileProblems, match=r"gpus/index.json: no-file"):
        gpus.find("a100-40")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("source: somewhere", "", "8:20: catalogue: 'source' is missing"),
        ("value: 24 GiB", "value: [24]", "'value' must be one value"),
        ("memory_marketed", "Memory", "no name of a fact"),
        ("{value: 24 GiB, source: somewhere}", "24 GiB", "must be {value: …, source: …}"),
        ("verified: true", "verified: yes", "'verified' must be true or false"),
        ("likely", "likley", "Did you mean 'likely'?"),
        ("gpu: a100-40", "card: a100-40", "'gpu' is missing"),
        ("as_of: 2026-09-06", "as_of: soon", "'as_of' must be a date"),
    ],
)
def test_a_wrong_gpu_file_says_where(gpus: Catalogue, old: str, new: str, expected: str) -> None:
    path = gpus.folder / "a100-1.yaml"
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")
    with pytest.raises(FileProblems) as caught:
        gpus.find("a100-40")
    assert expected in str(caught.value)
    assert "gpus/a100-1.yaml:" in str(caught.value)


def test_several_problems_are_told_at_once(gpus: Catalogue) -> None:
    path = gpus.folder / "a100-1.yaml"
    text = path.read_text("utf-8").replace("verified: true", "verified: 1")
    path.write_text(text.replace("as_of: 2026-09-06", "as_of: soon, when: now"), "utf-8")
    with pytest.raises(FileProblems) as caught:
        gpus.find("a100-40")
    assert len(caught.value.problems) >= 3
