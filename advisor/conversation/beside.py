"""A name and what stands beside it: numbers, choices, yes and no."""

from collections.abc import Callable

from advisor.conversation.denials import Denials
from advisor.conversation.reading import Refused, amount, dotted, refusal, sibling
from advisor.conversation.shares import Shares
from advisor.rulebook.model import Input, Value
from advisor.rulebook.values import BadValue, read_value
from advisor.units import BYTE, MONEY, SECOND


class Beside(Denials, Shares):
    """Gives numbers and words to the names beside them."""

    # -- a name and what stands beside it ---------------------------------------------------------

    def named(self, index: int) -> None:
        mark = self.marks[index]
        shared, each = self.shared(index), self.of_each(index)
        if each is not None:
            self.take(*each[:2])
            if self.of_each(each[2]) is None:
                self.used.add(each[2])
            else:  # with 1 image of 576 tokens
                self.used.discard(each[2])
        if shared is not None:
            target, number, phrase = shared
            self.take(target, number, index, phrase)
            return
        if self.is_said(index) or self.passes_on(index):
            self.used.add(index)
            first, owner = self.measured(index), self.phrase(index)
            if owner is not None and first is not None and self.is_free(first, owner):
                self.take(owner, first, index)
            return
        targets = [self.book.inputs[name] for name in mark.inputs]
        for target in sorted(targets, key=lambda one: not one.ask):
            reader = _BESIDE.get(target.type)
            if reader is not None and reader(self, index, target):
                self.used.update(self.counted(index))
                return
        if not mark.read_as and not self.changes(index):
            self.used.add(index)  # said in passing

    def number(self, index: int, target: Input) -> bool:
        following, preceding = self.given(index), self.measured(index)
        chosen = following if self.is_free(following, target) else None
        if self.is_free(preceding, target) and (
            chosen is None or self.stands_behind(index) or self.number_comes_first(index, target)
        ):
            chosen = preceding
        if chosen is None:
            return self.span(index, target) or self.far(index, target)
        numbers = self.alternatives(chosen, target)
        if len(numbers) > 1 and not self.is_corrected(numbers[0], numbers[-1]):
            self.either(target, numbers, index)
        else:
            self.used.update(numbers)
            self.take(target, numbers[-1], index)
        return True

    def measured(self, index: int) -> int | None:
        """What stands before a name, over a measure word: 两个 epoch."""
        preceding = self.before(index)
        if preceding is None or not self.is_measure(preceding):
            return preceding
        return self.before(preceding)

    def far(self, index: int, target: Input) -> bool:
        """``20k alpaca samples``: words between the number and what nobody can do without."""
        if target.default or target.optional or self.marks[index].start:
            return False
        for at in range(index - 1, max(-1, index - 2 - _MOST_BETWEEN), -1):
            if self.is_free(at, target) and self.marks[at].token.unit is None:
                self.take(target, at, index)
                return True
            if self.marks[at].start or self.marks[at].kind not in ("word", "stop"):
                return False
        return False

    def number_comes_first(self, index: int, target: Input) -> bool:
        """Which way names and numbers stand in their row: ``4 batch 2048 seq``, ``bs 4 seq 2048``.

        A row of as many of both says it by what it begins with. With one number more, a card's or
        model's at an end is nobody's; else things that are counted follow their numbers.
        """
        row = [*reversed(self.row(index, target, self.measured)), index]
        row += self.row(index, target, self.after)
        begins, ends = self.is_name(row[0]), self.is_name(row[-1])
        if begins != ends:
            return ends
        if not begins and self.is_count(row[-1]):
            return True  # 4 epochs 2 l40s
        if not begins and "entry" in (self.marks[row[0]].kind, self.marks[row[-1]].kind):
            return self.marks[row[0]].kind != "entry"
        names = [at for at in row if self.is_name(at)]
        return all(self.counts_things(at) for at in names)

    def row(self, index: int, target: Input, step: Callable[[int], int | None]) -> list[int]:
        """Free numbers and names without one by turns, from a name on."""
        found: list[int] = []
        name, owner = index, target
        while True:
            number = step(name)
            if number is None or not self.is_free(number, owner):
                return found
            found.append(number)
            beyond = self.over_measure(number) if step == self.after else self.before(number)
            others = [] if beyond is None or beyond in self.used else self.numeric(beyond)
            fitting = [one for one in others if self.is_free(number, one)]
            if beyond is None or not fitting:
                return found
            found.append(beyond)
            name, owner = beyond, fitting[0]

    def is_count(self, number: int) -> bool:
        """Whether a number stands before a thing that is counted: ``2 l40s``, 2 张卡."""
        beyond = self.after(number, ("link", "times"))
        if beyond is None or self.marks[number].token.unit is not None:
            return False
        mark = self.marks[beyond]
        owners = [mark.entry[0]] if mark.kind == "entry" else list(mark.inputs)
        counted = [self.book.inputs.get(sibling(one)) for one in owners]
        catalogue = [self.book.inputs[one].catalogue for one in owners]
        return any(catalogue) and any(
            one is not None and one.name not in self.found for one in counted
        )

    def is_name(self, index: int) -> bool:
        return self.marks[index].kind == "name"

    def counts_things(self, index: int) -> bool:
        """``samples``, ``epochs``: what stands behind its number."""
        return any(self.is_unit(index, one) for one in self.numeric(index))

    def take(self, target: Input, number: int, *others: int) -> None:
        token = self.marks[number].token
        written = " ".join(self.marks[one].text for one in sorted((number, *others)))
        if self.is_whole(target, number, *others):
            self.refuse(Refused(target.name, written, "total", ""), number, *others)
            return
        if token.unit is None and target.unit.dimension in (SECOND, BYTE):
            sample = "6 h" if target.unit.dimension == SECOND else "24 GB"
            self.refuse(Refused(target.name, written, "unit", sample), number, *others)
            return
        if token.unit is None and target.unit.dimension == MONEY and self.is_measured(number):
            self.refuse(Refused(target.name, written, "unit", "20 USD"), number, *others)
            return
        parted = dotted(token)
        if parted is not None and self.whole_or_parted(target, parted, number, *others):
            return
        raw = amount(token, target) / target.unit.scale
        if not float(raw).is_integer() and self.is_share(target, *others):
            self.used.difference_update((number, *others))
            self.kept.update((number, *others))
            return
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

    def is_share(self, target: Input, *names: int) -> bool:
        """``val_set_size: 0.05``: a part of the data, where the input counts."""
        other = self.marker.words.other
        return target.type == "integer" and any(self.marks[at].text in other for at in names)

    def whole_or_parted(self, target: Input, parted: float, number: int, *others: int) -> bool:
        """``10.000 samples`` are ten thousand; ``mean 1.024`` may be one, or a thousand."""
        token = self.marks[number].token
        values: list[Value] = []
        for one in (token, token._replace(value=parted)):
            try:
                values.append(read_value(target, amount(one, target) / target.unit.scale))
            except BadValue:
                continue
        if len(values) == 1:
            self.put(target.name, values[0], number, *others)
        elif values and target.type == "integer":
            self.put(target.name, values[-1], number, *others)
        elif values:
            ends = sorted((number, *others))
            written = " ".join(self.marks[one].text for one in ends)
            self.doubt(target.name, written, *values)
            self.used.update(ends)
        self.at[number] = target.name
        return bool(values)

    def is_measured(self, number: int) -> bool:
        """``200 块``: money of another country."""
        measure = self.after(number, ())
        return measure is not None and self.marks[measure].token.key in self.marker.words.times

    def is_label(self, index: int, target: Input) -> bool:
        """Whether ``tokens`` after ``seq 2048`` only says what is counted."""
        following = self.after(index)
        if following is not None and self.marks[following].token.kind == "number":
            beyond = self.after(following)
            others = [] if beyond is None else self.numeric(beyond)
            is_next_s = any(one != target and self.is_free(following, one) for one in others)
            return is_next_s and target.name in self.marks[index].inputs
        return self.is_unit(index, target)

    def is_unit(self, index: int, target: Input) -> bool:
        """Whether a mark is the unit of an input, in one or many."""
        label = target.unit.name.rstrip("s")
        return bool(label) and self.marks[index].token.key.rstrip("s") == label

    def truth(self, index: int, target: Input) -> bool:
        if self.is_unsure(index):
            return True
        own = self.switch(index)
        if own is not None:
            value = own or self.is_forbidden(index)  # don't turn packing off
            self.put(target.name, value, index, *self.switches[index])
            return True
        if self.is_denied(index):
            self.put(target.name, False, index)
            return True
        other = self.after(index)
        if other is not None and self._sign_between(index, other):  # packing=1, packing=perhaps
            digit = self.marks[other].text
            if digit in ("0", "1"):
                self.put(target.name, digit == "1", index, other)
                return True
            word = self.marks[other].text
            self.refuse(Refused(target.name, word, "choice", "true, false"), index, other)
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
            if self.is_denied(at):
                return True  # deepspeed zero 3: no
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
        return target.type == "enum" and _NOTHING in target.choices and self.some(index, target)

    def some(self, index: int, target: Input) -> bool:
        """``offload`` without a kind: a question; ``no offload``: none."""
        if self.is_denied(index):
            self.nothing[target.name] = index
        elif target.name not in self.found:
            kinds = [one for one in target.choices if one != _NOTHING]
            self.doubt(target.name, self.marks[index].text, *kinds)
            self.used.add(index)
        return True

    def nothings(self) -> None:
        """``deepspeed: null`` is none, unless another kind is said: ``fsdp: full_shard``."""
        for name, index in self.nothing.items():
            if name not in self.found and name not in self.unclear:
                self.put(name, _NOTHING, index)

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


_NOTHING = "none"
_MOST_BETWEEN = 2


_BESIDE: dict[str, Callable[[Beside, int, Input], bool]] = {
    "integer": Beside.number,
    "number": Beside.number,
    "boolean": Beside.truth,
    "enum": Beside.word,
    "set": Beside.word,
    "catalogue": Beside.owner,
}
