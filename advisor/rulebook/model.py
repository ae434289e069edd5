"""What a loaded rulebook consists of: frozen values that know where they were written."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from advisor.errors import Problem, Span
from advisor.rulebook.expr import Expression
from advisor.units import NONE, Dimension, Unit

if TYPE_CHECKING:
    from advisor.rulebook.definitions import Definition, Field

Text = Mapping[str, str]
"""A sentence by language; ``en`` is always there unless the text is absent altogether."""

NO_TEXT: Text = MappingProxyType({})

PLAIN = Unit("1", NONE, 1.0)


def say(text: Text, language: str) -> str:
    """The sentence in a language, falling back to English; empty when there is none."""
    return text.get(language) or text.get("en", "")


class Origin(NamedTuple):
    """Where a definition stands, and the layer that wrote or last changed it."""

    span: Span
    layer: str


class Located(NamedTuple):
    """An expression together with the field it is written in, so that a column can be told."""

    expression: Expression
    written: "Field | None"

    @property
    def span(self) -> Span:
        """The place of the whole expression."""
        return self.written.span if self.written else Span("")

    def where(self, offset: int) -> Span:
        """The place of one of its characters."""
        return self.written.at(offset) if self.written else Span("")


Value = float | bool | str | frozenset[str] | tuple[Mapping[str, Any], ...]
"""What a name can stand for: a number in base units, a truth, a word, a set of words, a table."""


class Case(NamedTuple):
    """One case: the value (an expression or a constant) where ``when`` holds or is absent."""

    when: Located | None
    value: Located | Value
    low: Located | None = None
    high: Located | None = None


class Column(NamedTuple):
    """One column of a table input."""

    type: str
    unit: Unit
    choices: tuple[str, ...]


class Input(NamedTuple):
    """A value that can be given, asked for, or taken from a catalogue entry.

    ``suggest`` is what somebody who is asked and does not know is offered; unlike a ``default`` it
    is never taken unasked. ``because`` is the reason of whichever there is. ``said`` are the words
    people have for a choice, a group or a truth.
    """

    name: str
    type: str
    unit: Unit
    origin: Origin
    title: Text
    range: tuple[float, float] | None = None
    typical: tuple[Value, ...] = ()
    ask: Text = NO_TEXT
    when: Located | None = None
    aliases: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    groups: Mapping[str, frozenset[str]] = MappingProxyType({})
    catalogue: str = ""
    optional: bool = False
    columns: Mapping[str, Column] = MappingProxyType({})
    default: tuple[Case, ...] = ()
    because: Text = NO_TEXT
    suggest: Value | None = None
    said: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    sources: tuple[Mapping[str, str], ...] = ()


class Parameter(NamedTuple):
    """A number the rules use, alone or as a table over one or two enum inputs (``by``)."""

    name: str
    title: Text
    unit: Unit
    origin: Origin
    by: tuple[str, ...]
    values: Mapping[tuple[str, ...], float]
    otherwise: float | None
    sources: tuple[Mapping[str, str], ...]
    checked: str
    why: Text


FormulaKind = Literal["value", "cases", "sum", "max", "min", "table"]


class Formula(NamedTuple):
    """A named quantity. ``kind`` says which of the other fields carry it.

    value: ``value`` (+ ``low``, ``high``); cases: ``cases``; sum, max, min: ``parts``;
    table: ``fold`` (sum, max or min) of ``value`` over the rows of ``over`` where ``where`` holds.
    """

    name: str
    title: Text
    unit: Unit
    type: str
    kind: FormulaKind
    origin: Origin
    when: Located | None = None
    value: Located | None = None
    low: Located | None = None
    high: Located | None = None
    cases: tuple[Case, ...] = ()
    parts: tuple[str, ...] = ()
    over: str = ""
    where: Located | None = None
    fold: str = ""
    choices: tuple[str, ...] = ()
    why: Text = NO_TEXT
    sources: tuple[Mapping[str, str], ...] = ()


class Remedy(NamedTuple):
    """A change of inputs that may help. ``tries`` are alternatives, each a map input -> value."""

    name: str
    title: Text
    origin: Origin
    when: Located | None
    repeat: bool
    sets: Mapping[str, Located | Value]
    tries: tuple[Mapping[str, Value], ...]
    improves: tuple[str, ...]
    quality: int
    why: Text
    trade_off: Text
    sources: tuple[Mapping[str, str], ...] = ()


Level3 = Literal["info", "warn", "deny"]


class WaiverTerms(NamedTuple):
    """What a policy asks of those who waive it: at most so many days, signed by one of these.

    ``max_days`` is None and ``approvers`` empty where it asks nothing.
    """

    max_days: int | None = None
    approvers: tuple[str, ...] = ()


class Policy(NamedTuple):
    """A requirement on a scenario. ``left`` and ``right`` are the sides when it compares two.

    ``waiver`` are the terms on which it may be waived; None: not at all.
    """

    name: str
    title: Text
    origin: Origin
    level: Level3
    when: Located | None
    require: Located
    left: Located | None
    right: Located | None
    message: Text
    fix: tuple[str, ...] | Literal["ladder"]
    final: bool
    why: Text
    sources: tuple[Mapping[str, str], ...] = ()
    waiver: WaiverTerms | None = WaiverTerms()


class Answer(NamedTuple):
    """One thing that reports know by name: a value, maybe its limit and its parts.

    ``also`` are names shown beside it and not judged; ``rest`` titles what the value adds to the
    sum of its parts.
    """

    name: str
    title: Text
    value: str
    limit: str
    parts: str
    origin: Origin
    also: tuple[str, ...] = ()
    rest: Text = NO_TEXT


class Example(NamedTuple):
    """Inputs and what must come out, still as written: running it types the values."""

    name: str
    given: Any
    expect: Mapping[str, Any]
    span: Span
    layer: str
    document: Any
    container: Any
    seed_says: Text = NO_TEXT


class Change(NamedTuple):
    """What a layer changed in what was there before, and why."""

    layer: str
    target: str
    action: Literal["patch", "replace", "disable"]
    reason: Text
    where: Span
    was: str
    now: str
    weakens: bool


class Type(NamedTuple):
    """A static type: ``kind`` is number, boolean, enum, set, table or text; a number has a
    dimension (None: any, as the literal 0), an enum or set its choices."""

    kind: str
    dimension: Dimension | None = NONE
    choices: frozenset[str] = frozenset()


class RuleBook(NamedTuple):
    """Everything the files of all layers say, checked.

    ``order`` lists inputs, parameters and formulas so that each stands after what it reads;
    ``types`` gives the static type of each name; ``waivers`` are those written in layers, still as
    written, each with its layer.
    """

    inputs: Mapping[str, Input]
    parameters: Mapping[str, Parameter]
    formulas: Mapping[str, Formula]
    remedies: Mapping[str, Remedy]
    ladder: tuple[str, ...]
    policies: Mapping[str, Policy]
    answers: Mapping[str, Answer]
    examples: tuple[Example, ...]
    layers: tuple[str, ...]
    changes: tuple[Change, ...]
    problems: tuple[Problem, ...]
    digest: str
    order: tuple[str, ...]
    reads: Mapping[str, frozenset[str]]
    types: Mapping[str, Type]
    definitions: Mapping[str, "Definition"]
    ladder_layer: str
    waivers: tuple[tuple["Field", str], ...] = ()

    def unit(self, name: str) -> Unit:
        """The declared unit of a name (``x.low`` has the unit of ``x``)."""
        source = self.formulas.get(name) or self.inputs.get(name) or self.parameters.get(name)
        if source is not None:
            return source.unit
        base, _, end = name.rpartition(".")
        if end in ("low", "high") and base:
            return self.unit(base)
        return PLAIN
