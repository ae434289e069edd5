"""Expressions: one line of arithmetic, parsed against an allow-list and never executed as Python.

An expression becomes a tree of a few node types whose names are folded (``lora.rank`` is one
name, not attribute access), whose numbers are floats, and whose words stand only where a choice
of an enum belongs. What is not on the list is refused with its column. The tree is evaluated by
simpleeval (``Evaluator``); ``compiled`` turns the same tree into a code object for sweeps.
"""

import ast
import copy
import math
import operator
from collections.abc import Callable, Mapping
from types import CodeType
from typing import Any, NamedTuple

from advisor.errors import said

MAX_EXPONENT = 64


class BadExpression(Exception):
    """The text is no expression of the language; ``offset`` is the character it shows at."""

    def __init__(self, message: str, offset: int = 0, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.hint = hint


class WordUse(NamedTuple):
    """A word compared with a name (``method == 'lora'``, ``has(targets, 'q')``), to be checked."""

    name: str
    word: str
    offset: int


class Expression(NamedTuple):
    """A parsed expression.

    ``names`` maps every name read to the offset of its first use; ``always`` are those read
    whatever the values are (not only inside a branch); ``guarded`` are the arguments of ``given``;
    ``words`` are the comparisons with enum words; ``numbers`` the constants with their offsets;
    ``made`` keeps the code object once there is one.
    """

    text: str
    tree: ast.expr
    names: Mapping[str, int]
    always: frozenset[str]
    guarded: Mapping[str, int]
    words: tuple[WordUse, ...]
    numbers: tuple[tuple[float, int], ...]
    made: list[CodeType]

    @property
    def code(self) -> CodeType:
        """The tree as a code object, made on first use."""
        if not self.made:
            self.made.append(compiled(self.tree, is_ready="**" not in self.text))
        return self.made[0]


def _power(base: float, exponent: float) -> float:
    if abs(exponent) > MAX_EXPONENT:
        raise OverflowError(
            said(
                "exponent {exponent:g} is over {most}",
                exponent=exponent,
                most=MAX_EXPONENT,
            )
        )
    result: Any = base**exponent
    if isinstance(result, complex):
        raise ValueError(
            said("{base:g} ** {exponent:g} is no real number", base=base, exponent=exponent)
        )
    return float(result)


def _has(chosen: frozenset[str], *words: str) -> bool:
    return any(word in chosen for word in words)


def _whole(function: Callable[[float], int]) -> Callable[[float], float]:
    return lambda value: float(function(value))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "min": min,
    "max": max,
    "ceil": _whole(math.ceil),
    "floor": _whole(math.floor),
    "abs": abs,
    "sqrt": math.sqrt,
    "log2": math.log2,
    "round": _whole(round),
    "has": _has,
}
FUNCTION_NAMES = (*FUNCTIONS, "given")

BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: _power,
}
COMPARE: dict[type, Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
UNARY: dict[type, Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
}
_NODES = (
    ast.Name,
    ast.UnaryOp,
    ast.BinOp,
    ast.BoolOp,
    ast.Compare,
    ast.IfExp,
    ast.Call,
    ast.Constant,
)
GIVEN = "given:"
LOAD = ast.Load()


def is_guard(name: str) -> str | None:
    """The name asked about when ``name`` is what ``given(...)`` was folded into."""
    return name[len(GIVEN) :] if name.startswith(GIVEN) else None


NOT_READ = Expression(
    "", ast.Constant(0.0, lineno=1, col_offset=0), {}, frozenset(), {}, (), (), []
)
"""Stands where an expression is not well formed, so that the rest can still be checked."""


def comparison(expression: Expression) -> tuple[ast.expr, type, ast.expr] | None:
    """Left side, operator and right side of ``a <= b``; None when it is not one comparison."""
    tree = expression.tree
    if not isinstance(tree, ast.Compare) or len(tree.ops) != 1:
        return None
    return tree.left, type(tree.ops[0]), tree.comparators[0]


def part(expression: Expression, tree: ast.expr) -> Expression:
    """One side of a comparison as an expression of its own, with the text of the whole."""
    inside = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    names = {name: at for name, at in expression.names.items() if name in inside}
    always = expression.always & inside
    guarded = {n: at for n, at in expression.guarded.items() if GIVEN + n in inside}
    return Expression(expression.text, tree, names, always, guarded, (), (), [])


def renamed(expression: Expression, names: Mapping[str, str]) -> Expression:
    """The expression with some of the names it reads replaced; offsets stay those of its text."""

    def now(name: str) -> str:
        guarded = is_guard(name)
        return names.get(name, name) if guarded is None else GIVEN + names.get(guarded, guarded)

    tree = copy.deepcopy(expression.tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = now(node.id)
    return Expression(
        expression.text,
        tree,
        {now(name): at for name, at in expression.names.items()},
        frozenset(map(now, expression.always)),
        {now(name): at for name, at in expression.guarded.items()},
        tuple(use._replace(name=now(use.name)) for use in expression.words),
        expression.numbers,
        [],
    )


def unparse(tree: ast.expr) -> str:
    """The tree as text of the language; parsing it again gives the same tree."""

    class Unfold(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            guarded = is_guard(node.id)
            if guarded is None:
                return node
            argument = ast.Name(guarded, ast.Load())
            return ast.Call(ast.Name("given", ast.Load()), [argument], [])

    return ast.unparse(Unfold().visit(_copy(tree)))


def _copy(tree: Any) -> Any:
    if isinstance(tree, list):
        return [_copy(item) for item in tree]
    if not isinstance(tree, ast.AST):
        return tree
    fields = {name: _copy(value) for name, value in ast.iter_fields(tree)}
    return type(tree)(**fields)


class Evaluator:
    """simpleeval over allow-listed trees: the evaluator of record.

    ``names`` is any mapping; reading a name it does not hold is for the mapping to refuse.
    """

    def __init__(self, names: Mapping[str, Any]) -> None:
        from simpleeval import SimpleEval  # compiled rules do without it

        operators = {**BINARY, **COMPARE, **UNARY}
        self._simple = SimpleEval(operators, FUNCTIONS, names, allowed_attrs={})
        self._simple.nodes = {
            kind: run for kind, run in self._simple.nodes.items() if kind in _NODES
        }

    def __call__(self, expression: Expression) -> Any:
        """The value; raises ArithmeticError and ValueError as arithmetic does."""
        return self._simple.eval(expression.text, expression.tree)


def constant_value(tree: ast.expr) -> float:
    """What a tree without names comes to; not finite where arithmetic fails."""
    try:
        return float(eval(compiled(tree), dict(_GLOBALS), {}))
    except (ArithmeticError, ValueError):
        return math.inf


_GLOBALS: dict[str, Any] = {"__builtins__": {}, **FUNCTIONS, "_power": _power}
CALLEES = frozenset(_GLOBALS)
"""Names that compiled code calls; no rule may have one of them."""


class CompiledEvaluator:
    """The same trees as code objects: ten times as fast, held equal by a differential test."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        self._names = names

    def __call__(self, expression: Expression) -> Any:
        # The tree holds allow-listed nodes only and no builtins are in reach.
        made = expression.made
        return eval(made[0] if made else expression.code, _GLOBALS, self._names)


def compiled(tree: ast.expr, is_ready: bool = False) -> CodeType:
    """A code object for an allow-listed tree; a parsed one without powers is ready as it is."""
    ready = tree if is_ready else _runnable(tree)
    return compile(ast.Expression(ready), "<rule>", "eval")


_PLACE = {"lineno": 1, "col_offset": 0, "end_lineno": 1, "end_col_offset": 0}


def _runnable(tree: Any) -> Any:
    """A copy that compiles: nodes have places, and powers go through the bounded function."""
    if isinstance(tree, list):
        return [_runnable(item) for item in tree]
    if not isinstance(tree, ast.expr):
        return tree
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Pow):
        sides = [_runnable(tree.left), _runnable(tree.right)]
        return ast.Call(ast.Name("_power", LOAD, **_PLACE), sides, [], **_PLACE)
    fields = {name: _runnable(value) for name, value in ast.iter_fields(tree)}
    return type(tree)(**fields, **_PLACE)
