"""Where something is, what is wrong with it, and the exceptions that carry such problems.

AdvisorError                the call cannot go on; a face catches this and nothing else
├── FileProblems            one or more files cannot be used: every problem found, located
└── BadCall                 the call itself is wrong (an option's value, a name on the command line)
    └── UnknownName         a name that nothing has; carries close names or candidates

A ``Problem`` is data: loaders collect them and raise one ``FileProblems`` at the end, so that a
person sees everything at once. Exit codes belong to the command line, not to these classes.

Every sentence here is written in English with ``said``, which keeps the sentence and what was
filled into it apart; faces show it in the reader's language (``advisor.report.problems``).
"""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, Literal, NamedTuple

Level = Literal["error", "warning"]


class Said(str):
    """An English sentence that still knows its template and the values that were filled in.

    It is the English text wherever text is wanted. ``values`` are pairs of a placeholder and what
    stands for it: a name that every language writes alike, another Said, a sentence of the rules
    by language, or a tuple of them.
    Text made of it (a slice, ``strip``, ``+``) is English only.
    """

    __slots__ = ("template", "values")

    template: str
    values: tuple[tuple[str, Any], ...]

    def __new__(cls, template: str, values: tuple[tuple[str, Any], ...] = ()) -> "Said":
        shown = {name: value if type(value) is str else _english(value) for name, value in values}
        text = super().__new__(cls, template.format_map(shown))
        object.__setattr__(text, "template", template)
        object.__setattr__(text, "values", values)
        return text

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a sentence does not change")

    def __reduce__(self) -> tuple[type["Said"], tuple[Any, ...]]:
        return Said, (self.template, self.values)


def _english(value: object) -> object:
    if isinstance(value, tuple) and not isinstance(value, Span):
        return ", ".join(map(str, value))
    return value.get("en", "") if isinstance(value, Mapping) else value


def said(template: str, **values: object) -> str:
    """A sentence of a person's language: an English template, and what fills its ``{names}``.

    The template is written out where it is said, so that translations can be held against it.

    >>> said("there is no {kind} '{name}'.", kind="input", name="lr")
    "there is no input 'lr'."
    """
    return Said(template, tuple(values.items()))


def whole(text: str) -> str:
    """A sentence of somebody else (a parser, the system): translated as it is, or not at all."""
    return Said(text.replace("{", "{{").replace("}", "}}"))


def sentences(*parts: str) -> str:
    """What is said one after the other, without the empty parts."""
    told = [part for part in parts if part]
    text: str = told[0] if told else ""
    for part in told[1:]:
        text = said("{before} {after}", before=text, after=part)
    return text


def cause(error: Exception) -> str:
    """What an exception says: a sentence of ours, or of somebody else."""
    first = error.args[0] if error.args else None
    if isinstance(first, Said):
        return first
    if isinstance(error, OSError) and error.strerror:
        return whole(error.strerror)
    return whole(str(error))


class Span(NamedTuple):
    """A place in a file; ``line`` and ``column`` count from 1, 0 means the file as a whole."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        if not self.line:
            return self.file
        return f"{self.file}:{self.line}:{self.column}"


class Problem(NamedTuple):
    """Something wrong in a file: a stable code, what is wrong, and what to do next."""

    code: str
    message: str
    hint: str = ""
    where: Span | None = None
    level: Level = "error"

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        hint = f" {self.hint}" if self.hint else ""
        return visible(f"{place}{self.code}: {self.message}{hint}").replace("\n", "\\n")


class AdvisorError(Exception):
    """Base of everything a person may be told; never a bug in the program."""

    @property
    def problems(self) -> tuple[Problem, ...]:
        return (Problem("call", cause(self)),)


class FileProblems(AdvisorError):
    """One or more files cannot be used; ``problems`` is never empty."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self._problems = tuple(sorted(problems, key=_reading_order))
        super().__init__("\n".join(str(problem) for problem in self._problems))

    @property
    def problems(self) -> tuple[Problem, ...]:
        return self._problems


class BadCall(AdvisorError):
    """The call is wrong: an option's value or a name given to a command."""


class UnknownName(BadCall):
    """A name nothing has, or several things share; ``candidates`` are what was meant, maybe."""

    def __init__(self, message: str, candidates: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.candidates = tuple(candidates)


def _reading_order(problem: Problem) -> tuple[str, int, int]:
    where = problem.where or Span("")
    return where.file, where.line, where.column


def visible(text: str) -> str:
    """Text with every control, format and surrogate character written as an escape.

    Names come from untrusted files; a terminal must never see their escape sequences, and a reader
    must not be fooled by characters that change the direction of text. Newlines stay.
    """
    if text.isascii() and text.isprintable():
        return text
    if isinstance(text, Said):
        return Said(text.template, tuple((name, _visible(value)) for name, value in text.values))
    return "".join(_escape(char) for char in text)


def _visible(value: object) -> object:
    if isinstance(value, tuple) and not isinstance(value, Span):
        return tuple(map(_visible, value))
    return visible(value) if isinstance(value, str) else value


_HIDDEN = frozenset("\u061c\u200e\u200f\ufeff") | {
    chr(code)
    for span in ((0x200B, 0x200D), (0x202A, 0x202E), (0x2060, 0x2069))
    for code in range(span[0], span[1] + 1)
}


def _escape(char: str) -> str:
    if char == "\n" or (char.isprintable() and char not in _HIDDEN):
        return char
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def suggestion(word: str, known: Iterable[str]) -> str:
    """A sentence naming the closest known word, or nothing when none is close.

    >>> suggestion("qlroa", ["full", "lora", "qlora"])
    "Did you mean 'qlora'?"
    """
    close = close_names(word, known, most=1)
    return said("Did you mean '{name}'?", name=close[0]) if close else ""


MAX_COMPARED = 5000
"""Names that a wrong one is compared with: more would take seconds."""


def close_names(word: str, known: Iterable[str], most: int = 3) -> list[str]:
    """The known words most like ``word``, best first; upper and lower case are alike."""
    import difflib  # costs 5 ms and only failing paths need it

    folded: dict[str, str] = {}
    for name in islice(known, MAX_COMPARED):
        if name != word:
            folded.setdefault(name.lower(), name)
    close = difflib.get_close_matches(word[:100].lower(), folded, most, 0.6)
    return [folded[name] for name in close]
