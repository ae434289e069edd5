"""What a call works with: the shipped rules with the caller's layers, and the shipped catalogues."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from advisor import paths
from advisor.catalog import Catalogue
from advisor.rulebook.load import load
from advisor.rulebook.model import RuleBook
from advisor.scenario import ScenarioReader

if TYPE_CHECKING:
    from advisor.trainers.writes import Trainer

CATALOGUES = ("gpus", "models")


class Project(NamedTuple):
    """A checked rulebook, the catalogues its inputs name, and the day that counts as today."""

    book: RuleBook
    catalogues: dict[str, Catalogue]
    today: float

    def reader(self) -> ScenarioReader:
        """A reader of scenarios for this book."""
        return ScenarioReader(self.book, self.catalogues, self.today)

    def trainers(self) -> "tuple[Trainer, ...]":
        """What to type in each trainer; read only when a plan has to say it."""
        from advisor.trainers.writes import read_trainers

        folder = paths.shipped("rules") / "trainers"
        return read_trainers(folder, shown_name(folder), self.book.inputs)


def core_rules() -> tuple[Path, str]:
    """The shipped core rules and the name to show for their folder."""
    return paths.shipped("rules") / "core", "rules/core"


def open_project(layers: Sequence[Path], today: float, examples: bool = False) -> Project:
    """Load core and the layers; raises FileProblems with every problem of every file.

    ``examples`` reads the examples in them too, which judging does not need.
    """
    named = [(path, shown_name(path)) for path in layers]
    book = load(core_rules(), named, today, examples)
    return Project(book, open_catalogues(), today)


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
