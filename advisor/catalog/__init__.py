"""GPUs and models: folders of YAML files with facts and sources, and a model's config.json."""

from __future__ import annotations

from advisor.catalog.entries import Entry, Fact
from advisor.catalog.folder import Catalogue
from advisor.catalog.names import AmbiguousName, NotInCatalogue
from advisor.source import Document

__all__ = [
    "AmbiguousName",
    "Catalogue",
    "Entry",
    "Fact",
    "NotInCatalogue",
    "entry_from_config",
]


def entry_from_config(document: Document) -> Entry:
    """The entry of a model described by a Hugging Face config.json (see ``huggingface``)."""
    from advisor.catalog import huggingface

    return huggingface.entry_from_config(document)
