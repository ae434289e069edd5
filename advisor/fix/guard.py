"""Whether a text is one that may be changed: nothing in it means more than it says."""

from typing import Any, NamedTuple

import yaml

from advisor.errors import Problem, Span, said
from advisor.source import Document, Mapping, Sequence, parser_of


class Shape(NamedTuple):
    """Whether the outermost map stands in braces, and everything that forbids a change."""

    root_is_flow: bool
    problems: tuple[Problem, ...]


def shape_of(text: str, name: str) -> Shape:
    """Look through a text that was read already.

    Anchors and aliases would change in two places at once; a tag says how to read what follows; of
    several documents only the first was read.
    """
    problems: list[Problem] = []
    root_is_flow: bool | None = None
    documents = 0
    loader = parser_of(text, name)
    try:
        while True:
            event = loader.get_event()
            if event is None or isinstance(event, yaml.StreamEndEvent):
                break
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents == 2:
                    problems.append(_problem(said("a second document starts here."), name, event))
            if isinstance(event, yaml.MappingStartEvent) and root_is_flow is None:
                root_is_flow = bool(event.flow_style)
            fault = _fault(event)
            if fault:
                problems.append(_problem(fault, name, event))
    finally:
        loader.dispose()
    return Shape(bool(root_is_flow), tuple(problems))


def _fault(event: Any) -> str:
    if isinstance(event, yaml.AliasEvent):
        return said("*{anchor} stands for a value elsewhere.", anchor=str(event.anchor)[:60])
    anchor = getattr(event, "anchor", None)
    if anchor:
        return said("&{anchor} may stand for this value elsewhere.", anchor=anchor[:60])
    if getattr(event, "tag", None) and not _is_standard(event.tag):
        return said("the tag {tag} says how to read this.", tag=event.tag[:60])
    return ""


def _is_standard(tag: str) -> bool:
    return tag == "!" or tag.startswith("tag:yaml.org,2002:")


def _problem(message: str, name: str, event: Any) -> Problem:
    mark = event.start_mark
    hint = said("Change it by hand: only plain files are mended.")
    return Problem("cannot-fix", message, hint, Span(name, mark.line + 1, mark.column + 1))


# -- what two texts say ---------------------------------------------------------------------------


def leaves(data: Any, prefix: str = "") -> dict[str, Any]:
    """Everything in a document that is no map or list, by its path."""
    found: dict[str, Any] = {}
    waiting: list[tuple[str, Any]] = [(prefix, data)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, Mapping) and value:
            waiting.extend((f"{path}.{key}" if path else key, one) for key, one in value.items())
        elif isinstance(value, Sequence) and value:
            waiting.extend((f"{path}[{number}]", one) for number, one in enumerate(value))
        else:
            found[path] = value
    return found


def differences(before: Document, after: Document) -> set[str]:
    """The paths at which two documents differ; the elements of a list count as the list."""
    old, new = leaves(before.data), leaves(after.data)
    missing = object()
    return {
        path.partition("[")[0]
        for path in old.keys() | new.keys()
        if old.get(path, missing) != new.get(path, missing)
        or isinstance(old.get(path), bool) != isinstance(new.get(path), bool)
    }


def referring(document: Document, paths: set[str]) -> list[tuple[str, Problem]]:
    """Values that refer to one of the paths with ``${…}``, and so would change with it."""
    found = []
    for path, value in leaves(document.data).items():
        if not isinstance(value, str) or "${" not in value:
            continue
        named = {part.partition("}")[0].strip() for part in value.split("${")[1:]}
        for one in sorted(named & paths):
            message = said(
                "'{path}' is filled in from '{name}' and would change with it.",
                path=path[:80],
                name=one[:80],
            )
            hint = said("Change both by hand.")
            found.append((one, Problem("cannot-fix", message, hint, document.start)))
    return found
