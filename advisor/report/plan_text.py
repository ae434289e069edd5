"""The plan of a check result as lines: rungs with price and what to type, and what was skipped."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.ladder import Plan, Rung, Skipped
from advisor.report.phrases import pad, right, width, wrap
from advisor.report.style import COLUMNS, SIGNS, Style, label
from advisor.rulebook.model import say
from advisor.rulebook.values import input_text
from advisor.trainers.writes import FRAMEWORK, Trainer
from advisor.units import quantity_text
from advisor.verdict import Verdict

_TITLE = 46


def plan_lines(
    plan: Plan, verdict: Verdict, trainers: list[Trainer], style: Style
) -> Iterator[str]:
    """The lines of a plan, a blank one first."""
    yield ""
    key = (
        "plan_unsolved" if not plan.solved else "plan_required" if plan.required else "plan_offered"
    )
    shown = [name for name, answer in verdict.answers.items() if answer.likely is not None]
    heading = "  " + style.word(key)
    first, *others = shown or [""]
    labels = [label(verdict.answers[name].answer, style) for name in others]
    room = _title_columns(plan, verdict, len(others), style)
    if plan.rungs and room:
        if width(heading) > room:
            yield heading
            heading = ""
        yield (
            pad(heading, room)
            + right(label(verdict.answers[first].answer, style), 21)
            + "".join(right(label, 9) for label in labels)
        )
    else:
        yield heading
    for number, rung in enumerate(plan.rungs, start=1):
        yield from _rung(number, rung, verdict, [first, *others], trainers, style, room)
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
    columns: int,
) -> Iterator[str]:
    book = verdict.trace.book
    first, *others = names
    title = f"  {number}  {say(rung.remedy.title, style.language)}"
    change = _change(rung, first, verdict)
    standing = standing_text(rung, verdict, style)
    if not columns:
        yield from wrap(title.strip() + standing, style.columns, "  ")
        figures = [(first, change), *((name, _percent(rung, name)) for name in others)]
        told = [
            f"{label(verdict.answers[name].answer, style)} {text}" for name, text in figures if text
        ]
        yield from wrap(" · ".join(told), style.columns, "     ")
    else:
        over = max(0, width(title) - columns)  # a long title takes the blanks of its figures
        line = pad(title, columns) + (right(f" {change}", 21 - over) if change else "")
        yield line + "".join(right(_percent(rung, name), 9) for name in others) + standing
    for name, value in rung.settings.items():
        target = book.inputs[name]
        typed = _typed(rung, name, verdict, trainers, style)
        line = f"     {name}: {input_text(target, value)}"
        if typed and width(line + typed) > style.columns < COLUMNS:
            yield line
            yield from wrap(typed.strip(), style.columns, "     ")
        else:
            yield line + typed
    yield from wrap(say(rung.remedy.why, style.language), style.columns, "     ")
    trade_off = say(rung.remedy.trade_off, style.language)
    if trade_off:
        yield from wrap(style.labelled("trade_off", trade_off), style.columns, "     ")


def _change(rung: Rung, name: str, verdict: Verdict) -> str:
    """``32.4 → 19.6 GiB``: an answer before and after a rung; empty where it has none."""
    if name not in rung.before or name not in rung.after:
        return ""
    unit = verdict.trace.book.unit(verdict.answers[name].answer.value)
    was, now = (quantity_text(side[name][1], unit) for side in (rung.before, rung.after))
    if was.split()[-1] == now.split()[-1]:
        was = was.rpartition(" ")[0]
    return f"{was} → {now}"


def _title_columns(plan: Plan, verdict: Verdict, others: int, style: Style) -> int:
    """Columns of a rung's title: as many as leave room for its figures; 0 where none do."""
    if style.columns >= COLUMNS:
        return _TITLE
    standing = max((width(standing_text(one, verdict, style)) for one in plan.rungs), default=0)
    room = style.columns - 21 - 9 * others - standing
    return min(_TITLE, room) if room >= _TITLE // 2 else 0


def standing_text(rung: Rung, verdict: Verdict, style: Style) -> str:
    """What the scenario comes to with this rung, where that is something new."""
    if rung.standing == rung.was:
        return ""
    state = {"holds": "fits", "tight": "tight", "fails": "does not fit"}[rung.standing]
    word = state
    if verdict.state == "fits" and rung.standing == "holds":  # it was another limit
        left = any(one.policy.fix != "ladder" for one in verdict.failing("deny"))
        word = "plan_mended" if left else "plan_holds"
    return f"  {SIGNS[state]} {style.word(word)}"


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
    used = verdict.trace.values.get(FRAMEWORK)
    for trainer in trainers:
        if trainer.name == used:
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
    from advisor.report.problems import in_language

    def told(one: Skipped) -> str:
        title = say(one.remedy.title, style.language)
        why = (
            ""
            if one.reason == "not needed"
            else style.word(
                "reason_" + one.reason.replace(" ", "_"),
                detail=in_language(one.detail, style.language),
            )
        )
        if one.gain is not None:
            saving = _saving(one, verdict)
            gain = style.word("would_save", saving=saving) if saving else style.word("no_saving")
            why = style.word("clauses").join(filter(None, [why, gain]))
        return style.remarked(title, why)

    rest = [one for one in plan.skipped if one.reason == "not needed"]
    other = [
        one
        for one in plan.skipped
        if one.reason not in ("not needed", "helps something else", "does not apply")
    ]
    if rest:
        text = " · ".join(told(one) for one in rest)
        yield from wrap(style.labelled("not_needed", text), style.columns, "  ")
    if other:
        text = " · ".join(told(one) for one in other)
        yield from wrap(style.labelled("skipped", text), style.columns, "  ")


def _saving(one: Skipped, verdict: Verdict) -> str:
    """What a skipped remedy would take off the first answer it is meant for, or nothing."""
    for name, result in verdict.answers.items():
        value = result.answer.value
        if value in one.remedy.improves and name in one.before and name in one.after:
            was, now = one.before[name][1], one.after[name][1]
            unit = verdict.trace.book.unit(value)
            return quantity_text(was - now, unit) if now < 0.9995 * was else ""
    return ""
