"""Older and plainer decoders: LayerNorm, biases, learned positions, parallel blocks."""

from __future__ import annotations

from advisor.catalog.architectures.decoder import Decoder, decoder
from advisor.catalog.architectures.keys import Keys
from advisor.catalog.architectures.shape import Text
from advisor.catalog.architectures.table import Architecture, plain

_GPT2_NAMES = {
    "hidden_size": ("n_embd",),
    "num_hidden_layers": ("n_layer",),
    "num_attention_heads": ("n_head",),
    "intermediate_size": ("n_inner",),
    "max_position_embeddings": ("n_positions",),
}
_NEO_NAMES = {"num_hidden_layers": ("num_layers",), "num_attention_heads": ("num_heads",)}

CLASSIC = Decoder(mlp="plain", activation="gelu", norm="layernorm", norm_vectors=2)
BIASED = CLASSIC._replace(qkv_bias=True, o_bias=True, mlp_bias=True)
GPT2 = BIASED._replace(
    qkv_fused=True, activation="gelu_new", mlp_factor=4, rotary=False, positions=0
)
OPT = BIASED._replace(
    activation="relu",
    qkv_bias="enable_bias",
    o_bias="enable_bias",
    mlp_bias="enable_bias",
    rotary=False,
    positions=2,
    embedding_width="word_embed_proj_dim",
    final_norm="do_layer_norm_before",
)
STABLELM = Decoder(
    qkv_bias="use_qkv_bias",
    norm="layernorm",
    norm_vectors=2,
    qk_norm="width",
    qk_norm_when="qk_layernorm",
)


def falcon(keys: Keys) -> Text:
    """Falcon: one, two or all key/value heads, one norm or two, by three switches of its config."""
    new, parallel = keys.flag("new_decoder_architecture"), keys.flag("parallel_attn")
    heads = keys.whole("num_attention_heads")
    kv_heads = 1
    if new or not keys.flag("multi_query"):
        kv_heads = keys.whole("num_kv_heads", otherwise=heads)
    norms = keys.whole("num_ln_in_parallel_attn", otherwise=2) if new else 1
    spec = CLASSIC._replace(
        qkv_fused=True,
        qkv_bias="bias",
        o_bias="bias",
        mlp_bias="bias",
        mlp_factor=4,
        norms_per_layer=2 if norms == 2 or not parallel else 1,
        parallel=new or parallel,
        rotary=not keys.flag("alibi"),
    )
    return decoder(spec, keys, kv_heads)


def bigcode(keys: Keys) -> Text:
    """GPT-BigCode: GPT-2 with one key/value head."""
    heads = keys.whole("num_attention_heads")
    return decoder(
        GPT2._replace(activation="gelu_pytorch_tanh"),
        keys,
        1 if keys.flag("multi_query") else heads,
    )


def stablelm(keys: Keys) -> Text:
    """StableLM: a parallel residual drops the second norm."""
    parallel = keys.flag("use_parallel_residual")
    return decoder(STABLELM._replace(norms_per_layer=1 if parallel else 2, parallel=parallel), keys)


TABLE: tuple[Architecture, ...] = (
    plain("GPT2LMHeadModel", "gpt2", GPT2, tied=True, also=_GPT2_NAMES),
    Architecture(
        name="GPTBigCodeForCausalLM",
        model_type="gpt_bigcode",
        count=bigcode,
        defaults={"tie_word_embeddings": True, "multi_query": True},
        also=_GPT2_NAMES,
    ),
    plain(
        "GPTNeoForCausalLM",
        "gpt_neo",
        CLASSIC._replace(
            o_bias=True,
            activation="gelu_new",
            mlp_bias=True,
            mlp_factor=4,
            rotary=False,
            positions=0,
        ),
        tied=True,
        also=_NEO_NAMES,
    ),
    plain(
        "GPTJForCausalLM",
        "gptj",
        CLASSIC._replace(
            activation="gelu_new",
            mlp_bias=True,
            mlp_factor=4,
            norms_per_layer=1,
            parallel=True,
            head_bias=True,
        ),
        also=_GPT2_NAMES,
    ),
    plain(
        "GPTNeoXForCausalLM",
        "gpt_neox",
        BIASED._replace(
            qkv_fused=True,
            qkv_bias="attention_bias",
            o_bias="attention_bias",
            parallel="use_parallel_residual",
        ),
        attention_bias=True,
        use_parallel_residual=True,
    ),
    plain(
        "OPTForCausalLM",
        "opt",
        OPT,
        tied=True,
        also={"intermediate_size": ("ffn_dim",)},
        enable_bias=True,
        do_layer_norm_before=True,
    ),
    plain(
        "BloomForCausalLM",
        "bloom",
        BIASED._replace(qkv_fused=True, mlp_factor=4, rotary=False, embedding_norm=True),
        tied=True,
        also={
            "hidden_size": ("n_embed",),
            "num_hidden_layers": ("n_layer",),
            "num_attention_heads": ("n_head",),
            "max_position_embeddings": ("seq_length",),
        },
    ),
    plain(
        "PhiForCausalLM",
        "phi",
        BIASED._replace(
            activation="gelu_new",
            norms_per_layer=1,
            parallel=True,
            head_bias=True,
            qk_norm="head",
            qk_norm_when="qk_layernorm",
            qk_norm_vectors=2,
        ),
        qk_layernorm=False,
    ),
    plain(
        "Starcoder2ForCausalLM",
        "starcoder2",
        CLASSIC._replace(
            qkv_bias="use_bias",
            o_bias="use_bias",
            activation="gelu_pytorch_tanh",
            mlp_bias="use_bias",
            window="sliding_window",
        ),
        tied=True,
        use_bias=True,
        num_key_value_heads=2,
    ),
    plain(
        "NemotronForCausalLM",
        "nemotron",
        CLASSIC._replace(
            qkv_bias="attention_bias",
            o_bias="attention_bias",
            activation="relu2",
            mlp_bias="mlp_bias",
        ),
        attention_bias=False,
        mlp_bias=False,
    ),
    plain(
        "MptForCausalLM",
        "mpt",
        CLASSIC._replace(norm_vectors=1, qkv_fused=True, mlp_factor=4, rotary=False),
        tied=True,
        also={
            "hidden_size": ("d_model",),
            "num_hidden_layers": ("n_layers",),
            "num_attention_heads": ("n_heads",),
            "max_position_embeddings": ("max_seq_len",),
        },
    ),
    Architecture(
        name="FalconForCausalLM",
        model_type="falcon",
        count=falcon,
        defaults={
            "tie_word_embeddings": True,
            "bias": False,
            "multi_query": True,
            "parallel_attn": True,
            "alibi": False,
            "new_decoder_architecture": False,
        },
        also={
            "num_hidden_layers": ("n_layer",),
            "num_attention_heads": ("n_head",),
            "num_kv_heads": ("n_head_kv",),
            "intermediate_size": ("ffn_hidden_size",),
        },
    ),
    Architecture(
        name="StableLmForCausalLM",
        model_type="stablelm",
        count=stablelm,
        defaults={
            "tie_word_embeddings": False,
            "use_qkv_bias": False,
            "qk_layernorm": False,
            "use_parallel_residual": False,
        },
    ),
)
