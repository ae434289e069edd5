"""Free text to values of inputs, without any language model.

Words are taken for what the rules and catalogues call things; a number belongs to the name beside
it, or to the input its unit can only mean. What is near several things is left to a question.
"""

from collections.abc import Callable, Iterator

from advisor.conversation.marks import Mark, Marker
from advisor.conversation.near import Near, alternatives
from advisor.conversation.partly import Partly
from advisor.conversation.quantities import with_quantities
from advisor.conversation.reading import Found, Reading, Refused, Unclear, sizes
from advisor.conversation.tokens import clean, tokenise
from advisor.conversation.unnamed import Unnamed
from advisor.rulebook.model import Input
from advisor.units import BYTE, MONEY, NONE

MAX_UNUSED = 12


def read_text(text: str, marker: Marker, expected: Input | None = None) -> Reading:
    """What a text says. ``expected`` is the input just asked for: a lone value is meant for it."""
    pieces = tokenise(clean(text), marker.words, marker.vocabulary.lexicon)
    tokens = with_quantities(pieces, marker.words)
    return _Slots(marker, marker.marks(tokens), expected).reading()


class _Slots(Unnamed):
    def reading(self) -> Reading:
        self.others()
        self.owned()
        self.machines()
        for index, mark in enumerate(self.marks):
            if mark.kind == "name" and index not in self.used:
                self.named(index)
            elif mark.kind == "value" and self.is_end(index):
                self.number(index, self.book.inputs[self.ended(index)])
        self.entries()
        self.counts()
        self.products()
        for index, mark in enumerate(self.marks):
            if mark.kind == "value" and index not in self.used:
                self.lone_value(index)
            elif mark.kind == "name":
                self.implied(mark)
        self.nothings()
        self.quantities()
        self.in_part()
        self.corrected()
        self.multiplied()
        self.lone_truth()
        self.lone_number()
        self.others_than_denied()
        return Reading(
            tuple(self.found.values()),
            tuple(one for name, one in self.unclear.items() if name not in self.found),
            tuple(self.refused),
            tuple(self.unused(lambda index: True)),
            tuple(self.unused(lambda index: self.is_denied(index) or self.is_no_number(index))),
            tuple(self.scaled()),
        )

    def others(self) -> None:
        """``global batch size 32``: the number beside is no input's either."""
        for index, mark in enumerate(self.marks):
            if mark.kind == "other":
                following = self.after(index)
                if following is not None and self.marks[following].kind in ("number", "word"):
                    self.kept.add(following)

    def ended(self, index: int) -> str:
        """The input that a value's word is the last name of: ``max`` of ``data.tokens.max``."""
        names = self.marker.vocabulary.names.get(self.marks[index].token.key, ())
        return names[0] if names else ""

    def is_end(self, index: int) -> bool:
        """``max 2048`` beside ``mean 900``: the others of its group are said, too."""
        mark, name = self.marks[index], self.ended(index)
        if not name or mark.token.key not in self.marker.vocabulary.ends or name in self.found:
            return False
        group = name.rpartition(".")[0]
        following = self.after(index)
        said = any(one.rpartition(".")[0] == group for one in self.found)
        return said and self.is_free(following, self.book.inputs[name])

    # -- entries ----------------------------------------------------------------------------------

    def entries(self) -> None:
        for index, mark in alternatives(self.marker, self.marks).items():
            if index not in self.used:
                self.marks[index] = mark
        named: dict[str, dict[str, None]] = {}
        where: dict[str, list[int]] = {}
        for index, mark in enumerate(self.marks):
            if mark.kind != "entry" or index in self.used or self.is_denied(index):
                continue
            name, ids = mark.entry
            if where.get(name) and self.is_corrected(where[name][-1], index):
                self.used.update(where[name])
                named[name], where[name] = {}, []
            before = named.get(name)
            both = [one for one in ids if before and one in before]  # A100 … A100 80 GB
            named[name] = dict.fromkeys(both or [*(before or ()), *ids])
            where.setdefault(name, []).append(index)
        for name, known in named.items():
            first = self.marks[where[name][0]].entry[1]
            self.choose(name, tuple(known), *where[name], several=not set(known) <= set(first))

    def choose(self, name: str, ids: tuple[str, ...], *indices: int, several: bool = False) -> None:
        """One entry is found; of several a question is made.

        A figure beside them may decide, but not between ``several`` that were named.
        """
        figures = [
            index
            for index, mark in enumerate(self.marks)
            if index not in self.used and mark.token.unit and mark.token.unit.dimension == BYTE
        ]
        shelf = self.marker.shelves[self.book.inputs[name].catalogue]
        partly, near = Partly(self.marker, self.marks), Near(self.marker, self.marks)
        if len(ids) == 1:
            ids, indices = partly.widened(shelf, ids, indices, self.used)
        for index in figures:
            matching = shelf.with_figure(sizes(self.marks[index].token), ids)
            if matching and not several:
                ids = matching
                indices = tuple(sorted({*indices, index}))
        if len(ids) > 1:
            ids, indices = partly.narrowed(shelf, ids, indices, self.used)
        if not several:
            ids, indices = near.sized(shelf, ids, indices, self.used)
        misfit = near.misfit(shelf, ids, indices) if len(ids) == 1 else None
        if misfit is not None and misfit not in self.used:
            ids = near.others(shelf, ids, indices, misfit)
            indices = (*indices, misfit)
        written = " ".join(self.marks[index].text for index in sorted(indices))
        self.used.update(indices)
        if len(ids) == 1 and misfit in indices:
            fitting = self.marker.shelves[self.book.inputs[name].catalogue].find(ids[0]).facts
            known = str(fitting["name"].value) if "name" in fitting else ids[0]
            self.refused.append(Refused(name, written, "choice", known))
        elif len(ids) == 1:
            self.found[name] = Found(name, ids[0], written)
        else:
            self.unclear[name] = Unclear(name, written, ids)

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
        if not mine and self.is_part(index):
            if mark.text.casefold() in self.marker.words.stop:
                self.used.add(index)  # up, down
            return
        if self.is_denied(index):
            self.unwanted.append(index)
            self.denied(index)
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
        if self.book.inputs[chosen.name].type == "set":
            self.elements(index, chosen.name)
        elif chosen.name not in self.found:
            self.put(chosen.name, chosen.value, index)
        elif self.found[chosen.name].value == chosen.value:
            self.used.add(index)
        else:  # lora … qlora: two wishes
            other = next((one for one in meant[1:] if one.name not in self.found), None)
            if other is not None:
                self.put(other.name, other.value, index)
            else:
                self.put(chosen.name, chosen.value, index)

    def denied(self, index: int) -> None:
        """``freeze_vision: false`` says the opposite; a choice that is denied says nothing."""
        for meant in self.marks[index].meant:
            if isinstance(meant.value, bool) and index not in self.rejected:
                self.put(meant.name, not meant.value, index)
                return

    def others_than_denied(self) -> None:
        """``not lora``: which of the others, where nobody can do without one."""
        for target in self.book.inputs.values():
            named = {
                index: one.value
                for index in self.unwanted
                for one in self.marks[index].meant
                if one.name == target.name
            }
            if not named or target.type != "enum" or target.default or target.optional:
                continue
            if target.name in self.found or target.name in self.unclear:
                continue
            left = [one for one in target.choices if one not in named.values()]
            ahead = range(min(named), -1, -1)
            start = next((at for at in ahead if self.marks[at].kind == "not"), min(named))
            written = " ".join(mark.text for mark in self.marks[start : max(named) + 1])
            self.used.update(named)
            self.doubt(target.name, written, *left)

    def elements(self, index: int, name: str) -> None:
        """``q_proj and v_proj``: all that are said belong to the set."""
        before = self.found.get(name)
        value = next(one.value for one in self.marks[index].meant if one.name == name)
        if before is None or not isinstance(before.value, frozenset):
            self.put(name, value, index)
        elif isinstance(value, frozenset):
            written = f"{before.written} {self.marks[index].text}"
            self.found[name] = before._replace(value=before.value | value, written=written)
            self.used.add(index)

    def implied(self, mark: Mark) -> None:
        """``lora rank 8`` names the rank, and says LoRA of what nobody else has said."""
        if len(mark.tokens) < 2:
            return
        for meant in self.marker.vocabulary.values.get(mark.token.key, ()):
            target = self.book.inputs[meant.name]
            said = target.name in self.found
            if target.type == "enum" and not target.default and not target.optional and not said:
                self.found[target.name] = Found(target.name, meant.value, mark.token.text)

    def is_part(self, index: int) -> bool:
        """A letter out of a set (``q``), or ``up``, means nothing without others or its name."""
        mark = self.marks[index]
        if not _is_letter(mark) and mark.text.casefold() not in self.marker.words.stop:
            return False
        sets = {one.name for one in self.marks[index].meant}
        for step in (-1, 1):
            at = index + step
            while 0 <= at < len(self.marks) and self.marks[at].text.casefold() in self.joints:
                at += step
            if 0 <= at < len(self.marks) and sets & {one.name for one in self.marks[at].meant}:
                return False
        return True

    @property
    def joints(self) -> frozenset[str]:
        """What stands between the elements of a set."""
        return self.marker.words.joins | {"+", "&", "/"}

    # -- what is named in part, and what only a unit says -----------------------------------------

    def in_part(self) -> None:
        known = {*self.found, *self.unclear}
        partly = Partly(self.marker, self.marks)
        for name, ids, indices, sure in partly.entries(self.used, known):
            if sure and len(ids) == 1:
                self.put(name, ids[0], *indices)
                shelf = self.marker.shelves[self.book.inputs[name].catalogue]
                meant = partly.corrected(indices, shelf)
                if meant is not None:
                    self.found[name] = self.found[name]._replace(read_as=meant[2])
            else:
                written = " ".join(self.marks[index].text for index in indices)
                self.unclear[name] = Unclear(name, written, ids)
                self.used.update(indices)

    def quantities(self) -> None:
        for index, mark in enumerate(self.marks):
            unit = mark.token.unit
            if mark.token.foreign and index not in self.used:
                self.foreign(index)
            if mark.kind != "number" or index in self.used or unit is None:
                continue
            before = self.before(index)
            if before is not None and self.marks[before].text.casefold() in self.marker.words.past:
                continue  # it took 19 hours: no limit
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

    def foreign(self, index: int) -> None:
        """``100 元``: an amount of money, but in no unit of the rules."""
        limits = {answer.limit for answer in self.book.answers.values()}
        for target in self.book.inputs.values():
            if target.name in limits and target.unit.dimension == MONEY:
                refused = Refused(target.name, self.marks[index].text, "unit", "20 USD")
                self.refuse(refused, index)

    def figure(self, index: int) -> None:
        """``24 GB`` alone means an entry with that figure."""
        for target in self.book.inputs.values():
            shelf = self.marker.shelves.get(target.catalogue)
            if shelf is None or target.name in self.found or target.name in self.unclear:
                continue
            ids = shelf.with_figure(sizes(self.marks[index].token))
            if ids:
                self.choose(target.name, ids, index)
                self.count_of(target.name, index)
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
        numbers = self.alternatives(free[-1], self.expected) if free else []
        if len(free) == 1:
            self.take(self.expected, free[0])
        elif len(free) > 1 and numbers == free:
            self.either(self.expected, numbers, free[0])

    def unused(self, fits: Callable[[int], bool]) -> Iterator[str]:
        """Words that are not used, as they stand together, where some of them fit."""
        plain = {"link", "stop", "yes", "no", "not", "times"}
        run: list[int] = []
        count = 0
        for index, mark in enumerate([*self.marks, None]):
            left = mark is not None and index not in self.used and mark.kind not in plain
            if run and (not left or (mark is not None and mark.start)):
                count += 1
                if count <= MAX_UNUSED and any(map(fits, run)):
                    yield " ".join(self.marks[one].text for one in run)
                run = []
            if left:
                run.append(index)


def _is_letter(mark: Mark) -> bool:
    return mark.kind == "value" and len(mark.text) < 3 and mark.text.isascii()
