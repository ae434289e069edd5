"""Multi-head latent attention: keys and values come out of one narrow vector (DeepSeek)."""

from __future__ import annotations

from advisor.catalog.architectures.decoder import Attention, Decoder, Sizes, switched
from advisor.catalog.architectures.experts import Experts, after_first
from advisor.catalog.architectures.keys import Keys
from advisor.catalog.architectures.shape import Block, Linear
from advisor.catalog.architectures.table import Architecture, plain


def latent_attention(spec: Decoder, keys: Keys, size: Sizes) -> Attention:
    """Queries through a low rank (or directly), keys and values through another."""
    layers, hidden, heads = size.layers, size.hidden, size.heads
    query_rank = keys.optional("q_lora_rank")
    rank, rope = keys.whole("kv_lora_rank"), keys.whole("qk_rope_head_dim")
    plain_dim, value_dim = keys.whole("qk_nope_head_dim"), keys.whole("v_head_dim")
    head_dim = plain_dim + rope
    bias = switched(spec.qkv_bias, keys)
    rest = rank * layers
    queries: tuple[Linear, ...]
    if query_rank:
        queries = (
            Linear("q_a", "attention", hidden, query_rank, layers, bias=bias),
            Linear("q_b", "attention", query_rank, heads * head_dim, layers),
        )
        rest += query_rank * layers
    else:
        queries = (Linear("q", "attention", hidden, heads * head_dim, layers),)
    pairs = (
        Linear("kv_a", "attention", hidden, rank + rope, layers, bias=bias),
        Linear("kv_b", "attention", rank, heads * (plain_dim + value_dim), layers),
        Linear("o", "attention", heads * value_dim, hidden, layers, bias=bias),
    )
    return Attention(Block((*queries, *pairs), rest), head_dim, "latent")


def indexed_attention(spec: Decoder, keys: Keys, size: Sizes) -> Attention:
    """Latent attention with an indexer that picks the tokens to look at (GLM-5)."""
    latent = latent_attention(spec, keys, size)
    layers = size.layers
    heads, dim = keys.whole("index_n_heads"), keys.whole("index_head_dim")
    rank = keys.whole("q_lora_rank")
    kinds = keys.items("indexer_types", str)
    if kinds is not None:  # a layer that is not "full" reuses the picks of the one before
        layers = kinds.count("full")
    rows = tuple(
        Linear("in_proj", "attention", inputs, outputs, layers)
        for inputs, outputs in ((rank, heads * dim), (size.hidden, dim), (size.hidden, heads))
    )
    return latent._replace(block=latent.block + Block(rows, 2 * dim * layers))


LATENT = Decoder(
    qkv_bias="attention_bias",
    free_heads=True,
    attention=latent_attention,
    experts=Experts(
        count="n_routed_experts",
        size="moe_intermediate_size",
        shared="count",
        layers=after_first,
    ),
)

TABLE: tuple[Architecture, ...] = (
    plain(
        "DeepseekV2ForCausalLM",
        "deepseek_v2",
        LATENT,
        attention_bias=False,
        first_k_dense_replace=0,
    ),
    plain(
        "DeepseekV3ForCausalLM",
        "deepseek_v3",
        LATENT,
        attention_bias=False,
        n_shared_experts=1,
        first_k_dense_replace=3,
    ),
    plain(
        "MiniCPM3ForCausalLM",
        "minicpm3",
        LATENT._replace(experts=None),
        tied=True,
        attention_bias=False,
    ),
    plain(
        "Glm4MoeLiteForCausalLM",
        "glm4_moe_lite",
        LATENT,
        attention_bias=False,
        n_shared_experts=1,
        first_k_dense_replace=1,
    ),
    plain(
        "DeepseekV32ForCausalLM",
        "deepseek_v32",
        LATENT._replace(attention=indexed_attention),
        attention_bias=False,
        n_shared_experts=1,
        first_k_dense_replace=3,
        index_head_dim=128,
        index_n_heads=64,
    ),
    plain(
        "GlmMoeDsaForCausalLM",
        "glm_moe_dsa",
        LATENT._replace(attention=indexed_attention),
        attention_bias=False,
        n_shared_experts=1,
        first_k_dense_replace=3,
        index_head_dim=128,
        index_n_heads=32,
    ),
)
