"""A declarative rules engine and advisor for fine-tuning large language models."""

__version__ = "0.1.0"
