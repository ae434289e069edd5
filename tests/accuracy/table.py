"""The table of ``rules/README.md``, in both languages, that says how good the rules are."""

from __future__ import annotations

import re

from advisor.accuracy import Figures, VerdictFigures
from advisor.report.accuracy_text import percent
from advisor.rulebook.model import say
from tests.accuracy.bars import FILES, accuracy
from tests.support import ROOT

READMES = {"en": ROOT / "rules/README.md", "zh": ROOT / "rules/README.zh.md"}
HEADS = {
    "en": ("what", "runs", "median error", "nine of ten within", "worst", "bias", "in band",
           "half band"),
    "zh": ("内容", "次数", "误差中位数", "九成在此之内", "最差", "偏差", "区间内", "半宽"),
}  # fmt: skip
START = "<!-- accuracy: python -m tests.accuracy --write -->"
END = "<!-- end of accuracy -->"
_SECTION = re.compile(f"{re.escape(START)}\n.*?{re.escape(END)}", re.DOTALL)


def table(language: str) -> str:
    """The table as Markdown."""
    titles = {
        name: say(title, language)
        for file in FILES for name, title in accuracy(file).titles.items()
    }  # fmt: skip
    groups = [one for file in FILES for one in accuracy(file).groups]
    lines = [f"| {' | '.join(HEADS[language])} |", "|---|--:|--:|--:|--:|--:|--:|--:|"]
    lines += [_line(one, titles) for one in groups if isinstance(one, Figures)]
    for one in groups:
        if isinstance(one, VerdictFigures):
            lines += ["", _SENTENCES[language](one)]
    return "\n".join(lines)


def _line(one: Figures, titles: dict[str, str]) -> str:
    cells = [
        titles.get(one.group, one.group),
        str(one.rows),
        percent(one.median),
        percent(one.p90),
        percent(one.worst),
        f"{one.bias * 100:+.1f} %",
        percent(one.covered, 0),
        f"±{percent(one.width, 0)}",
    ]
    return f"| {' | '.join(cells)} |"


def _english(one: VerdictFigures) -> str:
    refused = f"{one.ran_refused} {'is' if one.ran_refused == 1 else 'are'}"
    return (
        f"Of {one.oom} runs that did not fit, {one.oom_refused} are refused; "
        f"of {one.ran} that ran, {refused}. {one.tight} are called tight."
    )


def _chinese(one: VerdictFigures) -> str:
    return (
        f"放不下的 {one.oom} 次中，{one.oom_refused} 次被拒绝；"
        f"跑通的 {one.ran} 次中，{one.ran_refused} 次被误判。{one.tight} 次被标为偏紧。"
    )


_SENTENCES = {"en": _english, "zh": _chinese}


def renewed(text: str, language: str) -> str:
    """A document with the table between its markers written anew."""
    if not _SECTION.search(text):
        raise ValueError(f"there is no '{START}' in the document")
    section = f"{START}\n{table(language)}\n{END}"
    return _SECTION.sub(lambda found: section, text)
