"""Every bar holds, or is no further away than it was; no row is left out in silence."""

from __future__ import annotations

import csv

import pytest

from tests.accuracy.bars import DATA, FILES, accuracy, bars, rows, unmet
from tests.accuracy.table import READMES, renewed

BARS = bars()
AGAIN = "python -m tests.accuracy --write"


@pytest.mark.parametrize("bar", BARS, ids=[one.name for one in BARS])
def test_a_bar_is_reached_or_no_further_away_than_it_was(bar):
    value, known = bar.value(), unmet().get(bar.name)
    if known is None:
        assert bar.reached(value), f"{value:.4f}"
    else:
        assert not bar.reached(value), f"reached: {AGAIN}"
        assert bar.reached(value, known.present), f"{value:.4f}, was {known.present:.4f}"
        assert len(known.cause) > 20


def test_what_is_not_reached_is_a_bar():
    assert set(unmet()) <= {one.name for one in BARS}


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


@pytest.mark.parametrize("language", READMES)
def test_the_table_of_the_readme_is_what_the_rules_reach_now(language):
    text = READMES[language].read_text("utf-8")
    assert renewed(text, language) == text, AGAIN


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
