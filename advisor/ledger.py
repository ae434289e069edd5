"""Which waivers a check used, and what is wrong with those it did not."""

from collections.abc import Iterator, Sequence
from typing import Literal

from advisor.check import CheckResult
from advisor.errors import Level, Problem, Span, said
from advisor.units import date_text
from advisor.verdict import number_of
from advisor.waivers import DAY, Excuse, Standing, Waiver, standing

Use = Literal["used", "not needed", "open"] | Standing
SOON = 7
"""Days before its last one from which a waiver in use is pointed out."""


class Ledger:
    """Counts how waivers fared in results as they come.

    ``whole`` says that every file of the project is checked, so that a waiver for none of them is
    left over; ``altered`` that flags set inputs over the files, so that nothing is known about what
    the files themselves need; ``copied`` that the waivers are not the ones beside the files, so
    that whoever changes the files cannot take one away.
    """

    def __init__(
        self,
        waivers: Sequence[Waiver],
        today: float,
        whole: bool = False,
        altered: bool = False,
        copied: bool = False,
    ) -> None:
        self.waivers = waivers
        self.today = today
        self.whole = whole
        self.altered = altered
        self.copied = copied
        self.uses: dict[Span, set[Use]] = {}  # by the place of the waiver

    def add(self, result: CheckResult, excuse: Excuse) -> None:
        """Note what the waivers for a result's file did."""
        for waiver in excuse.waivers:
            self.uses.setdefault(waiver.where, set()).add(self.use(waiver, result))

    def use(self, waiver: Waiver, result: CheckResult) -> Use:
        verdict = result.verdict
        if verdict is None or result.problems:
            return "open"
        outcome = next(one for one in verdict.outcomes if one.policy.name == waiver.policy)
        if outcome.state == "waived":
            return "used" if outcome.waiver == waiver else "not needed"
        if outcome.state == "undecided":
            return "open"
        if outcome.state != "fails":
            return "not needed"
        return standing(waiver, self.today, lambda name: number_of(verdict.trace, name))

    def problems(self) -> list[Problem]:
        """What to say about waivers at the end: those left over, spent, or about to be."""
        return [problem for waiver in self.waivers for problem in self.problem(waiver)]

    def problem(self, waiver: Waiver) -> Iterator[Problem]:
        uses = self.uses.get(waiver.where, set())
        name, until = waiver.policy, date_text(waiver.expires)
        if "expired" in uses:
            yield Problem(
                "waiver-expired",
                said(
                    "the waiver of '{name}' ended on {until}; the policy fails again.",
                    name=name,
                    until=until,
                ),
                said("Change the scenario, or have it approved anew."),
                waiver.where,
                "warning",
            )
        if "not yet" in uses:
            yield Problem(
                "waiver-not-yet",
                said(
                    "the waiver of '{name}' starts on {approved_on}.",
                    name=name,
                    approved_on=date_text(waiver.approved_on),
                ),
                said("Check approved_on."),
                waiver.where,
                "warning",
            )
        if "exceeded" in uses:
            yield Problem(
                "waiver-exceeded",
                said("'{name}' fails by more than its waiver allows.", name=name),
                said("Change the scenario, or have the larger violation approved."),
                waiver.where,
                "warning",
            )
        if "used" in uses:
            yield from self.ending(waiver, name, until)
        elif "not needed" in uses and uses <= {"not needed"}:
            yield self.left_over(
                waiver, said("nothing that was checked needs a waiver of '{name}'", name=name)
            )
        elif not uses and self.whole:
            yield self.left_over(
                waiver,
                said("no file that was checked is called '{name}'", name=waiver.scenario),
            )

    def ending(self, waiver: Waiver, name: str, until: str) -> Iterator[Problem]:
        days = round((waiver.expires - self.today) / DAY)
        if days <= SOON:
            yield Problem(
                "waiver-ends",
                said(
                    "the waiver of '{name}' ends on {until}, {when}.",
                    name=name,
                    until=until,
                    when=_in_days(days),
                ),
                said("Change the scenario before then."),
                waiver.where,
                "warning",
            )

    def left_over(self, waiver: Waiver, message: str) -> Problem:
        if self.altered:
            hint = said("Flags set inputs; check the files as they are.")
            return Problem(
                "waiver-unused", said("{message}.", message=message), hint, waiver.where, "warning"
            )
        level: Level = "warning" if self.copied else "error"
        return Problem(
            "waiver-unused",
            said("{message}.", message=message),
            said("Remove it."),
            waiver.where,
            level,
        )


def _in_days(days: int) -> str:
    if days < 2:
        return said("tomorrow") if days else said("today")
    return said("in {days} days", days=days)
