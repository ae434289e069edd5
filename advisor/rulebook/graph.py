"""The order in which names can be computed, and the cycles that forbid one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def order(reads: Mapping[str, frozenset[str]]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Names sorted so that each stands after what it reads, and the cycles found.

    Names outside ``reads`` are ignored. A cycle is given once, as a, b, …, a.
    """
    done: list[str] = []
    state: dict[str, int] = {}
    cycles: list[tuple[str, ...]] = []
    for start in reads:
        if start in state:
            continue
        path: list[str] = [start]
        waiting = [iter(sorted(reads[start]))]
        state[start] = 1
        while path:
            below = next(waiting[-1], None)
            if below is None:
                state[path[-1]] = 2
                done.append(path.pop())
                waiting.pop()
            elif below in reads:
                seen = state.get(below)
                if seen is None:
                    state[below] = 1
                    path.append(below)
                    waiting.append(iter(sorted(reads[below])))
                elif seen == 1:
                    cycles.append((*path[path.index(below) :], below))
    return tuple(done), cycles


def closure(names: Iterable[str], reads: Mapping[str, Iterable[str]]) -> set[str]:
    """Everything the names rest on, themselves included."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(reads.get(name, ()))
    return found


def reversed_reads(reads: Mapping[str, frozenset[str]]) -> dict[str, set[str]]:
    """For every name that something reads, the names that read it."""
    readers: dict[str, set[str]] = {}
    for name, below in reads.items():
        for one in below:
            readers.setdefault(one, set()).add(name)
    return readers
