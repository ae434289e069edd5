"""What padding costs at a length limit and a batch size, and what grouping or packing saves."""

from bisect import bisect_left
from itertools import accumulate

from advisor.lengths.histogram import Histogram
from advisor.lengths.model import Padding

GROUP = 50
"""Batches that are sorted together: transformers' ``get_length_grouped_indices`` takes up to 50."""


def padding(histogram: Histogram, limit: float, batch: int) -> Padding:
    """The tokens of an average sample under ``limit`` tokens, in batches of ``batch`` samples.

    A batch is as long as the longest of samples drawn at random; packed rows count as full, which
    the best packers nearly reach.
    """
    samples = histogram.samples
    lengths, counts = zip(*histogram.cut(limit), strict=True)
    shares = [one / samples for one in accumulate(counts)]
    own = sum(length * count for length, count in zip(lengths, counts, strict=True)) / samples
    cut = sum(
        count
        for length, count in zip(histogram.lengths, histogram.counts, strict=True)
        if length > limit
    )
    padded = max(own, _expected_longest(lengths, shares, batch))
    grouped = _grouped(lengths, shares, samples, batch)
    return Padding(
        own,
        padded,
        min(padded, max(own, grouped)),
        own,
        cut / samples,
    )


def _expected_longest(lengths: tuple[float, ...], shares: list[float], batch: int) -> float:
    """The mean of the longest of ``batch`` draws; all stay under x with one's chance, so often."""
    longest = before = 0.0
    for length, share in zip(lengths, shares, strict=True):
        now = share**batch
        longest += length * (now - before)
        before = now
    return longest


def _grouped(lengths: tuple[float, ...], shares: list[float], samples: int, batch: int) -> float:
    """The mean over sorted batches of what their longest sample is likely to be."""
    batches = max(1, min(samples // (4 * batch), GROUP))
    drawn = batches * batch
    total = 0.0
    for number in range(batches):
        share = 1 - (number * batch + 0.5) / drawn
        total += lengths[min(bisect_left(shares, share), len(lengths) - 1)]
    return total / batches
