"""The index of a catalogue folder: folded name -> ids, id -> file. Generated, never edited.

``python -m advisor.catalog.index gpus models`` rewrites ``index.json`` in both folders.
"""

from __future__ import annotations

import json
from pathlib import Path

from advisor.catalog.folder import INDEX, Catalogue, entry_names
from advisor.catalog.names import forms


def build_index(folder: Path) -> str:
    """The text of ``index.json`` for a folder; its name says what it holds."""
    kind = folder.name
    ids: dict[str, set[str]] = {}
    files: dict[str, str] = {}
    for document in Catalogue(folder, kind).documents():
        for identifier, found in entry_names(document, kind).items():
            files[identifier] = document.name.rpartition("/")[2]
            for name in found:
                for form in forms(name, kind):
                    ids.setdefault(form, set()).add(identifier)
    names = {form: sorted(known) for form, known in ids.items()}
    whole = {"names": names, "files": files}
    return json.dumps(whole, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


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
