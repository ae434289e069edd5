"""Files and flags into scenarios, every value typed against the rulebook's inputs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from advisor import source as reading
from advisor.catalog import Catalogue, Entry
from advisor.errors import FileProblems, Problem, Span, said
from advisor.rulebook.model import Input, RuleBook
from advisor.scenario.block import Block
from advisor.scenario.data import ASSUMED, KEEP, TODAY, Override, Provided, Scenario, doubt
from advisor.source import Document, Place

MAX_KNOWN = 512
"""Entries of catalogues that a reader remembers."""


@dataclass(slots=True, eq=False, repr=False)
class ScenarioReader:
    """Reads scenarios against a rulebook; collects problems and raises them together.

    ``catalogues`` maps the ``of:`` of catalogue inputs to their catalogue; ``today`` is the input
    of that name, in seconds since 1970; ``defaults`` are the project's, used where nobody says;
    ``known`` are the entries that were read already.
    """

    book: RuleBook
    catalogues: Mapping[str, Catalogue]
    today: float
    problems: list[Problem] = field(default_factory=list)
    defaults: Mapping[str, Provided] = field(default_factory=dict)
    known: dict[tuple[str, str], Entry] = field(default_factory=dict)

    def read(self, path: Path, shown: str, settings: Iterable[tuple[str, str]] = ()) -> Scenario:
        """The scenario of a file with ``settings`` (input name, written value) laid over it.

        Raises FileProblems with everything wrong in the file and the settings.
        """
        document = reading.read_file(path, shown)
        return self.build(document, path.parent, settings)

    def build(
        self, document: Document, folder: Path | None, settings: Iterable[tuple[str, str]] = ()
    ) -> Scenario:
        """The scenario of a document; ``folder`` bounds the files it may name (None: none)."""
        self.problems = []
        data = document.data
        if not isinstance(data, reading.Mapping):
            raise FileProblems(
                [
                    Problem(
                        "wrong-type",
                        said("a scenario is a map of inputs."),
                        said("Write key: value lines."),
                        document.start,
                    )
                ]
            )
        reader = Block(self, document, folder, document.name)
        keep, unsure = reader.listed(data, KEEP), reader.listed(data, ASSUMED)
        reader.take(data, "")
        given = reader.given
        doubt(given, unsure)
        if TODAY in given:
            where = given[TODAY].span
            self.problems.append(
                Problem(
                    "value", said("'today' is the day of the call."), said("Use --today."), where
                )
            )
        overrides = self.override(given, settings)
        if self.problems:
            raise FileProblems(self.problems)
        self.fill(given)
        given[TODAY] = Provided(self.today, "given", "--today")
        return Scenario(document.name, given, keep, tuple(overrides), unsure)

    def from_map(self, data: reading.Mapping, document: Document, name: str) -> Scenario:
        """The scenario of a map inside another file (an example's ``given:``)."""
        self.problems = []
        reader = Block(self, document, None, name)
        keep, unsure = reader.listed(data, KEEP), reader.listed(data, ASSUMED)
        reader.take(data, "")
        doubt(reader.given, unsure)
        if self.problems:
            raise FileProblems(self.problems)
        reader.given.setdefault(TODAY, Provided(self.today, "given", "--today"))
        return Scenario(name, reader.given, keep, unsure=unsure)

    def read_defaults(
        self, block: reading.Mapping, document: Document, folder: Path
    ) -> dict[str, Provided]:
        """A project's own defaults, typed; raises FileProblems with everything wrong in them."""
        self.problems = []
        reader = Block(self, document, folder, document.name)
        for key in (KEEP, ASSUMED, TODAY):
            if key in block:
                where = document.key_span(block, key)
                reader.report(
                    "value",
                    said("'{key}' is no input with a default.", key=key),
                    said("Drop it."),
                    where,
                )
        reader.take(block, "")
        if self.problems:
            raise FileProblems(self.problems)
        return {
            name: one._replace(origin="project") if one.origin == "given" else one
            for name, one in reader.given.items()
        }

    def fill(self, given: dict[str, Provided]) -> None:
        """Take the project's default for what is not given; an entry comes whole or not at all."""
        if not self.defaults:
            return
        entries = [one.name for one in self.book.inputs.values() if one.type == "catalogue"]

        def owner(name: str) -> str:
            return next((e for e in entries if name == e or name.startswith(f"{e}.")), name)

        said = {owner(name) for name in given}
        given.update((n, one) for n, one in self.defaults.items() if owner(n) not in said)

    def find(self, kind: str, name: str) -> Entry | None:
        """The entry of a catalogue, remembered for the next file that names it."""
        known = self.known.get((kind, name))
        if known is not None:
            return known
        catalogue = self.catalogues.get(kind)
        if catalogue is None:
            return None
        if len(self.known) >= MAX_KNOWN:
            self.known.clear()
        return self.known.setdefault((kind, name), catalogue.find(name))

    def typed(
        self, target: Input, raw: Any, source: str, where: Span, folder: Path | None
    ) -> dict[str, Provided]:
        """One value of another program's file, and the facts that a catalogue's entry brings."""
        document = Document(where.file, "", None)
        block = Block(self, document, folder, source)
        block.value(target, raw, where, Place(0, 0, 0, 0, None))
        return block.given

    def override(
        self, given: dict[str, Provided], settings: Iterable[tuple[str, str]]
    ) -> list[Override]:
        changed: list[Override] = []
        for name, written in settings:
            shown = f"--set {name}={written}"
            if name in (KEEP, ASSUMED, TODAY):
                hint = said("Use --today.") if name == TODAY else said("Write it in the scenario.")
                message = said("'{name}' is no input that can be set.", name=name)
                self.problems.append(Problem("call", message, hint, Span(shown)))
                continue
            try:
                document = reading.read_text(f"{name}: {written}", shown)
            except FileProblems as error:
                self.problems.extend(p._replace(where=Span(shown)) for p in error.problems)
                continue
            if "\n" in written or not isinstance(document.data, reading.Mapping):
                self.problems.append(
                    Problem(
                        "call",
                        said("this is not one value."),
                        said("Write name=value."),
                        Span(shown),
                    )
                )
                continue
            block = Block(self, document, Path.cwd(), shown, confined=False)
            before = len(self.problems)
            block.take(document.data, "")
            for index, problem in enumerate(self.problems[before:], start=before):
                if problem.where and problem.where.file == shown:  # a flag has no lines
                    self.problems[index] = problem._replace(where=Span(shown))
            changed.extend(self.lay_over(given, block.given, shown))
        return changed

    def lay_over(
        self, given: dict[str, Provided], new: Mapping[str, Provided], source: str
    ) -> Iterable[Override]:
        """Replace what a flag sets; a fact of an entry goes over nothing that a flag said."""
        for key in new:
            if self.book.inputs[key].type == "catalogue":  # its facts were those of another entry
                for old in [one for one in given if one.startswith(f"{key}.")]:
                    if given[old].span is not None:
                        del given[old]
        for key, provided in new.items():
            before = given.get(key)
            if provided.origin == "catalogue" and before is not None:
                continue
            if before is not None and before.origin == "given" and before.value != provided.value:
                yield Override(key, before.value, provided.value, source)
            given[key] = provided._replace(span=None)
