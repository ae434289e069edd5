"""Rows of a Parquet file, with pyarrow where it is installed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from advisor.errors import FileProblems, Problem, Span, said, whole

_ROWS = 256


def parquet_rows(path: Path, shown: str) -> Iterator[dict[str, Any]]:
    """The rows of a file, without columns that hold bytes, as pictures do.

    Raises FileProblems without pyarrow, or when the file is broken.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        hint = said("pip install pyarrow, or save it as .jsonl.")
        message = said("reading Parquet needs the package pyarrow.")
        raise FileProblems([Problem("needs-package", message, hint, Span(shown))]) from None
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            columns = [one.name for one in file.schema_arrow if "binary" not in str(one.type)]
            for batch in file.iter_batches(batch_size=_ROWS, columns=columns):
                yield from batch.to_pylist()
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        reason = (str(error).splitlines() or ["unknown"])[0][:200]
        message = said("no Parquet file that can be read: {reason}", reason=whole(reason))
        raise FileProblems([Problem("broken-parquet", message, "", Span(shown))]) from None
