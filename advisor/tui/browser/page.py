"""The page and what it loads: our own files, and the terminal and font that textual-serve ships.

textual-serve is MIT, xterm.js inside it MIT, Roboto Mono Apache-2.0. Its own page is not used: that
one loads a font from elsewhere.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from string import Template

import textual_serve

from advisor.conversation import message

_OURS = Path(__file__).with_name("static")
_THEIRS = Path(textual_serve.__file__).with_name("static")

FILES = {
    "page.css": (_OURS / "page.css", "text/css"),
    "page.js": (_OURS / "page.js", "text/javascript"),
    "xterm.css": (_THEIRS / "css" / "xterm.css", "text/css"),
    "textual.js": (_THEIRS / "js" / "textual.js", "text/javascript"),
    "mono.ttf": (_THEIRS / "fonts" / "RobotoMono-VariableFont_wght.ttf", "font/ttf"),
    "mono-italic.ttf": (_THEIRS / "fonts" / "RobotoMono-Italic-VariableFont_wght.ttf", "font/ttf"),
}
"""Name below ``/static/`` -> file and content type. Nothing else is served."""


def page(language: str, host: str) -> str:
    """The HTML of the page as seen under a host that was checked."""
    words = ("browser_begins", "browser_ended", "browser_again", "browser_no_script")
    filled = {name: escape(message(language, name)) for name in words}
    text = (_OURS / "page.html").read_text("utf-8")
    return Template(text).substitute(language=escape(language), host=escape(host), **filled)
