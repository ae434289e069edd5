"""The languages there are, and which one a call speaks."""

from __future__ import annotations

import os

LANGUAGES = ("en", "zh")


def language(written: str | None) -> str:
    """The language asked for, or the locale's when we speak it, or English."""
    if written:
        return written
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name)
        if value:
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"
