"""Checked reading of a model's config: what is wrong is collected, with its place."""

from __future__ import annotations

from collections.abc import Mapping as AnyMapping
from typing import Any

from advisor.catalog.checking import shown
from advisor.errors import Problem, Span, said
from advisor.source import Document, Mapping, Sequence

Default = int | bool | None
Aliases = AnyMapping[str, tuple[str, ...]]

_LIMITS = {
    "hidden_size": 1 << 17,
    "num_hidden_layers": 1024,
    "num_attention_heads": 1024,
    "num_key_value_heads": 1024,
    "head_dim": 4096,
    "vocab_size": 1 << 22,
    "max_position_embeddings": 100_000_000,
    "num_experts": 4096,
    "num_local_experts": 4096,
    "n_routed_experts": 4096,
    "num_experts_per_tok": 256,
}
_LIMIT = 1 << 20  # no other width, count or size of any published model comes near a million

_MOST_LETTERS = 60


class Keys:
    """One mapping of a config with the class defaults that may stand in for absent keys.

    A wrong value is reported and replaced by a harmless number, so that one pass finds every
    problem; the caller raises when ``problems`` or ``missing`` is not empty.
    """

    def __init__(
        self,
        document: Document,
        mapping: Mapping,
        *,
        defaults: AnyMapping[str, Default],
        also: Aliases,
        problems: list[Problem],
        missing: list[str],
        path: str = "",
    ) -> None:
        self.document = document
        self.mapping = mapping
        self.defaults = defaults
        self.also = also
        self.problems = problems
        self.missing = missing
        self.path = path

    @property
    def sound(self) -> bool:
        """True while nothing wrong was found."""
        return not self.problems and not self.missing

    def written(self, key: str) -> str | None:
        """The name under which the config gives ``key``, if it does."""
        for name in (key, *self.also.get(key, ())):
            if name in self.mapping:
                return name
        return None

    def where(self, key: str) -> Span:
        """The place of a key's value, or of the mapping's start."""
        name = self.written(key)
        if name is not None:
            return self.document.span(self.mapping, name)
        return self.document.start

    def report(self, key: str, message: str, hint: str = "") -> None:
        """Collect a problem at a key."""
        self.problems.append(Problem("config", message, hint, self.where(key)))

    def optional(self, key: str, low: int = 1) -> int | None:
        """A whole number, or None where the config or the class default says null."""
        name = self.written(key)
        if name is None:
            default = self.defaults.get(key)
            return None if default is None else int(default)
        value = self.mapping[name]
        if value is None:
            return None
        high = _LIMITS.get(key, _LIMIT)
        if type(value) is not int:
            self.report(
                key,
                said(
                    "'{path}{name}' must be a whole number, not {value}.",
                    path=self.path,
                    name=name,
                    value=shown(value),
                ),
            )
            return low
        if not low <= value <= high:
            self.report(
                key,
                said(
                    "'{path}{name}' is {value}, outside {low:,} to {high:,}.",
                    path=self.path,
                    name=name,
                    value=shown(value),
                    low=low,
                    high=high,
                ),
                said("Check the config; no model is like that."),
            )
            return low
        return value

    def whole(self, key: str, low: int = 1, otherwise: int | None = None) -> int:
        """A whole number that must be known: given, class default, or ``otherwise``."""
        value = self.optional(key, low)
        if value is not None:
            return value
        if otherwise is None:
            if key not in self.missing_here():
                self.missing.append(self.path + key)
            return low
        return otherwise

    def missing_here(self) -> set[str]:
        """Names already reported as missing, without the path."""
        return {name.removeprefix(self.path) for name in self.missing}

    def flag(self, key: str) -> bool:
        """A boolean; absent without a class default means missing."""
        name = self.written(key)
        if name is None or self.mapping[name] is None:
            default = self.defaults.get(key)
            if default is None:
                if key not in self.missing_here():
                    self.missing.append(self.path + key)
                return False
            return bool(default)
        value = self.mapping[name]
        if type(value) is not bool:
            self.report(
                key,
                said(
                    "'{path}{name}' must be true or false, not {value}.",
                    path=self.path,
                    name=name,
                    value=shown(value),
                ),
            )
            return False
        return value

    def word(self, *keys: str, otherwise: str) -> str:
        """The first of some keys that is given, a short text; ``otherwise`` where none is."""
        for key in keys:
            value = self.mapping.get(key)
            if value is None:
                continue
            if isinstance(value, str) and len(value) <= _MOST_LETTERS:
                return value
            message = said(
                "'{path}{name}' must be a short text, not {value}.",
                path=self.path,
                name=key,
                value=shown(value),
            )
            self.report(key, message)
        return otherwise

    def amount(self, key: str) -> bool:
        """Whether a number is given for ``key`` (or stands there by class default)."""
        name = self.written(key)
        value = self.defaults.get(key) if name is None else self.mapping[name]
        if isinstance(value, bool | str | Mapping | Sequence):
            self.report(
                key,
                said(
                    "'{path}{key}' must be a number, not {value}.",
                    path=self.path,
                    key=key,
                    value=shown(value),
                ),
            )
        return value is not None

    def items(self, key: str, kind: type, most: int = 4096) -> list[Any] | None:
        """A list of words or of whole numbers; None when absent or null."""
        name = self.written(key)
        if name is None or self.mapping[name] is None:
            return None
        value = self.mapping[name]
        good = isinstance(value, Sequence) and all(type(item) is kind for item in value)
        if not good or len(value) > most:
            self.report(
                key,
                said(
                    "'{path}{name}' must be a list of {noun}, at most {most:,}.",
                    path=self.path,
                    name=name,
                    noun=said("words") if kind is str else said("whole numbers"),
                    most=most,
                ),
            )
            return None
        return list(value)

    def fits(self, key: str, count: int, layers: int) -> bool:
        """Whether a list has something for every layer; reported where it has not."""
        if count != layers and self.sound:
            self.report(
                key,
                said(
                    "'{key}' names {count} layers of {layers}.",
                    key=key,
                    count=count,
                    layers=layers,
                ),
            )
        return count == layers

    def side(self, key: str) -> int:
        """A size given as one number or as a pair of equal numbers (``[448, 448]``)."""
        name = self.written(key)
        if name is not None and isinstance(self.mapping[name], Sequence):
            sides = self.items(key, int, 2)
            if not sides or len(set(sides)) > 1 or not 1 <= sides[0] <= _LIMIT:
                self.report(
                    key,
                    said("'{path}{name}' must be one size or a square.", path=self.path, name=name),
                )
                return 1
            return int(sides[0])
        return self.whole(key)

    def nested(
        self, *names: str, defaults: AnyMapping[str, Default], also: Aliases | None = None
    ) -> Keys | None:
        """The first of the named inner mappings that the config has."""
        for name in names:
            value = self.mapping.get(name)
            if value is None:
                continue
            if not isinstance(value, Mapping):
                self.problems.append(
                    Problem(
                        "config",
                        said(
                            "'{path}{name}' must hold keys and values, not {value}.",
                            path=self.path,
                            name=name,
                            value=shown(value),
                        ),
                        where=self.document.span(self.mapping, name),
                    )
                )
                return None
            return Keys(
                self.document,
                value,
                defaults=defaults,
                also=also or {},
                problems=self.problems,
                missing=self.missing,
                path=f"{self.path}{name}.",
            )
        return None

    def share(self, key: str, whole: int, parts: int) -> int:
        """``whole / parts``, which must come out even; ``key`` names the parts."""
        if whole % parts:
            if self.sound:
                self.report(
                    key,
                    said(
                        "{whole:,} cannot be split into {parts:,} equal '{key}'.",
                        whole=whole,
                        parts=parts,
                        key=key,
                    ),
                )
            return 1
        return whole // parts
