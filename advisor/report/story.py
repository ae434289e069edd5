"""The story of one number as an indented tree."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.explain import Node, Way
from advisor.report.phrases import labelled, names, phrase
from advisor.report.problems import in_language
from advisor.rulebook.model import say

_STATES = {"missing": "story_missing", "absent": "story_absent", "failed": "story_failed"}


def story_text(node: Node, language: str) -> str:
    """The tree as lines, ending with a newline."""
    return "".join(line.rstrip() + "\n" for line in _lines(node, "", "", language))


def _lines(node: Node, first: str, rest: str, language: str) -> Iterator[str]:
    yield first + _head(node, language)
    inner = rest + ("│ " if node.children else "  ")
    for line in _details(node, language):
        yield inner + "  " + line
    for position, child in enumerate(node.children):
        last = position == len(node.children) - 1
        yield from _lines(
            child, rest + ("└ " if last else "├ "), rest + ("  " if last else "│ "), language
        )


def _head(node: Node, language: str) -> str:
    value = node.value
    if node.state != "value":
        value = phrase(language, _STATES[node.state], detail=in_language(node.value, language))
    title = say(node.title, language)
    label = f"  {title}" if title else ""
    mark = f"  {phrase(language, 'story_chosen')}" if node.chosen else ""
    return f"{node.name} = {value}{label}{mark}"


def _way(way: Way | None, language: str) -> str:
    """How a value is put together, in a line."""
    if way is None:
        return ""
    if way.kind == "formula":
        return way.values["value"]
    key = "rows_where" if way.kind == "rows" and "where" in way.values else way.kind
    return phrase(language, f"story_{key}", **way.values, names=names(language, way.names))


def _details(node: Node, language: str) -> Iterator[str]:
    if node.again:
        yield phrase(language, "story_again")
        return
    place = f"{node.where}" if node.where else ""
    layer = f" [{node.layer}]" if node.layer and node.layer != "core" else ""
    if node.kind == "formula":
        yield f"= {_way(node.way, language)}   ({place}{layer})"
    elif node.kind == "parameter":
        rule = f"{_way(node.way, language)}   " if node.way else ""
        yield f"{rule}({place}{layer})"
        sources = "; ".join(
            " ".join(filter(None, (one.get("name", ""), one.get("url", ""), one.get("note", ""))))
            for one in node.sources
        )
        if sources:
            yield phrase(language, "story_source", source=sources, checked=node.checked)
    else:
        origin = phrase(language, f"origin_{node.origin or 'none'}")
        if node.note and node.origin != "given":
            origin = labelled(language, origin, node.note)
        yield f"{origin}   ({place})"
    if node.why:
        yield say(node.why, language)
