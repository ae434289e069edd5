"""Answers that only make sense beside the question: ``the second one``, ``you pick``, ``llama``."""

from advisor.conversation.questions import Question
from advisor.conversation.reading import Found, Reading, Unclear
from advisor.conversation.spoken import Words
from advisor.conversation.tokens import key_of, tokenise
from advisor.conversation.world import World
from advisor.rulebook.model import Value

_LEAST = 2  # hf
_SURE = 4  # letters that are a choice's beginning, whatever else begins so
_LONGEST = 8  # words of a phrase, and of an answer of this kind a few more
_MOST = 16


def leaves_it(world: World, name: str, text: str) -> bool:
    """Whether all that a line says is that somebody else may choose: ``idk, the default please``.

    A question about the default, or one that names another input, is not that.
    """
    words = world.marker.words
    bare = folded(text)
    if not bare or bare in words.unknown:
        return True
    if bare[-1] in "?？" or any(_asks(phrase, bare) for phrase in words.explains):
        return False
    pieces = _pieces(world, bare)
    said, at = False, 0
    while at < len(pieces):
        longest = next(
            (n for n in range(_LONGEST, 0, -1) if " ".join(pieces[at : at + n]) in words.unknown), 0
        )
        if not longest and not _is_filler(world, name, pieces[at]):
            return False
        said = said or bool(longest)
        at += longest or 1
    return said


def same_as_before(words: Words, text: str) -> bool:
    """Whether a line says that an earlier answer stays."""
    return folded(text) in words.same


def is_unknown(words: Words, text: str) -> bool:
    """Whether a line is one of the words that say that somebody does not know."""
    return not {text, folded(text)}.isdisjoint(words.unknown)


def folded(text: str) -> str:
    """A short answer without case and the marks around it."""
    return text.casefold().strip(" .!,。，！")


def by_place(world: World, question: Question, text: str) -> Value | None:
    """The choice that a line names by its place: ``the second``, ``option 3``, ``最后一个``."""
    words = world.marker.words
    pieces = _pieces(world, text.casefold())
    places = [words.ordinals[one] for one in pieces if one in words.ordinals]
    counted = [one for one in pieces if one.isascii() and one.isdigit() and len(one) < _SURE]
    if counted and not places and question.is_numbered and words.choices & set(pieces):
        places = [float(one) for one in counted]
        pieces = [one for one in pieces if one not in counted]
    if len(places) != 1 or not question.choices:
        return None
    for one in pieces:
        known = one in words.ordinals or one in words.choices
        if not known and not _is_filler(world, question.name, one):
            return None
    place = int(places[0])
    at = len(question.choices) - 1 if place < 0 else place - 1
    return question.choices[at].value if at < len(question.choices) else None


def by_beginning(world: World, name: str, text: str, reading: Reading) -> Reading:
    """A reading with what the beginning of a choice means: ``paged`` may be two optimizers.

    Only where the line says nothing else, or can be one choice alone.
    """
    target = world.book.inputs[name]
    if target.type not in ("enum", "set"):
        return reading
    pieces = [one for one in _pieces(world, text.casefold()) if not _is_filler(world, name, one)]
    key = "".join(map(key_of, pieces))
    known = world.marker.vocabulary
    if len(key) < _LEAST or not key[0].isalpha() or key in known.names or key in known.values:
        return reading
    of_choice = {one for one in target.choices if key_of(one).startswith(key)}
    sure = len(of_choice) == 1 and len(key) >= _SURE and not reading.found
    nothing = not (reading.found or reading.unclear or reading.refused)
    if not sure and not nothing:
        return reading
    meant: dict[Value, None] = {}
    for word, values in known.values.items():
        if word.startswith(key):
            meant.update((one.value, None) for one in values if one.name == name)
    if len(of_choice) == 1:
        meant = dict.fromkeys(of_choice)
    written = text.strip()
    if len(meant) == 1:
        return Reading(found=(Found(name, next(iter(meant)), written),))
    return Reading(unclear=(Unclear(name, written, tuple(meant)),)) if meant else reading


def _asks(phrase: str, text: str) -> bool:
    return text.startswith(phrase) if phrase.isascii() else phrase in text


def _pieces(world: World, text: str) -> list[str]:
    words = world.marker.words
    found = [one.text.casefold() for one in tokenise(text, words)]
    return found if len(found) <= _MOST else [text]


def _is_filler(world: World, name: str, word: str) -> bool:
    """Whether a word says nothing beside a plain answer, or only what was asked."""
    words, known = world.marker.words, world.marker.vocabulary
    if name in known.names.get(key_of(word), ()):
        return True
    if word in words.negation | words.no | words.either:
        return False
    if len(word) > 1 and key_of(word) in known.names:  # a names alpha, and is an article
        return False
    return word in words.stop or word in words.link
