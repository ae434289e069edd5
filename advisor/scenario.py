"""One planned run: a YAML file, or answers, as typed inputs that say where each value came from."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from advisor import source as reading
from advisor.catalog import Catalogue, Entry, entry_from_config
from advisor.errors import AdvisorError, FileProblems, Problem, Span, suggestion
from advisor.paths import is_inside
from advisor.rulebook.model import Input, RuleBook, Value
from advisor.rulebook.values import BadValue, read_value
from advisor.source import Document, Place

OriginKind = Literal["given", "assumed", "catalogue", "policy", "measured", "project", "trainer"]
KEEP = "keep"
ASSUMED = "assumed"
TODAY = "today"
_MAX_SUGGESTED = 20  # problems get a suggestion; a file of wrong keys must not take minutes


class Provided(NamedTuple):
    """A value somebody provided: ``source`` says who (a file's words, a flag, a catalogue)."""

    value: Value
    origin: OriginKind
    source: str
    span: Span | None = None


class Override(NamedTuple):
    """A value of the file that a flag replaced."""

    name: str
    was: Value
    now: Value
    source: str


class Scenario(NamedTuple):
    """What is given about a run; what is not given is assumed or missing when rules read it.

    ``unsure`` names the inputs that somebody was asked for and did not know: a value given for one
    has the origin ``assumed``, and one without a value is left to the rules' default. ``unknown`` names
    those that a file sets in a way that cannot be read here: no default stands in for them.
    """

    name: str
    given: Mapping[str, Provided]
    keep: frozenset[str] = frozenset()
    overrides: tuple[Override, ...] = ()
    unsure: frozenset[str] = frozenset()
    unknown: frozenset[str] = frozenset()

    def with_values(self, changes: Mapping[str, Value], source: str) -> "Scenario":
        """The scenario with some inputs set, as a remedy does."""
        added = {name: Provided(value, "given", source) for name, value in changes.items()}
        return self._replace(given={**self.given, **added})


@dataclass(slots=True)
class ScenarioReader:
    """Reads scenarios against a rulebook; collects problems and raises them together.

    ``catalogues`` maps the ``of:`` of catalogue inputs to their catalogue; ``today`` is the input
    of that name, in seconds since 1970; ``defaults`` are the project's, used where nobody says.
    """

    book: RuleBook
    catalogues: Mapping[str, Catalogue]
    today: float
    problems: list[Problem] = field(default_factory=list)
    defaults: Mapping[str, Provided] = field(default_factory=dict)

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
                        "a scenario is a map of inputs.",
                        "Write key: value lines.",
                        document.start,
                    )
                ]
            )
        reader = _Block(self, document, folder, document.name)
        keep, unsure = reader.listed(data, KEEP), reader.listed(data, ASSUMED)
        reader.take(data, "")
        given = reader.given
        doubt(given, unsure)
        if TODAY in given:
            where = given[TODAY].span
            self.problems.append(
                Problem("value", "'today' is the day of the call.", "Use --today.", where)
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
        reader = _Block(self, document, None, name)
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
        reader = _Block(self, document, folder, document.name)
        for key in (KEEP, ASSUMED, TODAY):
            if key in block:
                where = document.key_span(block, key)
                reader.report("value", f"'{key}' is no input with a default.", "Drop it.", where)
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

    def typed(
        self, target: Input, raw: Any, source: str, where: Span, folder: Path | None
    ) -> dict[str, Provided]:
        """One value of another program's file, and the facts that a catalogue's entry brings."""
        document = Document(where.file, "", None)
        block = _Block(self, document, folder, source)
        block.value(target, raw, where, Place(0, 0, 0, 0, None))
        return block.given

    def override(
        self, given: dict[str, Provided], settings: Iterable[tuple[str, str]]
    ) -> list[Override]:
        changed: list[Override] = []
        for name, written in settings:
            shown = f"--set {name}={written}"
            if name in (KEEP, ASSUMED, TODAY):
                hint = "Use --today." if name == TODAY else "Write it in the scenario."
                message = f"'{name}' is no input that can be set."
                self.problems.append(Problem("call", message, hint, Span(shown)))
                continue
            try:
                document = reading.read_text(f"{name}: {written}", shown)
            except FileProblems as error:
                self.problems.extend(p._replace(where=Span(shown)) for p in error.problems)
                continue
            if "\n" in written or not isinstance(document.data, reading.Mapping):
                self.problems.append(
                    Problem("call", "this is not one value.", "Write name=value.", Span(shown))
                )
                continue
            block = _Block(self, document, Path.cwd(), shown, confined=False)
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


def doubt(given: dict[str, Provided], unsure: Iterable[str]) -> None:
    """Mark the values that nobody vouches for."""
    for name in unsure:
        if name in given and given[name].origin == "given":
            given[name] = given[name]._replace(origin="assumed")


class _Block:
    """Walks one map of a scenario, typing each value it meets."""

    def __init__(
        self,
        reader: ScenarioReader,
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
                "wrong-type", f"{key}: is a list of input names.", f"Write {key}: [name].", where
            )
            return frozenset()
        for position, name in enumerate(names):
            if not isinstance(name, str) or name not in self.inputs:
                self.report(
                    "unknown-name",
                    f"{key}: names '{str(name)[:60]}', which is no input.",
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
                f"'{name}' is given already in {earlier.span}.",
                "Keep one of them.",
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
                f"'{name}' is a group of inputs, not one.",
                f"Write {name}: {{{key}: …}}.",
                where,
            )
            return
        hint = self.likely(name) if len(self.reader.problems) < _MAX_SUGGESTED else ""
        self.report("unknown-key", f"there is no input '{name[:80]}'.", hint, where)

    def likely(self, name: str) -> str:
        """The input that was meant, maybe: its last word or an alias stands there, or almost."""
        short: dict[str, str] = {}
        for one in self.inputs.values():
            short.setdefault(one.name.rpartition(".")[2], one.name)
            for alias in one.aliases:
                short.setdefault(alias.lower(), one.name)
        last = name.rpartition(".")[2].lower()
        if last in short:
            return f"Did you mean '{short[last]}'?"
        groups = sorted({one.rpartition(".")[0] for one in self.inputs} - {""})
        top = sorted({one.partition(".")[0] for one in self.inputs})
        listed = f"Known at the top: {', '.join(top)}."
        return suggestion(name, [*self.inputs, KEEP, ASSUMED, *groups]) or listed

    def value(self, target: Input, raw: Any, where: Span, place: Place) -> None:
        try:
            value = read_value(target, raw)
        except BadValue as error:
            self.report("value", f"{error.message}.", error.hint, where)
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
                catalogue = self.reader.catalogues.get(target.catalogue)
                if catalogue is None:
                    message = f"'{target.name}' is of the catalogue '{target.catalogue}', "
                    self.report("no-catalogue", f"{message}and there is none.", "", where)
                    return
                found = catalogue.find(name)
        except FileProblems as error:
            self.reader.problems.extend(error.problems)
            return
        except AdvisorError as error:
            self.report("unknown-name", str(error), "", where)
            return
        if found is not None and found.kind != target.catalogue:
            hint = f"Name one of the {target.catalogue}."
            self.report("value", f"'{name[:80]}' describes one of the {found.kind}.", hint, where)
        elif found is not None:
            self.facts(target, found, where)

    def config(self, name: str, where: Span) -> Entry | None:
        if self.folder is None:
            self.report("outside", "a path is not allowed here.", "Name a catalogue entry.", where)
            return None
        path = self.folder / name
        if self.confined and not is_inside(path, self.folder):
            self.report(
                "outside",
                f"'{name[:80]}' leads out of the folder of this file.",
                "Copy the file beside the scenario.",
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
                    f"the rules declare no input '{name}' for this fact.",
                    "Declare it under inputs:, or drop the fact.",
                    span,
                )
                continue
            earlier = self.given.get(name)
            if earlier is not None and earlier.origin == "given":
                continue
            try:
                value = read_value(known, fact.value)
            except BadValue as error:
                self.report("value", f"{error.message}.", error.hint, span)
                continue
            self.given[name] = Provided(value, "catalogue", fact.source, span)

    def inline(self, target: Input, block: reading.Mapping, where: Span) -> None:
        name = block.get("name")
        shown = str(name)[:60] if isinstance(name, str) else "described inline"
        self.given[target.name] = Provided(shown, "given", self.source, where)
