"""What to type in each trainer to set an input: the ``writes:`` of ``rules/trainers/*.yaml``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from advisor import schemas
from advisor.errors import FileProblems, Problem, said, suggestion
from advisor.rulebook.model import Input, Text, Value
from advisor.rulebook.values import value_text
from advisor.source import Document, read_file

FRAMEWORK = "training.framework"
"""The input that names the trainer in use."""


class Write(NamedTuple):
    """How one input is written: the trainer's key and its words for our values.

    Without a key the trainer cannot be told in its file, and ``none`` says what to do instead.
    ``only_there`` writes over what a file says and adds nothing to it; ``times`` are inputs that
    the key is the product with. A word in brackets is what a list has to hold beside what it has.
    """

    key: str
    words: Mapping[str, str]
    none: Text
    only_there: bool = False
    times: tuple[str, ...] = ()

    def line(self, target: Input, value: Value) -> str | None:
        """The line to type for a value, or None where this key cannot say it."""
        if not self.key or self.only_there or self.times:
            return None
        if isinstance(value, frozenset):
            words = [self.words.get(word, word) for word in sorted(value)]
            return f"{self.key}: [{', '.join(words)}]"
        text = value_text(value, target.unit)
        if self.words and text not in self.words:
            return None
        return f"{self.key}: {self.words.get(text, text)}".rstrip()


class Trainer(NamedTuple):
    """One trainer's name and how it writes our inputs."""

    name: str
    writes: Mapping[str, tuple[Write, ...]]

    def lines(self, target: Input, value: Value) -> list[str]:
        """The lines to type for a value; empty where this trainer's file cannot say it."""
        found = (write.line(target, value) for write in self.writes.get(target.name, ()))
        return [line for line in found if line is not None]

    def instead(self, target: Input) -> Text:
        """What to do where the file cannot say it; empty when nothing is known."""
        writes = self.writes.get(target.name, ())
        return next((write.none for write in writes if write.none), {})


def read_trainers(folder: Path, shown: str, inputs: Mapping[str, Input]) -> tuple[Trainer, ...]:
    """Every trainer file of a folder; raises FileProblems with everything wrong in them.

    What a file says about reading is left out: it is two thirds of it, and ``load`` reads that.
    """
    problems: list[Problem] = []
    trainers: list[Trainer] = []
    for path in sorted(folder.glob("*.yaml")):
        document = read_file(path, f"{shown}/{path.name}", skip=("reads",))
        found = []
        if not schemas.accepts("trainer", document.data):
            found = schemas.problems("trainer", document)
        if found:
            problems.extend(found)
            continue
        problems.extend(_unknown(document, inputs))
        writes = {
            name: tuple(_writes(one)) for name, one in document.data.get("writes", {}).items()
        }
        trainers.append(Trainer(document.data["trainer"], writes))
    if problems:
        raise FileProblems(problems)
    return tuple(trainers)


def _unknown(document: Document, inputs: Mapping[str, Input]) -> Iterator[Problem]:
    block = document.data.get("writes", {})
    for name, written in block.items():
        where = document.key_span(block, name)
        if name not in inputs:
            yield Problem(
                "unknown-name",
                said("there is no input '{name}'.", name=name[:80]),
                suggestion(name, inputs),
                where,
            )
            continue
        choices = inputs[name].choices
        for one in written if isinstance(written, list) else [written]:
            for word in one.get("map", {}):
                if choices and word not in choices:
                    yield Problem(
                        "value",
                        said("'{name}' is never '{word}'.", name=name, word=word[:60]),
                        suggestion(word, choices),
                        where,
                    )


def _writes(written: Any) -> Iterator[Write]:
    for one in written if isinstance(written, list) else [written]:
        none = one.get("none", {})
        words = {key: _word(value) for key, value in one.get("map", {}).items()}
        yield Write(
            one.get("key", ""),
            words,
            {"en": none} if isinstance(none, str) else dict(none),
            one.get("only_there", False),
            tuple(one.get("times", ())),
        )


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
