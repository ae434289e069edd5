"""Whole conversations, line by line: what newcomers ask first, and the way to a plan that fits."""

from __future__ import annotations

from typing import NamedTuple


class Told(NamedTuple):
    """A language, and the lines that a person types; the empty one is Enter alone."""

    language: str
    lines: tuple[str, ...]


STEPS = {
    "steps-en": Told(
        "en",
        (
            "",
            "/back",
            "qwen2.5 7b lora on a 4090 seq 2048",
            "1",
            "2",
            "/why 1",
            "/take",
            "/whatif batch=2",
            "/export yaml out.yaml",
            "/quit",
        ),
    ),
    "steps-zh": Told(
        "zh",
        (
            "",
            "/back",
            "4090 上 LoRA 微调 qwen2.5 7b，长度 2048",
            "1",
            "2",
            "/why 1",
            "/take",
            "/whatif batch=2",
            "/export yaml out.yaml",
            "/quit",
        ),
    ),
    "mistakes-en": Told(
        "en",
        (
            "gibberish",
            "/tkae",
            "qlroa of llama 3 8b on an a100",
            "2",
            "batch 0, rank 1.5, deadline 6",
            "/set",
            "/take 99",
            "/compare nonsense",
            "CUDA out of memory. Tried to allocate 2.00 GiB",
            "/lang klingon",
            "/export pdf",
            "[bold]x[/] \\",
        ),
    ),
}
"""Also kept word for word, as plain readers see them: ``transcripts/``."""

SIX = {
    "six-1-en": Told(
        "en",
        (
            "Can a 4090 do LoRA of a 4B vision model on 50,000 x 512 tokens, batch 4,"
            " checkpointing, within 6 hours?",
            "qwen3-vl 4b",
            "seq 512",
        ),
    ),
    "six-1-zh": Told(
        "zh",
        (
            "4090 能在 6 小时内对 4B 视觉模型做 LoRA 吗？50,000 条 × 512 token，批大小 4，开检查点",
            "qwen3-vl 4b",
            "seq 512",
        ),
    ),
    "six-2-en": Told(
        "en",
        (
            "24 GB, 4B vision model, LoRA, batch 8, seq 1024, rank 32: out of memory after half"
            " an epoch. Lower the rank?",
            "RTX 4090",
            "qwen3-vl 4b",
            "",
        ),
    ),
    "six-2-zh": Told(
        "zh",
        (
            "24 GB，4B 视觉模型 LoRA，批大小 8，长度 1024，rank 32：跑了半个 epoch 爆显存。"
            "要降低 rank 吗？",
            "RTX 4090",
            "qwen3-vl 4b",
            "",
        ),
    ),
    "six-3-en": Told(
        "en",
        (
            "LLaMA-3-8B full on a 3090: CUDA out of memory, Tried to allocate 2.00 GiB."
            " Is my code wrong?",
            "/compare methods",
        ),
    ),
    "six-4-en": Told(
        "en",
        (
            "7B LoRA batch 4 seq 2048 with checkpointing and a fused loss comes to 22-25 GB;"
            " I have 24 GB. Start?",
            "RTX 4090",
            "qwen2.5 7b",
            "rank 32",
            "",
        ),
    ),
    "six-5-en": Told(
        "en",
        (
            "qwen3-vl 4b lora 50000 x 512 tokens bs 4 seq 512 checkpointing on",
            "Are eight A100 eight times faster?",
            "A100 SXM 80GB",
            "Are eight A100 eight times faster?",
        ),
    ),
    "six-6-en": Told("en", ("Only a 3060 12 GB: what can I tune?", "", "")),
}
"""The questions that newcomers come with."""

CONVERSATIONS = {**STEPS, **SIX}
