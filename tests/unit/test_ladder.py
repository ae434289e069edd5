"""Climbing the ladder: what is taken, what is skipped and why, what is dropped again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from advisor.catalog import Catalogue
from advisor.check import CheckResult, Status, check, check_file
from advisor.evaluate import Engine
from advisor.ladder import LEAST_GAIN, MAX_RUNGS, Plan, Skipped
from advisor.scenario import ScenarioReader
from advisor.verdict import judge
from tests.support import TODAY, book, scenario

BASE = """
language: 1
inputs:
  today: {type: date}
  x: {type: number, unit: "1", range: [0, 1000], default: {value: 60, because: {en: usual}}}
  y: {type: number, unit: "1", range: [0, 1000], default: {value: 40, because: {en: usual}}}
  z: {type: number, unit: "1", range: [0, 1000], default: {value: 0, because: {en: usual}}}
  t: {type: number, unit: "1", range: [0, 1000], default: {value: 10, because: {en: usual}}}
  n: {type: integer, unit: "1", range: [1, 16], default: {value: 1, because: {en: one}}}
  on: {type: boolean, default: {value: false, because: {en: usual}}}
  kind:
    type: enum
    choices: [a, b, c]
    default: {because: {en: as it is on}, cases: [{when: on, value: b}, {value: a}]}
  room: {type: number, unit: "1"}
  hours: {type: number, unit: "1", optional: true}
  ghost: {type: number, unit: "1", optional: true}
formulas:
  need:
    title: Need
    unit: "1"
    value: (x + y + z) / n
    high: (x + y + z) / n * slack
  slack: {title: Slack, unit: "1", cases: [{when: kind == 'c', value: 2}, {value: 1}]}
  time: {title: Time, unit: "1", value: t * n}
answers:
  memory: {value: need, limit: room}
  time: {value: time, limit: hours}
"""
FITS = "fits: {level: deny, require: need <= room, message: {en: no}, fix: ladder}"
SAFE = "safe: {level: warn, require: need.high <= room, message: {en: no}, fix: ladder}"
IN_TIME = (
    "in-time: {level: deny, when: given(hours), require: time <= hours, message: {en: no},"
    " fix: ladder}"
)


@dataclass(frozen=True)
class Ladder:
    """A rulebook's remedies: one line each (``name: what it sets``), then the order."""

    remedies: dict[str, str]
    order: tuple[str, ...]
    policies: tuple[str, ...] = (FITS,)

    @property
    def text(self) -> str:
        lines = [BASE, "remedies:"]
        for name, rest in self.remedies.items():
            extra = "" if "improves:" in rest else ", improves: [need]"
            extra += "" if "quality:" in rest else ", quality: 0"
            lines.append(
                f"  {name}: {{title: {{en: {name}}}, why: {{en: w}}, trade_off: {{en: t}},"
                f" {rest}{extra}}}"
            )
        lines.append(f"ladder: [{', '.join(self.order)}]")
        lines.append("policies:")
        lines.extend(f"  {one}" for one in self.policies)
        return "\n".join(lines) + "\n"

    def check(self, given: str) -> CheckResult:
        rules = book(self.text)
        return check(Engine(rules), scenario(rules, given))

    def plan(self, given: str) -> Plan:
        result = self.check(given)
        assert not result.problems, result.problems
        assert result.plan is not None
        return result.plan


def ladder(policies: tuple[str, ...] = (FITS,), **remedies: str) -> Ladder:
    return Ladder(remedies, tuple(remedies), policies)


def names(plan: Plan) -> list[str]:
    return [rung.remedy.name for rung in plan.rungs]


def skipped(plan: Plan) -> dict[str, str]:
    return {one.remedy.name: one.reason for one in plan.skipped}


def the(plan: Plan, name: str) -> Skipped:
    return next(one for one in plan.skipped if one.remedy.name == name)


# -- climbing -------------------------------------------------------------------------------------

HALVES = {"half-x": "set: {x: x / 2}", "half-y": "set: {y: y / 2}", "no-x": "set: {x: 0}"}


@pytest.mark.parametrize(
    ("order", "room", "taken"),
    [
        pytest.param(("half-x", "half-y", "no-x"), 100, None, id="fits: no plan at all"),
        pytest.param(("half-x", "half-y", "no-x"), 70, ["half-x"], id="one is enough"),
        pytest.param(
            ("half-y", "half-x", "no-x"),
            70,
            ["half-x"],
            id="a lower one that a later one makes needless is dropped",
        ),
        pytest.param(
            ("half-x", "half-y"), 50, ["half-x", "half-y"], id="both, in the ladder's order"
        ),
        pytest.param(
            ("half-y", "half-x"), 50, ["half-y", "half-x"], id="the order is the ladder's"
        ),
        pytest.param(("no-x", "half-x", "half-y"), 70, ["no-x"], id="the first that does it"),
        pytest.param(("half-y",), 80, ["half-y"], id="reaching the limit is enough"),
    ],
)
def test_order(order: tuple[str, ...], room: int, taken: list[str] | None) -> None:
    result = Ladder(HALVES, order).check(f"{{room: {room}}}")
    assert (names(result.plan) if result.plan else None) == taken
    if result.plan:
        assert result.plan.solved and result.plan.required and result.plan.goals == ("fits",)
        assert result.plan.final.state == "fits"
        assert [rung.standing for rung in result.plan.rungs][-1:] == ["holds"]
        assert all(rung.standing == "fails" for rung in result.plan.rungs[:-1])


def test_a_remedy_that_is_not_on_the_ladder_is_never_taken() -> None:
    plan = Ladder(HALVES, ("half-y",)).plan("{room: 50}")
    assert not plan.solved
    assert names(plan) == ["half-y"] and skipped(plan) == {}


@pytest.mark.parametrize(
    ("when", "given", "applies"),
    [
        pytest.param("x > 50", "", True, id="holds"),
        pytest.param("x > 60", "", False, id="does not hold"),
        pytest.param("ghost > 1", "", False, id="cannot be told"),
        pytest.param("ghost > 1", ", ghost: 2", True, id="is given"),
        pytest.param("x / z > 1", "", False, id="divides by zero"),
        pytest.param("given(ghost)", "", False, id="is not given"),
    ],
)
def test_when(when: str, given: str, applies: bool) -> None:
    plan = ladder(a=f"when: {when}, set: {{x: 0}}").plan(f"{{room: 50{given}}}")
    assert names(plan) == (["a"] if applies else [])
    assert skipped(plan) == ({} if applies else {"a": "does not apply"})


def test_when_is_asked_again_after_every_rung() -> None:
    plan = ladder(
        once="when: x > 50, set: {x: 30}, repeat: true", then="when: x <= 30, set: {y: 0}"
    ).plan("{room: 30}")
    assert names(plan) == ["once", "then"]


@pytest.mark.parametrize(
    ("repeat", "room", "count", "solved"),
    [
        pytest.param("true", 60, 2, True, id="as often as needed"),
        pytest.param("true", 48, 3, True, id="and once more"),
        pytest.param("true", 40, 3, False, id="as often as it applies"),
        pytest.param("false", 60, 1, False, id="once where it is not repeated"),
    ],
)
def test_repeat(repeat: str, room: int, count: int, solved: bool) -> None:
    plan = ladder(a=f"when: x > 10, set: {{x: x / 2}}, repeat: {repeat}").plan(f"{{room: {room}}}")
    assert names(plan) == ["a"] * count and plan.solved is solved
    values = [rung.settings["x"] for rung in plan.rungs]
    assert values == [60 / 2 ** (position + 1) for position in range(count)]
    assert [rung.changes["x"][0] for rung in plan.rungs] == [60.0, *values[:-1]]


def test_what_gained_nothing_is_tried_again_when_the_peak_has_moved() -> None:
    rules = ladder(a="set: {x: 1}", b="set: {y: 1}", c="set: {y: 0, x: 0}, quality: 3")
    text = rules.text.replace("value: (x + y + z) / n", "value: max(x, y) / n").replace(
        "high: (x + y + z) / n * slack", "high: max(x, y) / n * slack"
    )
    plan = check(Engine(book(text)), scenario(book(text), "{x: 50, y: 90, room: 10}")).plan
    assert plan is not None and plan.solved
    assert names(plan) == ["b", "a"]


# Kernels for one card (on: what y needs falls), and more cards, which they shut out.
ONE = "when: n == 1 and not on, set: {on: true, y: y / 2}"
MORE = "when: not on and n < 16, set: {n: n * 2}"


@pytest.mark.parametrize(
    ("given", "taken", "solved"),
    [
        pytest.param("{room: 80}", ["one"], True, id="what helps a little is enough"),
        pytest.param("{room: 50}", ["more"], True, id="only what it shuts out is enough"),
        pytest.param("{room: 20}", ["one"], False, id="neither is: the first climb is told"),
        pytest.param("{room: 50, on: true}", [], False, id="shut out by what was given"),
        pytest.param("{room: 50, keep: [n]}", ["one"], False, id="what is shut out is kept"),
        pytest.param("{room: 40, n: 2}", ["more"], True, id="the first is shut out"),
    ],
)
def test_a_rung_that_shuts_out_what_is_needed_is_left_out(
    given: str, taken: list[str], solved: bool
) -> None:
    plan = ladder(one=ONE, more=MORE).plan(given)
    assert (names(plan), plan.solved) == (taken, solved)


def test_what_was_left_out_for_another_remedy_is_told_as_not_needed() -> None:
    plan = ladder(one=ONE, more=MORE).plan("{room: 50}")
    assert skipped(plan) == {"one": "not needed"}


def test_a_climb_that_never_ends_is_ended() -> None:
    plan = ladder(a="set: {x: x * 31 / 32}, repeat: true").plan("{x: 1000, y: 0, room: 0.001}")
    assert len(plan.rungs) == MAX_RUNGS and not plan.solved
    assert plan.final.answers["memory"].likely == pytest.approx(1000 * (31 / 32) ** MAX_RUNGS)


# -- what is skipped, and why ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("remedy", "given", "reason", "detail"),
    [
        pytest.param("set: {y: 40}", "", "changes nothing", "", id="a default set to itself"),
        pytest.param("set: {y: y}", ", y: 33", "changes nothing", "", id="a given value to itself"),
        pytest.param("set: {y: 0}", ", keep: [y]", "kept", "y", id="keep names it"),
        pytest.param("set: {y: 0, x: 0}", ", keep: [t, y]", "kept", "y", id="one of two is kept"),
        pytest.param(
            "set: {on: true, y: 0}",
            ", keep: [kind]",
            "kept",
            "kind",
            id="a kept default would change with it",
        ),
        pytest.param("set: {t: 0}", "", "gains little", "", id="of no use"),
        pytest.param(
            "set: {t: 0}, improves: [time]", "", "helps something else", "", id="aims at what holds"
        ),
        pytest.param(
            "set: {y: 2000 * y}", "", "cannot be set", "outside 0 .. 1000", id="above the range"
        ),
        pytest.param("set: {y: 0 - y}", "", "cannot be set", "outside 0 .. 1000", id="below it"),
        pytest.param("set: {n: n / 2}", "", "cannot be set", "whole number", id="half a card"),
        pytest.param(
            "set: {y: ghost}", "", "cannot be set", "lacks ghost", id="reads what is missing"
        ),
        pytest.param(
            "set: {y: y / z}", "", "cannot be set", "division by zero", id="divides by zero"
        ),
    ],
)
def test_skipped(remedy: str, given: str, reason: str, detail: str) -> None:
    plan = ladder(no=remedy, yes="set: {x: 0}").plan(f"{{room: 50{given}}}")
    assert names(plan) == ["yes"]
    assert skipped(plan) == {"no": reason}
    assert detail in the(plan, "no").detail


@pytest.mark.parametrize("keep", ["[]", "[z, t, hours]", "[on]"])
def test_keep_forbids_only_what_it_names(keep: str) -> None:
    assert names(ladder(a="set: {x: 0}").plan(f"{{room: 50, keep: {keep}}}")) == ["a"]


@pytest.mark.parametrize(
    ("y", "gain"),
    [
        pytest.param(39.1, 0.009, id="under one in a hundred"),
        pytest.param(40.5, -0.005, id="a little worse"),
        pytest.param(90, -0.5, id="much worse"),
    ],
)
def test_what_gains_little_is_skipped_with_its_figures(y: float, gain: float) -> None:
    plan = ladder(no=f"set: {{y: {y}}}", yes="set: {x: 0}").plan("{room: 50}")
    one = the(plan, "no")
    assert names(plan) == ["yes"] and one.reason == "gains little"
    assert one.gain == pytest.approx(gain)
    assert one.before["memory"][1] == 100 and one.after["memory"][1] == pytest.approx(60 + y)


def test_what_gains_a_little_more_is_taken() -> None:
    assert pytest.approx(0.01) == LEAST_GAIN
    plan = ladder(a="set: {y: 38.9}", b="set: {x: 0.5}").plan("{room: 39.5}")
    assert names(plan) == ["a", "b"]
    assert plan.rungs[0].gain == pytest.approx(0.011)


def test_a_skipped_remedy_tells_what_it_would_do_where_it_was_tried() -> None:
    plan = ladder(a="set: {x: 20}", no="set: {y: 39.9}", b="set: {z: 0, y: 0}").plan("{room: 30}")
    assert names(plan) == ["a", "b"]
    assert the(plan, "no").gain == pytest.approx(0.1 / 60)
    assert the(plan, "no").before["memory"][1] == 60


def test_what_comes_after_the_last_rung_is_not_needed_and_says_what_it_would_gain() -> None:
    plan = ladder(
        a="set: {x: 0}",
        b="set: {y: 0}",
        off="when: on, set: {y: 1}",
        other="set: {t: 0}, improves: [time]",
    ).plan("{room: 50}")
    assert skipped(plan) == {
        "b": "not needed",
        "off": "does not apply",
        "other": "helps something else",
    }
    assert the(plan, "b").gain == pytest.approx(0.4)
    assert the(plan, "b").after["memory"][1] == 60
    assert the(plan, "off").gain is None


def test_a_repeated_remedy_that_was_dropped_again_is_not_needed() -> None:
    plan = ladder(a="when: x > 20, set: {x: x / 2}, repeat: true", b="set: {y: 0, x: 5}").plan(
        "{room: 10}"
    )
    assert names(plan) == ["b"]
    assert skipped(plan) == {"a": "not needed"}
    assert the(plan, "a").gain == pytest.approx(0.3)


NEEDS_GHOST = "sure: {level: deny, when: on, require: ghost < 1, message: {en: no}}"
NOT_ON = "not-on: {level: deny, require: not on, message: {en: no}}"
WARN_ON = "warn-on: {level: warn, require: not on, message: {en: no}}"


@pytest.mark.parametrize(
    ("policy", "given", "reason", "detail"),
    [
        pytest.param(NEEDS_GHOST, "", "cannot be set", "leaves sure undecided", id="undecided"),
        pytest.param(NEEDS_GHOST, ", ghost: 2", "breaks a policy", "sure", id="fails"),
        pytest.param(NEEDS_GHOST, ", ghost: 0", None, "", id="holds"),
        pytest.param(NOT_ON, "", "breaks a policy", "not-on", id="held before"),
        pytest.param(NOT_ON, ", on: true", None, "", id="failed before as well"),
        pytest.param(WARN_ON, "", None, "", id="a warning blocks nothing"),
    ],
)
def test_a_rung_must_not_break_what_no_rung_mends(
    policy: str, given: str, reason: str | None, detail: str
) -> None:
    rules = ladder((FITS, policy), a="set: {x: 0, on: true}", b="set: {y: 0}")
    plan = rules.plan(f"{{room: 50{given}}}")
    assert names(plan) == (["a"] if reason is None else ["b"])
    if reason is not None:
        assert (the(plan, "a").reason, the(plan, "a").detail) == (reason, detail)
        assert not plan.solved


def test_a_rung_that_leaves_the_goal_itself_undecided_is_skipped() -> None:
    rules = ladder(a="set: {on: true, x: 1}", b="set: {x: 2}")
    text = rules.text.replace(
        'slack: {title: Slack, unit: "1", cases: [',
        'slack: {title: Slack, unit: "1", cases: [{when: on, value: ghost}, ',
    ).replace("value: (x + y + z) / n\n", "value: (x + y + z) / n * (ghost if on else 1)\n")
    rules_book = book(text)
    plan = check(Engine(rules_book), scenario(rules_book, "{room: 50}")).plan
    assert plan is not None and names(plan) == ["b"]
    assert the(plan, "a").detail == "leaves fits undecided"


def test_a_rung_that_makes_the_rules_fail_is_skipped() -> None:
    rules = ladder(
        (FITS, "p: {level: deny, when: on, require: x / z < 1, message: {en: no}}"),
        a="set: {on: true, x: 0}",
        b="set: {x: 1}",
    )
    plan = rules.plan("{room: 50}")
    assert names(plan) == ["b"]
    assert the(plan, "a").reason == "cannot be set"
    assert "division by zero" in the(plan, "a").detail


def test_a_goal_that_no_longer_applies_is_gained_in_full() -> None:
    unless = FITS.replace("deny,", "deny, when: not on,")
    plan = ladder((unless,), a="set: {on: true}").plan("{room: 50}")
    assert names(plan) == ["a"] and plan.solved
    assert plan.rungs[0].gain == 1.0


# -- alternatives ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tried", "room", "chosen", "solved"),
    [
        pytest.param("{n: [2, 4, 8]}", 50, {"n": 2.0}, True, id="the first that satisfies"),
        pytest.param("{n: [2, 4, 8]}", 30, {"n": 4.0}, True, id="not one that does not"),
        pytest.param("{n: [8, 4, 2]}", 50, {"n": 8.0}, True, id="as written, not the smallest"),
        pytest.param("{n: [2, 8, 4]}", 5, {"n": 8.0}, False, id="else the one that gains most"),
        pytest.param(
            "{n: [1, 2]}", 50, {"n": 2.0}, True, id="one that changes nothing is passed over"
        ),
        pytest.param(
            "{x: [60, 50], n: [1, 2]}", 46, {"x": 50.0, "n": 2.0}, True, id="combinations"
        ),
        pytest.param(
            "{x: [60, 50], n: [1, 2]}", 50, {"n": 2.0}, True, id="first one, then the other"
        ),
    ],
)
def test_try(tried: str, room: int, chosen: dict[str, float], solved: bool) -> None:
    plan = ladder(a=f"try: {tried}, set: {{}}").plan(f"{{room: {room}}}")
    assert [rung.settings for rung in plan.rungs] == [chosen]
    assert plan.solved is solved


def test_try_passes_over_what_is_kept_and_says_so_when_all_are() -> None:
    rules = ladder(a="try: {x: [60, 0], kind: [a, b]}, set: {}")
    assert [r.settings for r in rules.plan("{room: 50, keep: [kind]}").rungs] == [{"x": 0.0}]
    assert skipped(rules.plan("{room: 50, keep: [x, kind]}")) == {"a": "changes nothing"}
    only = ladder(a="try: {x: [10, 0]}, set: {}").plan("{room: 50, keep: [x]}")
    assert skipped(only) == {"a": "kept"}


def test_set_reads_the_values_tried_and_what_stood_there_before() -> None:
    plan = ladder(a="try: {n: [2, 4]}, set: {t: was.time / n + was.t, y: y + n - was.n}").plan(
        "{room: 26, t: 8}"
    )
    assert plan.rungs[0].settings == {"n": 4.0, "t": 10.0, "y": 43.0}
    assert plan.rungs[0].changes["n"] == (1.0, 4.0)


def test_set_reads_formulas_under_the_values_tried() -> None:
    plan = ladder(a="try: {n: [2, 4]}, set: {z: need - was.need.high}").plan(
        "{room: 500, y: 900, x: 40}"
    )
    assert skipped(plan) == {"a": "cannot be set"}, "less than nothing is out of range"
    plan = ladder(a="try: {n: [2, 4]}, set: {z: was.need.high - need}").plan("{room: 55}")
    assert plan.rungs[0].settings == {"n": 4.0, "z": 75.0}


def test_set_may_fail_for_one_alternative_and_not_for_another() -> None:
    plan = ladder(a="try: {z: [0, 4]}, set: {x: x / z - 15, y: 10}").plan("{room: 20}")
    assert plan.rungs[0].settings == {"z": 4.0, "x": 0.0, "y": 10.0}


def test_was_reads_what_is_missing_as_missing() -> None:
    plan = ladder(a="try: {n: [2, 4]}, set: {t: was.ghost}").plan("{room: 10}")
    assert skipped(plan) == {"a": "cannot be set"}
    assert the(plan, "a").detail.startswith("lacks")


# -- pruning --------------------------------------------------------------------------------------

CUTS = {
    "cheap": "set: {x: x - 20}, quality: 0",
    "dear": "set: {y: y - 20}, quality: 2",
    "middle": "set: {z: z - 20}, quality: 1",
}


@pytest.mark.parametrize(
    ("order", "last", "room", "taken"),
    [
        pytest.param(
            ("cheap", "dear", "middle"), "x: 0", 70, ["last"], id="the last does it alone"
        ),
        pytest.param(
            ("cheap", "dear", "middle"),
            "t: 0, x: x - 20",
            60,
            ["cheap", "middle", "last"],
            id="of those that are not needed together the dearest goes",
        ),
        pytest.param(
            ("dear", "cheap", "middle"),
            "t: 0, x: x - 20",
            60,
            ["cheap", "middle", "last"],
            id="wherever it stands",
        ),
        pytest.param(
            ("cheap", "dear", "middle"),
            "t: 0, x: x - 20",
            80,
            ["cheap", "last"],
            id="then the next dearest",
        ),
        pytest.param(
            ("cheap", "dear", "middle"),
            "t: 0, x: x - 20",
            40,
            ["cheap", "dear", "middle", "last"],
            id="nothing goes where all are needed",
        ),
    ],
)
def test_what_is_dropped(order: tuple[str, ...], last: str, room: int, taken: list[str]) -> None:
    # what each takes off is held back until the last rung, so that all are climbed
    rules = Ladder({**CUTS, "last": f"set: {{on: true, {last}}}"}, (*order, "last"))
    text = rules.text.replace(
        "value: (x + y + z) / n\n", "value: (x + y + z) / n if on else 1000 + (x + y + z) * 20\n"
    ).replace("(x + y + z) / n * slack", "1000 + (x + y + z) * 20")
    rules_book = book(text)
    result = check(Engine(rules_book), scenario(rules_book, f"{{z: 20, room: {room}}}"))
    assert result.plan is not None and result.plan.solved
    assert names(result.plan) == taken
    assert {n for n, reason in skipped(result.plan).items() if reason == "not needed"} == {
        *order,
        "last",
    } - {*taken}


def test_of_equal_quality_the_latest_is_dropped() -> None:
    rules = ladder(a="set: {x: 55}", b="set: {y: 30}", c="set: {x: x - 40}")
    assert names(rules.plan("{room: 45}")) == ["a", "b", "c"]
    assert names(rules.plan("{room: 55}")) == ["a", "c"], "not the first, which is as needless"


def test_alternatives_are_tried_anew_after_a_removal() -> None:
    plan = ladder(dear="set: {x: 0}, quality: 3", cards="try: {n: [2, 4, 8]}, set: {}").plan(
        "{room: 20}"
    )
    assert [rung.settings for rung in plan.rungs] == [{"n": 8.0}]
    assert skipped(plan) == {"dear": "not needed"}


def test_a_rung_that_rests_on_a_dropped_one_goes_with_it() -> None:
    plan = ladder(
        first="set: {on: true, x: 50}, quality: 3",
        second="when: on, set: {y: 30}",
        third="set: {x: 0, y: 0}",
    ).plan("{room: 5}")
    assert names(plan) == ["third"]


def test_a_rung_that_gained_by_a_dropped_one_waits_until_it_gains_again() -> None:
    rules = ladder(later="set: {y: 10}", dear="set: {x: 60}, quality: 2", last="set: {x: 15}")
    text = rules.text.replace("(x + y + z) / n", "max(x, y)")
    found = book(text)
    plan = check(Engine(found), scenario(found, "{x: 100, y: 90, room: 20}")).plan
    assert plan is not None and plan.solved
    assert names(plan) == ["last", "later"], "climbed as dear, later, last"
    assert [rung.gain > LEAST_GAIN for rung in plan.rungs] == [True, True]


def without_one(rules: Ladder, given: str, plan: Plan) -> list[bool]:
    """Whether it still fits when one rung is left out, for every rung."""
    solved: list[bool] = []
    for dropped in range(len(plan.rungs)):
        rest = [rung.remedy.name for at, rung in enumerate(plan.rungs) if at != dropped]
        clones = {
            f"{name}-{number}": rules.remedies[name].replace(", repeat: true", "")
            for number, name in enumerate(rest)
        }
        clones["nothing"] = "set: {on: on}"
        solved.append(Ladder(clones, tuple(clones), rules.policies).plan(given).solved)
    return solved


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        pytest.param("{x: 50, y: 60, room: 85}", {"halve"}, id="one rung"),
        pytest.param("{x: 600, y: 20, z: 10, room: 110}", {"halve"}, id="one remedy often"),
        pytest.param("{x: 600, y: 300, room: 120}", {"halve", "cut"}, id="two remedies"),
        pytest.param(
            "{x: 600, y: 300, z: 90, room: 100}", {"halve", "trim", "cards"}, id="alternatives"
        ),
    ],
)
def test_dropping_any_rung_of_a_plan_no_longer_fits(given: str, taken: set[str]) -> None:
    rules = ladder(
        halve="when: x > 20, set: {x: x / 2}, repeat: true",
        cut="when: z < 1, set: {y: y / 3}, quality: 2",
        trim="when: z > 50, set: {z: 50}, quality: 1",
        cards="when: z >= 50, try: {n: [2, 4]}, set: {t: t + was.n}",
    )
    plan = rules.plan(given)
    assert plan.solved and set(names(plan)) == taken
    assert without_one(rules, given, plan) == [False] * len(plan.rungs)


# -- several goals, offers, and no way through ----------------------------------------------------


@pytest.mark.parametrize(
    ("given", "goals", "taken"),
    [
        pytest.param("{room: 50, hours: 20}", ("fits",), ["less"], id="memory alone"),
        pytest.param("{room: 200, hours: 5}", ("in-time",), ["faster"], id="time alone"),
        pytest.param("{room: 50, hours: 5}", ("fits", "in-time"), ["less", "faster"], id="both"),
        pytest.param("{room: 50}", ("fits",), ["less"], id="no budget is no goal"),
    ],
)
def test_several_goals(given: str, goals: tuple[str, ...], taken: list[str]) -> None:
    plan = ladder((FITS, IN_TIME), less="set: {x: 0}", faster="set: {t: 1}, improves: [time]").plan(
        given
    )
    assert (plan.goals, names(plan), plan.solved) == (goals, taken, True)


def test_a_gain_counts_only_on_what_the_remedy_is_for() -> None:
    rules = ladder(
        (FITS, IN_TIME),
        trap="set: {y: 60, t: 1}",
        less="set: {x: 0}",
        faster="set: {t: 2}, improves: [time]",
    )
    plan = rules.plan("{room: 50, hours: 5}")
    assert names(plan) == ["less", "faster"]
    assert the(plan, "trap").gain == pytest.approx(-0.2)


def test_what_a_rung_breaks_a_later_one_mends() -> None:
    rules = ladder(
        (FITS, IN_TIME),
        slow="set: {x: 0, t: 30}",
        faster="when: t > 20, set: {t: 15}, improves: [time]",
    )
    plan = rules.plan("{room: 50, hours: 20}")
    assert names(plan) == ["slow", "faster"] and plan.solved
    assert plan.goals == ("fits",)
    assert [(rung.was, rung.standing) for rung in plan.rungs] == [
        ("fails", "fails"),
        ("fails", "holds"),
    ]


def test_an_alternative_must_satisfy_every_goal() -> None:
    plan = ladder((FITS, IN_TIME), a="try: {n: [8, 4, 2]}, set: {}").plan("{room: 50, hours: 20}")
    assert plan.rungs[0].settings == {"n": 2.0} and plan.solved


@pytest.mark.parametrize(
    ("given", "required", "goals", "taken"),
    [
        pytest.param("{room: 150, kind: c}", False, ("safe",), ["b"], id="tight: offered"),
        pytest.param("{room: 90, kind: c}", True, ("fits",), ["a", "b"], id="required, and safe"),
        pytest.param("{room: 90, kind: a}", True, ("fits",), ["a"], id="safe already"),
    ],
)
def test_a_tight_verdict_offers_a_plan(
    given: str, required: bool, goals: tuple[str, ...], taken: list[str]
) -> None:
    rules = ladder((FITS, SAFE), a="set: {x: 40}", b="when: x == 60 or x == 40, set: {kind: b}")
    plan = rules.plan(given)
    assert (plan.required, plan.goals, names(plan)) == (required, goals, taken)
    assert plan.solved


@pytest.mark.parametrize(
    ("quality", "taken", "state"), [(0, ["a", "b"], "fits"), (1, ["a"], "tight")]
)
def test_a_required_plan_goes_on_only_with_what_costs_no_quality(
    quality: int, taken: list[str], state: str
) -> None:
    rules = ladder((FITS, SAFE), a="set: {x: 40}", b=f"set: {{kind: b}}, quality: {quality}")
    plan = rules.plan("{room: 90, kind: c}")
    assert names(plan) == taken and plan.final.state == state and plan.solved
    assert [rung.standing for rung in plan.rungs] == ["tight", "holds"][: len(taken)]


@pytest.mark.parametrize(
    ("safer", "settings"),
    [
        pytest.param("set: {kind: b, x: 30}", [{"kind": "b", "x": 30.0}], id="one that does both"),
        pytest.param("set: {kind: b}", [{"x": 40.0}, {"kind": "b"}], id="not one that does not"),
    ],
)
def test_what_makes_a_plan_safe_may_make_a_dear_rung_needless(
    safer: str, settings: list[dict[str, object]]
) -> None:
    rules = ladder((FITS, SAFE), dear="set: {x: 40}, quality: 2", safer=safer)
    plan = rules.plan("{room: 90, kind: c}")
    assert [rung.settings for rung in plan.rungs] == settings
    assert plan.rungs[-1].standing == "holds"


def test_alternatives_are_not_tried_out_for_safety() -> None:
    rules = ladder((FITS, SAFE), a="set: {x: 40}", more="try: {n: [2, 4]}, set: {}")
    plan = rules.plan("{room: 90, kind: c}")
    assert names(plan) == ["a"] and plan.final.state == "tight" and plan.solved


def test_a_dear_rung_is_not_kept_for_safety() -> None:
    rules = ladder(
        (FITS, SAFE),
        dear="set: {y: 30}, quality: 2",
        enough="set: {x: 15}",
        more="set: {z: 0, x: x - 5}",
    )
    plan = rules.plan("{room: 80, kind: c, z: 10}")
    assert names(plan) == ["enough"] and plan.final.state == "tight"


def test_safety_is_not_bought_by_breaking_what_holds() -> None:
    rules = ladder((FITS, SAFE, IN_TIME), a="set: {x: 40}", b="set: {kind: b, t: 30}")
    plan = rules.plan("{room: 90, kind: c, hours: 20}")
    assert names(plan) == ["a"] and plan.final.state == "tight" and plan.solved
    assert names(rules.plan("{room: 90, kind: c, hours: 30}")) == ["a", "b"]


def test_what_does_not_clear_a_warning_is_not_in_a_required_plan() -> None:
    rules = ladder((FITS, SAFE), a="set: {x: 40}", b="set: {y: 39}")
    plan = rules.plan("{room: 90, kind: c}")
    assert names(plan) == ["a"] and plan.final.state == "tight" and plan.solved


@pytest.mark.parametrize(
    ("policy", "given"),
    [
        pytest.param(FITS, "{room: 100}", id="holds"),
        pytest.param(FITS.replace(", fix: ladder", ""), "{room: 1}", id="nothing mends it"),
        pytest.param(FITS.replace("fix: ladder", "fix: [a]"), "{room: 1}", id="names its remedies"),
        pytest.param(FITS.replace("deny", "info"), "{room: 1}", id="a note"),
        pytest.param(FITS, "{}", id="undecided"),
    ],
)
def test_no_plan(policy: str, given: str) -> None:
    assert ladder((policy,), a="set: {x: 0}").check(given).plan is None


@pytest.mark.parametrize("level", ["deny", "warn"])
def test_no_way_through_gives_the_nearest_miss(level: str) -> None:
    rules = ladder(
        (FITS.replace("deny", level),), a="set: {x: 30}", no="set: {y: 39.9}", b="set: {y: 30}"
    )
    plan = rules.plan("{room: 50}")
    assert not plan.solved and plan.required is (level == "deny")
    assert names(plan) == ["a", "b"]
    stuck = "fails" if level == "deny" else "tight"
    assert {rung.standing for rung in plan.rungs} == {stuck}
    assert plan.final.answers["memory"].likely == 60
    assert skipped(plan) == {"no": "gains little"}


def test_no_rung_at_all_leaves_the_verdict_as_it_is() -> None:
    rules = ladder(a="when: on, set: {x: 0}")
    result = rules.check("{room: 50}")
    assert result.plan is not None and result.plan.final is result.verdict
    assert names(result.plan) == [] and not result.plan.solved


# -- what a plan promises -------------------------------------------------------------------------


def test_figures_follow_one_another() -> None:
    plan = ladder(
        a="set: {x: 30}", b="set: {y: 20, kind: c}", c="set: {x: 5}", d="set: {y: 0}"
    ).plan("{room: 24}")
    assert plan.rungs[0].before["memory"] == (100, 100, 100)
    for one, then in zip(plan.rungs, plan.rungs[1:], strict=False):
        assert one.after == then.before
    last = plan.final.answers["memory"]
    assert plan.rungs[-1].after["memory"] == (last.low, last.likely, last.high)


@pytest.mark.parametrize("room", [99, 60, 45, 30, 20, 12, 6, 1])
def test_the_plan_applied_gives_the_verdict_it_promised(room: int) -> None:
    rules = ladder(
        (FITS, SAFE, IN_TIME),
        a="when: x > 10, set: {x: x / 2}, repeat: true",
        b="set: {kind: c, y: y / 4}, quality: 1",
        c="try: {n: [2, 4]}, set: {t: was.time / n}",
    )
    given = f"room: {room}, hours: 40"
    plan = rules.plan(f"{{{given}}}")
    settings = {name: value for rung in plan.rungs for name, value in rung.settings.items()}
    written = ", ".join(f"{name}: {value}" for name, value in settings.items())
    after = rules.check(f"{{{given}, {written}}}")
    assert after.verdict is not None
    assert after.verdict.state == plan.final.state
    assert [o.state for o in after.verdict.outcomes] == [o.state for o in plan.final.outcomes]
    assert (after.status() is Status.HOLDS) is plan.solved


def test_the_scenario_and_its_file_stay_as_they_are(tmp_path: Path) -> None:
    rules, path = book(ladder(a="set: {x: 0}").text), tmp_path / "s.yaml"
    path.write_bytes(b"room: 50\r\nx: 70   # as measured\r\n")
    before = path.read_bytes()
    reader = ScenarioReader(rules, dict[str, Catalogue](), TODAY)
    result = check_file(Engine(rules), reader, path, "s.yaml")
    assert result.plan is not None and result.plan.rungs[0].settings == {"x": 0.0}
    assert result.scenario is not None and result.scenario.given["x"].value == 70
    assert result.verdict is not None and result.verdict.trace.values["x"] == 70
    assert path.read_bytes() == before


def test_changeable_parts_are_those_that_a_remedy_makes_smaller() -> None:
    rules = ladder(a="set: {x: 0}", kept="set: {z: 0}", small="set: {y: 39.9}")
    text = rules.text.replace(
        "value: need, limit: room", "value: need, limit: room, parts: whole"
    ).replace(
        "  time: {title: Time",
        "  whole: {title: W, unit: '1', sum: [px, py, pz]}\n"
        "  px: {title: X, unit: '1', value: x}\n  py: {title: Y, unit: '1', value: y}\n"
        "  pz: {title: Z, unit: '1', value: z}\n  time: {title: Time",
    )
    found = book(text)
    plan = check(Engine(found), scenario(found, "{room: 1, z: 5, keep: [z]}")).plan
    assert plan is not None and plan.changeable == {"px"}


def test_a_layer_orders_the_ladder_anew_and_is_named() -> None:
    layer = "layer: team\npatch: {ladder: {order: [half-y, no-x], reason: x is dear}}\n"
    core = Ladder(HALVES, ("no-x", "half-x", "half-y")).text
    plain, patched = book(core), book(core, layer)
    plans = [check(Engine(one), scenario(one, "{room: 70}")).plan for one in (plain, patched)]
    assert [names(plan) for plan in plans if plan] == [["no-x"], ["no-x"]]
    assert [plan.ladder_layer for plan in plans if plan] == ["core", "team"]
    assert [[*skipped(plan)] for plan in plans if plan] == [["half-x", "half-y"], ["half-y"]]


# -- what climbing rests on -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"x": 1.0}, id="a number"),
        pytest.param({"on": True}, id="a truth that a default follows"),
        pytest.param({"n": 4.0, "kind": "c"}, id="two at a time"),
        pytest.param({"ghost": 3.0}, id="what was missing"),
        pytest.param({"hours": 3.0}, id="what nothing computes from"),
        pytest.param({}, id="nothing"),
    ],
)
def test_computing_again_gives_what_computing_anew_gives(
    change: dict[str, float | bool | str],
) -> None:
    text = ladder(a="set: {x: 0}").text.replace(
        "formulas:\n",
        "formulas:\n  spook: {title: S, unit: '1', value: ghost * n}\n"
        "  scare: {title: S, unit: '1', when: given(ghost), value: ghost / x}\n"
        "  split: {title: S, unit: '1', value: y / z}\n",
    )
    rules = book(text)
    engine, start = Engine(rules), scenario(rules, "{room: 50, x: 7}")
    targets = frozenset(rules.order) - {"time"}
    before = engine.run(start)
    after = start.with_values(change, "test")
    again, anew = engine.rerun(before, after, targets), engine.run(after, targets)
    ends = {"time", "time.low", "time.high"}
    assert {n: v for n, v in again.values.items() if n not in ends} == anew.values
    assert again.missing == anew.missing and again.absent == anew.absent
    assert again.failures == anew.failures and again.assumed == anew.assumed
    assert before.values == engine.run(start).values


def test_what_is_out_of_date_and_was_not_asked_for_is_gone() -> None:
    rules = book(ladder(a="set: {x: 0}").text)
    engine, start = Engine(rules), scenario(rules, "{room: 50}")
    again = engine.rerun(engine.run(start), start.with_values({"t": 3.0, "x": 2.0}, "t"), ["need"])
    assert "time" not in again.values and again.values["need"] == 42
    assert judge(again).answers["time"].state == "undecided"
