"""What the panel beside the chat, and the strip under it, say about a state."""

from __future__ import annotations

import re
from collections.abc import Iterator

from textual.content import Content
from textual.style import Style

from advisor.conversation import View, registry
from advisor.conversation.events import Item, Listed
from advisor.report.phrases import pad, width, wrap
from advisor.report.style import SIGNS, label
from advisor.rulebook.model import RuleBook, say
from advisor.tui.bar import cells, glyph
from advisor.tui.wording import Wording, safe
from advisor.units import quantity_text
from advisor.verdict import AnswerResult, Verdict, fill

PARTS = ("$primary", "$accent", "$success", "$primary-lighten-2", "$foreground", "$foreground")
_MARKS = {"said": "•", "picked": "•", "file": "•", "assumed": "≈", "remedy": "↳"}
_LEVELS = {"deny": "$text-error", "warn": "$text-warning", "info": ""}
_COLOURS = {
    "fits": "$text-success",
    "tight": "$text-warning",
    "does not fit": "$text-error",
}


def first_answer(verdict: Verdict | None) -> AnswerResult | None:
    """The answer that the bar shows: the first with a limit."""
    if verdict is None:
        return None
    return next((one for one in verdict.answers.values() if one.answer.limit), None)


def is_open(view: View) -> bool:
    """Whether there is nothing to show yet."""
    return view.verdict.check.verdict is None or bool(view.verdict.outlook.needed)


def command_pattern() -> re.Pattern[str]:
    """Finds commands in a text: ``/take``."""
    return re.compile(rf"(?<!\S)/({'|'.join(registry())})\b")


def linked(text: str) -> Content:
    """A text whose commands can be clicked."""
    made = Content(text)
    for found in command_pattern().finditer(text):
        style = Style.from_meta({"line": found[0]}) + Style(underline=True)
        made = made.stylize(style, *found.span())
    return made


def link(line: str, text: str, style: str = "") -> Content:
    """A text that sends (or begins) a line when it is clicked."""
    made = Content(text).stylize(Style.from_meta({"line": line}))
    return made.stylize(style) if style else made


def bar_content(first: AnswerResult, columns: int) -> Content:
    """The bar of an answer with its limit."""
    amounts = [part.value for part in first.parts] or [first.likely or 0.0]
    drawn = cells(amounts, first.limit, columns)
    made: list[tuple[str, str]] = []
    for cell in drawn:
        if cell.is_over:
            style = "$text-error bold"
        elif cell.part < 0:
            style = "$text bold" if cell.glyph == "┃" else "$foreground-muted"
        else:
            style = PARTS[min(cell.part, len(PARTS) - 1)]
        made.append((cell.glyph, style))
    return Content.assemble(*made)


def strip_content(wording: Wording, view: View, columns: int) -> Content:
    """Two rows: where it stands, and the bar."""
    verdict = view.verdict.check.verdict
    first = first_answer(verdict)
    if is_open(view) or verdict is None or first is None or first.likely is None:
        return Content.styled(open_text(wording, view), "$foreground-muted")
    unit = verdict.trace.book.unit(first.answer.value)

    def shown(amount: float | None) -> str:
        return quantity_text(amount, unit) if amount is not None else "?"

    look = view.verdict.outlook
    lines = wording.lines(columns)
    values = {"amount": shown(first.likely), "limit": shown(first.limit)}
    if look.is_settled:
        text = wording.say("strip", state=lines.state_text(view.verdict.check), **values)
        style = f"bold {_COLOURS.get(first.state, '')}".strip()
    else:
        word = lines.style.word(first.state)
        text, style = wording.say("strip_muted", state=word, **values), "$foreground-muted"
        if look.turners and (look.high or 0) > (look.low or 0):
            span = wording.say("range", low=shown(look.low), high=shown(look.high))
            text = text + span if width(text + span) <= columns else text
    return Content.assemble((text, style), "\n", bar_content(first, columns))


def open_text(wording: Wording, view: View) -> str:
    """What is missing for a verdict."""
    needed = view.verdict.outlook.needed
    if view.verdict.check.verdict is None and view.verdict.check.problems:
        return wording.say("cannot_check")
    return wording.say("panel_open", names=wording.lines(0).titles(needed)) if needed else ""


def closing_text(wording: Wording, view: View) -> str:
    """What to do where nothing is asked: take the plan, or look around.

    The plan is told by its first step: a small screen has no room for it beside the verdict.
    """
    plan = view.verdict.check.plan
    if view.verdict.outlook.needed:
        return ""
    if plan is None or not plan.rungs:
        return wording.say("closing")
    title = wording.lines(0).remedy_title(plan.rungs[0].remedy.name)
    key = "plan_first" if len(plan.rungs) == 1 else "plan_first_of"
    first = wording.say(key, title=title, count=len(plan.rungs))
    return f"{first}\n{wording.say('plan_take').strip()}"


def title_text(view: View) -> str:
    """The catalogue entries and choices that name a run: ``Qwen2.5-7B · lora · RTX 4090``."""
    trace = view.verdict.check.verdict.trace if view.verdict.check.verdict else None
    if trace is None:
        return ""
    answers = view.state.answers
    kinds = ("catalogue", "enum")
    names = [one.name for one in trace.book.inputs.values() if one.type in kinds]
    found = [str(trace.values[name]) for name in names if name in answers and name in trace.values]
    return safe(" · ".join(found[:4]))


def panel_content(wording: Wording, view: View, listed: Listed, columns: int) -> Content:
    """The whole panel."""
    blocks: list[Content] = []
    verdict = view.verdict.check.verdict
    if is_open(view) or verdict is None:
        text = open_text(wording, view)
        blocks.append(Content.styled("\n".join(wrap(text, columns, "")), "$foreground-muted"))
    else:
        blocks.extend(_verdict(wording, view, verdict, columns))
    blocks.extend(_answers(wording, listed, columns))
    if verdict is not None and not is_open(view):
        blocks.extend(_policies(wording, view, verdict, columns))
    return Content("\n").join(blocks)


def _verdict(wording: Wording, view: View, verdict: Verdict, columns: int) -> Iterator[Content]:
    lines = wording.lines(columns)
    first = first_answer(verdict)
    book = verdict.trace.book
    if first is not None:
        settled = view.verdict.outlook.is_settled
        style = f"bold {_COLOURS.get(first.state, '')}".strip() if settled else "$foreground-muted"
        for line in lines.headline(view.verdict, verdict, first):
            yield Content.styled(safe(line), style)
        yield bar_content(first, columns)
        unit = book.unit(first.answer.value)
        for at, part in enumerate(first.parts):
            amount = quantity_text(part.value, unit)
            title = part_title(book, first, part.name, lines.style.language, wording)
            room = columns - width(amount) - 3
            yield Content.assemble(
                (glyph(at) + glyph(at) + " ", PARTS[min(at, len(PARTS) - 1)]),
                link(f"/why {part.name}", pad(cut(title, room - 1), room)),
                amount,
            )
        if first.moment:
            title = _title(book, first.moment, lines.style.language)
            text = lines.style.word("moment", moment=title)
            yield Content.styled("\n".join(wrap(text, columns, "   ")), "$foreground-muted")
    for answer in verdict.answers.values():
        if answer is first:
            continue
        name = label(answer.answer, lines.style)
        told = wrap(f"{name}  {lines.amount(verdict, answer)}", columns, "  ")
        for line in (told[0].strip(), *told[1:]):
            yield link(f"/why {answer.answer.value}", safe(line))


def part_title(
    book: RuleBook, first: AnswerResult, name: str, language: str, wording: Wording
) -> str:
    """What a part of an answer is called."""
    if name == first.answer.value:
        return say(first.answer.rest, language) or wording.lines(0).style.word("rest")
    return _title(book, name, language)


def _title(book: RuleBook, name: str, language: str) -> str:
    source = book.formulas.get(name) or book.inputs.get(name) or book.parameters.get(name)
    return safe((say(source.title, language) if source else "") or name)


def _answers(wording: Wording, listed: Listed, columns: int) -> Iterator[Content]:
    if not listed.items:
        return
    yield rule(wording.say("panel_answers"), columns)
    lines = wording.lines(columns)
    for one in listed.items:
        yield _answer(wording, one, lines.value_text(one.shown) or "?", columns)


def _answer(wording: Wording, one: Item, value: str, columns: int) -> Content:
    """``• micro batch size  4  said``; the origin stays where room is short."""
    origin = wording.say(f"panel_{one.answer.origin}")
    mark = _MARKS[one.answer.origin]
    name = safe(wording.lines(columns).title(one.answer.name))
    room = columns - 2 - width(origin) - 1
    value = cut(safe(value), max(6, room - min(width(name), 12) - 1))
    name = cut(name, max(4, room - width(value) - 1))
    text = pad(f"{mark} {name}", columns - width(value) - width(origin) - 2)
    style = "$foreground-muted" if not one.answer.is_known else ""
    return link(f"/set {one.answer.name}=", f"{text} {value} {origin}", style)


def _policies(wording: Wording, view: View, verdict: Verdict, columns: int) -> Iterator[Content]:
    lines = wording.lines(columns)
    settled = view.verdict.outlook.is_settled
    held = sum(outcome.state == "holds" for outcome in verdict.outcomes)
    yield rule(lines.style.word("policies_held", count=held), columns)
    signs = {"deny": SIGNS["does not fit"], "warn": SIGNS["tight"], "info": SIGNS["no limit"]}
    for outcome in verdict.failing("deny", "warn", "info"):
        text = fill(outcome.policy.message, verdict.trace, wording.language)
        style = (
            _LEVELS[outcome.level] if settled or outcome.level != "deny" else "$foreground-muted"
        )
        shown = [safe(line) for line in wrap(text, columns, "  ")]
        shown[0] = f"{signs[outcome.level]} {shown[0].lstrip()}"
        yield link(f"/why {outcome.policy.name}", "\n".join(shown), style)
    waiting = verdict.undecided("deny", "warn", "info")
    if waiting:
        text = lines.style.word("policies_not_decided", count=len(waiting))
        yield Content.styled(f"{SIGNS['undecided']} {text}", "$foreground-muted")


def rule(text: str, columns: int) -> Content:
    """A heading with a line to the end."""
    text = cut(text, columns - 4)
    return Content.styled(
        f"── {text} " + "─" * max(0, columns - width(text) - 4), "$foreground-muted"
    )


def cut(text: str, columns: int) -> str:
    """The text, shortened with an ellipsis to so many columns."""
    if width(text) <= columns:
        return text
    while text and width(text) > columns - 1:
        text = text[:-1]
    return text + "…"
