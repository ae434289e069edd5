"""``advisor init``: a gate for a repository, in files that are its own from then on."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import NamedTuple

import click

from advisor.cli.exits import Exit
from advisor.cli.languages import language
from advisor.cli.options import lang_option
from advisor.errors import AdvisorError, BadCall, FileProblems, Problem, Span, said, visible, whole

_TEMPLATES = Path(__file__).with_name("templates")
_CI = {
    "github": ("github.yaml", ".github/workflows/advisor.yml"),
    "gitlab": ("gitlab.yaml", "advisor.gitlab-ci.yml"),
}
_RULES = "advisor-rules/team.yaml"
# where GitHub and GitLab look for code owners; the first that is there counts
_OWNERS = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")


class _New(NamedTuple):
    """A file to be written: its path in the repository, and its text."""

    name: str
    text: str


@click.command("init")
@click.argument("folder", type=click.Path(path_type=Path), default=Path())
@click.option(
    "--ci",
    type=click.Choice([*_CI, "none"]),
    help="Which CI to write a snippet for; default: gitlab where .gitlab-ci.yml is, else github.",
)
@lang_option
def command(folder: Path, ci: str | None, lang: str | None) -> Exit:
    """Write a starter advisor.yaml, team rules and a CI snippet into the repository at FOLDER.

    Nothing that is there already is touched: then nothing at all is written.
    """
    if not folder.is_dir():
        raise BadCall(said("{folder}: there is no such folder", folder=str(folder)[:200]))
    ci = ci or ("gitlab" if (folder / ".gitlab-ci.yml").exists() else "github")
    spoken = language(lang)
    owners = next((name for name in _OWNERS if _is_there(folder / name)), None)
    files = _files(ci, spoken, owners)
    _refuse_existing(folder, files)
    _write(folder, files)
    click.echo(visible(_told(files, ci, owners, spoken)), nl=False)
    return Exit.HOLDS


def _is_there(path: Path) -> bool:
    return path.exists() or path.is_symlink()


def _files(ci: str, spoken: str, owners: str | None) -> list[_New]:
    found = [_New("advisor.yaml", _template("advisor.yaml", spoken))]
    found.append(_New(_RULES, _template("team.yaml", spoken)))
    if ci in _CI:
        template, name = _CI[ci]
        found.append(_New(name, _template(template, spoken)))
    if owners is None:
        place = "CODEOWNERS" if ci == "gitlab" else _OWNERS[0]
        found.append(_New(place, _owner_lines(ci, spoken, "# ")))
    return found


def _template(name: str, spoken: str) -> str:
    return (_TEMPLATES / spoken / name).read_text("utf-8")


def _owner_lines(ci: str, spoken: str, before: str) -> str:
    """The lines that protect the gate, commented out: only a team knows its names."""
    from advisor.report.phrases import phrase

    protected = ["/advisor.yaml", f"/{_RULES.partition('/')[0]}/"]
    protected += [f"/{_CI[ci][1]}"] if ci in _CI else []
    protected.append("CODEOWNERS")
    head = "".join(f"# {line}\n" for line in phrase(spoken, "init_owners").splitlines())
    return head + "".join(f"{before}{path} @your-team\n" for path in protected)


def _refuse_existing(folder: Path, files: list[_New]) -> None:
    """Raise FileProblems naming every file that is in the way, or would land elsewhere."""
    problems: list[Problem] = []
    root = folder.resolve()
    for one in files:
        path = folder / one.name
        if _is_there(path):
            hint = said("Move it away, or take over what you need by hand.")
            problems.append(Problem("exists", said("this file is there already."), hint, _at(path)))
        elif not path.parent.resolve().is_relative_to(root):
            message = said("a link leads this file out of the folder.")
            problems.append(Problem("outside", message, "", _at(path)))
    if problems:
        raise FileProblems(problems)


def _at(path: Path) -> Span:
    return Span(path.as_posix())


def _write(folder: Path, files: list[_New]) -> None:
    """Write all files, or leave none of them behind."""
    written: list[Path] = []
    try:
        for one in files:
            path = folder / one.name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8", newline="\n") as stream:
                written.append(path)
                stream.write(one.text)
    except OSError as error:
        for path in written:
            with contextlib.suppress(OSError):
                path.unlink()
        raise _failed(folder / one.name, error) from None


def _failed(path: Path, error: OSError) -> AdvisorError:
    message = said("cannot be written: {reason}.", reason=whole(str(error.strerror)))
    return FileProblems(
        [Problem("unwritable", message, said("No file was left behind."), _at(path))]
    )


def _told(files: list[_New], ci: str, owners: str | None, spoken: str) -> str:
    from advisor.report.phrases import phrase, wrap
    from advisor.report.style import COLUMNS

    lines = [phrase(spoken, "init_written", file=one.name) for one in files]
    told = [phrase(spoken, "init_next")]
    if ci in _CI:
        told.append(phrase(spoken, f"init_{ci}", file=_CI[ci][1]))
    lines += ["", *(line for text in told for line in wrap(text, COLUMNS, ""))]
    if owners is not None:
        lines += ["", phrase(spoken, "init_add_owners", file=owners)]
        lines += _owner_lines(ci, spoken, "").splitlines()
    lines += ["", *wrap(phrase(spoken, "init_trust"), COLUMNS, "")]
    return "\n".join(lines) + "\n"
