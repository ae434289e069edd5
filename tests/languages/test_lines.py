"""Where Chinese lines break, and how a language joins names and remarks."""

from __future__ import annotations

import pytest

from advisor.report.phrases import labelled, names, remarked, width, wrap

TEXTS = [
    "需要 32.4 GiB，可用 22.5 GiB；视 training.framework、training.micro_batch_size 而定。",
    "按顺序这样做（单独可省 0.7 GiB） · 截断过长的样本（单独可省 6.3 GiB）。",
    "把“qlroa”读作 qlora：《说明》与「引用」都在这里！真的？是的……",
    "（（（，，，。。。）））",
    "plain words only, as in English (with brackets); nothing moves.",
]


@pytest.mark.parametrize("columns", range(8, 60, 3))
@pytest.mark.parametrize("text", TEXTS)
def test_no_line_begins_with_what_closes_or_ends_with_what_opens(text, columns):
    lines = wrap(text, columns, "  ")
    assert "".join("".join(lines).split()) == "".join(text.split())
    for line in lines:
        bare = line.strip()
        if set(bare) - set("（，。）"):  # a piece of marks alone stays as it is
            assert bare[0] not in "，。：；、）」》！？…”"
            assert bare[-1] not in "（「《“"


@pytest.mark.parametrize("columns", [20, 40, 92])
@pytest.mark.parametrize("text", TEXTS[:3])
def test_lines_are_no_wider_than_asked_unless_a_word_is(text, columns):
    longest = max(width(word) for word in ["training.micro_batch_size", "而定。"])
    assert all(width(line) <= max(columns, longest + 2) for line in wrap(text, columns, ""))


@pytest.mark.parametrize(
    ("language", "joined", "told", "noted"),
    [
        ("en", "a, b", "cost: 1", "yes (if so)"),
        ("zh", "a、b", "cost：1", "yes（if so）"),
    ],
)
def test_a_language_joins_as_it_does(language, joined, told, noted):
    assert names(language, ["a", "b"]) == joined
    assert names(language, ["a"]) == "a"
    assert names(language, []) == ""
    assert labelled(language, "cost", "1") == told
    assert remarked(language, "yes", "if so") == noted
    assert remarked(language, "yes", "") == "yes"
