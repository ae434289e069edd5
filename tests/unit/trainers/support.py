"""Trainers' files written inside tests, and what they come to."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import Any

from advisor.project import Project, open_project
from advisor.scenario import Scenario
from advisor.trainers.assemble import Translation, assemble, read_settings
from advisor.trainers.gather import gather
from advisor.trainers.model import Format
from advisor.trainers.runs import Left, Run, Sorter
from advisor.trainers.versions import Versions, versions_of
from tests.support import TODAY

OPEN = object()
"""Stands for an input that a file leaves open: no default may take its place."""

NONE = object()
"""Stands for an input that nothing was said about."""


@cache
def project() -> Project:
    return open_project([], TODAY)


@cache
def formats() -> tuple[Format, ...]:
    return project().formats()


@dataclass(frozen=True, slots=True)
class Read:
    """What files came to."""

    run: Run
    scenario: Scenario
    translation: Translation

    def __getitem__(self, name: str) -> Any:
        """The value of an input, OPEN, or NONE."""
        if name in self.scenario.unknown and name not in self.scenario.given:
            return OPEN
        found = self.scenario.given.get(name)
        return NONE if found is None else found.value

    def origin(self, name: str) -> str:
        return self.scenario.given[name].origin

    def place(self, name: str) -> str:
        """The place of a given value, ``file:line:column``."""
        return str(self.scenario.given[name].span)

    @property
    def trainer(self) -> str:
        return self.translation.trainer

    @property
    def notes(self) -> list[tuple[str, tuple[str, ...]]]:
        return [(one.kind, one.inputs) for one in self.translation.notes]


def runs(
    files: Mapping[str, str], named: list[str] | None = None, wanted: str = ""
) -> list[Run | Left]:
    """The runs of a call over files written to a folder; ``named`` are the paths of the call."""
    with tempfile.TemporaryDirectory() as folder:
        return _runs(Path(folder), files, named, wanted)


def _runs(
    folder: Path, files: Mapping[str, str], named: list[str] | None, wanted: str
) -> list[Run | Left]:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), "utf-8", newline="")
    paths = [folder / one for one in (files if named is None else named)]
    sorter = Sorter(list(gather(paths, [])), project().book.inputs, formats, wanted)
    return list(sorter.runs())


def read(
    text: str,
    name: str = "train.yaml",
    flags: Mapping[str, str] | None = None,
    version: str = "",
    wanted: str = "",
    **others: str,
) -> Read:
    """One file as a call reads it; ``others`` are files beside it by their names (``ds_json`` is
    ``ds.json``)."""
    beside = {key.replace("__", "/").replace("_", "."): one for key, one in others.items()}
    return read_all({name: text, **beside}, flags, version, wanted)


def read_all(
    files: Mapping[str, str],
    flags: Mapping[str, str] | None = None,
    version: str = "",
    wanted: str = "",
) -> Read:
    """The first run of a call over several files."""
    reader = project().reader()
    versions: Versions = versions_of(version) if version else {}
    settings = read_settings(reader, list((flags or {}).items()))
    with tempfile.TemporaryDirectory() as folder:
        run = next(one for one in _runs(Path(folder), files, None, wanted) if isinstance(one, Run))
        assert not run.problems, [str(one) for one in run.problems]
        assert run.sources, "read as a scenario of this program"
        scenario, translation = assemble(reader, run, settings, versions)
    return Read(run, scenario, translation)


def check(found: Read, name: str, expected: Any) -> None:
    """Hold one input against what a table expects; a list stands for a set."""
    value = found[name]
    if isinstance(expected, list):
        target = project().book.inputs[name]
        wanted = frozenset().union(*(target.groups.get(one, {one}) for one in expected))
        assert value == wanted, name
    elif expected is OPEN or expected is NONE:
        assert value is expected, (name, value)
    else:
        assert value == expected, name
