"""How many samples have which length, in bounded memory: exact while short, rounded when long."""

from collections.abc import Iterator
from typing import NamedTuple

_EXACT_BITS = 13
"""Lengths under 2**13 are kept as they are; longer ones to one part in 4,096, rounded up."""


class Histogram(NamedTuple):
    """Counts by length, in ascending order; ``total`` and ``longest`` are exact."""

    lengths: tuple[int, ...]
    counts: tuple[int, ...]
    total: int
    longest: int

    @property
    def samples(self) -> int:
        """How many samples there are."""
        return sum(self.counts)

    def quantile(self, share: float) -> int:
        """The smallest length that at least ``share`` of the samples do not exceed."""
        wanted = share * self.samples
        seen = 0
        for length, count in zip(self.lengths, self.counts, strict=True):
            seen += count
            if seen >= wanted - 1e-9 * wanted:
                return length
        return self.longest

    def cut(self, limit: float) -> Iterator[tuple[float, int]]:
        """The lengths with their counts where nothing is longer than ``limit``."""
        for length, count in zip(self.lengths, self.counts, strict=True):
            yield min(float(length), limit), count


class Counts:
    """Collects lengths one by one."""

    __slots__ = ("_counts", "longest", "total")

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}
        self.total = 0
        self.longest = 0

    def add(self, length: int) -> None:
        """Count one sample of a length of at least 0."""
        key = _rounded(length)
        self._counts[key] = self._counts.get(key, 0) + 1
        self.total += length
        self.longest = max(self.longest, length)

    def finish(self) -> Histogram:
        """Everything counted so far."""
        keys = sorted(self._counts)
        shown = tuple(min(key, self.longest) for key in keys)
        return Histogram(shown, tuple(self._counts[key] for key in keys), self.total, self.longest)


def _rounded(length: int) -> int:
    shift = length.bit_length() - _EXACT_BITS
    return length if shift <= 0 else (((length >> shift) + 1) << shift) - 1
