"""The command palette: the conversation's own commands, and what only the screen can do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from textual.command import DiscoveryHit, Hit, Hits, Provider

from advisor.conversation import registry

if TYPE_CHECKING:
    from advisor.tui.screens.talk import TalkScreen


class Entry(NamedTuple):
    """One line of the palette."""

    name: str
    help: str
    run: Callable[[], None]


class Palette(Provider):
    """Finds commands by their names and by what their help says."""

    async def discover(self) -> Hits:
        for entry in self.entries():
            yield DiscoveryHit(entry.name, entry.run, help=entry.help)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for entry in self.entries():
            score = max(matcher.match(entry.name), matcher.match(entry.help) / 2)
            if score > 0:
                yield Hit(score, matcher.highlight(entry.name), entry.run, help=entry.help)

    def entries(self) -> Iterator[Entry]:
        from advisor.tui.screens.talk import TalkScreen

        screen = self.screen
        if not isinstance(screen, TalkScreen):
            return
        yield from of_commands(screen)
        say = screen.wording.say
        yield Entry(say("palette_chart"), say("palette_chart_help"), screen.action_chart)
        yield Entry(say("palette_theme"), say("palette_theme_help"), self.app.search_themes)


def of_commands(screen: TalkScreen) -> Iterator[Entry]:
    """The conversation's commands."""
    for name in registry():
        shown = f"/{name} {screen.wording.say(f'form_{name}')}".rstrip()
        help_ = screen.wording.say(f"help_{name}")
        yield Entry(shown, help_, partial(screen.begin_or_send, f"/{name}"))
