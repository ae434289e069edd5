"""Command lines of shell scripts as data: flags, launcher and environment; nothing is run.

Words are cut as a shell cuts them. A variable counts where the script sets it once, to a plain
text; anything else a shell would work out is kept as a text that nobody has resolved.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import NamedTuple

from advisor.source import Document, Mapping, Place, Sequence
from advisor.source.lenient import loose_scalar
from advisor.trainers.keys import Unresolved
from advisor.trainers.syntax.command import Arguments, Word, read_command

Positions = Callable[[int], tuple[int, int]]
"""The line and column (from 0) of a character of the script in the file that holds it."""

_SUBSTITUTION = r"\$\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
_QUOTED = r'"(?:[^"\\]|\\.)*"' + r"|'[^']*'|`[^`]*`|" + _SUBSTITUTION
_TOKEN = re.compile(
    rf"""(?P<skip>(?:[ \t\r]|\\\r?\n)+)
    |(?P<comment>\#[^\n]*)
    |(?P<end>\n|;|\|\|?|&&?|\(|\))
    |(?P<redirect>[0-9]*(?:<<-?[ ]*|[<>]+&?))
    |(?P<word>(?:[^\s"'`\\;|&()<>$]|\\.|\$(?!\()|{_QUOTED})+)
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_PIECE = re.compile(
    rf"""'(?P<plain>[^']*)'
    |"(?P<double>(?:[^"\\]|\\.)*)"
    |\\(?P<escaped>.)
    |(?P<work>`[^`]*`|{_SUBSTITUTION})
    |\$(?P<name>[A-Za-z_]\w*)|\$\{{(?P<braced>[A-Za-z_]\w*)\}}
    |(?P<dollar>\$\{{[^}}]*\}}|\$.?)
    |(?P<text>[^'"\\`$]+)""",
    re.VERBOSE | re.DOTALL,
)
_INSIDE = re.compile(
    rf"""\\(?P<escaped>[$`"\\\n])
    |\$(?P<name>[A-Za-z_]\w*)|\$\{{(?P<braced>[A-Za-z_]\w*)\}}
    |(?P<work>`[^`]*`|{_SUBSTITUTION}|\$\{{[^}}]*\}}|\$[^"\s]?)
    |(?P<text>[^\\$`]+|.)""",
    re.VERBOSE | re.DOTALL,
)
_VARIABLE = re.compile(r"\$(?:\w+|\{\w+\})\Z")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=")
MAX_VARIABLE = 10_000
"""Characters of a variable's text; what is longer is no setting, and could double without end."""

_KEYWORDS = frozenset(("if", "then", "else", "elif", "do", "while", "until", "!", "{", "}"))


class _Raw(NamedTuple):
    """A word as it is written, and where."""

    text: str
    start: int


def read_shell(text: str, name: str) -> Iterator[Document]:
    """A document for each command of a script that has arguments at all."""
    starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def positions(offset: int) -> tuple[int, int]:
        line = bisect_right(starts, offset) - 1
        return line, offset - starts[line]

    return read_commands(text, Document(name, text, None), positions)


def read_commands(text: str, document: Document, positions: Positions) -> Iterator[Document]:
    """The commands of a script that stands inside a document; ``positions`` places characters."""
    commands = [one for one in _commands(text) if one]
    variables = _variables(commands)
    exported: dict[str, Word] = {}
    for raw in commands:
        words = [word for one in raw for word in _words(one, variables)]
        while words and words[0].text in _KEYWORDS:
            words.pop(0)
        if words and words[0].text == "export":
            exported.update(_environment(words[1:])[0])
            continue
        environment, rest = _environment(words)
        if not rest:
            continue
        arguments = read_command(rest)
        arguments.environment.update({**exported, **environment})
        yield Document(document.name, document.text, _data(arguments, positions))


def _commands(text: str) -> Iterator[list[_Raw]]:
    """The words of each command; comments and redirections dropped."""
    words: list[_Raw] = []
    redirected = False
    for found in _TOKEN.finditer(text):
        kind = found.lastgroup
        if kind == "end":
            yield words
            words, redirected = [], False
        elif kind == "redirect":
            redirected = True
        elif kind == "word":
            if not redirected:
                words.append(_Raw(found[0], found.start()))
            redirected = False
    yield words


def _variables(commands: list[list[_Raw]]) -> dict[str, str]:
    """What the script sets exactly once; a text that rests on something open is open itself."""
    found: dict[str, str | None] = {}
    for words in commands:
        if words[0].text in ("for", "read", "local", "declare", "select"):
            found.update({one.text.partition("=")[0]: None for one in words[1:]})
        for raw in words[words[0].text == "export" :]:
            assigned = _ASSIGNMENT.match(raw.text)
            if assigned is None:
                break
            name = assigned[1]
            known = {key: text for key, text in found.items() if text is not None}
            value = _unquoted(raw.text[assigned.end() :], known)
            found[name] = None if name in found or len(value) > MAX_VARIABLE else value
    return {name: value for name, value in found.items() if value is not None}


def _environment(words: list[Word]) -> tuple[dict[str, Word], list[Word]]:
    """The assignments that lead a command, and the rest of it."""
    found: dict[str, Word] = {}
    for at, word in enumerate(words):
        assigned = _ASSIGNMENT.match(word.raw)
        if assigned is None:
            return found, words[at:]
        found[assigned[1]] = word.after(assigned.end())
    return found, []


def _words(raw: _Raw, variables: dict[str, str]) -> Iterator[Word]:
    """The word, or the several that a variable without quotes comes to."""
    text = _unquoted(raw.text, variables)
    end = raw.start + len(raw.text)
    worked_out = isinstance(text, Unresolved) and ("$(" in text or "`" in text)
    if worked_out or not _VARIABLE.match(raw.text) or not text.split():
        yield Word(text, raw.text, raw.start, end)
        return
    for part in text.split():
        is_open = isinstance(text, Unresolved) and ("$" in part or "`" in part)
        yield Word(Unresolved(part) if is_open else part, raw.text, raw.start, end)


def _unquoted(written: str, variables: dict[str, str]) -> str:
    """A word without its quotes; Unresolved where a shell would have to work something out."""
    if written.isalnum():
        return written
    parts: list[str] = []
    is_open = False
    for found in _PIECE.finditer(written):
        kind = found.lastgroup
        if kind == "double":
            for inner in _INSIDE.finditer(found[kind]):
                is_open |= _piece(inner, variables, parts)
        elif kind == "escaped" and found[kind] == "\n":
            continue
        else:
            is_open |= _piece(found, variables, parts)
    text = "".join(parts)
    return Unresolved(text) if is_open else text


def _piece(found: re.Match[str], variables: dict[str, str], parts: list[str]) -> bool:
    """Append what a piece stands for; whether it is left open."""
    kind = found.lastgroup or ""
    if kind in ("name", "braced"):
        value = variables.get(found[kind])
        parts.append(found[0] if value is None else value)
        return value is None or isinstance(value, Unresolved)
    if kind in ("work", "dollar"):
        parts.append(found[0])
        return found[0] != "$"
    parts.append(found[kind] if found[kind] != "\n" or kind != "escaped" else "")
    return False


# -- as data --------------------------------------------------------------------------------------


def _data(arguments: Arguments, positions: Positions) -> Mapping:
    """A command's parts as a map with places, like a file that was written for a trainer."""
    data = Mapping()

    def put(block: Mapping, key: str, named: Word, values: list[Word]) -> None:
        block.keys_at[key] = _place(named, positions)
        if not values:  # a flag alone
            block[key], block.values_at[key] = True, block.keys_at[key]
        elif len(values) == 1:
            block[key], block.values_at[key] = _value(values[0]), _place(values[0], positions)
        else:
            sequence = Sequence()
            sequence.extend(map(_value, values))
            sequence.values_at.extend(_place(one, positions) for one in values)
            block[key], block.values_at[key] = sequence, sequence.values_at[0]

    for name, (named, values) in arguments.flags.items():
        put(data, name, named, values)
    put(data, "program", arguments.program, [arguments.program])
    if arguments.positional:
        sequence = Sequence()
        sequence.extend(map(_value, arguments.positional))
        sequence.values_at.extend(_place(one, positions) for one in arguments.positional)
        first = sequence.values_at[0]
        data["arguments"], data.keys_at["arguments"], data.values_at["arguments"] = (
            sequence,
            first,
            first,
        )
    groups = {
        "launcher": arguments.launcher,
        "env": {name: (word, [word]) for name, word in arguments.environment.items()},
    }
    for group, members in groups.items():
        if members:
            inner = Mapping()
            for name, (named, values) in members.items():
                put(inner, name, named, values)
            start = next(iter(inner.keys_at.values()))
            data[group], data.keys_at[group], data.values_at[group] = inner, start, start
    return data


def _value(word: Word) -> object:
    if isinstance(word.text, Unresolved):
        return word.text
    quoted = word.raw[:1] in ("'", '"')
    return word.text if quoted and not word.text.isdigit() else loose_scalar(word.text)


def _place(word: Word, positions: Positions) -> Place:
    quote = word.raw[:1] if word.raw[:1] in ("'", '"') else None
    return Place(*positions(word.start), *positions(word.end), quote)
