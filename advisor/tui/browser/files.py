"""Files as a browser has them: what is written is downloaded, and nothing is read."""

from __future__ import annotations

from pathlib import Path

from advisor.errors import BadCall, said
from advisor.source import Document

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
_LONGEST = 100


class Downloads:
    """``/open`` reads nothing; ``/save`` and ``/export`` make a download of a plain name."""

    told = "exported_download"

    def read(self, path: str) -> Document:
        raise BadCall(
            said(
                "a browser opens no file of this machine; say the answers here, "
                "or begin with 'advisor chat FILE' on a terminal"
            )
        )

    def folder_of(self, path: str) -> Path | None:
        return None

    def write(self, path: str, text: str, replace: bool) -> None:
        if not is_plain(path):
            raise BadCall(
                said(
                    "a download has a plain name without a folder, as scenario.yaml; "
                    "the browser decides where it goes"
                )
            )


def is_plain(name: str) -> bool:
    """Whether a name is safe as that of a download everywhere."""
    return set(name) <= _PLAIN and name[:1] not in ("", ".", "-") and len(name) <= _LONGEST
