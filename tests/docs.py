"""What is generated: the outputs that the documents show, and the schema of scenario files.

``python -m tests.docs`` writes all of it anew; tests/test_docs.py fails while something differs.

In a document a ``yaml`` block that starts with ``# NAME.yaml`` is that file, and a ``console``
block is a command, ``$ advisor …``, with all that it prints. Commands run in a folder that holds
the files and ``examples/``. Nothing of the output is normalised; ``--today`` fixes the day.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from advisor.cli.exits import Exit
from advisor.project import open_project
from advisor.report.scenario_schema import scenario_schema_text
from advisor.units import parse_date

ROOT = Path(__file__).parents[1]
CHINESE = {"README.md": "README.zh.md", "rules/README.md": "rules/README.zh.md"}
"""Documents and their Chinese counterparts, which say and show the same."""
DOCUMENTS = (*CHINESE, *CHINESE.values())
SCENARIO_SCHEMA = "advisor/schemas/scenario.schema.json"
TODAY = "2026-11-29"
DATED = ("check", "explain", "rules")
ECHO = "; echo $?"
_BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"# (?P<name>(?:[\w-]+/)?[\w.-]+\.yaml)\n")


class Block(NamedTuple):
    """A fenced block of a document: its language, its text, the line where it starts."""

    kind: str
    body: str
    line: int

    @property
    def file(self) -> str:
        """The name of the file that a yaml block is; empty when it has none."""
        named = _NAME.match(self.body)
        return named["name"] if named else ""


def blocks(text: str) -> list[Block]:
    """Every fenced block of a document."""
    return [
        Block(found["kind"], found["body"], text.count("\n", 0, found.start()) + 1)
        for found in _BLOCK.finditer(text)
    ]


def write_files(text: str, folder: Path) -> None:
    """Write the files of a document into a folder, beside the shipped examples."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    for block in blocks(text):
        if block.file:
            path = folder / block.file
            path.parent.mkdir(exist_ok=True)
            path.write_text(block.body, "utf-8")


def regenerated(text: str) -> str:
    """The document with what its commands print now."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(text, folder)

        def renew(found: re.Match[str]) -> str:
            if found["kind"] != "console":
                return found[0]
            command = found["body"].partition("\n")[0]
            return f"```console\n{command}\n{output(command, folder)}```"

        return _BLOCK.sub(renew, text)


def output(command: str, folder: Path) -> str:
    """What ``$ advisor …`` prints, and its exit code where ``; echo $?`` asks for it."""
    prompt, program, *arguments = shlex.split(command.removesuffix(ECHO))
    if (prompt, program) != ("$", "advisor"):
        raise ValueError(f"a console block starts with '$ advisor', not '{command}'")
    dated = ["--today", TODAY] if arguments[0] in DATED else []
    done = subprocess.run(
        [sys.executable, "-m", "advisor", *arguments, *dated],
        cwd=folder,
        env={**_environment(), "LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    if done.returncode == Exit.BUG:
        raise RuntimeError(f"{command}\n{done.stdout}")
    return done.stdout + (f"{done.returncode}\n" if command.endswith(ECHO) else "")


def _environment() -> dict[str, str]:
    spoken = ("LC_", "LANG", "PYTHON", "NO_COLOR", "TERM", "COLUMNS")
    return {key: value for key, value in os.environ.items() if not key.startswith(spoken)}


def scenario_schema() -> str:
    """The schema of scenario files as the core inputs say it."""
    return scenario_schema_text(open_project([], parse_date(TODAY)).book)


def main() -> None:
    """Write everything generated anew."""
    new = {name: regenerated((ROOT / name).read_text("utf-8")) for name in DOCUMENTS}
    for name, text in {**new, SCENARIO_SCHEMA: scenario_schema()}.items():
        path = ROOT / name
        changed = not path.is_file() or path.read_text("utf-8") != text
        if changed:
            path.write_text(text, "utf-8")
        print(f"{name}: {'written' if changed else 'as it was'}")


if __name__ == "__main__":
    main()
