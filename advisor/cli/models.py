"""``advisor models``."""

from advisor.cli.catalogue import catalogue_command

command = catalogue_command(
    "models",
    ("parameters", "layers", "hidden_size", "kv_heads", "vocab_size", "context_length"),
    "List models with their shapes, or show NAME with its sources and its table of linears.",
)
