"""What a text wishes for an input, where it says so twice, denies it, or leaves it open."""

import re

from advisor.conversation.marks import Mark, Marker
from advisor.conversation.reading import Found, Refused, Unclear, amount, refusal, sibling, suits
from advisor.conversation.tokens import tokenise
from advisor.rulebook.model import Input, Value
from advisor.rulebook.values import BadValue, read_value
from advisor.units import NONE


class Wishes:
    """Marks in a row, and what they were taken for: corrections count, and doubts are kept.

    ``used`` are the marks that mean something already, ``kept`` those that must not, ``at`` the
    input that a number went to, ``places`` the marks that an input's value came from,
    ``switches`` the yes and no behind a mark, ``rejected`` the marks whose value is not wanted
    (``unwanted`` those of them that nothing else is said for),
    ``nothing`` the inputs of which no kind is wanted, by where that is said, ``nodes`` the numbers
    of machines, with the mark of the word.
    """

    def __init__(self, marker: Marker, marks: list[Mark], expected: Input | None) -> None:
        self.marker = marker
        self.book = marker.vocabulary.book
        self.marks = marks
        self.expected = expected
        self.used: set[int] = set()
        self.kept: set[int] = set()
        self.unwanted: list[int] = []
        self.places: dict[str, tuple[int, ...]] = {}
        self.found: dict[str, Found] = {}
        self.at: dict[int, str] = {}
        self.switches: dict[int, list[int]] = {}
        self.rejected: set[int] = set()
        self.nothing: dict[str, int] = {}
        self.nodes: dict[int, int] = {}
        self.unclear: dict[str, Unclear] = {}
        self.refused: list[Refused] = []

    # -- steps between marks ----------------------------------------------------------------------

    def after(self, index: int, skip: tuple[str, ...] = ("link",)) -> int | None:
        """The next mark in the same part of the sentence."""
        for at in range(index + 1, len(self.marks)):
            if self.marks[at].start:
                return None
            if self.marks[at].kind not in skip:
                return at
        return None

    def before(self, index: int, skip: tuple[str, ...] = ("link",)) -> int | None:
        if self.marks[index].start:
            return None
        for at in range(index - 1, -1, -1):
            if self.marks[at].kind not in skip:
                return at
            if self.marks[at].start:
                return None
        return None

    def put(self, name: str, value: Value, *indices: int) -> None:
        """A value is found; another one that was found before is asked about, or corrected."""
        marks = [self.marks[index] for index in sorted(indices)]
        written = " ".join(mark.text for mark in marks)
        read_as = next((mark.read_as for mark in marks if mark.read_as), "")
        before = self.found.get(name)
        self.used.update(indices)
        if name in self.unclear and before is None:
            if name in self.places and not self.is_corrected(self.places[name][-1], min(indices)):
                self.doubt(name, written, value)
                return
            del self.unclear[name]
        corrected = before and self.is_corrected(self.places.get(name, (0,))[-1], min(indices))
        finer = self.finer(name, before.value, value) if before else None
        if before and finer and not self.is_either(self.places[name][-1], min(indices)):
            value, written = finer, f"{before.written} {written}"
            read_as, corrected = read_as or before.read_as, True
        if before is not None and before.value != value and not corrected:
            del self.found[name]
            self.unclear[name] = Unclear(name, before.written, (before.value,))
            self.doubt(name, written, value)
            return
        self.found[name] = Found(name, value, written, read_as)
        self.places[name] = tuple(sorted(indices))

    def finer(self, name: str, one: Value, other: Value) -> str | None:
        """Which of two choices is a kind of the other: ``nf4-dq`` of ``nf4``.

        A kind has the longer name and stands behind the plain choice in the rules.
        """
        choices = self.book.inputs[name].choices
        for plain, kind in ((one, other), (other, one)):
            if isinstance(plain, str) and isinstance(kind, str) and kind.startswith(f"{plain}-"):
                return kind if choices.index(kind) > choices.index(plain) else None
        return None

    def is_either(self, first: int, second: int) -> bool:
        """Whether two marks are said to be choices: adamw or adamw-8bit."""
        between = self.marks[first + 1 : second]
        return any(mark.text.casefold() in self.marker.words.either for mark in between)

    def doubt(self, name: str, written: str, *values: Value) -> None:
        """One more thing that an input may have been meant to be; of a single one it is that."""
        before = self.unclear.pop(name, Unclear(name, "", ()))
        candidates = tuple(dict.fromkeys([*before.candidates, *values]))
        text = f"{before.written} … {written}" if before.written else written
        if len(candidates) > 1:
            self.unclear[name] = Unclear(name, text, candidates)
        elif candidates:
            self.found[name] = Found(name, candidates[0], text)

    def is_corrected(self, first: int, second: int) -> bool:
        """Whether what stands at ``second`` is said instead of what stands at ``first``."""
        words = self.marker.words.correction
        ends = [
            *self.marks[max(0, first - 1) : first],
            *self.marks[first + 1 : second],
            *self.marks[second + 1 : second + 3],
        ]
        return any(mark.text.casefold() in words for mark in ends)

    def is_free(self, index: int | None, target: Input) -> bool:
        """Whether a mark is a number nobody has and that the input could be."""
        if index is None or index in self.used or index in self.kept or index >= len(self.marks):
            return False
        token = self.marks[index].token
        if token.kind != "number" or len(self.marks[index].tokens) > 1:
            return False
        if self.marks[index].kind == "entry" and self.is_beside(target, index):
            return False
        return token.unit is None or suits(token, target)

    def is_beside(self, target: Input, index: int) -> bool:
        """Whether ``cards`` after ``4090`` counts what the number names."""
        owner = self.marks[index].entry[0]
        return target.name.partition(".")[0] == owner.partition(".")[0]

    # -- one of several --------------------------------------------------------------------------

    def alternatives(self, chosen: int, target: Input) -> list[int]:
        """The numbers joined to one by ``or`` and the like, in their order."""
        found = [chosen]
        for step in (-1, 1):
            at = chosen + step
            while 0 < at < len(self.marks) - (step > 0):
                beyond = at + step
                if step < 0 and self.is_measure(beyond):
                    beyond += step  # 一张或两张
                if not self.joins(at, beyond) or not self.is_free(beyond, target):
                    break
                label = self.after(beyond, ()) if step > 0 else None
                if label is not None and self.is_owner(label):
                    break
                found.append(beyond)
                at = beyond + step
        return sorted(found)

    def is_measure(self, index: int) -> bool:
        """A measure word, which is no sign of a product: 两张."""
        return (
            index > 0 and self.marks[index].kind == "times" and not self.marks[index].text.isascii()
        )

    def is_owner(self, label: int) -> bool:
        """Whether a mark takes the number before it: a name, or a thing that is counted."""
        mark = self.marks[label]
        counted = mark.kind == "entry" and sibling(mark.entry[0]) in self.book.inputs
        return counted or mark.kind in ("name", "times")

    def joins(self, at: int, first: int) -> bool:
        """``or``, ``->``, and the ``and`` of ``between 2 and 4``."""
        words = self.marker.words
        text = self.marks[at].text.casefold()
        ahead = self.marks[first - 1].text.casefold() if 0 < first < at else ""
        return (
            text in words.either
            or text in words.correction
            or (text in words.joins and ahead in words.between)
        )

    def either(self, target: Input, numbers: list[int], index: int) -> None:
        """``batch 4 or 8``, ``5 or 6 hours``: a question."""
        units = [self.marks[one].token.unit for one in numbers]
        unit = next((one for one in units if one is not None), None)
        values: list[Value] = []
        for one in numbers:
            token = self.marks[one].token
            if unit is not None and token.unit is None:
                token = token._replace(value=token.value * unit.scale, unit=unit)
            try:
                values.append(read_value(target, amount(token, target) / target.unit.scale))
            except BadValue as error:
                self.refuse(refusal(target, token.text, token.value, error), one)
        ends = (*numbers, index)
        everything = range(min(ends), max(ends) + 1)
        self.used.update(everything)
        written = " ".join(self.marks[one].text for one in everything)
        self.doubt(target.name, written, *values)

    def span(self, index: int, target: Input) -> bool:
        """``2-3 epochs``: one of the two, which nobody has said."""
        for at in (self.after(index), self.before(index)):
            ends = _SPAN.fullmatch(self.marks[at].text) if at is not None else None
            if at is None or ends is None or at in self.used or target.unit.dimension != NONE:
                continue
            values: list[Value] = []
            try:
                for one in (ends[1] + (ends[2] or ends[4]), ends[3] + ends[4]):
                    token = tokenise(one, self.marker.words)[0]
                    values.append(read_value(target, amount(token, target) / target.unit.scale))
            except BadValue:
                return False
            self.used.update((at, index))
            self.doubt(target.name, f"{self.marks[at].text} {self.marks[index].text}", *values)
            return True
        return False

    def refuse(self, refused: Refused, *indices: int) -> None:
        self.refused.append(refused)
        self.used.update(indices)


_SPAN = re.compile(r"(?i:([0-9]+(?:\.[0-9]+)?)([kw]?)[-~–]([0-9]+(?:\.[0-9]+)?)([kw]?))")
