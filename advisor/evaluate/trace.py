"""What an evaluation gives, and what it reads while it runs."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from advisor.errors import Problem
from advisor.rulebook.expr import CALLEES, is_guard
from advisor.rulebook.model import RuleBook
from advisor.scenario import Provided, Scenario


class Unavailable(Exception):
    """A name without a value was read."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class Failed(Exception):
    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


class Names(dict[str, Any]):
    """Values by name; a plain value stands for its own low and high."""

    def __missing__(self, name: str) -> Any:
        if name.endswith((".low", ".high")):
            base = name.rpartition(".")[0]
            if base in self:
                return self[base]
        guarded = is_guard(name)
        if guarded is not None:
            end = guarded.endswith((".low", ".high"))
            return guarded in self or (end and guarded.rpartition(".")[0] in self)
        if name in CALLEES:  # compiled code looks here first and then among its functions
            raise KeyError(name)
        raise Unavailable(name)


class Trace(NamedTuple):
    """What came out, by name.

    ``values`` holds numbers in base units, truths, words, sets and tables, and ``x.low`` /
    ``x.high`` where ``x`` ranges; ``missing`` maps an undecided name to the inputs it lacks;
    ``absent`` are formulas whose ``when`` does not hold; ``failures`` maps a name to what went
    wrong.
    """

    book: RuleBook
    scenario: Scenario
    values: Mapping[str, Any]
    assumed: frozenset[str]
    missing: Mapping[str, frozenset[str]]
    absent: frozenset[str]
    failures: Mapping[str, Problem]

    def number(self, name: str) -> float | None:
        """The likely value of a name, or None when it has none."""
        value = self.values.get(name)
        return value if isinstance(value, float) else None

    def range(self, name: str) -> tuple[float, float, float] | None:
        """Low, likely and high; the three are equal where the name does not range."""
        likely = self.number(name)
        if likely is None:
            return None
        return (
            self.values.get(f"{name}.low", likely),
            likely,
            self.values.get(f"{name}.high", likely),
        )

    def origin(self, name: str) -> Provided | None:
        """Where an input's value came from; None for what is computed or has no value."""
        provided = self.scenario.given.get(name)
        if provided is not None:
            return provided
        if name in self.assumed:
            return Provided(self.values[name], "assumed", "", self.book.inputs[name].origin.span)
        return None
