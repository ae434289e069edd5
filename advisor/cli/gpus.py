"""``advisor gpus``."""

from advisor.cli.catalogue import catalogue_command

command = catalogue_command(
    "gpus",
    ("memory_marketed", "bandwidth", "peak_bf16", "price_likely"),
    "List GPUs with memory, bandwidth, dense bf16 peak and price, or show NAME with its sources.",
)
