"""The conversation as a full screen: chat, question, and a panel with where answers stand.

Everything on it is made from the conversation's events and states. Importing this package imports
Textual, so the command line decides first whether there is a screen to draw on.
"""

from __future__ import annotations

from advisor.tui.app import AdvisorApp, converse

__all__ = ["AdvisorApp", "converse"]
