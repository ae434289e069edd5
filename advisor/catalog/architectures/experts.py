"""MLPs: dense ones, and layers of experts with their router and shared experts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from advisor.catalog.architectures.keys import Keys
from advisor.catalog.architectures.shape import Block, Linear
from advisor.errors import said


@dataclass(frozen=True, slots=True, kw_only=True)
class Experts:
    """Where a family keeps its numbers about experts."""

    count: str = "num_local_experts"
    per_token: str = "num_experts_per_tok"
    size: str = "intermediate_size"
    dense: str = "intermediate_size"
    fused: bool = False  # gate and up stored as one matrix
    bias: bool = False
    router_bias: bool = False
    shared: str = ""  # "count": several of an expert's size, "size": one of its own size
    layers: LayerRule | None = None  # which layers have experts; None: all


class Inner(NamedTuple):
    """The MLPs of all layers."""

    block: Block
    intermediate_size: int
    experts: int = 0
    experts_per_token: int = 0


LayerRule = Callable[[Keys, int], int]
"""How many of the layers hold experts."""


def mlp(
    hidden: int,
    size: int,
    count: int,
    *,
    gated: bool = True,
    fused: bool = False,
    bias: bool = False,
    group: str = "mlp",
    experts: int = 1,
) -> Block:
    """``count`` MLPs: gate, up and down, or up and down alone."""
    rows: tuple[tuple[str, int], ...]
    if not gated:
        rows = (("up", size),)
    elif fused:
        rows = (("gate_up", 2 * size),)
    else:
        rows = (("gate", size), ("up", size))
    first = tuple(Linear(name, group, hidden, width, count, experts, bias) for name, width in rows)
    return Block((*first, Linear("down", group, size, hidden, count, experts, bias)))


def dense_and_experts(
    spec: Experts | None,
    keys: Keys,
    hidden: int,
    layers: int,
    *,
    gated: bool,
    fused: bool,
    bias: bool,
    factor: int = 0,
    divisor: int = 1,
) -> Inner:
    """The MLPs of ``layers`` layers; which of them are experts the family's rule says."""
    wide = factor * hidden if factor else None
    if spec is None:
        given = keys.whole("intermediate_size", otherwise=wide)
        size = keys.share("intermediate_size", given, divisor)
        return Inner(mlp(hidden, size, layers, gated=gated, fused=fused, bias=bias), size)
    sparse = min(layers, spec.layers(keys, layers)) if spec.layers else layers
    experts = keys.whole(spec.count)
    chosen = keys.whole(spec.per_token)
    size = keys.whole(spec.size)
    if chosen > experts and keys.sound:
        keys.report(
            spec.per_token,
            said(
                "a token cannot use {chosen} of {experts} experts.", chosen=chosen, experts=experts
            ),
        )
    block = Block((Linear("router", "router", hidden, experts, sparse, bias=spec.router_bias),))
    block += mlp(
        hidden,
        size,
        sparse * experts,
        gated=gated,
        fused=spec.fused,
        bias=spec.bias,
        group="experts",
        experts=experts,
    )
    block += shared_experts(spec, keys, hidden, size, sparse)
    if sparse == layers:
        return Inner(block, size, experts, chosen)
    dense = keys.whole(spec.dense)
    block += mlp(hidden, dense, layers - sparse, gated=gated, fused=fused, bias=bias)
    return Inner(block, dense, experts, chosen)


def shared_experts(spec: Experts, keys: Keys, hidden: int, size: int, count: int) -> Block:
    """The experts every token uses."""
    if spec.shared == "count":
        many = keys.whole("n_shared_experts", low=0)
        if not many:
            return Block()
        return mlp(hidden, size * many, count, group="shared-experts")
    if spec.shared == "size":
        wide = keys.whole("shared_expert_intermediate_size")
        gate = Linear("shared_gate", "shared-experts", hidden, 1, count)
        return mlp(hidden, wide, count, group="shared-experts") + Block((gate,))
    return Block()


def after_first(keys: Keys, layers: int) -> int:
    """All but the first ``first_k_dense_replace`` layers, or as ``mlp_layer_types`` says."""
    kinds = keys.items("mlp_layer_types", str)
    if kinds is not None:
        return _matching(keys, "mlp_layer_types", kinds, layers, "sparse")
    if keys.mapping.get("moe_layer_freq", 1) not in (1, [1] * layers):
        keys.report("moe_layer_freq", said("'moe_layer_freq' other than 1 is not known here."))
    return max(0, layers - keys.whole("first_k_dense_replace", low=0))


def every_step(keys: Keys, layers: int) -> int:
    """Every ``decoder_sparse_step``-th layer that ``mlp_only_layers`` does not name."""
    step = keys.whole("decoder_sparse_step", otherwise=1)
    dense = set(keys.items("mlp_only_layers", int) or [])
    return sum(1 for layer in range(layers) if layer not in dense and (layer + 1) % step == 0)


def interleaved(keys: Keys, layers: int) -> int:
    """Llama 4: ``moe_layers``, or every ``interleave_moe_layer_step``-th layer."""
    named = keys.items("moe_layers", int)
    if named is not None:
        return len({layer for layer in named if 0 <= layer < layers})
    step = keys.whole("interleave_moe_layer_step")
    return len(range(step - 1, layers, step))


def _matching(keys: Keys, key: str, kinds: list[str], layers: int, kind: str) -> int:
    keys.fits(key, len(kinds), layers)
    return kinds.count(kind)
