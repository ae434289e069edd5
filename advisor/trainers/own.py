"""Whether a document is a scenario of this program rather than another program's file."""

from collections.abc import Iterator, Mapping

from advisor.rulebook.model import Input
from advisor.source import Document
from advisor.source import Mapping as Block

_LISTS = frozenset(("keep", "assumed"))
_MAX_DEPTH = 8


def could_be_own(document: Document, inputs: Mapping[str, Input]) -> bool:
    """Whether a document that is no trainer's is best read, and found fault with, as a scenario:
    it has a key of one, or no keys at all."""
    data = document.data
    return not isinstance(data, Block) or not data.keys().isdisjoint(_names(inputs))


def is_own(document: Document, inputs: Mapping[str, Input]) -> bool:
    """Whether most of what a document sets are inputs."""
    data = document.data
    if not isinstance(data, Block):
        return False
    names = _names(inputs)
    if data.keys().isdisjoint(names):
        return False
    ours = total = 0
    for name in leaves(data):
        total += 1
        ours += name in names
    return 2 * ours > total


def _names(inputs: Mapping[str, Input]) -> frozenset[str]:
    return frozenset(name for one in inputs for name in _starts(one)) | _LISTS


def _starts(name: str) -> Iterator[str]:
    yield name
    if "." in name:
        yield from _starts(name.rpartition(".")[0])


def leaves(data: Block, prefix: str = "", depth: int = 0) -> Iterator[str]:
    """The dotted names of everything in a map that is no map itself, to a bounded depth."""
    for key, value in data.items():
        name = f"{prefix}{key}"
        if isinstance(value, Block) and value and depth < _MAX_DEPTH:
            yield from leaves(value, f"{name}.", depth + 1)
        else:
            yield name
