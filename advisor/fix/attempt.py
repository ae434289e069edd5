"""One plan written into one text, and held against what it was to mean."""

from collections.abc import Iterable, Iterator, Mapping

from advisor.check import CheckResult, Status
from advisor.errors import FileProblems, said
from advisor.fix.edit import set_key
from advisor.fix.guard import differences, referring, shape_of
from advisor.fix.model import Changed, Fixed, Source
from advisor.fix.problems import CODE, Unsaid, refusal, told
from advisor.fix.writing import Written, in_scenario, in_trainer, net_changes
from advisor.ladder import Plan
from advisor.rulebook.model import NO_TEXT, Input, Value, say
from advisor.rulebook.values import input_text
from advisor.source import Document
from advisor.verdict import Verdict

_MARK = "\ufeff"


def attempt(plan: Plan, text: str, source: Source, warnings_fail: bool) -> Fixed:
    """The text with a plan carried out.

    Raises Unsaid when it is some inputs that cannot be changed here, and FileProblems when the
    result would mean more than the plan, or not hold.
    """
    net = net_changes(plan)
    near = [name for name in net if name in source.unclear]
    if near:
        raise Unsaid([source.unclear[name] for name in near], near)
    document = source.read(text)
    written = _written(plan, net, document, source)
    after = _edited(text, document, written, source)
    checked = source.check(after)
    changes = _compared(plan, net, {one.path for one in written}, checked, source)
    if checked.status(warnings_fail) is not Status.HOLDS:
        raise refusal(source.file, [_not_enough(changes, checked, source)])
    mark = _MARK if source.data.startswith(_MARK.encode()) else ""
    return Fixed(source.file, text, after, source.data, (mark + after).encode(), changes, checked)


def _written(
    plan: Plan, net: Mapping[str, tuple[Value | None, Value]], document: Document, source: Source
) -> list[Written]:
    """Every key to set. What no key says may follow from another: reading it again will tell."""
    found: list[Written] = []
    final = plan.final.trace.values
    for name, (was, value) in net.items():
        target = source.inputs[name]
        if source.trainer is None:
            found.extend(in_scenario(target, value))
        else:
            found.extend(
                in_trainer(source.trainer, target, value, was, final, document, source.places)
            )
    if not found:
        hint = said("Do it where the run is started.")
        raise Unsaid(told(source.file, _unsaid(net, source), hint), net)
    return found


def _unsaid(names: Iterable[str], source: Source) -> Iterator[str]:
    """A sentence for each change that the file has no key for."""
    for name in names:
        instead = source.trainer.instead(source.inputs[name]) if source.trainer else NO_TEXT
        yield (
            said("'{name}' cannot be said in this file: {instead}.", name=name, instead=instead)
            if say(instead, "en")
            else said("'{name}' cannot be said in this file.", name=name)
        )


def _edited(text: str, document: Document, written: list[Written], source: Source) -> str:
    """The text with every key set, one after the other, each at its place in the text so far."""
    paths = {one.path for one in written}
    problems = referring(document, paths)
    if problems:
        named = {path for path, _ in problems}
        inputs = [one.input for one in written if one.path in named]
        raise Unsaid([problem for _, problem in problems], inputs)
    after, now = text, document
    for one in written:
        flow = shape_of(after, source.file).root_is_flow
        try:
            edit = set_key(now, one.path, one.value, flow)
        except FileProblems as error:
            raise Unsaid(error.problems, [one.input]) from None
        if edit is not None:
            after = edit.apply(after)
            now = source.read(after)
    strange = {path for path in differences(document, now) if not _is_meant(path, paths)}
    if strange:
        shown = ", ".join(sorted(strange))[:200]
        raise refusal(
            source.file, [said("it would change more than is meant: {shown}.", shown=shown)]
        )
    return after


def _is_meant(path: str, paths: set[str]) -> bool:
    """Whether a path is one to set, or the empty map that it went into."""
    return path in paths or any(one.startswith(f"{path}.") for one in paths)


def _compared(
    plan: Plan,
    net: Mapping[str, tuple[Value | None, Value]],
    paths: set[str],
    checked: CheckResult,
    source: Source,
) -> tuple[Changed, ...]:
    """What changed, as it is read again; raises FileProblems when that is not what was meant.

    An input that is not of the plan may change where the file does not say it (the trainer decides
    then), or where a key of the plan says it too.
    """
    if checked.verdict is None or checked.scenario is None:
        raise FileProblems([one._replace(code=CODE) for one in checked.problems])
    places = checked.translation.places if checked.translation else {}
    changes = [Changed(name, was, now, True) for name, (was, now) in net.items()]
    wrong: dict[str, str] = {}
    for name, target in source.inputs.items():
        wanted, got = _value(plan.final, name), _value(checked.verdict, name)
        if wanted == got or (None in (wanted, got) and name not in net):
            continue
        provided = checked.scenario.given.get(name)
        place = places.get(name)
        follows = (
            provided is None
            or provided.origin in ("trainer", "catalogue")
            or (place is not None and place.found.path in paths)
        )
        if name in net or not follows:
            wrong[name] = _misread(target, wanted, got, source)
        else:
            changes.append(Changed(name, wanted, got, False))
    if wrong:
        hint = said("Nothing is written; type the plan in by hand.")
        problems = told(source.file, wrong.values(), hint)
        if set(wrong) <= set(net):
            raise Unsaid(problems, _least(wrong, checked, source))
        raise FileProblems(problems)
    return tuple(changes)


def _least(wrong: Iterable[str], checked: CheckResult, source: Source) -> Iterable[str]:
    """Of the inputs that are read back wrong, those at fault: without a key, or set by the call."""
    given = checked.scenario.given if checked.scenario else {}
    writes = source.trainer.writes if source.trainer else {}
    keyless = [
        name
        for name in wrong
        if source.trainer and not any(write.key for write in writes.get(name, ()))
    ]
    called = [name for name in wrong if name in given and given[name].span is None]
    return keyless or called or wrong


def _not_enough(changes: tuple[Changed, ...], checked: CheckResult, source: Source) -> str:
    failing = checked.verdict.failing("deny", "warn") if checked.verdict else []
    names = tuple(outcome.policy.name for outcome in failing)
    also = [one for one in changes if not one.is_planned]
    if also:
        return said(
            "with the plan's changes it would still not hold ({names}), "
            "because the trainer then also sets {inputs}.",
            names=names,
            inputs=tuple(_shown(one, source) for one in also),
        )
    return said("with the plan's changes it would still not hold ({names}).", names=names)


def _shown(one: Changed, source: Source) -> str:
    if one.now is None:
        return said("{input} to nothing", input=one.input)
    value = input_text(source.inputs[one.input], one.now)
    return said("{input} to {value}", input=one.input, value=value)


def _value(verdict: Verdict, name: str) -> Value | None:
    """An input's value in a scenario that was judged; None where nothing gives or reads it."""
    trace = verdict.trace
    given = trace.scenario.given.get(name)
    return given.value if given is not None else trace.values.get(name)


def _misread(target: Input, wanted: Value | None, got: Value | None, source: Source) -> str:
    instead = source.trainer.instead(target) if source.trainer else NO_TEXT
    now = said("nothing") if got is None else input_text(target, got)
    then = said("nothing") if wanted is None else input_text(target, wanted)
    if say(instead, "en"):
        return said(
            "'{name}' would be read back as {now}, not {then}: {instead}.",
            name=target.name,
            now=now,
            then=then,
            instead=instead,
        )
    return said(
        "'{name}' would be read back as {now}, not {then}.", name=target.name, now=now, then=then
    )
