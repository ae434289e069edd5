"""Tokens of a text without a tokenizer: characters by script, each with a band."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from advisor import schemas
from advisor.errors import FileProblems, Problem, Span, said
from advisor.lengths.model import Amount
from advisor.source import Document, read_file


class Script(NamedTuple):
    """Characters that one token of a script stands for: the fewest, the usual, the most."""

    name: str
    low: float
    likely: float
    high: float


class Characters(NamedTuple):
    """What characters come to in tokens; the first script takes what no other names.

    ``plain`` are the ASCII characters of each script; ``named`` finds runs of the others, and
    ``pattern`` parts a run by script.
    """

    scripts: tuple[Script, ...]
    plain: tuple[bytes, ...]
    named: re.Pattern[str]
    pattern: re.Pattern[str]
    per_message: int
    per_sample: int

    def amount(self, text: str) -> Amount:
        """The tokens of a text; nothing for an empty one."""
        found = [0] * len(self.scripts)
        data = text.encode("utf-8", "surrogatepass")
        for number, characters in enumerate(self.plain):
            if characters:  # deleting them all is the fastest way to count
                found[number] = len(data) - len(data.translate(None, characters))
        if len(data) > len(text):
            for stretch in self.named.finditer(text):
                for run in self.pattern.finditer(text, *stretch.span()):
                    start, end = run.span()
                    found[run.lastindex or 0] += end - start
        found[0] = len(text) - sum(found)
        low = likely = high = 0.0
        for script, count in zip(self.scripts, found, strict=True):
            if count:
                low += count / script.high
                likely += count / script.likely
                high += count / script.low
        return Amount(low, likely, high)


def read_characters(path: Path, shown: str) -> Characters:
    """The table of ``rules/lengths``; raises FileProblems with everything wrong in it."""
    document = read_file(path, shown)
    if not schemas.accepts("lengths", document.data):
        raise FileProblems(schemas.problems("lengths", document))
    blocks = document.data["scripts"]
    problems = [problem for name in blocks for problem in _faults(document, name)]
    rest = [name for name, block in blocks.items() if "characters" not in block]
    if len(rest) != 1:
        message = said("one script, and one only, goes without characters: it takes the rest.")
        where = document.key_span(document.data, "scripts")
        problems.append(Problem("value", message, said("Add or drop characters."), where))
    if problems:
        raise FileProblems(problems)
    named = [name for name in blocks if name not in rest]
    spans = [_spans(blocks[name]["characters"]) for name in named]
    classes = [_class(one) for one in spans]
    per = document.data["tokens_per"]
    return Characters(
        tuple(_script(name, blocks[name]["characters_per_token"]) for name in (*rest, *named)),
        (b"", *_plain(spans)),
        re.compile(f"[{''.join(classes)}]+" if any(classes) else _NEVER),
        re.compile("|".join(f"([{one}]+)" if one else f"({_NEVER})" for one in classes)),
        per["message"]["value"],
        per["sample"]["value"],
    )


_NEVER = "(?!)"
_ASCII = 0x80


def _script(name: str, ratio: dict[str, float]) -> Script:
    return Script(name, ratio["low"], ratio["likely"], ratio["high"])


def _spans(ranges: list[str]) -> list[tuple[int, int]]:
    pairs = (one.split("-") for one in ranges)
    return [(int(first, 16), int(last, 16)) for first, last in pairs]


def _plain(scripts: list[list[tuple[int, int]]]) -> Iterator[bytes]:
    """The ASCII characters of each script that none before it names."""
    taken: set[int] = set()
    for spans in scripts:
        own = {
            code
            for first, last in spans
            for code in range(first, min(last + 1, _ASCII))
            if code not in taken
        }
        taken |= own
        yield bytes(sorted(own))


def _class(spans: list[tuple[int, int]]) -> str:
    """The inside of a regular expression's brackets, without ASCII."""
    pairs = [(max(first, _ASCII), last) for first, last in spans if last >= _ASCII]
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in pairs)


def _faults(document: Document, name: str) -> list[Problem]:
    block = document.data["scripts"][name]
    found: list[tuple[str, Span]] = []
    ratio = block["characters_per_token"]
    if not ratio["low"] <= ratio["likely"] <= ratio["high"]:
        where = document.span(block, "characters_per_token")
        found.append((said("low, likely and high go from the smallest to the largest."), where))
    ranges = block.get("characters", [])
    for number, one in enumerate(ranges):
        first, last = (int(code, 16) for code in one.split("-"))
        if not first <= last <= 0x10FFFF:
            found.append(
                (said("{one} is no range of characters.", one=one), document.span(ranges, number))
            )
    return [Problem("value", message, "", where) for message, where in found]
