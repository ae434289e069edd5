"""Readers of the syntaxes that trainers' files are written in; nothing of a file is executed."""

from pathlib import Path
from typing import NamedTuple

from advisor.errors import Problem
from advisor.source import Document, decode, read_bytes
from advisor.source.lenient import read_lenient

MAX_NOTEBOOK = 16 << 20
_SHELL = (".sh", ".bash", ".slurm", ".sbatch")
SUFFIXES = (".yaml", ".yml", ".json", ".py", ".ipynb", *_SHELL)


class Parsed(NamedTuple):
    """What a file holds in one syntax; a script has a document for each command it runs."""

    syntax: str
    documents: tuple[Document, ...]
    warnings: tuple[Problem, ...]


def read_any(path: Path, shown: str) -> Parsed:
    """Read a file in the syntax of its name.

    Raises FileProblems: no such file, no text, too large, or not what its name says.
    """
    suffix = path.suffix.lower()
    limit = {".ipynb": MAX_NOTEBOOK}
    data = read_bytes(path, shown, limit[suffix]) if suffix in limit else read_bytes(path, shown)
    return parse(decode(data, shown), shown, suffix)


def parse(text: str, shown: str, suffix: str) -> Parsed:
    """Parse a text in the syntax that a file's suffix stands for; see ``read_any``."""
    if suffix in (".py", ".ipynb"):
        from advisor.trainers.syntax.python import read_notebook, read_python

        document, warnings = (read_python if suffix == ".py" else read_notebook)(text, shown)
        return Parsed("python", (document,), warnings)
    if suffix in _SHELL or text.startswith("#!"):
        from advisor.trainers.syntax.shell import read_shell

        return Parsed("shell", tuple(read_shell(text, shown)), ())
    lenient = read_lenient(text, shown)
    return Parsed("yaml", (lenient.document,), lenient.warnings)
