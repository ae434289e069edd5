"""Mixtures of experts with ordinary attention."""

from __future__ import annotations

from advisor.catalog.architectures.decoder import Decoder
from advisor.catalog.architectures.experts import Experts, after_first, every_step, interleaved
from advisor.catalog.architectures.llama import GEMMA, QWEN2, QWEN3
from advisor.catalog.architectures.table import Architecture, plain

_COUNT = {"num_experts": ("num_local_experts",)}  # transformers 5 writes the second name

MIXTRAL = Decoder(experts=Experts(), window="sliding_window")
QWEN3_MOE = QWEN3._replace(
    experts=Experts(count="num_experts", size="moe_intermediate_size", layers=every_step),
)
LLAMA4 = GEMMA._replace(
    experts=Experts(dense="intermediate_size_mlp", fused=True, shared="count", layers=interleaved),
)

TABLE: tuple[Architecture, ...] = (
    plain("MixtralForCausalLM", "mixtral", MIXTRAL, num_key_value_heads=8),
    plain(
        "Qwen2MoeForCausalLM",
        "qwen2_moe",
        QWEN2._replace(
            qkv_bias="qkv_bias",
            experts=Experts(
                count="num_experts", size="moe_intermediate_size", shared="size", layers=every_step
            ),
        ),
        also=_COUNT,
        use_sliding_window=False,
        qkv_bias=True,
    ),
    plain(
        "Qwen3MoeForCausalLM",
        "qwen3_moe",
        QWEN3_MOE,
        also=_COUNT,
        attention_bias=False,
        use_sliding_window=False,
        num_key_value_heads=4,
    ),
    plain(
        "OlmoeForCausalLM",
        "olmoe",
        GEMMA._replace(qk_norm="width", experts=Experts(count="num_experts")),
        also=_COUNT,
        attention_bias=False,
    ),
    plain(
        "GraniteMoeForCausalLM",
        "granitemoe",
        GEMMA._replace(experts=Experts(fused=True)),
        attention_bias=False,
    ),
    plain(
        "PhimoeForCausalLM",
        "phimoe",
        GEMMA._replace(
            norm="layernorm",
            norm_vectors=2,
            head_bias="lm_head_bias",
            experts=Experts(),
            window="sliding_window",
        ),
        num_key_value_heads=8,
        attention_bias=False,
        lm_head_bias=False,
    ),
    plain(
        "GptOssForCausalLM",
        "gpt_oss",
        GEMMA._replace(
            sinks=True,
            window="sliding_window",
            experts=Experts(fused=True, bias=True, router_bias=True),
        ),
        num_key_value_heads=8,
        head_dim=64,
        attention_bias=True,
        sliding_window=128,
    ),
    plain(
        "Glm4MoeForCausalLM",
        "glm4_moe",
        GEMMA._replace(
            o_bias=False,
            qk_norm="head",
            qk_norm_when="use_qk_norm",
            experts=Experts(
                count="n_routed_experts",
                size="moe_intermediate_size",
                shared="count",
                layers=after_first,
            ),
        ),
        num_key_value_heads=8,
        attention_bias=False,
        use_qk_norm=False,
        n_shared_experts=1,
        first_k_dense_replace=1,
    ),
    plain(
        "MiniMaxM2ForCausalLM",
        "minimax_m2",
        GEMMA._replace(qk_norm="width", experts=Experts()),
        attention_bias=False,
    ),
    plain(
        "Llama4ForCausalLM",
        "llama4_text",
        LLAMA4,
        head_dim=128,
        num_key_value_heads=8,
        attention_bias=False,
        n_shared_experts=1,
        interleave_moe_layer_step=1,
        intermediate_size_mlp=16384,
    ),
)
