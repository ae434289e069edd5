"""Static types: what kind of value and which dimension an expression has, before any number is."""

import ast
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from advisor.errors import said, sentences
from advisor.rulebook.expr import Expression, is_guard, unparse
from advisor.rulebook.model import Type
from advisor.units import NONE, Dimension, dimension_text

BOOLEAN = Type("boolean")
ANY_NUMBER = Type("number", None)
PLAIN_NUMBER = Type("number", NONE)
UNKNOWN = Type("unknown")


class Mismatch(NamedTuple):
    """Something that does not go together, at a character of the expression."""

    offset: int
    message: str
    hint: str


def infer(expression: Expression, types: Mapping[str, Type]) -> tuple[Type, list[Mismatch]]:
    """The type of an expression and everything in it that does not go together.

    Names that are not in ``types`` are unknown and agree with everything: they are reported
    elsewhere.
    """
    found: list[Mismatch] = []
    result = _Inference(types, found).of(expression.tree)
    for use in expression.words:
        known = types.get(use.name)
        if known is None or known is UNKNOWN:
            continue
        if known.kind not in ("enum", "set"):
            found.append(
                Mismatch(
                    use.offset,
                    said(
                        "'{name}' is {known}, not a choice of words",
                        name=use.name,
                        known=describe(known),
                    ),
                    "",
                )
            )
        elif use.word not in known.choices:
            from advisor.errors import suggestion

            close = suggestion(use.word, known.choices)
            listed = said("One of: {names}.", names=tuple(sorted(known.choices)))
            found.append(
                Mismatch(
                    use.offset,
                    said("'{name}' is never '{word}'", name=use.name, word=use.word),
                    sentences(close, listed),
                )
            )
    return result, found


def describe(kind: Type) -> str:
    """A type in words."""
    if kind.kind == "number":
        return dimension_text(kind.dimension or NONE)
    return {
        "boolean": said("true or false"),
        "enum": said("a word"),
        "set": said("a set of words"),
        "table": said("a table"),
        "text": said("text"),
    }.get(kind.kind, kind.kind)


def agree(have: Type, want: Type) -> bool:
    """Whether a value of one type may stand where the other is declared."""
    if UNKNOWN in (have, want):
        return True
    if have.kind != want.kind:
        return False
    if have.kind == "number":
        return have.dimension is None or want.dimension is None or have.dimension == want.dimension
    if have.kind == "enum" and have.choices and want.choices:
        return have.choices <= want.choices
    return True


class _Inference:
    def __init__(self, types: Mapping[str, Type], found: list[Mismatch]) -> None:
        self.types = types
        self.found = found

    def complain(self, node: ast.expr, message: str, hint: str = "") -> Type:
        self.found.append(Mismatch(max(node.col_offset - 1, 0), message, hint))
        return UNKNOWN

    def of(self, node: ast.expr) -> Type:
        return _HANDLERS[type(node)](self, node)

    def of_Name(self, node: ast.Name) -> Type:
        if is_guard(node.id):
            return BOOLEAN
        return self.types.get(node.id, UNKNOWN)

    def of_Constant(self, node: ast.Constant) -> Type:
        if isinstance(node.value, bool):
            return BOOLEAN
        if isinstance(node.value, str):
            return UNKNOWN
        return ANY_NUMBER if node.value == 0 else PLAIN_NUMBER

    def number(self, node: ast.expr) -> Dimension | Type | None:
        """The dimension of a numeric part, None for any, UNKNOWN when it is no number."""
        kind = self.of(node)
        if kind is UNKNOWN:
            return UNKNOWN
        if kind.kind != "number":
            return self.complain(
                node,
                said(
                    "'{node}' is {kind}, not a number", node=unparse(node)[:60], kind=describe(kind)
                ),
            )
        return kind.dimension

    def truth(self, node: ast.expr) -> None:
        kind = self.of(node)
        if kind is not UNKNOWN and kind.kind != "boolean":
            self.complain(
                node,
                said(
                    "'{node}' is {kind}, not true or false",
                    node=unparse(node)[:60],
                    kind=describe(kind),
                ),
                said("Compare it with something."),
            )

    def of_BinOp(self, node: ast.BinOp) -> Type:
        left, right = self.number(node.left), self.number(node.right)
        if isinstance(left, Type) or isinstance(right, Type):
            return UNKNOWN
        if isinstance(node.op, ast.Mult):
            if left is None or right is None:
                return ANY_NUMBER
            return Type("number", _add(left, right, 1))
        if isinstance(node.op, ast.Div | ast.FloorDiv):
            if left is None or right is None:
                return ANY_NUMBER
            return Type("number", _add(left, right, -1))
        if isinstance(node.op, ast.Pow):
            return self.power(node, left, right)
        return self.same(node, [node.left, node.right], [left, right])

    def power(self, node: ast.BinOp, left: Dimension | None, right: Dimension | None) -> Type:
        if right not in (None, NONE):
            return self.complain(node.right, said("an exponent must be a plain number"))
        if left in (None, NONE):
            return Type("number", left)
        exponent = node.right
        if not isinstance(exponent, ast.Constant) or float(exponent.value) % 1:  # type: ignore[arg-type]
            return self.complain(node.right, said("the power of a quantity needs a whole number"))
        times = int(exponent.value)  # type: ignore[arg-type]
        assert left is not None
        return Type("number", (left[0] * times, left[1] * times, left[2] * times, left[3] * times))

    def same(self, node: ast.expr, parts: list[ast.expr], kinds: list[Dimension | None]) -> Type:
        fixed = [(part, kind) for part, kind in zip(parts, kinds, strict=True) if kind is not None]
        if not fixed:
            return ANY_NUMBER
        first = fixed[0][1]
        for other, kind in fixed[1:]:
            if kind != first:
                hint = said(
                    "'{fixed}' is {first}.",
                    fixed=unparse(fixed[0][0])[:60],
                    first=dimension_text(first),
                )
                if isinstance(other, ast.Constant):
                    hint = said(
                        "Make the number a parameter measured in {first}.",
                        first=dimension_text(first),
                    )
                return self.complain(
                    other,
                    said(
                        "{kind} does not go with {first}",
                        kind=dimension_text(kind),
                        first=dimension_text(first),
                    ),
                    hint,
                )
        return Type("number", first)

    def of_UnaryOp(self, node: ast.UnaryOp) -> Type:
        if isinstance(node.op, ast.Not):
            self.truth(node.operand)
            return BOOLEAN
        kind = self.number(node.operand)
        return kind if isinstance(kind, Type) else Type("number", kind)

    def of_BoolOp(self, node: ast.BoolOp) -> Type:
        for value in node.values:
            self.truth(value)
        return BOOLEAN

    def of_Compare(self, node: ast.Compare) -> Type:
        sides = [node.left, *node.comparators]
        if any(isinstance(side, ast.Constant) and isinstance(side.value, str) for side in sides):
            return BOOLEAN  # the words are checked against the choices
        kinds = [self.of(side) for side in sides]
        if all(kind.kind == "boolean" or kind is UNKNOWN for kind in kinds):
            if not all(isinstance(op, ast.Eq | ast.NotEq) for op in node.ops):
                self.complain(node, said("truths compare with == and != only"))
            return BOOLEAN
        if all(kind.kind == "enum" or kind is UNKNOWN for kind in kinds):
            if not all(isinstance(op, ast.Eq | ast.NotEq) for op in node.ops):
                self.complain(node, said("words compare with == and != only"))
            choices = [kind.choices for kind in kinds if kind.choices]
            if choices and not frozenset.intersection(*choices):
                self.complain(node, said("these are never equal: they share no choice"))
            return BOOLEAN
        numbers = [self.number(side) for side in sides]
        if not any(isinstance(number, Type) for number in numbers):
            self.same(node, sides, [n for n in numbers if not isinstance(n, Type)])
        return BOOLEAN

    def of_IfExp(self, node: ast.IfExp) -> Type:
        self.truth(node.test)
        body, other = self.of(node.body), self.of(node.orelse)
        if not agree(body, other) or (body.kind == "enum" and not agree(other, body)):
            return self.complain(
                node.orelse,
                said(
                    "one branch is {body}, the other {other}",
                    body=describe(body),
                    other=describe(other),
                ),
            )
        return other if body == ANY_NUMBER or body is UNKNOWN else body

    def of_Call(self, node: ast.Call) -> Type:
        assert isinstance(node.func, ast.Name)
        function = node.func.id
        if function == "has":
            kind = self.of(node.args[0])
            if kind is not UNKNOWN and kind.kind != "set":
                self.complain(
                    node.args[0],
                    said("has() needs a set of words, not {kind}", kind=describe(kind)),
                )
            for word in node.args[1:]:
                kind = self.of(word) if isinstance(word, ast.Name) else UNKNOWN
                if kind is not UNKNOWN and kind.kind != "enum":
                    self.complain(
                        word, said("has() looks for words, not {kind}", kind=describe(kind))
                    )
            return BOOLEAN
        kinds = [self.number(argument) for argument in node.args]
        if any(isinstance(kind, Type) for kind in kinds):
            return UNKNOWN
        numbers = [kind for kind in kinds if not isinstance(kind, Type)]
        if function in ("min", "max"):
            return self.same(node, node.args, numbers)
        dimension = numbers[0]
        if function == "log2" and dimension is not None and dimension != NONE:
            return self.complain(
                node, said("log2() of {dimension}", dimension=dimension_text(dimension))
            )
        if function == "sqrt" and dimension is not None:
            if any(exponent % 2 for exponent in dimension):
                return self.complain(
                    node, said("sqrt() of {dimension}", dimension=dimension_text(dimension))
                )
            return Type(
                "number",
                (dimension[0] // 2, dimension[1] // 2, dimension[2] // 2, dimension[3] // 2),
            )
        return Type("number", dimension)


_HANDLERS: dict[type, Callable[[Any, Any], Type]] = {
    kind: getattr(_Inference, f"of_{kind.__name__}")
    for kind in (
        ast.Name,
        ast.Constant,
        ast.BinOp,
        ast.UnaryOp,
        ast.BoolOp,
        ast.Compare,
        ast.IfExp,
        ast.Call,
    )
}


def _add(left: Dimension, right: Dimension, sign: int) -> Dimension:
    return (
        left[0] + sign * right[0],
        left[1] + sign * right[1],
        left[2] + sign * right[2],
        left[3] + sign * right[3],
    )
