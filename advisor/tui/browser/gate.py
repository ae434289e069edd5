"""Who may ask, and what a page of ours may load.

Every conversation is a process on this machine, so pages of others must not begin one: neither from
another site (its ``Origin``) nor under a name of theirs that leads here (its ``Host``).
"""

from __future__ import annotations

from collections.abc import Sequence

NAMES = ("127.0.0.1", "localhost", "[::1]")
"""What this machine calls itself."""


def hosts(port: int) -> frozenset[str]:
    """The values of ``Host`` that mean us; browsers leave port 80 away."""
    named = {f"{name}:{port}" for name in NAMES}
    return frozenset(named | set(NAMES) if port == 80 else named)


def is_host(values: Sequence[str], port: int) -> bool:
    """Whether a request names us, once."""
    return len(values) == 1 and values[0].lower() in hosts(port)


def is_origin(values: Sequence[str], host: str) -> bool:
    """Whether a request comes from the page that ``host`` itself served."""
    return len(values) == 1 and values[0].lower() == f"http://{host.lower()}"


def headers(host: str) -> dict[str, str]:
    """What every answer tells the browser: nothing is loaded from anywhere else."""
    policy = (
        "default-src 'self'",
        "style-src 'self' 'unsafe-inline'",  # the terminal's own sizes and colours
        "img-src 'self' data:",
        f"connect-src 'self' ws://{host}",  # not every browser counts a WebSocket as 'self'
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
    return {
        "Content-Security-Policy": "; ".join(policy),
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cache-Control": "no-store",
    }
