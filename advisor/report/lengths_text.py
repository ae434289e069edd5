"""The lengths of a data file for people."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.errors import visible
from advisor.lengths.model import Lengths, Padding
from advisor.lengths.padding import padding
from advisor.report.phrases import names, phrase, wrap
from advisor.report.problems import problem_line
from advisor.report.style import COLUMNS


def lengths_text(lengths: Lengths, limit: float | None, batch: int, language: str) -> str:
    """What ``advisor lengths`` prints, ending with a newline."""
    return "".join(f"{line}\n" for line in lengths_lines(lengths, limit, batch, language))


def lengths_lines(
    lengths: Lengths, limit: float | None, batch: int, language: str, indent: str = ""
) -> Iterator[str]:
    """The lines on a file; what padding costs where a limit is given."""
    told = [_figures(lengths, language), _certainty(lengths, language)]
    if limit is not None:
        told.append(_padding(padding(lengths.histogram, limit, batch), limit, batch, language))
    if lengths.pictures:
        told.append(phrase(language, "data_pictures", count=f"{lengths.pictures:,}"))
    if lengths.faulty:
        told.append(phrase(language, "data_faulty", count=f"{lengths.faulty:,}"))
    for number, text in enumerate(told):
        if text:
            yield from wrap(text, COLUMNS, indent + "  " * bool(number))
    for problem in lengths.problems:
        yield f"{indent}    {problem_line(problem, language)}"


def _figures(lengths: Lengths, language: str) -> str:
    return phrase(
        language,
        "data_figures",
        file=visible(lengths.file),
        columns=visible(names(language, lengths.columns)),
        samples=f"{lengths.samples:,}",
        mean=f"{lengths.mean:,.0f}",
        p95=f"{lengths.p95:,}",
        longest=f"{lengths.longest:,}",
    )


def _certainty(lengths: Lengths, language: str) -> str:
    if lengths.way == "counted":
        return phrase(language, "data_counted")
    return phrase(language, "data_estimated", low=f"{lengths.low:.2f}", high=f"{lengths.high:.2f}")


def _padding(found: Padding, limit: float, batch: int, language: str) -> str:
    wasted = found.sample < 0.995 * found.padded
    text = phrase(
        language,
        "data_padding" if wasted else "data_no_padding",
        limit=f"{limit:,.0f}",
        batch=f"{batch:,}",
        share=f"{100 * (1 - found.sample / found.padded):.0f}",
        grouped=f"{found.padded / found.grouped:.2f}",
        packed=f"{found.padded / found.packed:.2f}",
    )
    if found.cut:
        text += phrase(language, "data_cut", share=f"{100 * found.cut:.2g}")
    return text
