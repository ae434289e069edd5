"""How long the samples of a data file are, in tokens: counted, or estimated with a band.

A file of any size is read once, row by row, in bounded memory; the same file gives the same
figures.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from advisor.errors import FileProblems, Problem, Span, said, sentences
from advisor.lengths.characters import Characters
from advisor.lengths.histogram import Counts, Histogram
from advisor.lengths.model import Amount, Lengths, Padding
from advisor.lengths.padding import padding
from advisor.lengths.rows import rows
from advisor.lengths.samples import Sample, Shape, named, recognise, sample
from advisor.rulebook.model import Value
from advisor.scenario import Override, Provided, Scenario

__all__ = [
    "Histogram",
    "Lengths",
    "Padding",
    "lay_over",
    "measure",
    "measured_inputs",
    "padding",
    "rows_of",
]

_SHOWN_PROBLEMS = 5
_TOGETHER = 64  # samples that a tokenizer counts in one go
_TOGETHER_CHARACTERS = 1 << 20

Counter = Callable[[Sequence[str]], list[int]]


def measure(
    path: Path,
    shown: str,
    characters: Characters,
    columns: Sequence[str] = (),
    counter: Counter | None = None,
) -> Lengths:
    """Measure the samples of a file.

    ``columns`` are those to read as plain text; without them the usual ones are looked for.
    ``counter`` counts the tokens of texts; without it they are estimated from ``characters``.
    Raises FileProblems for a file that cannot be read at all, one whose columns are not recognised,
    and one without a single readable sample. Broken rows are counted, and the first are told.
    """
    reading = _Reading(shown, named(columns) if columns else None)
    lengths = Counts()
    low = likely = high = 0.0
    pictures = 0
    for one, amount in _amounts(reading.samples(path), characters, counter):
        lengths.add(max(1, round(amount.likely)))
        low, likely, high = low + amount.low, likely + amount.likely, high + amount.high
        pictures += one.pictures
    histogram = lengths.finish()
    if not histogram.samples:
        raise FileProblems(reading.problems or [_nothing(shown)])
    return Lengths(
        shown,
        histogram,
        "estimated" if counter is None else "counted",
        low / likely,
        high / likely,
        (*reading.shape.columns, *reading.shape.either) if reading.shape else (),
        pictures,
        reading.faulty,
        tuple(reading.problems),
    )


def _nothing(shown: str) -> Problem:
    return Problem(
        "empty", said("there is no sample in it."), said("It needs samples."), Span(shown)
    )


class _Reading:
    """Takes samples from rows, remembering the shape they have and those that are broken."""

    def __init__(self, shown: str, shape: Shape | None) -> None:
        self.shown = shown
        self.shape = shape
        self.is_named = shape is not None
        self.faulty = 0
        self.problems: list[Problem] = []

    def samples(self, path: Path) -> Iterator[Sample]:
        for row in rows(path, self.shown):
            if row.problem is not None:
                self.fault(row.problem)
                continue
            found = self.sample(row.data)
            if found is None and not self.is_named:
                shape = recognise(row.data)
                if shape is None and self.shape is None:
                    raise FileProblems([_unrecognised(row.data, row.where)])
                found = None if shape is None else sample(row.data, shape)
                self.shape = self.shape or shape
            if found is None:
                self.fault(self.odd(row.data, row.where))
            else:
                yield found

    def sample(self, data: object) -> Sample | None:
        if self.shape is None or (self.is_named and self.missing(data)):
            return None
        return sample(data, self.shape)

    def missing(self, data: object) -> list[str]:
        columns = self.shape.columns if self.shape else ()
        return [one for one in columns if one not in data] if isinstance(data, dict) else []

    def odd(self, data: object, where: Span) -> Problem:
        names = ", ".join(self.shape.columns) if self.shape else ""
        missing = self.missing(data) if self.is_named else []
        if missing and isinstance(data, dict):
            message = said("there is no column '{missing}'.", missing=missing[0][:60])
            return Problem("unknown-column", message, _known(data), where)
        return Problem(
            "no-text", said("no text in {names}.", names=names[:80] or said("this row")), "", where
        )

    def fault(self, problem: Problem) -> None:
        self.faulty += 1
        if len(self.problems) < _SHOWN_PROBLEMS:
            self.problems.append(problem)


def _unrecognised(data: object, where: Span) -> Problem:
    if not isinstance(data, dict):
        kind = said("a list") if isinstance(data, list) else said("a single value")
        hint = said('A sample is a map of columns, as {{"text": …}}.')
        return Problem("wrong-type", said("a sample is {kind} here.", kind=kind), hint, where)
    message = said("no column is known to hold the text of a sample.")
    return Problem(
        "unknown-columns",
        message,
        sentences(said("Name it with --text-column."), _known(data)),
        where,
    )


def _known(data: dict[str, object]) -> str:
    names = tuple(str(name)[:40] for name in islice(data, 20))
    return said("Columns: {names}.", names=names)


# -- counting -------------------------------------------------------------------------------------


def _amounts(
    samples: Iterator[Sample], characters: Characters, counter: Counter | None
) -> Iterator[tuple[Sample, Amount]]:
    """Each sample with its tokens, marks of the chat template included."""
    if counter is None:
        for one in samples:
            found = [characters.amount(text) for text in one.texts]
            extra = _marks(one, characters)
            low, likely, high = (sum(column) + extra for column in zip(*found, strict=True))
            yield one, Amount(low, likely, high)
        return
    for together in _batches(samples):
        counts = iter(counter([text for one in together for text in one.texts]))
        for one in together:
            total = float(sum(islice(counts, len(one.texts))) + _marks(one, characters))
            yield one, Amount(total, total, total)


def _marks(one: Sample, characters: Characters) -> int:
    return one.messages * characters.per_message + characters.per_sample


def _batches(samples: Iterator[Sample]) -> Iterator[list[Sample]]:
    together: list[Sample] = []
    size = 0
    for one in samples:
        together.append(one)
        size += sum(map(len, one.texts))
        if len(together) == _TOGETHER or size > _TOGETHER_CHARACTERS:
            yield together
            together, size = [], 0
    if together:
        yield together


# -- as inputs ------------------------------------------------------------------------------------


def measured_inputs(lengths: Lengths) -> dict[str, Provided]:
    """The inputs that a file's lengths say, with the file as their source."""
    values = {
        "data.samples": lengths.samples,
        "data.tokens.mean": lengths.mean,
        "data.tokens.p95": lengths.p95,
        "data.tokens.max": lengths.longest,
    }
    return {
        name: Provided(float(value), "measured", lengths.file) for name, value in values.items()
    }


def rows_of(values: Mapping[str, Value]) -> tuple[float | None, int]:
    """The tokens a sample is cut to, and the samples that are padded together, in a scenario."""
    limit = values.get("training.sequence_length")
    per_gpu, gpus = values.get("training.micro_batch_size", 1), values.get("hardware.count", 1)
    if not isinstance(limit, float) or not isinstance(per_gpu, float | int):
        return None, 1
    return limit, max(1, round(per_gpu * gpus)) if isinstance(gpus, float | int) else 1


def lay_over(scenario: Scenario, lengths: Lengths, flags: Sequence[str] = ()) -> Scenario:
    """The scenario with the measured inputs in place of its own, except where a flag set one."""
    given = dict(scenario.given)
    changed: list[Override] = []
    for name, provided in measured_inputs(lengths).items():
        before = given.get(name)
        if name in flags:
            continue
        if before is not None and before.origin == "given" and before.value != provided.value:
            shown = f"--data {lengths.file}"
            changed.append(Override(name, before.value, provided.value, shown))
        given[name] = provided
    return scenario._replace(given=given, overrides=(*scenario.overrides, *changed))
