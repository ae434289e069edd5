"""What the files of one run say, typed and with its catalogue entries: a scenario."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from advisor.errors import FileProblems, Problem, Span, said, sentences
from advisor.paths import is_inside
from advisor.rulebook.model import Input
from advisor.scenario import TODAY, Override, Provided, Scenario, ScenarioReader
from advisor.trainers.recognise import Recognised
from advisor.trainers.resolve import Note, Offer, Place, resolve
from advisor.trainers.runs import Run
from advisor.trainers.versions import Versions

Settings = Iterable[tuple[str, str]]


class Translation(NamedTuple):
    """One run's files read: what they are, what was to be told, and where each value stands.

    ``notes`` tell what was left open or out; ``places`` say where in the files an input's value
    was read, for writing it anew; ``warnings`` are of the files' own syntax.
    """

    sources: tuple[Recognised, ...]
    notes: tuple[Note, ...] = ()
    places: Mapping[str, Place] = {}
    warnings: tuple[Problem, ...] = ()

    @property
    def trainer(self) -> str:
        """The name of the main format, or of the first companion where there is none."""
        mains = (one.format.name for one in self.sources if one.format.role == "main")
        return next(mains, self.sources[0].format.name)


def read_settings(reader: ScenarioReader, settings: Settings) -> dict[str, Provided]:
    """The values that the call itself sets, typed, by input; raises FileProblems."""
    reader.problems = []
    given: dict[str, Provided] = {}
    reader.override(given, settings)
    if reader.problems:
        raise FileProblems(reader.problems)
    return given


def assemble(
    reader: ScenarioReader,
    run: Run,
    settings: Mapping[str, Provided],
    versions: Versions,
    measured: Mapping[str, Provided] = MappingProxyType({}),
) -> tuple[Scenario, Translation]:
    """The scenario that the files of one run make, with the call's ``settings`` over it.

    ``measured`` are values that are known and laid over it later. Raises FileProblems with
    everything wrong in the files.
    """
    name, folder = run.name, run.file.path.parent
    inputs = reader.book.inputs
    resolved = resolve(run.sources, inputs, {**measured, **settings}, versions, reader.defaults)
    reader.problems = list(resolved.problems)
    given: dict[str, Provided] = {}
    for key, offer in resolved.offers.items():
        target = inputs[key]
        where = offer.span or Span(name)
        if target.type == "catalogue":
            if key in settings:  # what the file calls it need not be known then
                shown = str(offer.value)[:200]
                given[key] = Provided(shown, "given", offer.source, offer.span)
            else:
                given.update(_entry(reader, target, offer, where, folder))
            continue
        before = len(reader.problems)
        found = reader.typed(target, _worded(target, offer.value), offer.source, where, folder)
        if key in settings:  # a value the call replaces may be wrong
            del reader.problems[before:]
        given.update({one: p._replace(origin=offer.origin) for one, p in found.items()})
    overrides = [*_laid_over(reader, given, settings)]
    if reader.problems:
        raise FileProblems(reader.problems)
    reader.fill(given)
    for key in resolved.unknown:  # nor does a project's default stand in
        given.pop(key, None)
    given[TODAY] = Provided(reader.today, "given", "--today")
    translation = Translation(
        run.sources, (*run.notes, *resolved.notes), resolved.places, run.warnings
    )
    scenario = Scenario(name, given, overrides=tuple(overrides), unknown=resolved.unknown)
    return scenario, translation


def _laid_over(
    reader: ScenarioReader, given: dict[str, Provided], settings: Mapping[str, Provided]
) -> Iterator[Override]:
    """Put each value of the call over the files', an entry together with its facts."""
    for key, one in settings.items():
        if one.origin == "given":
            start = f"{key}."
            facts = {name: fact for name, fact in settings.items() if name.startswith(start)}
            yield from reader.lay_over(given, {key: one, **facts}, one.source)


def _worded(target: Input, value: Any) -> Any:
    """A value as our own files would write it: some trainers read 'True' and '3' as well."""
    if target.type == "boolean" and isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower(), value)
    if target.type in ("integer", "number") and isinstance(value, str):
        return value.replace("_", "").strip()
    return value


def _entry(
    reader: ScenarioReader, target: Input, offer: Offer, where: Span, folder: Path
) -> dict[str, Provided]:
    """A model or a GPU by its name, or a model by the folder that holds its config.json."""
    before = len(reader.problems)
    name = str(offer.value).strip().rstrip("/") or str(offer.value)
    found = reader.typed(target, name, offer.source, where, folder)
    if found or target.catalogue != "models":
        return found
    config = folder / name / "config.json"
    if config.is_file() and is_inside(config, folder):
        del reader.problems[before:]
        path = f"{name}/config.json"
        return reader.typed(target, path, offer.source, where, folder)
    for at, problem in enumerate(reader.problems[before:], start=before):
        if problem.where == where:
            hint = sentences(problem.hint, said("Or say what it is like: --model NAME."))
            reader.problems[at] = problem._replace(hint=hint)
    return found
