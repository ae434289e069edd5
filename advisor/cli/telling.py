"""What goes wrong with a call, told on standard error in the language of the call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import click

from advisor.cli.languages import LANGUAGES, language
from advisor.errors import Problem, Said, said, visible


class Telling:
    """Tells the mistakes of one call; its language is read from the arguments only then.

    A call that click refuses has no options yet, so ``--lang`` is looked for among the words.
    """

    def __init__(self, arguments: Sequence[str]) -> None:
        self.arguments = arguments

    @property
    def language(self) -> str:
        """The language that ``--lang`` asks for, or the locale's."""
        asked = None
        for word, following in pairwise([*self.arguments, ""]):
            if word == "--":
                break
            name, sign, value = word.partition("=")
            if name == "--lang":
                asked = value if sign else following
        return language(asked if asked in LANGUAGES else None)

    def sentence(self, text: str) -> None:
        """One sentence about the call itself."""
        from advisor.report.problems import in_language

        click.echo(f"advisor: {visible(in_language(text, self.language))}", err=True)

    def problems(self, problems: Iterable[Problem]) -> None:
        """What is wrong in files, each on its line."""
        from advisor.report.problems import problem_line

        language = self.language
        for one in problems:
            click.echo(problem_line(one, language), err=True)

    def refusal(self, error: click.ClickException) -> None:
        """A call that cannot be read. What click itself says stays English."""
        from advisor.report.problems import in_language

        self.sentence(_message(error))
        context = getattr(error, "ctx", None)
        if context is not None:
            hint = said("See '{command} --help'.", command=context.command_path)
            click.echo(in_language(hint, self.language), err=True)


def _message(error: click.ClickException) -> str:
    message = error.message
    if not isinstance(message, Said):
        return error.format_message()
    if isinstance(error, click.BadParameter) and error.param is not None:
        place = error.param.get_error_hint(error.ctx)
        return said("Invalid value for {place}: {message}", place=place, message=message)
    return message
