"""The files of a call into runs: which companion completes which configuration.

A file that names another takes it in. A companion that nobody names completes every configuration
of the call, if it is the only one of its kind. In a folder only names count.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from advisor.errors import FileProblems, Problem, Span, said
from advisor.paths import is_inside
from advisor.rulebook.model import Input
from advisor.trainers.gather import Named
from advisor.trainers.model import Format
from advisor.trainers.own import could_be_own, is_own
from advisor.trainers.recognise import Recognised
from advisor.trainers.resolve import Note
from advisor.trainers.syntax import read_any
from advisor.trainers.units import SCENARIO, Content, read_units

_OWN = (".yaml", ".yml", ".json")


class Run(NamedTuple):
    """One scenario to check. ``sources`` is empty for a file in the program's own format, and
    ``problems`` say why a file cannot be used."""

    file: Named
    name: str
    sources: tuple[Recognised, ...] = ()
    notes: tuple[Note, ...] = ()
    warnings: tuple[Problem, ...] = ()
    problems: tuple[Problem, ...] = ()


class Left(NamedTuple):
    """A file that was found in a folder, or fits to nothing, and is not checked; and why."""

    file: str
    problem: Problem


class _Seen(NamedTuple):
    """What the first look at a file tells, kept for the whole call."""

    file: Named
    is_own: bool = False
    names: tuple[tuple[str, ...], ...] = ()  # of each run with a main part
    kinds: tuple[str, ...] = ()  # of a companion
    points_to: tuple[str, ...] = ()  # what a companion names
    problems: tuple[Problem, ...] = ()


@dataclass(slots=True)
class _Joined:
    """What belongs to one run, as it comes together."""

    sources: list[Recognised]
    warnings: list[Problem]
    notes: list[Note] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def take(self, content: Content) -> None:
        """Take in what a file holds, once."""
        for unit in content.units:
            known = [source.document for source in self.sources]
            for source in unit.sources:
                if all(source.document is not one for one in known):
                    self.sources.append(source)
        self.warnings.extend(one for one in content.warnings if one not in self.warnings)


class Sorter:
    """Sorts the files of one call; ``formats`` is called when the first foreign file is met."""

    def __init__(
        self,
        files: Sequence[Named],
        inputs: Mapping[str, Input],
        formats: Callable[[], tuple[Format, ...]],
        wanted: str = "",
    ) -> None:
        self.files = files
        self.inputs = inputs
        self.read_formats = formats
        self.read: tuple[Format, ...] = ()
        self.wanted = wanted
        self.companions: dict[str, Content] = {}
        self.by_name: dict[str, list[_Seen]] = {}
        self.used: set[str] = set()

    def runs(self) -> Iterator[Run | Left]:
        """Every run in the order of the files, and every file that is left."""
        seen = [self.look(file) for file in self.files]
        for one in seen:
            self.by_name.setdefault(one.file.path.name, []).append(one)
        alone = [one for one in seen if one.kinds]
        mains = [one for one in seen if one.names]
        claimed = {
            target.file.shown
            for one in mains
            for names in one.names
            for name in names
            if (target := self.called(name, one)) is not None and target.names
        }
        meant = {one.file.shown: self.meant(one) for one in alone if one.file.explicit}
        if not mains and not any(one.is_own for one in seen):
            explicit = [one for one in alone if one.file.explicit]
            if explicit:
                yield self.parts_only(explicit)
                self.used.update(one.file.shown for one in explicit)
        for one in seen:
            if one.problems:
                yield self.refused(one)
            elif one.is_own:
                yield Run(one.file, one.file.shown)
            elif one.names and one.file.shown not in claimed:
                yield from self.completed(one, alone, meant, len(mains))
        for one in alone:
            if one.file.shown not in self.used:
                message = said(
                    "a companion ({kinds}) that no file here names.", kinds=tuple(one.kinds)
                )
                hint = said("Name it together with the file that it completes.")
                yield Left(
                    one.file.shown, Problem("companion", message, hint, Span(one.file.shown))
                )

    def formats(self) -> tuple[Format, ...]:
        """What the trainer files say, read when the first foreign file is met."""
        if not self.read:
            self.read = self.read_formats()
        return self.read

    # -- the first look ---------------------------------------------------------------------------

    def look(self, file: Named) -> _Seen:
        """Read a file for what it is; companions are kept, the rest is read again in its turn."""
        try:
            content = self.content(file)
        except FileProblems as error:
            return _Seen(file, problems=error.problems)
        if content.is_own:
            return _Seen(file, is_own=True)
        if any(unit.main for unit in content.units):
            return _Seen(file, names=tuple(unit.names for unit in content.units))
        self.companions[file.shown] = content
        units = content.units
        kinds = dict.fromkeys(one.format.name for unit in units for one in unit.companions)
        points_to = tuple(name for unit in units for name in unit.names)
        return _Seen(file, kinds=tuple(kinds), points_to=points_to)

    def content(self, file: Named) -> Content:
        if self.wanted == SCENARIO:
            return Content((), is_own=True)
        try:
            parsed = read_any(file.path, file.shown)
        except FileProblems:
            if self.wanted or not file.explicit or file.path.suffix.lower() not in _OWN:
                raise
            return Content((), is_own=True)  # the strict reader words it better
        if not self.wanted and parsed.syntax == "yaml" and is_own(parsed.documents[0], self.inputs):
            return Content((), is_own=True)
        formats = self.formats()
        wanted = next((one for one in formats if one.name == self.wanted), None)
        try:
            return read_units(file.path, file.shown, formats, wanted, parsed)
        except FileProblems as error:
            is_yaml = parsed.syntax == "yaml" and error.problems[0].code == "not-recognised"
            if is_yaml and file.explicit and could_be_own(parsed.documents[0], self.inputs):
                return Content((), is_own=True)
            raise

    def refused(self, one: _Seen) -> Run | Left:
        if one.file.explicit:
            return Run(one.file, one.file.shown, problems=one.problems)
        return Left(one.file.shown, one.problems[0])

    # -- putting together -------------------------------------------------------------------------

    def completed(
        self, one: _Seen, alone: list[_Seen], meant: Mapping[str, set[str]], mains: int
    ) -> Iterator[Run | Left]:
        """The runs of a file, each with the files that complete it."""
        try:
            content = self.content(one.file)
        except FileProblems as error:  # it changed since the first look
            yield self.refused(_Seen(one.file, problems=error.problems))
            return
        several = len(content.units) > 1
        for unit in content.units:
            assert unit.main is not None
            line = unit.main.document.data.keys_at["program"].line + 1 if several else 0
            name = f"{one.file.shown}:{line}" if several else one.file.shown
            joined = _Joined(list(unit.sources), list(content.warnings))
            self.follow(unit.names, one, joined)
            self.complete(one, joined, alone, meant, mains)
            sources = _without_bare_command(joined.sources)
            yield Run(
                one.file,
                name,
                sources,
                tuple(joined.notes),
                tuple(joined.warnings),
                tuple(joined.problems),
            )

    def follow(self, names: Iterable[str], one: _Seen, joined: _Joined) -> None:
        """Take in every file that a run names, and what those name in turn."""
        waiting, met = list(names), set(names)
        while waiting:
            named = waiting.pop(0)
            target = self.called(named, one)
            found = self.read_named(named, one, target)
            if found is None:
                joined.notes.append(Note("named-file", (), Span(one.file.shown), named))
                continue
            joined.take(found)
            if target is not None:
                self.used.add(target.file.shown)
            more = [name for unit in found.units for name in unit.names if name not in met]
            waiting.extend(more)
            met.update(more)

    def complete(
        self,
        one: _Seen,
        joined: _Joined,
        alone: list[_Seen],
        meant: Mapping[str, set[str]],
        mains: int,
    ) -> None:
        """Take in the call's companions that nobody names, one of each kind."""
        for kind in dict.fromkeys(kind for other in alone for kind in other.kinds):
            fitting = [
                other
                for other in alone
                if kind in other.kinds and _is_for(one, meant.get(other.file.shown))
            ]
            if not fitting or kind in {source.format.name for source in joined.sources}:
                continue
            if len(fitting) > 1:
                if mains == 1:
                    joined.problems.append(_which(kind, fitting))
                continue
            self.used.add(fitting[0].file.shown)
            content = self.companions[fitting[0].file.shown]
            joined.take(content)
            self.follow((name for unit in content.units for name in unit.names), fitting[0], joined)

    def parts_only(self, alone: list[_Seen]) -> Run:
        """Companions without a configuration: one run, whose model the call has to name."""
        contents = [self.companions[one.file.shown] for one in alone]
        sources = tuple(s for content in contents for unit in content.units for s in unit.sources)
        warnings = tuple(one for content in contents for one in content.warnings)
        return Run(alone[0].file, alone[0].file.shown, sources, warnings=warnings)

    def meant(self, companion: _Seen) -> set[str]:
        """The configurations of the call that a companion names itself."""
        found = (self.called(name, companion) for name in companion.points_to)
        return {one.file.shown for one in found if one is not None and one.names}

    def called(self, name: str, by: _Seen) -> _Seen | None:
        """The file of the call that a name in another file means: that path from there, or the one
        whose path ends most like it."""
        parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
        found: list[_Seen] = []
        most = 0
        for one in self.by_name.get(parts[-1], ()) if parts else ():
            if one.file.shown == by.file.shown:
                continue
            if one.file.path == by.file.path.parent / name:
                return one
            common = _common_end(parts, one.file.path.parts)
            if common >= most:
                found, most = [*(found if common == most else ()), one], common
        return found[0] if len(found) == 1 else None

    def read_named(self, name: str, by: _Seen, target: _Seen | None) -> Content | None:
        """What a named file holds: one of the call, or one below the folder of the naming file."""
        if target is not None and target.file.shown in self.companions:
            return self.companions[target.file.shown]
        path = target.file.path if target is not None else by.file.path.parent / name
        if target is None and not (is_inside(path, by.file.path.parent) and _is_file(path)):
            return None
        try:
            return read_units(path, str(path), self.formats())
        except FileProblems:
            return None


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _common_end(one: Sequence[str], other: Sequence[str]) -> int:
    """How many parts two paths have in common, counted from their ends."""
    pairs = zip(reversed(one), reversed(other), strict=False)
    return next(
        (n for n, (left, right) in enumerate(pairs) if left != right), min(len(one), len(other))
    )


def _is_for(one: _Seen, meant: set[str] | None) -> bool:
    """Whether a companion (with what it names itself; None: only its own names count) may
    complete a file that does not name it."""
    return meant is not None and (not meant or one.file.shown in meant)


_PLUMBING = frozenset(("program", "arguments", "launcher", "env"))


def _without_bare_command(sources: list[Recognised]) -> tuple[Recognised, ...]:
    """The sources without a command that only starts a trainer on a file that is there too."""
    first = sources[0]
    again = any(one.format is first.format for one in sources[1:])
    keys = set(first.document.data) - _PLUMBING - set(first.format.files)
    left = sources[1:] if again and not keys else sources
    return tuple(sorted(left, key=lambda one: one.format.role != "main"))


def _which(kind: str, several: list[_Seen]) -> Problem:
    names = tuple(one.file.shown for one in several)
    message = said("several {kind} files complete this run: {names}.", kind=kind, names=names)
    return Problem("conflict", message, said("Name one of them."), Span(several[0].file.shown))
