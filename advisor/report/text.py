"""A check result as a person reads it in a terminal; meaning never rests on colour alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from advisor import __version__
from advisor.check import CheckResult
from advisor.errors import visible
from advisor.report.phrases import bar, pad, phrase, right, width, wrap
from advisor.rulebook.model import Answer, Change, RuleBook, say
from advisor.rulebook.values import value_text
from advisor.units import date_text, quantity_text
from advisor.verdict import AnswerResult, Outcome, Verdict, fill, name_text

if TYPE_CHECKING:
    from advisor.ladder import Plan, Rung, Skipped
    from advisor.trainers.writes import Trainer

COLUMNS = 92
_BAR = 24
_SIGNS = {"fits": "✓", "tight": "~", "does not fit": "✗", "undecided": "?", "no limit": "·"}
_COLOURS = {"✓": "32", "~": "33", "✗": "31", "?": "33"}


class Style(NamedTuple):
    """How to print: the language, and whether a terminal wants colour."""

    language: str = "en"
    colour: bool = False

    def sign(self, sign: str) -> str:
        code = _COLOURS.get(sign)
        return f"\x1b[{code}m{sign}\x1b[0m" if self.colour and code else sign

    def word(self, key: str, **values: object) -> str:
        return phrase(self.language, key, **values)


def check_text(result: CheckResult, trainers: Iterable[Trainer], style: Style) -> str:
    """One file's result, ending with a newline; every text from files is made visible."""
    if result.verdict is None or result.problems:
        return "".join(f"{problem}\n" for problem in result.problems)
    lines = [
        *_headline(result, result.verdict, style),
        *_answers(result.verdict, style),
        *_breakdown(result, result.verdict, style),
        *_plan(result, list(trainers), style),
        *_policies(result.verdict, style),
        *_origins(result, result.verdict, style),
    ]
    return "".join(visible(line) if "\x1b" not in line else line for line in _ended(lines))


def _ended(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield line.rstrip() + "\n"


def book_text(book: RuleBook, today: float, style: Style) -> str:
    """Which rules judged: layers with what they changed and weakened, hash, day, version."""
    lines: list[str] = []
    for change in book.changes:
        lines.extend(wrap(_change(change, style), COLUMNS, "  "))
    lines.append(
        style.word(
            "layers",
            layers=" + ".join(book.layers),
            digest=book.digest,
            today=date_text(today),
            version=__version__,
        )
    )
    return "".join(visible(line) for line in _ended(lines))


def _change(change: Change, style: Style) -> str:
    key = "weakened" if change.weakens else "changed"
    return style.word(
        key,
        layer=change.layer,
        target=change.target,
        was=change.was,
        now=change.now,
        reason=say(change.reason, style.language),
    )


# -- what it comes to ---------------------------------------------------------------------------


def _headline(result: CheckResult, verdict: Verdict, style: Style) -> Iterator[str]:
    state = verdict.state
    sign = _SIGNS[state]
    trace = verdict.trace
    entries = [
        str(trace.values[one.name])
        for one in trace.book.inputs.values()
        if one.type == "catalogue" and one.name in trace.values
    ]
    left = f"{sign} {style.word(state)}   {visible(result.file)}"
    room = COLUMNS - width(left)
    shown = visible(" · ".join(entries))
    head = left + (right(shown, room) if width(shown) + 2 <= room else "   " + shown)
    yield style.sign(sign) + head[1:] if style.colour else head
    for outcome in verdict.failing("deny"):
        yield from wrap(fill(outcome.policy.message, trace, style.language), COLUMNS, "  ")


def _answers(verdict: Verdict, style: Style) -> Iterator[str]:
    yield ""
    labels = {name: _label(result.answer, style) for name, result in verdict.answers.items()}
    column = max((width(label) for label in labels.values()), default=0) + 2
    for name, result in verdict.answers.items():
        yield f"  {pad(labels[name], column)}{_amount(verdict, result, style)}"


def _label(answer: Answer, style: Style) -> str:
    return say(answer.title, style.language) or answer.name


def _amount(verdict: Verdict, result: AnswerResult, style: Style) -> str:
    unit = verdict.trace.book.unit(result.answer.value)
    if result.likely is None or result.low is None or result.high is None:
        return style.word("undecided")
    text = quantity_text(result.likely, unit)
    if result.low != result.high:
        text += f" ({_between(quantity_text(result.low, unit), quantity_text(result.high, unit))})"
    if result.limit is not None:
        text += " " + style.word("of_limit", limit=quantity_text(result.limit, unit))
        if result.state != "fits":
            text += f" {_SIGNS[result.state]} {style.word(result.state)}"
    extra = [
        f"{_title(verdict, name, style)} {name_text(verdict.trace, name)}"
        for name in result.answer.also
        if name in verdict.trace.values
    ]
    return text + (f"   {style.word('also')}: {', '.join(extra)}" if extra else "")


def _between(low: str, high: str) -> str:
    """``77.0 – 97.9 GiB``: the unit once where both ends share it."""
    number, _, unit = low.rpartition(" ")
    shared = high.rpartition(" ")[2] == unit and " " not in number
    return f"{number if shared else low} – {high}"


def _breakdown(result: CheckResult, verdict: Verdict, style: Style) -> Iterator[str]:
    first = next((one for one in verdict.answers.values() if one.parts), None)
    if first is None:
        return
    unit = verdict.trace.book.unit(first.answer.value)
    names = {part.name: _part_title(verdict, first, part.name, style) for part in first.parts}
    column = max(width(title) for title in names.values()) + 2
    largest = first.parts[0].value
    changeable = result.plan.changeable if result.plan else frozenset()
    marked = next((part.name for part in first.parts if part.name in changeable), None)
    yield ""
    for part in first.parts:
        amount = right(quantity_text(part.value, unit), 9)
        line = f"  {pad(names[part.name], column)}{amount}  {bar(part.value, largest, _BAR)}"
        if part.name == marked:
            line = f"{pad(line, column + 13 + _BAR)}  {style.word('largest')}"
        yield line
    if first.moment:
        title = _title(verdict, first.moment, style)
        yield "  " + style.word("moment", moment=title)


def _part_title(verdict: Verdict, result: AnswerResult, name: str, style: Style) -> str:
    if name == result.answer.value:  # what the answer adds to the sum of its parts
        return say(result.answer.rest, style.language) or style.word("rest")
    return _title(verdict, name, style)


def _title(verdict: Verdict, name: str, style: Style) -> str:
    book = verdict.trace.book
    source = book.formulas.get(name) or book.inputs.get(name) or book.parameters.get(name)
    return (say(source.title, style.language) if source else "") or name


# -- what to do ---------------------------------------------------------------------------------


def _plan(result: CheckResult, trainers: list[Trainer], style: Style) -> Iterator[str]:
    plan, verdict = result.plan, result.verdict
    if plan is None or verdict is None:
        return
    yield ""
    key = (
        "plan_unsolved" if not plan.solved else "plan_required" if plan.required else "plan_offered"
    )
    shown = [name for name, answer in verdict.answers.items() if answer.likely is not None]
    heading = "  " + style.word(key)
    first, *others = shown or [""]
    labels = [_label(verdict.answers[name].answer, style) for name in others]
    if plan.rungs:
        yield (
            pad(heading, 46)
            + right(_label(verdict.answers[first].answer, style), 21)
            + "".join(right(label, 9) for label in labels)
        )
    else:
        yield heading
    for number, rung in enumerate(plan.rungs, start=1):
        yield from _rung(number, rung, verdict, [first, *others], trainers, style)
    yield from _skipped(plan, verdict, style)
    if plan.ladder_layer != verdict.trace.book.layers[0]:
        yield "  " + style.word("ladder_by", layer=plan.ladder_layer)


def _rung(
    number: int,
    rung: Rung,
    verdict: Verdict,
    names: list[str],
    trainers: list[Trainer],
    style: Style,
) -> Iterator[str]:
    book = verdict.trace.book
    first, *others = names
    title = f"  {number}  {say(rung.remedy.title, style.language)}"
    line = pad(title, 46)
    if first in rung.before and first in rung.after:
        unit = book.unit(verdict.answers[first].answer.value)
        was, now = (quantity_text(side[first][1], unit) for side in (rung.before, rung.after))
        if was.split()[-1] == now.split()[-1]:
            was = was.rpartition(" ")[0]
        line += right(f"{was} → {now}", 21)
    for name in others:
        line += right(_percent(rung, name), 9)
    if rung.solves:
        line += "  " + style.word("solves")
    yield line
    for name, value in rung.settings.items():
        target = book.inputs[name]
        yield f"     {name}: {value_text(value, target.unit)}{_typed(rung, name, verdict, trainers, style)}"
    yield from wrap(say(rung.remedy.why, style.language), COLUMNS, "     ")
    trade_off = say(rung.remedy.trade_off, style.language)
    if trade_off:
        yield from wrap(f"{style.word('trade_off')}: {trade_off}", COLUMNS, "     ")


def _percent(rung: Rung, name: str) -> str:
    if name not in rung.before or name not in rung.after or not rung.before[name][1]:
        return ""
    change = rung.after[name][1] / rung.before[name][1] - 1
    return (
        f"{'−' if change < 0 else '+'}{abs(change) * 100:.0f} %" if abs(change) >= 0.005 else "±0 %"
    )


def _typed(rung: Rung, name: str, verdict: Verdict, trainers: list[Trainer], style: Style) -> str:
    """The same in the words of the trainer that the scenario uses, when it has words for it."""
    value = rung.settings[name]
    target = verdict.trace.book.inputs[name]
    used = {value for value in verdict.trace.values.values() if isinstance(value, str)}
    for trainer in trainers:
        if trainer.name in used:
            lines = trainer.lines(target, value)
            if lines:
                return "   # " + style.word(
                    "in_trainer", trainer=trainer.name, line=", ".join(lines)
                )
            instead = say(trainer.instead(target), style.language)
            if instead:
                return "   # " + style.word("in_trainer", trainer=trainer.name, line=instead)
    return ""


def _skipped(plan: Plan, verdict: Verdict, style: Style) -> Iterator[str]:
    def told(one: Skipped) -> str:
        title = say(one.remedy.title, style.language)
        why = (
            ""
            if one.reason == "not needed"
            else style.word("reason_" + one.reason.replace(" ", "_"))
        )
        if one.gain is not None:
            saving = _saving(one, verdict)
            why = ", ".join(
                filter(
                    None,
                    [
                        why,
                        style.word("would_save", saving=saving)
                        if saving
                        else style.word("no_saving"),
                    ],
                )
            )
        return f"{title} ({why})" if why else title

    rest = [one for one in plan.skipped if one.reason == "not needed"]
    other = [
        one
        for one in plan.skipped
        if one.reason not in ("not needed", "helps something else", "does not apply")
    ]
    if rest:
        text = " · ".join(told(one) for one in rest)
        yield from wrap(f"{style.word('not_needed')}: {text}", COLUMNS, "  ")
    if other:
        text = " · ".join(told(one) for one in other)
        yield from wrap(f"{style.word('skipped')}: {text}", COLUMNS, "  ")


def _saving(one: Skipped, verdict: Verdict) -> str:
    """What a skipped remedy would take off the first answer, or nothing."""
    first = next(iter(verdict.answers.values()))
    if one.gain is None or first.likely is None or one.gain <= 0:
        return ""
    return quantity_text(one.gain * first.likely, verdict.trace.book.unit(first.answer.value))


# -- policies and where values come from --------------------------------------------------------


def _policies(verdict: Verdict, style: Style) -> Iterator[str]:
    def messages(outcomes: Iterable[Outcome], sign: str, key: str) -> Iterator[str]:
        for outcome in outcomes:
            layer = outcome.policy.origin.layer
            by = f" [{layer}]" if layer != verdict.trace.book.layers[0] else ""
            text = fill(outcome.policy.message, verdict.trace, style.language)
            lines = wrap(
                f"{style.word(key)}: {outcome.policy.name}{by}: {text}", COLUMNS - 2, "    "
            )
            yield "  " + style.sign(sign) + lines[0][3:]
            yield from lines[1:]

    held = sum(outcome.state == "holds" for outcome in verdict.outcomes)
    open_ones = verdict.undecided("deny", "warn", "info")
    yield ""
    line = style.word("policies_held", count=held)
    if open_ones:
        names = ", ".join(outcome.policy.name for outcome in open_ones)
        line += f", {style.word('policies_not_decided', count=len(open_ones))}: {names}"
    yield from wrap(line, COLUMNS, "  ")
    yield from messages(verdict.failing("deny"), "✗", "denied")
    yield from messages(verdict.failing("warn"), "~", "warned")
    yield from messages(verdict.failing("info"), "·", "informed")


def _origins(result: CheckResult, verdict: Verdict, style: Style) -> Iterator[str]:
    trace = verdict.trace
    missing = verdict.missing()
    if missing:
        yield from wrap(style.word("missing", names=", ".join(missing)), COLUMNS, "  ")
    if result.scenario is not None:
        for override in result.scenario.overrides:
            unit = trace.book.unit(override.name)
            yield "  " + style.word(
                "overridden",
                name=override.name,
                was=value_text(override.was, unit),
                now=value_text(override.now, unit),
                source=override.source,
            )
    if result.idle:
        yield from wrap(style.word("given_idle", names=", ".join(result.idle)), COLUMNS, "  ")
    told = [
        f"{name} = {value_text(trace.values[name], trace.book.unit(name))}"
        for name in trace.book.inputs
        if name in trace.assumed and trace.book.inputs[name].ask and not _is_idle(verdict, name)
    ]
    if told:
        yield from wrap(f"{style.word('assumed')}: {' · '.join(told)}", COLUMNS, "  ")


def _is_idle(verdict: Verdict, name: str) -> bool:
    from advisor.evaluate import Reader

    condition = verdict.trace.book.inputs[name].when
    if condition is None:
        return False
    found = Reader(verdict.trace)(condition)
    return found.known and not found.value


def summary_text(results: list[CheckResult], warnings_fail: bool, style: Style) -> str:
    """One line over several files."""
    states = [result.status(warnings_fail).value for result in results]
    counts = {key: states.count(key) for key in ("holds", "fails", "undecided", "broken")}
    return style.word("summary", files=len(results), **counts) + "\n"
