"""The facts of a model, made from its shape. Their names are inputs that the rules declare."""

from __future__ import annotations

from advisor.catalog.architectures.keys import Keys
from advisor.catalog.architectures.shape import Shape
from advisor.catalog.entries import Fact
from advisor.errors import Span

_FROM_KEY = {
    "hidden_size": "hidden_size",
    "layers": "num_hidden_layers",
    "attention_heads": "num_attention_heads",
    "kv_heads": "num_key_value_heads",
    "head_dim": "head_dim",
    "intermediate_size": "intermediate_size",
    "vocab_size": "vocab_size",
    "context_length": "max_position_embeddings",
    "tied_embeddings": "tie_word_embeddings",
    "attention_window": "sliding_window",
}
"""Facts that are a config key's value, so that a fact can point at its place."""


def shape_values(shape: Shape) -> dict[str, object]:
    """Every fact of a shape by name; what does not apply is left out."""
    text, vision = shape.text, shape.vision
    values: dict[str, object] = {
        "parameters": shape.parameters,
        "parameters_origin": "computed",
        "active_parameters": shape.active_parameters,
        "embedding_parameters": text.embedding,
        "head_parameters": text.head,
        "tied_embeddings": text.tied,
        "hidden_size": text.hidden_size,
        "layers": text.layers,
        "attention_heads": text.attention_heads,
        "kv_heads": text.kv_heads,
        "head_dim": text.head_dim,
        "intermediate_size": text.intermediate_size,
        "vocab_size": text.vocab_size,
        "experts": text.experts,
        "experts_per_token": text.experts_per_token,
        "mlp": text.mlp,
        "norm": text.norm,
        "norms_per_layer": text.norms_per_layer,
        "parallel_residual": text.parallel,
        "rotary": text.rotary,
        "qk_norm": text.qk_norm,
        "logit_softcap": text.softcap,
        "attention_kind": text.attention_kind,
        "vision_parameters": vision.block.parameters if vision else 0,
        "vision_layers": vision.layers if vision else 0,
        "vision_hidden": vision.hidden_size if vision else 0,
        "vision_intermediate": vision.intermediate_size if vision else 0,
        "linears": tuple(row.row() for row in shape.linears),
    }
    if text.activation:
        values["activation"] = text.activation
    if text.context_length is not None:
        values["context_length"] = text.context_length
    if text.window is not None:
        values["attention_window"] = text.window
    if vision is not None and vision.tokens is not None:
        values["vision_tokens"] = vision.tokens
    return values


def shape_facts(
    shape: Shape, keys: Keys, source: str, stated: str, checked: str, where: Span
) -> dict[str, Fact]:
    """The facts with sources: read in the config, a class default, or computed from both."""
    facts = {}
    for name, value in shape_values(shape).items():
        key = _FROM_KEY.get(name)
        if key is None:
            facts[name] = Fact(value, f"computed from the shape of {stated}", checked, where)
        elif keys.written(key) is not None:
            facts[name] = Fact(value, source, checked, keys.where(key))
        else:
            facts[name] = Fact(value, f"default of {stated}", checked, where)
    return facts
