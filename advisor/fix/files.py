"""A file replaced as a whole by another text, or left as it was."""

import contextlib
import os
import stat
from pathlib import Path

from advisor.errors import cause, said
from advisor.fix.problems import refusal


def replace_file(path: Path, shown: str, before: bytes, after: bytes) -> None:
    """Put ``after`` in the place of ``before``, with the same mode, in one step.

    Raises FileProblems, with the file as it was, when it is not a plain file of its own, lies
    elsewhere than its name says, has changed since it was read, or cannot be written.
    """
    try:
        target = path.resolve(strict=True)
        folder = path.parent.resolve(strict=True)
        found = target.stat()
        reason = _unfit(target, folder, found)
        if not reason and target.read_bytes() != before:
            reason = said("it has changed since it was read.")
    except (OSError, RuntimeError) as error:
        reason = said("it cannot be read again: {error}.", error=_said(error))
    if reason:
        raise refusal(shown, [reason], said("It is left as it was."))
    beside = target.with_name(f".advisor-{os.getpid()}-{target.name[-100:]}")
    try:
        _write(beside, after, found)
        beside.replace(target)
    except OSError as error:
        with contextlib.suppress(OSError):
            beside.unlink()
        message = said("it cannot be written: {error}.", error=_said(error))
        raise refusal(shown, [message], said("It is left as it was.")) from None


def _unfit(target: Path, folder: Path, found: os.stat_result) -> str:
    if not target.is_relative_to(folder):
        return said("the link leads out of its folder.")
    if not stat.S_ISREG(found.st_mode):
        return said("this is not a regular file.")
    if found.st_nlink > 1:
        return said("the file has several names (hard links), and only one would change.")
    if not os.access(target, os.W_OK):
        return said("it is read-only.")
    return ""


def _write(path: Path, data: bytes, like: os.stat_result) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with os.fdopen(os.open(path, flags, 0o600), "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
        if hasattr(os, "fchmod"):
            with contextlib.suppress(OSError):  # only its owner may give a file away
                os.fchown(stream.fileno(), like.st_uid, like.st_gid)
            os.fchmod(stream.fileno(), stat.S_IMODE(like.st_mode))


def _said(error: Exception) -> str:
    return cause(error)
