"""A rulebook applied to a scenario: every value with its state, as data.

Names are computed in the book's order, so that no chain of rules is too deep. What cannot be known
is remembered and only counts where it is read: an input nobody gave makes undecided exactly the
quantities that need it, a division by zero fails only the branch that is taken.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from advisor.errors import Problem
from advisor.evaluate.run import Run, Stale
from advisor.evaluate.trace import Failed, Trace, Unavailable
from advisor.rulebook import graph
from advisor.rulebook.model import Located, RuleBook
from advisor.scenario import Scenario

__all__ = ["Engine", "Reader", "Reading", "Trace"]


class Reading(NamedTuple):
    """What an expression outside the formulas gives: a value, the inputs it lacks, or a problem."""

    value: Any = None
    missing: frozenset[str] = frozenset()
    problem: Problem | None = None

    @property
    def known(self) -> bool:
        return self.problem is None and self.value is not None


class Reader:
    """Evaluates expressions outside the formulas (a policy's, a remedy's) over a trace.

    ``extra`` names come on top of the trace's.
    """

    def __init__(
        self, trace: Trace, fast: bool = False, extra: Mapping[str, Any] | None = None
    ) -> None:
        self._run = Run(trace.book, trace.scenario, fast, trace, extra)

    def __call__(self, located: Located) -> Reading:
        run = self._run
        try:
            return Reading(run.of(located))
        except Failed as error:
            return Reading(problem=error.problem)
        except Unavailable as error:
            always = [name for name in located.expression.always if name not in run.names]
            run.lacks("", [error.name, *always], located)
            return Reading(
                missing=run.missing.pop("", frozenset()), problem=run.failures.pop("", None)
            )


class _Rests(NamedTuple):
    """All that rests on changed inputs (ends too), what of it the targets do without, and what they
    need of it, in order."""

    names: frozenset[str]
    gone: frozenset[str]
    order: tuple[Stale, ...]


def _with_ends(names: Iterable[str]) -> frozenset[str]:
    return frozenset(one for name in names for one in (name, *_ends(name)))


def _ends(name: str) -> tuple[str, str]:
    return f"{name}.low", f"{name}.high"


class Engine:
    """Evaluates one rulebook; keeps nothing between calls but orders of computing."""

    def __init__(self, book: RuleBook) -> None:
        self.book = book
        self._plans: dict[frozenset[str], tuple[str, ...]] = {}
        self._readers: dict[str, set[str]] = {}
        self._stale_by: dict[tuple[frozenset[str], frozenset[str]], _Rests] = {}

    def run(
        self, scenario: Scenario, targets: Iterable[str] | None = None, fast: bool = False
    ) -> Trace:
        """Compute the targets and all they rest on, or everything.

        ``fast`` evaluates the same trees as code objects instead of with simpleeval; the results
        are equal.
        """
        order = self.book.order if targets is None else self._plan(frozenset(targets))
        return Run(self.book, scenario, fast).compute(order)

    def rerun(
        self, before: Trace, scenario: Scenario, targets: Iterable[str], fast: bool = False
    ) -> Trace:
        """What ``run`` gives, for a scenario that gives some inputs otherwise than ``before`` did.

        Only what rests on those inputs, and what reads something that came out otherwise, is
        computed; ``before`` must hold the targets already.
        """
        old, new = before.scenario.given, scenario.given
        changed = frozenset(name for name in {**old, **new} if old.get(name) is not new.get(name))
        stale = self._stale(changed, frozenset(targets))
        run = Run(self.book, scenario, fast)
        run.take_over(before, stale.gone)
        return run.renew(stale.order, changed)

    def rests_on(self, names: Iterable[str], changed: Iterable[str]) -> bool:
        """Whether a change of some names can change one of the others."""
        return not self._stale(frozenset(changed), frozenset()).names.isdisjoint(names)

    def _stale(self, changed: frozenset[str], targets: frozenset[str]) -> _Rests:
        known = self._stale_by.get((changed, targets))
        if known is None:
            if not self._readers:
                self._readers = graph.reversed_reads(self.book.reads)
            names = graph.closure(changed, self._readers)
            needed = [name for name in self._plan(targets) if name in names]
            gone = _with_ends(names.difference(needed))
            reads = self.book.reads
            order = tuple(Stale(name, reads[name], *_ends(name)) for name in needed)
            known = self._stale_by[changed, targets] = _Rests(_with_ends(names), gone, order)
        return known

    def _plan(self, targets: frozenset[str]) -> tuple[str, ...]:
        if targets not in self._plans:
            needed = graph.closure(targets, self.book.reads)
            self._plans[targets] = tuple(name for name in self.book.order if name in needed)
        return self._plans[targets]
