"""``advisor explain``: how one number of a scenario comes about."""

from __future__ import annotations

from pathlib import Path

import click

from advisor.cli.languages import language
from advisor.cli.options import (
    config_options,
    foreign_options,
    lang_option,
    looks_own,
    project,
    project_file,
    rules_option,
    today_option,
)
from advisor.cli.settings import settings_of, settings_options
from advisor.errors import BadCall, close_names, said, sentences, visible
from advisor.evaluate import Engine, Trace
from advisor.explain import explain
from advisor.project import Project
from advisor.scenario import Scenario
from advisor.verdict import fill, judge


@click.command("explain")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("name")
@settings_options
@foreign_options
@rules_option
@config_options
@today_option
@click.option(
    "--depth",
    type=click.IntRange(0, 30),
    default=2,
    show_default=True,
    help="How many levels below the number to tell.",
)
@lang_option
def command(
    file: Path,
    name: str,
    rules: tuple[Path, ...],
    config: Path | None,
    no_config: bool,
    today: str | None,
    depth: int,
    lang: str | None,
    wanted: str | None,
    trainer_versions: tuple[str, ...],
    **flags: object,
) -> None:
    """Show how NAME (a formula, parameter, input, policy or answer) comes about for FILE."""
    from advisor.report.story import story_text

    opened = project(rules, today, file=project_file(config, no_config))
    scenario = _scenario(opened, file, settings_of(flags), wanted, trainer_versions)
    trace = Engine(opened.book).run(scenario)
    spoken = language(lang)
    for title, one in _names(trace, name, spoken):
        if title:
            click.echo(visible(title))
        click.echo(visible(story_text(explain(trace, one, depth), spoken)), nl=False)


def _scenario(
    opened: Project,
    file: Path,
    settings: list[tuple[str, str]],
    wanted: str | None,
    versions: tuple[str, ...],
) -> Scenario:
    """The scenario of a file, ours or a trainer's."""
    if not wanted and not versions and looks_own(file, opened):
        return opened.reader().read(file, str(file), settings)
    from advisor.cli.foreign import scenario_of

    return scenario_of(opened, file, settings, wanted, versions)


def _names(trace: Trace, name: str, spoken: str) -> list[tuple[str, str]]:
    """The names to tell, each with a line to stand before it."""
    from advisor.report.phrases import labelled, phrase, remarked

    book = trace.book
    if name in book.types:
        return [("", name)]
    if name in book.answers:
        return [("", book.answers[name].value)]
    if name in book.policies:
        policy = book.policies[name]
        head = remarked(spoken, name, policy.level)
        head = labelled(spoken, head, policy.require.expression.text)
        head += f"   ({policy.origin.span})"
        outcome = next(one for one in judge(trace).outcomes if one.policy is policy)
        word = phrase(spoken, f"state_{outcome.state.replace(' ', '_')}")
        fails = outcome.state == "fails"
        told = [(f"{head}\n{fill(policy.message, trace, spoken) if fails else word}", "")]
        reads = list(policy.require.expression.names)
        return [(told[0][0], reads[0]), *(("", one) for one in reads[1:])] if reads else told
    known = [*book.types, *book.policies, *book.answers]
    close = close_names(name, known)
    hint = (
        said("Did you mean: {names}?", names=tuple(close))
        if close
        else said("See advisor rules show NAME.")
    )
    raise BadCall(
        sentences(said("there is no number, policy or answer '{name}'.", name=name[:80]), hint)
    )
