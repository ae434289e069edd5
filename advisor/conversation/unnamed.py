"""What is said without its name: a correction, a bare yes, cards in several machines."""

from collections.abc import Iterator

from advisor.conversation.counting import Counting
from advisor.conversation.reading import Scaled, Unclear, sibling
from advisor.rulebook.model import Input, Value
from advisor.rulebook.values import BadValue, read_value


class Unnamed(Counting):
    """Finds what a number or a yes without a name is of."""

    def corrected(self) -> None:
        """``I don't have 4 cards, just 2``: what the first number was not is the next one."""
        for index, mark in enumerate(self.marks):
            if mark.kind != "number" or not self.is_no_number(index):
                continue
            target = self.meant_by(index)
            if target is None or target.name in self.found:
                continue
            free = [at for at in range(index + 1, len(self.marks)) if self.is_free(at, target)]
            if free and self.marks[free[0]].token.unit is mark.token.unit is None:
                self.take(target, free[0])

    def meant_by(self, index: int) -> Input | None:
        """The input of the name beside a number, or what counts the thing behind it."""
        for at in (self.after(index, ("link", "times", "stop")), self.before(index)):
            mark = self.marks[at] if at is not None else None
            if mark is None:
                continue
            owners = (mark.entry[0],) if mark.kind == "entry" else mark.inputs
            for name in owners:
                target = self.book.inputs[name]
                if target.catalogue:
                    return self.book.inputs.get(sibling(name))
                if target.type in ("integer", "number"):
                    return target
        return None

    # -- several machines -------------------------------------------------------------------------

    def machines(self) -> None:
        """``2 nodes``: a number of machines, and of nothing else."""
        words = self.marker.words.machines
        for index, mark in enumerate(self.marks):
            if mark.text.casefold().lstrip("-") not in words or mark.kind in ("name", "entry"):
                continue
            for at in (self.before(index, ("link", "times")), self.after(index)):
                if at is not None and self.marks[at].kind == "number" and at not in self.kept:
                    self.kept.add(at)
                    self.nodes[at] = index
                    break

    def multiplied(self) -> None:
        """``2 nodes with 8 cards each``: 16 or 8 together, which is asked."""
        for number, index in self.nodes.items():
            nodes = self.marks[number].token.value
            if not (nodes > 1 and self.marks[number].token.unit is None):
                continue
            for name in [one.name for one in self.book.inputs.values() if one.catalogue]:
                counted = self.book.inputs.get(sibling(name))
                found = self.found.get(counted.name) if counted else None
                if counted is None or found is None or not isinstance(found.value, int | float):
                    continue
                try:
                    every = read_value(counted, nodes * found.value)
                except BadValue:
                    continue
                places = sorted((number, index, *self.places.get(counted.name, ())))
                written = " ".join(self.marks[one].text for one in dict.fromkeys(places))
                values: tuple[Value, ...] = (every, found.value)
                del self.found[counted.name]
                self.unclear[counted.name] = Unclear(counted.name, written, values)
                self.used.update((number, index))

    # -- changes of what is known -----------------------------------------------------------------

    def scaled(self) -> Iterator[Scaled]:
        """``double the batch``, 批大小减半, ``2 more cards``."""
        for index, mark in enumerate(self.marks):
            if mark.kind == "number" and self.is_added(index) and mark.token.unit is None:
                target = self.meant_by(index)
                if target is not None and target.name not in self.found:
                    yield Scaled(target.name, mark.text, more=mark.token.value * target.unit.scale)
                continue
            factor = self.marker.words.scale.get(mark.text.casefold())
            if factor is None or index in self.used:
                continue
            for at in (self.after(index, ("link", "stop")), self.before(index, ("link", "stop"))):
                targets = self.numeric(at) if at is not None else []
                if targets and targets[0].name not in self.found:
                    yield Scaled(targets[0].name, mark.text, factor)
                    break

    # -- yes and no -------------------------------------------------------------------------------

    def lone_truth(self) -> None:
        """``yes, rank 32``: the answer to a question, before what else is said."""
        target = self.expected
        if target is None or target.type != "boolean":
            return
        if target.name in self.found or target.name in self.unclear:
            return
        places = self.opening()
        if places is None or not places:
            return
        kinds = [self.polarity(index) for index in places]
        if kinds[0] == "yes":
            value = set(kinds) == {"yes"}
            if not value:
                return  # yes, or no
        else:
            off = self.marks[places[0]].text.casefold() not in self.marker.words.no
            value = off and "no" in kinds[1:]  # not off
        self.put(target.name, value, *places)

    def opening(self) -> list[int] | None:
        """The marks of yes and no that a line begins with; None where they are of something."""
        words = self.marker.words
        found: list[int] = []
        first: list[str] = []
        for index, mark in enumerate(self.marks):
            text = mark.text.casefold()
            if (index and mark.start) or (found and text in (words.joins | words.turns)):
                break
            first.append(text)
            if " ".join(first) in words.unknown or index in self.kept:
                return None
            if self.polarity(index):
                if index in self.used:
                    return None
                found.append(index)
            elif mark.kind not in ("stop", "link"):
                numeric = mark.kind == "name" and bool(self.numeric(index))
                if not (found and (numeric or self.polarity(found[-1]) == "yes")):
                    return None
                break
        return found

    def polarity(self, index: int) -> str:
        """Yes, no or not; ``on`` only where nothing comes after it (on 4 cards)."""
        mark = self.marks[index]
        if mark.kind in ("yes", "no", "not"):
            return mark.kind
        if mark.kind != "link" or mark.text.casefold() not in self.marker.words.yes:
            return ""
        beyond = self.after(index, ())
        if beyond is None or self.marks[beyond].text.casefold() in self.marker.words.past:
            return "yes"
        return ""
