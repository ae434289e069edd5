"""A check result as a person reads it in a terminal; meaning never rests on colour alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from advisor import __version__
from advisor.check import CheckResult
from advisor.errors import Problem, visible
from advisor.evaluate import Reader, Trace
from advisor.report.phrases import bar, labelled, pad, right, width, wrap
from advisor.report.style import BAR, COLUMNS, SIGNS, Style, label, limit_text, refusal
from advisor.report.waiver_text import waiver_text
from advisor.report.writing import Context, Report, Totals
from advisor.rulebook.model import Change, RuleBook, say
from advisor.rulebook.values import input_text
from advisor.units import date_text, quantity_text
from advisor.verdict import AnswerResult, Outcome, Verdict, fill, is_idle, name_text

if TYPE_CHECKING:
    from advisor.baseline import Worse
    from advisor.trainers.writes import Trainer


def check_text(result: CheckResult, trainers: Iterable[Trainer], style: Style) -> str:
    """One file's result, ending with a newline; every text from files is made visible."""
    if result.verdict is None or result.problems:
        from advisor.report.problems import problem_line

        return "".join(f"{problem_line(one, style.language)}\n" for one in result.problems)
    lines = [
        *_headline(result, result.verdict, style),
        *_answers(result.verdict, style),
        *_breakdown(result, result.verdict, style),
        *_plan(result, list(trainers), style),
        *_translated(result, style),
        *_policies(result.verdict, style),
        *_values(result, result.verdict, style),
        *_origins(result, result.verdict, style),
    ]
    return "".join(map(style.line, lines))


def book_text(book: RuleBook, today: float, style: Style, config: str = "") -> str:
    """Which rules judged: layers with what they changed and weakened, hash, day, version."""
    lines: list[str] = []
    for change in book.changes:
        lines.extend(wrap(_change(change, style), COLUMNS, "  "))
    last = style.word(
        "layers",
        layers=" + ".join(book.layers),
        digest=book.digest,
        today=date_text(today),
        version=__version__,
    )
    lines.append(f"{last} · {style.word('config', file=config)}" if config else last)
    return "".join(map(style.line, lines))


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
    sign, state = _standing(verdict, style)
    trace = verdict.trace
    entries = [
        str(trace.values[one.name])
        for one in trace.book.inputs.values()
        if one.type == "catalogue" and one.name in trace.values
    ]
    left = f"{sign} {state}   {visible(result.file)}"
    room = COLUMNS - width(left)
    shown = visible(" · ".join(entries))
    head = left + (right(shown, room) if width(shown) + 2 <= room else "   " + shown)
    yield head
    yield from _messages(verdict, verdict.failing("deny"), "✗", style)


def _standing(verdict: Verdict, style: Style) -> tuple[str, str]:
    """The sign and the words of the headline: a policy that refuses weighs more than fitting."""
    state = verdict.state
    if verdict.failing("deny"):
        return "✗", refusal(verdict, style) or style.word(state)
    if verdict.undecided("deny"):
        return SIGNS["undecided"], style.word("undecided")
    if any(outcome.level == "deny" for outcome in verdict.waived()):
        return SIGNS["tight"], style.word("waived_state", state=style.word(state))
    return SIGNS[state], style.word(state)


def _answers(verdict: Verdict, style: Style) -> Iterator[str]:
    yield ""
    labels = {name: label(result.answer, style) for name, result in verdict.answers.items()}
    column = max((width(label) for label in labels.values()), default=0) + 2
    for name, result in verdict.answers.items():
        yield f"  {pad(labels[name], column)}{_amount(verdict, result, style)}"


def _amount(verdict: Verdict, result: AnswerResult, style: Style) -> str:
    unit = verdict.trace.book.unit(result.answer.value)
    if result.likely is None or result.low is None or result.high is None:
        return style.word("undecided")
    text = quantity_text(result.likely, unit)
    if result.low != result.high:
        ends = quantity_text(result.low, unit), quantity_text(result.high, unit)
        text = style.remarked(text, _between(*ends))
    if result.limit is not None:
        text += style.word("of_limit", limit=quantity_text(result.limit, unit))
        if result.state != "fits":
            first = next(iter(verdict.answers.values())) is result
            text += f" {SIGNS[result.state]} {limit_text(result, first, style)}"
    extra = [
        f"{_title(verdict, name, style)} {name_text(verdict.trace, name)}"
        for name in result.answer.also
        if name in verdict.trace.values and result.state != "does not fit"
    ]
    return "  · ".join([text, *extra])


def _between(low: str, high: str) -> str:
    """``77.0 – 97.9 GiB``: the unit once where both ends share it."""
    number, _, unit = low.partition(" ")
    shared = high.partition(" ")[2] == unit
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
        line = f"  {pad(names[part.name], column)}{amount}  {bar(part.value, largest, BAR)}"
        if part.name == marked:
            line = f"{pad(line, column + 13 + BAR)}  {style.word('largest')}"
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


def _plan(result: CheckResult, trainers: list[Trainer], style: Style) -> Iterator[str]:
    if result.plan is None or result.verdict is None:
        return iter(())
    from advisor.report.plan_text import plan_lines  # a scenario that holds needs no plan

    if result.translation is not None:  # its own keys, and no other trainer's
        name = result.translation.trainer
        trainers = [one for one in trainers if one.name == name]

    return plan_lines(result.plan, result.verdict, trainers, style)


def _translated(result: CheckResult, style: Style) -> Iterator[str]:
    """What trainers' own files were taken for, and what in them was not."""
    if result.translation is None:
        return
    from advisor.report.translation_text import note_lines, source_lines

    yield ""
    yield from source_lines(result.translation, style)
    yield from note_lines(result.translation, style)


def _values(result: CheckResult, verdict: Verdict, style: Style) -> Iterator[str]:
    if result.translation is None:
        return iter(())
    from advisor.report.translation_text import value_lines

    return value_lines(result, verdict, style)


# -- policies and where values come from --------------------------------------------------------


def _policies(verdict: Verdict, style: Style) -> Iterator[str]:
    held = sum(outcome.state == "holds" for outcome in verdict.outcomes)
    open_ones = verdict.undecided("deny", "warn", "info")
    yield ""
    line = style.word("policies_held", count=held)
    if open_ones:
        names = style.names(outcome.policy.name for outcome in open_ones)
        count = style.word("policies_not_decided", count=len(open_ones))
        line += style.word("clauses") + labelled(style.language, count, names)
    waived = verdict.waived()
    if waived:
        line += style.word("clauses") + style.word("policies_waived", count=len(waived))
    yield from wrap(line, COLUMNS, "  ")
    yield from _waived(verdict, waived, style)
    yield from _messages(verdict, verdict.failing("warn"), "~", style)
    yield from _messages(verdict, verdict.failing("info"), "·", style)


def _messages(
    verdict: Verdict, outcomes: Iterable[Outcome], sign: str, style: Style
) -> Iterator[str]:
    for outcome in outcomes:
        layer = outcome.policy.origin.layer
        by = f" [{layer}]" if layer != verdict.trace.book.layers[0] else ""
        text = fill(outcome.policy.message, verdict.trace, style.language)
        told = labelled(style.language, f"{outcome.policy.name}{by}", text)
        lines = wrap(told, COLUMNS, "    ")
        yield f"  {sign} {lines[0].lstrip()}"
        yield from lines[1:]


def _waived(verdict: Verdict, outcomes: Iterable[Outcome], style: Style) -> Iterator[str]:
    book = verdict.trace.book
    for outcome in outcomes:
        if outcome.waiver is None:
            continue
        message = fill(outcome.policy.message, verdict.trace, style.language)
        text = waiver_text(outcome.waiver, book, style.language)
        message += style.word("sentences") + text
        lines = wrap(labelled(style.language, outcome.policy.name, message), COLUMNS, "    ")
        yield f"  ○ {lines[0].lstrip()}"
        yield from lines[1:]


def _origins(result: CheckResult, verdict: Verdict, style: Style) -> Iterator[str]:
    trace = verdict.trace
    missing = verdict.missing()
    if missing:
        yield from wrap(style.word("missing", names=style.names(missing)), COLUMNS, "  ")
    if result.scenario is not None:
        for override in result.scenario.overrides:
            target = trace.book.inputs[override.name]
            yield "  " + style.word(
                "overridden",
                name=override.name,
                was=input_text(target, override.was),
                now=input_text(target, override.now),
                source=override.source,
            )
    if result.lengths is not None:
        from advisor.lengths import rows_of  # few calls measure data
        from advisor.report.lengths_text import lengths_lines

        limit, batch = rows_of(trace.values)
        yield from lengths_lines(result.lengths, limit, batch, style.language, "  ")
    if result.idle:
        yield from wrap(style.word("given_idle", names=style.names(result.idle)), COLUMNS, "  ")
    default = [
        (provided.source, f"{name} = {input_text(trace.book.inputs[name], provided.value)}")
        for name, provided in trace.scenario.given.items()
        if provided.origin == "project"
    ]
    if default:
        names = " · ".join(text for _, text in default)
        yield from wrap(
            style.word("project_defaults", file=default[0][0], names=names), COLUMNS, "  "
        )
    read = Reader(trace)
    told = [
        f"{name} = {input_text(source, trace.values[name])}"
        for name, source in trace.book.inputs.items()
        if _is_assumed(trace, name) and source.ask and not is_idle(read, source)
    ]
    if told:
        yield from wrap(style.labelled("assumed", " · ".join(told)), COLUMNS, "  ")


def _is_assumed(trace: Trace, name: str) -> bool:
    """Whether the rules took a default, or the scenario a guess."""
    provided = trace.scenario.given.get(name)
    return name in trace.assumed or (provided is not None and provided.origin == "assumed")


def summary_text(totals: Totals, style: Style) -> str:
    """One line over several files."""
    line = style.word("summary", **totals._asdict())
    if totals.waived:
        line += f" · {style.word('summary_waived', count=totals.waived)}"
    return style.line(line)


# -- the whole report ---------------------------------------------------------------------------


def report(context: Context) -> Report:
    """The report as text for people."""
    return _TextReport(context)


class _TextReport:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.style = Style(context.language, context.colour)

    def begin(self) -> str:
        return ""

    def result(self, result: CheckResult, worse: Sequence[Worse]) -> str:
        """The result of one file, ending with an empty line."""
        text = check_text(result, self.context.trainers(result), self.style)
        if worse and self.context.project is not None:
            from advisor.report.worse_text import told

            book, language = self.context.project.book, self.context.language
            head = self.style.word("worse", file=self.context.baseline)
            lines = [labelled(language, head, "").rstrip()]
            lines += [f"  ▲ {told(one, book, language)}" for one in worse]
            text += "".join(self.style.line(f"  {line}") for line in lines)
        return text + "\n"

    def end(self, totals: Totals, problems: Sequence[Problem]) -> str:
        text = ""
        if problems:
            from advisor.report.problems import problem_lines

            text = "".join(f"{line}\n" for line in problem_lines(problems, self.context.language))
        project = self.context.project
        if totals.files > 1:
            text += summary_text(totals, self.style)
        if project is not None:
            config = project.file.name if project.file else ""
            text += book_text(project.book, project.today, self.style, config)
        return text
