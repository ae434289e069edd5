"""A plan written back into the file it is for, in the file's own keys, or a reason why not.

Only stretches of the text at the values' own places change. The new text is read as the file was,
and has to mean exactly what the plan meant and to hold; otherwise nothing is written.
"""

from pathlib import Path

from advisor.check import CheckResult
from advisor.errors import FileProblems, said
from advisor.fix.attempt import attempt
from advisor.fix.files import replace_file
from advisor.fix.guard import shape_of
from advisor.fix.model import Changed, Fixed, Source
from advisor.fix.problems import CODE, Unsaid, refusal
from advisor.ladder import Plan
from advisor.source import decode

__all__ = ["Changed", "Fixed", "Source", "fixed", "replace_file"]

_SUFFIXES = (".yaml", ".yml", ".json")
_ATTEMPTS = 12


def fixed(result: CheckResult, source: Source, warnings_fail: bool = False) -> Fixed:
    """The file with the plan of its result carried out, not written yet.

    Where the file cannot say some of the plan (a trainer without a fused loss, the number of GPUs),
    a plan that leaves those inputs as they are is looked for. Raises FileProblems saying why it
    cannot be done here: nothing to plan, a file that is not fully understood, a change that the
    file cannot say, or a result that does not hold.
    """
    if result.plan is None:
        raise refusal(source.file, [said("there is no plan for what fails here.")])
    if not result.plan.solved or not result.plan.rungs:
        raise refusal(
            source.file, [said("no plan solves it.")], said("The plan shows the nearest miss.")
        )
    text = decode(source.data, source.file)
    _require_plain(text, source)
    plan: Plan | None = result.plan
    left: frozenset[str] = frozenset()
    first: FileProblems | None = None
    for _ in range(_ATTEMPTS):
        if plan is None or not plan.solved or not plan.rungs:
            break
        try:
            found = attempt(plan, text, source, warnings_fail)
        except Unsaid as error:
            first = first or error
            left |= error.inputs
            plan = source.replan(left)
            continue
        except FileProblems as error:
            raise (first or error) from None
        return found._replace(left=left)
    assert first is not None  # the loop ends here only after a refusal
    raise first


def _require_plain(text: str, source: Source) -> None:
    if Path(source.file).suffix.lower() not in _SUFFIXES:
        raise refusal(
            source.file, [said("only YAML and JSON files are mended.")], said("Type the plan in.")
        )
    found = [*source.doubts, *shape_of(text, source.file).problems]
    if found:
        hint = said("Mend this by hand first: only a file that is fully understood is changed.")
        raise FileProblems([one._replace(code=CODE, hint=hint, level="error") for one in found])
