"""Every bar holds, or is no further away than it was; no row is left out in silence."""

from __future__ import annotations

import csv

import pytest

from advisor.accuracy import Skipped
from tests.accuracy.bars import DATA, FILES, accuracy, bars, rows
from tests.accuracy.table import README, renewed

BARS = bars()


@pytest.mark.parametrize("bar", BARS, ids=[f"{one.what}: {one.figure}" for one in BARS])
def test_bar(bar):
    value = bar.value()
    if bar.present is None:
        assert bar.reached(value), f"{value:.4f}"
    else:
        assert not bar.reached(value), "reached: drop its present: and cause:"
        assert bar.as_good_as_before(value), f"{value:.4f}, was {bar.present:.4f}"
        assert bar.cause


@pytest.mark.parametrize("file", FILES)
def test_every_row_is_predicted(file):
    with (DATA / file).open(encoding="utf-8", newline="") as stream:
        count = sum(1 for _ in csv.DictReader(stream))
    found = accuracy(file)
    assert found.skipped == ()
    ids = [one.id for one in found.rows]
    assert len(set(ids)) == count
    if file != "measured_runs.csv":
        assert len(ids) == count


def test_every_measured_figure_is_predicted():
    with (DATA / "measured_runs.csv").open(encoding="utf-8", newline="") as stream:
        runs = list(csv.DictReader(stream))
    found = {(one.id, one.quantity) for one in accuracy("measured_runs.csv").rows}
    for run in runs:
        assert (run["id"], "verdict") in found
        if run["peak_gib"]:
            assert (run["id"], run["peak_kind"]) in found
        if run["tokens_per_s_gpu"] or run["seconds_per_step"]:
            assert (run["id"], "seconds_per_step") in found
        if run["device_gib"] and run["oom"] == "no":
            assert (run["id"], "device") in found


def test_a_skipped_thing_has_a_reason():
    assert Skipped("x", "why").reason


def test_the_table_of_the_readme_is_what_the_rules_reach_now():
    text = README.read_text("utf-8")
    assert renewed(text) == text, "python -m tests.accuracy --write"


def test_groups_hold_what_their_names_say():
    for one in rows("allocated: one GPU, transformers"):
        assert one.cells["framework"] in ("hf", "ms-swift")
        assert one.cells["loss"] == "full"
        assert one.cells["strategy"] == "single"
        assert not one.cells["weights"].startswith("gptq")
    for one in rows("traced, llama-like"):
        assert one.cells["attention"] != "sdpa-mask"
        assert one.cells["model"].startswith(("llama", "tinyllama", "qwen2.5", "qwen3", "mistral"))
        assert "a3b" not in one.cells["model"]
        assert one.cells["qprep"] != "kbit" or one.cells["precision"].endswith("+amp")
