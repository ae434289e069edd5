"""Python scripts and notebooks as data: the literal arguments of their calls. Nothing is run.

Every call becomes a key with its arguments: ``FastLanguageModel.from_pretrained.load_in_4bit``;
arguments without a name are called ``0``, ``1``, …. Of several calls with one name the first
counts. A variable counts where the file sets it once, to a literal.
"""

import ast
import json
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from advisor.errors import FileProblems, Problem, Span, said, whole
from advisor.source import Document, Mapping, Place, Sequence
from advisor.trainers.keys import Unresolved

At = Callable[[int, int], tuple[int, int]]
"""The line and column (from 0) in the file, of a line and byte column of the code."""

MAX_SHOWN = 80
MAX_CELLS = 5000
_TOO_MUCH = (SyntaxError, ValueError, RecursionError, MemoryError)


def read_python(text: str, name: str) -> tuple[Document, tuple[Problem, ...]]:
    """The calls of a script; raises FileProblems where it is no Python."""
    try:
        tree = _parsed(text)
    except _TOO_MUCH as error:
        line = getattr(error, "lineno", None) or 1
        told = getattr(error, "msg", None)
        reason = whole(told) if told else said("too deeply nested")
        hint = said("Save a notebook as .ipynb, a shell script as .sh.")
        problem = Problem(
            "python", said("not Python: {reason}.", reason=reason), hint, Span(name, line, 1)
        )
        raise FileProblems([problem]) from None
    lines = text.split("\n")
    code = _Code()
    code.add(tree, lines, lambda line, column: (line, _characters(lines, line, column)))
    return Document(name, text, code.data()), ()


def read_notebook(text: str, name: str) -> tuple[Document, tuple[Problem, ...]]:
    """The calls of all code cells, in their order; cells that are no Python are warned about.

    Raises FileProblems where the file is no notebook.
    """
    try:
        cells = json.loads(text)["cells"]
        if not isinstance(cells, list):
            raise TypeError
    except (ValueError, KeyError, TypeError, RecursionError):
        problem = Problem(
            "notebook", said("not a notebook."), said("Save it with Jupyter."), Span(name, 1, 1)
        )
        raise FileProblems([problem]) from None
    code = _Code()
    loose: list[Problem] = []
    cursor = _Cursor(text)
    for number, cell in enumerate(cells[:MAX_CELLS], start=1):
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        lines = list(_cell_lines(cell.get("source")))
        places = [cursor.find(line) for line in lines]
        quiet = ["" if line.lstrip().startswith(("%", "!")) else line for line in lines]
        try:
            tree = _parsed("\n".join(quiet))
        except _TOO_MUCH:
            where = Span(name, places[0][0] + 1 if places else 1, 1)
            message = said("cell {number} is no Python.", number=number)
            loose.append(Problem("python", message, said("It is left out."), where, "warning"))
            continue
        code.add(tree, quiet, _placer(quiet, places))
    return Document(name, text, code.data()), tuple(loose)


def _placer(lines: list[str], places: list[tuple[int, int]]) -> At:
    def at(line: int, column: int) -> tuple[int, int]:
        row, start = places[line]
        before = lines[line][: _characters(lines, line, column)]
        return row, start + len(json.dumps(before, ensure_ascii=False)) - 2

    return at


def _cell_lines(source: Any) -> Iterator[str]:
    """The lines of a cell: a list of texts that end with a line break, or one text."""
    for part in source if isinstance(source, list) else [source]:
        if isinstance(part, str):
            yield from part.removesuffix("\n").split("\n")


class _Cursor:
    """Finds the lines of cells, one after the other, in the notebook's own text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.row = 0
        self.row_at = 0  # where the counting of lines stands

    def find(self, line: str) -> tuple[int, int]:
        """The row and column of a line's first character; where it is not found, of the last."""
        for ascii_only in (False, True):
            written = json.dumps(line, ensure_ascii=ascii_only)[1:-1]
            found = self.text.find(written, self.at) if written else -1
            if found >= 0:
                self.at = found
                break
        self.row += self.text.count("\n", self.row_at, self.at)
        self.row_at = self.at
        return self.row, self.at - (self.text.rfind("\n", 0, self.at) + 1)


def _parsed(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what Python says of odd escapes is not our business
        return ast.parse(text)


def _characters(lines: list[str], line: int, column: int) -> int:
    """A byte column of Python's parser in characters."""
    if lines[line].isascii():
        return column
    return len(lines[line].encode()[:column].decode("utf-8", "replace"))


class _Code:
    """Collects calls and constants of one or several pieces of code."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, ast.Call, list[str], At]] = []
        self.constants: dict[str, tuple[ast.expr, list[str], At] | None] = {}

    def add(self, tree: ast.Module, lines: list[str], at: At) -> None:
        """Take in what a piece of code holds, in reading order."""
        found: list[ast.Call] = []
        for node in _walk(tree):
            if isinstance(node, ast.Call):
                found.append(node)
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        self.assign(target.id, node.value, lines, at)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                if node.value is not None:
                    self.assign(node.target.id, node.value, lines, at)
            elif isinstance(node, ast.AugAssign | ast.For) and isinstance(node.target, ast.Name):
                self.constants[node.target.id] = None
        for call in sorted(found, key=lambda one: (one.lineno, one.col_offset)):
            name = _name(call.func)
            if name:
                self.calls.append((name, call, lines, at))

    def assign(self, name: str, value: ast.expr, lines: list[str], at: At) -> None:
        """Remember a variable; one that is set twice stands for nothing."""
        self.constants[name] = None if name in self.constants else (value, lines, at)

    def data(self) -> Mapping:
        """The first call of each name, with its arguments."""
        data = Mapping()
        for name, call, lines, at in self.calls:
            if name in data:
                continue
            place = _place(call, at)
            data[name] = self.arguments(call, lines, at)
            data.keys_at[name] = data.values_at[name] = place
        return data

    def arguments(self, call: ast.Call, lines: list[str], at: At) -> Mapping:
        block = Mapping()
        for number, value in enumerate(call.args):
            if isinstance(value, ast.Starred):
                break
            self.put(block, str(number), value, value, lines, at)
        for keyword in call.keywords:
            if keyword.arg is not None:
                self.put(block, keyword.arg, keyword, keyword.value, lines, at)
        return block

    def put(
        self, block: Mapping, key: str, named: Any, value: ast.expr, lines: list[str], at: At
    ) -> None:
        block[key] = self.literal(value, lines, at)
        block.keys_at[key] = _place(named, at)
        block.values_at[key] = _place(value, at)

    def literal(self, node: ast.expr, lines: list[str], at: At, depth: int = 0) -> Any:
        """The value of a literal, or the code that would have to run, unresolved."""
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, str | int | float | None) else Unresolved()
        if isinstance(node, ast.Name) and depth == 0:
            known = self.constants.get(node.id)
            if known is not None:
                return self.literal(*known, depth=1)
        elif isinstance(node, ast.Attribute):
            name = _dotted(node)
            if name.startswith(("torch.", "jnp.")):
                return name
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            value = self.literal(node.operand, lines, at, depth)
            if isinstance(value, int | float):
                return -value
        elif isinstance(node, ast.List | ast.Tuple) and depth < 8:
            sequence = Sequence()
            for one in node.elts:
                sequence.append(self.literal(one, lines, at, max(depth, 1)))
                sequence.values_at.append(_place(one, at))
            return sequence
        return Unresolved(_written(node, lines))


def _walk(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node outside ``if False:``, without recursion."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.If) and _is_false(node.test):
            waiting.extend(node.orelse)
        else:
            waiting.extend(ast.iter_child_nodes(node))


def _is_false(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and not test.value


def _dotted(node: ast.expr) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    parts.append(node.id if isinstance(node, ast.Name) else "")
    return ".".join(reversed(parts))


def _name(function: ast.expr) -> str:
    """What a call is known by: the function, with its class where it is one's method."""
    parts = _dotted(function).split(".")
    owner = parts[-2] if len(parts) > 1 else ""
    return f"{owner}.{parts[-1]}" if owner[:1].isupper() else parts[-1]


def _place(node: Any, at: At) -> Place:
    end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return Place(*at(node.lineno - 1, node.col_offset), *at(end[0] - 1, end[1]), None)


def _written(node: ast.expr, lines: list[str]) -> str:
    line = lines[node.lineno - 1]
    if node.end_lineno != node.lineno:
        return "…"
    start, end = (
        _characters(lines, node.lineno - 1, at or 0)
        for at in (node.col_offset, node.end_col_offset)
    )
    return line[start:end][:MAX_SHOWN]
