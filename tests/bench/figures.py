"""One line of the report, and how times are taken."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import NamedTuple

RUNS = 25


class Figure(NamedTuple):
    """One line of the report; a bar of None means there is none."""

    name: str
    value: float
    unit: str
    bar: float | None = None

    def __str__(self) -> str:
        line = f"{self.name:<52}{self.value:>9.2f} {self.unit}"
        if self.bar is None:
            return line
        return f"{line:<70}bar {self.bar:g}{'' if self.value < self.bar else '   OVER'}"


def milliseconds(run: Callable[[], object], runs: int = RUNS) -> float:
    """The median time of a call."""
    times: list[float] = []
    for _ in range(runs):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return 1000 * median(times)
