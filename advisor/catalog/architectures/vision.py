"""Models that read images: a decoder from another table, and a tower."""

from __future__ import annotations

from advisor.catalog.architectures import towers
from advisor.catalog.architectures.decoder import Decoder, decoder, projections, sizes
from advisor.catalog.architectures.gemma4 import gemma4_vision
from advisor.catalog.architectures.keys import Default, Keys
from advisor.catalog.architectures.shape import Block, Text
from advisor.catalog.architectures.table import Architecture, VisionRule

_CROSS = "cross-attention"


def mllama_text(keys: Keys) -> Text:
    """Llama 3.2 Vision: some layers look at the image instead of the text."""
    size = sizes(keys)
    named = keys.items("cross_attention_layers", int)
    if named is None:
        keys.missing.append(keys.path + "cross_attention_layers")
    cross = min(size.layers, len(set(named or [])))
    text = decoder(Decoder(), keys)
    group = frozenset(("q", "k", "v", "o"))
    spec = Decoder(qk_norm="head")
    attention = projections(Decoder(), keys, size, size.layers - cross)
    attention += projections(spec, keys, size, cross, group=_CROSS)
    others = tuple(row for row in text.block.linears if row.name not in group)
    rest = text.block.rest + 2 * cross  # two gates in a cross layer
    # The embedding has eight rows more than the head, for the image's own tokens.
    return text._replace(
        block=attention + Block(others, rest),
        embedding=text.embedding + 8 * size.hidden,
    )


def composite(
    name: str,
    model_type: str,
    vision: VisionRule,
    text: str = "",
    same_text: bool = True,
    **defaults: Default,
) -> Architecture:
    """A decoder of the architecture ``text`` (or as its config says) with a tower."""
    return Architecture(
        name=name,
        model_type=model_type,
        text=text,
        same_text=same_text,
        vision=vision,
        defaults=defaults,
    )


TABLE: tuple[Architecture, ...] = (
    composite(
        "Qwen2VLForConditionalGeneration",
        "qwen2_vl",
        towers.qwen2_vl,
        "Qwen2ForCausalLM",
        same_text=False,
    ),
    composite(
        "Qwen2_5_VLForConditionalGeneration",
        "qwen2_5_vl",
        towers.qwen25_vl,
        "Qwen2ForCausalLM",
        same_text=False,
    ),
    composite(
        "Qwen3VLForConditionalGeneration",
        "qwen3_vl",
        towers.qwen3_vl,
        "Qwen3ForCausalLM",
        same_text=False,
    ),
    composite(
        "Qwen3VLMoeForConditionalGeneration",
        "qwen3_vl_moe",
        towers.qwen3_vl,
        "Qwen3MoeForCausalLM",
        same_text=False,
    ),
    composite("Qwen3_5ForConditionalGeneration", "qwen3_5", towers.qwen35, "Qwen3_5ForCausalLM"),
    composite(
        "Qwen3_5MoeForConditionalGeneration", "qwen3_5_moe", towers.qwen35, "Qwen3_5MoeForCausalLM"
    ),
    composite(
        "LlavaForConditionalGeneration", "llava", towers.llava, multimodal_projector_bias=True
    ),
    composite(
        "LlavaNextForConditionalGeneration",
        "llava_next",
        towers.llava_next,
        multimodal_projector_bias=True,
    ),
    composite("InternVLForConditionalGeneration", "internvl", towers.internvl),
    composite(
        "Mistral3ForConditionalGeneration",
        "mistral3",
        towers.mistral3,
        multimodal_projector_bias=False,
        spatial_merge_size=2,
    ),
    composite(
        "Gemma3ForConditionalGeneration",
        "gemma3",
        towers.gemma3,
        "Gemma3ForCausalLM",
        mm_tokens_per_image=256,
    ),
    composite("Gemma4ForConditionalGeneration", "gemma4", gemma4_vision, "Gemma4ForCausalLM"),
    composite("Llama4ForConditionalGeneration", "llama4", towers.llama4, "Llama4ForCausalLM"),
    composite("MllamaForConditionalGeneration", "mllama", towers.mllama, "MllamaForCausalLM"),
    Architecture(
        name="MllamaForCausalLM",
        model_type="mllama_text_model",
        count=mllama_text,
        defaults={"tie_word_embeddings": False},
    ),
)
