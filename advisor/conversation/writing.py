"""The answers as a scenario file: what ``advisor check`` reads, and what a session is kept as."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from advisor.conversation.state import Answer, State
from advisor.errors import FileProblems
from advisor.rulebook.model import Input, RuleBook, Value
from advisor.rulebook.values import BadValue, input_text, read_value
from advisor.scenario import ASSUMED, KEEP, Scenario
from advisor.source import read_text
from advisor.units import BYTE, NONE, SECOND, dimension_text, parse_unit


def scenario_text(
    book: RuleBook, state: State, heading: Iterable[str] = (), keep: Iterable[str] = ()
) -> str:
    """The YAML of a state. Reading it gives the same inputs, and the same verdict.

    Inputs that nobody knows are listed under ``assumed``; ``keep`` are further ones to leave alone.
    """
    answers = state.answers
    lines = [f"# {line}" for line in heading]
    lines += _block(_nested(book, answers), 0)
    unsure = [name for name in book.inputs if name in answers and not answers[name].is_known]
    kept = tuple(dict.fromkeys((*state.keep, *keep)))
    for key, names in ((KEEP, kept), (ASSUMED, unsure)):
        if names:
            lines.append(f"{key}: [{', '.join(names)}]")
    if not (answers or kept):
        lines.append(f"{ASSUMED}: []")
    return "\n".join(lines) + "\n"


def _nested(book: RuleBook, answers: Mapping[str, Answer]) -> dict[str, Any]:
    """The values by the parts of their names; what the rules' own default says is left out."""
    tree: dict[str, Any] = {}
    owners = {one.name for one in book.inputs.values() if one.type == "catalogue"}
    for target in sorted(book.inputs.values(), key=_rank):
        name = target.name
        answer = answers.get(name)
        if answer is None or answer.value is None:
            continue
        parts = name.split(".")
        owner = next((one for one in owners if name.startswith(f"{one}.")), None)
        if owner is not None:  # a fact beside the entry's name
            parts = [*owner.split(".")[:-1], name.removeprefix(f"{owner.rpartition('.')[0]}.")]
            parts = [part for part in parts if part]
        block = tree
        for part in parts[:-1]:
            block = block.setdefault(part, {})
        block[parts[-1]] = answer.described or written(target, answer.value)
    return tree


def description(book: RuleBook, owner: Input, scenario: Scenario) -> str:
    """The facts of an entry that no catalogue has, as one line of YAML."""
    start = f"{owner.name}."
    facts = {
        name.removeprefix(start): _flow(book.inputs[name], one.value)
        for name, one in scenario.given.items()
        if name.startswith(start)
    }
    name = scenario.given[owner.name].value
    facts.setdefault("name", json.dumps(name, ensure_ascii=False))
    return _map_text(facts)


def _flow(target: Input, value: Value) -> str:
    """A value inside a map on one line."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(_row_text, value))}]"
    if isinstance(value, frozenset):
        return f"[{', '.join(sorted(value))}]"
    if isinstance(value, str) and target.type != "date":
        return json.dumps(value, ensure_ascii=False)
    return written(target, value)


def _row_text(row: Mapping[str, Any]) -> str:
    return _map_text({key: json.dumps(cell, ensure_ascii=False) for key, cell in row.items()})


def _map_text(fields: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{key}: {text}" for key, text in fields.items()) + "}"


def _rank(target: Input) -> tuple[bool, bool]:
    """What is run first, then the groups as the rules have them."""
    return "." in target.name, target.type != "catalogue"


def _block(tree: Mapping[str, Any], depth: int) -> Iterator[str]:
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield f"{'  ' * depth}{key}:"
            yield from _block(value, depth + 1)
        else:
            yield f"{'  ' * depth}{key}: {value}"


def shown(target: Input, value: Value) -> str:
    """A value as people read it: as it would be written, without quotes."""
    return (
        written(target, value).strip('"') if isinstance(value, float) else input_text(target, value)
    )


def written(target: Input, value: Value) -> str:
    """A value as YAML that reads as the same value again."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        ways = list(_numbers(target, value))
        return next((text for text in ways if _reads_as(target, text, value)), ways[-1])
    if isinstance(value, frozenset):
        return input_text(target, value)
    assert isinstance(value, str)  # tables are never answers
    if target.type == "date" or _reads_as(target, value, value):
        return value
    return json.dumps(value, ensure_ascii=False)


_HANDY = {SECOND: ("day", "h", "min", "second"), BYTE: ("GiB", "GB", "MiB", "byte")}
_PRECISIONS = (4, 12, 17)


def _numbers(target: Input, value: float) -> Iterator[str]:
    """Ways to write a number, the handiest first; the last one is exact."""
    unit = target.unit
    names = _HANDY.get(unit.dimension, (unit.name,))
    for digits in _PRECISIONS:
        for name in names:
            text = f"{value / parse_unit(name).scale:.{digits}g}"
            bare = float(text)
            shown = str(int(bare)) if bare.is_integer() and abs(bare) < 1e15 else text
            if unit.dimension == NONE:
                yield shown
            elif digits != _PRECISIONS[0] or abs(bare) >= 1:
                yield f"{shown} {name}"
    yield (
        f"{value / unit.scale!r}"
        if unit.dimension == NONE
        else (f"{value!r} {dimension_text(unit.dimension)}")
    )


def _reads_as(target: Input, text: str, value: Value) -> bool:
    try:
        document = read_text(f"v: {text}", "value")
        return bool(read_value(target, document.data["v"]) == value)
    except (FileProblems, BadValue, KeyError, TypeError):
        return False
