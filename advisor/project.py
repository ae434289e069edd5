"""What a call works with: the shipped rules with the layers of the call, and the catalogues."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from advisor import paths
from advisor.catalog import Catalogue
from advisor.errors import FileProblems, Problem
from advisor.project_file import ProjectFile
from advisor.rulebook.load import load
from advisor.rulebook.model import RuleBook
from advisor.scenario import Provided, ScenarioReader
from advisor.waivers import NO_EXCUSE, Excuse, Waiver, excuse, read_waivers

if TYPE_CHECKING:
    from advisor.trainers.model import Format
    from advisor.trainers.writes import Trainer

CATALOGUES = ("gpus", "models")


class Project(NamedTuple):
    """A checked rulebook, the catalogues its inputs name, and the day that counts as today.

    ``file`` is the ``advisor.yaml`` that was read, if any, with its ``defaults`` typed; ``waivers``
    are those of the layers and of that file.
    """

    book: RuleBook
    catalogues: dict[str, Catalogue]
    today: float
    file: ProjectFile | None = None
    defaults: Mapping[str, Provided] = {}
    waivers: tuple[Waiver, ...] = ()

    def reader(self) -> ScenarioReader:
        """A reader of scenarios for this book."""
        return ScenarioReader(self.book, self.catalogues, self.today, defaults=self.defaults)

    def excuse(self, path: str) -> Excuse:
        """What may excuse the failures of the scenario at a path from the working directory on.

        Nothing does for one outside it, whose path is empty.
        """
        return excuse(self.waivers, path, self.today) if path and self.waivers else NO_EXCUSE

    def trainers(self) -> "tuple[Trainer, ...]":
        """What to type in each trainer; read only when a plan has to say it."""
        from advisor.trainers.writes import read_trainers

        folder = paths.shipped("rules") / "trainers"
        return read_trainers(folder, shown_name(folder), self.book.inputs)

    def formats(self) -> "tuple[Format, ...]":
        """How trainers' own files are read; needed when the first of them is met."""
        from advisor.trainers.load import read_formats

        folder = paths.shipped("rules") / "trainers"
        return read_formats(folder, shown_name(folder), self.book.inputs)


def core_rules() -> tuple[Path, str]:
    """The shipped core rules and the name to show for their folder."""
    return paths.shipped("rules") / "core", "rules/core"


def open_project(
    layers: Sequence[Path],
    today: float,
    examples: bool = False,
    file: ProjectFile | None = None,
) -> Project:
    """Load core, the layers of the project's file, and then those of the call.

    ``examples`` reads the examples in them too, which judging does not need. Raises FileProblems
    with every problem of every file.
    """
    if file is not None and file.rules:  # a layer of the call that the file lists has its place
        called = {path.resolve() for path in layers}
        layers = [*(path for path in file.rules if path.resolve() not in called), *layers]
    named = [(path, shown_name(path)) for path in layers]
    book = load(core_rules(), named, today, examples)
    opened = Project(book, open_catalogues(), today, file)
    if file is None and not book.waivers:
        return opened
    return _with_file(opened)


def _with_file(opened: Project) -> Project:
    """The project with its own defaults and every waiver read."""
    file, problems = opened.file, list[Problem]()
    written = list(opened.book.waivers)
    defaults: Mapping[str, Provided] = {}
    if file is not None:
        written += [(entry, file.name) for entry in file.waivers]
        if file.defaults is not None:
            try:
                block = file.defaults.value
                defaults = opened.reader().read_defaults(block, file.document, file.folder)
            except FileProblems as error:
                problems.extend(error.problems)
    waivers: tuple[Waiver, ...] = ()
    try:
        waivers = read_waivers(written, opened.book)
    except FileProblems as error:
        problems.extend(error.problems)
    if problems:
        raise FileProblems(problems)
    return opened._replace(defaults=defaults, waivers=waivers)


def shown_name(path: Path) -> str:
    """How a rules path is shown: shipped ones from ``rules/`` on, others as given."""
    root = paths.shipped("rules").parent
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def open_catalogues() -> dict[str, Catalogue]:
    """The shipped catalogues by the word that ``of:`` uses; nothing is read before a name is."""
    return {name: Catalogue(paths.shipped(name), name) for name in CATALOGUES}


def shipped_layers() -> list[Path]:
    """Every layer that ships beside core: folders and single files, in order of their names."""
    root = paths.shipped("rules")
    found = [root / "napkin"] if (root / "napkin").is_dir() else []
    return [*found, *sorted((root / "ladders").glob("*.yaml"))]
