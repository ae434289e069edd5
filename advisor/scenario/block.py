"""One map of a scenario file into typed values, and the facts of the entries it names."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol

from advisor import source as reading
from advisor.catalog import Entry, entry_from_config
from advisor.errors import AdvisorError, FileProblems, Problem, Span, cause, said, suggestion
from advisor.paths import is_inside
from advisor.rulebook.model import Input, RuleBook
from advisor.rulebook.values import BadValue, read_value
from advisor.scenario.data import ASSUMED, KEEP, Provided
from advisor.source import Document, Place

_MAX_SUGGESTED = 20  # problems get a suggestion; a file of wrong keys must not take minutes


class Reader(Protocol):
    """What a block needs of the reader it belongs to: the rules, entries, and a place for what is
    wrong."""

    book: RuleBook
    problems: list[Problem]

    def find(self, kind: str, name: str) -> Entry | None:
        """The entry of a catalogue; None where there is no such catalogue."""


class Block:
    """Walks one map of a scenario, typing each value it meets."""

    def __init__(
        self,
        reader: Reader,
        document: Document,
        folder: Path | None,
        source: str,
        confined: bool = True,
    ) -> None:
        self.reader = reader
        self.document = document
        self.folder = folder
        self.source = source
        self.confined = confined
        self.given: dict[str, Provided] = {}
        self.inputs = reader.book.inputs

    def report(self, code: str, message: str, hint: str, where: Span) -> None:
        self.reader.problems.append(Problem(code, message, hint, where))

    def listed(self, data: reading.Mapping, key: str) -> frozenset[str]:
        """The input names listed under ``keep`` or ``assumed``."""
        names = data.get(key, [])
        if key not in data:
            return frozenset()
        where = self.document.span(data, key)
        if not isinstance(names, reading.Sequence):
            self.report(
                "wrong-type",
                said("{key}: is a list of input names.", key=key),
                said("Write {key}: [name].", key=key),
                where,
            )
            return frozenset()
        for position, name in enumerate(names):
            if not isinstance(name, str) or name not in self.inputs:
                self.report(
                    "unknown-name",
                    said("{key}: names '{name}', which is no input.", key=key, name=str(name)[:60]),
                    self.close(str(name), self.inputs),
                    self.document.span(names, position),
                )
        return frozenset(map(str, names))

    def take(self, block: reading.Mapping, prefix: str) -> None:
        for key, raw in block.items():
            if not prefix and key in (KEEP, ASSUMED):
                continue
            name = f"{prefix}.{key}" if prefix else key
            where = self.document.span(block, key)
            target = self.inputs.get(name)
            if isinstance(raw, reading.Mapping) and (target is None or target.type == "catalogue"):
                if target is None and not self.group(name):
                    self.unknown(name, self.document.key_span(block, key))
                    continue
                if target is not None and not self.is_free(name, where):
                    continue
                if target is not None:
                    self.inline(target, raw, where)
                self.take(raw, name)
            elif target is None:
                self.unknown(name, self.document.key_span(block, key))
            elif self.is_free(name, where):
                self.value(target, raw, where, block.values_at[key])

    def group(self, name: str) -> list[str]:
        """The inputs below a name."""
        start = name + "."
        return [known for known in self.inputs if known.startswith(start)]

    def close(self, word: str, known: Iterable[str]) -> str:
        few = len(self.reader.problems) < _MAX_SUGGESTED
        return suggestion(word, known) if few else ""

    def is_free(self, name: str, where: Span) -> bool:
        earlier = self.given.get(name)
        if earlier is not None and earlier.origin == "given" and earlier.span is not None:
            self.report(
                "duplicate-key",
                said("'{name}' is given already in {where}.", name=name, where=earlier.span),
                said("Keep one of them."),
                where,
            )
            return False
        return True

    def unknown(self, name: str, where: Span) -> None:
        below = self.group(name)
        if below:
            key = below[0].removeprefix(name + ".")
            self.report(
                "wrong-type",
                said("'{name}' is a group of inputs, not one.", name=name),
                said("Write {name}: {{{key}: …}}.", name=name, key=key),
                where,
            )
            return
        hint = self.likely(name) if len(self.reader.problems) < _MAX_SUGGESTED else ""
        self.report("unknown-key", said("there is no input '{name}'.", name=name[:80]), hint, where)

    def likely(self, name: str) -> str:
        """The input that was meant, maybe: its last word or an alias stands there, or almost."""
        short: dict[str, str] = {}
        for one in self.inputs.values():
            short.setdefault(one.name.rpartition(".")[2], one.name)
            for alias in one.aliases:
                short.setdefault(alias.lower(), one.name)
        last = name.rpartition(".")[2].lower()
        if last in short:
            return said("Did you mean '{name}'?", name=short[last])
        groups = sorted({one.rpartition(".")[0] for one in self.inputs} - {""})
        top = sorted({one.partition(".")[0] for one in self.inputs})
        listed = said("Known at the top: {names}.", names=tuple(top))
        return suggestion(name, [*self.inputs, KEEP, ASSUMED, *groups]) or listed

    def value(self, target: Input, raw: Any, where: Span, place: Place) -> None:
        try:
            value = read_value(target, raw)
        except BadValue as error:
            self.report("value", said("{message}.", message=error.message), error.hint, where)
            return
        if target.type == "catalogue":
            self.entry(target, str(value), where)
            return
        self.given[target.name] = Provided(value, "given", self.source, where)

    # -- catalogue entries ------------------------------------------------------------------------

    def entry(self, target: Input, name: str, where: Span) -> None:
        try:
            if name.endswith(".json"):
                found = self.config(name, where)
            else:
                found = self.reader.find(target.catalogue, name)
                if found is None:
                    message = said(
                        "'{name}' is of the catalogue '{catalogue}', and there is none.",
                        name=target.name,
                        catalogue=target.catalogue,
                    )
                    self.report("no-catalogue", message, "", where)
                    return
        except FileProblems as error:
            self.reader.problems.extend(error.problems)
            return
        except AdvisorError as error:
            self.report("unknown-name", cause(error), "", where)
            return
        if found is not None and found.kind != target.catalogue:
            hint = said("Name one of the {catalogue}.", catalogue=target.catalogue)
            self.report(
                "value",
                said("'{name}' describes one of the {kind}.", name=name[:80], kind=found.kind),
                hint,
                where,
            )
        elif found is not None:
            self.facts(target, found, where)

    def config(self, name: str, where: Span) -> Entry | None:
        if self.folder is None:
            self.report(
                "outside",
                said("a path is not allowed here."),
                said("Name a catalogue entry."),
                where,
            )
            return None
        path = self.folder / name
        if self.confined and not is_inside(path, self.folder):
            self.report(
                "outside",
                said("'{name}' leads out of the folder of this file.", name=name[:80]),
                said("Copy the file beside the scenario."),
                where,
            )
            return None
        return entry_from_config(reading.read_file(path, str(path)))

    def facts(self, target: Input, entry: Entry, where: Span) -> None:
        self.given[target.name] = Provided(entry.name, "given", self.source, where)
        for fact_name, fact in entry.facts.items():
            name = f"{target.name}.{fact_name}"
            known = self.inputs.get(name)
            span = fact.span or Span(entry.path)
            if known is None:
                self.report(
                    "unknown-key",
                    said("the rules declare no input '{name}' for this fact.", name=name),
                    said("Declare it under inputs:, or drop the fact."),
                    span,
                )
                continue
            earlier = self.given.get(name)
            if earlier is not None and earlier.origin == "given":
                continue
            try:
                value = read_value(known, fact.value)
            except BadValue as error:
                self.report("value", said("{message}.", message=error.message), error.hint, span)
                continue
            self.given[name] = Provided(value, "catalogue", fact.source, span)

    def inline(self, target: Input, block: reading.Mapping, where: Span) -> None:
        name = block.get("name")
        shown = str(name)[:60] if isinstance(name, str) else "described inline"
        self.given[target.name] = Provided(shown, "given", self.source, where)
