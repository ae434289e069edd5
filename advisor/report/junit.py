"""JUnit XML: a suite for each file with a case for each policy, and a suite for the call itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from advisor import __version__
from advisor.check import CheckResult, Status
from advisor.errors import Problem, visible
from advisor.report.findings import Finding, findings, problem_findings, short
from advisor.report.phrases import phrase
from advisor.report.writing import Context, Report, Totals
from advisor.units import date_text

if TYPE_CHECKING:
    from advisor.baseline import Worse


class _Case(NamedTuple):
    """One case: ``element`` says how it ended (empty: well), ``note`` what is told with it."""

    name: str
    element: str
    kind: str
    text: str
    finding: Finding | None = None


def report(context: Context) -> Report:
    """The report as JUnit XML."""
    return _JunitReport(context)


class _JunitReport:
    def __init__(self, context: Context) -> None:
        self.context = context

    def begin(self) -> str:
        return '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="advisor">\n'

    def result(self, result: CheckResult, worse: Sequence[Worse]) -> str:
        found = list(findings(result, self.context))
        if result.status(self.context.strict) is Status.BROKEN:
            cases = [_problem_case(one) for one in found]
        else:
            cases = list(_cases(result, found, self.context))
        return _suite(result.file, cases)

    def end(self, totals: Totals, problems: Sequence[Problem]) -> str:
        found = problem_findings(problems, "", self.context)
        cases = [_problem_case(one) for one in found]
        facts = {"exit": str(totals.exit), "waived": str(totals.waived), "advisor": __version__}
        project = self.context.project
        if project is not None:
            facts |= {
                "rules": project.book.digest,
                "layers": " + ".join(project.book.layers),
                "today": date_text(project.today),
            }
            if project.file is not None:
                facts["config"] = project.file.name
        return _suite("advisor", cases, facts) + "</testsuites>\n"


def _cases(result: CheckResult, found: list[Finding], context: Context) -> Iterator[_Case]:
    pointed = {one.rule: one for one in found}
    outcomes = result.verdict.outcomes if result.verdict else ()
    for outcome in outcomes:
        name = outcome.policy.name
        one = pointed.get(name)
        if one is not None and one.kind in ("fails", "undecided"):
            element = "failure" if one.kind == "fails" else "error"
            yield _Case(name, element, one.kind, one.message, one)
        elif one is not None and one.kind == "waived":
            yield _Case(name, "skipped", "", one.message, one)
        elif one is not None:
            yield _Case(name, "", outcome.level, one.message, one)
        elif outcome.state in ("undecided", "not applicable"):
            word = phrase(context.language, f"state_{outcome.state}".replace(" ", "_"))
            yield _Case(name, "skipped", "", word)
        else:
            yield _Case(name, "", "", "")


def _problem_case(one: Finding) -> _Case:
    place = str(one.where) if one.where.file else ""
    element = "error" if one.kind == "problem" else ""
    return _Case(f"{one.rule} {place}".strip(), element, one.rule, one.message, one)


def _suite(name: str, cases: list[_Case], facts: dict[str, str] | None = None) -> str:
    counts = {
        "tests": len(cases),
        "failures": sum(case.element == "failure" for case in cases),
        "errors": sum(case.element == "error" for case in cases),
        "skipped": sum(case.element == "skipped" for case in cases),
    }
    attributes = "".join(f' {key}="{count}"' for key, count in counts.items())
    lines = [f'  <testsuite name="{escaped(short(name))}"{attributes}>']
    if facts:
        lines.append("    <properties>")
        lines += [
            f'      <property name="{key}" value="{escaped(value)}"/>'
            for key, value in facts.items()
        ]
        lines.append("    </properties>")
    for case in cases:
        lines += _case(name, case)
    lines.append("  </testsuite>\n")
    return "\n".join(lines)


def _case(suite: str, case: _Case) -> Iterator[str]:
    where = ""
    if case.finding is not None and case.finding.where.file:
        span = case.finding.where
        where = f' file="{escaped(short(span.file))}" line="{span.line}"'
    names = f'classname="{escaped(short(suite))}" name="{escaped(short(case.name))}"'
    start = f"    <testcase {names}{where}"
    if not case.text:
        yield f"{start}/>"
        return
    yield f"{start}>"
    told = "\n".join([case.text, *(case.finding.advice if case.finding else ())])
    if case.element == "skipped":
        yield f'      <skipped message="{escaped(case.text)}"/>'
    elif case.element:
        kind = f'type="{escaped(case.kind)}" message="{escaped(case.text)}"'
        yield f"      <{case.element} {kind}>{escaped(told)}</{case.element}>"
    else:
        yield f"      <system-out>{escaped(f'{case.kind}: {told}')}</system-out>"
    yield "    </testcase>"


def escaped(text: str) -> str:
    """A text for XML, in an element or between double quotes; controls are written out."""
    shown = visible(text)
    for char, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        shown = shown.replace(char, entity)
    return shown.replace("\n", "&#10;")
