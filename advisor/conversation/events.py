"""What a line leads to, as data: faces render it (``lines`` has the sentences)."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from advisor.check import CheckResult, Status
from advisor.conversation.charts import Chart
from advisor.conversation.outlook import Outlook
from advisor.conversation.questions import Question
from advisor.conversation.state import Answer, Crash
from advisor.errors import Problem
from advisor.explain import Node
from advisor.ladder import Plan
from advisor.rulebook.model import NO_TEXT, Remedy, Text, Value
from advisor.verdict import Verdict

Filled = Mapping[str, str | tuple[str, ...]]
"""What a sentence fills in: texts, and names in a row."""

NOTHING: Filled = MappingProxyType({})


class Item(NamedTuple):
    """One answer as it is shown: its value in words, and what it was before (empty: nothing).

    ``because`` is the reason of a suggestion that was taken, ``source`` whose remedy or file it is.
    """

    answer: Answer
    shown: str
    was: str = ""
    because: Text = NO_TEXT


class Understood(NamedTuple):
    """The answers a line was taken for."""

    items: tuple[Item, ...]


class NotUsed(NamedTuple):
    """Words of a line that mean nothing to the rules."""

    words: tuple[str, ...]


class Crashed(NamedTuple):
    """A pasted out-of-memory message was understood."""

    crash: Crash


class Asked(NamedTuple):
    """The question to answer now."""

    question: Question


class VerdictShown(NamedTuple):
    """Where the answers stand; ``check`` is what ``advisor check`` gives for them.

    ``outlook`` says whether it is settled and what could turn it; ``is_final`` that no question
    follows, ``crash`` that the run is known to have ended for lack of memory.
    """

    check: CheckResult
    outlook: Outlook
    answers: Mapping[str, Answer]
    is_final: bool
    crash: Crash | None = None


class PlanShown(NamedTuple):
    """The steps that help, in order, and those skipped with the reason."""

    plan: Plan
    verdict: Verdict


class WhatIf(NamedTuple):
    """The answers as they are and as they would be; nothing was changed."""

    items: tuple[Item, ...]
    before: CheckResult
    after: CheckResult


class Row(NamedTuple):
    """One alternative in a comparison.

    Where the steps of its check, which leave alone what the comparison holds, do not mend it though
    the run's own plan does, ``beyond`` is that plan and ``changed`` what is held and changed by it.
    """

    label: str
    check: CheckResult
    is_current: bool
    changed: tuple[str, ...] = ()
    beyond: Plan | None = None


class Compared(NamedTuple):
    """Alternatives for one input or two, everything else the same.

    The steps of every row leave the inputs in ``held`` alone. ``is_usual`` says that nobody named
    what to compare.
    """

    name: str
    rows: tuple[Row, ...]
    held: tuple[str, ...] = ()
    is_usual: bool = False


class Charted(NamedTuple):
    """Charts, and which of them was asked for (None: no one in particular)."""

    charts: tuple[Chart, ...]
    at: int | None = None


class Themed(NamedTuple):
    """Other colours are wanted: a theme by its name, or (empty) to know which there are.

    Only a face has colours; one without says so.
    """

    name: str = ""


class Explained(NamedTuple):
    """The story of a number, input or parameter down to its sources."""

    node: Node


class PolicyExplained(NamedTuple):
    """A policy: what it requires, where that is written, and how it stands.

    ``lacking`` are the inputs that it, or its message, cannot be told without.
    """

    name: str
    level: str
    rule: str
    where: str
    message: Text
    state: str
    title: Text = NO_TEXT
    lacking: tuple[str, ...] = ()


class RemedyExplained(NamedTuple):
    """A remedy: what it would do to the answers now, why, and what it costs.

    ``before`` and ``after`` are likely answers by name; ``reason`` is why it would be skipped.
    """

    remedy: Remedy
    before: Mapping[str, float]
    after: Mapping[str, float]
    reason: str
    detail: str


class QuestionExplained(NamedTuple):
    """Why a question is asked: what its answers would come to, and where it is written."""

    question: Question
    outcomes: tuple[tuple[Value, str, float | None], ...]  # value, verdict, first answer
    where: str


class Listed(NamedTuple):
    """Every answer, and what the rules take for what nobody said."""

    items: tuple[Item, ...]
    assumed: tuple[tuple[str, str, Text], ...]


class Exported(NamedTuple):
    """A document was made: written to ``path``, or to be shown where that is empty.

    ``told`` is the message that says where it went.
    """

    form: str
    text: str
    path: str = ""
    told: str = "exported"


class Copied(NamedTuple):
    """Text for the clipboard, which is a face's to reach."""

    text: str


class Helped(NamedTuple):
    """The commands, or the one asked about."""

    names: tuple[str, ...]


class Said(NamedTuple):
    """A sentence by its key in the messages, with what is filled in; ``names`` are of inputs."""

    key: str
    values: Filled = NOTHING
    names: tuple[str, ...] = ()


class Failed(NamedTuple):
    """Something could not be done: a sentence by its key, and problems of files."""

    key: str
    values: Filled = NOTHING
    problems: tuple[Problem, ...] = ()


class Ended(NamedTuple):
    """The conversation is over; ``status`` is what a check of its answers comes to."""

    status: Status


Event = (
    Understood | NotUsed | Crashed | Asked | VerdictShown | PlanShown | WhatIf | Compared
    | Explained | PolicyExplained | RemedyExplained | QuestionExplained | Listed | Exported
    | Charted | Themed | Copied | Helped | Said | Failed | Ended
)  # fmt: skip
