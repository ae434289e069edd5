"""Whole reports, byte for byte: ``case.txt`` and ``case.json`` beside the scenarios they tell of.

``pytest tests/golden --update-golden`` writes them anew; the difference is then read like code.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

FOLDER = Path(__file__).parent
FORMATS = {"txt": "text", "json": "json"}
CI_FORMATS = {
    "github": "github",
    "gitlab": "gitlab",
    "junit": "junit",
    "sarif": "sarif",
    "md": "markdown",
}


class Case(NamedTuple):
    """A call of ``advisor check`` and the exit code it must end with."""

    arguments: str
    exit: int


CASES = {
    "fits": Case("fits.yaml", 0),
    "tight": Case("tight.yaml", 0),
    "tight-strict": Case("tight.yaml --fail-on warn", 1),
    "plan": Case("plan.yaml", 1),
    "plan-zh": Case("plan.yaml --lang zh", 1),
    "plan-other-card": Case("plan.yaml --gpu 'H100 SXM' --set training.micro_batch_size=1", 0),
    "unsolvable": Case("unsolvable.yaml", 1),
    "undecided": Case("undecided.yaml", 3),
    "qlora": Case("qlora.yaml", 1),
    "zero3": Case("zero3.yaml", 0),
    "experts": Case("experts.yaml", 0),
    "vision": Case("vision.yaml", 1),
    "broken": Case("broken.yaml", 2),
    "several": Case("fits.yaml broken.yaml plan.yaml undecided.yaml", 2),
    "waived": Case("plan.yaml tight.yaml --config waivers.yaml", 0),
}
IN_CI = ("several", "waived")
GOLDENS = {
    f"{name}.{ending}": (CASES[name], form)
    for name in CASES
    for ending, form in {**FORMATS, **(CI_FORMATS if name in IN_CI else {})}.items()
}


def advisor(case: Case, form: str) -> subprocess.CompletedProcess[bytes]:
    import shlex

    shown = ("LC_", "GITHUB_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(shown)}
    return subprocess.run(
        [sys.executable, "-m", "advisor", "check", *shlex.split(case.arguments),
         "--format", form, "--today", "2026-11-29"],
        cwd=FOLDER, capture_output=True, check=False, stdin=subprocess.DEVNULL,
        env={**kept, "LANG": "C.UTF-8", "PYTHONUTF8": "1"},
    )  # fmt: skip


@pytest.mark.parametrize("name", GOLDENS)
def test_report(name: str, request: pytest.FixtureRequest) -> None:
    golden = FOLDER / name
    case, form = GOLDENS[name]
    found = advisor(case, form)
    assert found.stderr == b""
    if request.config.getoption("--update-golden"):
        golden.write_bytes(found.stdout)
    assert golden.is_file(), "run pytest tests/golden --update-golden and read what it wrote"
    expected = golden.read_bytes()
    if found.stdout != expected:  # lines compare more readably than bytes
        assert found.stdout.decode().splitlines() == expected.decode().splitlines()
    assert found.stdout == expected
    assert found.returncode == case.exit


def is_golden(path: Path) -> bool:
    return path.suffix.removeprefix(".") in {*FORMATS, *CI_FORMATS}


def test_no_golden_is_left_over() -> None:
    assert {path.name for path in FOLDER.iterdir() if is_golden(path)} == set(GOLDENS)


def test_no_scenario_is_left_over() -> None:
    named = {word for case in CASES.values() for word in case.arguments.split()}
    assert {path.name for path in FOLDER.glob("*.yaml")} <= named


def test_goldens_hold_no_place_of_the_machine_that_wrote_them() -> None:
    for path in FOLDER.iterdir():
        if is_golden(path):
            content = path.read_bytes()
            assert str(FOLDER.parents[1]).encode() not in content, path.name
            assert b"\r" not in content and b"\x1b" not in content, path.name
