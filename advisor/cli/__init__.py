"""The command line: ``advisor VERB``. Each verb is one module, imported when it is called."""

from __future__ import annotations

import gc
import sys


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with an Exit code, also when interrupted while loading."""
    gc.disable()  # a call lives for a fraction of a second; collecting costs a fifth of it
    try:
        from advisor.cli.app import main as run
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(130)
    run(arguments)


__all__ = ["main"]
