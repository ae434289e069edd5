"""Standard output and error of a call: any encoding will do, and the reader of a pipe may leave."""

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from advisor.errors import BadCall, said, whole


class _Patient:
    """A stream whose reader may leave: what is still to say then goes nowhere.

    The call goes on to its own exit code, which is why this is not left to an exception. A report
    that cannot be written for another reason (a full disk) is a BadCall.
    """

    def __init__(self, stream: Any, is_report: bool) -> None:
        self._stream = stream
        self._is_report = is_report

    encoding = "utf-8"  # click puts a stream of its own around one that says ascii

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        with self._reader_may_leave():
            if text != "":  # click writes nothing to ask what kind of stream this is
                self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with self._reader_may_leave():
            self._stream.flush()

    @contextlib.contextmanager
    def _reader_may_leave(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)
            if self._is_report and not isinstance(error, BrokenPipeError):
                raise BadCall(
                    said(
                        "the report cannot be written: {reason}", reason=whole(str(error.strerror))
                    )
                ) from None


@contextlib.contextmanager
def patient_streams() -> Iterator[None]:
    """Inside, what a terminal cannot show is escaped, and a closed pipe is no error."""
    kept = sys.stdout, sys.stderr
    with contextlib.ExitStack() as opened:

        def there(stream: Any) -> Any:  # one that the caller closed is None
            return stream or opened.enter_context(Path(os.devnull).open("w", encoding="utf-8"))

        streams = there(sys.stdout), there(sys.stderr)
        for stream in streams:
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")
        sys.stdout, sys.stderr = _Patient(streams[0], True), _Patient(streams[1], False)
        try:
            yield
        finally:
            sys.stdout, sys.stderr = kept
