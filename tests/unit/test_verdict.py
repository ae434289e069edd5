"""What a trace comes to: where answers stand, which policies hold, what a check ends with."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from advisor.catalog import Catalogue
from advisor.check import Status, check, check_file
from advisor.evaluate import Engine
from advisor.rulebook.model import RuleBook
from advisor.scenario import ScenarioReader
from advisor.verdict import Verdict, fill, is_idle, judge, name_text
from tests.support import TODAY, book, scenario, trace

BASE = """
language: 1
inputs:
  today: {type: date}
  size: {type: number, unit: "1", optional: true}
  bytes: {type: number, unit: byte, optional: true}
  room: {type: number, unit: "1", optional: true}
  needed.room: {type: number, unit: "1"}
  spread: {type: number, unit: "1", range: [1, 10], default: {value: 1, because: {en: exact}}}
  on: {type: boolean, default: {value: true, because: {en: usual}}}
  zero: {type: number, unit: "1", default: {value: 0, because: {en: nothing}}}
"""
NEED = """
formulas:
  need: {title: Need, unit: "1", value: size, low: size / spread, high: size * spread}
"""


def verdict_of(rules: str, given: str = "{}") -> Verdict:
    return judge(trace(book(BASE + rules), given))


def policy(require: str, level: str = "deny", rest: str = "") -> str:
    return f"policies: {{p: {{level: {level}, require: '{require}', message: {{en: no}}{rest}}}}}"


# -- answers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "state"),
    [
        pytest.param("{size: 9, room: 10}", "fits", id="under the limit"),
        pytest.param("{size: 10, room: 10}", "fits", id="equal is within"),
        pytest.param("{size: 5, room: 10, spread: 2}", "fits", id="high just reaches the limit"),
        pytest.param("{size: 6, room: 10, spread: 2}", "tight", id="likely within, high over"),
        pytest.param("{size: 10, room: 10, spread: 1.001}", "tight", id="likely on the limit"),
        pytest.param("{size: 10.001, room: 10}", "does not fit", id="a hair over"),
        pytest.param(
            "{size: 11, room: 10, spread: 2}", "does not fit", id="low within, likely over"
        ),
        pytest.param("{size: 6, spread: 2}", "no limit", id="an optional limit is not given"),
        pytest.param("{room: 10}", "undecided", id="the value lacks an input"),
        pytest.param("{}", "undecided", id="neither value nor limit"),
    ],
)
def test_where_an_answer_stands(given: str, state: str) -> None:
    found = verdict_of(NEED + "answers: {memory: {value: need, limit: room}}", given)
    assert found.state == found.answers["memory"].state == state


@pytest.mark.parametrize(
    ("limit", "formulas", "state", "missing"),
    [
        pytest.param("needed.room", "", "undecided", {"needed.room"}, id="a limit that is needed"),
        pytest.param(
            "cap", "cap: {title: c, unit: '1', value: needed.room / 2}", "undecided",
            {"needed.room"}, id="a formula that lacks an input",
        ),
        pytest.param(
            "cap", "cap: {title: c, unit: '1', when: given(room), value: room}", "no limit", set(),
            id="a formula that does not apply",
        ),
        pytest.param("room", "", "no limit", set(), id="an optional input"),
    ],
)  # fmt: skip
def test_a_limit_that_has_no_value(
    limit: str, formulas: str, state: str, missing: set[str]
) -> None:
    rules = f"{NEED}  {formulas}\nanswers: {{memory: {{value: need, limit: {limit}}}}}"
    found = verdict_of(rules, "{size: 5}").answers["memory"]
    assert found.state == state
    assert found.missing == missing and found.limit is None
    assert found.likely == 5


def test_an_answer_without_a_limit_is_never_judged() -> None:
    found = verdict_of(NEED + "answers: {memory: {value: need}}", "{size: 1e30}")
    assert found.answers["memory"].state == "no limit"


def test_the_headline_is_the_first_answer_that_has_a_limit() -> None:
    rules = NEED + (
        "answers: {free: {value: need}, tight: {value: need, limit: room},"
        " over: {value: need, limit: needed.room}}"
    )
    found = verdict_of(rules, "{size: 6, spread: 2, room: 10, needed: {room: 1}}")
    assert found.answers["over"].state == "does not fit"
    assert found.state == "tight"


def test_a_book_whose_answers_have_no_limit_decides_nothing() -> None:
    assert verdict_of(NEED + "answers: {m: {value: need}}", "{size: 1}").state == "undecided"
    assert verdict_of(NEED, "{size: 1}").state == "undecided"


@pytest.mark.parametrize(
    ("formula", "problem"),
    [
        pytest.param("{title: a, unit: '1', when: not on, value: size}", "", id="absent"),
        pytest.param("{title: a, unit: '1', value: size / zero}", "arithmetic", id="fails"),
    ],
)
def test_an_answer_that_has_no_value_though_all_is_given(formula: str, problem: str) -> None:
    rules = f"formulas: {{need: {formula}}}\nanswers: {{m: {{value: need, limit: room}}}}"
    found = verdict_of(rules, "{size: 5, room: 10}")
    assert found.state == "undecided" and found.missing() == ()
    assert [one.code for one in found.problems] == ([problem] if problem else [])


PARTS = """
formulas:
  a: {title: a, unit: "1", value: size}
  b: {title: b, unit: "1", value: 3 * size}
  off: {title: off, unit: "1", when: not on, value: 100 * size}
  nothing: {title: nothing, unit: "1", value: zero * size}
  first: {title: first, unit: "1", sum: [a, off, nothing]}
  second: {title: second, unit: "1", sum: [a, b, nothing]}
  peak: {title: peak, unit: "1", max: [first, second]}
  single: {title: single, unit: "1", value: 4 * size}
  need: {title: need, unit: "1", value: 2 * peak}
"""


@pytest.mark.parametrize(
    ("answer", "parts", "moment"),
    [
        pytest.param(
            "{value: need, parts: peak}", [("need", 40.0), ("b", 30.0), ("a", 10.0)], "second",
            id="the winner's parts, largest first, and what is added to them",
        ),
        pytest.param("{value: peak, parts: peak}", [("b", 30.0), ("a", 10.0)], "second",
                     id="nothing is added"),
        pytest.param("{value: second, parts: second}", [("b", 30.0), ("a", 10.0)], "",
                     id="a plain sum has no moment"),
        pytest.param("{value: single, parts: single}", [], "", id="a value has no parts"),
        pytest.param("{value: need}", [], "", id="no parts are named"),
    ],
)  # fmt: skip
def test_parts_of_an_answer(answer: str, parts: list[tuple[str, float]], moment: str) -> None:
    found = verdict_of(f"{PARTS}answers: {{m: {answer}}}", "{size: 10}").answers["m"]
    assert [tuple(part) for part in found.parts] == parts
    assert found.moment == moment


def test_sweeps_leave_parts_and_other_policies_out() -> None:
    rules = f"{PARTS}answers: {{m: {{value: need, parts: peak}}}}\n" + (
        "policies: {a: {level: deny, require: size < 1, message: {en: no}},"
        " b: {level: deny, require: size < 1, message: {en: no}}}"
    )
    found = judge(trace(book(BASE + rules), "{size: 10}"), fast=True, details=False, only={"b"})
    assert [outcome.policy.name for outcome in found.outcomes] == ["b"]
    assert found.answers["m"].likely == 80 and found.answers["m"].parts == ()


# -- policies -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("require", "given", "state", "missing"),
    [
        pytest.param("size <= room", "{size: 1, room: 1}", "holds", (), id="equal holds"),
        pytest.param("size <= room", "{size: 2, room: 1}", "fails", (), id="over"),
        pytest.param("size < room", "{size: 1, room: 1}", "fails", (), id="equal is not below"),
        pytest.param("size <= room", "{size: 2}", "undecided", ("room",), id="one side missing"),
        pytest.param("size <= room", "{}", "undecided", ("room", "size"), id="both sides missing"),
        pytest.param("size < 1 or room > 0", "{size: 0}", "holds", (), id="decided without room"),
        pytest.param("size < 1 or room > 0", "{size: 2}", "undecided", ("room",), id="needs room"),
        pytest.param("on or room > 0", "{}", "holds", (), id="the branch not taken lacks nothing"),
        pytest.param("not given(room)", "{}", "holds", (), id="given() never lacks"),
        pytest.param("not given(room)", "{room: 1}", "fails", (), id="given() is true"),
    ],
)
def test_what_a_policy_comes_to(
    require: str, given: str, state: str, missing: tuple[str, ...]
) -> None:
    found = verdict_of(policy(require), given)
    assert [outcome.state for outcome in found.outcomes] == [state]
    assert found.missing() == missing
    assert found.problems == ()


@pytest.mark.parametrize(
    ("when", "given", "state"),
    [
        pytest.param("on", "{on: true, size: 5}", "fails", id="applies"),
        pytest.param("on", "{on: false, size: 5}", "not applicable", id="does not apply"),
        pytest.param("on", "{on: false}", "not applicable", id="what it reads is not asked for"),
        pytest.param("size > 1", "{size: 5}", "fails", id="applies by a number"),
        pytest.param("size > 1", "{}", "undecided", id="nobody knows whether it applies"),
        pytest.param("given(size) and size > 1", "{}", "not applicable", id="guarded"),
    ],
)
def test_when_a_policy_applies(when: str, given: str, state: str) -> None:
    found = verdict_of(policy("size < 2", rest=f", when: {when}"), given)
    assert [outcome.state for outcome in found.outcomes] == [state]
    assert found.failing("deny") == (found.outcomes if state == "fails" else ())


def test_levels_are_kept_apart() -> None:
    rules = "policies:\n" + "\n".join(
        f"  {level}-{name}: {{level: {level}, require: {require}, message: {{en: no}}}}"
        for level in ("info", "warn", "deny")
        for name, require in (("fails", "size < 1"), ("holds", "size > 1"), ("open", "room > 1"))
    )
    found = verdict_of(rules, "{size: 5}")
    assert [o.policy.name for o in found.failing("deny")] == ["deny-fails"]
    assert [o.policy.name for o in found.failing("warn", "info")] == ["info-fails", "warn-fails"]
    assert [o.policy.name for o in found.undecided("deny")] == ["deny-open"]
    assert dict(Counter(o.state for o in found.outcomes)) == {
        "holds": 3,
        "fails": 3,
        "undecided": 3,
    }


@pytest.mark.parametrize(
    ("require", "left", "right"),
    [
        pytest.param("size <= room", 5.0, 10.0, id="at most"),
        pytest.param("size < 2 * room", 5.0, 20.0, id="expressions on a side"),
        pytest.param("room >= size", 5.0, 10.0, id="at least: the smaller side is left"),
        pytest.param("size == room", None, None, id="equality bounds nothing"),
        pytest.param("1 < size < room", None, None, id="a chain has more than two sides"),
        pytest.param("on", None, None, id="a truth has no sides"),
    ],
)
def test_sides_of_a_policy(require: str, left: float | None, right: float | None) -> None:
    (outcome,) = verdict_of(policy(require), "{size: 5, room: 10}").outcomes
    assert (outcome.left, outcome.right) == (left, right)


@pytest.mark.parametrize(
    ("rules", "given", "problems"),
    [
        pytest.param(policy("size / zero < 1"), "{size: 5}", ["division by zero"], id="require"),
        pytest.param(
            policy("on", rest=", when: size / zero < 1"), "{size: 5}", ["division by zero"],
            id="when",
        ),
        pytest.param(
            "formulas: {bad: {title: b, unit: '1', value: size / zero}}\n"
            + policy("bad < 1 or bad > 2"), "{size: 5}", ["division by zero"],
            id="a formula, told once",
        ),
        pytest.param(
            "formulas: {bad: {title: b, unit: '1', value: size / zero}}\n" + policy("size < 9"),
            "{size: 5}", [], id="a formula that nothing reads",
        ),
        pytest.param(policy("on or size / zero < 1"), "{size: 5}", [], id="a branch not taken"),
        pytest.param(policy("size / zero < 1", rest=", when: not on"), "{size: 5}", [],
                     id="a policy that does not apply"),
        pytest.param(policy("size / zero < 1"), "{size: 5, zero: 2}", [], id="not zero"),
        pytest.param(policy("size / zero < 1"), "{}", [], id="missing comes before"),
    ],
)  # fmt: skip
def test_problems_are_those_that_something_judged_needs(
    rules: str, given: str, problems: list[str]
) -> None:
    found = verdict_of(rules, given).problems
    assert [one.message.partition(",")[0] for one in found] == problems
    assert all(one.where is not None and one.where.line for one in found)


def test_missing_facts_are_asked_for_by_the_entry_that_brings_them() -> None:
    rules = """
inputs:
  card: {type: catalogue, of: gpus}
  card.name: {type: text, optional: true}
  card.size: {type: number, unit: "1", optional: true}
policies:
  a: {level: deny, require: card.size > 1, message: {en: no}}
  b: {level: info, require: size > 1, message: {en: no}}
"""
    text = (BASE + rules).replace("\ninputs:\n  card", "\n  card", 1)
    assert judge(trace(book(text))).missing() == ("card", "size")
    named = judge(trace(book(text), "{card: {name: bare}}"))
    assert named.missing() == ("card.size", "size")


# -- words ----------------------------------------------------------------------------------------

WORDS = """
formulas:
  need: {title: Need, unit: byte, value: bytes, low: bytes / spread, high: bytes * spread}
  plain: {title: Plain, unit: byte, value: bytes}
  gone: {title: Gone, unit: byte, when: not on, value: bytes}
parameters:
  cap: {title: Cap, unit: byte, value: 8 GiB, source: [{name: s}], checked: 2026-11-29}
"""


@pytest.mark.parametrize(
    ("name", "given", "text"),
    [
        pytest.param("need", "{bytes: 2 GiB}", "2.0 GiB", id="a formula in a unit for people"),
        pytest.param("need.high", "{bytes: 2 GiB, spread: 2}", "4.0 GiB", id="the upper end"),
        pytest.param("plain.low", "{bytes: 2 GiB}", "2.0 GiB", id="an end of what does not range"),
        pytest.param("cap", "{}", "8.0 GiB", id="a parameter"),
        pytest.param("today", "{}", "2026-11-29", id="a date"),
        pytest.param("on", "{}", "true", id="a truth"),
        pytest.param("need", "{}", "unknown", id="undecided"),
        pytest.param("gone", "{bytes: 1}", "unknown", id="absent"),
    ],
)
def test_values_as_people_read_them(name: str, given: str, text: str) -> None:
    assert name_text(trace(book(BASE + WORDS), given), name) == text


def test_messages_are_filled_in_every_language() -> None:
    rules = WORDS + (
        "policies: {p: {level: deny, require: bytes < 0, message: {"
        'en: "Needs {need} of {cap}; {room}.", zh: "需要 {need}，上限 {cap}；{room}。"}}}'
    )
    found = trace(book(BASE + rules), "{bytes: 2 GiB}")
    message = found.book.policies["p"].message
    assert fill(message, found, "en") == "Needs 2.0 GiB of 8.0 GiB; unknown."
    assert fill(message, found, "zh") == "需要 2.0 GiB，上限 8.0 GiB；unknown。"
    assert fill(message, found, "fr") == fill(message, found, "en")


def test_a_message_without_a_translation_is_told_in_english() -> None:
    found = trace(book(BASE + policy("on")))
    assert fill(found.book.policies["p"].message, found, "zh") == "no"


# -- what a check ends with -----------------------------------------------------------------------

DENY = "deny: {level: deny, require: size < 5, message: {en: no}}"
WARN = "warn: {level: warn, require: size < 3, message: {en: no}}"
INFO = "info: {level: info, require: size < 1, message: {en: no}}"
OPEN = "open: {level: deny, require: room > 0, message: {en: no}}"
OPEN_WARN = "open-warn: {level: warn, require: room > 0, message: {en: no}}"
IDLE = "idle: {level: deny, when: not on, require: size < 1, message: {en: no}}"
BAD = "bad: {level: info, require: size / zero < 1, message: {en: no}}"


HOLDS, FAILS, UNDECIDED, BROKEN = Status


@pytest.mark.parametrize(
    ("policies", "size", "status", "strict"),
    [
        pytest.param([DENY, WARN, INFO], 0, HOLDS, HOLDS, id="everything holds"),
        pytest.param([DENY, WARN, INFO], 2, HOLDS, HOLDS, id="a note fails"),
        pytest.param([DENY, WARN, INFO], 4, HOLDS, FAILS, id="a warning fails"),
        pytest.param([DENY, WARN, INFO], 6, FAILS, FAILS, id="a denial fails"),
        pytest.param([DENY, OPEN], 1, UNDECIDED, UNDECIDED, id="a denial is open"),
        pytest.param([DENY, OPEN], 6, FAILS, FAILS, id="failing outweighs open"),
        pytest.param([WARN, OPEN], 4, UNDECIDED, FAILS, id="a warning and an open one"),
        pytest.param([DENY, OPEN_WARN], 1, HOLDS, HOLDS, id="an open warning is told only"),
        pytest.param([OPEN_WARN], 1, HOLDS, HOLDS, id="open is checked"),
        pytest.param([IDLE, DENY], 1, HOLDS, HOLDS, id="one does not apply"),
        pytest.param([IDLE], 1, BROKEN, BROKEN, id="none applies: nothing was checked"),
        pytest.param([DENY, BAD], 6, BROKEN, BROKEN, id="a problem outweighs failing"),
    ],
)
def test_status(policies: list[str], size: int, status: Status, strict: Status) -> None:
    rules = book(BASE + "policies:\n" + "\n".join(f"  {one}" for one in policies))
    result = check(Engine(rules), scenario(rules, f"{{size: {size}}}"))
    assert (result.status(), result.status(warnings_fail=True)) == (status, strict)


def test_a_book_without_policies_checks_nothing_and_says_so() -> None:
    rules = book(BASE + NEED + "answers: {m: {value: need, limit: room}}")
    result = check(Engine(rules), scenario(rules, "{size: 1, room: 2}"))
    assert result.status() is Status.BROKEN
    assert [str(one).partition(".")[0] for one in result.problems] == ["scenario"]
    assert [one.code for one in result.problems] == ["nothing-checked"]


def reader(rules: RuleBook) -> ScenarioReader:
    return ScenarioReader(rules, dict[str, Catalogue](), TODAY)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param("size: 1\nsize: 2\n", "duplicate-key", id="written twice"),
        pytest.param("sise: 1\n", "unknown-key", id="no such input"),
        pytest.param("size: [1\n", "yaml", id="no YAML"),
        pytest.param("size: large\n", "value", id="no number"),
    ],
)
def test_what_is_wrong_with_a_file_is_a_result(tmp_path: Path, text: str, code: str) -> None:
    rules, path = book(BASE + policy("size < 5")), tmp_path / "s.yaml"
    path.write_text(text, encoding="utf-8")
    result = check_file(Engine(rules), reader(rules), path, "s.yaml")
    assert result.status() is Status.BROKEN and result.verdict is None
    assert {one.code for one in result.problems} == {code}
    assert all(str(one).startswith("s.yaml") for one in result.problems)


def test_inputs_that_mean_nothing_here_are_named() -> None:
    text = BASE + "  detail: {type: number, unit: '1', when: on, optional: true}\n"
    rules = book(text + policy("size < 5"))
    idle = check(Engine(rules), scenario(rules, "{size: 1, on: false, detail: 3}")).idle
    used = check(Engine(rules), scenario(rules, "{size: 1, on: true, detail: 3}")).idle
    assert (idle, used) == (("detail",), ())


def test_an_input_whose_condition_is_open_is_not_idle() -> None:
    text = BASE + "  detail: {type: number, unit: '1', when: size > 1, optional: true}\n"
    rules = book(text + policy("on"))
    from advisor.evaluate import Reader

    known = {given: is_idle(Reader(trace(rules, given)), rules.inputs["detail"])
             for given in ("{}", "{size: 1}", "{size: 2}")}  # fmt: skip
    assert known == {"{}": False, "{size: 1}": True, "{size: 2}": False}
