"""The command palette: the conversation's own commands."""

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
        yield from of_commands(screen, self.app.search_themes)


def of_commands(screen: TalkScreen, search_themes: Callable[[], None]) -> Iterator[Entry]:
    """The conversation's commands; themes can be tried out in a search of their own."""
    for name in registry():
        shown = f"/{name} {screen.wording.say(f'form_{name}')}".rstrip()
        help_ = screen.wording.say(f"help_{name}")
        begin = partial(screen.begin_or_send, f"/{name}")
        yield Entry(shown, help_, search_themes if name == "theme" else begin)
