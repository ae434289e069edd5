"""Decoders that mix ordinary attention with linear attention or state-space layers."""

from __future__ import annotations

from advisor.catalog.architectures.decoder import (
    Attention,
    Decoder,
    Sizes,
    projections,
    sizes,
)
from advisor.catalog.architectures.experts import Experts, every_step, mlp
from advisor.catalog.architectures.keys import Keys
from advisor.catalog.architectures.llama import GEMMA
from advisor.catalog.architectures.shape import Block, Linear, Text
from advisor.catalog.architectures.table import Architecture, plain
from advisor.errors import said

_LINEAR = "linear-attention"


def full_layers(keys: Keys, layers: int) -> int:
    """How many layers have ordinary attention: ``layer_types``, or every few layers."""
    kinds = keys.items("layer_types", str)
    if kinds is None:
        return layers // keys.whole("full_attention_interval")
    keys.fits("layer_types", len(kinds), layers)
    return kinds.count("full_attention")


def delta_attention(spec: Decoder, keys: Keys, size: Sizes, fused: bool) -> Attention:
    """Gated DeltaNet in most layers, gated attention in the rest (Qwen3-Next, Qwen3.5)."""
    full = full_layers(keys, size.layers)
    linear = size.layers - full
    key_heads = keys.whole("linear_num_key_heads")
    value_heads = keys.whole("linear_num_value_heads")
    value_dim = keys.whole("linear_value_head_dim")
    key, value = key_heads * keys.whole("linear_key_head_dim"), value_heads * value_dim
    mixed = 2 * key + value
    widths = (mixed + value, 2 * value_heads) if fused else (mixed, value, value_heads, value_heads)
    rows = [Linear("in_proj", _LINEAR, size.hidden, width, linear) for width in widths]
    rows.append(Linear("out_proj", _LINEAR, value, size.hidden, linear))
    lone = mixed * keys.whole("linear_conv_kernel_dim") + 2 * value_heads + value_dim
    block = projections(spec, keys, size, full, gates=2) + Block(tuple(rows), lone * linear)
    return Attention(block, size.head_dim, "hybrid")


def next_attention(spec: Decoder, keys: Keys, size: Sizes) -> Attention:
    """Qwen3-Next stores the inputs of its linear attention as two matrices."""
    return delta_attention(spec, keys, size, fused=True)


def split_attention(spec: Decoder, keys: Keys, size: Sizes) -> Attention:
    """Qwen3.5 stores them as four."""
    return delta_attention(spec, keys, size, fused=False)


def nemotron_h(keys: Keys) -> Text:
    """Nemotron-H: each layer is one of Mamba-2, attention, MLP, or experts."""
    named = keys.items("layers_block_type", str)
    size = sizes(keys, layers=len(named) if named else None)
    vocab, hidden = keys.whole("vocab_size"), size.hidden
    kinds = layer_kinds(keys, size.layers)
    mamba, attention = kinds.count("M"), kinds.count("*")
    dense, sparse = kinds.count("-"), kinds.count("E")
    bias = keys.flag("mlp_bias")
    block = projections(Decoder(), keys, size, attention) + mamba_block(keys, hidden, mamba)
    wide = 0
    if dense:
        wide = keys.whole("intermediate_size")
        block += mlp(hidden, wide, dense, gated=False, bias=bias)
    experts = chosen = 0
    if sparse:
        experts, chosen = keys.whole("n_routed_experts"), keys.whole("num_experts_per_tok")
        narrow = keys.whole("moe_intermediate_size")
        wide = wide or narrow
        latent = keys.optional("moe_latent_size")
        if latent:
            block += Block(
                (
                    Linear("in_proj", "mlp", hidden, latent, sparse, bias=bias),
                    Linear("out_proj", "mlp", latent, hidden, sparse, bias=bias),
                )
            )
        shared = keys.whole("moe_shared_expert_intermediate_size")
        block += Block((Linear("router", "router", hidden, experts, sparse),))
        block += mlp(
            latent or hidden,
            narrow,
            sparse * experts,
            gated=False,
            group="experts",
            experts=experts,
        )
        if keys.whole("n_shared_experts", low=0):
            block += mlp(hidden, shared, sparse, gated=False, bias=bias, group="shared-experts")
    tied = keys.flag("tie_word_embeddings")
    return Text(
        block=block + Block(rest=hidden * (size.layers + 1)),
        hidden_size=hidden,
        layers=size.layers,
        attention_heads=size.heads,
        kv_heads=size.kv_heads,
        head_dim=size.head_dim,
        intermediate_size=wide,
        vocab_size=vocab,
        context_length=keys.optional("max_position_embeddings"),
        embedding=vocab * hidden,
        head=0 if tied else vocab * hidden,
        tied=tied,
        mlp="plain",
        norm="rmsnorm",
        norms_per_layer=1,
        qk_norm=False,
        experts=experts,
        experts_per_token=chosen,
        attention_kind="hybrid",
    )


_KINDS = {
    "linear_attention": "M",
    "mamba": "M",
    "full_attention": "*",
    "attention": "*",
    "mlp": "-",
    "moe": "E",
}


def layer_kinds(keys: Keys, layers: int) -> str:
    """One letter a layer: the hub's pattern, or the names that transformers 5 writes."""
    names = keys.items("layers_block_type", str)
    pattern = keys.mapping.get("hybrid_override_pattern")
    if names is not None:
        pattern = "".join(_KINDS.get(name, "?") for name in names)
    if not isinstance(pattern, str):
        keys.missing.append(keys.path + "hybrid_override_pattern")
        return ""
    if len(pattern) != layers or set(pattern) - set("M*-E"):
        place = "layers_block_type" if names is not None else "hybrid_override_pattern"
        keys.report(
            place,
            said(
                "'{place}' must describe {layers} layers, each known.", place=place, layers=layers
            ),
        )
        return ""
    return pattern


def mamba_block(keys: Keys, hidden: int, count: int) -> Block:
    """The Mamba-2 mixers."""
    if not count:
        return Block()
    heads, groups = keys.whole("mamba_num_heads"), keys.whole("n_groups")
    inner = heads * keys.whole("mamba_head_dim")
    conv = inner + 2 * groups * keys.whole("ssm_state_size")
    bias = keys.flag("use_bias")
    rows = (
        Linear("in_proj", _LINEAR, hidden, inner + conv + heads, count, bias=bias),
        Linear("out_proj", _LINEAR, inner, hidden, count, bias=bias),
    )
    lone = conv * (keys.whole("conv_kernel") + keys.flag("use_conv_bias")) + 3 * heads + inner
    return Block(rows, lone * count)


QWEN3_NEXT = GEMMA._replace(
    qk_norm="head",
    attention=next_attention,
    experts=Experts(
        count="num_experts", size="moe_intermediate_size", shared="size", layers=every_step
    ),
)
QWEN35 = GEMMA._replace(qk_norm="head", attention=split_attention)
QWEN35_MOE = QWEN35._replace(
    experts=Experts(count="num_experts", size="moe_intermediate_size", shared="size"),
)

TABLE: tuple[Architecture, ...] = (
    plain(
        "Qwen3NextForCausalLM",
        "qwen3_next",
        QWEN3_NEXT,
        attention_bias=False,
        head_dim=256,
        full_attention_interval=4,
        linear_conv_kernel_dim=4,
        also={"num_experts": ("num_local_experts",)},
    ),
    plain(
        "Qwen3_5ForCausalLM",
        "qwen3_5_text",
        QWEN35,
        attention_bias=False,
        head_dim=256,
        full_attention_interval=4,
        linear_conv_kernel_dim=4,
    ),
    plain(
        "Qwen3_5MoeForCausalLM",
        "qwen3_5_moe_text",
        QWEN35_MOE,
        attention_bias=False,
        head_dim=256,
        full_attention_interval=4,
        linear_conv_kernel_dim=4,
        also={"num_experts": ("num_local_experts",)},
    ),
    Architecture(
        name="NemotronHForCausalLM",
        model_type="nemotron_h",
        count=nemotron_h,
        defaults={
            "tie_word_embeddings": False,
            "mlp_bias": False,
            "use_bias": False,
            "use_conv_bias": True,
            "conv_kernel": 4,
            "n_shared_experts": 1,
        },
    ),
)
