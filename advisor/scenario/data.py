"""What a scenario is: values that say where they came from, and what a flag replaced."""

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from advisor.errors import Span
from advisor.rulebook.model import Value

OriginKind = Literal["given", "assumed", "catalogue", "policy", "measured", "project", "trainer"]
KEEP = "keep"
ASSUMED = "assumed"
TODAY = "today"


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
    has the origin ``assumed``, and one without a value is left to the rules' default. ``unknown``
    names those that a file sets in a way that cannot be read here: no default stands in for them.
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


def doubt(given: dict[str, Provided], unsure: Iterable[str]) -> None:
    """Mark the values that nobody vouches for."""
    for name in unsure:
        if name in given and given[name].origin == "given":
            given[name] = given[name]._replace(origin="assumed")
