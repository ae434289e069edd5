"""What people write in an expression by habit of another language, and what to write instead.

Only expressions that are wrong need this, so it is imported where one is.
"""

import re
import unicodedata

from advisor.errors import said

_CHARACTERS = {
    "^": said("Powers are written **."),
    "&": said("Write 'and'."),
    "|": said("Write 'or'."),
    ":": said("There is no ':' in an expression."),
    "{": said("Placeholders belong in messages, not in expressions."),
}

_MARKS = {
    "。": ".",
    "、": ",",
    "“": '"',
    "”": '"',
    "‘": "'",
    "’": "'",
    "×": "*",
    "÷": "/",
    "≥": ">=",
    "≤": "<=",
    "≠": "!=",
    "－": "-",
    "—": "-",
}

_PARTS = {
    "List": said("a list"),
    "Tuple": said("a list"),
    "Subscript": said("an index"),
    "Attribute": said("an attribute"),
    "Lambda": said("a function"),
    "ListComp": said("a loop"),
    "GeneratorExp": said("a loop"),
    "Slice": said("a slice"),
    "NamedExpr": said("an assignment"),
    "JoinedStr": said("a formatted text"),
    "Starred": "'*'",
    "Is": "'is'",
    "IsNot": "'is not'",
    "In": said("'in' between other comparisons"),
    "NotIn": said("'not in' between other comparisons"),
    "LShift": "'<<'",
    "RShift": "'>>'",
    "Yield": "'yield'",
    "Await": "'await'",
}


def character_hint(char: str) -> str:
    """What to write instead of a character that no expression has; empty when that is not plain."""
    plain = unicodedata.normalize("NFKC", _MARKS.get(char, char))
    if plain != char and plain.isascii():  # from a Chinese keyboard
        return said("Write '{right}'.", right=plain)
    return _CHARACTERS.get(char, "")


def part_name(kind: str) -> str:
    """The name of a kind of node or operator that the language does not have."""
    return _PARTS.get(kind, kind)


def usual_slip(text: str) -> str:
    """What to write instead of the likeliest mistake in a text; empty when none shows."""
    for wrong, right in (("=>", ">="), ("=<", "<="), ("<>", "!=")):
        if wrong in text:
            return said("Write '{right}'.", right=right)
    if re.search(r"(?<![<>=!])=(?!=)", text):
        return said("Compare with '=='.")
    if re.search(r"\d\s*[A-Za-z%]", text):
        return said("A number with a unit belongs in a parameter; read it here by its name.")
    return ""
