"""The catalogues as folders: found through the index, and one file read for one name."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from advisor.catalog import names
from advisor.catalog.entries import Entry
from advisor.errors import FileProblems, Problem, Span, said
from advisor.source import Document, read_bytes, read_file

INDEX = "index.json"
_MAX_INDEX = 4 << 20


class Index(NamedTuple):
    """What index.json holds: ids by folded name, and files by id."""

    names: dict[str, list[str]]
    files: dict[str, str]


class Catalogue(NamedTuple):
    """The folder ``gpus`` or ``models``; ``kind`` is that word."""

    folder: Path
    kind: str

    def find(self, name: str, where: Span | None = None) -> Entry:
        """The entry with this name or alias.

        Raises NotInCatalogue (with close names), AmbiguousName (with the candidates), and
        FileProblems where the catalogue itself is broken. ``where`` is the place that names it.
        """
        index = self.read_index()
        forms = names.forms(name[: names.MAX_NAME], self.kind)
        found = next((index.names[form] for form in forms if form in index.names), [])
        if not found:  # perhaps the points of its numbers were left out
            bare = {form.replace(".", "") for form in forms}
            meant = (ids for form, ids in index.names.items() if form.replace(".", "") in bare)
            found = sorted({one for ids in meant for one in ids})
        if not found:
            raise names.unknown(name, self.kind, index.names, where)
        if len(found) > 1:
            raise names.ambiguous(name, self.kind, found, where)
        return read_entry(self._document(index.files[found[0]]), self.kind, found[0])

    def with_word(self, word: str) -> list[Entry]:
        """The entries with a name or alias that holds a word, as all of a family: ``qwen2.5``."""
        wanted = names.fold(word[: names.MAX_NAME], self.kind)
        found = self.read_index().names.items() if wanted else ()
        ids = {one for form, every in found if wanted in form for one in every}
        return [entry for entry in self.entries() if entry.id in ids] if ids else []

    def ids(self) -> list[str]:
        """Every entry's id, sorted."""
        return sorted(self.read_index().files)

    def entries(self) -> Iterator[Entry]:
        """Every entry, by file and then in the file's order; reads the whole folder."""
        for document in self.documents():
            for identifier in entry_names(document, self.kind):
                yield read_entry(document, self.kind, identifier)

    def documents(self) -> Iterator[Document]:
        """Every file of the folder but the index."""
        for path in sorted(self.folder.glob("*.yaml")):
            yield self._document(path.name)

    def _document(self, file: str) -> Document:
        return read_file(self.folder / file, f"{self.folder.name}/{file}")

    def read_index(self) -> Index:
        """The folder's index; raises FileProblems when it is missing or broken."""
        shown = f"{self.folder.name}/{INDEX}"
        try:
            data = json.loads(read_bytes(self.folder / INDEX, shown, _MAX_INDEX))
            return Index(dict(data["names"]), dict(data["files"]))
        except (ValueError, KeyError, TypeError, RecursionError):
            hint = said("Write it anew: python -m advisor.catalog.index gpus models")
            raise FileProblems(
                [Problem("index", said("not an index."), hint, Span(shown))]
            ) from None


def entry_names(document: Document, kind: str) -> dict[str, tuple[str, ...]]:
    """The ids in a file, each with every name it goes by (unfolded)."""
    if kind == "gpus":
        from advisor.catalog.gpu_file import names_of
    else:
        from advisor.catalog.model_file import names_of
    return names_of(document)


def read_entry(document: Document, kind: str, identifier: str) -> Entry:
    """The entry of one id. A run that needs no model does not load what models need."""
    if kind == "gpus":
        from advisor.catalog.gpu_file import read_gpu

        return read_gpu(document)
    from advisor.catalog.model_file import read_model

    return read_model(document, identifier)
