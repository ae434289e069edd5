"""Commands about files and the end: export, copy, save, open, quit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from advisor.check import Status
from advisor.conversation.answering import item
from advisor.conversation.commands import Turn
from advisor.conversation.events import Copied, Ended, Exported, Failed, Said, Understood
from advisor.conversation.state import Answer, Entry, State
from advisor.conversation.writing import description, scenario_text
from advisor.rulebook.model import Input, RuleBook
from advisor.scenario import Scenario
from advisor.source import Document, Mapping
from advisor.units import date_text

if TYPE_CHECKING:
    from advisor.conversation.core import Conversation

FORMS = {"yaml": "yaml", "yml": "yaml", "md": "md", "markdown": "md", "json": "json"}
_EXITS = {Status.HOLDS: 0, Status.FAILS: 1, Status.BROKEN: 2, Status.UNDECIDED: 3}
_USUAL = "scenario.yaml"


def document(talk: Conversation, state: State, form: str) -> str:
    """The answers in a form: a scenario (yaml), or a report as Markdown or JSON."""
    if form == "yaml":
        return scenario_text(talk.world.book, state, _heading(talk))
    check = talk.world.check(state)
    code = _EXITS[check.status()]
    if form == "json":
        from advisor.report.json import check_json

        return check_json([check], talk.world.project, False, code, state.language)
    from advisor.report.markdown import report
    from advisor.report.writing import Context, whole

    context = Context(talk.world.project, False, state.language)
    told = whole(report(context), [check], False, code)
    return f"{told}\n```yaml\n{scenario_text(talk.world.book, state)}```\n"


def _heading(talk: Conversation) -> list[str]:
    book, today = talk.world.book, date_text(talk.world.project.today)
    return [f"advisor chat, {today}, rules {' + '.join(book.layers)} ({book.digest})"]


def export(talk: Conversation, state: State, argument: str) -> Turn:
    """Show the session as a file, or write it."""
    words = argument.split(maxsplit=1)
    form = FORMS.get(words[0].casefold()) if words else "yaml"
    path = words[1] if form and len(words) > 1 else "" if form else argument
    if form is None:
        form = FORMS.get(path.rpartition(".")[2].casefold())
    if form is None:
        return Turn(state, (Failed("export_what", {"known": ("yaml", "md", "json")}),), False)
    text = document(talk, state, form)
    if not path:
        return Turn(state, (Exported(form, text),), False)
    talk.files.write(path, text, replace=path == state.file)
    after = state._replace(file=path) if form == "yaml" else state
    return Turn(after, (Exported(form, text, path, talk.files.told),), False)


def save(talk: Conversation, state: State, argument: str) -> Turn:
    """Write the session as a scenario, to where it came from when no path is given."""
    return export(talk, state, f"yaml {argument or state.file or _USUAL}")


def copy(talk: Conversation, state: State, argument: str) -> Turn:
    """The session for the clipboard."""
    form = FORMS.get(argument.casefold() or "yaml")
    if form is None:
        return Turn(state, (Failed("export_what", {"known": ("yaml", "md", "json")}),), False)
    return Turn(state, (Copied(document(talk, state, form)),), False)


def open_(talk: Conversation, state: State, argument: str) -> Turn:
    """Go on with a scenario file; raises what is wrong with it."""
    if not argument:
        return Turn(state, (Failed("open_what"),), False)
    read = talk.files.read(argument)
    entry = loaded(talk, read, f"/open {argument}", talk.files.folder_of(argument))
    if entry is None:
        return Turn(state, (Failed("cannot_open", {"path": argument}),), False)
    after = state.having(entry)._replace(file=argument)
    shown = Understood(tuple(item(talk.world, State(), one) for one in entry.answers))
    return Turn(after, (Said("opened", {"path": argument}), shown))


def loaded(
    talk: Conversation, read: Document, text: str, folder: Path | None = None
) -> Entry | None:
    """The answers of a scenario file as one entry; None where it holds what cannot be asked.

    What the file names lies below ``folder``. Raises FileProblems with everything wrong in it.
    """
    world = talk.world
    scenario = world.read(read, folder)
    is_here = folder is None or world.folder is None or folder.resolve() == world.folder.resolve()
    described = {
        target.name: description(world.book, target, scenario)
        for target in world.book.inputs.values()
        if target.type == "catalogue"
        and target.name in scenario.given
        and _is_described(_written(read, target), is_here)
    }
    answers: list[Answer] = []
    for name, provided in scenario.given.items():
        if provided.origin not in ("given", "assumed") or name == "today":
            continue
        if any(name.startswith(f"{owner}.") for owner in described):
            continue
        target = world.book.inputs[name]
        value = provided.value
        if target.type == "table" or isinstance(value, tuple):
            return None
        if target.type == "catalogue" and name not in described:
            value = _written(read, target) or value
        origin = "assumed" if name in scenario.unsure else "file"
        answer = Answer(name, value, origin, "", "", read.name)  # type: ignore[arg-type]
        answers.append(answer._replace(described=described.get(name, "")))
    answers += _undecided(world.book, scenario)
    keep = tuple(name for name in world.book.inputs if name in scenario.keep)
    return Entry(text, tuple(answers), fresh=True, keep=keep)


def _is_described(name: str | None, is_here: bool) -> bool:
    """In place, or by a file whose path means something only beside the scenario."""
    return name is None or (name.endswith(".json") and not is_here)


def _undecided(book: RuleBook, scenario: Scenario) -> list[Answer]:
    """What somebody was asked for and left to the rules."""
    names = [name for name in book.inputs if name in scenario.unsure - scenario.given.keys()]
    return [Answer(name, None, "assumed") for name in names]


def _written(read: Document, target: Input) -> str | None:
    """The name of an entry as the file has it; None where the entry is described in place."""
    block = read.data
    parts = target.name.split(".")
    for at in range(len(parts)):
        dotted = ".".join(parts[at:])
        if isinstance(block, Mapping) and isinstance(block.get(dotted), str | int | float):
            return str(block[dotted])
        block = block.get(parts[at]) if isinstance(block, Mapping) else None
    return None


def quit_(talk: Conversation, state: State, argument: str) -> Turn:
    """The end."""
    return Turn(state, (Ended(talk.status(state)),), False)
