"""Rule files into a checked RuleBook: core first, then each layer in order of strength."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from advisor import schemas
from advisor.errors import FileProblems, Problem, Span, said, suggestion
from advisor.rulebook import graph
from advisor.rulebook.build_inputs import InputBuilder
from advisor.rulebook.build_rules import RuleBuilder
from advisor.rulebook.checks import Checker
from advisor.rulebook.definitions import (
    CORE,
    SHAPES,
    Definition,
    Draft,
    check_renamed,
    collect,
)
from advisor.rulebook.link import Linker, Parts
from advisor.rulebook.model import Change, Policy, RuleBook
from advisor.source import Document, read_file

MAX_FILES = 500


def rule_files(path: Path, shown: str) -> list[tuple[Path, str]]:
    """The YAML files of a folder (or the one file), each with the name to show, in order.

    Raises FileProblems when there is none, or more than 500.
    """
    if not path.is_dir():
        return [(path, shown)]
    found = sorted(
        file
        for file in (*path.rglob("*.yaml"), *path.rglob("*.yml"))
        if not any(part.startswith(".") for part in file.relative_to(path).parts)
    )
    for file in found:
        if file.suffix == ".yml":
            where = Span(f"{shown}/{file.relative_to(path).as_posix()}")
            hint = said("Rename it, or move it out of the folder.")
            problem = Problem("not-read", said("files of rules end in .yaml."), hint, where)
            raise FileProblems([problem])
    outside = [file for file in found if not _is_inside(file, path)]
    if outside:
        name = f"{shown}/{outside[0].relative_to(path).as_posix()}"
        raise FileProblems(
            [
                Problem(
                    "outside",
                    said("this link leads out of the rules folder."),
                    said("Copy the file into the folder."),
                    Span(name),
                )
            ]
        )
    if not found:
        raise FileProblems(
            [
                Problem(
                    "no-rules",
                    said("the folder holds no .yaml file."),
                    said("Name a file or folder of rules."),
                    Span(shown),
                )
            ]
        )
    if len(found) > MAX_FILES:
        raise FileProblems(
            [
                Problem(
                    "too-many",
                    said("over {most} files.", most=MAX_FILES),
                    said("Name a folder of rules only."),
                    Span(shown),
                )
            ]
        )
    return [(file, f"{shown}/{file.relative_to(path).as_posix()}") for file in found]


def _is_inside(file: Path, folder: Path) -> bool:
    """Whether a file of a folder is really there and not behind a link that leads out of it."""
    steps = [file, *file.parents]
    linked = any(step.is_symlink() for step in steps[: steps.index(folder)])
    return not linked or file.resolve().is_relative_to(folder.resolve())


def read_documents(path: Path, shown: str, examples: bool) -> list[Document]:
    """Read and shape-check the rule files under a path; raises FileProblems with every problem."""
    skipped = () if examples else ("examples",)
    documents: list[Document] = []
    problems: list[Problem] = []
    for file, name in rule_files(path, shown):
        try:
            document = read_file(file, name, skipped)
        except FileProblems as error:
            problems.extend(error.problems)
            continue
        found = []
        if not schemas.accepts("rules", document.data):
            found = schemas.problems("rules", document)
        if found:
            problems.extend(found)
        else:
            documents.append(document)
    if problems:
        raise FileProblems(problems)
    return documents


def load(
    core: tuple[Path, str],
    layers: Sequence[tuple[Path, str]] = (),
    today: float | None = None,
    examples: bool = True,
) -> RuleBook:
    """Load core and layers, each given as a path and the name to show.

    ``today`` (seconds since 1970) decides whether a ``disable: until`` is over; without
    ``examples`` the examples in the files are neither read nor checked. Raises FileProblems with
    every problem of every file; warnings are kept in ``RuleBook.problems``.
    """
    draft = Draft()
    changes: list[Change] = []
    names: list[str] = [CORE]
    digest = hashlib.sha256()
    problems: list[Problem] = []
    for position, (path, shown) in enumerate([core, *layers]):
        try:
            documents = read_documents(path, shown, examples)
        except FileProblems as error:
            problems.extend(error.problems)
            continue
        for document in documents:
            name = document.name.removeprefix(shown)  # the same rules have one hash anywhere
            digest.update(name.encode() + b"\0" + document.text.encode() + b"\0")
        layer = CORE if position == 0 else _layer_name(draft, documents, names)
        for document in documents:
            if position == 0:
                draft.problems.extend(_layer_only(document))
            collect(draft, document, layer)
        if position:
            changes.extend(_applied(draft, documents, layer, today))
            names.append(layer)
    if problems:
        raise FileProblems([*problems, *draft.problems])
    return _finish(draft, changes, names, digest.hexdigest()[:8])


def _applied(
    draft: Draft, documents: Sequence[Document], layer: str, today: float | None
) -> list[Change]:
    from advisor.rulebook.layers import Layering  # core alone does without it

    layering = Layering(draft, layer, today)
    for document in documents:
        layering.apply(document)
    return layering.changes


def _layer_only(document: Document) -> list[Problem]:
    return [
        Problem(
            "layer-key",
            said("'{key}' belongs in a layer, not in core.", key=key),
            said("Move it to a file passed with --rules."),
            document.key_span(document.data, key),
        )
        for key in ("layer", "patch", "replace", "disable", "waivers")
        if key in document.data
    ]


def _layer_name(draft: Draft, documents: Sequence[Document], taken: Sequence[str]) -> str:
    name = ""
    for document in documents:
        written = document.data.get("layer")
        if written is None:
            draft.report(
                "missing-key",
                said("a file on top of core says which layer it is."),
                said("Add layer: NAME."),
                document.start,
            )
            continue
        where = document.span(document.data, "layer")
        if name and written != name:
            draft.report(
                "layer-name",
                said("this folder holds layer '{name}' already.", name=name),
                said("Keep one layer in a folder, or pass the files one by one."),
                where,
            )
        elif written in taken:
            draft.report(
                "layer-name",
                said("there is a layer '{name}' already.", name=written),
                said("Give the layer a name of its own."),
                where,
            )
        name = name or str(written)
    return name or "unnamed"


def _finish(draft: Draft, changes: list[Change], names: list[str], digest: str) -> RuleBook:
    check_renamed(draft)
    if not _have_shape(draft):
        raise FileProblems(draft.problems)
    base, builder = InputBuilder(draft), RuleBuilder(draft)
    _rename_rungs(draft, builder)
    sections = draft.sections
    inputs = {name: base.input(one) for name, one in sections["inputs"].items()}
    parts = Parts(
        inputs,
        {name: base.parameter(one) for name, one in sections["parameters"].items()},
        {name: builder.formula(one) for name, one in sections["formulas"].items()},
        {name: builder.remedy(one, inputs) for name, one in sections["remedies"].items()},
        {name: builder.policy(one) for name, one in sections["policies"].items()},
        {name: builder.answer(one) for name, one in sections["answers"].items()},
    )
    linked = Linker(draft, parts).link()
    Checker(draft, parts, linked.types).check_all()
    if any(problem.level == "error" for problem in draft.problems):
        raise FileProblems(draft.problems)
    examples = tuple(builder.example(item, layer) for item, layer in draft.examples)
    definitions = {
        f"{section}.{name}": one for section in sections for name, one in sections[section].items()
    }
    return RuleBook(
        inputs=parts.inputs,
        parameters=parts.parameters,
        formulas=parts.formulas,
        remedies=parts.remedies,
        ladder=tuple(entry.name for entry in draft.ladder),
        policies=parts.policies,
        answers=parts.answers,
        examples=examples,
        layers=tuple(names),
        changes=tuple(_judged_by_final(changes, parts.policies, linked.reads)),
        problems=tuple(draft.problems),
        digest=digest,
        order=linked.order,
        reads=linked.reads,
        types=linked.types,
        definitions=definitions,
        ladder_layer=draft.ladder_layer,
        waivers=tuple(draft.waivers),
    )


def _judged_by_final(
    changes: Sequence[Change], policies: Mapping[str, Policy], reads: Mapping[str, frozenset[str]]
) -> Iterator[Change]:
    """The changes; one of something that a final policy rests on counts as weakening it.

    Whether the policy became stricter cannot be told from the rules, so a reader is told to look.
    """
    if not changes:
        return
    final = [policy for policy in policies.values() if policy.final]
    named = {
        name.removesuffix(".low").removesuffix(".high")
        for policy in final
        for located in (policy.when, policy.require)
        if located is not None
        for name in (*located.expression.names, *located.expression.guarded)
    }
    below = graph.closure(named, reads)
    for change in changes:
        _, _, target = change.target.partition(".")
        rests = any(target == name or target.startswith(f"{name}.") for name in below)
        yield change._replace(weakens=True) if rests else change


def _rename_rungs(draft: Draft, builder: RuleBuilder) -> None:
    for entry in draft.ladder:
        entry.name = builder.name(entry.name, entry.span)


def _have_shape(draft: Draft) -> bool:
    """Whether what layers patched or replaced still has the shape of its section."""
    before = len(draft.problems)
    for section, known in draft.sections.items() if draft.touched else ():
        for name, one in known.items():
            if (section, name) in draft.touched:
                _check_shape(draft, section, one)
    return len(draft.problems) == before


def _check_shape(draft: Draft, section: str, one: Definition) -> None:
    part = f"$defs/{SHAPES[section]}"
    schema = schemas.load("rules")["$defs"][SHAPES[section]]
    for key, field in one.fields.items():
        if key not in schema["properties"]:
            where = field.document.key_span(field.container, field.key)
            draft.report(
                "unknown-key",
                said("unknown key '{key}' in '{name}'.", key=key, name=one.name),
                suggestion(key, schema["properties"]),
                where,
            )
        elif not schemas.accepts("rules", field.value, f"{part}/properties/{key}"):
            draft.problems.extend(
                schemas.problems(
                    "rules", field.document, f"{part}/properties/{key}", field.value, field.span
                )
            )
    missing = [key for key in schema.get("required", ()) if key not in one.fields]
    if missing:
        draft.report(
            "missing-key",
            said("'{name}' lacks {missing}.", name=one.name, missing=tuple(missing)),
            said("Add it to the replacement."),
            one.span,
        )
