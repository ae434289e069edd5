"""Whether an open answer would have the plan begin with another step."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from advisor.rulebook.graph import closure
from advisor.rulebook.model import Located, RuleBook, Value
from advisor.verdict import Verdict

MOST_PLANS = 20
"""Plans worked out between two lines: what a line may take."""

FirstStep = Callable[[Mapping[str, Value]], str]


class Open(NamedTuple):
    """An input that nobody vouched for: the values to try, the present one last.

    Saying what a default says already counts, too: a default may move with a step of the plan.
    """

    name: str
    values: tuple[Value, ...]
    size: float


class Redirect(NamedTuple):
    """``name`` is the strongest input found that changes the first step, empty where none does.

    ``is_sure`` says that every value of every input that could was tried.
    """

    name: str
    is_sure: bool


def redirect(book: RuleBook, base: Verdict, inputs: Iterable[Open], first: FirstStep) -> Redirect:
    """Tries the inputs that the steps rest on, the strongest first, the ends of each at once."""
    now = first({})
    if not now:
        return Redirect("", True)  # nothing fails, and no open answer turns that
    weighed = steering(book, base)
    ordered = sorted((one for one in inputs if one.name in weighed), key=lambda one: -one.size)
    left = MOST_PLANS
    for one, value in _turns(ordered):
        if not left:
            return Redirect("", False)
        left -= 1
        if first({one.name: value}) != now:
            return Redirect(one.name, True)
    return Redirect("", True)


def _turns(inputs: list[Open]) -> Iterator[tuple[Open, Value]]:
    """Both ends of every input, then what lies between."""
    for one in inputs:
        yield one, one.values[0]
        if len(one.values) > 1:
            yield one, one.values[-1]
    for one in inputs:
        for value in one.values[1:-1]:
            yield one, value


def steering(book: RuleBook, base: Verdict) -> set[str]:
    """What the choice of a step rests on: what fails, and what the remedies for it read."""
    names: set[str] = set()
    for remedy in book.remedies.values():
        names |= set(remedy.sets)
        for located in (remedy.when, *remedy.sets.values()):
            if isinstance(located, Located):
                names |= {*located.expression.names, *located.expression.guarded}
    for outcome in (*base.failing("deny"), *base.failing("warn")):
        for located in (outcome.policy.when, outcome.policy.require):
            if located is not None:
                names |= {*located.expression.names, *located.expression.guarded}
    bare = {name.removeprefix("was.").removesuffix(".low").removesuffix(".high") for name in names}
    return closure(bare, book.reads)
