"""What a number is of, where a phrase beside it says so: per card, of each image, in total."""

from advisor.conversation.tokens import key_of
from advisor.conversation.wishes import Wishes
from advisor.rulebook.model import Input


class Shares(Wishes):
    """Numbers between a name and a phrase such as ``per gpu``, and numbers of the whole."""

    def phrase(self, index: int | None) -> Input | None:
        """The number that ``per gpu`` or ``每卡`` asks for; None where a mark is no such phrase."""
        if index is None or self.marks[index].kind != "name":
            return None
        mark = self.marks[index]
        first = mark.token.text.casefold()
        link = self.marker.words.link
        many = len(mark.tokens) > 1 and first in link
        if not many and (first.isascii() or first[0] not in link):
            return None
        return next(iter(self.numeric(index)), None)

    def numeric(self, index: int) -> list[Input]:
        """The inputs that a mark names and that are numbers."""
        if self.marks[index].kind != "name":
            return []
        named = [self.book.inputs[name] for name in self.marks[index].inputs]
        return [one for one in named if one.type in ("integer", "number")]

    def shared(self, index: int) -> tuple[Input, int, int] | None:
        """``4 samples per gpu``: the phrase's input, the number before the name, the phrase."""
        number, beside = self.before(index), self.after(index, ("stop",))
        target = self.phrase(beside)
        if target is None or number is None or beside is None or not self.is_free(number, target):
            return None
        same = [one for one in self.numeric(index) if _thing(one) == _thing(target)]
        if not same or target in same or not self.marks[beside].text.isascii():
            return None
        return None if self.has_own(beside, target) else (target, number, beside)

    def has_own(self, index: int, target: Input) -> bool:
        """Whether a free number after a name is its own: not in ``per gpu 2 epochs``."""
        number = self.after(index)
        if number is None or not self.is_free(number, target):
            return False
        beyond = self.over_measure(number)
        if beyond is None or self.marks[beyond].kind not in ("name", "entry"):
            return True
        following = self.after(beyond)
        return following is not None and self.marks[following].token.kind == "number"

    def over_measure(self, number: int) -> int | None:
        """What stands after a number, over a measure word: 4 个 batch."""
        beyond = self.after(number)
        return self.after(beyond) if beyond is not None and self.is_measure(beyond) else beyond

    def passes_on(self, index: int) -> bool:
        """``每条样本两张图``: the number after the phrase counts what is named behind it."""
        target = self.phrase(index)
        number = self.given(index)
        if target is None or number is None or not self.is_free(number, target):
            return False
        beyond = self.over_measure(number)
        others = [] if beyond is None else self.numeric(beyond)
        if beyond is None or not others or self.has_own(index, target):
            return False
        return all(_thing(one) != _thing(target) for one in others)

    def counted(self, index: int) -> tuple[int, ...]:
        """``每卡4条``: what is named behind the number of a phrase only says what is counted."""
        target, number = self.phrase(index), self.given(index)
        label = self.over_measure(number) if number is not None else None
        if target is None or label is None or self.at.get(number or 0) != target.name:
            return ()
        mine = any(_thing(one) == _thing(target) for one in self.numeric(label))
        return (label,) if mine and not self.has_own(label, target) else ()

    def given(self, index: int) -> int | None:
        """What follows a name; behind 每卡 over 跑 and the like."""
        skip: tuple[str, ...] = ("link",)
        if self.phrase(index) is not None and not self.marks[index].text.isascii():
            skip = ("link", "stop")
        return self.after(index, skip)

    def stands_behind(self, index: int) -> bool:
        """``2 per gpu on 4 cards``: the number of such a phrase stands before it."""
        beside = index + 1 < len(self.marks) and self.marks[index + 1].token.kind == "number"
        return self.phrase(index) is not None and self.marks[index].text.isascii() and not beside

    def changes(self, index: int) -> bool:
        """``cost 20 per gpu``: the phrase is of a number that another input has."""
        number = self.before(index)
        return (
            self.phrase(index) is not None
            and self.at.get(-1 if number is None else number, "") != ""
        )

    def is_said(self, index: int) -> bool:
        """``batch 4 per gpu``: the phrase only says again what the number is."""
        target, number = self.phrase(index), self.before(index)
        return target is not None and number is not None and self.at.get(number) == target.name

    def of_each(self, index: int) -> tuple[Input, int, int] | None:
        """``images of 576 tokens``: the input of tokens per image, the number, and its name."""
        number = self.after(index)
        if number is None or self.marks[number].token.kind != "number":
            return None
        between = {self.marks[at].text.casefold() for at in range(index + 1, number)}
        beyond = self.over_measure(number)
        if beyond is None or self.marks[beyond].kind != "name":
            return None
        ahead = self.marks[index - 1].text.casefold() if index else ""
        if between.isdisjoint(self.marker.words.of) and ahead not in self.marker.words.per:
            return None
        thing = key_of(self.marks[index].text).removesuffix("s")
        name = key_of(self.marks[beyond].tokens[0].text)
        for written in (f"{name}per{thing}", f"{name.removesuffix('s')}sper{thing}"):
            for found in self.marker.vocabulary.names.get(written, ()):
                if self.is_free(number, self.book.inputs[found]):
                    return self.book.inputs[found], number, beyond
        return None

    def is_whole(self, target: Input, *indices: int) -> bool:
        """``batch 64 in total`` counts what all cards do together, where a total has a name."""
        words = self.marker.words
        names = (target.name, *target.aliases)
        totals = {key_of(one) for one in words.other}
        if not any(f"total{key_of(name)}" in totals for name in names):
            return False
        first, last = min(indices), max(indices)
        ahead = None if self.marks[first].start else self.whole_between(first - 1, -1)
        if ahead is not None and not self.is_behind(ahead):
            return True
        if self.is_aside(last + 1):
            return True
        behind = self.whole_between(last + 1, 1)
        if behind is None:
            return False
        number = self.after(behind)
        if number is None or self.marks[number].token.kind != "number":
            return True
        label = self.over_measure(number)
        spread = self.marks[behind].text.casefold() in words.spread
        return spread or label is None or target in self.numeric(label)

    def is_behind(self, at: int) -> bool:
        """Whether ``total`` stands behind what it is of: 3 epochs total, batch 4."""
        before = self.before(at, ())
        return before is not None and self.marks[before].kind in ("name", "number", "entry")

    def is_aside(self, at: int) -> bool:
        """``(effective)``: in brackets, alone."""
        alone = at + 1 >= len(self.marks) or self.marks[at + 1].start
        said = at < len(self.marks) and self.marks[at].text.casefold() in self.marker.words.whole
        return said and self.marks[at].start and alone

    def whole_between(self, at: int, step: int) -> int | None:
        """The first mark from one on, over links, that says ``total``."""
        words = self.marker.words
        while 0 <= at < len(self.marks) and not (step > 0 and self.marks[at].start):
            text = self.marks[at].text.casefold()
            if text in words.whole or (step > 0 and text in words.spread):
                return at
            if self.marks[at].kind != "link" or (step < 0 and self.marks[at].start):
                return None
            at += step
        return None


def _thing(target: Input) -> str:
    """What an input counts: the token of ``token/image``."""
    return target.unit.name.partition("/")[0].rstrip("s")
