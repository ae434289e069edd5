"""Predictions held against measured runs.

A table of runs is recognised by its columns; what a column means is data (``rules/runs/``). Every
row is predicted with the rules of the call, and what cannot be is listed with its reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from advisor import paths
from advisor.accuracy.figures import Figures, VerdictFigures, figures
from advisor.accuracy.predict import Judged, Prediction, Predictor, Skipped
from advisor.accuracy.shape import read_shapes, recognised
from advisor.accuracy.table import read_table
from advisor.errors import BadCall, Span, said, sentences, suggestion
from advisor.project import Project, shown_name
from advisor.rulebook.model import Text

__all__ = ["Accuracy", "Figures", "Judged", "Prediction", "Skipped", "VerdictFigures", "measure"]


class Accuracy(NamedTuple):
    """What a table of runs says about the rules: predictions, figures, and what is left out.

    ``titles`` are what groups are called in each language, where their names do not say it.
    """

    file: str
    shape: str
    rows: tuple[Prediction | Judged, ...]
    skipped: tuple[Skipped, ...]
    groups: tuple[Figures | VerdictFigures, ...]
    titles: Mapping[str, Text] = {}


def measure(project: Project, path: Path, shown: str, by: str = "") -> Accuracy:
    """Predict every row of a table of measured runs, grouped as its shape says or ``by`` a column.

    Raises FileProblems when the file is no such table, BadCall when it has no such column.
    """
    folder = paths.shipped("rules") / "runs"
    shapes = read_shapes(folder, shown_name(folder), project.book)
    table = read_table(path, shown)
    if by and by not in table.header:
        hint = suggestion(by, table.header) or said("It has: {names}.", names=tuple(table.header))
        raise BadCall(
            sentences(said("--by: {shown} has no column '{by}'.", shown=shown, by=by[:60]), hint)
        )
    shape = recognised(shapes, table.header, Span(shown, 1, 1))
    found = list(Predictor(project, shape).table(table))
    rows = tuple(one for one in found if not isinstance(one, Skipped))
    skipped = tuple(one for one in found if isinstance(one, Skipped))
    if by:
        groups = figures(rows, lambda one: f"{one.quantity} · {one.cells[by] or '(empty)'}")
    else:
        groups = figures(rows, lambda one: one.group)
        named = list(dict.fromkeys(one.name for one in shape.groups))
        groups = tuple(sorted(groups, key=lambda one: _place(one.group, named)))
    titles = {one.name: one.title for one in shape.groups if one.title}
    return Accuracy(shown, shape.name, rows, skipped, groups, titles)


def _place(group: str, named: list[str]) -> int:
    return named.index(group) if group in named else len(named)
