"""The lengths of a data file as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from advisor.errors import Problem
from advisor.lengths.model import Lengths
from advisor.lengths.padding import padding
from advisor.report.problems import in_language


def lengths_json(lengths: Lengths, limit: float | None, batch: int, language: str) -> str:
    """The figures as one JSON document; what padding costs where a limit is given."""
    return _text(lengths_map(lengths, limit, batch, language))


def lengths_map(lengths: Lengths, limit: float | None, batch: int, language: str) -> dict[str, Any]:
    """The figures as plain data."""
    histogram = lengths.histogram
    found: dict[str, Any] = {
        "file": lengths.file,
        "columns": list(lengths.columns),
        "samples": lengths.samples,
        "tokens": {
            "mean": lengths.mean,
            "median": histogram.quantile(0.5),
            "p95": lengths.p95,
            "max": lengths.longest,
            "total": histogram.total,
            "way": lengths.way,
            "low": lengths.low,
            "high": lengths.high,
        },
        "pictures": lengths.pictures,
        "faulty": lengths.faulty,
        "problems": _problems(lengths.problems, language),
    }
    if limit is not None:
        cost = padding(histogram, limit, batch)
        found["padding"] = {"sequence_length": limit, "batch": batch, **cost._asdict()}
    return found


def refusal_json(problems: Iterable[Problem], language: str) -> str:
    """The document of a file that cannot be measured."""
    return _text({"problems": _problems(problems, language)})


def _problems(problems: Iterable[Problem], language: str) -> list[dict[str, Any]]:
    return [
        {
            "code": one.code,
            "level": one.level,
            "message": in_language(one.message, language),
            "hint": in_language(one.hint, language),
            "where": one.where._asdict() if one.where else None,
        }
        for one in problems
    ]


def _text(data: dict[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=True, indent=2, allow_nan=False) + "\n"
