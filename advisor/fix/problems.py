"""Why a file is not mended; every reason is a problem with the code ``cannot-fix``."""

from collections.abc import Iterable

from advisor.errors import FileProblems, Problem, Span

CODE = "cannot-fix"


class Unsaid(FileProblems):
    """Some inputs cannot be changed in a file; a plan that leaves them alone might be possible."""

    def __init__(self, problems: Iterable[Problem], inputs: Iterable[str]) -> None:
        super().__init__(problems)
        self.inputs = frozenset(inputs)


def refusal(file: str, messages: Iterable[str], hint: str = "") -> FileProblems:
    """A refusal that concerns a file as a whole."""
    return FileProblems(told(file, messages, hint))


def told(file: str, messages: Iterable[str], hint: str = "") -> list[Problem]:
    """Reasons that concern a file as a whole."""
    return [Problem(CODE, message, hint, Span(file)) for message in messages]
