"""Real files of other people, where a folder of them is given: ADVISOR_CONFIGS names it.

Its ``index.csv`` says for each file (``file``) which format it is (``format``). The files belong to
others and are no part of this project.
"""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest

from advisor.check import NO_VALUES, Call, check_run
from advisor.evaluate import Engine
from advisor.trainers.assemble import read_settings
from advisor.trainers.gather import Named
from advisor.trainers.runs import Run, Sorter
from tests.unit.trainers.support import formats, project

FOLDER = Path(os.environ.get("ADVISOR_CONFIGS", "none"))
FORMATS = {
    "accelerate": {"accelerate"},
    "axolotl": {"axolotl"},
    "deepspeed-json": {"deepspeed"},
    "hf-trainer-yaml": {"glm-finetune"},
    "hf-script-sh": {"transformers"},
    "litgpt": {"litgpt"},
    "llamafactory": {"llama-factory"},
    "llamafactory-sh": {"llama-factory"},
    "llamafactory-v1": {"llama-factory-v1"},
    "megatron-bridge": {"megatron-bridge"},
    "ms-swift-sh": {"ms-swift"},
    "ms-swift-sh-legacy": {"ms-swift"},
    "ms-swift-yaml": {"ms-swift"},
    "nemo": {"nemo"},
    "openinstruct-yaml": {"open-instruct"},
    "openrlhf-sh": {"openrlhf"},
    "oumi": {"oumi"},
    "skypilot": {"skypilot"},
    "torchtune": {"torchtune"},
    "trl": {"trl"},
    "unsloth-py": {"unsloth"},
}
REFUSED = {"unknown-name", "ambiguous-name"}
"""What may be wrong with a good file: a model or a GPU that the catalogues do not have."""


def rows() -> list[tuple[Path, str]]:
    index = FOLDER / "index.csv"
    if not index.is_file():
        return []
    with index.open(encoding="utf-8", newline="") as stream:
        listed = [(row["file"], row["format"]) for row in csv.DictReader(stream)]
    found: list[tuple[Path, str]] = []
    for name, kind in listed:
        path = FOLDER / name.removeprefix("files/")
        matches = [path] if path.is_file() else list(FOLDER.glob(f"*/{path.name}"))
        found.extend((one, kind) for one in matches[:1])
    return found


@pytest.mark.skipif(not rows(), reason="ADVISOR_CONFIGS names no folder with an index.csv")
def test_every_real_file_is_recognised_or_refused_with_a_reason():
    opened = project()
    engine, reader = Engine(opened.book), opened.reader()
    settings = [("hardware.gpu", "A100 SXM 80GB")]
    call = Call(tuple(settings), read_settings(reader, settings) or NO_VALUES, fast=True)
    wrong: list[str] = []
    for path, kind in rows():
        expected = FORMATS.get(kind, set())
        file = Named(path, str(path), True)
        for run in Sorter([file], opened.book.inputs, formats).runs():
            assert isinstance(run, Run)
            names = {one.format.name for one in run.sources}
            result = check_run(engine, reader, run, call)
            codes = {one.code for one in result.problems}
            if run.sources and expected and not names & expected:
                wrong.append(f"{path.name}: {kind} taken for {names}")
            if codes - REFUSED and not (codes == {"not-described"} and expected):
                wrong.append(f"{path.name}: {[str(one) for one in result.problems]}")
    assert wrong == []
