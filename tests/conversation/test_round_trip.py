"""The export is the session: it reads back as the same answers, and ``check`` agrees with it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.check import check
from advisor.conversation import Answer, Conversation, Entry, State
from advisor.conversation.events import Failed
from advisor.conversation.keeping import loaded
from advisor.conversation.writing import scenario_text, written
from advisor.errors import FileProblems
from advisor.project import open_project
from advisor.rulebook.model import Input, Value
from advisor.rulebook.values import read_value
from advisor.source import read_file, read_text
from tests.conversation import held
from tests.conversation.held import NoFiles
from tests.conversation.test_questions import ONE_LINE, after
from tests.support import TODAY

TALK = Conversation(open_project([], 1795910400.0), files=NoFiles())
ASKED = {name: one for name, one in TALK.world.book.inputs.items() if one.ask}


def values(target: Input) -> st.SearchStrategy[Value]:
    """Any value an input takes."""
    if target.type == "boolean":
        return st.booleans()
    if target.type == "enum":
        return st.sampled_from(target.choices)
    if target.type == "set":
        return st.frozensets(st.sampled_from(target.choices), min_size=1)
    if target.type == "catalogue":
        return st.sampled_from([str(one) for one in TALK.world.typical(target)])
    low, high = target.range or (0.0, 1e6)
    if target.type == "integer":
        return st.integers(int(low), int(high)).map(float)
    return st.floats(low, high, allow_nan=False, allow_subnormal=False)


def reread(state: State) -> State:
    """The state of what is exported."""
    document = read_text(scenario_text(TALK.world.book, state), "scenario.yaml")
    entry = loaded(TALK, document, "/open scenario.yaml")
    assert entry is not None
    return State().having(entry)


@pytest.mark.parametrize("name", list(ASKED))
def test_a_value_is_written_so_that_it_reads_the_same(name):
    target = ASKED[name]
    low, high = target.range or (0.0, 1.0)
    tried: list[Value] = list(TALK.world.typical(target))
    tried += [True, False] if target.type == "boolean" else list(target.choices)
    if target.type in ("number", "integer"):
        tried += [low, high]
    if target.type == "number":
        tried += [low + (high - low) / 3, 0.1 * high]
    if target.type == "set":
        tried = [frozenset((one,)) for one in target.choices]
    for value in tried:
        document = read_text(f"v: {written(target, value)}", "x")
        assert read_value(target, document.data["v"]) == value


@settings(max_examples=60, derandomize=True, deadline=None)
@given(st.data())
def test_any_answers_read_back_the_same(data):
    names = data.draw(st.lists(st.sampled_from(sorted(ASKED)), unique=True, max_size=12))
    answers = []
    for name in names:
        known = data.draw(st.booleans())
        value = data.draw(values(ASKED[name]))
        left = not known and data.draw(st.booleans())
        answers.append(Answer(name, None if left else value, "said" if known else "assumed"))
    state = State().having(Entry("", tuple(answers)))
    again = reread(state)
    assert {n: (one.value, one.is_known) for n, one in again.answers.items()} == {
        n: (one.value, one.is_known) for n, one in state.answers.items()
    }
    assert scenario_text(TALK.world.book, again) == scenario_text(TALK.world.book, state)


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["lora"],
        [ONE_LINE],
        [ONE_LINE, "", ""],
        [ONE_LINE, "", "", "/take"],
        ["", "", "", "", "", "", "", ""],
        ["qwen3-vl 4b lora 4090 50000 x 512 tokens bs 4 ckpt within 6 hours, 20 USD, 0.4 USD/h"],
        ["llama 3 8b full 3090", "CUDA out of memory. Tried to allocate 2.00 GiB"],
        ["/set lora.target_modules=[q, v]", "model qwen2.5 7b", "t4"],
    ],
)
def test_check_on_the_export_gives_the_same_verdict(tmp_path, lines):
    state = after(TALK, *lines)
    path = tmp_path / "session.yaml"
    path.write_text(scenario_text(TALK.world.book, state), "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "advisor", "check", path.name, "--format", "json", "--today",
         "2026-11-29", "--no-config"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    found = json.loads(done.stdout)["results"][0]
    check = TALK.world.check(state)
    assert found["status"] == check.status().value
    assert check.verdict is not None
    assert found["verdict"] == check.verdict.state
    for name, answer in check.verdict.answers.items():
        assert found["answers"][name]["likely"] == answer.likely
        assert found["answers"][name]["high"] == answer.high
    rungs = [rung["remedy"] for rung in found["plan"]["rungs"]] if found["plan"] else None
    assert rungs == ([one.remedy.name for one in check.plan.rungs] if check.plan else None)
    assumed = {n for n, one in state.answers.items() if not one.is_known and one.value is not None}
    assert assumed <= {n for n, one in found["inputs"].items() if one["origin"] == "assumed"}


def test_a_session_goes_on_where_it_was(tmp_path):
    state = after(TALK, ONE_LINE, "")
    again = reread(state)
    was, now = TALK.question(state), TALK.question(again)
    assert was is not None and now is not None
    assert now.name == was.name
    assert "training.framework" in again.answers, "what nobody knew is not asked again"
    assert not again.answers["training.framework"].is_known


def test_what_a_file_keeps_is_kept(tmp_path):
    text = "model: Qwen/Qwen2.5-7B\nmethod: full\nhardware: {gpu: RTX 3090}\nkeep: [method]\n"
    entry = loaded(TALK, read_text(text, "x.yaml"), "/open x.yaml")
    assert entry is not None
    state = State().having(entry)
    assert state.keep == ("method",)
    assert "keep: [method]" in scenario_text(TALK.world.book, state)
    plan = held.plan(TALK.world.check(state))
    assert all("method" not in rung.settings for rung in plan.rungs)


def test_the_shipped_examples_can_be_opened():
    for path in sorted(Path("examples").glob("*.yaml")):
        entry = loaded(TALK, read_text(path.read_text("utf-8"), path.name), "/open")
        assert entry is not None and entry.answers


# -- models and cards that no catalogue has -------------------------------------------------------

CONFIG = """{"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "hidden_size": 896,
"num_hidden_layers": 24, "num_attention_heads": 14, "num_key_value_heads": 2,
"intermediate_size": 4864, "vocab_size": 151936, "tie_word_embeddings": true}"""
CARD = """{name: "my, card}", vendor: nvidia, memory_marketed: 32 GiB, memory_smi: 32 GiB,
  memory_torch: 31.5 GiB}"""
MODEL = """{name: mine, parameters: 494032768, active_parameters: 494032768,
  embedding_parameters: 136134656, head_parameters: 0, tied_embeddings: true, hidden_size: 896,
  layers: 24, attention_heads: 14, kv_heads: 2, head_dim: 64, intermediate_size: 4864,
  vocab_size: 151936, mlp: gated, norm: rmsnorm, norms_per_layer: 2,
  linears: [{name: q, group: attention, inputs: 896, outputs: 896, count: 24, experts: 1},
            {name: up, group: mlp, inputs: 896, outputs: 4864, count: 24, experts: 1}]}"""
DESCRIBED = {
    "a config.json beside it": "model: m/config.json\nmethod: lora\nhardware: {gpu: RTX 4090}",
    "a model in place": f"model: {MODEL}\nmethod: full\nhardware: {{gpu: RTX 4090}}",
    "a card in place": f"model: gpt2\nmethod: lora\nhardware: {{gpu: {CARD}}}",
    "a model that lacks much": "model: {name: x, layers: 2}\nmethod: lora\nhardware: {gpu: T4}",
}


@pytest.mark.parametrize("text", DESCRIBED.values(), ids=list(DESCRIBED))
@pytest.mark.parametrize("place", ["sub", "."])
def test_what_can_be_checked_can_be_opened_and_exported(tmp_path, text, place):
    folder = tmp_path / place
    (folder / "m").mkdir(parents=True)
    (folder / "m/config.json").write_text(CONFIG, "utf-8")
    (folder / "run.yaml").write_text(text, "utf-8")
    talk = Conversation(open_project([], TODAY), tmp_path)
    scenario = talk.world.read(read_file(folder / "run.yaml", "run.yaml"), folder)
    checked = held.verdict(check(talk.world.engine, scenario))
    state = talk.opened(State(), f"{place}/run.yaml")
    for one in (state, talk.send(State(), f"/open {place}/run.yaml").state):
        verdict = held.verdict(talk.world.check(one))
        assert verdict.state == checked.state
        assert [(n, a.likely, a.high, a.limit) for n, a in verdict.answers.items()] == [
            (n, a.likely, a.high, a.limit) for n, a in checked.answers.items()
        ]
    exported = read_text(scenario_text(talk.world.book, state), "again.yaml")
    entry = loaded(talk, exported, "/open again.yaml")
    assert entry is not None
    again = scenario_text(talk.world.book, State().having(entry))
    assert again == scenario_text(talk.world.book, state)


def test_what_a_description_lacks_is_said(tmp_path):
    (tmp_path / "run.yaml").write_text(DESCRIBED["a model that lacks much"], "utf-8")
    talk = Conversation(open_project([], TODAY), tmp_path)
    last = talk.send(State(), "/open run.yaml").events[-1]
    assert isinstance(last, Failed)
    assert last.key == "description_lacks"
    assert "model.linears" in last.values["names"]


def test_another_model_leaves_the_description_behind(tmp_path):
    (tmp_path / "run.yaml").write_text(DESCRIBED["a model in place"], "utf-8")
    talk = Conversation(open_project([], TODAY), tmp_path)
    state = talk.send(talk.opened(State(), "run.yaml"), "gpt2").state
    assert "mine" not in scenario_text(talk.world.book, state)
    assert held.verdict(talk.world.check(state)).state == "fits"


@pytest.mark.parametrize("name", ["../secret/config.json", "/etc/config.json"])
def test_a_file_outside_of_the_folder_is_not_read(tmp_path, name):
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/config.json").write_text(CONFIG, "utf-8")
    (tmp_path / "in").mkdir()
    (tmp_path / "in/run.yaml").write_text(f"model: {name}\nmethod: lora\n", "utf-8")
    talk = Conversation(open_project([], TODAY), tmp_path)
    with pytest.raises(FileProblems) as caught:
        talk.opened(State(), "in/run.yaml")
    assert [one.code for one in caught.value.problems] == ["outside"]
