"""Free text to values of inputs, without any language model.

Words are taken for what the rules and catalogues call things; a number belongs to the name beside
it, or to the input its unit can only mean. What is near several things is left to a question.
"""

from collections.abc import Iterator

from advisor.conversation.beside import Beside
from advisor.conversation.marks import Mark, Marker
from advisor.conversation.partly import Partly
from advisor.conversation.reading import Found, Reading, Unclear, sibling, sizes
from advisor.conversation.tokens import clean, tokenise
from advisor.rulebook.model import Input
from advisor.units import BYTE, NONE

MAX_UNUSED = 12


def read_text(text: str, marker: Marker, expected: Input | None = None) -> Reading:
    """What a text says. ``expected`` is the input just asked for: a lone value is meant for it."""
    tokens = tokenise(clean(text), marker.words, marker.vocabulary.lexicon)
    return _Slots(marker, marker.marks(tokens), expected).reading()


class _Slots(Beside):
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
            elif mark.kind == "name":
                self.implied(mark)
        self.quantities()
        self.in_part()
        self.lone_number()
        return Reading(
            tuple(self.found.values()),
            tuple(one for name, one in self.unclear.items() if name not in self.found),
            tuple(self.refused),
            tuple(self.unused()),
        )

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
        for name, known in named.items():
            self.choose(name, tuple(known), *where[name])

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
        if not mine and (mark.text.casefold() in self.marker.words.stop or self.is_part(mark)):
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

    def implied(self, mark: Mark) -> None:
        """``lora rank 8`` names the rank, and says LoRA of what nobody else has said."""
        if len(mark.tokens) < 2:
            return
        for meant in self.marker.vocabulary.values.get(mark.token.key, ()):
            target = self.book.inputs[meant.name]
            said = target.name in self.found
            if target.type == "enum" and not target.default and not target.optional and not said:
                self.found[target.name] = Found(target.name, meant.value, mark.token.text)

    def is_part(self, mark: Mark) -> bool:
        """A letter or two out of a set (``q``, ``up``) means nothing without the set's name."""
        return len(mark.token.key) < 3 and len(mark.tokens) == 1 and mark.token.key.isascii()

    # -- what is named in part, and what only a unit says -----------------------------------------

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
