"""Numbers in words: ``two thousand forty-eight``, ``1.2 万``, ``thirty ninety`` for 3090."""

from collections.abc import Sequence

from advisor.conversation.spoken import Words
from advisor.conversation.tokens import Token

_BIG = 1000.0
_BIG_HAN = 10000.0  # 一千二百万
_PAIRS = 10.0  # thirty ninety: two words from ten up are said for four digits


def with_numerals(tokens: Sequence[Token], spoken: Words) -> list[Token]:
    """The tokens with the numbers that are said in words as numbers."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        run = _run(tokens, at, spoken)
        following = tokens[at + run] if at + run < len(tokens) else None
        if run and token.kind == "word" and following and following.key in spoken.fold:
            found.append(following)  # eight times, 八倍
            at += run + 1
        elif run > 1 or (run and token.kind == "word"):
            found.append(_number(tokens[at : at + run], spoken))
            at += run
        else:
            found.append(token)
            at += 1
    return found


def _run(tokens: Sequence[Token], at: int, spoken: Words) -> int:
    """How many tokens from here are one number."""
    first = tokens[at]
    if first.kind == "number":
        if first.unit is not None:
            return 0
    elif first.kind == "word" and first.key in spoken.halves:
        return _part(tokens, at, spoken)
    elif first.kind != "word" or not (first.key in spoken.many or _alone(tokens, at, spoken)):
        return 0
    length = 1
    while at + length < len(tokens) and not tokens[at + length].start:
        last, new = tokens[at + length - 1], tokens[at + length]
        beyond = tokens[at + length + 1 : at + length + 2]
        joined = last.key in spoken.multiples and new.key in spoken.joins
        if joined and beyond and beyond[0].key in spoken.many:
            length += 2
        elif _goes_on(last, new, spoken):
            length += 1
        else:
            break
    return length


def _part(tokens: Sequence[Token], at: int, spoken: Words) -> int:
    """``half a million``, ``quarter million``."""
    for length in (2, 3):
        last = tokens[at + length - 1 : at + length]
        if last and last[0].key in spoken.multiples and not last[0].start:
            between = tokens[at + 1 : at + length - 1]
            return length if all(one.key in spoken.per for one in between) else 0
    return 0


def _alone(tokens: Sequence[Token], at: int, spoken: Words) -> bool:
    """``a thousand``, ``十``: a multiple that needs no number before it."""
    word = tokens[at].key
    if word not in spoken.multiples:
        return False
    if not word.isascii():
        return spoken.multiples[word] == _PAIRS
    return at > 0 and tokens[at - 1].key in spoken.per and not tokens[at].start


def _goes_on(last: Token, new: Token, spoken: Words) -> bool:
    if new.key in spoken.multiples:
        return last.kind == "number" or last.key in spoken.many or last.key in spoken.multiples
    value = spoken.many.get(new.key)
    if value is None or last.kind == "number":
        return False
    if last.key in spoken.multiples:
        return value < spoken.multiples[last.key]
    before = spoken.many.get(last.key, 0.0)
    if not last.key.isascii():
        return before == 0  # 两千零四十八
    return before >= 2 * _PAIRS and value >= 1  # forty eight, thirty ninety; not one two


def _number(run: Sequence[Token], spoken: Words) -> Token:
    empty = spoken.joins | (spoken.per if run[0].key in spoken.halves else frozenset())
    words = [token for token in run if token.key not in empty]
    numbers = {**spoken.halves, **spoken.many}
    values = [numbers.get(token.key) if token.kind == "word" else None for token in words]
    text = " ".join(token.text for token in run)
    if len(words) == 2 and all(value is not None and value >= _PAIRS for value in values):
        digits = f"{values[0]:.0f}{values[1]:.0f}"
        return run[0]._replace(kind="number", text=digits, key=digits, value=float(digits))
    total = section = 0.0
    digit: float | None = None
    factor = big = 1.0
    for token, value in zip(words, values, strict=True):
        if token.kind == "number":
            digit = token.value
        elif value is not None:
            digit = (digit or 0.0) + value
        else:
            factor = spoken.multiples[token.key]
            if factor < (_BIG if token.key.isascii() else _BIG_HAN):
                section += (1.0 if digit is None else digit) * factor
            else:
                amount = section + (digit or 0.0)
                if factor > big and total:  # 一千二百万: what stands before counts, too
                    total = (total + amount) * factor
                else:
                    total += (amount or 1.0) * factor
                section, big = 0.0, factor
            digit = None
    last = words[-1]
    if digit and factor > _PAIRS and _is_short(words, spoken):
        digit *= factor / _PAIRS  # 一万五: 15,000
    thousands = words[0].value if len(words) == 2 and last.key == "k" else None
    value = total + section + (digit or 0.0)
    key = f"{value:.12g}" if value else run[0].key  # zero 3 is a name
    return run[0]._replace(kind="number", text=text, key=key, value=value, thousands=thousands)


def _is_short(words: Sequence[Token], spoken: Words) -> bool:
    return len(words) > 1 and not words[-1].key.isascii() and words[-2].key in spoken.multiples


def halves(tokens: Sequence[Token], spoken: Words) -> list[Token]:
    """``within half an hour``, ``一个半小时内``, ``within an hour``: with a number for the words.

    Only beside what says a limit: 跑了半天 means that it took long.
    """
    done: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        at += 1
        value, length = _half(tokens, at - 1, spoken)
        beyond = tokens[at - 1 + length + 1 : at + length + 1]
        before = done[-1] if done else None
        whole = 0.0
        if value and len(done) > 1 and before is not None and before.key in spoken.times:
            whole = done[-2].value if done[-2].kind == "number" else 0.0
        first = done[-3] if whole and len(done) > 2 else before
        limited = [one.key in spoken.limits for one in (first, *beyond) if one is not None]
        if value and any(limited):
            if whole:
                token = token._replace(start=done[-2].start)
                del done[-2:]
            token = token._replace(kind="number", value=value + whole)
            at += length - 1
        done.append(token)
    return done


def _half(tokens: Sequence[Token], at: int, spoken: Words) -> tuple[float, int]:
    """The number that words before a unit stand for, and how many words they are."""
    word = tokens[at].key
    value = spoken.halves.get(word, 0.0)
    article = word in spoken.per and word.isascii() and word.isalpha()
    length = 1
    ahead = tokens[at + 1 : at + 3]
    if value and ahead and ahead[0].key in spoken.per:
        length, ahead = 2, ahead[1:]
    if not ahead or ahead[0].start or not _is_unit(ahead[0], spoken):
        return 0.0, 0
    return (value or float(article), length) if value or article else (0.0, 0)


def _is_unit(token: Token, spoken: Words) -> bool:
    """A unit that is a word: hour, and not h."""
    return (len(token.key) > 2 or not token.key.isascii()) and token.key in spoken.units
