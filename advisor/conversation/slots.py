"""Free text to values of inputs, without any language model.

Words are taken for what the rules and catalogues call things; a number belongs to the name beside
it, or to the input its unit can only mean. What is near several things is left to a question.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from advisor.conversation.marks import Mark, Marker
from advisor.conversation.partly import Partly
from advisor.conversation.tokens import Token, clean, tokenise
from advisor.rulebook.model import Input, Value
from advisor.rulebook.values import BadValue, read_value
from advisor.units import BYTE, NONE, SECOND


class Found(NamedTuple):
    """A value that the text gives an input; a catalogue entry as its id.

    ``written`` are the words for it, ``read_as`` what mistyped ones were taken for.
    """

    name: str
    value: Value
    written: str
    read_as: str = ""


class Unclear(NamedTuple):
    """Words that mean one of several entries of a catalogue input; the ids, likeliest first."""

    name: str
    written: str
    candidates: tuple[str, ...]


class Refused(NamedTuple):
    """Words that an input cannot take, and why."""

    name: str
    written: str
    message: str
    hint: str


class Reading(NamedTuple):
    """Everything a text says, and what of it was not used."""

    found: tuple[Found, ...] = ()
    unclear: tuple[Unclear, ...] = ()
    refused: tuple[Refused, ...] = ()
    unused: tuple[str, ...] = ()


MAX_UNUSED = 12


def read_text(text: str, marker: Marker, expected: Input | None = None) -> Reading:
    """What a text says. ``expected`` is the input just asked for: a lone value is meant for it."""
    tokens = tokenise(clean(text), marker.words, marker.vocabulary.lexicon)
    return _Slots(marker, marker.marks(tokens), expected).reading()


class _Slots:
    def __init__(self, marker: Marker, marks: list[Mark], expected: Input | None) -> None:
        self.marker = marker
        self.book = marker.vocabulary.book
        self.marks = marks
        self.expected = expected
        self.used: set[int] = set()
        self.found: dict[str, Found] = {}
        self.at: dict[int, str] = {}  # which input the number of a mark went to
        self.unclear: dict[str, Unclear] = {}
        self.refused: list[Refused] = []

    def reading(self) -> Reading:
        for index, mark in enumerate(self.marks):
            if mark.kind == "name":
                self.named(index)
        self.entries()
        self.counts()
        self.products()
        for index, mark in enumerate(self.marks):
            if mark.kind == "value" and index not in self.used:
                self.lone_value(index)
        self.quantities()
        self.in_part()
        self.lone_number()
        return Reading(
            tuple(self.found.values()),
            tuple(one for name, one in self.unclear.items() if name not in self.found),
            tuple(self.refused),
            tuple(self.unused()),
        )

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
        marks = [self.marks[index] for index in sorted(indices)]
        read_as = next((mark.read_as for mark in marks if mark.read_as), "")
        self.found[name] = Found(name, value, " ".join(mark.text for mark in marks), read_as)
        self.used.update(indices)

    # -- a name and what stands beside it ---------------------------------------------------------

    def named(self, index: int) -> None:
        mark = self.marks[index]
        targets = [self.book.inputs[name] for name in mark.inputs]
        for target in sorted(targets, key=lambda one: not one.ask):
            reader = _BESIDE.get(target.type)
            if reader is not None and reader(self, index, target):
                return
        if not mark.read_as:
            self.used.add(index)  # said in passing

    def number(self, index: int, target: Input) -> bool:
        following, preceding = self.after(index), self.before(index)
        chosen = following if self.is_free(following, target) else None
        if self.is_free(preceding, target) and (
            chosen is None or self.number_comes_first(chosen, target)
        ):
            chosen = preceding
        if chosen is None:
            return False
        self.take(target, chosen, index)
        return True

    def is_free(self, index: int | None, target: Input) -> bool:
        """Whether a mark is a number nobody has and that the input could be."""
        if index is None or index in self.used:
            return False
        token = self.marks[index].token
        if token.kind != "number" or len(self.marks[index].tokens) > 1:
            return False
        if self.marks[index].kind == "entry" and self.is_beside(target, index):
            return False
        return token.unit is None or token.unit.dimension == target.unit.dimension

    def is_beside(self, target: Input, index: int) -> bool:
        """Whether ``cards`` after ``4090`` counts what the number names."""
        owner = self.marks[index].entry[0]
        return target.name.partition(".")[0] == owner.partition(".")[0]

    def number_comes_first(self, following: int, target: Input) -> bool:
        """Whether the number after a name belongs to the next name: ``4 batch 2048 seq``."""
        nearest = self.after(following)
        if nearest is None or self.marks[nearest].kind != "name":
            return False
        beyond = self.after(nearest)
        return not any(
            self.is_free(beyond, self.book.inputs[name]) for name in self.marks[nearest].inputs
        )

    def take(self, target: Input, number: int, *others: int) -> None:
        token = self.marks[number].token
        written = " ".join(self.marks[one].text for one in sorted((number, *others)))
        if token.unit is None and target.unit.dimension in (SECOND, BYTE):
            hint = "6 h" if target.unit.dimension == SECOND else "24 GB"
            self.refuse(target, written, "needs a unit", hint, number, *others)
            return
        try:
            value = read_value(target, amount(token, target) / target.unit.scale)
        except BadValue as error:
            self.refuse(target, written, error.message, error.hint, number, *others)
            return
        self.put(target.name, value, number, *others)
        self.at[number] = target.name
        label = self.after(max(number, *others) if others else number, ())
        if label is not None and self.is_label(label, target):
            self.used.add(label)

    def is_label(self, index: int, target: Input) -> bool:
        """Whether ``tokens`` after ``seq 2048`` only says what is counted."""
        following = self.after(index)
        if following is not None and self.marks[following].token.kind == "number":
            return False
        label = target.unit.name.rstrip("s")
        return bool(label) and self.marks[index].token.key.rstrip("s") == label

    def refuse(self, target: Input, written: str, message: str, hint: str, *indices: int) -> None:
        self.refused.append(Refused(target.name, written, message, hint))
        self.used.update(indices)

    def truth(self, index: int, target: Input) -> bool:
        following = self.after(index)
        if following is not None and self.marks[following].kind in ("yes", "no", "not"):
            value = self.marks[following].kind == "yes"
            self.put(target.name, value, index, following)
            return True
        preceding = self.before(index, ("link", "stop", "yes"))
        if preceding is not None and self.marks[preceding].kind in ("not", "no"):
            self.put(target.name, False, index, preceding)
            return True
        self.put(target.name, True, index)
        return True

    def word(self, index: int, target: Input) -> bool:
        """A choice, or several, after the name of an input."""
        chosen: list[int] = []
        values: list[Value] = []
        at = self.after(index)
        while at is not None:
            value = next(
                (one.value for one in self.marks[at].meant if one.name == target.name), None
            )
            if value is None:
                break
            chosen.append(at)
            values.append(value)
            at = self._next_word(at) if target.type == "set" else None
        if values:
            merged = values[0]
            for value in values[1:]:
                if isinstance(merged, frozenset) and isinstance(value, frozenset):
                    merged |= value
            self.put(target.name, merged, index, *chosen)
            return True
        if at is not None and self.marks[at].kind == "word" and not self.marks[index].read_as:
            word = self.marks[at].text
            if self._sign_between(index, at):
                choices = ", ".join((*target.groups, *target.choices))
                self.refuse(target, word, f"'{target.name}' cannot be '{word}'", choices, index, at)
                return True
        return False

    def _next_word(self, at: int) -> int | None:
        """The next of a list, over a comma or an ``and``."""
        following = at + 1
        while following < len(self.marks) and self.marks[following].kind in ("stop", "link"):
            following += 1
        return following if following < len(self.marks) else None

    def _sign_between(self, index: int, at: int) -> bool:
        return any(self.marks[one].token.kind == "sign" for one in range(index + 1, at))

    def owner(self, index: int, target: Input) -> bool:
        """``2 gpu`` counts cards; ``gpu`` alone says nothing."""
        counted = self.book.inputs.get(sibling(target.name))
        preceding = self.before(index, ("times",))
        if counted is not None and self.is_free(preceding, counted):
            assert preceding is not None
            if self.marks[preceding].kind == "number" and not self.marks[preceding].token.unit:
                self.take(counted, preceding, index)
                return True
        return False

    # -- entries ----------------------------------------------------------------------------------

    def entries(self) -> None:
        named: dict[str, dict[str, None]] = {}
        where: dict[str, list[int]] = {}
        for index, mark in enumerate(self.marks):
            if mark.kind == "entry" and index not in self.used:
                name, ids = mark.entry
                before = named.get(name)
                both = [one for one in ids if before and one in before]  # A100 … A100 80 GB
                named[name] = dict.fromkeys(both or [*(before or ()), *ids])
                where.setdefault(name, []).append(index)
        for name, ids in named.items():
            self.choose(name, tuple(ids), *where[name])

    def choose(self, name: str, ids: tuple[str, ...], *indices: int) -> None:
        """One entry is found; of several a question is made. A figure beside them may decide."""
        figures = [
            index
            for index, mark in enumerate(self.marks)
            if index not in self.used and mark.token.unit and mark.token.unit.dimension == BYTE
        ]
        shelf = self.marker.shelves[self.book.inputs[name].catalogue]
        for index in figures:
            matching = shelf.with_figure(sizes(self.marks[index].token), ids)
            if matching:
                ids = matching
                indices = tuple(sorted({*indices, index}))
        if len(ids) > 1:
            ids, indices = Partly(self.marker, self.marks).narrowed(shelf, ids, indices, self.used)
        written = " ".join(self.marks[index].text for index in sorted(indices))
        self.used.update(indices)
        if len(ids) == 1:
            self.found[name] = Found(name, ids[0], written)
        else:
            self.unclear[name] = Unclear(name, written, ids)

    def counts(self) -> None:
        """``2 x 4090``, ``8 A100``, ``4090 x 2``."""
        for index, mark in enumerate(self.marks):
            if mark.kind != "entry":
                continue
            counted = self.book.inputs.get(sibling(mark.entry[0]))
            if counted is None or counted.name in self.found:
                continue
            preceding = self.before(index, ("times",))
            following = self.after(index, ())
            if following is not None and self.marks[following].kind == "times":
                following = self.after(following, ())
            else:
                following = None
            for number in (preceding, following):
                if number is not None and self.is_free(number, counted):
                    self.take(counted, number)
                    break

    def products(self) -> None:
        """``50,000 x 512 tokens``: the number before is of what the group cannot do without."""
        for index, mark in enumerate(self.marks):
            if mark.kind != "number" or index in self.used:
                continue
            times = self.after(index, ("link", "name"))
            if times is None or self.marks[times].kind != "times":
                continue
            other = self.after(times)
            name = self.at.get(other, "") if other is not None else ""
            wanted = self.needed(name.partition(".")[0])
            if name and wanted is not None and self.is_free(index, wanted):
                self.take(wanted, index)

    def needed(self, group: str) -> Input | None:
        return next(
            (
                one
                for one in self.book.inputs.values()
                if one.name.partition(".")[0] == group
                and one.name not in self.found
                and one.ask
                and not one.optional
                and not one.default
                and one.type in ("integer", "number")
            ),
            None,
        )

    # -- values without a name --------------------------------------------------------------------

    def lone_value(self, index: int) -> None:
        mark = self.marks[index]
        meant = list(mark.meant)
        mine = [one for one in meant if self.expected and one.name == self.expected.name]
        if not mine and (mark.token.text.casefold() in self.marker.words.stop or self.is_part(mark)):
            self.used.add(index)
            return
        preceding = self.before(index, ("link",))
        if preceding is not None and self.marks[preceding].kind == "not":
            return
        order = {name: at for at, name in enumerate(self.book.order)}
        meant.sort(
            key=lambda one: (
                one not in mine,
                not self.book.inputs[one.name].ask,
                bool(self.book.inputs[one.name].default),
                order[one.name],
            )
        )
        chosen = meant[0]
        if chosen.name not in self.found:
            self.put(chosen.name, chosen.value, index)
        elif self.found[chosen.name].value == chosen.value:
            self.used.add(index)
        else:  # lora … qlora: two wishes
            other = next((one for one in meant[1:] if one.name not in self.found), None)
            if other is not None:
                self.put(other.name, other.value, index)

    def is_part(self, mark: Mark) -> bool:
        """A letter or two out of a set (``q``, ``up``) means nothing without the set's name."""
        return len(mark.token.key) < 3 and len(mark.tokens) == 1

    # -- what is named in part, and what only a unit says -------------------------------------------

    def in_part(self) -> None:
        known = {*self.found, *self.unclear}
        partly = Partly(self.marker, self.marks)
        for name, ids, indices, sure in partly.entries(self.used, known):
            if sure and len(ids) == 1:
                self.put(name, ids[0], *indices)
            else:
                written = " ".join(self.marks[index].text for index in indices)
                self.unclear[name] = Unclear(name, written, ids)
                self.used.update(indices)

    def quantities(self) -> None:
        for index, mark in enumerate(self.marks):
            unit = mark.token.unit
            if mark.kind != "number" or index in self.used or unit is None:
                continue
            if unit.dimension == BYTE:
                self.figure(index)
                continue
            targets = [
                one
                for one in self.book.inputs.values()
                if one.ask
                and one.unit.dimension == unit.dimension != NONE
                and one.name not in self.found
            ]
            limits = {answer.limit for answer in self.book.answers.values()}
            of_answers = [one for one in targets if one.name in limits]
            if len(of_answers) == 1 or len(targets) == 1:
                self.take((of_answers or targets)[0], index)

    def figure(self, index: int) -> None:
        """``24 GB`` alone means an entry with that figure."""
        for target in self.book.inputs.values():
            shelf = self.marker.shelves.get(target.catalogue)
            if shelf is None or target.name in self.found or target.name in self.unclear:
                continue
            ids = shelf.with_figure(sizes(self.marks[index].token))
            if ids:
                self.choose(target.name, ids, index)
                return

    def lone_number(self) -> None:
        if self.expected is None or self.expected.type not in ("integer", "number"):
            return
        if self.expected.name in self.found:
            return
        free = [
            index
            for index, mark in enumerate(self.marks)
            if mark.kind == "number" and self.is_free(index, self.expected)
        ]
        if len(free) == 1:
            self.take(self.expected, free[0])

    def unused(self) -> Iterator[str]:
        plain = {"link", "stop", "yes", "no", "not", "times"}
        run: list[str] = []
        count = 0
        for index, mark in enumerate([*self.marks, None]):
            left = mark is not None and index not in self.used and mark.kind not in plain
            if run and (not left or (mark is not None and mark.start)):
                count += 1
                if count <= MAX_UNUSED:
                    yield " ".join(run)
                run = []
            if left and mark is not None:
                run.append(mark.text)


def sibling(name: str) -> str:
    """The input that counts what a catalogue input names: ``hardware.count`` for ``hardware.gpu``."""
    group, dot, _ = name.rpartition(".")
    return f"{group}{dot}count"


def amount(token: Token, target: Input) -> float:
    """A number in base units; ``2k`` is 2048 where powers of two are usual."""
    if token.thousands is not None and all(map(_is_power, target.typical or (0.0,))):
        if _is_power(token.thousands):
            return token.thousands * 1024
    return token.value * (target.unit.scale if token.unit is None else 1.0)


def _is_power(value: object) -> bool:
    return isinstance(value, float) and value >= 1 and value.is_integer() and not (
        int(value) & (int(value) - 1)
    )


def sizes(token: Token) -> tuple[float, ...]:
    """What ``24 GB`` of memory may be: people say GB for GiB."""
    assert token.unit is not None
    count = token.value / token.unit.scale
    return tuple(count * scale for scale in _SIZES.get(token.unit.name, (token.unit.scale,)))


_SIZES = {"GB": (1e9, float(1 << 30)), "MB": (1e6, float(1 << 20)), "TB": (1e12, float(1 << 40))}
_BESIDE: dict[str, Callable[[_Slots, int, Input], bool]] = {
    "integer": _Slots.number,
    "number": _Slots.number,
    "boolean": _Slots.truth,
    "enum": _Slots.word,
    "set": _Slots.word,
    "catalogue": _Slots.owner,
}
