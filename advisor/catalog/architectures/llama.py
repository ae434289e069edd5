"""Llama and what is shaped like it: gated MLP, rotary positions, RMSNorm."""

from __future__ import annotations

from advisor.catalog.architectures.decoder import Decoder, decoder
from advisor.catalog.architectures.keys import Keys
from advisor.catalog.architectures.shape import Text
from advisor.catalog.architectures.table import Architecture, plain

_HUB = "code beside the checkpoint, recalled"

LLAMA = Decoder(qkv_bias="attention_bias", o_bias="attention_bias", mlp_bias="mlp_bias")
QWEN2 = Decoder(qkv_bias=True, window="sliding_window", window_when="use_sliding_window")
QWEN3 = LLAMA._replace(
    mlp_bias=False, qk_norm="head", window="sliding_window", window_when="use_sliding_window"
)
MISTRAL = Decoder(window="sliding_window")
GEMMA = LLAMA._replace(mlp_bias=False)
GEMMA2 = GEMMA._replace(
    activation="gelu_pytorch_tanh",
    norms_per_layer=4,
    window="sliding_window",
    softcap="final_logit_softcapping",
)
GEMMA3 = GEMMA2._replace(qk_norm="head")
PHI3 = Decoder(qkv_fused=True, gate_fused=True, window="sliding_window")
OLMO2 = GEMMA._replace(qk_norm="width")
GLM = Decoder(qkv_bias="attention_bias", gate_fused=True)
COHERE = GEMMA._replace(norm="layernorm", norms_per_layer=1, parallel=True)
BIASED = Decoder(qkv_bias="use_bias", o_bias="use_bias", mlp_bias="use_bias")
HUB_BIAS = Decoder(qkv_fused=True, qkv_bias="bias", o_bias="bias")


def chatglm(keys: Keys) -> Text:
    """ChatGLM 2 and 3: fused matrices, few key/value groups."""
    spec = Decoder(qkv_fused=True, qkv_bias="add_qkv_bias", gate_fused=True)
    grouped = keys.flag("multi_query_attention")
    heads = keys.whole("num_attention_heads")
    return decoder(spec, keys, keys.whole("num_key_value_heads") if grouped else heads)


TABLE: tuple[Architecture, ...] = (
    plain(
        "LlamaForCausalLM",
        "llama",
        LLAMA,
        inner="4096 32 32 11008 32000",
        attention_bias=False,
        mlp_bias=False,
    ),
    plain(
        "Qwen2ForCausalLM",
        "qwen2",
        QWEN2,
        inner="4096 32 32 22016 151936",
        use_sliding_window=False,
    ),
    plain(
        "Qwen3ForCausalLM",
        "qwen3",
        QWEN3,
        inner="4096 32 32 22016 151936",
        head_dim=128,
        attention_bias=False,
        use_sliding_window=False,
    ),
    plain(
        "MistralForCausalLM",
        "mistral",
        MISTRAL,
        inner="4096 32 32 14336 32000",
        num_key_value_heads=8,
        sliding_window=4096,
    ),
    plain(
        "MinistralForCausalLM",
        "ministral",
        MISTRAL,
        inner="4096 32 32 14336 32000",
        num_key_value_heads=8,
        sliding_window=4096,
    ),
    plain(
        "Ministral3ForCausalLM",
        "ministral3",
        MISTRAL,
        inner="4096 34 32 14336 131072",
        num_key_value_heads=8,
        head_dim=128,
    ),
    plain(
        "GemmaForCausalLM",
        "gemma",
        GEMMA._replace(activation="gelu_pytorch_tanh"),
        tied=True,
        head_dim=256,
        attention_bias=False,
        num_key_value_heads=16,
    ),
    plain(
        "Gemma2ForCausalLM",
        "gemma2",
        GEMMA2,
        tied=True,
        head_dim=256,
        attention_bias=False,
        num_key_value_heads=4,
        sliding_window=4096,
        final_logit_softcapping=30,
    ),
    plain(
        "Gemma3ForCausalLM",
        "gemma3_text",
        GEMMA3,
        tied=True,
        inner="2304 26 8 9216 262208",
        head_dim=256,
        attention_bias=False,
        num_key_value_heads=4,
        sliding_window=4096,
        max_position_embeddings=131072,
    ),
    plain("Phi3ForCausalLM", "phi3", PHI3),
    plain(
        "OlmoForCausalLM",
        "olmo",
        GEMMA._replace(norm="layernorm", norm_vectors=0),
        attention_bias=False,
    ),
    plain("Olmo2ForCausalLM", "olmo2", OLMO2, attention_bias=False),
    plain(
        "Olmo3ForCausalLM",
        "olmo3",
        OLMO2._replace(window="sliding_window"),
        attention_bias=False,
        sliding_window=4096,
    ),
    plain("GlmForCausalLM", "glm", GLM, head_dim=128, num_key_value_heads=2, attention_bias=True),
    plain(
        "Glm4ForCausalLM",
        "glm4",
        GLM._replace(norms_per_layer=4),
        head_dim=128,
        num_key_value_heads=2,
        attention_bias=True,
    ),
    plain(
        "SmolLM3ForCausalLM",
        "smollm3",
        LLAMA,
        tied=True,
        num_key_value_heads=4,
        attention_bias=False,
        mlp_bias=False,
    ),
    plain("GraniteForCausalLM", "granite", LLAMA, attention_bias=False, mlp_bias=False),
    plain(
        "InternLM3ForCausalLM",
        "internlm3",
        Decoder(qkv_bias="qkv_bias", o_bias="bias", mlp_bias="bias"),
        qkv_bias=False,
        bias=False,
        also={"qkv_bias": ("attention_bias",), "bias": ("mlp_bias",)},
    ),
    plain("InternLM2ForCausalLM", "internlm2", HUB_BIAS, bias=True, source=_HUB),
    plain("MiniCPMForCausalLM", "minicpm", GEMMA, tied=True, attention_bias=False, source=_HUB),
    plain(
        "SeedOssForCausalLM",
        "seed_oss",
        Decoder(qkv_bias="attention_bias", o_bias="attention_out_bias", mlp_bias="mlp_bias"),
        head_dim=128,
        num_key_value_heads=8,
        attention_bias=True,
        attention_out_bias=False,
        mlp_bias=False,
    ),
    plain(
        "Ernie4_5ForCausalLM",
        "ernie4_5",
        BIASED,
        tied=True,
        use_bias=False,
        head_dim=128,
        num_key_value_heads=2,
    ),
    plain(
        "HunYuanDenseV1ForCausalLM",
        "hunyuan_v1_dense",
        GEMMA._replace(qk_norm="head"),
        attention_bias=False,
    ),
    plain(
        "Exaone4ForCausalLM",
        "exaone4",
        Decoder(qk_norm="head", window="sliding_window"),
        sliding_window=4096,
    ),
    plain(
        "ArceeForCausalLM",
        "arcee",
        LLAMA._replace(mlp="plain", activation="relu2"),
        attention_bias=False,
        mlp_bias=False,
    ),
    plain(
        "ApertusForCausalLM",
        "apertus",
        GEMMA._replace(mlp="plain", activation="xielu", qk_norm="head", layer_vector=2),
        attention_bias=False,
    ),
    plain(
        "CohereForCausalLM",
        "cohere",
        COHERE._replace(qk_norm="width", qk_norm_when="use_qk_norm"),
        tied=True,
        attention_bias=False,
        use_qk_norm=False,
    ),
    plain(
        "Cohere2ForCausalLM",
        "cohere2",
        COHERE._replace(window="sliding_window"),
        tied=True,
        attention_bias=False,
        sliding_window=4096,
    ),
    plain(
        "BaichuanForCausalLM",
        "baichuan",
        Decoder(qkv_fused=True),
        source=_HUB,
        also={"max_position_embeddings": ("model_max_length",)},
    ),
    plain(
        "QWenLMHeadModel",
        "qwen",
        Decoder(qkv_fused=True, qkv_bias=True, mlp_divisor=2),
        source=_HUB,
        also={"max_position_embeddings": ("seq_length",)},
    ),
    Architecture(
        name="ChatGLMModel",
        model_type="chatglm",
        count=chatglm,
        source=_HUB,
        defaults={
            "tie_word_embeddings": False,
            "add_qkv_bias": False,
            "multi_query_attention": False,
        },
        also={
            "num_hidden_layers": ("num_layers",),
            "head_dim": ("kv_channels",),
            "num_key_value_heads": ("multi_query_group_num",),
            "intermediate_size": ("ffn_hidden_size",),
            "vocab_size": ("padded_vocab_size",),
            "max_position_embeddings": ("seq_length",),
        },
    ),
)
