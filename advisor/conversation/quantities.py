"""Numbers and the units beside them as one: ``6 hours``, ``1.5 USD per hour``, ``1 h 30 min``."""

import re
from collections.abc import Sequence

from advisor.conversation.numerals import halves, with_numerals
from advisor.conversation.spoken import Words
from advisor.conversation.tokens import Token, unit_of
from advisor.units import SECOND, Unit, parse_unit


def with_quantities(tokens: Sequence[Token], spoken: Words) -> list[Token]:
    """The tokens of a text with what is one number, or one amount, as one token."""
    numbers = with_numerals(_grouped(tokens), spoken)
    return _joined(_with_units(halves(numbers, spoken), spoken))


def _grouped(tokens: Sequence[Token]) -> list[Token]:
    """``12 000`` as one number; where the second group does not begin with 0, two may be meant."""
    found: list[Token] = []
    for token in tokens:
        before = found[-1] if found else None
        both = before is not None and before.kind == token.kind == "number" and not token.start
        if before and both and _FIRST_GROUP.fullmatch(before.text) and _GROUP.fullmatch(token.text):
            text = f"{before.text} {token.text}"
            value = before.value * 1000 + token.value
            found[-1] = before._replace(text=text, key=before.key + token.key, value=value)
        else:
            found.append(token)
    return found


_GROUP = re.compile(r"0[0-9]{2}")
_FIRST_GROUP = re.compile(r"[1-9][0-9]{0,2}(?: 0[0-9]{2})*")


def _with_units(tokens: list[Token], spoken: Words) -> list[Token]:
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        at += 1
        if token.kind == "sign" and following and following.kind == "number":
            if token.text == "$" and not following.unit:
                token = following._replace(unit=spoken.units["$"], text=f"${following.text}")
                at += 1
            elif token.text in spoken.currencies:
                token = _foreign(token, following)
                at += 1
        elif token.kind == "number" and token.unit is None and following and not following.start:
            unit = unit_of(following.text.casefold(), spoken)
            rate = _rate(following, tokens[at + 1 : at + 2], spoken)
            if unit is not None:
                token = _with(token, following.text, unit)
                at += 1
            elif rate:
                token = _with(token, rate, parse_unit(rate))
                at += 2
            elif following.text.casefold() in spoken.currencies:
                token = _foreign(token, following)
                at += 1
        elif _is_span(token, following, spoken):  # 22-25 GB: not one number
            assert following is not None
            token = token._replace(text=f"{token.text} {following.text}")
            at += 1
        if token.kind == "number":
            length = 3 if _is_each(tokens[at : at + 3], spoken) else 2
            per = _per(
                [*tokens[at : at + 1], *tokens[at + length - 1 : at + length]], token, spoken
            )
            if per is not None:
                token = per
                at += length
        found.append(token)
    return found


def _with(token: Token, written: str, unit: Unit) -> Token:
    text = f"{token.text} {written}"
    return token._replace(text=text, value=token.value * unit.scale, unit=unit)


def _foreign(one: Token, other: Token) -> Token:
    text = f"{one.text} {other.text}" if one.kind == "number" else f"{one.text}{other.text}"
    return Token("word", text, one.key + other.key, start=one.start, foreign=True)


def _rate(sign: Token, following: list[Token], spoken: Words) -> str:
    """The unit of ``$/h``, where the sign stands after the number."""
    if sign.text != "$/" or not following:
        return ""
    below = spoken.units.get(following[0].text.casefold())
    return f"{spoken.units['$'].name}/{below.name}" if below else ""


def _is_each(following: list[Token], spoken: Words) -> bool:
    """``3 dollars per GPU hour``."""
    return len(following) > 2 and following[1].key in spoken.holds


def _per(following: list[Token], token: Token, spoken: Words) -> Token | None:
    if token.unit is None or len(following) < 2 or following[0].start:
        return None
    below = spoken.units.get(following[1].key)
    if following[0].text.casefold() not in spoken.per or below is None:
        return None
    if below.dimension == token.unit.dimension:
        return None
    try:
        unit = parse_unit(f"{token.unit.name}/{below.name}")
    except ValueError:
        return None
    value = token.value / token.unit.scale * unit.scale
    text = f"{token.text}/{following[1].text}"
    return token._replace(text=text, value=value, unit=unit)


def _joined(tokens: list[Token]) -> list[Token]:
    """``1 h 30 min`` as one time."""
    found: list[Token] = []
    for token in tokens:
        before = found[-1] if found else None
        if before and _continues(before, token):
            text = f"{before.text} {token.text}"
            found[-1] = before._replace(text=text, value=before.value + token.value)
        else:
            found.append(token)
    return found


def _continues(before: Token, token: Token) -> bool:
    if before.unit is None or token.unit is None or token.start:
        return False
    times = before.unit.dimension == token.unit.dimension == SECOND
    return times and token.unit.scale < before.unit.scale and token.value < before.unit.scale


def _is_span(token: Token, following: Token | None, spoken: Words) -> bool:
    written = token.kind == "word" and token.text[:1].isdigit()
    return written and following is not None and following.key in spoken.units
