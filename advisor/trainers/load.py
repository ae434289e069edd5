"""Trainer files (``rules/trainers/*.yaml``) into checked formats, every problem located."""

from collections.abc import Mapping as AnyMapping
from pathlib import Path
from typing import Any

from advisor import schemas
from advisor.errors import FileProblems, Problem, Span, said, suggestion
from advisor.rulebook.model import NO_TEXT, Input, Text
from advisor.source import Document, Mapping, read_file
from advisor.trainers.building import Builder, conditions, listed, signatures
from advisor.trainers.model import Format, Inner, Reading, Unknowable

SHARED = "shared/words.yaml"


def read_formats(folder: Path, shown: str, inputs: AnyMapping[str, Input]) -> tuple[Format, ...]:
    """Every format that a folder of trainer files describes, in the order of their names.

    Files that only write (no ``recognise:``) are left out. Raises FileProblems with everything
    wrong in all of them.
    """
    problems: list[Problem] = []
    words = _shared(folder / SHARED, f"{shown}/{SHARED}", problems)
    formats: list[Format] = []
    for path in sorted(folder.glob("*.yaml")):
        name = f"{shown}/{path.name}"
        try:
            document = read_file(path, name, skip=("writes",))
        except FileProblems as error:
            problems.extend(error.problems)
            continue
        if not schemas.accepts("trainer", document.data):
            problems.extend(schemas.problems("trainer", document))
            continue
        if "recognise" in document.data:
            formats.append(_format(document, words, inputs, problems))
    known = {one.name for one in formats}
    for one in formats:
        for inner in one.inner:
            if inner.trainer and inner.trainer not in known:
                message = said(
                    "'inner' names '{name}', which no trainer file is.", name=inner.trainer
                )
                hint = suggestion(inner.trainer, known)
                problems.append(Problem("unknown-name", message, hint, one.span))
    if problems:
        raise FileProblems(problems)
    return tuple(formats)


def _shared(path: Path, shown: str, problems: list[Problem]) -> AnyMapping[str, Mapping]:
    """The maps that several trainers have in common."""
    if not path.is_file():
        return {}
    try:
        document = read_file(path, shown)
    except FileProblems as error:
        problems.extend(error.problems)
        return {}
    words = document.data.get("words") if isinstance(document.data, Mapping) else None
    if not isinstance(words, Mapping) or set(document.data) - {"language", "words"}:
        message = said("shared words are a map of maps under words:.")
        problems.append(Problem("wrong-type", message, "", document.start))
        return {}
    for name, one in words.items():
        if not isinstance(one, Mapping):
            message = said("'{name}' is no map.", name=name[:60])
            where = document.span(words, name)
            problems.append(Problem("wrong-type", message, said("Write word: ours."), where))
    return {name: one for name, one in words.items() if isinstance(one, Mapping)}


def _format(
    document: Document,
    words: AnyMapping[str, Mapping],
    inputs: AnyMapping[str, Input],
    problems: list[Problem],
) -> Format:
    data = document.data
    name = data["trainer"]
    build = Builder(document, data, words, inputs, problems)
    if document.name.rpartition("/")[2] != f"{name}.yaml":
        hint = said("Call it {name}.yaml.", name=name)
        message = said("the file of '{name}' has another name.", name=name)
        build.report("bad-name", message, hint, document.span(data, "trainer"))
    role = data.get("role", "main")
    reads: dict[str, Reading] = {}
    block = data.get("reads", Mapping())
    for target, written in block.items():
        if target not in inputs:
            hint = suggestion(target, inputs)
            where = document.key_span(block, target)
            build.report(
                "unknown-name",
                said("there is no input '{name}'.", name=target[:80]),
                hint,
                where,
            )
            continue
        reads[target] = build.reading(inputs[target], written, document.span(block, target))
    return Format(
        name,
        data.get("title", name),
        data.get("package", name),
        role,
        data.get("strength", 3.0 if role == "main" else 2.0),
        text_of(data.get("refuse")),
        signatures(build, data["recognise"], document.span(data, "recognise")),
        reads,
        tuple(_unknowable(build, one) for one in data.get("unknowable", ())),
        build.paths(data.get("files", ())),
        tuple(_inner(build, one) for one in data.get("inner", ())),
        frozenset(build.heads | {key.partition(".")[0] for key in listed(data.get("knows", ()))}),
        Span(document.name),
    )


def _unknowable(build: Builder, block: Mapping) -> Unknowable:
    leaves = listed(block.get("leaves", ()))
    for name in leaves:
        if name not in build.inputs:
            where = build.document.span(block, "leaves")
            hint = suggestion(name, build.inputs)
            build.report(
                "unknown-name", said("there is no input '{name}'.", name=name[:80]), hint, where
            )
    return Unknowable(
        conditions(build, block.get("when")),
        conditions(build, block.get("unless")),
        text_of(block["note"]),
        tuple(leaves),
        build.where(block),
    )


def _inner(build: Builder, block: Mapping) -> Inner:
    return Inner(build.paths(block["key"]), block.get("as", ""), block.get("syntax", ""))


def text_of(written: Any) -> Text:
    """A text field of a trainer file by language."""
    if written is None:
        return NO_TEXT
    return {"en": written} if isinstance(written, str) else dict(written)
