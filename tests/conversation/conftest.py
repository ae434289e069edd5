"""One conversation over the shipped rules: it keeps nothing but what it worked out."""

from __future__ import annotations

import pytest

from advisor.conversation import Conversation
from advisor.project import open_project
from tests.support import TODAY


@pytest.fixture(scope="session")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Conversation:
    return Conversation(open_project([], TODAY), tmp_path_factory.mktemp("files"))
