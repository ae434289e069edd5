"""The parts of a trainer file into their checked values."""

from collections.abc import Iterable
from collections.abc import Mapping as AnyMapping
from typing import Any

from advisor.errors import Problem, Span, said, suggestion
from advisor.rulebook.model import NO_TEXT, Input
from advisor.rulebook.values import BadValue, read_value
from advisor.source import Document, Mapping
from advisor.trainers.globs import pattern
from advisor.trainers.keys import word_of
from advisor.trainers.model import (
    NOTHING,
    Absent,
    Condition,
    Factor,
    Guard,
    Read,
    Reading,
    Scale,
    Signature,
    Since,
    Test,
    Where,
)
from advisor.trainers.versions import parse_version

_KINDS = ("map", "list", "text", "number")


def listed(written: Any) -> list[str]:
    """One word, or a list of them, as a list of texts."""
    if isinstance(written, list | tuple):
        return [word_of(one) for one in written]
    return [word_of(written)]


class Builder:
    """Builds the parts of one file; ``heads`` collects the first word of every key it names."""

    def __init__(
        self,
        document: Document,
        data: Mapping,
        words: AnyMapping[str, Mapping],
        inputs: AnyMapping[str, Input],
        problems: list[Problem],
    ) -> None:
        self.document = document
        self.words = words
        self.inputs = inputs
        self.problems = problems
        self.names = {name: tuple(one) for name, one in data.get("names", Mapping()).items()}
        self.package = data.get("package", data["trainer"])
        self.heads: set[str] = set()

    def report(self, code: str, message: str, hint: str, where: Span) -> None:
        """Collect one problem."""
        self.problems.append(Problem(code, message, hint, where))

    def paths(self, written: Any) -> tuple[str, ...]:
        """The paths a key is looked for at, short names written out."""
        found: list[str] = []
        for path in listed(written):
            head, point, rest = path.partition(".")
            starts = self.names.get(head, (head,))
            found.extend(f"{start}{point}{rest}" for start in starts)
        self.heads.update(path.partition(".")[0] for path in found)
        self.heads.update(found)
        return tuple(found)

    # -- reads ------------------------------------------------------------------------------------

    def reading(self, target: Input, written: Any, where: Span) -> Reading:
        """All reads of one input with the meaning of absence, which the last one may carry."""
        reads: list[Read] = []
        absent: list[Absent] = []
        for block in written if isinstance(written, list) else [written]:
            if absent:
                self.report(
                    "order", said("nothing can follow absent:."), said("Write it last."), where
                )
            if "absent" in block:
                absent = list(self.absents(target, block))
            if set(block) - {"absent"}:
                reads.append(self.read(target, block, where))
        return Reading(tuple(reads), tuple(absent))

    def read(self, target: Input, block: Mapping, where: Span) -> Read:
        """One way an input is read."""
        if not {"key", "value", "union"} & set(block):
            hint = said("Add one of them.")
            self.report(
                "missing-key", said("neither key, value nor union says what to read."), hint, where
            )
        value = self.constant(target, block, "value", True)
        mapping = self.map(target, block)
        match = tuple((glob, block["match"][glob]) for glob in block.get("match", ()))
        for glob, template in match:
            named = set(pattern(glob).parts) | {""}
            for part in pattern(template).parts:
                if part not in named or not part:
                    at = self.document.span(block["match"], glob)
                    hint = said("Name it in the pattern, as {{name}}.")
                    self.report(
                        "unknown-name", said("no part is called '{name}'.", name=part), hint, at
                    )
        if target.type == "set" and "union" in block:
            union = tuple(self.read(target, one, where) for one in block["union"])
        else:
            union = ()
            if "union" in block:
                message = said("'{name}' is no set.", name=target.name)
                self.report("wrong-type", message, said("Only sets unite."), where)
        segment = block.get("last_segment", "")
        return Read(
            self.guard(block),
            self.paths(block["key"]) if "key" in block else (),
            value,
            frozenset(listed(block["skip"])) if "skip" in block else frozenset(),
            block.get("pick", ""),
            block.get("split", ""),
            block.get("count", False),
            "/" if segment is True else segment or "",
            match,
            mapping,
            self.constant(target, block, "other", not match),
            self.scale(block),
            union,
            block.get("must_agree", False),
            block.get("source", ""),
        )

    def absents(self, target: Input, block: Mapping) -> Iterable[Absent]:
        """What absence means, one value or a list by version; plain values need no list."""
        written = block["absent"]
        if not isinstance(written, list):
            yield Absent(Guard(), self.constant(target, block, "absent", True))
            return
        for one in written:
            ways = [key for key in ("value", "input", "unknown") if key in one]
            at = self.document.span(block, "absent")
            if len(ways) != 1:
                message = said("absent: says one of value, input and unknown.")
                self.report("missing-key", message, said("Keep one."), at)
            if one.get("input", target.name) not in self.inputs:
                hint = suggestion(one["input"], self.inputs)
                self.report(
                    "unknown-name",
                    said("there is no input '{name}'.", name=one["input"][:80]),
                    hint,
                    at,
                )
            unknown = one.get("unknown")
            yield Absent(
                self.guard(one),
                self.constant(target, one, "value", True),
                one.get("input", ""),
                NO_TEXT
                if unknown is None
                else {"en": unknown}
                if isinstance(unknown, str)
                else dict(unknown),
                one.get("source", ""),
            )

    def constant(self, target: Input, block: Mapping, key: str, typed: bool) -> Any:
        """A value that the rule file itself gives, held against the input when it is typed."""
        if key not in block:
            return NOTHING
        if typed:
            self.check(target, block[key], self.document.span(block, key))
        return block[key]

    def check(self, target: Input, value: Any, where: Span) -> None:
        """Report a value that the input cannot have."""
        try:
            read_value(target, value)
        except BadValue as error:
            self.report("value", said("{message}.", message=error.message), error.hint, where)

    def map(self, target: Input, block: Mapping) -> AnyMapping[str, Any] | None:
        """The trainer's words and ours, shared maps taken in."""
        if "map" not in block:
            return None
        written = block["map"]
        merged: dict[str, Any] = {}
        for one in written if isinstance(written, list) else [written]:
            if isinstance(one, str):
                if one not in self.words:
                    where = self.document.span(block, "map")
                    hint = suggestion(one, self.words)
                    self.report(
                        "unknown-name",
                        said("no shared map is called '{name}'.", name=one),
                        hint,
                        where,
                    )
                merged.update(self.words.get(one, {}))
                continue
            for word, ours in one.items():
                if "scale" not in block:
                    self.check(target, ours, self.document.span(one, word))
            merged.update(one)
        return merged

    def scale(self, block: Mapping) -> Scale | None:
        """How a number is turned into ours."""
        written = block.get("scale")
        if written is None:
            return None
        plus, times, over = (
            tuple(self.factor(written, one) for one in written.get(key, ()))
            for key in ("plus", "times", "over")
        )
        return Scale(plus, times, over, written.get("round", ""))

    def factor(self, block: Mapping, written: Any) -> Factor:
        """One factor of a scale."""
        if not isinstance(written, Mapping):
            return Factor(float(written))
        name = written.get("input", "")
        if name and name not in self.inputs:
            where = self.document.span(written, "input")
            hint = suggestion(name, self.inputs)
            self.report(
                "unknown-name", said("there is no input '{name}'.", name=name[:80]), hint, where
            )
        return Factor(paths=self.paths(written["key"]) if "key" in written else (), input=name)

    # -- guards -----------------------------------------------------------------------------------

    def guard(self, block: Mapping) -> Guard:
        """When something applies."""
        return Guard(
            conditions(self, block.get("when")),
            conditions(self, block.get("unless")),
            self.where(block),
            self.since(block),
        )

    def where(self, block: Mapping) -> tuple[Where, ...]:
        """What other inputs must be."""
        found: list[Where] = []
        for name, written in block.get("where", Mapping()).items():
            at = self.document.key_span(block["where"], name)
            if name not in self.inputs:
                hint = suggestion(name, self.inputs)
                self.report(
                    "unknown-name", said("there is no input '{name}'.", name=name[:80]), hint, at
                )
            elif isinstance(written, Mapping):
                found.append(Where(name, more_than=float(written.get("more_than", 0))))
            else:
                found.append(Where(name, frozenset(listed(written))))
        return tuple(found)

    def since(self, block: Mapping) -> Since | None:
        """The versions for which something is true."""
        if "since" not in block and "until" not in block:
            return None
        ends: dict[str, tuple[int, ...]] = {"since": (), "until": ()}
        for key in ends:
            if key in block:
                version = parse_version(str(block[key]))
                if version is None:
                    where = self.document.span(block, key)
                    hint = said("Write it as 0.9.1.")
                    self.report(
                        "value", said("'{version}' is no version.", version=block[key]), hint, where
                    )
                else:
                    ends[key] = version
        text = " ".join(f"{key} {block[key]}" for key in ends if key in block)
        return Since(block.get("package", self.package), ends["since"], ends["until"], text)


def conditions(build: Builder, written: Any) -> tuple[Condition, ...]:
    """Conditions as they are written: one, or a list."""
    if written is None:
        return ()
    return tuple(
        _condition(build, one) for one in (written if isinstance(written, list) else [written])
    )


def _condition(build: Builder, written: Any) -> Condition:
    if isinstance(written, str):
        return Condition((Test(build.paths(written)),))
    tests = []
    for key, asked in written.items():
        if key == "with":
            continue
        if isinstance(asked, str) and asked in _KINDS:
            tests.append(Test(build.paths(key), asked))
            continue
        words = tuple(listed(asked))
        if not isinstance(asked, list):
            where = build.document.span(written, key)
            hint = said("Write [word], or one of {kinds}.", kinds=tuple(_KINDS))
            build.report(
                "wrong-value",
                said("'{word}' is no kind of value.", word=words[0][:60]),
                hint,
                where,
            )
        tests.append(Test(build.paths(key), "", words))
    company = build.paths(written["with"]) if "with" in written else ()
    return Condition(tuple(tests), company)


def signatures(build: Builder, written: Any, where: Span) -> tuple[Signature, ...]:
    """What files of this format look like, one signature for each syntax or shape."""
    found = []
    for block in written if isinstance(written, list) else [written]:
        if not {"all", "any"} & set(block):
            message = said("recognise: needs all: or any:.")
            build.report("missing-key", message, said("Name keys that tell this format."), where)
        sides = (conditions(build, block.get(key)) for key in ("all", "any", "none"))
        found.append(Signature(block.get("syntax", "yaml"), *sides))
    return tuple(found)
