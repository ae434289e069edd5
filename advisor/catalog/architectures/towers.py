"""Vision towers and projectors. Matrices of both are rows of the group ``vision``.

A convolution over patches is no matrix that an adapter takes, so it counts in ``rest``.
"""

from __future__ import annotations

from itertools import pairwise

from advisor.catalog.architectures.experts import mlp
from advisor.catalog.architectures.keys import Aliases, Default, Keys
from advisor.catalog.architectures.shape import Block, Linear, Text, Vision
from advisor.errors import said

_G = "vision"


def encoder(
    hidden: int,
    size: int,
    layers: int,
    *,
    fused: bool = False,
    width: int = 0,
    bias: bool = True,
    mlp_bias: bool = True,
    gated: bool = False,
    norm_vectors: int = 2,
    norms: int = 2,
) -> Block:
    """``layers`` blocks of attention and MLP with ``norms`` norms each."""
    width = width or hidden
    names = (("qkv", 3 * width),) if fused else (("q", width), ("k", width), ("v", width))
    rows = [Linear(name, _G, hidden, out, layers, bias=bias) for name, out in names]
    rows.append(Linear("o", _G, width, hidden, layers, bias=bias))
    inner = mlp(hidden, size, layers, gated=gated, bias=mlp_bias, group=_G)
    return Block(tuple(rows), norms * norm_vectors * hidden * layers) + inner


def chain(*widths: int, bias: bool = True, count: int = 1) -> Block:
    """A projector: matrices from width to width."""
    pairs = list(pairwise(widths))
    names = ["up", *["down"] * (len(pairs) - 1)]
    return Block(
        tuple(
            Linear(name, _G, inputs, outputs, count, bias=bias)
            for name, (inputs, outputs) in zip(names, pairs, strict=True)
        )
    )


def inner(keys: Keys, also: Aliases | None = None, **defaults: Default) -> Keys:
    """The vision_config; an absent one is missing."""
    found = keys.nested("vision_config", defaults=defaults, also=also)
    if found is None:
        if keys.mapping.get("vision_config") is None:
            keys.missing.append("vision_config")
        found = Keys(
            keys.document, type(keys.mapping)(), defaults={}, also={}, problems=[], missing=[]
        )
    return found


CHANNELS = {"in_channels": ("in_chans", "num_channels")}


def patches(keys: Keys, hidden: int, frames: str = "", bias: bool = False) -> int:
    """Parameters of the convolution over patches."""
    side = keys.side("patch_size")
    depth = keys.whole(frames) if frames else 1
    return keys.whole("in_channels", otherwise=3) * side * side * depth * hidden + bias * hidden


def qwen2_vl(keys: Keys, text: Text) -> Vision:
    """Qwen2-VL: LayerNorm, plain MLP, merger of 2 x 2 patches."""
    v = inner(
        keys,
        CHANNELS,
        depth=32,
        embed_dim=1280,
        mlp_ratio=4,
        patch_size=14,
        spatial_merge_size=2,
        temporal_patch_size=2,
    )
    hidden, layers = v.whole("embed_dim"), v.whole("depth")
    size, merged = hidden * v.whole("mlp_ratio"), hidden * v.whole("spatial_merge_size") ** 2
    block = encoder(hidden, size, layers, fused=True)
    block += chain(merged, merged, v.whole("hidden_size", otherwise=text.hidden_size))
    block += Block(rest=patches(v, hidden, "temporal_patch_size") + 2 * hidden)
    return Vision(block=block, layers=layers, hidden_size=hidden, intermediate_size=size)


def qwen25_vl(keys: Keys, text: Text) -> Vision:
    """Qwen2.5-VL: RMSNorm, gated MLP, window attention in most layers."""
    v = inner(keys, CHANNELS, depth=32, patch_size=14, spatial_merge_size=2, temporal_patch_size=2)
    hidden, layers, size = v.whole("hidden_size"), v.whole("depth"), v.whole("intermediate_size")
    merged = hidden * v.whole("spatial_merge_size") ** 2
    block = encoder(hidden, size, layers, fused=True, gated=True, norm_vectors=1)
    block += chain(merged, merged, v.whole("out_hidden_size", otherwise=text.hidden_size))
    block += Block(rest=patches(v, hidden, "temporal_patch_size") + hidden)
    return Vision(block=block, layers=layers, hidden_size=hidden, intermediate_size=size)


def qwen3_vl(keys: Keys, text: Text) -> Vision:
    """Qwen3-VL: learned positions, and a merger beside each deepstack layer."""
    v = inner(keys, CHANNELS, spatial_merge_size=2, temporal_patch_size=2)
    deep = v.items("deepstack_visual_indexes", int)
    if deep is None:
        keys.missing.append("vision_config.deepstack_visual_indexes")
        deep = []
    return _qwen3_tower(v, text, len(deep))


def qwen35(keys: Keys, text: Text) -> Vision:
    """Qwen3.5: the tower of Qwen3-VL without deepstack."""
    v = inner(keys, CHANNELS, spatial_merge_size=2, temporal_patch_size=2)
    return _qwen3_tower(v, text, 0)


def _qwen3_tower(v: Keys, text: Text, deep: int) -> Vision:
    hidden, layers, size = v.whole("hidden_size"), v.whole("depth"), v.whole("intermediate_size")
    merged = hidden * v.whole("spatial_merge_size") ** 2
    block = encoder(hidden, size, layers, fused=True)
    out = v.whole("out_hidden_size", otherwise=text.hidden_size)
    block += chain(merged, merged, out, count=1 + deep)
    rest = patches(v, hidden, "temporal_patch_size", bias=True)
    rest += v.whole("num_position_embeddings") * hidden + 2 * hidden + 2 * merged * deep
    return Vision(
        block=block + Block(rest=rest), layers=layers, hidden_size=hidden, intermediate_size=size
    )


_CLIP = {
    "hidden_size": 1024,
    "num_hidden_layers": 24,
    "intermediate_size": 4096,
    "image_size": 336,
    "patch_size": 14,
}


def llava(keys: Keys, text: Text) -> Vision:
    """LLaVA 1.5: CLIP and a two-layer projector; every patch of the image is a token."""
    block, v = _clip(keys, text)
    tokens = (v.side("image_size") // v.side("patch_size")) ** 2
    return vision_of(block, v, tokens)


def llava_next(keys: Keys, text: Text) -> Vision:
    """LLaVA-NeXT: as LLaVA, over several crops, with one learned line break."""
    block, v = _clip(keys, text)
    return vision_of(block + Block(rest=text.hidden_size), v)


def _clip(keys: Keys, text: Text) -> tuple[Block, Keys]:
    v = inner(keys, CHANNELS, **_CLIP)
    hidden, layers, size = sizes_of(v)
    count = (v.side("image_size") // v.side("patch_size")) ** 2
    bias = keys.flag("multimodal_projector_bias")
    block = encoder(hidden, size, layers)
    block += chain(hidden, text.hidden_size, text.hidden_size, bias=bias)
    return block + Block(rest=patches(v, hidden) + hidden * (1 + count + 1 + 4)), v


def sizes_of(v: Keys) -> tuple[int, int, int]:
    return v.whole("hidden_size"), v.whole("num_hidden_layers"), v.whole("intermediate_size")


def vision_of(block: Block, v: Keys, tokens: int | None = None) -> Vision:
    hidden, layers, size = sizes_of(v)
    return Vision(
        block=block, layers=layers, hidden_size=hidden, intermediate_size=size, tokens=tokens
    )


def gemma3(keys: Keys, text: Text) -> Vision:
    """Gemma 3: SigLIP, pooled to a fixed number of tokens; the projector is a lone matrix."""
    v = inner(keys, CHANNELS, vision_use_head=True)
    hidden, layers, size = sizes_of(v)
    count = (v.side("image_size") // v.side("patch_size")) ** 2
    rest = patches(v, hidden, bias=True) + hidden * (count + 2 + 1 + text.hidden_size)
    if v.flag("vision_use_head"):  # a pooling head that published Gemma 3 models leave out
        rest += hidden * (4 * hidden + 4 + 3) + 2 * hidden * size + hidden + size
    tokens = keys.whole("mm_tokens_per_image")
    return vision_of(encoder(hidden, size, layers) + Block(rest=rest), v, tokens)


def internvl(keys: Keys, text: Text) -> Vision:
    """InternVL: layer scales, pixel shuffle before the projector."""
    v = inner(
        keys,
        CHANNELS,
        hidden_size=1024,
        num_hidden_layers=24,
        intermediate_size=4096,
        image_size=448,
        patch_size=14,
        attention_bias=False,
        use_qk_norm=False,
        use_mask_token=False,
    )
    hidden, layers, size = sizes_of(v)
    count = (v.side("image_size") // v.side("patch_size")) ** 2
    if v.flag("use_qk_norm") or v.flag("use_mask_token"):
        v.report("use_qk_norm", said("query norms and mask tokens are not known here."))
    bias = v.flag("attention_bias")
    ratio = keys.mapping.get("downsample_ratio", 0.5)
    if ratio != 0.5:
        keys.report(
            "downsample_ratio", said("'downsample_ratio' other than 0.5 is not known here.")
        )
    # InternVL's output projection always has a bias, its queries, keys and values may.
    block = encoder(hidden, size, layers, bias=bias)
    rest = patches(v, hidden, bias=True) + hidden * (1 + count + 1)
    rest += 2 * hidden * layers + (0 if bias else hidden * layers) + 2 * 4 * hidden
    block += chain(4 * hidden, text.hidden_size, text.hidden_size)
    return vision_of(block + Block(rest=rest), v)


def mistral3(keys: Keys, text: Text) -> Vision:
    """Mistral Small 3.1 and Ministral 3: Pixtral, a patch merger and a two-layer projector."""
    v = inner(
        keys,
        CHANNELS,
        hidden_size=1024,
        num_hidden_layers=24,
        intermediate_size=4096,
        num_attention_heads=16,
    )
    hidden, layers, size = sizes_of(v)
    heads = v.whole("num_attention_heads")
    head_dim = v.whole("head_dim", otherwise=v.share("num_attention_heads", hidden, heads))
    merge = keys.whole("spatial_merge_size") ** 2
    bias = keys.flag("multimodal_projector_bias")
    block = encoder(
        hidden,
        size,
        layers,
        width=heads * head_dim,
        bias=False,
        mlp_bias=False,
        gated=True,
        norm_vectors=1,
    )
    block += chain(merge * hidden, hidden, bias=False)
    block += chain(hidden, text.hidden_size, text.hidden_size, bias=bias)
    return vision_of(block + Block(rest=patches(v, hidden) + 2 * hidden), v)


def llama4(keys: Keys, text: Text) -> Vision:
    """Llama 4: patches through a matrix, pixel shuffle, adapter."""
    v = inner(keys, CHANNELS)
    hidden, layers, size = sizes_of(v)
    side, out = v.side("patch_size"), v.whole("projector_output_dim")
    count = (v.side("image_size") // side) ** 2
    # The adapter's input is intermediate_size, which is hidden_size after the shuffle.
    block = encoder(hidden, size, layers)
    block += chain(v.whole("in_channels", otherwise=3) * side * side, hidden, bias=False)
    block += chain(size, v.whole("projector_input_dim"), out, bias=False)
    block += chain(v.whole("vision_output_dim"), text.hidden_size, bias=False)
    return vision_of(block + Block(rest=hidden * (1 + count + 1 + 4)), v)


def mllama(keys: Keys, text: Text) -> Vision:
    """Llama 3.2 Vision: tiles, a second encoder, positions for every arrangement of tiles."""
    v = inner(
        keys,
        CHANNELS,
        hidden_size=1280,
        num_hidden_layers=32,
        num_global_layers=8,
        intermediate_size=5120,
        max_num_tiles=4,
        patch_size=14,
        vision_output_dim=7680,
    )
    hidden, layers, size = sizes_of(v)
    further, tiles = v.whole("num_global_layers"), v.whole("max_num_tiles")
    count = (v.side("image_size") // v.side("patch_size")) ** 2 + 1
    # An arrangement is a pair of numbers of tiles whose product is within the maximum; and none.
    shapes = 1 + sum(1 for high in range(1, tiles + 1) for wide in range(1, tiles // high + 1))
    block = encoder(hidden, size, layers + further, bias=False)
    block += chain(v.whole("vision_output_dim"), text.hidden_size)
    rest = patches(v, hidden) + hidden + 2 * further + 4 * hidden
    rest += 1 + count * hidden + shapes * tiles * count * hidden
    rest += 2 * (1 + shapes * tiles * hidden)
    return Vision(
        block=block + Block(rest=rest),
        layers=layers + further,
        hidden_size=hidden,
        intermediate_size=size,
    )
