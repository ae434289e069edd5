"""Definitions into the frozen values of the model: the readings that every section shares."""

from collections.abc import Callable

from advisor.errors import Span, cause, said
from advisor.rulebook.definitions import SHARED_NAMES, Definition, Draft, Field
from advisor.rulebook.expr import NOT_READ, BadExpression, Expression, renamed
from advisor.rulebook.model import PLAIN, Case, Input, Located, Origin, Text, Value
from advisor.rulebook.parsing import parse
from advisor.rulebook.values import BadValue, read_value
from advisor.source import Mapping
from advisor.units import QUANTITY, Unit, parse_unit

_TRUTHS = ("yes", "no", "on", "off", "true", "false")
_COMPUTED = ("integer", "number", "boolean")


def text(found: Field | None) -> Text:
    """A sentence by language; a plain string is English."""
    if found is None:
        return {}
    return dict(found.value) if isinstance(found.value, Mapping) else {"en": str(found.value)}


class Builder:
    """Builds model values from a draft's definitions, reporting every problem to the draft."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.parsed: dict[str, Expression] = {}  # every fifth expression was written before

    def origin(self, source: Definition) -> Origin:
        return Origin(source.span, source.layer)

    # -- parts that several kinds of definition share ------------------------------------------

    def expression(self, found: Field | None) -> Located | None:
        """The expression written in a field; None when absent or (reported) not well formed."""
        if found is None:
            return None
        written = str(found.value)
        parsed = self.parsed.get(written)
        if parsed is None:
            try:
                parsed = self.parsed[written] = parse(written)
            except BadExpression as error:
                where = found.at(error.offset)
                self.draft.report(
                    "expression", said("{message}.", message=error.message), error.hint, where
                )
                return None
        return Located(self.as_named_now(parsed, found) if self.draft.renamed else parsed, found)

    def as_named_now(self, expression: Expression, found: Field) -> Expression:
        """The expression with former names, which a layer may still use, replaced."""
        changed = {
            old: new
            for old, offset in (*expression.names.items(), *expression.guarded.items())
            if (new := self.name(old, found.at(offset))) != old
        }
        return renamed(expression, changed) if changed else expression

    def name(self, written: str, where: Span) -> str:
        """The name that something goes by now; a former one is a warning."""
        start = "was." if written.startswith("was.") else ""
        bare = written.removeprefix(start)
        end = next((e for e in (".low", ".high") if bare.endswith(e)), "")
        old = bare.removesuffix(end)
        new = self.draft.renamed.get(old)
        if new is None:
            return written
        self.draft.warn(
            "renamed",
            said("'{old}' is now called '{new}'.", old=old, new=new),
            said("Write {name}.", name=new),
            where,
        )
        return f"{start}{new}{end}"

    def names(self, found: Field | None) -> tuple[str, ...]:
        """The names in a list, or the one name."""
        if found is None:
            return ()
        if isinstance(found.value, str):
            return (self.name(found.value, found.span),)
        return tuple(self.name(str(item.value), item.span) for item in found.items())

    def required(self, found: Field | None) -> Located:
        """As ``expression``; a harmless stand-in when a problem was reported."""
        return self.expression(found) or Located(NOT_READ, found)

    def unit(self, source: Definition) -> Unit:
        found = source.fields.get("unit")
        if found is None:
            return PLAIN
        try:
            return parse_unit(str(found.value))
        except ValueError as error:
            self.draft.report(
                "unit",
                said("{message}.", message=cause(error)),
                said("Units are listed in rules/README.md."),
                found.span,
            )
            return PLAIN

    def sources(self, source: Definition) -> tuple[Mapping, ...]:
        found = source.fields.get("source")
        return tuple(item.value for item in found.items()) if found else ()

    def words(self, found: Field | None) -> tuple[str, ...]:
        return tuple(str(item.value) for item in found.items()) if found else ()

    def typed(self, target: Input, found: Field) -> Located | Value | None:
        """A constant of the input's type, or an expression where numbers and truths allow one."""
        may_be_read = isinstance(found.value, str) and target.type in _COMPUTED
        if may_be_read and not self.is_constant(found.value):
            return self.expression(found)
        return self.constant(target, found)

    def is_constant(self, written: str) -> bool:
        """Whether a text is meant as a value (``3 GiB``, ``yes``), not as an expression."""
        if any(written in self.draft.sections[section] for section in SHARED_NAMES):
            return False
        return bool(QUANTITY.match(written)) or written.lower() in _TRUTHS

    def constant(self, target: Input, found: Field) -> Value | None:
        try:
            return read_value(target, found.value)
        except BadValue as error:
            self.draft.report(
                "value", said("{message}.", message=error.message), error.hint, found.span
            )
            return None

    def cases(
        self, found: Field, read: Callable[[Field], Located | Value | None]
    ) -> tuple[Case, ...]:
        built: list[Case] = []
        for position, item in enumerate(found.items()):
            condition = item.get("when")
            last = position == len(found.value) - 1
            if condition is None and not last:
                self.draft.report(
                    "unreachable",
                    said("cases after one without when: are never reached."),
                    said("Move it to the end."),
                    item.span,
                )
            value_field = item.get("value")
            assert value_field is not None  # the schema requires it
            value = read(value_field)
            if value is None:
                continue
            low, high = self.expression(item.get("low")), self.expression(item.get("high"))
            built.append(Case(self.expression(condition), value, low, high))
        return tuple(built)
