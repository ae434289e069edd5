"""How trainers' own files were read, as lines: what they are, what each value rests on, what was
left open."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.check import CheckResult
from advisor.evaluate import Reader
from advisor.report.phrases import labelled, wrap
from advisor.report.style import COLUMNS, Style
from advisor.rulebook.model import say
from advisor.rulebook.values import input_text
from advisor.trainers.assemble import Translation
from advisor.trainers.recognise import Recognised
from advisor.trainers.resolve import Note
from advisor.verdict import Verdict, is_idle

_SHOWN = 6
"""Keys that are told to say why a file was taken for what it is."""


def source_lines(translation: Translation, style: Style) -> Iterator[str]:
    """What each file was taken for, and why."""
    several = len({one.document.name for one in translation.sources}) > 1
    for one in translation.sources:
        line = _source(one, style)
        if several:
            line = labelled(style.language, one.document.name, line)
        yield from wrap(line, COLUMNS, "  ")


def _source(one: Recognised, style: Style) -> str:
    why = style.names(one.because[:_SHOWN]) or "--as"
    line = style.word(
        "read_as",
        trainer=one.format.title,
        sure=style.word(f"confidence_{one.confidence}"),
        why=why,
        share=f"{one.share * 100:.0f} %",
    )
    if one.others:
        line += style.word("read_as_other", names=style.names(one.others))
    return line


def note_lines(translation: Translation, style: Style) -> Iterator[str]:
    """What was left open or out, and where a file is looser than it looks."""
    for note in translation.notes:
        yield from wrap(f"! {note_text(note, style.language)}", COLUMNS, "  ")
    for warning in translation.warnings:
        yield from wrap(f"! {warning}", COLUMNS, "  ")


def note_text(note: Note, language: str) -> str:
    """One note as a sentence with its place."""
    style = Style(language)
    said = say(note.text, language)
    sentence = style.word(
        f"note_{note.kind.replace('-', '_')}",
        inputs=style.names(note.inputs),
        shown=note.shown,
        text=said,
    )
    left = note.kind == "uncounted" and note.inputs
    if left:
        sentence += style.word("sentences")
        sentence += style.word("note_leaves", inputs=style.names(note.inputs))
    return labelled(language, str(note.where), sentence) if note.where.line else sentence


def value_lines(result: CheckResult, verdict: Verdict, style: Style) -> Iterator[str]:
    """Every value that came from the files or from what their trainer does without them."""
    trace = verdict.trace
    read = Reader(trace)
    given: list[str] = []
    implied: list[str] = []
    for name, one in trace.scenario.given.items():
        source = trace.book.inputs[name]
        if one.origin not in ("given", "trainer") or source.type == "date":
            continue
        shown = f"{name} = {input_text(source, one.value)}"
        if one.origin == "given" and one.span is not None:
            place = str(one.span.line) if one.span.file == result.path else str(one.span)
            given.append(style.remarked(shown, place if one.span.line else ""))
        elif one.origin == "trainer" and not is_idle(read, source):
            _, _, why = one.source.partition(": ")
            implied.append(style.remarked(shown, why))
    if given:
        yield from wrap(style.labelled("read_given", " · ".join(given)), COLUMNS, "  ")
    if implied:
        yield from wrap(style.labelled("read_implied", " · ".join(implied)), COLUMNS, "  ")
