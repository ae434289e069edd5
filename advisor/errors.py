"""Where something is, what is wrong with it, and the exceptions that carry such problems.

AdvisorError                the call cannot go on; a face catches this and nothing else
├── FileProblems            one or more files cannot be used: every problem found, located
└── BadCall                 the call itself is wrong (an option's value, a name on the command line)
    └── UnknownName         a name that nothing has; carries close names or candidates

A ``Problem`` is data: loaders collect them and raise one ``FileProblems`` at the end, so that a
person sees everything at once. Exit codes belong to the command line, not to these classes.
"""

from collections.abc import Iterable
from itertools import islice
from typing import Literal, NamedTuple

Level = Literal["error", "warning"]


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
        return (Problem("call", str(self)),)


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
    return "".join(_escape(char) for char in text)


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
    return f"Did you mean '{close[0]}'?" if close else ""


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
