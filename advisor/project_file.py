"""``advisor.yaml``: what every check of a repository starts from.

Layers, inputs used where a checked file does not say, the files to check, and waivers. Paths of
layers lie below the file's own folder, links followed; patterns of scenarios are read from the
working directory on, so that a copy of the file kept elsewhere (the base branch's) means the same.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from advisor import patterns, schemas
from advisor.errors import FileProblems, Problem, Span, said
from advisor.paths import is_inside
from advisor.rulebook.definitions import Field
from advisor.source import Document, read_file

NAME = "advisor.yaml"
MAX_SEEN = 100_000
"""Files and folders looked at for the patterns of ``files:``."""


class ProjectFile(NamedTuple):
    """The file as written, its shape and paths checked; ``defaults`` is None where it has none."""

    document: Document
    folder: Path
    rules: tuple[Path, ...] = ()
    files: tuple[Field, ...] = ()
    defaults: Field | None = None
    waivers: tuple[Field, ...] = ()

    @property
    def name(self) -> str:
        """The file as it was named."""
        return self.document.name


def read_project_file(path: Path) -> ProjectFile:
    """Read the file; raises FileProblems with everything wrong in its shape and paths."""
    document = read_file(path, str(path))
    if not schemas.accepts("project", document.data):
        raise FileProblems(schemas.problems("project", document))
    whole = {key: Field(item, document, document.data, key) for key, item in document.data.items()}
    rules, files, waivers = (
        tuple(whole[key].items()) if key in whole else () for key in ("rules", "files", "waivers")
    )
    problems = [*_bad_layers(rules, path.parent), *_bad_patterns(files)]
    if problems:
        raise FileProblems(problems)
    layers = tuple(path.parent / str(item.value) for item in rules)
    return ProjectFile(document, path.parent, layers, files, whole.get("defaults"), waivers)


def _bad_layers(rules: tuple[Field, ...], folder: Path) -> Iterator[Problem]:
    seen: dict[Path, Span] = {}
    for item in rules:
        written = str(item.value)
        target = folder / written
        if not is_inside(target, folder):
            yield Problem(
                "outside",
                said("'{name}' leads out of the folder of this file.", name=written[:80]),
                said("Copy the rules into it, or name them with --rules."),
                item.span,
            )
        elif not target.exists():
            yield Problem(
                "no-file",
                said("there is no file or folder '{name}'.", name=written[:80]),
                said("Check it."),
                item.span,
            )
        elif target.resolve() in seen:
            yield Problem(
                "listed-twice",
                said(
                    "'{name}' is listed already in {where}.",
                    name=written[:80],
                    where=seen[target.resolve()],
                ),
                said("Keep one of them."),
                item.span,
            )
        else:
            seen[target.resolve()] = item.span


def _bad_patterns(files: tuple[Field, ...]) -> Iterator[Problem]:
    for item in files:
        fault = patterns.fault(str(item.value))
        if fault:
            hint = said("Write it as configs/**/*.yaml.")
            yield Problem("bad-pattern", said("the pattern {fault}.", fault=fault), hint, item.span)


def find_files(files: tuple[Field, ...], root: Path) -> list[Path]:
    """The files below ``root`` that the patterns stand for, sorted, each once.

    Hidden folders are looked into only where a pattern names them, and no link to a folder is
    followed. Raises FileProblems when a pattern stands for nothing or leads out of ``root``, or
    when there are too many files to look at.
    """
    problems: list[Problem] = []
    found: dict[str, Path] = {}
    for item in files:
        pattern = str(item.value)
        matched: dict[str, Path] = {}
        for seen, path in enumerate(_below(root, pattern)):
            if seen == MAX_SEEN:
                hint = said("Name the folder more closely.")
                problems.append(
                    Problem(
                        "too-many",
                        said("over {most} files.", most=MAX_SEEN),
                        hint,
                        item.span,
                    )
                )
                break
            name = path.relative_to(root).as_posix()
            if patterns.covers(pattern, name) and path.is_file():
                matched[name] = path
        if not matched:
            message = said("no file is called '{name}'.", name=pattern[:80])
            problems.append(Problem("no-match", message, said("Check the pattern."), item.span))
        for name, path in matched.items():
            if not is_inside(path, root):
                message = said(
                    "the link '{name}' leads out of the working directory.", name=name[:80]
                )
                problems.append(
                    Problem("outside", message, said("Copy the file into it."), item.span)
                )
        found |= matched
    if problems:
        raise FileProblems(problems)
    return [found[name] for name in sorted(found)]


def _below(root: Path, pattern: str) -> Iterator[Path]:
    """Everything that a pattern might stand for, from the folder that it names in full on."""
    parts = pattern.split("/")
    fixed = next((at for at, part in enumerate(parts) if set(part) & set("*?")), len(parts) - 1)
    start = root.joinpath(*parts[:fixed])
    deep = "**" in parts
    waiting = [(start, len(parts) - fixed)]
    while waiting:
        folder, depth = waiting.pop()
        for path in _entries(folder):
            yield path
            if (deep or depth > 1) and path.is_dir() and not path.is_symlink():
                named = any(part.startswith(".") for part in parts[fixed:])
                if named or not path.name.startswith("."):
                    waiting.append((path, depth - 1))


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:  # not there, or closed to us: then the pattern stands for nothing in it
        return []
