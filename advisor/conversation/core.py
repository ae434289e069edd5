"""The conversation: a state and a line give the next state and what there is to show."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from advisor.check import Status
from advisor.conversation import commands, inquiring, keeping
from advisor.conversation.answering import hear, is_puzzled
from advisor.conversation.asking import inquiries
from advisor.conversation.closing import closing, lacking
from advisor.conversation.commands import Turn
from advisor.conversation.completion import Completion, complete
from advisor.conversation.events import Asked, Event, Failed, PlanShown, Said, VerdictShown
from advisor.conversation.files import DiskFiles, Files
from advisor.conversation.outlook import outlook
from advisor.conversation.questions import Question, next_question
from advisor.conversation.state import Entry, State
from advisor.conversation.tokens import MAX_TEXT
from advisor.conversation.world import World
from advisor.errors import BadCall, said
from advisor.project import Project


class View(NamedTuple):
    """Everything a face can show of a state: the check, what is open, and the question."""

    state: State
    verdict: VerdictShown
    question: Question | None


class Conversation:
    """Applies lines to states. A state is a value: keep it, go back to it, compare it.

    ``files`` is what ``/open``, ``/save`` and ``/export`` reach (None: files below ``folder``).
    """

    def __init__(
        self, project: Project, folder: Path | None = None, files: Files | None = None
    ) -> None:
        self.world = World(project, folder)
        self.files: Files = files if files is not None else DiskFiles(folder or Path())
        self._views: dict[State, View] = {}

    def view(self, state: State) -> View:
        """Where a state stands. Worked out once for the last few states."""
        if state not in self._views:
            while len(self._views) >= _REMEMBERED:
                del self._views[next(iter(self._views))]
            look = outlook(self.world, state)
            question = next_question(self.world, state, look)
            shown = VerdictShown(
                self.world.check(state), look, state.answers, question is None, state.crash
            )
            self._views[state] = View(state, shown, question)
        return self._views[state]

    def question(self, state: State) -> Question | None:
        """The question that the next line answers, if any."""
        return self.view(state).question

    def status(self, state: State) -> Status:
        """What ``advisor check`` would say to the answers."""
        return self.world.check(state).status()

    def start(self, state: State) -> Turn:
        """The greeting and the first question; for a session that goes on, where it stands."""
        events: list[Event] = [Said("welcome" if not state.log else "welcome_back")]
        return Turn(state, (*events, *self._standing(state)))

    def send(self, state: State, text: str) -> Turn:
        """The state after a line, and what there is to show for it. Never raises for any text."""
        if len(text) > MAX_TEXT:
            shown: tuple[Event, ...] = (Said("too_long", {"most": f"{MAX_TEXT:,}"}),)
            turn = self.send(state, text[:MAX_TEXT])
            return turn._replace(events=shown + turn.events)
        if text.lstrip().startswith("/"):
            turn = commands.run(self, state, text.strip())
            if turn.state == state or not turn.follows:
                return turn
            settled = self._intended(turn.state, inquiring.owed(state, turn.state))
            return turn._replace(events=turn.events + self._standing(turn.state, settled))
        line = inquiries(self.world, state, text)
        if line is not None:
            after, shown = inquiring.told(self, state, line)
            return self._told(state, (after, (*shown, *self._intended(after, line.said))))
        heard = hear(self.world, state, self.question(state), text)
        want = inquiring.wanted(self, text)
        if want is not None and want.intent.is_table:
            if heard.entry is not None:
                told = inquiring.against(self, state, text, want)
                if told is not None:
                    return self._told(state, told)
            elif state.pending is not None:  # the table waits for what is asked already
                waiting = state.having(Entry(text, (), (state.pending,)))
                return Turn(waiting, self._standing(waiting))
        if heard.entry is None:
            return self._unchanged(state, text, heard.events)
        after = state.having(heard.entry)
        extra: tuple[Event, ...] = ()
        if want is None or not want.intent.is_table or after.pending is None:
            extra = self._intended(after, text)
        extra += self._intended(after, inquiring.owed(state, after))
        return Turn(after, (*heard.events, *self._standing(after, extra)))

    def _told(self, state: State, told: tuple[State, tuple[Event, ...]]) -> Turn:
        """What a question leads to: where the answers stand, only if it said something, too."""
        after, events = told
        if after != state:
            return Turn(after, self._standing(after, events))
        again = self.question(state)
        return Turn(state, (*events, Asked(again)) if again else events)

    def _unchanged(self, state: State, text: str, events: tuple[Event, ...]) -> Turn:
        """What there is to show for a line without an answer."""
        again = self.question(state)
        asked: tuple[Event, ...] = (Asked(again),) if again else ()
        intended = self._intended(state, text)
        if intended:
            unclear = (one for one in events if not is_puzzled(one))
            return Turn(state, (*unclear, *intended, *asked))
        if text.strip() and any(map(_is_small_talk, events)):
            greeting = () if state.log else (Said("welcome"),)
            return Turn(state, (*greeting, *self._standing(state)))
        if not text.strip() and again is None:
            return Turn(state, (closing(state, self.view(state).verdict.outlook),))
        alone = self._alone(state, text)
        return Turn(state, (*((alone,) if alone else events), *asked))

    def _alone(self, state: State, text: str) -> Event | None:
        """What a lone number may be meant for where nothing is asked: a step of the plan."""
        bare = text.strip().rstrip(".)")
        plan = self.world.check(state).plan
        if not (bare.isascii() and bare.isdigit()) or plan is None or not plan.rungs:
            return None
        if self.question(state) is not None:
            return None
        count = len(plan.rungs)
        if not 1 <= int(bare[:9]) <= count:
            return Failed("take_what", {"count": str(count)})
        return Failed("number_alone", {"number": str(int(bare))})

    def opened(self, state: State, path: str) -> State:
        """The state of a scenario file; raises FileProblems or BadCall with what is wrong in it."""
        read, folder = self.files.read(path), self.files.folder_of(path)
        entry = keeping.loaded(self, read, f"/open {path}", folder)
        if entry is None:
            raise BadCall(
                said("{path} holds tables that are no answers; use advisor check", path=path)
            )
        return state.having(entry)._replace(file=path)

    def complete(self, state: State, line: str) -> list[Completion]:
        """Ways to go on with a line, best first."""
        return complete(self.world, state, self.question(state), line)

    def objection(self, state: State, line: str) -> Event | None:
        """What is wrong with a line before it is sent; None when it can be sent."""
        if not line.strip() or line.lstrip().startswith("/"):
            return None
        if inquiries(self.world, state, line) is not None:
            return None
        heard = hear(self.world, state, self.question(state), line[:MAX_TEXT])
        if heard.entry is not None or self._intended(state, line):
            return None
        alone = self._alone(state, line)
        return alone or next((one for one in heard.events if isinstance(one, Failed)), None)

    def replay(self, texts: Iterable[str], language: str = "en") -> list[Turn]:
        """The turns that a list of lines leads to, from nothing."""
        state, turns = State(language), list[Turn]()
        for text in texts:
            turns.append(self.send(state, text))
            state = turns[-1].state
        return turns

    # -- what follows a change --------------------------------------------------------------------

    def _standing(self, state: State, extra: tuple[Event, ...] = ()) -> tuple[Event, ...]:
        """The verdict, the plan where nothing more is asked, and the next question."""
        view = self.view(state)
        events: list[Event] = []
        check = view.verdict.check
        look = view.verdict.outlook
        if check.verdict is None or (check.problems and not look.needed):
            events.append(Failed("cannot_check", {}, check.problems))
        elif state.log and not look.needed:
            events.append(view.verdict)
            if view.question is None and check.plan is not None:
                events.append(PlanShown(check.plan, check.verdict))
        events += extra
        if view.question is not None:
            events.append(Asked(view.question))
        elif look.needed and check.verdict is not None:
            events.append(lacking(state, check.verdict))
        elif check.verdict is not None and state.log:
            events.append(closing(state, look))
        return tuple(events)

    def _intended(self, state: State, text: str) -> tuple[Event, ...]:
        """What a sentence asks for beside the answers in it: the events of a command."""
        want = inquiring.wanted(self, text) if text else None
        if want is None:
            return ()
        turn = commands.run(self, state, want.intent.run)
        return tuple(one for one in turn.events if not isinstance(one, Failed))


_REMEMBERED = 32


def _is_small_talk(event: Event) -> bool:
    """Not a word of the line says anything: thanks, does it fit?"""
    return is_puzzled(event) and isinstance(event, Failed) and not event.values.get("words")
