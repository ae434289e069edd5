"""Flags that set inputs over what a file says: ``--set``, and short ones for what is set most."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import click

from advisor.errors import BadCall, said

_NAME = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*")
_SHORT = {
    "model": "model",
    "gpu": "hardware.gpu",
    "gpus": "hardware.count",
    "price": "cost.price_per_gpu_hour",
}


def settings_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """``--model``, ``--gpu``, ``--gpus``, ``--price`` and ``--set``."""
    for option in (
        click.option(
            "--set",
            "set_",
            multiple=True,
            metavar="INPUT=VALUE",
            help="Set any input, as training.micro_batch_size=2; repeatable.",
        ),
        click.option("--price", metavar="USD/H", help="Price of one GPU for an hour, as 1.99."),
        click.option("--gpus", metavar="N", help="Number of GPUs."),
        click.option("--gpu", metavar="NAME", help="The GPU, as 'RTX 4090'."),
        click.option("--model", metavar="NAME", help="The model, as Qwen/Qwen2.5-7B."),
    ):
        function = option(function)
    return function


def settings_of(flags: dict[str, Any]) -> list[tuple[str, str]]:
    """The input names and written values of the flags, short ones first."""
    found = [
        (name, str(flags[short])) for short, name in _SHORT.items() if flags.get(short) is not None
    ]
    for written in flags.get("set_", ()):
        name, sign, value = str(written).partition("=")
        if not sign or not name.strip() or not value.strip():
            raise BadCall(said("--set {written}: write it as INPUT=VALUE", written=written[:60]))
        if not _NAME.fullmatch(name.strip()):
            shown = " ".join(name.split())[:60]
            raise BadCall(said("--set: '{shown}' is no name of an input", shown=shown))
        found.append((name.strip(), value.strip()))
    return found
