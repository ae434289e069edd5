"""What must hold of mending whatever text it is: bytes outside the changed values stay."""

from __future__ import annotations

import difflib
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from advisor.check import Call, CheckResult, Status, check
from advisor.errors import FileProblems
from advisor.evaluate import Engine
from advisor.fix import fixed
from advisor.fix.edit import set_key
from advisor.fix.guard import differences, leaves, shape_of
from advisor.fix.source import Judging, source_of
from advisor.project import Project, open_project
from advisor.source import Document, Mapping, read_text
from advisor.source.lenient import read_lenient
from advisor.trainers.gather import Named
from advisor.trainers.runs import Run
from advisor.waivers import NO_EXCUSE
from tests.support import TODAY

# The same examples in every run: a suite that fails now and then teaches people to run it again.
EVERYDAY = settings(max_examples=3000, derandomize=False, deadline=None)
SCENARIOS = settings(max_examples=80, derandomize=False, deadline=None)

# -- texts ----------------------------------------------------------------------------------------

KEYS = st.sampled_from(["a", "b", "c", "lora_r", "path.to", "x-y", "é", "世"])
WORDS = st.sampled_from(["x", "yes", "12", "a b", "ü", "it's", "# no", "null", "1e-4"])
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 10**6), WORDS,
    st.floats(1e-6, 1e6),
)  # fmt: skip
TREES = st.recursive(
    SCALARS | st.lists(SCALARS, max_size=3),
    lambda inner: st.dictionaries(KEYS, inner, min_size=1, max_size=4),
    max_leaves=8,
)
DOCUMENTS = st.dictionaries(KEYS, TREES, min_size=1, max_size=5)
NOISE = st.sampled_from(["", "  # why", "   ", "\t# tab"])


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A document in one of many layouts: blocks and braces, comments, indentation, line ends."""
    data = draw(DOCUMENTS)
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    kind = draw(st.sampled_from(["json", "pretty", "block", "block", "block"]))
    if kind != "block":
        text = json.dumps(
            data, indent=3 if kind == "pretty" else None, ensure_ascii=draw(st.booleans())
        )
        return text.replace("\n", newline) + draw(st.sampled_from(["", newline]))
    step = draw(st.sampled_from([2, 3, 4]))
    lines = [*_block(draw, data, 0, step)]
    text = newline.join(lines) + draw(st.sampled_from(["", newline, newline + "# end" + newline]))
    return draw(st.sampled_from(["", f"# first{newline}"])) + text


def _block(draw: st.DrawFn, data: dict[str, Any], column: int, step: int) -> list[str]:
    lines: list[str] = []
    for key, value in data.items():
        head = " " * column + key + ":"
        noise = draw(NOISE)
        if isinstance(value, dict):
            if draw(st.booleans()):
                lines.append(f"{head} {json.dumps(value, ensure_ascii=False)}{noise}")
            else:
                lines += [head + noise, *_block(draw, value, column + step, step)]
        elif isinstance(value, list) and value and draw(st.booleans()):
            indent = " " * (column + draw(st.sampled_from([0, step])))
            lines += [head + noise, *(f"{indent}- {_scalar(one)}{draw(NOISE)}" for one in value)]
        elif isinstance(value, list):
            lines.append(f"{head} {json.dumps(value, ensure_ascii=False)}{noise}")
        else:
            lines.append(f"{head} {_scalar(value)}{noise}")
        if draw(st.integers(0, 5)) == 0:
            lines.append(draw(st.sampled_from(["", " " * column + "# a note"])))
    return lines


def _scalar(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.17g}" if "e" not in f"{value:.17g}" else "1.5"
    return json.dumps(value, ensure_ascii=False)


def paths(data: Mapping, prefix: str = "") -> list[str]:
    """Every key of a document by its path, and one that is missing in each map."""
    found = [f"{prefix}missing", f"{prefix}missing.too"]
    for key, value in data.items():
        found.append(f"{prefix}{key}")
        if isinstance(value, Mapping):
            found.extend(paths(value, f"{prefix}{key}."))
    return found


def value_at(document: Document, path: str) -> Any:
    return leaves(document.data).get(path, leaves(document.data).get(f"{path}[0]"))


VALUES = st.one_of(
    st.booleans(), st.sampled_from([1.0, 0.25, 2e-5, 4096.0]), WORDS, st.just(["q_proj", "no"])
)


@EVERYDAY
@given(texts(), st.data())
def test_setting_a_key_changes_that_key_and_no_byte_besides(text, data):
    before = read_lenient(text, "f.yaml").document
    shape = shape_of(text, "f.yaml")
    assert shape.problems == ()
    path = data.draw(st.sampled_from(paths(before.data)))
    value = data.draw(VALUES)
    try:
        edit = set_key(before, path, value, shape.root_is_flow)
    except FileProblems as error:
        assert all(one.code == "cannot-fix" for one in error.problems)
        return
    if edit is None:
        assert value_at(before, path) == (value[0] if isinstance(value, list) else value)
        return
    after = edit.apply(text)
    assert after.startswith(text[: edit.start])
    assert after.endswith(text[edit.end :])
    new = read_lenient(after, "f.yaml").document
    changed = differences(before, new)
    assert changed, (text, after)
    assert all(one == path or path.startswith(f"{one}.") for one in changed), (text, after, changed)
    assert value_at(new, path) == (value[0] if isinstance(value, list) else value), (text, after)
    assert ("\r\n" in after) == ("\r\n" in text) or "\n" not in text
    assert set_key(new, path, value, shape.root_is_flow) is None


# -- scenarios ------------------------------------------------------------------------------------


@cache
def project() -> Project:
    return open_project([], TODAY)


@cache
def engine() -> Engine:
    return Engine(project().book)


def judged(text: str, path: Path) -> CheckResult:
    scenario = project().reader().build(read_text(text, path.name), path.parent)
    return check(engine(), scenario)


SCENARIO = """\
# a run{noise}
model: {model}
method: {method}   # as agreed
lora:
  rank: {rank}
  target_modules: all-linear
training: {{micro_batch_size: {batch}, gradient_accumulation_steps: 4}}
training.sequence_length: {length}
training.gradient_checkpointing:    false
hardware:
    gpu: '{gpu}'
data: {{samples: 5000, tokens: {{mean: 900, p95: 1800, max: 2048}}, epochs: 1}}
"""


@SCENARIOS
@given(
    st.sampled_from(["Qwen/Qwen2.5-7B-Instruct", "meta-llama/Llama-3.1-8B"]),
    st.sampled_from(["lora", "qlora", "full"]),
    st.sampled_from([8, 64]),
    st.sampled_from([2, 8, 16]),
    st.sampled_from([1024, 4096]),
    st.sampled_from(["RTX 4090", "RTX 3060", "a100-sxm4-80gb"]),
    st.sampled_from(["", "\r"]),
)  # fmt: skip
def test_a_scenario_that_is_mended_holds_and_keeps_its_other_lines(
    tmp_path_factory, model, method, rank, batch, length, gpu, end
):
    text = SCENARIO.format(
        noise="", model=model, method=method, rank=rank, batch=batch, length=length, gpu=gpu
    ).replace("\n", f"{end}\n")
    path = tmp_path_factory.getbasetemp() / "scenario.yaml"
    path.write_text(text, "utf-8", newline="")
    result = judged(text, path)
    assume(result.status() is Status.FAILS and result.plan is not None)
    run = Run(Named(path, path.name, True), path.name)
    judging = Judging(engine(), project().reader(), Call(), NO_EXCUSE, (), ())
    try:
        found = fixed(result, source_of(run, result, judging))
    except FileProblems as error:
        assert all(one.code == "cannot-fix" for one in error.problems)
        assert path.read_bytes() == text.encode()
        return
    assert found.data.decode() == found.after
    again = judged(found.after, path)
    assert again.status() is Status.HOLDS
    assert again.verdict is not None
    planned = {one.input: one.now for one in found.changes if one.is_planned}
    assert planned
    for name, value in planned.items():
        assert again.verdict.trace.scenario.given[name].value == value
    kept = difflib.SequenceMatcher(None, text, found.after, autojunk=False).get_matching_blocks()
    lost = "".join(_gaps(text, [(one.a, one.a + one.size) for one in kept]))
    assert re.fullmatch(r"[\w.\s:-]*", lost), "only values go"
    if end:
        assert "\n" not in found.after.replace("\r\n", "")


def _gaps(text: str, spans: list[tuple[int, int]]) -> list[str]:
    found, at = [], 0
    for start, stop in spans:
        found.append(text[at:start])
        at = stop
    return found


@pytest.mark.parametrize("text", ["", "   \n", "# only words\n"])
def test_nothing_can_be_set_in_an_empty_text(text):
    with pytest.raises(FileProblems):
        read_lenient(text, "f.yaml")
