"""Several files of one run into offers for inputs: the stronger file first, absence last."""

import math
import operator
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from advisor.errors import Problem, Span, said
from advisor.rulebook.model import NO_TEXT, Input, Text
from advisor.rulebook.values import BadValue, read_value
from advisor.scenario import OriginKind, Provided
from advisor.source import Document
from advisor.trainers.keys import Found, find, first_of, holds, is_open, word_of
from advisor.trainers.model import NOTHING, Absent, Factor, Format, Guard, Read, Since, Where
from advisor.trainers.recognise import Recognised
from advisor.trainers.values import Answer, Open, Said, answer
from advisor.trainers.versions import Versions, compare, normal


class Note(NamedTuple):
    """Something to say about how files were read.

    ``kind`` is a word of the reports (``unresolved``, ``not-understood``, ``unknown``,
    ``uncounted``, ``differs``, ``version``); ``text`` is what a trainer file says itself.
    """

    kind: str
    inputs: tuple[str, ...]
    where: Span
    shown: str = ""
    text: Text = NO_TEXT


class Offer(NamedTuple):
    """A value as a file has it, not typed yet; the origin ``trainer`` marks what the trainer does
    where its file is silent."""

    value: Any
    origin: OriginKind
    source: str
    span: Span | None = None


class Place(NamedTuple):
    """Where a value that was read stands, for writing it anew: in the configuration if it says one
    itself, even where a companion's counts."""

    trainer: str
    found: Found


class Resolved(NamedTuple):
    """What files say together: offers by input, inputs left open, and what is to be told."""

    offers: Mapping[str, Offer]
    unknown: frozenset[str]
    notes: tuple[Note, ...]
    problems: tuple[Problem, ...]
    places: Mapping[str, Place]


NO_DEFAULTS: Mapping[str, Provided] = MappingProxyType({})


class _Heard(NamedTuple):
    """One answer of one file; None as ``said`` is never kept."""

    said: Said | Open
    read: Read
    source: Recognised


def resolve(
    sources: tuple[Recognised, ...],
    inputs: Mapping[str, Input],
    settings: Mapping[str, Provided],
    versions: Versions,
    defaults: Mapping[str, Provided] = NO_DEFAULTS,
) -> Resolved:
    """Put together what the files of one run say; ``settings`` are the call's own values, and
    ``defaults`` the project's."""
    work = _Resolver(sources, inputs, settings, versions, defaults)
    for name in inputs:
        if any(name in source.format.reads for source in work.sources):
            work.offer(name)
    work.unknowable()
    unknown = frozenset(work.open) - frozenset(settings)
    told = tuple(note for note in work.notes if not note.inputs or _open(note, settings))
    return Resolved(
        {name: offer for name, offer in work.offers.items() if offer is not None},
        unknown,
        told,
        tuple(work.problems),
        work.places,
    )


def _open(note: Note, settings: Mapping[str, Provided]) -> bool:
    """A note about inputs that the call gives itself is no news."""
    return note.kind in ("differs", "uncounted") or not set(note.inputs) <= set(settings)


class _Resolver:
    def __init__(
        self,
        sources: tuple[Recognised, ...],
        inputs: Mapping[str, Input],
        settings: Mapping[str, Provided],
        versions: Versions,
        defaults: Mapping[str, Provided],
    ) -> None:
        self.defaults = defaults
        self.sources = sorted(sources, key=lambda one: -one.format.strength)
        self.inputs = inputs
        self.settings = settings
        self.versions = versions
        self.offers: dict[str, Offer | None] = {}
        self.busy: set[str] = set()
        self.open: set[str] = set()
        self.notes: list[Note] = []
        self.problems: list[Problem] = []
        self.places: dict[str, Place] = {}

    def offer(self, name: str) -> Offer | None:
        """What the files say for an input, worked out once; a circle counts as nothing said."""
        if name in self.offers:
            return self.offers[name]
        if name in self.busy:
            return None
        self.busy.add(name)
        found = self.heard(name) or self.absent(name)
        self.busy.discard(name)
        self.offers[name] = found
        return found

    # -- what is said -----------------------------------------------------------------------------

    def heard(self, name: str) -> Offer | None:
        """The value that keys give: the strongest file's, the others compared with it."""
        heard = [one for source in self.sources if (one := self.listen(name, source)) is not None]
        if not heard:
            return None
        best = heard[0]
        self.differing(name, best, heard[1:])
        said = best.said
        if isinstance(said, Open):
            self.leave(name, Note(said.reason, (name,), said.span, said.shown))
            return None
        mains = (one for one in heard if one.source.format.role == "main")
        kept = next(mains, best)  # what a person would change, companion or not
        if kept.said.found is not None:
            self.places[name] = Place(kept.source.format.name, kept.said.found)
        read, title = best.read, best.source.format.title
        shown = f"{title}: {read.source}" if read.source else best.source.document.name
        implied = read.value is not NOTHING and not read.guard.when
        return Offer(said.value, "trainer" if implied else "given", shown, said.span)

    def listen(self, name: str, source: Recognised) -> _Heard | None:
        reading = source.format.reads.get(name)
        for read in reading.reads if reading else ():
            if not self.applies(source.document, read.guard, source.format):
                continue
            said = answer(source.document, read)
            if isinstance(said, Said) and read.scale is not None:
                said = self.scaled(source.document, said, read)
            if said is not None:
                return _Heard(said, read, source)
        return None

    def scaled(self, document: Document, said: Said, read: Read) -> Answer:
        """A number times and over others; open when one of those is."""
        assert read.scale is not None
        number = _number(said.value)
        if number is None:
            return Open("not-understood", word_of(said.value)[:80], said.found, said.span)
        scale = read.scale
        steps = [
            *((one, operator.add, 0.0) for one in scale.plus),
            *((one, operator.mul, 1.0) for one in scale.times),
            *((one, operator.truediv, 1.0) for one in scale.over),
        ]
        for factor, step, neutral in steps:
            by = self.factor(document, factor, neutral)
            if by is None or (step is operator.truediv and not by):
                rests_on = factor.input or word_of(said.value)[:80]
                kind = "rests-on" if factor.input else "unresolved"
                return Open(kind, rests_on, said.found, said.span)
            number = step(number, by)
        if scale.round:
            number = float(
                math.ceil(number - 1e-9) if scale.round == "up" else math.floor(number + 1e-9)
            )
            number = max(number, 1.0)
        return said._replace(value=int(number) if number.is_integer() else number)

    def factor(self, document: Document, factor: Factor, neutral: float) -> float | None:
        """The number a factor stands for; None where it counts and cannot be known."""
        if factor.input:
            found = self.value(factor.input)
            if found is not NOTHING:
                return _number(found)
            has_default = bool(self.inputs[factor.input].default)
            return neutral if has_default and factor.input not in self.open else None
        for path in factor.paths:
            key = find(document, path)
            if key is not None and key.value is not None:
                return None if is_open(key.value) else _number(key.value)
        return neutral if factor.paths else factor.number

    def value(self, name: str) -> Any:
        """What an input will be: the call's value, the files', the project's, or NOTHING."""
        given = self.settings.get(name)
        if given is not None:
            return given.value
        offer = self.offer(name)
        if offer is not None:
            return offer.value
        given = None if name in self.open else self.defaults.get(name)
        return NOTHING if given is None else given.value

    def differing(self, name: str, best: _Heard, others: list[_Heard]) -> None:
        """Tell where weaker files say something else; some trainers refuse to start then."""
        if isinstance(best.said, Open):
            return
        for other in others:
            if isinstance(other.said, Open) or self.same(name, best.said.value, other.said.value):
                continue
            if other.source.format is best.source.format:  # a command's flags over its file
                continue
            strict = best.read.must_agree or other.read.must_agree
            counted = best.read.scale is not None or other.read.scale is not None
            if strict and not counted and name not in self.settings:
                message = said(
                    "'{name}' is {value} here and {other} in {where}.",
                    name=name,
                    value=word_of(other.said.value)[:60],
                    other=word_of(best.said.value)[:60],
                    where=best.said.span,
                )
                hint = said(
                    "{title} does not start like this: make them agree.",
                    title=best.source.format.title,
                )
                self.problems.append(Problem("conflict", message, hint, other.said.span))
            else:
                shown = f"{word_of(other.said.value)[:60]} ≠ {word_of(best.said.value)[:60]}"
                self.notes.append(Note("differs", (name,), other.said.span, shown))

    def same(self, name: str, one: Any, other: Any) -> bool:
        target = self.inputs[name]
        if one == other or (target.type == "catalogue" and word_of(one) == word_of(other)):
            return True
        try:
            return read_value(target, one) == read_value(target, other)
        except BadValue:
            return False

    def leave(self, name: str, note: Note) -> None:
        """Leave an input open: no rule may assume what a file says and we cannot read."""
        self.open.add(name)
        self.notes.append(note)

    # -- what is not said -------------------------------------------------------------------------

    def absent(self, name: str) -> Offer | None:
        """What it means that no file names the key, by the strongest file that knows."""
        if name in self.open:
            return None
        for source in self.sources:
            reading = source.format.reads.get(name)
            for one in reading.absent if reading else ():
                if not self.applies(source.document, one.guard, source.format):
                    continue
                return self.meaning(name, one, source)
        return None

    def meaning(self, name: str, one: Absent, source: Recognised) -> Offer | None:
        title, shown = source.format.title, one.source
        since = one.guard.since
        if since is not None:
            shown = f"{since.package} {since.text}" + (f", {shown}" if shown else "")
        if one.unknown:
            where = Span(source.document.name)
            self.leave(name, Note("unknown", (name,), where, shown, one.unknown))
            return None
        value = one.value
        if one.input:
            value = self.value(one.input)
            if value is NOTHING:
                where = Span(source.document.name)
                self.leave(name, Note("rests-on", (name,), where, one.input))
                return None
        return Offer(value, "trainer", f"{title}: {shown}" if shown else title)

    # -- guards -----------------------------------------------------------------------------------

    def applies(self, document: Document, guard: Guard, one: Format) -> bool:
        if guard.since is not None and not self.in_version(guard.since, one):
            return False
        if guard.when and not holds(document, guard.when):
            return False
        if any(first_of(document, condition) is not None for condition in guard.unless):
            return False
        return all(map(self.fits, guard.where))

    def in_version(self, since: Since, one: Format) -> bool:
        """Whether the version is among those; without one, the newest is meant."""
        version = self.versions.get(normal(since.package))
        if version is None and since.package == one.package:
            version = self.versions.get(one.name, self.versions.get(""))
        if version is None:
            return not since.last
        if since.first and compare(version, since.first) < 0:
            return False
        return not since.last or compare(version[: len(since.last)], since.last) <= 0

    def fits(self, where: Where) -> bool:
        value = self.value(where.input)
        if value is NOTHING:
            return "absent" in where.words
        if where.more_than is not None:
            number = _number(value)
            return number is not None and number > where.more_than
        return word_of(value) in where.words

    def unknowable(self) -> None:
        """Tell what files say beyond our inputs, and leave open what that decides."""
        for source in self.sources:
            for one in source.format.unknowable:
                if not holds(source.document, one.when) or not all(map(self.fits, one.where)):
                    continue
                if any(first_of(source.document, other) is not None for other in one.unless):
                    continue
                keys = [
                    key
                    for condition in one.when
                    for key in first_of(source.document, condition) or ()
                ]
                where = keys[0].span if keys else Span(source.document.name)
                shown = keys[0].path if keys else ""
                self.notes.append(Note("uncounted", one.leaves, where, shown, one.note))
                for name in one.leaves:
                    self.open.add(name)
                    self.offers[name] = None


def _number(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None
