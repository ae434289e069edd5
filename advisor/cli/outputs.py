"""Where the reports of a check go: standard output, and files that are replaced as a whole."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import click

from advisor.errors import BadCall, cause, said

# format -> module of advisor.report that holds it under the name ``report``
FORMATS = {
    form: f"advisor.report.{form}"
    for form in ("text", "json", "github", "gitlab", "junit", "sarif", "markdown")
}
_ORDER = "advisor.order"


class Wanted(NamedTuple):
    """One report of a call: its format, and the file it goes to (None: standard output)."""

    form: str
    path: Path | None


class ReportingCommand(click.Command):
    """A command that knows in which order ``--format`` and ``--output`` were written."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not ctx.resilient_parsing:
            _, _, order = self.make_parser(ctx).parse_args(args=list(args))
            ctx.meta[_ORDER] = [param.name for param in order]
        return super().parse_args(ctx, args)


def report_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """``--format`` and ``--output``, repeatable in pairs."""
    for option in (
        click.option(
            "--output",
            "outputs",
            multiple=True,
            metavar="FILE",
            type=click.Path(path_type=Path),
            help="Write the report of the --format before it to this file.",
        ),
        click.option(
            "--format",
            "forms",
            multiple=True,
            type=click.Choice(list(FORMATS)),
            help="Format of the report: text, or github under GitHub Actions; repeatable in pairs "
            "with --output.",
        ),
    ):
        function = option(function)
    return function


def wanted_reports(
    context: click.Context, forms: Sequence[str], outputs: Sequence[Path], default: str
) -> list[Wanted]:
    """The reports of the call, each ``--output`` belonging to the ``--format`` before it.

    Raises BadCall when one has two places or two have one.
    """
    order = [name for name in context.meta.get(_ORDER, ()) if name in ("forms", "outputs")]
    next_form, next_output = iter(forms), iter(outputs)
    found: list[Wanted] = []
    for name in order:
        if name == "forms":
            found.append(Wanted(next(next_form), None))
        elif not found and not forms:
            found.append(Wanted("text", next(next_output)))
        elif not found or found[-1].path is not None:
            raise BadCall(said("--output: write one after the --format it belongs to"))
        else:
            found[-1] = found[-1]._replace(path=next(next_output))
    found = found or [Wanted(default, None)]
    if sum(one.path is None for one in found) > 1:
        raise BadCall(
            said("--format: one report goes to standard output; give the others an --output")
        )
    try:
        places = [one.path.resolve() for one in found if one.path is not None]
    except (OSError, RuntimeError, ValueError):
        places = []  # a loop of links, a name no file can have: opening it says so
    if len(set(places)) < len(places):
        raise BadCall(said("--output: two reports cannot go to one file"))
    return found


def spare(places: Sequence[Wanted], read: Sequence[Path]) -> None:
    """Refuse, with BadCall, a report that would be written over a file this call reads."""
    for target in (one.path for one in places):
        if target is not None and any(_is_same(target, path) for path in read):
            raise BadCall(said("--output {target}: this call reads that file", target=target))


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except (OSError, ValueError):  # one of them is not there, or cannot be
        return False


class Screen:
    """Standard output, where everything shows at once."""

    def write(self, text: str) -> None:
        if text:
            click.echo(text, nl=False, color="\x1b" in text or None)

    def finish(self) -> None:
        """Nothing is held back."""

    keep = discard = finish


class FileSink:
    """A file that is written beside its place and moved there at the end, or not at all."""

    def __init__(self, path: Path) -> None:
        self.shown = path
        mode = 0o666
        try:
            self.target = path.resolve()
            self.beside = self.target.with_name(f".advisor-{os.getpid()}-{path.name[-100:]}")
            with contextlib.suppress(FileNotFoundError):
                found = self.target.stat().st_mode
                if not stat.S_ISREG(found):
                    raise BadCall(said("--output {path}: this is not a regular file", path=path))
                mode = stat.S_IMODE(found)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            self.stream = os.fdopen(
                os.open(self.beside, flags, mode), "w", encoding="utf-8", newline="\n"
            )
        except (OSError, RuntimeError, ValueError) as error:
            raise self.failed(error) from None

    def failed(self, error: Exception) -> BadCall:
        return BadCall(
            said(
                "--output {path}: {reason}",
                path=self.shown,
                reason=cause(error),
            )
        )

    def write(self, text: str) -> None:
        try:
            self.stream.write(text)
        except (OSError, ValueError) as error:
            raise self.failed(error) from None

    def finish(self) -> None:
        try:
            self.stream.flush()
            os.fsync(self.stream.fileno())
            self.stream.close()
        except (OSError, ValueError) as error:
            raise self.failed(error) from None

    def keep(self) -> None:
        try:
            self.beside.replace(self.target)
        except OSError as error:
            raise self.failed(error) from None

    def discard(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            self.stream.close()
        with contextlib.suppress(OSError):
            self.beside.unlink()


def report_module(form: str) -> Any:
    """The module of a format."""
    return import_module(FORMATS[form])
