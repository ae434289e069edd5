"""One file as the runs it describes: a configuration, a companion, the commands of a script."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from advisor.errors import FileProblems, Problem, said
from advisor.source import Document, Place
from advisor.source import Mapping as Block
from advisor.source.places import positions
from advisor.trainers.keys import find, is_open
from advisor.trainers.model import Format
from advisor.trainers.recognise import Recognised, forced, not_recognised, recognise
from advisor.trainers.syntax import Parsed, read_any
from advisor.trainers.syntax.shell import read_commands

_CONFIGS = (".yaml", ".yml", ".json")
SCENARIO = "scenario"
"""What ``--as`` calls the program's own format."""


class Unit(NamedTuple):
    """One run of a file: its main part, if the file has one, its companions, and the files that it
    names."""

    main: Recognised | None
    companions: tuple[Recognised, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def sources(self) -> tuple[Recognised, ...]:
        """Everything that was recognised, the main part first."""
        return (*((self.main,) if self.main else ()), *self.companions)


class Content(NamedTuple):
    """What a file was found to hold: runs, or the program's own scenario (``is_own``)."""

    units: tuple[Unit, ...]
    warnings: tuple[Problem, ...] = ()
    is_own: bool = False


def read_units(
    path: Path,
    shown: str,
    formats: Iterable[Format],
    wanted: Format | None = None,
    parsed: Parsed | None = None,
) -> Content:
    """Read a file and recognise what it holds; ``wanted`` is taken for granted.

    Raises FileProblems: the file cannot be read, no format fits, or one fits that is known and
    not read here.
    """
    parsed = parsed or read_any(path, shown)
    formats = tuple(formats)
    units = [
        unit
        for document in parsed.documents
        for unit in _units(document, parsed.syntax, formats, wanted)
    ]
    if parsed.syntax == "shell":  # a launcher alone starts something else than training
        units = [unit for unit in units if unit.main or wanted]
    if not any(unit.sources for unit in units):
        raise FileProblems([not_recognised(parsed.documents, parsed.syntax, formats, shown)])
    if any(unit.main for unit in units):  # commands that train nothing are beside the point
        units = [unit for unit in units if unit.main]
    for unit in units:
        if unit.main and unit.main.format.refuse:
            message = said(
                "this is a file of {title}: {reason}",
                title=unit.main.format.title,
                reason=unit.main.format.refuse,
            )
            hint = said("Describe the run as a scenario.")
            problem = Problem("not-described", message, hint, unit.main.document.start)
            raise FileProblems([problem])
    return Content(tuple(units), parsed.warnings)


def _units(
    document: Document, syntax: str, formats: tuple[Format, ...], wanted: Format | None
) -> Iterator[Unit]:
    found = recognise(document, syntax, formats)
    if wanted is not None:
        kept = tuple(one for one in found if one.format.role == "companion")
        found = (forced(document, wanted), *(one for one in kept if one.format != wanted))
    main = next((one for one in found if one.format.role == "main"), None)
    companions = [one for one in found if one.format.role == "companion"]
    names = [name for one in found for name in _names(one)]
    inner: list[Unit] = []
    for one in found:
        for part in _inner(one, formats):
            if isinstance(part, Recognised):
                companions.append(part)
                names.extend(_names(part))
            else:
                inner.extend(_units(part, "shell", formats, None))
                names.extend(_configs(part))
    runs = [unit for unit in inner if unit.main is not None]
    if main is None and runs:
        for unit in runs:
            yield unit._replace(companions=(*unit.companions, *companions))
    else:
        yield Unit(main, tuple(companions), tuple(dict.fromkeys(names)))


def _names(one: Recognised) -> Iterator[str]:
    """The files that a document names."""
    for path in one.format.files:
        found = find(one.document, path)
        value = found.value if found is not None else None
        if isinstance(value, str) and not is_open(value) and value.lower().endswith(_CONFIGS):
            yield value


def _configs(command: Document) -> Iterator[str]:
    """Every configuration file among a command's words, whatever the command is."""
    for value in command.data.values():
        for word in value if isinstance(value, list) else [value]:
            if isinstance(word, str) and not is_open(word) and word.lower().endswith(_CONFIGS):
                yield word


def _inner(one: Recognised, formats: tuple[Format, ...]) -> Iterator[Recognised | Document]:
    for inner in one.format.inner:
        for path in inner.paths:
            found = find(one.document, path)
            if found is None:
                continue
            if inner.trainer and isinstance(found.value, Block):
                part = Document(one.document.name, one.document.text, found.value)
                whole = next(item for item in formats if item.name == inner.trainer)
                yield Recognised(part, whole, "certain", (path,), 1.0)
            elif inner.syntax == "shell" and isinstance(found.value, str):
                place = found.container.values_at[found.last]  # type: ignore[index]
                yield from _script(found.value, one.document, place)


def _script(text: str, document: Document, place: Place) -> Iterator[Document]:
    """The commands of a script that stands in a value of a document."""
    at = positions(document.text, place)
    last = len(at) - 1
    return read_commands(text, document, lambda offset: at[min(offset, last)])
