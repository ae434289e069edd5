"""Options of the suite."""

from __future__ import annotations

import os

import pytest

os.environ.pop("GITHUB_ACTIONS", None)  # there, a check tells itself how to report


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="Write the golden reports anew instead of comparing.",
    )
