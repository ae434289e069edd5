"""Decoder-only transformers: one description of what differs, one function that counts.

Names of matrices follow the families: ``qkv`` and ``gate_up`` where a checkpoint fuses them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from advisor.catalog.architectures.experts import Experts, dense_and_experts
from advisor.catalog.architectures.keys import Keys
from advisor.catalog.architectures.shape import Block, Linear, Text

Switch = bool | str
"""Always, never, or the config key that says."""

_ACTIVATION = ("hidden_activation", "hidden_act", "activation_function", "activation")
"""Where configs name the MLP's activation; where two are given, Gemma's classes take the first."""

ACTIVATIONS = frozenset(
    {
        "silu",
        "gelu",
        "gelu_new",
        "gelu_fast",
        "gelu_accurate",
        "gelu_python",
        "gelu_pytorch_tanh",
        "quick_gelu",
        "relu",
        "relu2",
        "xielu",
    }
)
"""The choices of the input ``model.activation``."""


class Decoder(NamedTuple):
    """What distinguishes one decoder from another; the defaults describe Llama."""

    qkv_fused: bool = False
    qkv_bias: Switch = False
    o_bias: Switch = False
    mlp: str = "gated"
    activation: str = "silu"  # without a word of the config, as transformers names it
    gate_fused: bool = False
    mlp_bias: Switch = False
    mlp_factor: int = 0  # without an intermediate size the MLP is this many times the hidden size
    mlp_divisor: int = 1  # the config's intermediate size covers this many matrices
    norm: str = "rmsnorm"
    norm_vectors: int = 1  # 2: scale and shift, 1: scale, 0: nothing learned
    norms_per_layer: int = 2
    parallel: Switch = False  # attention and MLP read the same tensor
    final_norm: Switch = True
    embedding_norm: bool = False
    qk_norm: str = ""  # "head": one scale for all heads, "width": one for each channel
    qk_norm_when: Switch = True
    qk_norm_vectors: int = 1
    head_bias: Switch = False
    rotary: bool = True  # queries and keys are turned by their position
    positions: int | None = None  # learned positions: rows beyond max_position_embeddings
    embedding_width: str = ""  # key of a narrower embedding, projected to and from hidden_size
    layer_vector: int = 0  # lone parameters in a layer
    sinks: bool = False  # one learned attention sink for each head
    free_heads: bool = False  # heads and widths are independent of hidden_size
    window: Switch = False  # key of the sliding window
    window_when: Switch = True
    softcap: str = ""
    experts: Experts | None = None
    attention: AttentionRule | None = None


class Sizes(NamedTuple):
    """The widths that attention is made of."""

    hidden: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int


class Attention(NamedTuple):
    """The matrices of all layers' attention, and what kind it is."""

    block: Block
    head_dim: int
    kind: str = "standard"


AttentionRule = Callable[[Decoder, Keys, Sizes], Attention]


def switched(switch: Switch, keys: Keys) -> bool:
    """The value of a switch."""
    return keys.flag(switch) if isinstance(switch, str) else switch


def sizes(
    keys: Keys, kv_heads: int | None = None, layers: int | None = None, free: bool = False
) -> Sizes:
    """Read the widths; absent key/value heads mean as many as heads."""
    hidden = keys.whole("hidden_size")
    heads = keys.whole("num_attention_heads")
    if kv_heads is None:
        kv_heads = keys.whole("num_key_value_heads", otherwise=heads)
    if free:
        head_dim = 1
    elif keys.optional("head_dim") is None:
        head_dim = keys.share("num_attention_heads", hidden, heads)
    else:
        head_dim = keys.whole("head_dim")
    keys.share("num_key_value_heads", heads, kv_heads)
    layers = keys.whole("num_hidden_layers", otherwise=layers)
    return Sizes(hidden, layers, heads, kv_heads, head_dim)


def standard_attention(spec: Decoder, keys: Keys, size: Sizes) -> Attention:
    """Queries, keys, values and output projection in every layer."""
    block = projections(spec, keys, size, size.layers)
    return Attention(block, size.head_dim)


def projections(
    spec: Decoder, keys: Keys, size: Sizes, layers: int, group: str = "attention", gates: int = 1
) -> Block:
    """The four matrices of ``layers`` layers; ``gates`` 2 doubles the queries (a gate beside)."""
    query, pair = size.heads * size.head_dim, size.kv_heads * size.head_dim
    bias, o_bias = switched(spec.qkv_bias, keys), switched(spec.o_bias, keys)
    first: tuple[Linear, ...]
    if spec.qkv_fused:
        first = (Linear("qkv", group, size.hidden, query + 2 * pair, layers, bias=bias),)
    else:
        first = tuple(
            Linear(name, group, size.hidden, width, layers, bias=bias)
            for name, width in (("q", gates * query), ("k", pair), ("v", pair))
        )
    rest = size.heads * layers if spec.sinks else 0
    if spec.qk_norm and switched(spec.qk_norm_when, keys):
        width = 2 * size.head_dim if spec.qk_norm == "head" else query + pair
        rest += width * spec.qk_norm_vectors * layers
    return Block((*first, Linear("o", group, query, size.hidden, layers, bias=o_bias)), rest)


def activation(keys: Keys, otherwise: str) -> str:
    """The MLP's activation as transformers names it; empty for one that is not known."""
    name = keys.word(*_ACTIVATION, otherwise=otherwise)
    name = {"swish": "silu"}.get(name, name)
    return name if name in ACTIVATIONS else ""


def decoder(spec: Decoder, keys: Keys, kv_heads: int | None = None) -> Text:
    """Count a decoder described by ``spec`` with the sizes of a config."""
    size = sizes(keys, kv_heads, free=spec.free_heads)
    vocab = keys.whole("vocab_size")
    attention = (spec.attention or standard_attention)(spec, keys, size)
    inner = dense_and_experts(
        spec.experts,
        keys,
        size.hidden,
        size.layers,
        gated=spec.mlp == "gated",
        fused=spec.gate_fused,
        bias=switched(spec.mlp_bias, keys),
        factor=spec.mlp_factor,
        divisor=spec.mlp_divisor,
    )
    norm = size.hidden * spec.norm_vectors
    norms = size.layers * spec.norms_per_layer + switched(spec.final_norm, keys)
    rest = norm * (norms + spec.embedding_norm) + spec.layer_vector * size.layers
    context = keys.optional("max_position_embeddings")
    if spec.positions is not None:
        rest += (keys.whole("max_position_embeddings") + spec.positions) * size.hidden
    width = size.hidden
    around: tuple[Linear, ...] = ()
    if spec.embedding_width:
        width = keys.whole(spec.embedding_width, otherwise=size.hidden)
        if width != size.hidden:
            around = (
                Linear("in_proj", "mlp", width, size.hidden, 1),
                Linear("out_proj", "mlp", size.hidden, width, 1),
            )
    tied = keys.flag("tie_word_embeddings")
    head_bias = vocab if switched(spec.head_bias, keys) else 0
    window = None
    if isinstance(spec.window, str) and switched(spec.window_when, keys):
        window = keys.optional(spec.window) or None
    return Text(
        block=attention.block + inner.block + Block(around, rest + head_bias),
        hidden_size=size.hidden,
        layers=size.layers,
        attention_heads=size.heads,
        kv_heads=size.kv_heads,
        head_dim=attention.head_dim,
        intermediate_size=inner.intermediate_size,
        vocab_size=vocab,
        context_length=context,
        embedding=vocab * width,
        head=0 if tied else vocab * width,
        tied=tied,
        mlp=spec.mlp,
        norm=spec.norm,
        norms_per_layer=spec.norms_per_layer,
        activation=activation(keys, spec.activation),
        parallel=switched(spec.parallel, keys),
        rotary=spec.rotary,
        qk_norm=bool(spec.qk_norm) and switched(spec.qk_norm_when, keys),
        experts=inner.experts,
        experts_per_token=inner.experts_per_token,
        window=window,
        softcap=bool(spec.softcap) and keys.amount(spec.softcap),
        attention_kind=attention.kind,
    )
