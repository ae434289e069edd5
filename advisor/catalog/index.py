"""The index of a catalogue folder: folded name -> ids, id -> file. Generated, never edited.

``python -m advisor.catalog.index gpus models`` rewrites ``index.json`` in both folders.
"""

from __future__ import annotations

import json
from pathlib import Path

from advisor.catalog.folder import INDEX, Catalogue, entry_names
from advisor.catalog.names import forms
from advisor.source import Document


def build_index(folder: Path) -> str:
    """The text of ``index.json`` for a folder; its name says what it holds."""
    kind = folder.name
    ids: dict[str, set[str]] = {}
    shared: dict[str, set[str]] = {}
    files: dict[str, str] = {}
    for document in Catalogue(folder, kind).documents():
        family = family_of(document)
        for identifier, found in entry_names(document, kind).items():
            files[identifier] = document.name.rpartition("/")[2]
            for name in found:
                for form in forms(name, kind):
                    ids.setdefault(form, set()).add(identifier)
            for form in forms(family, kind):
                shared.setdefault(form, set()).add(identifier)
    # A family's name stands for all its members, unless it is already the name of one.
    ids = shared | ids
    names = {form: sorted(known) for form, known in ids.items()}
    whole = {"names": names, "files": files}
    return json.dumps(whole, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def family_of(document: Document) -> str:
    """The family a file describes; a GPU's file describes none."""
    family = document.data.get("family", "")
    return family if isinstance(family, str) else ""


def write_index(folder: Path) -> bool:
    """Rewrite a folder's index; True when it changed."""
    text, path = build_index(folder), folder / INDEX
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return False
    path.write_text(text, encoding="utf-8")
    return True


if __name__ == "__main__":
    import sys

    for argument in sys.argv[1:] or ("gpus", "models"):
        changed = write_index(Path(argument).resolve())
        sys.stderr.write(f"{argument}/{INDEX}: {'written' if changed else 'as it was'}\n")
