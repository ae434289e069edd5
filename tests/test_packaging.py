"""The built package: what is in it, and that it works installed, away from the checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from email import message_from_string
from pathlib import Path

import pytest

from advisor import __version__
from tests.support import ROOT

pytestmark = pytest.mark.slow
DATA = {"rules": {".yaml", ".md"}, "gpus": {".yaml", ".json", ".md"},
        "models": {".yaml", ".json", ".md"}, "examples": {".yaml"}}  # fmt: skip
CODE = {".py", ".json", ".yaml", ".tcss", ".html", ".css", ".js"}
DAY = ["--today", "2026-11-29"]


def build(source: Path, target: Path, *kinds: str) -> None:
    pytest.importorskip("hatchling", reason="pip install -e '.[build]'")
    flags = [word for kind in kinds for word in ("-t", kind)]
    run([sys.executable, "-m", "hatchling", "build", *flags, "-d", str(target)], source)


def run(command: list[str], folder: Path) -> str:
    """The standard output of a program that ends well, away from this environment."""
    done = start(command, folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def start(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    away = ("PYTHON", "VIRTUAL_ENV", "LC_", "LANG")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(away)}
    return subprocess.run(
        command,
        cwd=folder,
        env={**kept, "LC_ALL": "C.UTF-8", "PYTHONWARNINGS": "error"}
        if "pip" not in command
        else kept,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the source archive of this checkout."""
    folder: Path = tmp_path_factory.mktemp("built")
    build(ROOT, folder, "wheel", "sdist")
    return folder


def only(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(pattern)
    return found


def names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
    assert len(names) == len(set(names))
    return set(names)


def files_under(folder: Path, kinds: set[str]) -> set[str]:
    """The files that belong in a folder, as its name and their paths below it."""
    found = [path.relative_to(folder.parent) for path in folder.rglob("*") if path.is_file()]
    return {
        path.as_posix() for path in found if path.suffix in kinds
        and not any(part.startswith((".", "__pycache__")) for part in path.parts)
    }  # fmt: skip


# -- what is in it --------------------------------------------------------------------------------


def test_the_wheel_holds_the_package_and_its_data_and_nothing_else(built):
    expected = files_under(ROOT / "advisor", CODE)
    for name, kinds in DATA.items():
        found = files_under(ROOT / name, kinds)
        assert found, name
        expected |= {f"advisor/_data/{file}" for file in found}
    about = f"advisor-{__version__}.dist-info/"
    names = names_in(only(built, "*.whl"))
    assert {name for name in names if not name.startswith(about)} == expected
    assert {name.removeprefix(about) for name in names if name.startswith(about)} == {
        "METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE",
    }  # fmt: skip


def test_the_wheel_says_what_it_is(built):
    with zipfile.ZipFile(only(built, "*.whl")) as archive:
        about = f"advisor-{__version__}.dist-info/"
        metadata = message_from_string(archive.read(about + "METADATA").decode())
        entry_points = archive.read(about + "entry_points.txt").decode()
        licence = archive.read(about + "licenses/LICENSE").decode()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert metadata["Name"] == project["name"]
    assert metadata["Version"] == project["version"] == __version__
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Requires-Python"] == ">=3.11"
    assert "advisor = advisor.cli:main" in entry_points
    assert "Apache License" in licence
    needed = [one for one in metadata.get_all("Requires-Dist", []) if "extra ==" not in one]
    assert len(needed) == len(project["dependencies"])


def test_the_source_archive_builds_the_same_wheel(built, tmp_path):
    with tarfile.open(only(built, "*.tar.gz")) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
        archive.extractall(tmp_path, filter="data")
    tops = {name.partition("/")[0] for name in names}
    assert tops == {
        "advisor", "rules", "gpus", "models", "examples", "tests", "docs", ".ci", ".gitignore",
        "LICENSE",
        "README.md", "README.zh.md", "CHANGELOG.md", "CONTRIBUTING.md", "GATE.md",
        "pyproject.toml", "PKG-INFO", ".pre-commit-hooks.yaml", "action.yml",
    }  # fmt: skip
    assert not [name for name in names if "__pycache__" in name or name.endswith((".pyc", "~"))]
    build(only(tmp_path, "advisor-*"), tmp_path / "dist", "wheel")
    again, first = only(tmp_path / "dist", "*.whl"), only(built, "*.whl")
    assert names_in(again) == names_in(first)


# -- that it works --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a fresh environment that holds the wheel and what it needs."""
    folder = tmp_path_factory.mktemp("away")
    venv.create(folder / "venv", with_pip=True)
    programs = folder / "venv" / "bin"
    wheel = str(only(built, "*.whl"))
    run([str(programs / "python"), "-m", "pip", "install", "-q", wheel], folder)
    shutil.copytree(ROOT / "examples", folder / "examples")
    return programs


def examples(folder: Path) -> list[str]:
    found = sorted(path.relative_to(folder).as_posix() for path in folder.glob("examples/*.yaml"))
    assert found
    return found


def test_it_is_installed_away_from_the_checkout(installed):
    where = "import advisor; print(advisor.__file__)"
    shown = run([str(installed / "python"), "-c", where], installed.parents[1]).strip()
    assert Path(shown).is_relative_to(installed.parent)
    assert not Path(shown).is_relative_to(ROOT)


def test_both_ways_to_call_it(installed):
    folder = installed.parents[1]
    said = f"advisor {__version__}\n"
    assert run([str(installed / "advisor"), "--version"], folder) == said
    assert run([str(installed / "python"), "-m", "advisor", "--version"], folder) == said


def test_every_example_comes_out_as_in_the_checkout(installed):
    folder = installed.parents[1]
    for file in examples(folder):
        for form in ("text", "json"):
            arguments = ["check", file, "--format", form, *DAY]
            away = start([str(installed / "advisor"), *arguments], folder)
            here = start([sys.executable, "-m", "advisor", *arguments], ROOT)
            assert away.returncode in (0, 1), away.stdout + away.stderr
            assert away.stderr == ""
            assert (away.returncode, away.stdout) == (here.returncode, here.stdout)


def test_the_shipped_rules_and_catalogues_are_there(installed):
    folder = installed.parents[1]
    advisor = str(installed / "advisor")
    assert run([advisor, "rules", "lint", *DAY], folder).startswith("0 errors")
    assert run([advisor, "rules", "test", *DAY], folder).endswith(", 0 failed\n")
    assert "examples/" in run(
        [advisor, "rules", "diff", "--rules", str(ROOT / "rules/napkin")], folder
    )
    for verb in ("gpus", "models"):
        away = run([advisor, verb], folder)
        assert away == run([sys.executable, "-m", "advisor", verb], ROOT)


def test_a_check_needs_no_terminal_library(installed):
    folder = installed.parents[1]
    python = str(installed / "python")
    gone = ["textual", "rich", "prompt_toolkit"]
    run([python, "-m", "pip", "uninstall", "-q", "-y", *gone], folder)
    for name in gone:
        assert start([python, "-c", f"import {name}"], folder).returncode == 1
    done = start([str(installed / "advisor"), "check", *examples(folder), *DAY], folder)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    assert done.stderr == ""
