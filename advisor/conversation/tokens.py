"""A line cut into words and numbers; nothing in it is understood yet."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from advisor.conversation.spoken import Words
from advisor.units import Unit, parse_unit

MAX_TEXT = 4000
"""Characters of a line that are read; more is not how people answer a question."""
MAX_TOKENS = 400

Kind = Literal["word", "number", "sign"]


class Token(NamedTuple):
    """A word, a number, or a sign such as ``x`` or ``=``.

    ``key`` is the text without case, blanks and punctuation; ``value`` is a number in the base
    units of ``unit``; ``thousands`` is the number before a ``k``, which may mean 1024; ``start``
    says that a comma, a full stop or a line end stands before it. A word with ``foreign`` is an
    amount of money whose rate to the rules' currency is not known (``100 元``).
    """

    kind: Kind
    text: str
    key: str
    value: float = 0.0
    unit: Unit | None = None
    thousands: float | None = None
    start: bool = False
    foreign: bool = False


def clean(text: str) -> str:
    """The text with full-width characters narrowed and control characters turned into blanks."""
    narrow = unicodedata.normalize("NFKC", text[:MAX_TEXT].translate(_STOPS))
    return "".join(
        char if char == "\n" or unicodedata.category(char)[0] != "C" else " " for char in narrow
    )


_STOPS = str.maketrans({char: f"{char} " for char in "，。；、！？"})  # a list, not a decimal comma


def key_of(text: str) -> str:
    """A word without case, blanks, ``-``, ``_`` and the like; a point in a number stays."""
    folded = text.casefold()
    return "".join(
        char
        for at, char in enumerate(folded)
        if char.isalnum()
        or char in "%$"
        or (char == "." and folded[at - 1 : at].isdigit() and folded[at + 1 : at + 2].isdigit())
    )


_L = "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f"  # letters, with accents
_W = f"{_L}0-9_"
# Compiled on first use, which is after the first question is on the screen.
_PIECE = (
    rf"(?P<number>-?[$€£¥₹]?[0-9](?:[{_W}%]|[./^-](?=[{_W}])|,(?=[0-9]))*"
    rf"(?:[×*](?=[0-9])(?:[{_W}%]|[./-](?=[{_W}])|,(?=[0-9]))*)?)"
    r"|(?P<han>[\u3400-\u9fff]+)"
    rf"|(?P<word>-{{0,2}}[{_L}_](?:[{_W}]|[./'+-](?=[{_W}]))*)"
    r"|(?P<end>[,;.!?()\[\]{}\n。]+)"
    r"|(?P<sign>(?:[=:~×✕*+&@|$€£¥₹/%<>→]|-(?![0-9]))+)"  # the - of =-1 is the number's
)
_COUNT = r"([0-9]{1,3}(?=.[^\W\d_])|[0-9]{1,4}(?=.[0-9]))[xX×*](.+)"
_LONGEST_COUNT = 5
_LONGEST_NUMBER = 60
_NUMBER = (
    r"(-?)([$€£¥₹]?)([0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]{1,3}(?:_[0-9]{3})+(?![0-9_])"
    r"|[0-9]{1,3}(?:\.[0-9]{3}){2,}(?![0-9,.])|[0-9]+,[0-9]{1,2}(?![0-9,.])"
    r"|[0-9]+(?:\.[0-9]+)?(?![0-9,]))([eE][+-]?[0-9]+)?"
)
_DECIMAL = r"[0-9]+,[0-9]{1,2}"
_LASTING = r"(?i:([0-9]+)h([0-9]{1,2})(?:m|min)?)"
_HAN = r"[\u3400-\u9fff]"


def tokenise(text: str, spoken: Words, lexicon: Iterable[str] = ()) -> list[Token]:
    """The tokens of a cleaned text; ``lexicon`` are further words to cut Chinese text by."""
    known = _by_length((*spoken.lexicon, *lexicon))
    found: list[Token] = []
    start = True
    for match in re.finditer(_PIECE, text):
        piece, kind = match[0], match.lastgroup
        if kind == "end":
            start = True
            continue
        if kind == "han":
            counted = text[: match.start()][-1:].isdigit()
            new = list(_cut(piece, known, spoken, counted))
        elif kind == "number":
            new = list(_numeric(piece, spoken))
        elif kind == "sign":
            new = [Token("sign", piece, piece if piece in spoken.link else key_of(piece))]
        else:
            bare = piece.strip("-./'_")
            new = [Token("word", bare, key_of(bare))] if bare else []
        if new:
            found.append(new[0]._replace(start=start))
            found.extend(new[1:])
            start = piece[-1] in ",." and kind != "sign"
        if len(found) >= MAX_TOKENS:
            break
    return found


def _by_length(words: Iterable[str]) -> dict[int, frozenset[str]]:
    grouped: dict[int, set[str]] = {}
    for word in words:
        if re.match(_HAN, word):
            grouped.setdefault(len(word), set()).add(word)
    return {length: frozenset(grouped[length]) for length in sorted(grouped, reverse=True)}


def _cut(
    run: str, known: dict[int, frozenset[str]], spoken: Words, counted: bool
) -> Iterator[Token]:
    """Chinese text cut by the longest known words; what is left between them stays together.

    Behind a digit (``counted``) or the word for one, 千 and the like belong to it: 三千问答对.
    """
    at, left = 0, ""
    while at < len(run):
        follows = run[at - 1] in spoken.many if at else counted
        most = 1 if follows and run[at] in spoken.multiples else len(run)
        length = next(
            (
                size
                for size, group in known.items()
                if size <= most and run[at : at + size] in group
            ),
            0,
        )
        if not length:
            left += run[at]
            at += 1
            continue
        if left:
            yield Token("word", left, left)
            left = ""
        word = run[at : at + length]
        yield Token("word", word, word)
        at += length
    if left:
        yield Token("word", left, left)


def _numeric(piece: str, spoken: Words) -> Iterator[Token]:
    bare = piece.rstrip(".,-/")
    if len(bare) > _LONGEST_NUMBER:  # 7x7x7x…: not what a person means by a number
        yield Token("word", bare, key_of(bare))
        return
    counted = re.fullmatch(_COUNT, bare)
    if counted:  # 2x4090, 50,000x512
        yield Token("number", counted[1], counted[1], float(counted[1]))
        yield Token("sign", "x", "x")
        yield from (
            _numeric(counted[2], spoken)
            if counted[2][0].isdigit()
            else [Token("word", counted[2], key_of(counted[2]))]
        )
        return
    if bare[:-1].isdigit() and bare[-1] in "x×X" and len(bare) <= _LONGEST_COUNT:  # 8x A100
        yield Token("number", bare[:-1], bare[:-1], float(bare[:-1]))
        yield Token("sign", "x", "x")
        return
    pair = re.fullmatch(r"([\d.,]+)[x×*]([\d.,]+\w*)", bare, re.IGNORECASE)
    if pair:
        yield from _numeric(pair[1], spoken)
        yield Token("sign", "x", "x")
        yield from _numeric(pair[2], spoken)
        return
    lasting = re.fullmatch(_LASTING, bare)
    if lasting and "h" in spoken.units:  # 1h30m
        unit = spoken.units["h"]
        hours = float(lasting[1]) + float(lasting[2]) / 60
        yield Token("number", bare, key_of(bare), hours * unit.scale, unit)
        return
    match = re.match(_NUMBER, bare)
    rest = bare[match.end() :] if match else ""
    token = _number(bare, match, rest, spoken) if match else None
    left, slash, right = bare.partition("/")
    if token is None and slash and left[-1:].isdigit():  # 16/alpha: two things
        yield from _numeric(left, spoken)
        if right[0].isdigit():
            yield from _numeric(right, spoken)
        else:
            yield Token("word", right, key_of(right))
        return
    yield token or Token("word", bare, key_of(bare))


def _number(bare: str, match: re.Match[str], rest: str, spoken: Words) -> Token | None:
    """The token of ``20k``, ``$1.5/h``, ``24GB``, ``2e-4``; None where it is no number (``7b``)."""
    point = "." if re.fullmatch(_DECIMAL, match[3]) else ""
    digits = match[3].replace("_", "").replace(",", point)
    if digits.count(".") > 1:  # 1.000.000
        digits = digits.replace(".", "")
    value = float(digits + (match[4] or ""))
    if match[1]:
        value = -value
    unit = spoken.units.get(match[2]) if match[2] else None
    if (match[2] and unit is None) or (rest.casefold() in spoken.currencies):
        return Token("word", bare, key_of(bare), foreign=True)
    word = rest.casefold()
    thousands = None
    if rest == "m":  # minutes, millions, metres
        return None
    multiple = spoken.multiples.get(word) or spoken.glued.get(word)
    if multiple is not None and not unit:
        if word == "k":
            thousands = value
        value, word = value * multiple, ""
    if word:
        money = unit or (spoken.units.get("$") if word[0] == "/" else None)  # 0.79/hr
        unit = unit_of(f"{money.name}{word}" if money else word, spoken)
        if unit is None or value < 0:
            return None
    return Token(
        "number", bare, key_of(bare), value * (unit.scale if unit else 1.0), unit, thousands
    )


def unit_of(written: str, spoken: Words) -> Unit | None:
    """The unit of ``gb``, ``hours``, ``usd/h``."""
    above, slash, below = written.partition("/")
    first = spoken.units.get(above) or spoken.units.get(above.casefold())
    if first is None or not slash:
        return first
    second = spoken.units.get(below.casefold())
    return parse_unit(f"{first.name}/{second.name}") if second else None
