"""Folding, so that ``NVIDIA GeForce RTX 4090`` and ``rtx4090`` are one name; close names."""

from __future__ import annotations

from collections.abc import Iterable

from advisor.errors import Problem, Span, UnknownName, close_names, said, sentences, visible

_DROPPED = {
    "gpus": frozenset(
        ("nvidia", "geforce", "amd", "radeon", "instinct", "tesla", "intel", "quadro")
    ),
}
MAX_NAME = 200


def fold(name: str, kind: str) -> str:
    """A name without case and punctuation; a GPU's also without vendor words.

    A model's name keeps the point inside a number: opt-1.3b is not opt-13b. ``1_6b`` means 1.6b.

    >>> fold("NVIDIA GeForce RTX 4090", "gpus"), fold("Qwen/Qwen2_5-7B", "models")
    ('rtx4090', 'qwenqwen2.57b')
    """
    text = name.casefold()
    if not text.isascii():
        import unicodedata  # full-width digits, typed with a Chinese keyboard, mean the same

        text = unicodedata.normalize("NFKC", text)
    if kind == "models":
        return "".join(
            char if char.isalnum() else "."
            for at, char in enumerate(text)
            if char.isalnum()
            or (char in "._" and text[at - 1 : at].isdigit() and text[at + 1 : at + 2].isdigit())
        )
    words = "".join(char if char.isalnum() else " " for char in text).split()
    dropped = _DROPPED.get(kind, frozenset())
    return "".join(word for word in words if word not in dropped) or "".join(words)


def forms(name: str, kind: str) -> list[str]:
    """The folded forms of a name; a model's also without the organisation before ``/``."""
    whole = [name, name.rpartition("/")[2]] if kind == "models" and "/" in name else [name]
    return [form for form in (fold(one, kind) for one in whole) if form]


class NotInCatalogue(UnknownName):
    """A name that no entry has, or (``AmbiguousName``) that several have."""

    code = "unknown-name"

    def __init__(
        self, message: str, hint: str, candidates: Iterable[str], where: Span | None
    ) -> None:
        super().__init__(visible(sentences(message, hint)), candidates)
        self._problem = Problem(self.code, message, hint, where)

    @property
    def problems(self) -> tuple[Problem, ...]:
        return (self._problem,)


class AmbiguousName(NotInCatalogue):
    """A name that several entries share; ``candidates`` are their ids."""

    code = "ambiguous-name"


def _noun(kind: str) -> str:
    return {"gpus": said("GPU"), "models": said("model")}.get(kind) or said("entry")


def unknown(
    name: str, kind: str, names: dict[str, list[str]], where: Span | None
) -> NotInCatalogue:
    """The error for a name nothing has, with what was meant, maybe."""
    close: list[str] = []
    for form in close_names(fold(name[:MAX_NAME], kind), names, most=6):
        close.extend(one for one in names[form] if one not in close)
    close = close[:4]
    hint = (
        said("Did you mean {names}?", names=_any_of(close))
        if close
        else said("`advisor {kind}` lists them.", kind=kind)
    )
    return NotInCatalogue(
        said("no {noun} is called '{name}'.", noun=_noun(kind), name=name[:80]), hint, close, where
    )


def ambiguous(name: str, kind: str, candidates: list[str], where: Span | None) -> AmbiguousName:
    """The error for a name several entries share."""
    message = said(
        "'{name}' is the name of more than one {noun}.", name=name[:80], noun=_noun(kind)
    )
    return AmbiguousName(
        message, said("Write {names}.", names=_any_of(candidates)), candidates, where
    )


def _any_of(names: list[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return said("{names} or {last}", names=tuple(names[:-1]), last=names[-1])
