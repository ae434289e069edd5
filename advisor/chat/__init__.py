"""The conversation as plain lines: with editing and completion on a terminal, and for pipes.

It is also the mode for screen readers: choices are numbered, nothing is drawn twice.
"""

from __future__ import annotations

from advisor.chat.plain import Reader, converse

__all__ = ["Reader", "converse"]
