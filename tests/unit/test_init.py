"""``advisor init``, the pre-commit hook, the action, and the page on gates."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from advisor.cli.app import run
from advisor.project import open_project
from advisor.project_file import read_project_file
from advisor.rulebook.lint import lint
from tests import docs
from tests.support import ROOT, TODAY

GITHUB = {"advisor.yaml", "advisor-rules/team.yaml", ".github/workflows/advisor.yml",
          ".github/CODEOWNERS"}  # fmt: skip
GITLAB = {"advisor.yaml", "advisor-rules/team.yaml", "advisor.gitlab-ci.yml", "CODEOWNERS"}
TEMPLATES = ROOT / "advisor" / "cli" / "templates"


def files(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix() for path in folder.rglob("*")
        if path.is_file() or path.is_symlink()
    }  # fmt: skip


# -- what is written ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "there", "expected"),
    [
        ([], (), GITHUB),
        ([], (".gitlab-ci.yml",), GITLAB),
        (["--ci", "github"], (".gitlab-ci.yml",), GITHUB),
        (["--ci", "gitlab"], (), GITLAB),
        (["--ci", "none"], (), {"advisor.yaml", "advisor-rules/team.yaml", ".github/CODEOWNERS"}),
        ([], ("CODEOWNERS",), GITHUB - {".github/CODEOWNERS"}),
        ([], ("docs/CODEOWNERS",), GITHUB - {".github/CODEOWNERS"}),
    ],
)
def test_which_files(tmp_path, capsys, arguments, there, expected):
    for name in there:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("# mine\n", "utf-8")
    assert run(["init", str(tmp_path), *arguments]) == 0
    assert files(tmp_path) == {*expected, *there}
    out = capsys.readouterr().out
    assert all(f"written: {name}" in out for name in expected)
    assert "code owners" in out
    assert "--config" in out
    for name in there:
        assert (tmp_path / name).read_text("utf-8") == "# mine\n"


def test_existing_owners_get_lines_to_add(tmp_path, capsys):
    (tmp_path / "CODEOWNERS").write_text("* @all\n", "utf-8")
    assert run(["init", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    for path in ("/advisor.yaml", "/advisor-rules/", "/.github/workflows/advisor.yml"):
        assert f"\n{path} @your-team\n" in out


def test_written_owners_are_a_hint_only(tmp_path):
    run(["init", str(tmp_path)])
    lines = (tmp_path / ".github/CODEOWNERS").read_text("utf-8").splitlines()
    assert "# /advisor.yaml @your-team" in lines
    assert all(line.startswith("#") for line in lines), "an unknown owner spoils the whole file"


@pytest.mark.parametrize("spoken", ["en", "zh"])
@pytest.mark.parametrize("ci", ["github", "gitlab"])
def test_what_is_written_works(tmp_path, monkeypatch, capsys, spoken, ci):
    monkeypatch.chdir(tmp_path)
    assert run(["init", "--ci", ci, "--lang", spoken]) == 0
    capsys.readouterr()
    opened = open_project([], TODAY, examples=True, file=read_project_file(Path("advisor.yaml")))
    assert opened.book.layers[-1] == "team"
    assert [one for one in lint(opened.book) if one.where and "team" in one.where.file] == []
    assert run(["check"]) == 2, "nothing to check is never a pass"
    assert "no file is called" in "".join(capsys.readouterr())
    Path("configs").mkdir()
    shutil.copy(ROOT / "examples" / "ocr-qwen-vl-4b.yaml", "configs")
    assert run(["check", "--today", "2026-11-29"]) == 0
    assert "core + team" in capsys.readouterr().out


@pytest.mark.parametrize("spoken", ["en", "zh"])
def test_the_commented_parts_are_right_as_well(tmp_path, spoken):
    text = (TEMPLATES / spoken / "advisor.yaml").read_text("utf-8")
    opened = re.sub(r"^# ((?:defaults|waivers|  .*):?.*)$", r"\1", text, flags=re.MULTILINE)
    assert opened.count("\n#") < text.count("\n#")
    shutil.copytree(TEMPLATES / spoken, tmp_path / "advisor-rules")
    for path in (tmp_path / "advisor-rules").glob("*"):
        if path.name != "team.yaml":
            path.unlink()
    (tmp_path / "advisor.yaml").write_text(opened, "utf-8")
    project = open_project([], TODAY, file=read_project_file(tmp_path / "advisor.yaml"))
    assert len(project.waivers) == 1
    assert project.defaults["hardware.gpu"].value == "RTX 4090"


def test_templates_of_both_languages_differ_in_words_only():
    def plain(path: Path) -> Any:
        return yaml.safe_load(path.read_text("utf-8"))

    names = {path.name for path in (TEMPLATES / "en").iterdir()}
    assert names == {path.name for path in (TEMPLATES / "zh").iterdir()}
    for name in names:
        english, chinese = plain(TEMPLATES / "en" / name), plain(TEMPLATES / "zh" / name)
        assert english == chinese, name


# -- what is left alone ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(GITHUB - {".github/CODEOWNERS"}))
def test_nothing_is_overwritten_and_then_nothing_is_written(tmp_path, capsys, name):
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text("mine", "utf-8")
    assert run(["init", str(tmp_path)]) == 2
    assert f"{name}: exists" in capsys.readouterr().err
    assert files(tmp_path) == {name}
    assert (tmp_path / name).read_text("utf-8") == "mine"


def test_everything_in_the_way_is_listed(tmp_path, capsys):
    assert run(["init", str(tmp_path)]) == 0
    capsys.readouterr()
    assert run(["init", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count(": exists: ") == 3
    assert run(["init", str(tmp_path), "--force"]) == 2


def test_a_link_is_in_the_way_even_if_it_leads_nowhere(tmp_path, capsys):
    (tmp_path / "advisor.yaml").symlink_to(tmp_path / "nowhere")
    assert run(["init", str(tmp_path)]) == 2
    assert files(tmp_path) == {"advisor.yaml"}
    assert not (tmp_path / "nowhere").exists()


def test_a_folder_that_leads_out_is_refused(tmp_path, capsys):
    outside, repository = tmp_path / "outside", tmp_path / "repository"
    outside.mkdir()
    repository.mkdir()
    (repository / ".github").symlink_to(outside)
    assert run(["init", str(repository)]) == 2
    assert "outside" in capsys.readouterr().err
    assert files(outside) == set()
    assert files(repository) == {".github"}


def test_a_write_that_fails_leaves_no_file(tmp_path, capsys):
    (tmp_path / "advisor-rules").write_text("a file where a folder should be", "utf-8")
    assert run(["init", str(tmp_path)]) == 2
    assert "unwritable" in capsys.readouterr().err
    assert files(tmp_path) == {"advisor-rules"}


@pytest.mark.parametrize("name", ["none", "file"])
def test_only_a_folder_will_do(tmp_path, capsys, name):
    (tmp_path / "file").write_text("", "utf-8")
    assert run(["init", str(tmp_path / name)]) == 2
    assert "there is no such folder" in capsys.readouterr().err


# -- the job that init writes ---------------------------------------------------------------------


def steps(name: str) -> list[dict[str, Any]]:
    job = yaml.safe_load((TEMPLATES / "en" / name).read_text("utf-8"))
    found: list[dict[str, Any]] = job["jobs"]["check"]["steps"]
    return found


def test_the_github_job_takes_rules_and_waivers_from_the_base_branch():
    base = next(one for one in steps("github.yaml") if one.get("with", {}).get("path"))
    assert base["with"]["ref"] == "${{ github.event.pull_request.base.sha }}"
    check = next(
        one["run"] for one in steps("github.yaml") if "advisor check" in one.get("run", "")
    )
    assert f"config={base['with']['path']}/advisor.yaml" in check
    assert "${{" not in check, "what a pull request says is never part of a script"


def shell(script: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """A script as a CI runs it, with ``advisor`` being this checkout's and pip being a note."""
    programs = folder / "programs"
    programs.mkdir(exist_ok=True)
    for name, body in {
        "advisor": f'shift; exec "{sys.executable}" -m advisor check --today 2026-11-29 "$@"',
        "python": 'printf "%s\\n" "$@" > installed',
    }.items():
        path = programs / name
        path.write_text(f"#!/bin/sh\n{body}\n", "utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=folder,
        env={
            "PATH": f"{programs}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "LC_ALL": "C.UTF-8",
            **variables,
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a gate and two configurations, of which one does not fit."""
    assert run(["init", str(tmp_path)]) == 0
    (tmp_path / "configs").mkdir()
    for name in ("ocr-qwen-vl-4b.yaml", "qwen2.5-7b-lora-24gb.yaml"):
        shutil.copy(ROOT / "examples" / name, tmp_path / "configs")
    return tmp_path


def test_the_github_job_runs(repository):
    check = next(
        one["run"] for one in steps("github.yaml") if "advisor check" in one.get("run", "")
    )
    done = shell(check, repository)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "::error " in done.stdout
    assert (repository / "advisor.md").stat().st_size > 100
    base = repository / ".advisor-base"
    base.mkdir()
    shutil.copy(repository / "advisor.yaml", base)
    shutil.copytree(repository / "advisor-rules", base / "advisor-rules")
    (repository / "advisor.yaml").write_text("broken", "utf-8")
    done = shell(check, repository)
    assert done.returncode == 1, "the base branch's file judges: " + done.stdout + done.stderr


def test_the_gitlab_job_runs(repository):
    job = yaml.safe_load((TEMPLATES / "en" / "gitlab.yaml").read_text("utf-8"))["advisor"]
    script = "\n".join(line for line in job["script"] if not line.startswith("git "))
    done = shell(script, repository)
    assert done.returncode == 1, done.stdout + done.stderr
    report = repository / job["artifacts"]["reports"]["codequality"]
    assert report.read_text("utf-8").startswith("[")


# -- the action -----------------------------------------------------------------------------------

ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))


def action_script(name: str) -> str:
    return str(next(one["run"] for one in ACTION["runs"]["steps"] if one.get("name") == name))


def test_the_action_is_well_formed():
    assert ACTION["runs"]["using"] == "composite"
    for step in ACTION["runs"]["steps"]:
        assert "uses" in step or step["shell"] == "bash"
        assert "${{" not in step.get("run", ""), "inputs are variables, never part of a script"
    used = set(re.findall(r"inputs\.([\w-]+)", (ROOT / "action.yml").read_text("utf-8")))
    assert used == set(ACTION["inputs"])


def test_the_action_installs_what_is_checked_out(repository):
    shell(action_script("Install advisor"), repository, ADVISOR_SOURCE="/the action")
    told = (repository / "installed").read_text("utf-8").splitlines()
    assert told[:3] == ["-m", "pip", "install"]
    assert told[-1] == "/the action"


@pytest.mark.parametrize(
    ("variables", "code", "told"),
    [
        ({}, 1, "::error "),
        ({"ADVISOR_FILES": "configs/ocr-qwen-vl-4b.yaml\n"}, 0, ""),
        ({"ADVISOR_FILES": "\nconfigs/ocr-qwen-vl-4b.yaml\nconfigs/qwen2.5-7b-lora-24gb.yaml"}, 1,
         "qwen2.5-7b-lora-24gb.yaml"),
        ({"ADVISOR_FILES": "configs/qwen2.5-7b-lora-24gb.yaml",
          "ADVISOR_ARGUMENTS": "--gpu=h200-sxm"}, 0, ""),
        ({"ADVISOR_FILES": "configs/none here.yaml"}, 2, "none here.yaml"),
        ({"ADVISOR_CONFIG": "none.yaml"}, 2, "none.yaml"),
        ({"ADVISOR_FILES": "--help"}, 2, "--help"),
        ({"ADVISOR_FILES": "$(touch hacked) `touch hacked`; touch hacked"}, 2, "touch hacked"),
        ({"ADVISOR_ARGUMENTS": "; touch hacked"}, 2, ""),
    ],
)  # fmt: skip
def test_the_action_checks(repository, variables, code, told):
    empty = dict.fromkeys(("ADVISOR_FILES", "ADVISOR_CONFIG", "ADVISOR_ARGUMENTS"), "")
    done = shell(action_script("Check"), repository, **{**empty, **variables})
    assert done.returncode == code, done.stdout + done.stderr
    assert told in done.stdout + done.stderr
    assert not (repository / "hacked").exists()


# -- pre-commit -----------------------------------------------------------------------------------

(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))


def test_the_hook_is_well_formed():
    assert HOOK["id"] == "advisor-check"
    assert (HOOK["entry"], HOOK["language"]) == ("advisor check", "python")
    assert HOOK["types_or"] == ["yaml", "json"]
    assert HOOK.get("pass_filenames", True)


def git(folder: Path, *arguments: str) -> str:
    name = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        ["git", *name, *arguments],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return done.stdout.strip()


def commit(folder: Path) -> str:
    git(folder, "init", "-q", ".")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "all")
    return git(folder, "rev-parse", "HEAD")


@pytest.mark.slow
def test_pre_commit_runs_the_hook_of_this_checkout(tmp_path):
    pytest.importorskip("pre_commit", reason="pip install -e '.[hooks]'")
    source, repository = tmp_path / "advisor", tmp_path / "repository"
    source.mkdir()
    for name in ("advisor", "rules", "gpus", "models", "examples"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"):
        shutil.copy(ROOT / name, source)
    revision = commit(source)
    (repository / "configs").mkdir(parents=True)
    hook = {"id": "advisor-check", "files": "^configs/", "args": ["--today", "2026-11-29"]}
    config = {"repos": [{"repo": str(source), "rev": revision, "hooks": [hook]}]}
    (repository / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config), "utf-8")
    shutil.copy(ROOT / "examples" / "qwen2.5-7b-lora-24gb.yaml", repository / "configs")
    commit(repository)

    def hooked() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "pre_commit", "run", "--all-files", "--color", "never"],
            cwd=repository,
            env={**os.environ, "PRE_COMMIT_HOME": str(tmp_path / "home"), "LC_ALL": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    done = hooked()
    assert done.returncode == 1, done.stdout + done.stderr
    assert "exit code: 1" in done.stdout
    assert "✗ does not fit   configs/qwen2.5-7b-lora-24gb.yaml" in done.stdout
    shutil.copy(ROOT / "examples" / "ocr-qwen-vl-4b.yaml", repository / "configs")
    (repository / "configs" / "qwen2.5-7b-lora-24gb.yaml").unlink()
    git(repository, "add", "-A")
    assert hooked().returncode == 0


# -- the page -------------------------------------------------------------------------------------


def test_the_page_shows_what_works():
    blocks = {
        re.match(r"# (\S+)\n", block.body)[1]: yaml.safe_load(block.body)  # type: ignore[index]
        for block in docs.blocks((ROOT / "GATE.md").read_text("utf-8"))
    }
    written = yaml.safe_load((TEMPLATES / "en" / "gitlab.yaml").read_text("utf-8"))
    assert blocks["advisor.gitlab-ci.yml"] == written
    (hook,) = blocks[".pre-commit-config.yaml"]["repos"][0]["hooks"]
    assert hook["id"] == HOOK["id"]
    (step,) = [
        one for one in blocks[".github/workflows/advisor.yml"]["jobs"]["check"]["steps"]
        if "advisor@" in one["uses"]
    ]  # fmt: skip
    assert set(step["with"]) <= set(ACTION["inputs"])
