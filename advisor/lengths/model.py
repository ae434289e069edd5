"""What measuring a data file comes to, and how its tokens were counted."""

from typing import Literal, NamedTuple

from advisor.errors import Problem
from advisor.lengths.histogram import Histogram

Way = Literal["estimated", "counted"]


class Amount(NamedTuple):
    """Tokens of a text: the estimate and its band, or three times the same count."""

    low: float
    likely: float
    high: float


class Lengths(NamedTuple):
    """How long the samples of one file are, in tokens.

    ``columns`` are those read; ``low`` and ``high`` are factors on every figure where tokens were
    estimated from characters (1 where a tokenizer counted them). ``faulty`` samples could not be
    read and are not in the figures: ``problems`` shows the first of them. ``pictures`` were seen
    beside the text and are not in the figures either.
    """

    file: str
    histogram: Histogram
    way: Way
    low: float
    high: float
    columns: tuple[str, ...]
    pictures: int = 0
    faulty: int = 0
    problems: tuple[Problem, ...] = ()

    @property
    def samples(self) -> int:
        """How many samples were read."""
        return self.histogram.samples

    @property
    def mean(self) -> float:
        """Tokens of a sample on average."""
        return self.histogram.total / self.samples

    @property
    def p95(self) -> int:
        """Tokens that 95 of 100 samples do not exceed."""
        return self.histogram.quantile(0.95)

    @property
    def longest(self) -> int:
        """Tokens of the longest sample."""
        return self.histogram.longest


class Padding(NamedTuple):
    """What a trainer works through for an average sample, in tokens.

    ``sample`` are its own tokens after cutting, ``padded`` those with padding to the longest of a
    batch, ``grouped`` with padding where similar lengths share a batch, ``packed`` in full rows.
    ``cut`` is the share of the samples that lose their end.
    """

    sample: float
    padded: float
    grouped: float
    packed: float
    cut: float
