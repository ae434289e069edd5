"""Gemma 4: two kinds of attention, shared keys, per-layer embeddings, experts beside MLPs."""

from __future__ import annotations

from advisor.catalog.architectures.decoder import Decoder, Sizes, projections, sizes
from advisor.catalog.architectures.experts import mlp
from advisor.catalog.architectures.keys import Keys
from advisor.catalog.architectures.shape import Block, Linear, Text, Vision
from advisor.catalog.architectures.table import Architecture
from advisor.catalog.architectures.towers import CHANNELS, encoder, inner, sizes_of, vision_of
from advisor.errors import said

_PATTERN = 6  # without layer_types, every sixth layer sees everything


def layer_types(keys: Keys, layers: int) -> list[str]:
    """Sliding or full for each layer; the last is always full."""
    kinds = keys.items("layer_types", str)
    if kinds is None:
        kinds = [
            "sliding_attention" if (n + 1) % _PATTERN else "full_attention" for n in range(layers)
        ]
    if not keys.fits("layer_types", len(kinds), layers):
        return ["full_attention"] * layers
    return [*kinds[:-1], "full_attention"]


def attention(keys: Keys, size: Sizes, kinds: list[str], shared: int) -> Block:
    """Sliding layers have their own widths; the last ``shared`` layers reuse earlier keys."""
    wide = keys.whole("global_head_dim")
    same = keys.flag("attention_k_eq_v")
    few = keys.whole("num_global_key_value_heads", otherwise=size.kv_heads)
    full = Sizes(size.hidden, 0, size.heads, few if same else size.kv_heads, wide)
    own = len(kinds) - shared
    spec = Decoder(qkv_bias="attention_bias", o_bias="attention_bias")
    block = Block()
    for kind, widths in (("sliding_attention", size), ("full_attention", full)):
        count, after = kinds[:own].count(kind), kinds[own:].count(kind)
        both = projections(spec, keys, widths, count)
        alone = projections(spec, keys, widths, after)
        dropped = {"v"} if same and kind == "full_attention" else set()
        rows = [row for row in both.linears if row.name not in dropped]
        rows += [row for row in alone.linears if row.name in ("q", "o")]
        block += Block(tuple(rows), widths.head_dim * (2 * count + after))
    return block


def gemma4_text(keys: Keys) -> Text:
    """The decoder."""
    size = sizes(keys)
    hidden, layers = size.hidden, size.layers
    shared = keys.whole("num_kv_shared_layers", low=0)
    if shared > layers and keys.sound:
        keys.report(
            "num_kv_shared_layers",
            said("{shared} of {layers} layers cannot share keys.", shared=shared, layers=layers),
        )
    kinds = layer_types(keys, layers)
    shared = min(shared, layers)
    wide = keys.whole("intermediate_size")
    double = keys.flag("use_double_wide_mlp")
    block = attention(keys, size, kinds, shared)
    block += mlp(hidden, wide, layers - shared)
    block += mlp(hidden, wide * (2 if double else 1), shared)
    norms, rest = 4, hidden
    experts = chosen = 0
    if keys.flag("enable_moe_block"):
        experts, chosen = keys.whole("num_experts"), keys.whole("top_k_experts")
        block += Block((Linear("router", "router", hidden, experts, layers),))
        block += mlp(
            hidden,
            keys.whole("moe_intermediate_size"),
            layers * experts,
            fused=True,
            group="experts",
            experts=experts,
        )
        norms += 3
        rest += (hidden + experts) * layers
    vocab = keys.whole("vocab_size")
    embedding = vocab * hidden
    narrow = keys.whole("hidden_size_per_layer_input", low=0)
    if narrow:
        embedding += keys.whole("vocab_size_per_layer_input") * layers * narrow
        rest += narrow
        norms += 1
        block += Block(
            (
                Linear("in_proj", "mlp", hidden, narrow, layers),
                Linear("out_proj", "mlp", narrow, hidden, layers),
                Linear("in_proj", "mlp", hidden, layers * narrow, 1),
            )
        )
    tied = keys.flag("tie_word_embeddings")
    return Text(
        block=block + Block(rest=rest + norms * hidden * layers),
        hidden_size=hidden,
        layers=layers,
        attention_heads=size.heads,
        kv_heads=size.kv_heads,
        head_dim=size.head_dim,
        intermediate_size=wide,
        vocab_size=vocab,
        context_length=keys.optional("max_position_embeddings"),
        embedding=embedding,
        head=0 if tied else vocab * hidden,
        tied=tied,
        mlp="gated",
        norm="rmsnorm",
        norms_per_layer=norms,
        qk_norm=True,
        experts=experts,
        experts_per_token=chosen,
        window=keys.optional("sliding_window"),
        softcap=keys.amount("final_logit_softcapping"),
    )


def gemma4_vision(keys: Keys, text: Text) -> Vision:
    """The tower: gated MLP, four norms, query and key norms, two tables of positions."""
    if keys.mapping.get("audio_config") is not None:
        keys.report(
            "audio_config",
            said("audio towers are not counted here."),
            said("Give the text and vision parts alone, or the parameters inline."),
        )
    v = inner(keys, CHANNELS, standardize=False)
    hidden, layers, size = sizes_of(v)
    heads = v.whole("num_attention_heads")
    dim = v.whole("head_dim", otherwise=v.share("num_attention_heads", hidden, heads))
    if v.whole("num_key_value_heads", otherwise=heads) != heads:
        v.report("num_key_value_heads", said("grouped heads in a vision tower are not known here."))
    side, places = v.side("patch_size"), v.whole("position_embedding_size")
    block = encoder(
        hidden,
        size,
        layers,
        width=heads * dim,
        bias=False,
        mlp_bias=False,
        gated=True,
        norm_vectors=1,
        norms=4,
    )
    rows = (
        Linear("in_proj", "vision", 3 * side * side, hidden, 1),
        Linear("out_proj", "vision", hidden, text.hidden_size, 1),
    )
    rest = 2 * dim * layers + 2 * places * hidden
    return vision_of(block + Block(rows, rest), v)


TABLE: tuple[Architecture, ...] = (
    Architecture(
        name="Gemma4ForCausalLM",
        model_type="gemma4_text",
        count=gemma4_text,
        defaults={
            "tie_word_embeddings": True,
            "head_dim": 256,
            "num_key_value_heads": 4,
            "global_head_dim": 512,
            "attention_bias": False,
            "attention_k_eq_v": False,
            "num_kv_shared_layers": 0,
            "use_double_wide_mlp": False,
            "enable_moe_block": False,
            "hidden_size_per_layer_input": 256,
            "vocab_size_per_layer_input": 262144,
            "sliding_window": 512,
        },
    ),
)
