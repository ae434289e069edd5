"""What the YAML parser complains about, as located problems with a hint."""

import re

import yaml

from advisor.errors import Problem, Span, said, whole
from advisor.source.building import MAX_DEPTH
from advisor.source.places import lines_of

# `when: 'a' in b`: YAML ends the value with the second quote.
_CUT_AT_QUOTE = re.compile(
    r"""(?:^\s*(?:-\s+)*|[{,]\s*)[\w.\-]+:\s+(?:'[^']*'|"[^"]*")\s+[^\s#,}\]]"""
)


def syntax_problem(error: yaml.YAMLError, name: str, text: str) -> Problem:
    """The problem that a parser's exception stands for."""
    mark = getattr(error, "problem_mark", None)
    if mark is None:
        return _bad_character(error, name, text)
    where = Span(name, mark.line + 1, mark.column + 1)
    what = (getattr(error, "problem", None) or "cannot be parsed").strip()
    if "nesting depth" in what:
        return Problem(
            "too-deep",
            said("nested over {most} levels.", most=MAX_DEPTH),
            said("Flatten it."),
            where,
        )
    context = getattr(error, "context", None)
    message = (
        said("not YAML: {what} ({context}).", what=whole(what), context=whole(context))
        if context
        else said("not YAML: {what}.", what=whole(what))
    )
    return Problem("yaml", message, _hint(mark.line, lines_of(text)), where)


def _hint(line: int, lines: list[str]) -> str:
    for number in (line, line - 1):
        if 0 <= number < len(lines) and _CUT_AT_QUOTE.search(lines[number]):
            return said("An expression that starts with a quote must be quoted as a whole.")
    return said("Check the indentation and the quotes here.")


def _bad_character(error: yaml.YAMLError, name: str, text: str) -> Problem:
    char = getattr(error, "character", None)
    if char is None:
        return Problem(
            "yaml", said("not readable text."), said("Save the file as UTF-8."), Span(name)
        )
    code = ord(char) if isinstance(char, str) else char
    return Problem(
        "yaml",
        said("character 0x{code:02x} is not allowed.", code=code),
        said("Remove it, or write it as an escape in double quotes."),
        at_offset(name, text, max(text.find(chr(code)), 0)),
    )


def at_offset(name: str, text: str, offset: int) -> Span:
    """The place of a character of the whole text."""
    lines = lines_of(text[:offset])
    return Span(name, len(lines), len(lines[-1]) + 1)
