"""``advisor rules``: lint, test, show, diff."""

from __future__ import annotations

from pathlib import Path

import click

from advisor.cli.exits import Exit
from advisor.cli.languages import language
from advisor.cli.options import day, lang_option, project, rules_option, today_option
from advisor.errors import BadCall, FileProblems, Problem, close_names, said, sentences, visible
from advisor.project import Project, open_project, shipped_layers, shown_name


@click.group("rules")
def command() -> None:
    """Lint, test, show and compare rules."""


_paths = click.argument("paths", nargs=-1, type=click.Path(path_type=Path))


def _layers(paths: tuple[Path, ...]) -> list[Path | None]:
    """What to look at: core alone (None) and every shipped layer, or the paths given."""
    return list(paths) if paths else [None, *shipped_layers()]


def _shown(layer: Path | None) -> str:
    return "rules/core" if layer is None else shown_name(layer)


@command.command("lint")
@_paths
@today_option
@click.option("--strict", is_flag=True, help="Warnings fail too.")
@lang_option
def lint(paths: tuple[Path, ...], today: str | None, strict: bool, lang: str | None) -> Exit:
    """Check rules: core and every shipped layer, or each PATH as a layer on top of core."""
    from advisor.report.phrases import names, phrase
    from advisor.report.problems import problem_lines
    from advisor.rulebook.lint import lint as advice

    when, spoken = day(today), language(lang)
    seen: dict[Problem, None] = {}
    for layer in _layers(paths):
        try:
            book = open_project([layer] if layer else [], when, examples=True).book
        except FileProblems as error:
            seen.update(dict.fromkeys(error.problems))
            continue
        own = _shown(layer)
        for problem in advice(book):  # a layer answers for its own files only
            if problem.where is None or problem.where.file.startswith(own):
                seen[problem] = None
    errors = sum(problem.level == "error" for problem in seen)
    for line in problem_lines(seen, spoken):
        click.echo(line)
    checked = names(spoken, map(_shown, _layers(paths)))
    counts = {"errors": errors, "warnings": len(seen) - errors}
    click.echo(visible(phrase(spoken, "lint_summary", **counts, names=checked)))
    return Exit.BROKEN if errors or (strict and seen) else Exit.HOLDS


@command.command("test")
@_paths
@today_option
@click.option("--verbose", "-v", is_flag=True, help="Show every check, not only those that fail.")
@lang_option
def test(paths: tuple[Path, ...], today: str | None, verbose: bool, lang: str | None) -> Exit:
    """Run the examples in rule files: core and every shipped layer, or each PATH as a layer."""
    from advisor.report.phrases import phrase
    from advisor.report.problems import problem_line
    from advisor.selftest import run_examples

    when, spoken = day(today), language(lang)
    failed = total = checks = 0
    for layer in _layers(paths):
        opened = open_project([layer] if layer else [], when, examples=True)
        name = opened.book.layers[-1]
        for result in run_examples(opened.book, opened.reader(), name):
            total += 1
            checks += len(result.checks)
            failed += not result.holds
            if result.holds and not verbose:
                continue
            mark = "✓" if result.holds else "✗"
            click.echo(visible(f"{mark} {result.example.span}: {result.example.name}"))
            for problem in result.problems:
                click.echo(f"    {problem_line(problem, language(lang))}")
            for check in result.checks:
                if verbose or not check.holds:
                    sign = "=" if check.holds else "≠"
                    told = {"actual": check.actual, "expected": check.expected}
                    text = phrase(spoken, "test_check", name=check.name, **told)
                    click.echo(visible(f"    {sign} {text}"))
    click.echo(phrase(spoken, "test_summary", examples=total, checks=checks, failed=failed))
    if not total:
        click.echo(phrase(spoken, "test_nothing"), err=True)
        return Exit.BROKEN
    return Exit.FAILS if failed else Exit.HOLDS


@command.command("show")
@click.argument("name")
@rules_option
@today_option
@lang_option
def show(name: str, rules: tuple[Path, ...], today: str | None, lang: str | None) -> None:
    """Show a rule: what it says, where it stands, which layer wrote it, its source, who uses it."""
    from advisor.report.rule_page import ladder_page, rule_page

    opened = project(rules, today)
    spoken = language(lang)
    if name == "ladder":
        click.echo(visible(ladder_page(opened.book, spoken)))
        return
    click.echo(visible(rule_page(opened.book, _find(opened, name), spoken)))


def _find(opened: Project, name: str) -> str:
    definitions = opened.book.definitions
    if name in definitions:
        return name
    matches = [full for full in definitions if full.partition(".")[2] == name]
    if matches:
        return matches[0]
    close = close_names(name, [full.partition(".")[2] for full in definitions])
    hint = said("Did you mean: {names}?", names=tuple(close)) if close else ""
    raise BadCall(sentences(said("there is no rule '{name}'.", name=name[:80]), hint))


@command.command("diff")
@rules_option
@today_option
@lang_option
@click.argument("scenarios", nargs=-1, type=click.Path(path_type=Path))
def diff(
    rules: tuple[Path, ...], today: str | None, lang: str | None, scenarios: tuple[Path, ...]
) -> Exit:
    """Show which shipped examples and scenarios come out differently under --rules.

    SCENARIOS are compared as well when given.
    """
    from advisor.comparison import compare
    from advisor.report.comparison_text import comparison_text

    if not rules:
        raise BadCall(said("name the layer to compare: advisor rules diff --rules PATH"))
    before, after = project((), today, examples=True), project(rules, today, examples=True)
    found = compare(before, after, list(scenarios))
    click.echo(visible(comparison_text(found, language(lang))))
    return Exit.HOLDS
