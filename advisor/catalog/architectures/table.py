"""What the tables of architectures are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from advisor.catalog.architectures.decoder import Decoder, decoder
from advisor.catalog.architectures.keys import Default, Keys
from advisor.catalog.architectures.shape import Text, Vision

TRANSFORMERS = "transformers 5.24"

CORE = (
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "intermediate_size",
    "vocab_size",
)
"""Keys a config.json must give itself; only an inner text_config may leave them to the class."""

VisionRule = Callable[[Keys, Text], Vision]


@dataclass(frozen=True, slots=True, kw_only=True)
class Architecture:
    """One transformers class: how to count it and which of its defaults may be used.

    ``inner`` are defaults of CORE keys, good only inside a text_config; ``text`` names the
    architecture of a composite model's decoder ("" where text_config.model_type says it), and
    ``same_text`` says that its text_config is of that architecture's class, ``inner`` included.
    """

    name: str
    model_type: str
    count: Callable[[Keys], Text] | None = None
    defaults: Mapping[str, Default] = field(default_factory=dict)
    inner: Mapping[str, Default] = field(default_factory=dict)
    also: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    source: str = TRANSFORMERS
    text: str = ""
    same_text: bool = True
    vision: VisionRule | None = None

    @property
    def stated(self) -> str:
        """Where the class and its defaults are described."""
        return f"{self.source}, {self.name}"


def plain(
    name: str,
    model_type: str,
    spec: Decoder,
    *,
    tied: bool = False,
    inner: str = "",
    source: str = TRANSFORMERS,
    also: Mapping[str, tuple[str, ...]] | None = None,
    **defaults: Default,
) -> Architecture:
    """An architecture that ``decoder`` counts; ``inner`` gives CORE defaults in CORE's order."""
    numbers = [int(number) for number in inner.split()]
    return Architecture(
        name=name,
        model_type=model_type,
        count=partial(decoder, spec),
        defaults={"tie_word_embeddings": tied, **defaults},
        inner=dict(zip(CORE, numbers, strict=True)) if numbers else {},
        also=also or {},
        source=source,
    )
