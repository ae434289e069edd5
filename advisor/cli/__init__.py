"""The command line: ``advisor VERB``. Each verb is one module, imported when it is called."""

from __future__ import annotations

from advisor.cli.app import main

__all__ = ["main"]
