"""How trainers' own files were read, as a part of the JSON document."""

from __future__ import annotations

from typing import Any

from advisor.report.json import problem_map, where_map
from advisor.report.translation_text import note_text
from advisor.trainers.assemble import Translation


def translation_map(translation: Translation, language: str) -> dict[str, Any]:
    """What each file was taken for, what was left open or out, and where each value stands."""
    return {
        "trainer": translation.trainer,
        "sources": [
            {
                "file": one.document.name,
                "trainer": one.format.name,
                "title": one.format.title,
                "role": one.format.role,
                "confidence": one.confidence,
                "because": list(one.because),
                "known": round(one.share, 4),
                "others": list(one.others),
            }
            for one in translation.sources
        ],
        "notes": [
            {
                "kind": one.kind,
                "inputs": list(one.inputs),
                "shown": one.shown,
                "text": note_text(one, language),
                "where": where_map(one.where),
            }
            for one in translation.notes
        ],
        "warnings": [problem_map(one, language) for one in translation.warnings],
        "keys": {
            name: {"key": one.found.path, "where": where_map(one.found.span)}
            for name, one in translation.places.items()
        },
    }
