"""A name and what stands beside it: numbers, choices, yes and no."""

from collections.abc import Callable

from advisor.conversation.marks import Mark, Marker
from advisor.conversation.reading import Found, Refused, Unclear, amount, refusal, sibling, suits
from advisor.rulebook.model import Input, Value
from advisor.rulebook.values import BadValue, read_value
from advisor.units import BYTE, SECOND


class Beside:
    """Gives numbers and words to the names beside them.

    ``used`` are the marks that mean something already, ``at`` the input that a number went to.
    """

    def __init__(self, marker: Marker, marks: list[Mark], expected: Input | None) -> None:
        self.marker = marker
        self.book = marker.vocabulary.book
        self.marks = marks
        self.expected = expected
        self.used: set[int] = set()
        self.found: dict[str, Found] = {}
        self.at: dict[int, str] = {}
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
        return token.unit is None or suits(token, target)

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
            sample = "6 h" if target.unit.dimension == SECOND else "24 GB"
            self.refuse(Refused(target.name, written, "unit", sample), number, *others)
            return
        raw = amount(token, target) / target.unit.scale
        try:
            value = read_value(target, raw)
        except BadValue as error:
            self.refuse(refusal(target, written, raw, error), number, *others)
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

    def refuse(self, refused: Refused, *indices: int) -> None:
        self.refused.append(refused)
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
                self.refuse(Refused(target.name, word, "choice", choices), index, at)
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


_BESIDE: dict[str, Callable[[Beside, int, Input], bool]] = {
    "integer": Beside.number,
    "number": Beside.number,
    "boolean": Beside.truth,
    "enum": Beside.word,
    "set": Beside.word,
    "catalogue": Beside.owner,
}
