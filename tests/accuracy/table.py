"""The table of ``rules/README.md`` that says how good the rules are."""

from __future__ import annotations

import re

from advisor.accuracy import Figures, VerdictFigures
from advisor.report.accuracy_text import percent
from tests.accuracy.bars import FILES, accuracy
from tests.support import ROOT

README = ROOT / "rules/README.md"
START = "<!-- accuracy: python -m tests.accuracy --write -->"
END = "<!-- end of accuracy -->"
_SECTION = re.compile(f"{re.escape(START)}\n.*?{re.escape(END)}", re.DOTALL)


def table() -> str:
    """The table as Markdown."""
    groups = [one for file in FILES for one in accuracy(file).groups]
    lines = [
        "| what | runs | median error | nine of ten within | worst | bias | in band | half band |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    lines += [_line(one) for one in groups if isinstance(one, Figures)]
    for one in groups:
        if isinstance(one, VerdictFigures):
            lines += ["", _sentence(one)]
    return "\n".join(lines)


def _line(one: Figures) -> str:
    cells = [
        one.group,
        str(one.rows),
        percent(one.median),
        percent(one.p90),
        percent(one.worst),
        f"{one.bias * 100:+.1f} %",
        percent(one.covered, 0),
        f"±{percent(one.width, 0)}",
    ]
    return f"| {' | '.join(cells)} |"


def _sentence(one: VerdictFigures) -> str:
    refused = f"{one.ran_refused} {'is' if one.ran_refused == 1 else 'are'}"
    return (
        f"Of {one.oom} runs that did not fit, {one.oom_refused} are refused; "
        f"of {one.ran} that ran, {refused}. {one.tight} are called tight."
    )


def renewed(text: str) -> str:
    """A document with the table between its markers written anew."""
    if not _SECTION.search(text):
        raise ValueError(f"there is no '{START}' in the document")
    section = f"{START}\n{table()}\n{END}"
    return _SECTION.sub(lambda found: section, text)
