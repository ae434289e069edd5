"""Tables of measured runs: what is read, what is refused, and what is said about the rest."""

from __future__ import annotations

import csv
import io
import json
import time
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from advisor import schemas
from advisor.accuracy import Accuracy, Figures, Judged, Prediction, VerdictFigures, measure
from advisor.accuracy import table as table_module
from advisor.accuracy.figures import figures
from advisor.accuracy.shape import Shape, When, read_shapes, recognised
from advisor.accuracy.table import read_table
from advisor.cli.app import run
from advisor.errors import BadCall, FileProblems, Span
from advisor.project import open_project
from advisor.report.accuracy_json import accuracy_json
from advisor.report.accuracy_text import accuracy_text
from advisor.source import read_file
from tests.support import ROOT, TODAY

RUNS = ROOT / "rules/runs"
RUN = {
    "id": "a", "model": "mistralai/Mistral-7B-v0.1", "method": "lora", "weights": "bf16",
    "rank": "16", "targets": "q,k,v,o", "optimizer": "adamw", "batch": "4", "accumulate": "1",
    "sequence": "4096", "checkpointing": "yes", "attention": "flash", "loss": "full",
    "framework": "hf", "strategy": "single", "offload": "no", "gpus": "1", "gpu": "a100-80gb",
    "peak_gib": "24.9", "peak_kind": "allocated", "tokens_per_s_gpu": "3324", "oom": "no",
    "note": "(none); bf16 pure; packed",
}  # fmt: skip
TRACE = {
    "model": "llama-2-7b", "method": "lora", "rank": "16", "targets": "all-linear",
    "dropout": "0.0", "batch": "1", "seq": "512", "ckpt": "1", "attention": "sdpa-flash",
    "precision": "bf16", "optimizer": "adamw_fused", "qprep": "", "grad_accum": "0",
    "bytes_peak_total": "14056186120",
}  # fmt: skip
COUNT = {
    "model": "llama-2-7b", "method": "full", "rank": "", "batch": "1", "seq": "512", "ckpt": "0",
    "attention": "flash", "flops_total": "20942797406208",
}  # fmt: skip


@cache
def project():
    return open_project([], TODAY)


def text_of(*rows: dict[str, str]) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


@pytest.fixture
def measured(tmp_path):
    """Measures a text, bytes or rows as a file."""

    def go(data, by=""):
        path = tmp_path / "runs.csv"
        text = data if isinstance(data, str | bytes) else text_of(*data)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return measure(project(), path, "runs.csv", by)

    return go


def one(found: Accuracy, quantity: str) -> Any:
    (only,) = [row for row in found.rows if row.quantity == quantity]
    return only


# -- the three shapes -----------------------------------------------------------------------------


def test_a_measured_run_gives_memory_time_and_a_verdict(measured):
    found = measured([RUN])
    assert found.shape == "measured-runs"
    assert [row.quantity for row in found.rows] == ["allocated", "seconds_per_step", "verdict"]
    assert found.skipped == ()
    memory, seconds = one(found, "allocated"), one(found, "seconds_per_step")
    assert memory.measured == 24.9
    assert memory.source == "memory.peak"
    assert memory.low <= memory.predicted <= memory.high
    assert 20 < memory.predicted < 30
    assert seconds.measured == pytest.approx(4 * 4096 / 3324)
    assert one(found, "verdict").measured == "ran"
    assert one(found, "verdict").predicted == "fits"


def test_a_speed_becomes_the_time_of_a_whole_step(measured):
    found = measured([{**RUN, "accumulate": "8", "gpus": "2", "strategy": "ddp"}])
    assert one(found, "seconds_per_step").measured == pytest.approx(8 * 4 * 4096 / 3324)


@pytest.mark.parametrize(
    ("note", "step"),
    [("role=calibration; device_gib is process", 16.0), ("HF Trainer + PEFT (finetune.py)", 2.0)],
)
def test_seconds_are_those_of_a_micro_batch_only_where_the_source_says_so(measured, note, step):
    row = {**RUN, "accumulate": "8", "note": note, "tokens_per_s_gpu": "", "seconds_per_step": "2"}
    assert one(measured([row]), "seconds_per_step").measured == step


@pytest.mark.parametrize(
    ("kind", "source"),
    [("allocated", "memory.peak"), ("reserved", "memory.reserved"), ("unknown", "memory.device")],
)
def test_each_kind_of_peak_is_held_against_its_own_formula(measured, kind, source):
    assert one(measured([{**RUN, "peak_kind": kind}]), kind).source == source


def test_a_run_that_failed_has_a_verdict_and_nothing_else(measured):
    row = {
        **RUN, "oom": "yes", "peak_gib": "", "tokens_per_s_gpu": "", "batch": "64",
        "peak_kind": "unknown", "device_gib": "79.1",
    }  # fmt: skip
    found = measured([row])
    assert found.rows == (one(found, "verdict"),)
    assert one(found, "verdict")[2:4] == ("oom", "does not fit")


def test_a_traced_step_is_exact(measured):
    found = measured([TRACE])
    (row,) = found.rows
    assert (row.id, row.quantity, row.unit) == ("1", "requested", "GiB")
    assert row.measured == 14056186120 / 2**30
    assert abs(row.error) < 0.001


def test_counted_operations_are_exact(measured):
    (row,) = measured([COUNT]).rows
    assert (row.quantity, row.measured) == ("flops", 20942797406208)
    assert abs(row.error) < 0.01


def test_an_id_column_names_the_rows_of_every_shape(measured):
    assert measured([{**TRACE, "id": "t-1"}]).rows[0].id == "t-1"


# -- what is not used is said ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"model": "nobody/nothing-7b"}, "no model is called 'nobody/nothing-7b'"),
        ({"model": "qwen"}, "is the name of more than one model"),
        ({"model": "x" * 100_000}, "'model' is longer than 200 characters"),
        ({"model": "../../etc/passwd.json"}, "a path is not allowed here"),
        ({"gpu": "gtx-950"}, "no GPU is called 'gtx-950'"),
        ({"framework": "megatron"}, "'training.framework' cannot be 'megatron'"),
        ({"targets": "q,k,zz"}, "'targets' is 'zz', not one of: "),
        ({"method": "dora"}, "'method' cannot be 'dora'"),
        ({"batch": "-4"}, "'training.micro_batch_size' is -4, outside 1 .. 4096"),
        ({"batch": "nan"}, "'training.micro_batch_size' needs a number"),
        ({"batch": "=1+3"}, "'training.micro_batch_size' needs a number"),
        ({"batch": "1e999"}, "is not a finite number"),
        ({"batch": "2.5"}, "needs a whole number"),
        ({"sequence": "4096 GiB"}, "is a plain number, not GiB"),
        ({"checkpointing": "maybe"}, "'checkpointing' is 'maybe', not one of: yes, no"),
        ({"peak_gib": "", "tokens_per_s_gpu": "", "oom": ""}, "nothing was measured in this row"),
    ],
)
def test_a_row_that_cannot_be_used_is_listed_with_its_reason(measured, changes, reason):
    found = measured([{**RUN, **changes}, {**RUN, "id": "b"}])
    assert {row.id for row in found.rows} == {"b"}
    ((name, said),) = found.skipped
    assert name == "a"
    assert reason in said
    assert len(said) < 1500


@pytest.mark.parametrize("cell", ["nan", "inf", "-3", "0", "=A1", "24,9", "1e999", "24.9 s", "x"])
def test_a_figure_that_is_none_costs_only_itself(measured, cell):
    found = measured([{**RUN, "peak_gib": cell}])
    assert [row.quantity for row in found.rows] == ["seconds_per_step", "verdict"]
    ((name, said),) = found.skipped
    assert name == "a"
    assert said.startswith("allocated: ")


def test_an_unknown_verdict_word_costs_only_the_verdict(measured):
    found = measured([{**RUN, "oom": "perhaps"}])
    assert [row.quantity for row in found.rows] == ["allocated", "seconds_per_step"]
    assert "not one of: yes, no" in found.skipped[0].reason


def test_a_run_on_no_card_has_memory_but_no_verdict(measured):
    found = measured([{**RUN, "gpu": ""}])
    assert [row.quantity for row in found.rows] == ["allocated"]
    assert len(found.skipped) == 2
    assert all("the row does not say hardware.gpu" in one.reason for one in found.skipped)


def test_an_unknown_column_is_listed_and_a_known_unused_one_is_not(measured):
    found = measured([{**RUN, "source": "somewhere", "weather": "fine"}])
    ((name, reason),) = found.skipped
    assert name == "column weather"
    assert "not read" in reason


def test_rows_of_another_length_are_listed(measured):
    text = text_of(RUN) + "b,too,short\n" + text_of({**RUN, "id": "c"}).splitlines()[1] + ",more\n"
    found = measured(text)
    assert {row.id for row in found.rows} == {"a"}
    assert [one.id for one in found.skipped] == ["2", "3"]
    assert "line 3 has 3 cells" in found.skipped[0].reason


def test_several_things_wrong_in_one_row_are_said_together(measured):
    (only,) = measured([{**RUN, "batch": "none", "rank": "-1"}]).skipped
    assert "training.micro_batch_size" in only.reason
    assert "lora.rank" in only.reason


def test_control_characters_stay_out_of_reports(measured):
    found = measured([{**RUN, "id": "\x1b[31mred", "model": "\x1b[2J"}])
    assert "\x1b" not in repr(found.skipped) + accuracy_text(found, "en")


# -- files that are no table ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b"", "empty", 1),
        (b"\n\n\r\n", "empty", 1),
        (b"\xff\xfe\x00", "not-utf-8", 1),
        (text_of(RUN).encode() + b"caf\xe9\n", "not-utf-8", 3),
        (text_of(RUN).encode() + b"x\0y\n", "not-csv", 3),
        (text_of(RUN).replace("\r\na,", '\r\n"a,'), "not-csv", 2),
        (text_of(RUN) + '"a"b,c\n', "not-csv", 3),
        (text_of(RUN) + "x" * 200_000 + "\n", "not-csv", 3),
        ("model,method,model\na,b,c\n", "duplicate-key", 1),
        ("model,,method\na,b,c\n", "not-csv", 1),
        (",".join(f"c{n}" for n in range(600)) + "\n", "too-large", 1),
        ("a,b\n1,2\n", "unknown-table", 1),
        (text_of({key: RUN[key] for key in RUN if key != "oom"}), "unknown-table", 1),
        ("%PDF-1.7\n", "unknown-table", 1),
    ],
)
def test_what_is_no_table_is_refused_with_its_place(measured, data, code, line):
    with pytest.raises(FileProblems) as caught:
        measured(data)
    first = caught.value.problems[0]
    assert first.code == code
    assert first.where is not None
    assert (first.where.file, first.where.line) == ("runs.csv", line)


def test_a_table_that_lacks_a_column_is_told_which(measured):
    with pytest.raises(FileProblems, match="most like measured-runs, which needs also: oom"):
        measured([{key: RUN[key] for key in RUN if key != "oom"}])


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    for path, code in ((tmp_path / "no.csv", "no-file"), (tmp_path, "not-a-file")):
        with pytest.raises(FileProblems) as caught:
            measure(project(), path, str(path))
        assert caught.value.problems[0].code == code


def test_a_million_rows_are_refused_soon(measured):
    text = text_of(COUNT)
    row = text.splitlines()[1]
    started = time.perf_counter()
    with pytest.raises(FileProblems) as caught:
        measured(text + f"{row}\n" * 700_000)
    assert caught.value.problems[0].code in ("too-large",)
    assert time.perf_counter() - started < 5


def test_the_number_of_rows_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(table_module, "MAX_ROWS", 3)
    path = tmp_path / "runs.csv"
    path.write_text("a\n1\n2\n3\n", "utf-8")
    assert len(read_table(path, "runs.csv").rows) == 3
    path.write_text("a\n1\n2\n3\n4\n", "utf-8")
    with pytest.raises(FileProblems) as caught:
        read_table(path, "runs.csv")
    assert caught.value.problems[0].where == Span("runs.csv", 5, 1)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_a_byte_order_mark_do_not_matter(measured, newline, mark):
    plain = measured([RUN])
    text = mark + text_of(RUN).replace("\r\n", newline) + newline
    assert measured(text.encode()).rows == plain.rows


def test_blanks_and_quotes_around_cells_do_not_matter(measured):
    text = text_of({key: f" {value} " for key, value in RUN.items()})
    assert measured(text).rows[0].predicted == measured([RUN]).rows[0].predicted
    quoted = io.StringIO()
    writer = csv.writer(quoted, quoting=csv.QUOTE_ALL)
    writer.writerows([RUN.keys(), RUN.values()])
    assert measured(quoted.getvalue()).rows == measured([RUN]).rows


def test_a_cell_may_hold_a_line_end_and_later_lines_keep_their_numbers(measured):
    text = text_of({**RUN, "note": "two\nlines"}) + "short\n"
    found = measured(text)
    assert found.rows
    assert "line 4 has 1 cells" in found.skipped[0].reason


# -- figures --------------------------------------------------------------------------------------


def predicted(error: float, low: float = 0.5, high: float = 2.0) -> Prediction:
    value = 10 * (1 + error)
    return Prediction(
        "x", "allocated", 10.0, value * low, value, value * high, "memory.peak", "GiB", "g", {}
    )


def test_figures_of_a_group():
    errors = [-0.2, -0.06, -0.01, 0.0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.5]
    (found,) = figures(map(predicted, errors), lambda one: one.group)
    assert isinstance(found, Figures)
    assert (found.group, found.quantity, found.rows) == ("g", "allocated", 10)
    assert found.median == pytest.approx(0.035)
    assert found.p90 == pytest.approx(0.2), "nine of ten lie within it"
    assert found.worst == pytest.approx(0.5)
    assert found.bias == pytest.approx(0.038)
    assert found.under == 2
    assert found.lowest == pytest.approx(-0.2)
    assert found.covered == 1
    assert found.width == pytest.approx(0.75)


def test_coverage_counts_only_what_lies_in_the_band():
    rows = [predicted(0.3, 0.9, 1.1), predicted(0.0, 1, 1), predicted(-0.3, 0.9, 1.1)]
    (found,) = figures(rows, lambda one: "all")
    assert isinstance(found, Figures)
    assert found.covered == pytest.approx(1 / 3)
    assert found.lowest == pytest.approx(-0.3)


def test_figures_of_one_prediction_that_is_too_high():
    (found,) = figures([predicted(0.1)], lambda one: "all")
    assert isinstance(found, Figures)
    assert (found.rows, found.under, found.lowest) == (1, 0, 0.0)


def test_figures_of_verdicts():
    said = [
        ("oom", "does not fit"), ("oom", "tight"), ("ran", "fits"), ("ran", "tight"),
        ("ran", "does not fit"),
    ]  # fmt: skip
    rows = [Judged("x", "verdict", was, verdict, "g", {}) for was, verdict in said]
    (found,) = figures(rows, lambda one: one.group)
    assert found == VerdictFigures("g", "verdict", 5, 2, 1, 3, 1, 2)


def test_groups_by_a_column(measured):
    rows = [RUN, {**RUN, "id": "b", "framework": "litgpt"}, {**RUN, "id": "c", "gpu": ""}]
    found = measured(rows, by="framework")
    names = {one.group for one in found.groups}
    assert names == {
        f"{quantity} · {framework}" for quantity in ("allocated", "seconds_per_step", "verdict")
        for framework in ("hf", "litgpt")
    }  # fmt: skip
    assert any(one.group.endswith("(empty)") for one in measured(rows, by="gpu").groups)


def test_by_a_column_that_is_not_there(measured):
    with pytest.raises(BadCall, match=r"no column 'framwork'. Did you mean 'framework'\?"):
        measured([RUN], by="framwork")


def test_every_prediction_counts_in_a_group(measured):
    found = measured([RUN, {**RUN, "id": "b", "oom": "yes"}])
    assert sum(one.rows for one in found.groups) == len(found.rows)


# -- the command ----------------------------------------------------------------------------------


@pytest.fixture
def call(tmp_path, capsys):
    def go(data, *arguments):
        path = tmp_path / "runs.csv"
        path.write_text(data if isinstance(data, str) else text_of(*data), "utf-8")
        code = int(run(["accuracy", str(path), "--today", "2026-11-29", *arguments]))
        said = capsys.readouterr()
        return code, said.out, said.err

    return go


def test_the_command_prints_groups_and_what_is_not_used(call):
    code, out, err = call([RUN, {**RUN, "id": "b", "model": "nobody/x"}])
    assert (code, err) == (0, "")
    assert "allocated: one GPU, transformers" in out
    assert "not used: 1\n    b: no model is called" in out


def test_json_has_exactly_three_lists(call):
    code, out, err = call([RUN, {**RUN, "id": "b", "model": "nobody/x"}], "--format", "json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert list(found) == ["rows", "skipped", "groups"]
    memory, seconds, verdict = found["rows"]
    assert list(memory)[:6] == ["id", "quantity", "measured", "low", "predicted", "high"]
    assert seconds["quantity"] == "seconds_per_step"
    assert verdict == {"id": "a", "quantity": "verdict", "measured": "ran", "predicted": "fits"}
    assert list(found["skipped"][0]) == ["id", "reason"]
    assert {one["group"] for one in found["groups"]} == {
        "allocated: one GPU, transformers", "time of a step", "fits or not",
    }  # fmt: skip


def test_nothing_read_is_exit_2_and_still_one_document(call):
    for data in ([{**RUN, "model": "nobody/x"}], text_of(RUN).splitlines()[0], "a,b\n1,2\n", ""):
        code, out, err = call(data, "--format", "json")
        assert code == 2
        found = json.loads(out)
        assert found["rows"] == found["groups"] == []
        code, out, err = call(data)
        assert code == 2
        assert err


def test_a_layer_changes_predictions(call, tmp_path):
    layer = tmp_path / "team.yaml"
    layer.write_text(
        "{language: 1, layer: team, patch: {parameters.context_likely.values.newer: "
        "{value: 0.9 GiB, reason: our driver}}}",
        "utf-8",
    )
    row = {**RUN, "peak_kind": "unknown"}
    plain = json.loads(call([row], "--format", "json")[1])["rows"][0]
    patched = json.loads(call([row], "--format", "json", "--rules", str(layer))[1])["rows"][0]
    assert patched["predicted"] - plain["predicted"] == pytest.approx(0.4)


def test_a_bad_column_is_exit_2(call):
    code, _, err = call([RUN], "--by", "nothing")
    assert code == 2
    assert "no column 'nothing'" in err


def test_the_same_file_gives_the_same_bytes(measured):
    rows = [RUN, {**RUN, "id": "b", "loss": "fused"}, {**RUN, "id": "c", "model": "nobody/x"}]
    assert accuracy_json(measured(rows)) == accuracy_json(measured(rows))


# -- what columns mean: rules/runs ----------------------------------------------------------------


def test_shipped_shapes_are_valid_and_known_apart():
    shapes = read_shapes(RUNS, "rules/runs", project().book)
    assert [one.name for one in shapes] == ["counted-operations", "measured-runs", "traced-steps"]
    for shape in shapes:
        assert recognised(shapes, shape.recognise, Span("x")) is shape
    for path in RUNS.glob("*.yaml"):
        validator = Draft202012Validator(schemas.load("runs"))
        assert not list(validator.iter_errors(read_file(path, path.name).data))


SHAPE = """
language: 1
runs: ours
title: Our log
recognise: [name, bs, mem]
inputs:
  model: {column: name}
  method: {value: lora}
  training.micro_batch_size: {column: bs}
measures:
  - {quantity: allocated, column: mem, unit: MiB, shown: GiB, predicted: memory.peak}
"""


def shapes_of(tmp_path: Path, text: str) -> tuple[Shape, ...]:
    (tmp_path / "ours.yaml").write_text(dedent(text), "utf-8")
    return read_shapes(tmp_path, "runs", project().book)


def test_a_shape_is_data(tmp_path):
    (found,) = shapes_of(tmp_path, SHAPE)
    assert found.targets(project().book) == {"memory.peak"}
    assert found.known == {"name", "bs", "mem"}


@pytest.mark.parametrize(
    ("old", "new", "code", "at"),
    [
        ("title:", "titel:", "unknown-key", "titel:"),
        ("{column: bs}", "{colum: bs}", "unknown-key", "colum: bs"),
        ("{column: bs}", "{because: x}", "reading", "training.micro_batch_size"),
        ("{column: bs}", "{column: bs, value: 1}", "reading", "training.micro_batch_size"),
        ("{column: bs}", "{column: bs, absent: 0}", "value", "0}"),
        ("{column: bs}", "{column: bs, map: {a: 1, b: x}}", "value", "x}}"),
        ("{value: lora}", "{value: dora}", "value", "dora"),
        ("training.micro_batch_size", "training.batch", "unknown-name", "training.batch"),
        ("memory.peak", "memory.peek", "unknown-name", "memory.peek"),
        ("memory.peak", "time.step", "dimension", "time.step"),
        ("unit: MiB", "unit: MiBB", "unit", "MiBB"),
        ("unit: MiB, shown: GiB", "unit: s, shown: GiB", "dimension", "memory.peak"),
        (", predicted: memory.peak", "", "measure", "{quantity"),
        ("predicted: memory.peak", "answer: memory", "measure", "{quantity"),
        ("predicted: memory.peak", "answer: memory, map: {a: b}", "wrong-value", "b}}"),
        ("predicted: memory.peak", "answer: mem, map: {a: oom}", "unknown-name", "mem, map"),
        ("predicted:", "measured: cell *, predicted:", "expression", "*, predicted"),
        ("predicted:", "measured: cell * sell, predicted:", "unknown-name", "sell, pred"),
        ("predicted:", "measured: cell / time.step, predicted:", "dimension", "cell / time.step"),
        ("predicted:", "measured: cell + time.step, predicted:", "dimension", "time.step, pred"),
        ("language: 1", "language: 2", "wrong-value", "2\n"),
        ("recognise: [name, bs, mem]", "recognise: []", "wrong-value", "[]\n"),
    ],
)
def test_what_is_wrong_in_a_shape_has_a_place(tmp_path, old, new, code, at):
    assert old in SHAPE
    text = SHAPE.lstrip().replace(old, new, 1)
    with pytest.raises(FileProblems) as caught:
        shapes_of(tmp_path, text)
    lines = text.splitlines(keepends=True)
    found = [
        (one.code, lines[one.where.line - 1][one.where.column - 1 :])
        for one in caught.value.problems if one.where
    ]  # fmt: skip
    assert any(one == code and rest.startswith(at) for one, rest in found), found


def test_a_problem_in_one_shape_does_not_hide_another(tmp_path):
    (tmp_path / "a.yaml").write_text("{language: 1}", "utf-8")
    with pytest.raises(FileProblems) as caught:
        shapes_of(tmp_path, SHAPE.replace("lora", "dora"))
    assert {str(one.where).split(":")[0] for one in caught.value.problems} == {
        "runs/a.yaml", "runs/ours.yaml",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("pattern", "cell", "holds"),
    [
        ("a*", "abc", True),
        ("a*", "", False),
        ("", "", True),
        ("*b?", "abc", True),
        ("A*", "abc", False),
        ("[ab]c", "bc", True),
    ],
)
def test_conditions_on_columns(pattern, cell, holds):
    assert When((("column", (pattern,)),)).holds({"column": cell}) is holds
    assert When((("column", ("nothing", pattern)),)).holds({"column": cell}) is holds


def test_a_pattern_of_many_stars_stays_quick():
    started = time.perf_counter()
    assert not When((("note", ("*a" * 40 + "b",)),)).holds({"note": "a" * 20_000})
    assert time.perf_counter() - started < 2
