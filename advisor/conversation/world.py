"""What every line of a conversation is held against: the rules, the catalogues, and the day."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from advisor.check import CheckResult, check
from advisor.conversation.marks import Marker
from advisor.conversation.names import Shelf, shelves
from advisor.conversation.spoken import words
from advisor.conversation.state import State
from advisor.conversation.vocabulary import vocabulary
from advisor.conversation.writing import scenario_text
from advisor.errors import AdvisorError
from advisor.evaluate import Engine
from advisor.project import Project
from advisor.rulebook.model import Input, RuleBook, Value
from advisor.scenario import Provided, Scenario, ScenarioReader
from advisor.source import Document, read_text

NAME = "answers"
"""What the scenario of a conversation is called where a file would be named."""
_REMEMBERED = 64


class World:
    """The rules applied to states. It keeps what it worked out for the last few of them.

    ``folder`` bounds the files that an answer may name (a model's config.json).
    """

    def __init__(self, project: Project, folder: Path | None = None) -> None:
        self.project = project
        self.folder = folder
        self.engine = Engine(project.book)
        self.shelves: Mapping[str, Shelf] = shelves(project.catalogues)
        self._reader = ScenarioReader(
            project.book, self.shelves, project.today, defaults=project.defaults
        )
        self._checks: dict[str, CheckResult] = {}
        self._brought: dict[tuple[str, str], Mapping[str, Provided]] = {}

    @cached_property
    def marker(self) -> Marker:
        """What finds words in a line; made for the first line, after the first question."""
        return Marker(words(), vocabulary(self.book), self.shelves)

    @property
    def book(self) -> RuleBook:
        return self.project.book

    def scenario(self, state: State) -> Scenario:
        """The scenario of a state's answers; raises FileProblems where a file it names is wrong."""
        return self._read(scenario_text(self.book, state))

    def _read(self, text: str) -> Scenario:
        return self.read(read_text(text, NAME))

    def read(self, document: Document, folder: Path | None = None) -> Scenario:
        """The scenario of a document, the files it names below a folder; raises FileProblems."""
        return self._reader.build(document, folder or self.folder)

    def check(self, state: State, keep: tuple[str, ...] = ()) -> CheckResult:
        """What the rules say to a state's answers; the plan also leaves ``keep`` alone."""
        text = scenario_text(self.book, state, keep=keep)
        if text not in self._checks:
            while len(self._checks) >= _REMEMBERED:
                del self._checks[next(iter(self._checks))]
            try:
                self._checks[text] = check(self.engine, self._read(text), fast=True)
            except AdvisorError as error:
                self._checks[text] = CheckResult(NAME, problems=error.problems)
        return self._checks[text]

    def vary(self, scenario: Scenario, name: str, value: Value) -> Scenario:
        """The scenario with one input otherwise; an entry brings its facts."""
        if self.book.inputs[name].type != "catalogue":
            return scenario.with_values({name: value}, "what if")
        given: dict[str, Provided] = {
            known: provided
            for known, provided in scenario.given.items()
            if not (known.startswith(f"{name}.") and provided.origin == "catalogue")
        }
        for _ in self._reader.lay_over(given, self._facts(name, str(value)), "what if"):
            pass  # what it replaces is no news here
        return scenario._replace(given=given)

    def _facts(self, name: str, entry: str) -> Mapping[str, Provided]:
        """An entry's name and facts, typed; remembered, because entries are tried every turn."""
        known = self._brought.get((name, entry))
        if known is None:
            while len(self._brought) >= _REMEMBERED:
                del self._brought[next(iter(self._brought))]
            facts: dict[str, Provided] = {}
            self._reader.problems = []
            self._reader.override(facts, [(name, _quoted(entry))])
            known = self._brought[name, entry] = facts
        return known

    def entry_name(self, target: Input, identifier: str) -> str:
        """The name of an entry as people write it; its id where only that finds it."""
        shelf = self.shelves[target.catalogue]
        try:
            name = shelf.find(identifier).name
        except AdvisorError:
            return identifier
        return name if shelf.exactly(name) == (identifier,) else identifier

    def meant(self, target: Input, candidate: Value) -> Value:
        """What a person's vague words may mean, as an answer: of an entry's id its name."""
        if target.type == "catalogue":
            return self.entry_name(target, str(candidate))
        return candidate

    def typical(self, target: Input) -> tuple[Value, ...]:
        """The typical values of an input; of a catalogue's, the names of entries that are there."""
        if target.type != "catalogue":
            return target.typical
        shelf = self.shelves.get(target.catalogue)
        if shelf is None:
            return ()
        ids = [shelf.exactly(str(value)) for value in target.typical]
        return tuple(self.entry_name(target, one[0]) for one in ids if len(one) == 1)


def _quoted(name: str) -> str:
    return "'" + name.replace("'", "''") + "'"
