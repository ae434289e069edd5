"""Text into an expression, against an allow-list: what is not on it is refused with its column."""

import ast
import math
import re
from collections.abc import Callable
from typing import Any

from advisor.errors import said, suggestion, whole
from advisor.rulebook.expr import (
    BINARY,
    COMPARE,
    FUNCTION_NAMES,
    FUNCTIONS,
    GIVEN,
    LOAD,
    MAX_EXPONENT,
    UNARY,
    BadExpression,
    Expression,
    WordUse,
    constant_value,
)

MAX_LENGTH = 1000
MAX_NODES = 300
MAX_DEPTH = 40

_ARITY = {"ceil": 1, "floor": 1, "abs": 1, "sqrt": 1, "log2": 1, "round": 1, "given": 1}
_AT_LEAST = {"min": 2, "max": 2, "has": 2}

_FORBIDDEN = re.compile(r"[^A-Za-z0-9_.\s+\-*/%()<>=!,'\"\[\]]")
_SUSPECT = re.compile(r"[0-9][A-Za-z_]|\)")
_TOKEN = re.compile(r"""'[^']*'|"[^"]*"|[()]|(?<![\w.])\.?[0-9](?:[eE][+-]|[\w.])*""")
_NUMBER = re.compile(r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\Z")
_NAMES = (ast.Name, ast.Attribute)


def _dotted(node: ast.expr) -> str | None:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    parts.append(node.id)
    return ".".join(reversed(parts))


def _word(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def parse(text: str) -> Expression:
    """Parse one expression; raises BadExpression with the offset of what is not allowed."""
    if len(text) > MAX_LENGTH:
        raise BadExpression(
            said("longer than {most} characters", most=MAX_LENGTH),
            0,
            said("Split it into formulas."),
        )
    if not text.strip():
        raise BadExpression(said("there is no expression"), 0, said("Write one, or drop the key."))
    bad = _FORBIDDEN.search(text)
    if bad:
        from advisor.rulebook.slips import character_hint

        message = said("the character '{name}' is not allowed", name=bad[0])
        raise BadExpression(message, bad.start(), character_hint(bad[0]))
    if _SUSPECT.search(text):
        _check_tokens(text)
    # Blanks keep every offset; the parentheses let an expression go over several lines.
    flat = "(" + re.sub(r"\s", " ", text) + ")"
    try:
        parsed = ast.parse(flat, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        offset = getattr(error, "offset", None) or 1
        position = min(max(offset - 2, 0), len(text) - 1)
        # Only Python's first sentence: the rest advises what this language does not have.
        first = re.split(r"[.;?] ?", getattr(error, "msg", None) or "cannot be parsed")[0]
        from advisor.rulebook.slips import usual_slip

        message = said("not an expression: {message}", message=whole(first))
        raise BadExpression(message, position, usual_slip(text)) from None
    return _Reader(text).read(parsed)


def _check_tokens(text: str) -> None:
    """Refuse what only Python reads: ``a) + (b``, ``0x10``, ``1_000``, ``1if x else 2``."""
    depth = 0
    for found in _TOKEN.finditer(text):
        token = found[0]
        if token == "(":
            depth += 1
        elif token == ")":
            depth -= 1
            if depth < 0:
                raise BadExpression(said("this ')' closes nothing"), found.start())
        elif token[0] not in "'\"" and not _NUMBER.match(token):
            raise BadExpression(said("'{token}' is not a number", token=token[:40]), found.start())


class _Reader:
    """Turns a Python tree into one of allowed nodes only, collecting what it uses."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.count = 0
        self.names: dict[str, int] = {}
        self.always: set[str] = set()
        self.guarded: dict[str, int] = {}
        self.words: list[WordUse] = []
        self.numbers: list[tuple[float, int]] = []

    def read(self, node: ast.expr) -> Expression:
        tree = self.node(node, 0, sure=True)
        return Expression(
            self.text,
            tree,
            self.names,
            frozenset(self.always),
            self.guarded,
            tuple(self.words),
            tuple(self.numbers),
            [],
        )

    def node(self, node: ast.expr, depth: int, sure: bool) -> ast.expr:
        self.count += 1
        offset = node.col_offset - 1
        if self.count > MAX_NODES:
            raise BadExpression(
                said("over {most} parts", most=MAX_NODES),
                offset,
                said("Split it into formulas."),
            )
        if depth > MAX_DEPTH:
            raise BadExpression(
                said("nested over {most} deep", most=MAX_DEPTH),
                offset,
                said("Split it into formulas."),
            )
        read = _READERS.get(type(node))
        if read is None:
            raise self.refuse(type(node).__name__, offset)
        return read(self, node, depth, sure)

    def named(self, node: ast.Name | ast.Attribute, depth: int, sure: bool) -> ast.expr:
        return self.name(node, node.col_offset - 1, sure)

    def arithmetic(self, node: ast.BinOp, depth: int, sure: bool) -> ast.expr:
        if type(node.op) not in BINARY:
            raise self.refuse(type(node.op).__name__, node.col_offset - 1)
        exponent_at = node.right.col_offset - 1
        node.left = self.node(node.left, depth + 1, sure)
        node.right = self.node(node.right, depth + 1, sure)
        if isinstance(node.op, ast.Pow):
            self.check_exponent(node.right, exponent_at)
        return node

    def sign(self, node: ast.UnaryOp, depth: int, sure: bool) -> ast.expr:
        if type(node.op) not in UNARY:
            raise self.refuse(type(node.op).__name__, node.col_offset - 1)
        node.operand = self.node(node.operand, depth + 1, sure)
        return node

    def logic(self, node: ast.BoolOp, depth: int, sure: bool) -> ast.expr:
        node.values = [
            self.node(value, depth + 1, sure and position == 0)
            for position, value in enumerate(node.values)
        ]
        return node

    def branch(self, node: ast.IfExp, depth: int, sure: bool) -> ast.expr:
        node.test = self.node(node.test, depth + 1, sure)
        node.body = self.node(node.body, depth + 1, False)
        node.orelse = self.node(node.orelse, depth + 1, False)
        return node

    @staticmethod
    def check_exponent(tree: ast.expr, offset: int) -> None:
        """Refuse an exponent that is out of bounds whatever the values of names are."""
        if any(isinstance(one, ast.Name) and one.id not in FUNCTIONS for one in ast.walk(tree)):
            return  # checked when it runs
        if not abs(constant_value(tree)) <= MAX_EXPONENT:
            raise BadExpression(
                said("an exponent over {most}", most=MAX_EXPONENT),
                offset,
                said("Use a smaller power."),
            )

    @staticmethod
    def placed(new: ast.expr, old: ast.expr) -> ast.expr:
        # The column is all that complaints need, and the line what compiling needs besides.
        new.lineno, new.col_offset = 1, old.col_offset
        return new

    @staticmethod
    def refuse(what: str, offset: int) -> BadExpression:
        from advisor.rulebook.slips import part_name

        message = said("{what} is not allowed here", what=part_name(what))
        return BadExpression(message, max(offset, 0))

    def name(self, node: ast.Name | ast.Attribute, offset: int, sure: bool) -> ast.expr:
        dotted = _dotted(node)
        if dotted is None:
            raise BadExpression(
                said("an attribute of a value is not allowed"),
                offset,
                said("A dotted name must be a plain name, as lora.rank."),
            )
        if "__" in dotted or dotted.startswith("_"):
            raise BadExpression(said("the name '{dotted}' is not allowed", dotted=dotted), offset)
        self.names.setdefault(dotted, offset)
        if sure:
            self.always.add(dotted)
        if isinstance(node, ast.Name):
            return node
        return self.placed(ast.Name(dotted, LOAD), node)

    def constant(self, node: ast.Constant, depth: int, sure: bool) -> ast.expr:
        value, offset = node.value, node.col_offset - 1
        if isinstance(value, bool):
            return node
        if type(value) in (int, float):
            try:
                number = float(value)  # type: ignore[arg-type]
            except OverflowError:
                number = math.inf
            if not math.isfinite(number):
                raise BadExpression(said("this number is not finite"), offset)
            self.numbers.append((number, offset))
            node.value = number
            return node
        if isinstance(value, str):
            raise BadExpression(
                said("the word '{value}' may only be compared with a choice", value=value[:40]),
                offset,
                said("Write name == 'word' or has(name, 'word')."),
            )
        raise BadExpression(said("'{name}' is not allowed", name=ast.unparse(node)[:40]), offset)

    def compare(self, node: ast.Compare, depth: int, sure: bool) -> ast.expr:
        offset = node.col_offset - 1
        operators = [type(op) for op in node.ops]
        if len(operators) == 1 and operators[0] in (ast.In, ast.NotIn):
            return self.membership(node, offset, sure)
        if unknown := next((op for op in operators if op not in COMPARE), None):
            raise self.refuse(unknown.__name__, offset)
        sides = [node.left, *node.comparators]
        if any(_word(side) is not None for side in sides):
            if len(sides) != 2 or operators[0] not in (ast.Eq, ast.NotEq):
                raise BadExpression(said("words compare with == and != only"), offset)
            return self.word_comparison(node, offset, sure)
        node.left, *node.comparators = [
            self.node(side, depth + 1, sure and position < 2) for position, side in enumerate(sides)
        ]
        return node

    def word_comparison(self, node: ast.Compare, offset: int, sure: bool) -> ast.expr:
        left, right = node.left, node.comparators[0]
        if _word(left) is not None:
            left, right = right, left
        word = _word(right)
        if word is None or not isinstance(left, _NAMES):
            raise BadExpression(said("a word compares with a name only"), offset)
        name = self.name(left, left.col_offset - 1, sure)
        assert isinstance(name, ast.Name)
        self.words.append(WordUse(name.id, word, right.col_offset - 1))
        other = self.placed(ast.Constant(word), right)
        return self.placed(ast.Compare(name, node.ops, [other]), node)

    def membership(self, node: ast.Compare, offset: int, sure: bool) -> ast.expr:
        right = node.comparators[0]
        words = (
            [_word(item) for item in right.elts] if isinstance(right, ast.List | ast.Tuple) else []
        )
        if not words or None in words or not isinstance(node.left, _NAMES):
            raise BadExpression(
                said("'in' needs a name and a list of words"),
                offset,
                said("Write name in ['a', 'b'], or has(set, 'a')."),
            )
        if len(words) > 32:
            raise BadExpression(said("over 32 words in a list"), offset)
        name = self.name(node.left, node.left.col_offset - 1, sure)
        assert isinstance(name, ast.Name) and isinstance(right, ast.List | ast.Tuple)
        tests: list[ast.expr] = []
        for item in right.elts:
            word = _word(item)
            assert word is not None
            self.words.append(WordUse(name.id, word, item.col_offset - 1))
            tests.append(
                self.placed(
                    ast.Compare(name, [ast.Eq()], [self.placed(ast.Constant(word), item)]), item
                )
            )
        self.count += 3 * len(tests)
        any_of = tests[0] if len(tests) == 1 else self.placed(ast.BoolOp(ast.Or(), tests), node)
        if isinstance(node.ops[0], ast.NotIn):
            return self.placed(ast.UnaryOp(ast.Not(), any_of), node)
        return any_of

    def call(self, node: ast.Call, depth: int, sure: bool) -> ast.expr:
        offset = node.col_offset - 1
        function = node.func.id if isinstance(node.func, ast.Name) else None
        if function is None or function not in FUNCTION_NAMES:
            shown = _dotted(node.func)
            if shown is None:
                raise BadExpression(said("only a function of the language can be called"), offset)
            raise BadExpression(
                said("there is no function '{shown}'", shown=shown[:40]),
                offset,
                suggestion(shown, FUNCTION_NAMES)
                or said("Known: {names}.", names=tuple(FUNCTION_NAMES)),
            )
        if node.keywords:
            raise BadExpression(
                said("{function}() takes no named arguments", function=function), offset
            )
        count = len(node.args)
        if count != _ARITY.get(function, count) or count < _AT_LEAST.get(function, 1):
            wanted = (
                said("1 value")
                if function in _ARITY
                else said("at least {at_least} values", at_least=_AT_LEAST[function])
            )
            raise BadExpression(
                said(
                    "{function}() takes {wanted}, not {count}",
                    function=function,
                    wanted=wanted,
                    count=count,
                ),
                offset,
            )
        if function == "given":
            return self.given(node, offset)
        if function == "has":
            return self.has(node, offset, sure)
        node.args = [self.node(argument, depth + 1, sure) for argument in node.args]
        return node

    def given(self, node: ast.Call, offset: int) -> ast.expr:
        argument = node.args[0]
        dotted = _dotted(argument) if isinstance(argument, _NAMES) else None
        if dotted is None:
            raise BadExpression(said("given() takes one name"), offset)
        self.guarded.setdefault(dotted, argument.col_offset - 1)
        return self.placed(ast.Name(GIVEN + dotted, LOAD), node)

    def has(self, node: ast.Call, offset: int, sure: bool) -> ast.expr:
        chosen = node.args[0]
        if not isinstance(chosen, _NAMES):
            raise BadExpression(said("has() takes the name of a set first"), offset)
        name = self.name(chosen, chosen.col_offset - 1, sure)
        assert isinstance(name, ast.Name)
        arguments: list[ast.expr] = [name]
        for item in node.args[1:]:
            word = _word(item)
            if word is not None:
                self.words.append(WordUse(name.id, word, item.col_offset - 1))
                arguments.append(self.placed(ast.Constant(word), item))
            elif isinstance(item, _NAMES):
                arguments.append(self.name(item, item.col_offset - 1, sure))
            else:
                raise BadExpression(said("has() takes words"), item.col_offset - 1)
        node.args = arguments
        return node


_READERS: dict[type, Callable[[_Reader, Any, int, bool], ast.expr]] = {
    ast.Name: _Reader.named,
    ast.Attribute: _Reader.named,
    ast.Constant: _Reader.constant,
    ast.BinOp: _Reader.arithmetic,
    ast.UnaryOp: _Reader.sign,
    ast.BoolOp: _Reader.logic,
    ast.IfExp: _Reader.branch,
    ast.Compare: _Reader.compare,
    ast.Call: _Reader.call,
}
