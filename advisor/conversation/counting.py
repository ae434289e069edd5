"""How many of an entry: ``2 x 4090``, ``4090 x2``, ``two 24 GB cards``."""

from advisor.conversation.beside import Beside
from advisor.conversation.reading import sibling

_PARTITIVE = ("of", "的")


class Counting(Beside):
    """Gives numbers to the entries that they count."""

    def counts(self) -> None:
        """``2 x 4090``, ``8 A100``, ``4090 x 2``."""
        for index, mark in enumerate(self.marks):
            if mark.kind != "entry" or self.is_denied(index):
                continue
            counted = self.book.inputs.get(sibling(mark.entry[0]))
            if counted is None or counted.name in self.found:
                continue
            preceding = self.before(index, ("times",))
            if preceding in self.used and self.marks[preceding].token.unit is not None:
                preceding = self.before(preceding, ("times",))  # 2x 24gb 3090
            if preceding is not None and self.marks[preceding].token.key in _PARTITIVE:
                preceding = self.before(preceding, ())  # a pair of A6000
            for number in (preceding, self.following_count(index)):
                if number is None or self.marks[number].token.unit is not None:
                    continue
                if self.is_free(number, counted):
                    numbers = self.alternatives(number, counted)
                    if len(numbers) > 1:
                        self.either(counted, numbers, number)
                    else:
                        self.take(counted, number)
                    break

    def following_count(self, index: int) -> int | None:
        """The number after an entry that counts it: ``4090 x 2``, ``A100 40G 八张``."""
        at = index + 1
        while at < len(self.marks) and at in self.used and not self.marks[at].start:
            at += 1  # what says which one
        if at >= len(self.marks):
            return None
        if self.marks[at].kind == "times":
            number = self.after(at, ())  # 4090 x 2, 4090 (x4)
            owned = number is not None and self.is_taken(number)
            return None if self.marks[at].start and owned else number
        if self.marks[at].text.isalpha() and not self.marks[at].start and self.is_last(at):
            return at  # 4090 pair
        measure = self.after(at, ())
        if self.marks[at].kind != "number" or measure is None:
            return None
        beyond = self.after(measure, ())
        is_next = beyond is not None and self.marks[beyond].kind == "entry"
        is_measure = self.marks[measure].token.key in self.marker.words.times
        return (
            at if is_measure and self.marks[measure].token.kind == "word" and not is_next else None
        )

    def is_last(self, index: int) -> bool:
        return self.after(index, ()) is None

    def is_taken(self, number: int) -> bool:
        """Whether a name or a card stands behind a number."""
        beyond = self.after(number)
        return beyond is not None and self.marks[beyond].kind in ("name", "entry")

    def count_of(self, name: str, index: int) -> None:
        """``一张 24G 的卡``, ``two 24 GB cards``."""
        counted = self.book.inputs.get(sibling(name))
        preceding = self.before(index, ("times",))
        if counted is None or preceding is None or counted.name in self.found:
            return
        if self.marks[preceding].token.unit is None and self.is_free(preceding, counted):
            self.take(counted, preceding)
