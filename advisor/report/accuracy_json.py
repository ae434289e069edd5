"""Predictions beside measured runs as one JSON document."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from advisor.accuracy import Accuracy, Judged, Prediction
from advisor.errors import Problem
from advisor.report.problems import problem_line

DIGITS = 9
"""Significant digits of every number: more than a measurement has, and the same everywhere."""


def accuracy_json(accuracy: Accuracy) -> str:
    """The document as text: memory in GiB on each GPU, time in seconds of one optimizer step."""
    return _text(
        [_row(one) for one in accuracy.rows],
        [{"id": one.id, "reason": one.reason} for one in accuracy.skipped],
        [_rounded(one._asdict()) for one in accuracy.groups],
    )


def refusal_json(file: str, problems: Iterable[Problem], language: str) -> str:
    """The document of a call that read nothing."""
    return _text([], [{"id": file, "reason": problem_line(one, language)} for one in problems], [])


def _row(one: Prediction | Judged) -> dict[str, Any]:
    head = {"id": one.id, "quantity": one.quantity, "measured": one.measured}
    if isinstance(one, Judged):
        return {**head, "predicted": one.predicted}
    figures = {"low": one.low, "predicted": one.predicted, "high": one.high}
    return _rounded({**head, **figures, "from": one.source, "unit": one.unit})


def _rounded(data: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value
        for key, value in data.items()
    }


def _text(rows: list[Any], skipped: list[Any], groups: list[Any]) -> str:
    document = {"rows": rows, "skipped": skipped, "groups": groups}
    lines = []
    for key, values in document.items():  # one row a line: thousands of them stay readable
        inner = ",\n".join("    " + json.dumps(one, allow_nan=False) for one in values)
        lines.append(f'  "{key}": [\n{inner}\n  ]' if values else f'  "{key}": []')
    return "{\n" + ",\n".join(lines) + "\n}\n"
