"""Text for the clipboard of the terminal that shows it, wherever the program runs (OSC 52)."""

from __future__ import annotations

import base64

MAX_BYTES = 74_994
"""What common terminals take; a longer text is cut rather than refused by them."""


def osc52(text: str, in_tmux: bool = False) -> str:
    """The escape sequence that puts a text on the clipboard; wrapped so that tmux passes it on."""
    data = base64.b64encode(text.encode("utf-8", "replace")[:MAX_BYTES]).decode("ascii")
    sequence = f"\x1b]52;c;{data}\x07"
    if not in_tmux:
        return sequence
    doubled = sequence.replace("\x1b", "\x1b\x1b")
    return f"\x1bPtmux;{doubled}\x1b\\"
