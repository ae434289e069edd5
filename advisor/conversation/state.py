"""What a conversation knows: a log of answers. Everything else follows from it and the rules."""

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from advisor.conversation.reading import Unclear
from advisor.rulebook.model import Value

Origin = Literal["said", "picked", "assumed", "remedy", "file"]
"""Who an answer comes from: typed, chosen from a list, nobody (a suggestion was taken), a step of
the plan, or a file that was opened."""


class Answer(NamedTuple):
    """One input's value.

    ``value`` is None where nobody knows and the rules have a default, or do without; a catalogue
    entry is a name that its catalogue finds. ``written`` are the words it came in, ``read_as`` what
    mistyped ones were taken for, ``source`` the remedy or file. ``described`` is the YAML of an
    entry that no catalogue has.
    """

    name: str
    value: Value | None
    origin: Origin = "said"
    written: str = ""
    read_as: str = ""
    source: str = ""
    described: str = ""

    @property
    def is_known(self) -> bool:
        """Whether somebody vouches for it."""
        return self.origin != "assumed"


class Crash(NamedTuple):
    """A run that ended for lack of memory: bytes it asked for, what the card has, what it held.

    ``lasted`` says that it went on for a while before.
    """

    asked: float | None = None
    capacity: float | None = None
    held: float | None = None
    lasted: bool = False


class Entry(NamedTuple):
    """What one line changed: its answers, and what it left open.

    ``asked`` is the input whose question it answered. A ``fresh`` entry stands for a file that was
    opened: nothing before it counts, and ``keep`` are the inputs the file leaves alone.
    """

    text: str
    answers: tuple[Answer, ...] = ()
    unclear: tuple[Unclear, ...] = ()
    crash: Crash | None = None
    asked: str = ""
    fresh: bool = False
    keep: tuple[str, ...] = ()


class State(NamedTuple):
    """A conversation between two lines; immutable, and all that has to be kept of one.

    ``log`` are the lines that changed an answer, ``undone`` those taken back (the last one last),
    ``refine`` is whether questions go on to what only changes time and cost, ``file`` where it was
    opened from or saved to.
    """

    language: str = "en"
    log: tuple[Entry, ...] = ()
    undone: tuple[Entry, ...] = ()
    refine: bool = False
    file: str = ""

    @property
    def current(self) -> tuple[Entry, ...]:
        """The lines since the last file was opened."""
        last = max((at for at, entry in enumerate(self.log) if entry.fresh), default=0)
        return self.log[last:]

    @property
    def keep(self) -> tuple[str, ...]:
        """The inputs that a file asked to leave alone."""
        return self.current[0].keep if self.log else ()

    @property
    def answers(self) -> Mapping[str, Answer]:
        """The latest answer of each input, in the order of the first."""
        found: dict[str, Answer] = {}
        for entry in self.current:
            for answer in entry.answers:
                found[answer.name] = answer
        return found

    @property
    def pending(self) -> Unclear | None:
        """The first thing said that may mean several entries, unless it was settled since."""
        open_ones: dict[str, Unclear] = {}
        for entry in self.current:
            for one in entry.unclear:
                open_ones[one.name] = one
            for answer in entry.answers:
                open_ones.pop(answer.name, None)
        return next(iter(open_ones.values()), None)

    @property
    def crash(self) -> Crash | None:
        """The message of a run that ended for lack of memory, if one was pasted."""
        told = [entry.crash for entry in self.current if entry.crash]
        return told[-1]._replace(lasted=any(one.lasted for one in told)) if told else None

    @property
    def questions(self) -> int:
        """How many questions were answered so far."""
        return sum(bool(entry.asked) for entry in self.current)

    def having(self, entry: Entry) -> "State":
        """The state after one more line; what was undone is gone."""
        return self._replace(log=(*self.log, entry), undone=())

    def back(self) -> "State":
        """The state before the last line that changed something; unchanged when there is none."""
        if not self.log:
            return self
        return self._replace(log=self.log[:-1], undone=(*self.undone, self.log[-1]))

    def redo(self) -> "State":
        """The state before the last ``back``; unchanged when there is none."""
        if not self.undone:
            return self
        return self._replace(log=(*self.log, self.undone[-1]), undone=self.undone[:-1])


def changed(state: State, answers: Iterable[Answer]) -> tuple[Answer, ...]:
    """The answers that say something the state does not know yet."""
    known = state.answers
    return tuple(
        one
        for one in answers
        if one.name not in known
        or known[one.name].value != one.value
        or known[one.name].is_known != one.is_known
    )
