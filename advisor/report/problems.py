"""What is wrong, in the reader's language: sentences that ``advisor.errors.said`` keeps apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from advisor.errors import Problem, Said, Span, sentences
from advisor.rulebook.model import say
from advisor.source import read_file

_FOLDER = Path(__file__).with_name("words") / "problems"
_BETWEEN = {"zh": "、"}
"""What stands between the names of a list."""


@cache
def translations(language: str) -> Mapping[str, str]:
    """Templates of a language by the English ones; empty for English and one that has none."""
    found: dict[str, str] = {}
    for path in sorted((_FOLDER / language).glob("*.yaml")):
        found.update(read_file(path, path.name).data)
    return found


def in_language(text: str, language: str) -> str:
    """A sentence in a language; as it is where it was not ``said``, or nobody translated it."""
    if language == "en" or not isinstance(text, Said):
        return text
    template = translations(language).get(text.template)
    if template is None:
        template = text.template
    return _filled(template, {name: _told(value, language) for name, value in text.values})


def _filled(template: str, values: Mapping[str, Any]) -> str:
    """The template with its values; a blank parts a Chinese character and a Latin value beside it.

    Only where a value begins or ends: inside of it stands what somebody wrote.
    """
    from string import Formatter  # 2 ms, and only what goes wrong needs it

    text = ""
    for literal, name, spec, _ in Formatter().parse(template):
        text = _beside(text, literal)
        if name is not None:
            text = _beside(text, format(values[name], spec or ""))
    return text


def _beside(before: str, after: str) -> str:
    one, other = before[-1:], after[:1]
    is_parted = (_is_han(one) and _is_latin(other)) or (_is_latin(one) and _is_han(other))
    return f"{before} {after}" if is_parted else before + after


def _is_han(char: str) -> bool:
    return "\u3400" <= char <= "\u9fff"


def _is_latin(char: str) -> bool:
    return char.isascii() and char.isalnum()


def _told(value: object, language: str) -> Any:
    if isinstance(value, tuple) and not isinstance(value, Span):
        return _BETWEEN.get(language, ", ").join(str(_told(one, language)) for one in value)
    if isinstance(value, Mapping):
        return say(value, language)
    return in_language(value, language) if isinstance(value, str) else value


def problem_text(problem: Problem, language: str) -> str:
    """What is wrong and what to do, without the place."""
    return in_language(sentences(problem.message, problem.hint), language)


def problem_line(problem: Problem, language: str) -> str:
    """A problem on one line, with its place and code, as ``str(problem)`` has it in English."""
    return str(problem._replace(message=problem_text(problem, language), hint=""))


def problem_lines(problems: Iterable[Problem], language: str) -> Iterator[str]:
    """Problems on one line each, warnings marked as such."""
    from advisor.report.phrases import phrase

    for one in problems:
        line = problem_line(one, language)
        yield line if one.level == "error" else phrase(language, "warning", problem=line)
