"""What a text does not want: switches turned off, choices denied, what another thing replaces."""

from itertools import pairwise

from advisor.conversation.marks import Mark
from advisor.conversation.wishes import Wishes
from advisor.rulebook.model import Input

_SWITCHES = ("yes", "no", "not")
_MOST_BEFORE = 4


class Denials(Wishes):
    """Says what each yes, no and not belongs to: one behind a name is of nothing after it."""

    def owned(self) -> None:
        """Give every switch word to what it stands behind: ``packing off``, ``tf32: false``."""
        for index, mark in enumerate(self.marks):
            if index in self.kept or not (mark.kind in _SWITCHES or self.is_none(index)):
                continue
            owner = self.before(index)
            while owner is not None and owner in self.kept:
                owner = self.before(owner)
            if owner is None or not self.has_switch(owner, index):
                continue
            self.switches.setdefault(owner, []).append(index)
            self.kept.add(index)
            self.kept.update(self.absent(index))
            self.used.update(self.absent(index))
        for index, mark in enumerate(self.marks):
            if self.is_empty(index, mark):
                self.rejected.add(index)
        self.replaced()

    def is_none(self, index: int) -> bool:
        """``liger: none``, where none is a choice of other inputs only."""
        mark = self.marks[index]
        owner = self.before(index)
        if owner is None or mark.kind != "value" or self.marks[owner].kind not in ("value", "word"):
            return False
        if mark.text.casefold() not in self.marker.words.no or self.before(index, ()) == owner:
            return False
        self.used.add(index)
        return True

    def has_switch(self, owner: int, index: int) -> bool:
        """Whether a yes or no is of the mark before it, and not of the one behind."""
        mark = self.marks[owner]
        signed = any(self.marks[one].token.kind == "sign" for one in range(owner + 1, index))
        if mark.kind == "word":
            return signed or (self.marks[index].kind != "not" and _is_key(mark))
        if mark.kind not in ("name", "value", "entry"):
            return False
        types = {self.book.inputs[name].type for name in mark.inputs}
        if mark.kind == "name" and not types & {"boolean", "enum"}:
            return False
        if self.marks[index].kind == "yes" and self.is_forbidden(owner):
            return signed  # 关闭 packing 打开 checkpointing
        no = self.marks[index].text.casefold() in self.marker.words.no
        if self.marks[index].kind == "not" and not (signed or no or self.ends(index)):
            return False  # a T4 cannot run flash attention
        return signed or not self.is_next(index)

    def ends(self, index: int) -> bool:
        """Whether a not can be the end of what it denies."""
        beyond = self.after(index, ("link",))
        if beyond is None or self.marks[beyond].kind in (*_SWITCHES, "name", "entry", "value"):
            return True
        text = self.marks[beyond].text.casefold()
        words = self.marker.words
        return bool(self.absent(index)) or text in (words.joins | words.turns | words.alternative)

    def is_reached(self, index: int) -> bool:
        text = self.marks[index].text.casefold()
        return text in self.marker.words.reaches and text not in self.marker.words.absent

    def is_next(self, index: int) -> bool:
        """``no`` that belongs to what follows it: packing, no bucketing."""
        words = self.marker.words
        beyond = self.after(index)
        while beyond is not None and self.is_reached(beyond):
            beyond = self.after(beyond)  # does not support flash
        if beyond is None or self.marks[index].kind != "not":
            return False
        if self.marks[beyond].kind not in ("name", "value", "entry"):
            return False
        if self.marks[index].text.casefold() not in words.no:
            return True
        own = beyond + 1  # packing no bucketing yes: each has its own
        if own >= len(self.marks) or self.marks[own].start:
            return True
        on = self.marks[own].text.casefold() in words.yes
        return not (on or (self.marks[own].kind in _SWITCHES and not self.is_next(own)))

    def absent(self, index: int) -> list[int]:
        """The words that end a denial: not ``available``, not ``an option``."""
        at = self.after(index)
        while at is not None:
            if self.marks[at].text.casefold() in self.marker.words.absent:
                return [at]
            at = self.after(at) if self.marks[at].kind == "stop" else None
        return []

    def switch(self, index: int) -> bool | None:
        """What stands behind a mark: on, off, or nothing of the kind."""
        words = [self.marks[one] for one in self.switches.get(index, ())]
        if not words:
            return None
        if words[0].kind == "not":
            return len(words) > 1 and words[1].text.casefold() in self.marker.words.no
        return words[0].kind == "yes"

    def is_empty(self, index: int, mark: Mark) -> bool:
        """``fsdp:`` with nothing behind it, where a file has its keys in a row."""
        sign = index + 1
        if mark.kind != "value" or not mark.start or sign >= len(self.marks):
            return False
        if self.marks[sign].text not in (":", "="):
            return False
        if sign + 1 == len(self.marks):
            return True
        beyond = self.marks[sign + 1]
        inside = any(name.partition(".")[0] == mark.token.key for name in beyond.inputs)
        return beyond.start and not inside

    def is_denied(self, index: int) -> bool:
        """``not a 4090``, ``never use flash attention``, ``liger: false``."""
        return index in self.rejected or self.switch(index) is False or self.is_forbidden(index)

    def is_forbidden(self, index: int) -> bool:
        """Whether a no stands before a mark: ``without packing or bucketing`` has one for both."""
        return self.forbidding(index) is not None

    def forbidding(self, index: int) -> int | None:
        """The no before a mark, over words that a no reaches over."""
        words = self.marker.words
        for at in range(index, 0, -1):
            if self.marks[at].start:
                return None
            mark = self.marks[at - 1]
            if mark.kind in ("not", "no") and at - 1 not in self.kept:
                return at - 1
            text = mark.text.casefold()
            if text in words.alternative and at > 1 and self.shares(at - 2, index):
                return self.forbidding(at - 2)
            if text not in words.reaches and (mark.kind != "yes" or at - 1 in self.kept):
                return None
        return None

    def is_unsure(self, index: int) -> bool:
        """``not sure about packing``."""
        before = self.before(index, ("link",))
        while before is not None and self.marks[before].kind == "stop":
            if self.marks[before].text.casefold() in self.marker.words.unknown:
                return True
            before = self.before(before, ("link",))
        return False

    def shares(self, before: int, index: int) -> bool:
        """Whether neither side of an ``or`` has a yes or no behind it."""
        named = self.marks[before].kind in ("name", "value", "entry")
        return named and self.switch(before) is None is self.switch(index)

    # -- numbers that are not meant ---------------------------------------------------------------

    def is_free(self, index: int | None, target: Input) -> bool:
        """Whether a mark is a number nobody has, that the input could be, and that is meant."""
        if not super().is_free(index, target) or index is None:
            return False
        return not (self.is_added(index) or self.is_no_number(index))

    def is_no_number(self, index: int) -> bool:
        """``I don't have 4 cards``; a bare ``no 4 cards`` rather answers and goes on."""
        no = self.forbidding(index)
        if no is None:
            return False
        word = self.marks[no].text.casefold()
        return not (word.isascii() and word in self.marker.words.no)

    def is_added(self, index: int) -> bool:
        """``2 more cards``, 加一张卡: how many there are then is not said."""
        words = self.marker.words.added
        inside = bool(index) and not self.marks[index].start
        if inside and self.marks[index - 1].text.casefold() in words:
            first = index == 1 or self.marks[index - 1].start  # lora 加 2 张卡: and, not more
            return first or self.marks[index - 2].kind in ("stop", "link")
        beyond = self.after(index, ())
        text = self.marks[beyond].text.casefold() if beyond is not None else ""
        return text.isascii() and text in words

    # -- one thing instead of another -------------------------------------------------------------

    def replaced(self) -> None:
        """``switch from lora to full``, ``rather trl than axolotl``."""
        words = self.marker.words
        ends = [at for at, mark in enumerate(self.marks) if mark.kind in ("entry", "value")]
        for first, second in pairwise(ends):
            if not self.same(self.marks[first], self.marks[second]):
                continue
            between = self.marks[first + 1 : second]
            if any(mark.start or mark.kind == "name" for mark in between):
                continue
            told = {mark.text.casefold() for mark in between}
            ahead = self.ahead(first)
            if ahead & words.change and told & words.into:
                self.rejected.add(first)
            elif ahead & words.prefer and told & words.over:
                self.rejected.add(second)

    def ahead(self, index: int) -> set[str]:
        """The last words before a mark, in its part of the sentence."""
        found: set[str] = set()
        for at in range(index, max(0, index - _MOST_BEFORE), -1):
            if self.marks[at].start:
                break
            found.add(self.marks[at - 1].text.casefold())
        return found

    def same(self, one: Mark, other: Mark) -> bool:
        """Whether two marks can be of one input."""
        if one.kind == "entry":
            return one.entry[0] == other.entry[0]
        return bool({meant.name for meant in one.meant} & {meant.name for meant in other.meant})


def _is_key(mark: Mark) -> bool:
    """``tf32 off`` and ``do_sample false``: a key of a file, no word of a sentence."""
    return not mark.text.isalpha() or mark.text.isupper()
