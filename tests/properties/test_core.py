"""What must hold of the core rules for any scenario, over the whole of both catalogues."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from advisor.check import CheckResult, check
from advisor.evaluate import Engine, Trace
from advisor.ladder import MAX_RUNGS, Plan, Rung, plan
from advisor.project import Project, open_project
from advisor.report.json import check_json
from advisor.report.style import Style
from advisor.report.text import check_text
from advisor.rulebook.model import Input, Remedy, Value
from advisor.scenario import Scenario
from advisor.source import read_text
from advisor.verdict import Verdict, judge
from tests.support import TODAY

SLACK = 1e-9
# The same examples in every run: a suite that fails now and then teaches people to run it again.
EVERYDAY = settings(max_examples=40, derandomize=True, deadline=None)
CLIMBING = settings(max_examples=15, derandomize=True, deadline=None)
THOROUGH = settings(
    max_examples=300, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck)
)
Given = dict[str, Any]
WORST_FIRST = ("fails", "tight", "holds")


@cache
def project() -> Project:
    return open_project([], TODAY)


@cache
def engine() -> Engine:
    return Engine(project().book)


@cache
def ids(catalogue: str) -> list[str]:
    return project().catalogues[catalogue].ids()


def scenario(given: Given, flags: tuple[tuple[str, str], ...] = ()) -> Scenario:
    document = read_text(json.dumps(given), "scenario.yaml")
    return project().reader().build(document, None, flags)


def run(given: Given) -> Trace:
    return engine().run(scenario(given), fast=True)


@st.composite
def scenarios(draw: st.DrawFn, methods: tuple[str, ...] = ("full", "lora", "qlora")) -> Given:
    """Any model on any card with plausible settings; what is not drawn is left to defaults."""

    def some(fields: dict[str, st.SearchStrategy[Any]]) -> Given:
        return draw(st.fixed_dictionaries({}, optional=fields))

    method = draw(st.sampled_from(methods))
    count = draw(st.sampled_from([1, 1, 1, 2, 4, 8]))
    found: Given = {
        "model": draw(st.sampled_from(ids("models"))),
        "method": method,
        "hardware": {"gpu": draw(st.sampled_from(ids("gpus"))), "count": count},
        "training": {
            "micro_batch_size": draw(st.sampled_from([1, 2, 3, 8, 32])),
            "sequence_length": draw(st.sampled_from([128, 512, 2048, 8192])),
        }
        | some(
            {
                "gradient_checkpointing": st.booleans(),
                "gradient_accumulation_steps": st.sampled_from([1, 2, 6, 16]),
                "framework": st.sampled_from(["transformers", "trl", "axolotl", "llama-factory"]),
                "attention": st.sampled_from(["flash", "sdpa", "eager"]),
                "optimizer": st.sampled_from(["adamw", "paged-adamw-8bit", "sgd"]),
                "loss": st.sampled_from(["full", "fused", "chunked"]),
                "packing": st.booleans(),
            }
        ),
        "data": {"samples": draw(st.sampled_from([300, 5000, 80000])), "epochs": 2}
        | some({"tokens": st.just({"mean": 400, "p95": 900, "max": 1800})}),
    }
    if method != "full":
        targets = st.sampled_from(["all-linear", "attention", ["q", "v", "head"]])
        found["lora"] = {"rank": draw(st.sampled_from([4, 16, 64, 256]))} | some(
            {"target_modules": targets}
        )
    if count > 1:
        found |= some({"sharding": st.sampled_from(
            [{"strategy": "ddp"}, {"strategy": "zero2"}, {"strategy": "zero3"},
             {"strategy": "fsdp"}, {"strategy": "zero3", "offload": "all"}])})  # fmt: skip
    found |= some(
        {
            "evaluation": st.just({"enabled": True}),
            "budget": st.sampled_from([{"time": "6 h"}, {"cost": "20 USD"}]),
            "keep": st.sampled_from([["method"], ["training.sequence_length"]]),
        }
    )
    return found


def changed(given: Given, name: str, value: Value) -> Given:
    """The scenario with one dotted input set."""
    group, _, key = name.partition(".")
    return given | {group: given.get(group, {}) | {key: value}}


def need(trace: Trace) -> tuple[float, float, float]:
    """Low, likely and high of the memory needed; scenarios that leave it open are passed over."""
    found = trace.range("memory.need")
    assume(found is not None)
    assert found is not None
    return found


# -- formulas -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "methods", "values"),
    [
        ("training.micro_batch_size", ("full", "lora", "qlora"), (1, 2, 3, 5, 16, 64)),
        ("training.sequence_length", ("full", "lora", "qlora"), (64, 512, 520, 4096, 16384)),
        ("lora.rank", ("lora", "qlora"), (1, 4, 16, 64, 100, 512)),
    ],
)
@EVERYDAY
@given(data=st.data())
def test_more_never_needs_less(
    data: st.DataObject, name: str, methods: tuple[str, ...], values: tuple[int, ...]
) -> None:
    base = data.draw(scenarios(methods))
    needs = [need(run(changed(base, name, value))) for value in values]
    for less, more in pairwise(needs):
        assert all(a <= b * (1 + SLACK) for a, b in zip(less, more, strict=True)), needs


@EVERYDAY
@given(base=scenarios(("lora", "qlora")))
def test_accumulation_costs_lora_no_more_than_keeping_its_gradients(base: Given) -> None:
    name = "training.gradient_accumulation_steps"
    once, twice, often = (run(changed(base, name, steps)) for steps in (1, 2, 64))
    assert need(twice) == need(often)
    kept = twice.number("memory.gradients.carried") or 0.0
    assert need(once)[1] <= need(twice)[1] <= need(once)[1] + 1.1 * kept


@EVERYDAY
@given(base=scenarios())
def test_low_is_at_most_likely_is_at_most_high(base: Given) -> None:
    trace = run(base)
    ranging = [name for name in trace.values if name.endswith(".high")]
    assert ranging
    for name in ranging:
        found = trace.range(name.removesuffix(".high"))
        assert found is not None
        low, likely, high = found
        assert low <= likely <= high, name


def same(one: Trace, two: Trace) -> None:
    assert dict(one.values) == dict(two.values)
    assert one.missing == two.missing
    assert one.absent == two.absent
    assert one.failures == two.failures
    assert one.assumed == two.assumed


@EVERYDAY
@given(base=scenarios())
def test_the_compiled_evaluator_agrees_with_simpleeval_on_every_name(base: Given) -> None:
    found = scenario(base)
    same(engine().run(found, fast=True), engine().run(found))


def test_both_evaluators_agree_where_most_is_missing() -> None:
    for text in ("{}", "{method: full}", "{method: lora, hardware: {count: 2}}"):
        found = project().reader().build(read_text(text, "s.yaml"), None)
        slow = engine().run(found)
        same(engine().run(found, fast=True), slow)
        assert slow.missing


@EVERYDAY
@given(base=scenarios(), data=st.data())
def test_computing_again_agrees_with_computing_anew(base: Given, data: st.DataObject) -> None:
    inputs = project().book.inputs
    names = sorted({name for remedy in project().book.remedies.values() for name in remedy.sets})
    start = scenario(base)
    changes = data.draw(st.dictionaries(st.sampled_from(names), st.none(), min_size=1, max_size=3))
    drawn = {name: data.draw(any_value(inputs[name]), label=name) for name in changes}
    after = start.with_values(drawn, "test")
    book = project().book
    again = engine().rerun(engine().run(start, fast=True), after, book.order, fast=True)
    same(again, engine().run(after, fast=True))


def any_value(source: Input) -> st.SearchStrategy[Any]:
    if source.type == "boolean":
        return st.booleans()
    if source.type == "set":
        return st.frozensets(st.sampled_from(source.choices), max_size=4)
    if source.type == "enum":
        return st.sampled_from(source.choices)
    assert source.range is not None
    low, high = source.range
    return st.sampled_from([low, min(high, 4.0), min(high, 16.0)])


# -- verdicts -------------------------------------------------------------------------------------


@EVERYDAY
@given(base=scenarios())
def test_a_verdict_is_the_same_twice(base: Given) -> None:
    one, two = (judge(Engine(project().book).run(scenario(base))) for _ in range(2))
    assert one.state == two.state and one.problems == two.problems == ()
    assert one.outcomes == two.outcomes
    assert one.answers == two.answers


@EVERYDAY
@given(base=scenarios())
def test_the_headline_follows_from_the_numbers(base: Given) -> None:
    verdict = judge(run(base), fast=True)
    first = next(one for one in verdict.answers.values() if one.answer.limit)
    if first.likely is None or first.high is None or first.limit is None:
        assert verdict.state == "undecided" and verdict.missing()
        return
    over = (first.likely > first.limit, first.high > first.limit)
    wanted = {(True, True): "does not fit", (False, True): "tight", (False, False): "fits"}
    assert verdict.state == wanted[over]
    failing = [one.policy.name for one in verdict.failing("deny")]
    assert ("fits-in-memory" in failing) == (verdict.state == "does not fit")


# -- plans ----------------------------------------------------------------------------------------


def checked(base: Given, flags: tuple[tuple[str, str], ...] = ()) -> CheckResult:
    result = check(engine(), scenario(base, flags))
    assert not result.problems
    return result


def planned(base: Given) -> tuple[Verdict, Plan]:
    result = checked(base)
    assume(result.plan is not None)
    assert result.plan is not None and result.verdict is not None
    return result.verdict, result.plan


def written(source: Input, value: Value) -> str:
    """A value as somebody would type it behind ``--set``."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, frozenset):
        return json.dumps(sorted(value))
    return repr(value / source.unit.scale) if isinstance(value, float) else str(value)


def every_rung_says_what_it_costs(base: Given) -> None:
    verdict, found = planned(base)
    for rung in found.rungs:
        assert rung.changes and rung.remedy.trade_off
        grew = [
            name for name in rung.after
            if name in rung.before and rung.after[name][1] > rung.before[name][1] * (1 + SLACK)
        ]  # fmt: skip
        fell = {
            name
            for name in rung.after
            if any(now < was for now, was in zip(rung.after[name], rung.before[name], strict=True))
        }
        aims = rung.remedy.improves
        meant = {name for name, one in verdict.answers.items() if one.answer.value in aims}
        assert not grew or meant & fell, (rung.remedy.name, grew)
        # a rung for safety may give some of the likely figure for the worst one; no other may
        assert "memory" not in grew or "memory" not in meant or rung.was == "tight"
    for skipped in found.skipped:
        if skipped.gain is not None and skipped.reason != "not needed":
            assert skipped.gain < 0.01, skipped.remedy.name


def the_plan_keeps_what_it_promises(base: Given) -> None:
    verdict, found = planned(base)
    assert len(found.rungs) < MAX_RUNGS
    inputs = verdict.trace.book.inputs
    last = {name: value for rung in found.rungs for name, value in rung.settings.items()}
    assert not set(last) & set(base.get("keep", ()))
    flags = tuple((name, written(inputs[name], value)) for name, value in last.items())
    after = checked(base, flags)
    assert after.verdict is not None
    assert after.verdict.state == found.final.state
    promised = {one.policy.name: one.state for one in found.final.outcomes}
    assert {one.policy.name: one.state for one in after.verdict.outcomes} == promised
    for name, answer in after.verdict.answers.items():
        likely = found.final.answers[name].likely
        assert answer.likely == (likely if likely is None else pytest.approx(likely, rel=SLACK))
    goals = {one.policy.name for one in after.verdict.failing("deny") if one.policy.fix == "ladder"}
    assert found.solved == (not goals and all(promised[name] != "fails" for name in found.goals))


def a_plan_breaks_nothing_that_held(base: Given) -> None:
    verdict, found = planned(base)
    was = {one.policy.name: one.state for one in verdict.outcomes}
    for outcome in found.final.failing("deny"):
        if outcome.policy.fix != "ladder":
            assert was[outcome.policy.name] == "fails", outcome.policy.name
    assert {one.policy.name for one in found.final.undecided("deny")} <= {
        one.policy.name for one in verdict.undecided("deny")
    }


def as_far_as_chosen(rung: Rung) -> Remedy:
    """The remedy of a rung without the alternatives after the one taken.

    A later alternative, as more cards, is another plan and not a proof that a rung is needless.
    """
    tries = rung.remedy.tries
    chosen = [
        at
        for at, tried in enumerate(tries)
        if all(rung.settings.get(name, value) == value for name, value in tried.items())
    ]
    return rung.remedy._replace(tries=tries[: chosen[0] + 1] if chosen else tries)


def every_rung_of_a_solved_plan_is_needed(base: Given) -> None:
    verdict, found = planned(base)
    assume(found.solved)
    book = project().book
    for dropped in range(len(found.rungs)):
        rest = [as_far_as_chosen(rung) for at, rung in enumerate(found.rungs) if at != dropped]
        clones = {
            f"{one.name}#{number}": one._replace(name=f"{one.name}#{number}", repeat=False)
            for number, one in enumerate(rest)
        }
        shorter = Engine(book._replace(remedies=clones, ladder=tuple(clones)))
        again = plan(shorter, verdict)
        assert again is not None
        reached = again.rungs[-1].standing if again.rungs else found.rungs[0].was
        worse = WORST_FIRST.index(reached) < WORST_FIRST.index(found.rungs[-1].standing)
        assert worse, found.rungs[dropped].remedy.name


def text_and_json_agree(base: Given) -> None:
    result = checked(base)
    verdict = result.verdict
    assert verdict is not None
    status = result.status().value
    code = {"holds": 0, "fails": 1, "undecided": 3}[status]
    trainers = project().trainers()
    document = json.loads(check_json([result], project(), False, code, "en"))
    text = check_text(result, trainers, Style())
    (found,) = document["results"]
    assert (document["summary"]["exit"], found["status"]) == (code, status)
    assert found["verdict"] == verdict.state
    head = text.partition("\n")[0]
    sign = {"holds": "✓~·", "fails": "✗", "undecided": "?"}[status]
    assert head[0] in sign
    if verdict.state == "does not fit":
        assert head.startswith("✗ does not fit")
    rungs = found["plan"]["rungs"] if found["plan"] else []
    assert len(re.findall(r"^  \d+  \S", text, re.MULTILINE)) == len(rungs)
    for rung in rungs:
        assert all(f"{name}: " in text for name in rung["set"])
    for policy in found["policies"]:
        if policy["state"] == "fails" and policy["level"] == "warn":
            assert policy["name"] in text


@pytest.mark.parametrize(
    ("kernels", "budget", "solved", "more"),
    [
        pytest.param("stock", {"time": "7 h"}, True, False, id="one card is enough"),
        pytest.param("stock", {"time": "6.6 h"}, True, False, id="one card with Unsloth is"),
        pytest.param("stock", {"time": "2 h"}, True, True, id="Unsloth is not, more cards are"),
        pytest.param("liger", {"time": "2 h"}, True, True, id="so beside Liger"),
        pytest.param("stock", {"time": "5 min"}, False, False, id="nothing is"),
        pytest.param("unsloth", {"time": "2 h"}, False, False, id="Unsloth as given stays on one"),
    ],
)
def test_no_plan_puts_kernels_for_one_card_on_several(
    kernels: str, budget: Given, solved: bool, more: bool
) -> None:
    base = {
        "model": "Qwen/Qwen2.5-7B",
        "method": "lora",
        "hardware": {"gpu": "RTX 4090", "count": 1},
        "training": {"micro_batch_size": 2, "sequence_length": 1024, "kernels": kernels},
        "data": {"samples": 50000, "epochs": 2, "tokens": {"mean": 500, "p95": 900, "max": 1000}},
        "budget": budget,
    }
    result = checked(base)
    verdict, found = result.verdict, result.plan
    assert verdict is not None and found is not None
    values = found.final.trace.values
    assert found.solved is solved
    assert (values["hardware.count"] > 1) is more
    assert not (more and values["training.kernels"] == "unsloth")
    told = [one.policy.name for one in verdict.failing("info")]
    assert ("kernels-allow-more-gpus" in told) is (kernels == "unsloth")


PROPERTIES: list[Callable[[Given], None]] = [
    every_rung_says_what_it_costs,
    the_plan_keeps_what_it_promises,
    a_plan_breaks_nothing_that_held,
    every_rung_of_a_solved_plan_is_needed,
    text_and_json_agree,
]


@pytest.mark.parametrize("holds", PROPERTIES, ids=lambda one: one.__name__)
@CLIMBING
@given(base=scenarios())
def test_plans(holds: Callable[[Given], None], base: Given) -> None:
    holds(base)


@pytest.mark.slow
@pytest.mark.parametrize("holds", PROPERTIES, ids=lambda one: one.__name__)
@THOROUGH
@given(base=scenarios())
def test_plans_thoroughly(holds: Callable[[Given], None], base: Given) -> None:
    holds(base)
