"""``advisor lengths`` and ``--data``: what is read, what is counted, what is refused."""

from __future__ import annotations

import builtins
import csv
import json
import math
import os
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from advisor import paths, schemas
from advisor.cli.app import run
from advisor.errors import FileProblems
from advisor.lengths import Lengths, lay_over, measure, padding
from advisor.lengths.characters import Characters, read_characters
from advisor.lengths.histogram import Counts, Histogram
from advisor.lengths.lines import MAX_LINE
from advisor.project import open_project
from advisor.source import read_text
from tests.support import TODAY

TABLE = paths.shipped("rules") / "lengths" / "characters.yaml"


@pytest.fixture(scope="module")
def characters() -> Characters:
    return read_characters(TABLE, "characters.yaml")


def words(texts: Sequence[str]) -> list[int]:
    """A tokenizer that everybody can check: words between blanks."""
    return [len(text.split()) for text in texts]


def of(folder: Path, name: str, content: str | bytes, columns: tuple[str, ...] = ()) -> Lengths:
    """The lengths of a file, with words as tokens and nothing added for a chat's marks."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    table = read_characters(TABLE, "characters.yaml")._replace(per_message=0, per_sample=0)
    return measure(path, name, table, columns, words)


def refused(folder: Path, name: str, content: str | bytes, columns: tuple[str, ...] = ()) -> str:
    with pytest.raises(FileProblems) as caught:
        of(folder, name, content, columns)
    return "\n".join(map(str, caught.value.problems))


# -- which text is a sample -----------------------------------------------------------------------

CHAT = [{"role": "user", "content": "one two"}, {"role": "assistant", "content": "three"}]
SHARED = [{"from": "human", "value": "one two"}, {"from": "gpt", "value": "three"}]
PARTS = [{"role": "user", "content": [{"type": "text", "text": "one"}, {"type": "image"}]}]
CALLS = [{"role": "assistant", "content": None, "tool_calls": [{"name": "f"}]}]
# id, row, tokens, columns read
ROWS: list[tuple[str, Any, int, tuple[str, ...]]] = [
    ("text", {"text": "one two three", "id": "x y"}, 3, ("text",)),
    ("content", {"content": "one two"}, 2, ("content",)),
    ("messages", {"messages": CHAT, "text": "not this one"}, 3, ("messages",)),
    ("sharegpt", {"conversations": SHARED}, 3, ("conversations",)),
    ("system", {"conversations": SHARED, "system": "be kind"}, 5, ("conversations", "system")),
    ("parts", {"messages": PARTS}, 1, ("messages",)),
    ("tool calls", {"messages": CALLS}, 2, ("messages",)),
    ("alpaca", {"instruction": "a b", "input": "c", "output": "d"}, 4,
     ("instruction", "input", "output")),
    ("alpaca without input", {"instruction": "a b", "output": "d"}, 3, ("instruction", "output")),
    ("dolly", {"instruction": "a", "context": "b c", "response": "d"}, 4,
     ("instruction", "context", "response")),
    ("prompt", {"prompt": "a b", "completion": "c"}, 3, ("prompt", "completion")),
    ("question", {"question": "a b", "answer": "c", "id": "1"}, 3, ("question", "answer")),
    ("preference", {"prompt": "a", "chosen": "b", "rejected": "c d e"}, 4,
     ("prompt", "chosen", "rejected")),
    ("chats preferred", {"chosen": CHAT, "rejected": CHAT[:1]}, 3, ("chosen", "rejected")),
    ("only one column", {"sentence": "a b"}, 2, ("sentence",)),
    ("numbers", {"question": "a", "answer": 42}, 2, ("question", "answer")),
    ("a chat in a cell", {"messages": json.dumps(CHAT)}, 3, ("messages",)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("row", "tokens", "columns"), [r[1:] for r in ROWS], ids=[r[0] for r in ROWS]
)
def test_the_usual_columns_are_recognised(tmp_path, row, tokens, columns):
    found = of(tmp_path, "a.jsonl", json.dumps(row))
    assert (found.longest, found.columns, found.faulty) == (tokens, columns, 0)


@pytest.mark.parametrize(
    "row",
    [{"foo": "a", "bar": "b"}, {"id": 1}, {}, {"text": None}, {"messages": []}, {"messages": [1]},
     {"prompt": "a", "id": "b"}, {"instruction": "a", "input": "b"}],
    ids=str,
)  # fmt: skip
def test_other_columns_are_listed_and_not_guessed(tmp_path, row):
    told = refused(tmp_path, "a.jsonl", json.dumps(row))
    assert told.startswith("a.jsonl:1:1: unknown-columns")
    assert "--text-column" in told
    assert all(name in told for name in row)


@pytest.mark.parametrize("row", ["[1, 2]", '"text"', "3", "null"])
def test_a_row_that_is_no_map(tmp_path, row):
    assert refused(tmp_path, "a.jsonl", row).startswith("a.jsonl:1:1: wrong-type")


def test_a_column_that_is_named(tmp_path):
    row = json.dumps({"text": "one", "body": "one two", "note": "three"})
    assert of(tmp_path, "a.jsonl", row, ("body",)).longest == 2
    assert of(tmp_path, "a.jsonl", row, ("body", "note")).longest == 3
    told = refused(tmp_path, "a.jsonl", row, ("boddy",))
    assert (
        told
        == "a.jsonl:1:1: unknown-column: there is no column 'boddy'. Columns: text, body, note."
    )


def test_pictures_are_counted_apart(tmp_path):
    rows = [{"messages": PARTS}, {"messages": CHAT, "images": ["a.png", "b.png"]}]
    found = of(tmp_path, "a.jsonl", "\n".join(map(json.dumps, rows)))
    assert (found.pictures, found.histogram.total) == (3, 4)


# -- which files ----------------------------------------------------------------------------------

TWO = [{"text": "one"}, {"text": "one two three"}]
FILES = {
    "a.jsonl": "\n".join(map(json.dumps, TWO)),
    "b.ndjson": "\n\n".join(map(json.dumps, TWO)) + "\n",
    "c.json": json.dumps(TWO),
    "d.json": json.dumps(TWO, indent=2) + "\n",
    "lines.json": "\n".join(map(json.dumps, TWO)),
    "mark.json": "\ufeff" + json.dumps(TWO),
    "mark.jsonl": "\ufeff" + "\r\n".join(map(json.dumps, TWO)),
    "e.csv": "text\none\none two three\n",
    "f.csv": "id;text\n1;one\n2;one two three\n",
    "quoted.csv": 'id,text\n1,one\n2,"one\ntwo three"\n',
    "g.tsv": "id\ttext\n1\tone\n2\tone two three\n",
    "h.TXT": "one\n\n   \none two three",
}


@pytest.mark.parametrize("name", FILES)
def test_kinds_of_files(tmp_path, name):
    found = of(tmp_path, name, FILES[name])
    assert (found.samples, found.histogram.lengths, found.faulty) == (2, (1, 3), 0)


@pytest.mark.parametrize("count", [1, 2, 3, 1000])
def test_a_list_over_the_edge_of_what_is_read_at_once(tmp_path, count):
    text = json.dumps([{"text": "é" * 30_000 + " b"}] * count, ensure_ascii=False)
    assert of(tmp_path, "a.json", text).histogram.counts == (count,)


REFUSED = [
    ("a.jsonl", "", "empty"),
    ("a.jsonl", "  \n \n", "empty"),
    ("a.json", "[]", "empty"),
    ("a.csv", "text\n", "empty"),
    ("a.jsonl", b"\0\1\2", "not-text"),
    ("a.jsonl", b"\x1f\x8b\x08rest", "not-text"),
    ("a.jsonl", '{"text": "a"}'.encode("utf-16"), "not-text"),
    ("a.jsonl", b'{"text": "\xff"}', "a.jsonl:1:11: not-utf-8"),
    ("a.json", b'[{"text": "\xff"}]', "not-utf-8"),
    ("a.jsonl", '{"text": "a"', "a.jsonl:1:13: broken-json"),
    ("a.jsonl", "[" * 100_000, "too-deep"),
    ("a.json", "[" * 100_000, "too-deep"),
    ("a.json", '[{"text": "a"} {"text": "b"}]', "a.json:1:16: broken-json"),
    ("a.json", '[{"text": "a"},\n {"text": ]', "a.json:2:2: broken-json"),
    ("a.json", '[{"text": "a"}', "broken-json"),
    ("a.json", '{\n"data": [1]\n}', "wrong-type"),
    ("a.jsonl", '{"text": ' + "9" * 5000 + "}", "broken-json"),
    ("a.csv", "id,text\n1,2,3\n", "a.csv:2:1: broken-table"),
    ("a.yaml", "text: a", "unknown-format"),
    ("a", "text", "unknown-format"),
]


@pytest.mark.parametrize(("name", "content", "code"), REFUSED, ids=lambda one: repr(one)[:30])
def test_what_cannot_be_measured(tmp_path, name, content, code):
    assert code in refused(tmp_path, name, content)


def test_no_file_and_no_regular_file(tmp_path, characters):
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    for name, code in (("none", "no-file"), ("pipe", "not-a-file"), ("folder", "not-a-file")):
        with pytest.raises(FileProblems, match=code):
            measure(tmp_path / f"{name}.jsonl", "shown", characters)


def test_broken_rows_are_located_counted_and_left_out(tmp_path):
    rows = ['{"text": "a b"}', '{"text": ', '{"text": "a"}', '{"txt": "a"}', '{"text": ["a"]}', "3"]
    found = of(tmp_path, "a.jsonl", "\n".join(rows * 3))
    assert (found.samples, found.faulty, found.histogram.total) == (9, 9, 12)
    assert [str(one).partition(": ")[0] for one in found.problems] == [
        "a.jsonl:2:10", "a.jsonl:5:1", "a.jsonl:6:1", "a.jsonl:8:10", "a.jsonl:11:1",
    ]  # fmt: skip


def test_a_line_without_an_end_is_not_kept(tmp_path):
    path = tmp_path / "a.jsonl"
    with path.open("wb") as file:
        file.write(b'{"text": "one two"}\n{"text": "')
        for _ in range(12):
            file.write(b"x" * MAX_LINE)
        file.write(b'"}\n{"text": "one"}\n')
    table = read_characters(TABLE, "characters.yaml")
    tracemalloc.start()
    found = measure(path, "a.jsonl", table, (), words)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (found.samples, found.faulty) == (2, 1)
    assert most < 4 * MAX_LINE
    assert str(found.problems[0]).startswith("a.jsonl:2:1: too-long")


def test_an_element_without_an_end_is_not_kept(tmp_path):
    told = refused(tmp_path, "a.json", b'[{"text": "' + b"x" * (2 * MAX_LINE + 1000))
    assert told.startswith("a.json:1:2: too-long")


def test_the_limit_of_csv_is_put_back(tmp_path):
    before = csv.field_size_limit()
    of(tmp_path, "a.csv", "text\n" + "x" * (before + 10) + "\n")
    assert csv.field_size_limit() == before


# -- how many tokens ------------------------------------------------------------------------------

# text, tokens it comes to: within the band, and near where the table's sources put it
TEXTS = [
    ("The quick brown fox jumps over the lazy dog. " * 20, 225),
    ("def add(a, b):\n    return a + b\n" * 20, 170),
    ("今天天气很好我们出去走走" * 20, 160),
    ("今日はとても良い天気です" * 20, 145),
    ("오늘은 날씨가 아주 좋습니다" * 20, 170),
    ("Съешь ещё этих мягких французских булок. " * 20, 285),
    ("0123456789" * 20, 167),
]


@pytest.mark.parametrize(("text", "tokens"), TEXTS, ids=[text[:10] for text, _ in TEXTS])
def test_estimates_by_script(characters, text, tokens):
    amount = characters.amount(text)
    assert amount.low < amount.likely < amount.high
    assert amount.likely == pytest.approx(tokens, rel=0.15)


def test_every_character_counts_once(characters):
    for text in (
        "a",
        "0",
        "é",
        "ж",
        "ω",
        "世",
        "か",
        "한",
        "ह",
        "😀",
        "\ud800",
        "\x00",
        "\U0010ffff",
    ):
        amount = characters.amount(text)
        assert 0 < amount.low <= amount.likely <= amount.high, repr(text)
        many = characters.amount(text * 1000)
        assert many.likely == pytest.approx(1000 * amount.likely)
    assert characters.amount("") == (0, 0, 0)


def test_a_mixture_is_the_sum_of_its_scripts(characters):
    texts = ["hello ", "世界", "42", "мир", "かな"]
    whole = characters.amount("".join(texts))
    assert whole.likely == pytest.approx(sum(characters.amount(one).likely for one in texts))


def test_a_chat_has_marks_around_every_message(tmp_path, characters):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"messages": CHAT}), "utf-8")
    counted = measure(path, "a", characters, (), words)
    assert counted.longest == 3 + 2 * characters.per_message + characters.per_sample
    path.write_text(json.dumps({"text": "one two three"}), "utf-8")
    assert measure(path, "a", characters, (), words).longest == 3 + characters.per_sample
    assert (counted.way, counted.low, counted.high) == ("counted", 1, 1)


SPOILED = [
    ("tokens_per:", "token_per:", "unknown-key"),
    ("{low: 3.0, likely: 4.0, high: 5.0}", "{low: 4.5, likely: 4.0, high: 5.0}", "value"),
    ("{low: 3.0, likely: 4.0, high: 5.0}", "{low: 0, likely: 4.0, high: 5.0}", "wrong-value"),
    ("0030-0039", "0039-0030", "value"),
    ("0030-0039", "30-39", "wrong-value"),
    ('    characters: ["0030-0039"]\n', "", "value"),
]


@pytest.mark.parametrize(("old", "new", "code"), SPOILED)
def test_the_table_is_checked(tmp_path, old, new, code):
    text = TABLE.read_text("utf-8")
    assert old in text
    path = tmp_path / "characters.yaml"
    path.write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(FileProblems) as caught:
        read_characters(path, "characters.yaml")
    assert code in {one.code for one in caught.value.problems}
    assert all(one.where and one.where.line for one in caught.value.problems)


def test_the_table_is_of_its_schema():
    document = read_text(TABLE.read_text("utf-8"), "characters.yaml")
    assert schemas.problems("lengths", document) == []


# -- quantiles and padding ------------------------------------------------------------------------


def histogram(lengths: list[int]) -> Histogram:
    counts = Counts()
    for length in lengths:
        counts.add(length)
    return counts.finish()


def test_quantiles_are_exact_while_short():
    found = histogram(list(range(1, 101)))
    assert [found.quantile(share) for share in (0.5, 0.95, 0.951, 1.0)] == [50, 95, 96, 100]
    assert histogram([7]).quantile(0.95) == 7


def test_long_ones_are_rounded_up_by_little_and_memory_is_bounded():
    lengths = [10_000 + 37 * number for number in range(100_000)]
    found = histogram(lengths)
    exact = sorted(lengths)[math.ceil(0.95 * len(lengths)) - 1]
    assert exact <= found.quantile(0.95) <= exact * (1 + 1 / 4096)
    assert (found.total, found.longest) == (sum(lengths), max(lengths))
    assert len(found.lengths) < 50_000


def test_one_length_has_no_padding():
    found = padding(histogram([100] * 50), 2048, 8)
    assert (found.sample, found.padded, found.grouped, found.packed) == (100, 100, 100, 100)


def test_padding_of_random_batches():
    found = padding(histogram([10, 100] * 5000), 2048, 2)
    assert found.sample == 55
    assert found.padded == pytest.approx(0.25 * 10 + 0.75 * 100)
    assert 55 <= found.grouped < 60
    assert padding(histogram([10, 100] * 5000), 2048, 1).padded == 55


def test_what_is_too_long_is_cut():
    found = padding(histogram([10, 100, 5000, 9000]), 50, 1)
    assert (found.sample, found.cut) == (40, 0.75)


@pytest.mark.parametrize("batch", [1, 2, 7, 64, 10_000])
def test_grouping_is_never_worse_than_chance_nor_better_than_packing(batch):
    found = padding(histogram([1, 5, 9, 400, 3000] * 20 + [7]), 2048, batch)
    assert found.packed <= found.grouped <= found.padded <= 2048


# -- as inputs of a scenario ----------------------------------------------------------------------

SCENARIO = """
model: Qwen/Qwen2.5-7B-Instruct
method: lora
data: {samples: 5000, tokens: {mean: 900}}
training: {micro_batch_size: 4, sequence_length: 2048}
hardware: {gpu: RTX 4090}
"""


def test_measured_values_go_over_the_scenario_s_and_under_flags(tmp_path):
    found = of(tmp_path, "a.jsonl", "\n".join(map(json.dumps, TWO)))
    reader = open_project([], TODAY).reader()
    scenario = reader.build(read_text(SCENARIO, "run.yaml"), None)
    given = lay_over(scenario, found).given
    shown = {
        name: (one.value, one.origin, one.source)
        for name, one in given.items() if name.startswith("data.")
    }  # fmt: skip
    assert shown == {
        "data.samples": (2, "measured", "a.jsonl"),
        "data.tokens.mean": (2, "measured", "a.jsonl"),
        "data.tokens.p95": (3, "measured", "a.jsonl"),
        "data.tokens.max": (3, "measured", "a.jsonl"),
    }
    changed = [(one.name, one.was, one.now) for one in lay_over(scenario, found).overrides]
    assert changed == [("data.samples", 5000, 2), ("data.tokens.mean", 900, 2)]
    kept = lay_over(scenario, found, ["data.samples"]).given["data.samples"]
    assert (kept.value, kept.origin) == (5000, "given")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.yaml").write_text(SCENARIO, "utf-8")
    rows = [{"text": "word " * (20 + 7 * number)} for number in range(100)]
    (tmp_path / "train.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return tmp_path


DAY = ["--today", "2026-11-29"]


def test_check_measures_and_says_so(folder, capsys):
    assert run(["check", "run.yaml", "--data", "train.jsonl", "--format", "json", *DAY]) in (0, 1)
    (result,) = json.loads(capsys.readouterr().out)["results"]
    samples = result["inputs"]["data.samples"]
    assert (samples["value"], samples["origin"], samples["source"]) == (
        100,
        "measured",
        "train.jsonl",
    )
    assert result["data"]["padding"]["batch"] == 4
    run(["check", "run.yaml", "--data", "train.jsonl", *DAY])
    out = capsys.readouterr().out
    assert "train.jsonl (text): samples: 100" in out
    assert "grouping by length" in out
    run(["check", "run.yaml", *DAY])
    assert "train.jsonl" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (["--data", "none.jsonl"], "none.jsonl: no-file"),
        (["--data", "train.jsonl", "--text-column", "body"], "unknown-column"),
        (["--text-column", "body"], "there is none"),
        (["--tokenizer", "tokenizer.json"], "there is none"),
    ],
)
def test_check_refuses_what_it_cannot_measure(folder, capsys, flags, told):
    assert run(["check", "run.yaml", *flags, *DAY]) == 2
    said = capsys.readouterr()
    assert told in said.out + said.err
    assert run(["check", "run.yaml", "--format", "json", *flags, *DAY]) == 2
    document = json.loads(capsys.readouterr().out)
    assert document["problems"]
    assert document["results"] == []


def test_the_verb_prints_text_and_json(folder, capsys):
    assert run(["lengths", "train.jsonl", "--sequence-length", "512", "--batch", "4"]) == 0
    text = capsys.readouterr().out
    assert "train.jsonl (text): samples: 100" in text
    assert "estimated from characters" in text
    assert "batches of 4" in text
    arguments = ["lengths", "train.jsonl", "--sequence-length", "512", "--format", "json"]
    assert run(arguments) == 0
    first = capsys.readouterr().out
    assert run(arguments) == 0
    assert capsys.readouterr().out == first
    found = json.loads(first)
    assert (found["samples"], found["tokens"]["way"], found["faulty"]) == (100, "estimated", 0)
    assert found["tokens"]["low"] < 1 < found["tokens"]["high"]
    assert run(["lengths", "train.jsonl", "--lang", "zh"]) == 0
    assert "100 条样本" in capsys.readouterr().out


def test_the_verb_refuses_in_both_formats(folder, capsys):
    (folder / "b.jsonl").write_text('{"a\\u001b[31m": "x", "b": "y"}', "utf-8")
    assert run(["lengths", "b.jsonl"]) == 2
    said = capsys.readouterr()
    assert "unknown-columns" in said.err
    assert "\x1b" not in said.err
    assert run(["lengths", "b.jsonl", "--format", "json"]) == 2
    assert json.loads(capsys.readouterr().out)["problems"][0]["code"] == "unknown-columns"


# -- packages that may be missing -----------------------------------------------------------------


@pytest.fixture
def nothing_extra(monkeypatch):
    """As if neither pyarrow nor tokenizers were installed."""
    real = builtins.__import__

    def pretend(name: str, *rest: Any, **more: Any) -> Any:
        if name.partition(".")[0] in ("pyarrow", "tokenizers"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", pretend)


def test_without_the_packages_it_is_said_what_to_install(folder, nothing_extra, capsys):
    (folder / "a.parquet").write_bytes(b"PAR1")
    (folder / "tokenizer.json").write_text("{}", "utf-8")
    assert run(["lengths", "a.parquet"]) == 2
    assert "pip install pyarrow" in capsys.readouterr().err
    assert run(["lengths", "train.jsonl", "--tokenizer", "tokenizer.json"]) == 2
    assert "pip install tokenizers" in capsys.readouterr().err


@pytest.mark.slow
def test_parquet(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pip install -e '.[data]'")
    table = pytest.importorskip("pyarrow").Table.from_pylist(
        [{"messages": CHAT, "image": b"\0" * 100}, {"messages": CHAT[:1], "image": b"\0"}]
    )
    parquet.write_table(table, tmp_path / "a.parquet")
    plain = read_characters(TABLE, "characters.yaml")._replace(per_message=0, per_sample=0)
    found = measure(tmp_path / "a.parquet", "a.parquet", plain, (), words)
    assert (found.samples, found.histogram.lengths) == (2, (2, 3))
    (tmp_path / "b.parquet").write_bytes(b"PAR1 and nothing else")
    with pytest.raises(FileProblems, match="broken-parquet"):
        measure(tmp_path / "b.parquet", "b.parquet", plain)


@pytest.mark.slow
def test_a_tokenizer_counts(folder, capsys):
    tokenizers = pytest.importorskip("tokenizers", reason="pip install -e '.[data]'")
    model = tokenizers.models.WordLevel({"word": 0, "[UNK]": 1}, unk_token="[UNK]")
    built = tokenizers.Tokenizer(model)
    built.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    built.save(str(folder / "tokenizer.json"))
    arguments = ["lengths", "train.jsonl", "--tokenizer", "tokenizer.json", "--format", "json"]
    assert run(arguments) == 0
    found = json.loads(capsys.readouterr().out)["tokens"]
    assert (found["way"], found["max"], found["low"]) == ("counted", 20 + 7 * 99 + 1, 1)
    (folder / "tokenizer.json").write_text('{"model": 3}', "utf-8")
    assert run(arguments) == 2
    assert "this is no tokenizer" in capsys.readouterr().out
