"""Waivers: what they cover and for how long, what is wrong with them, and what stays of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from advisor import patterns, schemas
from advisor.cli.app import run
from advisor.project import open_project
from tests.support import TODAY

RULES = """
language: 1
layer: team
policies:
  small-rank: {level: deny, require: lora.rank <= 8, message: "rank {lora.rank}"}
  large-batch: {level: deny, require: training.micro_batch_size >= 16, message: "batch"}
  warned: {level: warn, require: lora.rank <= 4, message: "rank {lora.rank}"}
  held: {level: deny, require: lora.rank <= 1000, message: "rank"}
  not-here: {level: deny, when: lora.rank > 1000, require: lora.rank <= 8, message: "rank"}
  open: {level: deny, require: data.samples <= 1, message: "samples"}
  sealed: {level: deny, final: true, require: lora.rank <= 8, message: "rank"}
  opened: {level: deny, final: true, waiver: {max_days: 30}, require: lora.rank <= 8, message: "r"}
  never: {level: deny, waiver: never, require: lora.rank <= 8, message: "rank"}
  signed: {level: deny, waiver: {max_days: 10, approvers: [ann, bob]}, require: lora.rank <= 8,
    message: "rank"}
"""
RUN = "{model: Qwen/Qwen2.5-0.5B, method: lora, lora: {rank: 16}, hardware: {gpu: A100 SXM 80GB}}"
OTHERS = ("small-rank", "large-batch", "open", "sealed", "opened", "never", "signed")


def waiver(**changes: str | None) -> str:
    """One entry as YAML; a value of None leaves its key out."""
    fields = {
        "policy": "small-rank",
        "scenario": "runs/a.yaml",
        "reason": "a pilot",
        "approved_by": "ann",
        "approved_on": "2026-11-20",
        "expires": "2026-12-20",
    } | changes
    return "{" + ", ".join(f"{key}: {value}" for key, value in fields.items() if value) + "}"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "a.yaml").write_text(RUN, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Report:
    """What a check said about the one policy that is looked at."""

    def __init__(self, code: int, document: dict[str, Any]) -> None:
        self.code = code
        self.document = document
        self.problems = {
            one["code"]: one
            for one in [
                *document["problems"],
                *(p for result in document["results"] for p in result["problems"]),
            ]
        }
        self.states = {
            one["name"]: one["state"]
            for result in document["results"]
            for one in result.get("policies", ())
        }


def check(
    capsys: pytest.CaptureFixture[str],
    *waivers: str,
    policy: str = "small-rank",
    file: str = "runs/a.yaml",
    flags: Sequence[str] = (),
) -> Report:
    """Check with these waivers and with the other policies of the layer switched off."""
    keep = {"sealed", "opened", policy}  # final ones cannot be switched off
    rules = RULES.replace("final: true, ", "") if policy not in ("sealed", "opened") else RULES
    off = ", ".join(
        f"policies.{name}: {{reason: not looked at}}" for name in OTHERS if name not in keep
    )
    if policy not in ("sealed", "opened"):
        off += ", policies.sealed: {reason: no}, policies.opened: {reason: no}"
    other = {"sealed": "opened", "opened": "sealed"}.get(policy)
    if other:
        rules = "\n".join(line for line in rules.splitlines() if f"  {other}:" not in line)
    Path("team.yaml").write_text(rules, "utf-8")
    Path("off.yaml").write_text(f"{{language: 1, layer: off, disable: {{{off}}}}}", "utf-8")
    listed = "".join(f"  - {one}\n" for one in waivers)
    text = "language: 1\nrules: [team.yaml, off.yaml]\n" + (f"waivers:\n{listed}" if listed else "")
    Path("advisor.yaml").write_text(text, "utf-8")
    code = int(run(["check", file, "--format", "json", "--today", "2026-11-29", *flags]))
    out = capsys.readouterr().out
    assert code != 4
    return Report(code, json.loads(out))


# -- what a waiver covers -------------------------------------------------------------------------


def test_without_a_waiver_it_fails(capsys):
    assert check(capsys).code == 1


def test_a_waiver_lets_it_pass_and_is_said(capsys):
    found = check(capsys, waiver())
    assert found.code == 0
    assert found.states["small-rank"] == "waived"
    assert found.document["summary"]["waived"] == 1
    [said] = [
        one["waiver"]
        for one in found.document["results"][0]["policies"]
        if one["name"] == "small-rank"
    ]
    assert said["expires"] == "2026-12-20"
    assert (said["approved_by"], said["reason"]) == ("ann", "a pilot")
    assert said["where"] == {"file": "advisor.yaml", "line": 4, "column": 5}
    assert found.problems == {}


def test_text_says_it_too(capsys):
    check(capsys, waiver())
    assert run(["check", "runs/a.yaml", "--today", "2026-11-29"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "1 waived" in text
    assert "small-rank: rank 16 waived until 2026-12-20 by ann: a pilot" in text


DAYS = [
    # today, exit code, the state, the problem that is told
    ("2026-11-18", 1, "fails", "waiver-not-yet"),
    ("2026-11-19", 0, "waived", None),  # signed where it is tomorrow already
    ("2026-11-20", 0, "waived", None),
    ("2026-12-12", 0, "waived", None),
    ("2026-12-13", 0, "waived", "waiver-ends"),
    ("2026-12-20", 0, "waived", "waiver-ends"),
    ("2026-12-21", 1, "fails", "waiver-expired"),
    ("2031-01-01", 1, "fails", "waiver-expired"),
]


@pytest.mark.parametrize(("day", "code", "state", "told"), DAYS, ids=[row[0] for row in DAYS])
def test_the_last_day_counts_and_not_a_day_longer(capsys, day, code, state, told):
    found = check(capsys, waiver(), flags=["--today", day])
    assert (found.code, found.states["small-rank"]) == (code, state)
    assert list(found.problems) == ([told] if told else [])
    assert {one["level"] for one in found.problems.values()} <= {"warning"}


CEILINGS = [
    # policy, what is allowed, whether that covers rank 16 and a batch of 1
    ("small-rank", "{lora.rank: 16}", True),
    ("small-rank", "{lora.rank: 17}", True),
    ("small-rank", "{lora.rank: 15}", False),
    ("small-rank", "{memory.need: 79 GiB}", True),
    ("small-rank", "{memory.need: 1 MiB}", False),
    ("small-rank", "{memory.need.high: 79 GiB, lora.rank: 16}", True),
    ("small-rank", "{memory.need.high: 79 GiB, lora.rank: 15}", False),
    ("small-rank", "{lora.rank.high: 16}", True),  # what does not range is its own end
    ("small-rank", "{time.total: 1 h}", False),  # undecided: nobody can say it is covered
    # a policy that wants much: what is allowed is how little it may be
    ("large-batch", "{training.micro_batch_size: 1}", True),
    ("large-batch", "{training.micro_batch_size: 2}", False),
]


@pytest.mark.parametrize(("policy", "allow", "covers"), CEILINGS)
def test_a_ceiling_covers_this_violation_and_no_worse_one(capsys, policy, allow, covers):
    found = check(capsys, waiver(policy=policy, allow=allow), policy=policy)
    assert found.code == (0 if covers else 1)
    assert found.states[policy] == ("waived" if covers else "fails")
    assert list(found.problems) == ([] if covers else ["waiver-exceeded"])


PATHS = [
    ("runs/a.yaml", True),
    ("runs/*.yaml", True),
    ("runs/?.yaml", True),
    ("**/a.yaml", True),
    ("**", True),
    ("*/*", True),
    ("a.yaml", False),
    ("*.yaml", False),
    ("runs/A.yaml", False),
    ("runs/a.yml", False),
    ("run*/b.yaml", False),
    ("runs", False),
]


@pytest.mark.parametrize(("pattern", "covers"), PATHS)
def test_a_waiver_is_for_the_scenarios_of_its_pattern(capsys, pattern, covers):
    found = check(capsys, waiver(scenario=f"'{pattern}'"))
    assert found.code == (0 if covers else 1)


@pytest.mark.parametrize("written", ["runs/a.yaml", "./runs/a.yaml", "runs/../runs/a.yaml", "HERE"])
def test_a_file_is_the_same_however_it_is_named(capsys, folder, written):
    file = str(folder / "runs" / "a.yaml") if written == "HERE" else written
    assert check(capsys, waiver(), file=file).code == 0


def test_a_file_elsewhere_is_never_covered(capsys, folder, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "a.yaml"
    outside.write_text(RUN, "utf-8")
    assert check(capsys, waiver(scenario="'**'"), file=str(outside)).code == 1


def test_it_is_evaluated_first_and_then_waived(capsys):
    Path("runs/a.yaml").write_text("{model: Qwen/Qwen2.5-7B, method: qlroa}", "utf-8")
    assert check(capsys, waiver()).code == 2, "a file that cannot be read is not waived"


def test_what_is_undecided_is_not_waived(capsys):
    found = check(capsys, waiver(policy="open"), policy="open")
    assert found.code == 3
    assert found.problems == {}, "nothing is known against the waiver either"


def test_other_failures_are_not_covered(capsys):
    found = check(capsys, waiver(policy="warned"), policy="small-rank")
    assert found.code == 1
    assert (found.states["warned"], found.states["small-rank"]) == ("waived", "fails")


@pytest.mark.parametrize("waived", [True, False])
def test_a_waived_warning_does_not_fail_a_strict_check(capsys, waived):
    entries = [waiver(), *([waiver(policy="warned")] if waived else [])]
    flags = ["--fail-on", "warn", "--set", "training.gradient_accumulation_steps=16"]
    assert check(capsys, *entries, flags=flags).code == (0 if waived else 1)


def test_the_first_that_covers_is_used(capsys):
    found = check(capsys, waiver(expires="2026-11-25"), waiver(scenario="'runs/*.yaml'"))
    assert found.states["small-rank"] == "waived"
    assert list(found.problems) == ["waiver-unused"], "the one that ended is in the way"
    assert found.problems["waiver-unused"]["where"]["line"] == 4


BIG = "{model: Qwen/Qwen2.5-7B, method: full, hardware: {gpu: RTX 4090}, budget: {time: 1 min},"
BIG += " data: {samples: 1000, tokens: {mean: 500}}}"


def plan_for(capsys: pytest.CaptureFixture[str], **changes: str) -> dict[str, Any]:
    """The plan for a run that is too large and too slow, with too large a waived."""
    Path("runs/a.yaml").write_text(BIG, "utf-8")
    entry = waiver(policy="fits-in-memory", **changes)
    Path("advisor.yaml").write_text(f"language: 1\nwaivers: [{entry}]\n", "utf-8")
    assert run(["check", "runs/a.yaml", "--format", "json", "--today", "2026-11-29"]) == 1
    plan = json.loads(capsys.readouterr().out)["results"][0]["plan"]
    assert isinstance(plan, dict)
    return plan


def test_a_plan_leaves_alone_what_is_waived(capsys):
    plan = plan_for(capsys)
    assert plan["goals"] == ["budget-time"]


def test_a_plan_mends_what_its_waiver_does_not_cover_whole(capsys):
    plan = plan_for(capsys, allow="{memory.need: 30 GiB}")
    assert "fits-in-memory" in plan["goals"]
    assert plan["verdict"] in ("fits", "tight"), "coming under 30 GiB is not enough"


# -- what is left over ----------------------------------------------------------------------------

LEFT = [
    # the waiver's policy and pattern, flags, exit code, level of waiver-unused
    ("not-needed", {"policy": "held"}, [], 2, "error"),
    ("not-applicable", {"policy": "not-here"}, [], 2, "error"),
    ("not-needed-and-expired", {"policy": "held", "expires": "2026-11-21"}, [], 2, "error"),
    ("flags-change-what-is-needed", {}, ["--set", "lora.rank=4"], 0, "warning"),
    ("another-file", {"policy": "held", "scenario": "runs/b.yaml"}, [], 0, None),
]


@pytest.mark.parametrize(
    ("fields", "flags", "code", "level"), [row[1:] for row in LEFT], ids=[row[0] for row in LEFT]
)
def test_a_waiver_that_nothing_needs(capsys, fields, flags, code, level):
    policy = fields.get("policy", "small-rank")
    entries = [waiver(**fields)]
    if policy != "small-rank":
        entries.append(waiver())
    found = check(capsys, *entries, flags=flags)
    assert found.code == code
    assert found.problems.get("waiver-unused", {}).get("level") == level


def test_a_waiver_of_the_base_branch_keeps_nobody_from_mending(capsys):
    """Who checks against a copy of the file cannot remove a waiver from it."""
    check(capsys, waiver())
    Path("base").mkdir()
    for name in ("advisor.yaml", "team.yaml", "off.yaml"):
        Path(name).rename(Path("base", name))
    Path("runs/a.yaml").write_text(RUN.replace("rank: 16", "rank: 4"), "utf-8")
    flags = ["--config", "base/advisor.yaml", "--format", "json", "--today", "2026-11-29"]
    assert run(["check", "runs/a.yaml", *flags]) == 0
    [problem] = json.loads(capsys.readouterr().out)["problems"]
    assert (problem["code"], problem["level"]) == ("waiver-unused", "warning")


def test_a_waiver_used_in_one_file_is_not_left_over(capsys):
    Path("runs/b.yaml").write_text(RUN.replace("rank: 16", "rank: 4"), "utf-8")
    Path("runs/c.yaml").write_text("model:", "utf-8")
    check(capsys, waiver(scenario="'runs/*.yaml'"))
    code = run(["check", "runs/a.yaml", "runs/b.yaml", "--format", "json", "--today", "2026-11-29"])
    assert code == 0
    assert json.loads(capsys.readouterr().out)["problems"] == []


def test_a_broken_file_says_nothing_about_its_waiver(capsys):
    Path("runs/a.yaml").write_text("model:", "utf-8")
    assert "waiver-unused" not in check(capsys, waiver()).problems


@pytest.mark.parametrize(("scenario", "left"), [("runs/a.yaml", False), ("runs/gone.yaml", True)])
def test_when_everything_is_checked_a_waiver_for_nothing_is_left_over(capsys, scenario, left):
    entries = [waiver(), *([waiver(scenario=scenario)] if left else [])]
    check(capsys, *entries)
    text = Path("advisor.yaml").read_text("utf-8")
    Path("advisor.yaml").write_text(text + "files: ['runs/*.yaml']\n", "utf-8")
    code = run(["check", "--format", "json", "--today", "2026-11-29"])
    problems = json.loads(capsys.readouterr().out)["problems"]
    assert [one["code"] for one in problems] == (["waiver-unused"] if left else [])
    assert code == (2 if left else 0)


# -- what is wrong with a waiver ------------------------------------------------------------------

WRONG: list[tuple[str, dict[str, str | None], str]] = [
    ("no-policy", {"policy": None}, "missing-key"),
    ("no-scenario", {"scenario": None}, "missing-key"),
    ("no-reason", {"reason": None}, "missing-key"),
    ("no-approver", {"approved_by": None}, "missing-key"),
    ("no-day", {"approved_on": None}, "missing-key"),
    ("no-end", {"expires": None}, "missing-key"),
    ("empty-reason", {"reason": "' '"}, "wrong-value"),
    ("empty-approver", {"approved_by": "''"}, "wrong-value"),
    ("unknown-key", {"until": "2026-12-20"}, "unknown-key"),
    ("line-of-the-file", {"line": "3"}, "unknown-key"),
    ("unknown-policy", {"policy": "smal-rank"}, "unknown-name"),
    ("policy-of-a-section", {"policy": "policies.small-rank"}, "wrong-value"),
    ("end-no-day", {"expires": "soon"}, "wrong-value"),
    ("end-of-no-month", {"expires": "2026-13-01"}, "bad-date"),
    ("end-that-never-comes", {"expires": "2026-02-30"}, "bad-date"),
    ("end-in-other-order", {"expires": "20-12-2026"}, "wrong-value"),
    ("end-as-a-number", {"expires": "2026"}, "wrong-type"),
    ("end-before-the-start", {"expires": "2026-11-19"}, "waiver-over"),
    ("absolute", {"scenario": "/runs/a.yaml"}, "bad-pattern"),
    ("above", {"scenario": "../runs/a.yaml"}, "bad-pattern"),
    ("above-in-the-middle", {"scenario": "runs/../a.yaml"}, "bad-pattern"),
    ("backslash", {"scenario": "runs\\\\a.yaml"}, "bad-pattern"),
    ("drive", {"scenario": "'C:/runs/a.yaml'"}, "bad-pattern"),
    ("home", {"scenario": "~/a.yaml"}, "bad-pattern"),
    ("dot", {"scenario": "./runs/a.yaml"}, "bad-pattern"),
    ("brackets", {"scenario": "'runs/[ab].yaml'"}, "bad-pattern"),
    ("stars-inside", {"scenario": "'runs/a**.yaml'"}, "bad-pattern"),
    ("long", {"scenario": "a" * 301}, "bad-pattern"),
    ("allow-nothing", {"allow": "{}"}, "wrong-value"),
    ("allow-unknown", {"allow": "{memory.ned: 23 GiB}"}, "unknown-name"),
    ("allow-a-word", {"allow": "{method: 3}"}, "unknown-name"),
    ("allow-other-unit", {"allow": "{memory.need: 3 h}"}, "value"),
    ("allow-no-number", {"allow": "{memory.need: much}"}, "value"),
    ("allow-a-list", {"allow": "{memory.need: [1]}"}, "wrong-type"),
    ("final", {"policy": "sealed"}, "waiver-never"),
    ("never", {"policy": "never"}, "waiver-never"),
    ("too-long", {"policy": "signed"}, "waiver-too-long"),
    ("a-day-too-long", {"policy": "signed", "expires": "2026-12-01"}, "waiver-too-long"),
    ("unknown-approver", {"policy": "signed", "approved_by": "eve"}, "waiver-approver"),
    ("approver-in-capitals", {"policy": "signed", "approved_by": "ANN"}, "waiver-approver"),
]


@pytest.mark.parametrize(
    ("fields", "code"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG]
)
def test_a_wrong_waiver_ends_the_call_with_its_place(capsys, fields, code):
    policy = str(fields.get("policy") or "small-rank")
    found = check(capsys, waiver(**fields), policy=policy if policy in OTHERS else "small-rank")
    assert found.code == 2
    assert code in found.problems
    assert found.document["results"] == [], "nothing is judged with half the waivers"
    assert found.problems[code]["where"]["file"] == "advisor.yaml"
    assert found.problems[code]["where"]["line"] == 4


def test_every_problem_is_told_at_once(capsys):
    found = check(capsys, waiver(expires="2026-02-30"), waiver(policy="gone", scenario="/x"))
    assert {"bad-date", "unknown-name", "bad-pattern"} <= found.problems.keys()


@pytest.mark.parametrize("form", ["text", "json", "github", "gitlab", "junit", "sarif", "markdown"])
@pytest.mark.parametrize("flags", [[], ["--fail-on", "warn"], ["--set", "lora.rank=4"]], ids=str)
@pytest.mark.parametrize("broken", ["no-reason", "end-that-never-comes", "unknown-policy"])
def test_an_unreadable_waiver_is_exit_2_in_every_format(capsys, form, flags, broken):
    fields = next(row[1] for row in WRONG if row[0] == broken)
    check(capsys, waiver(**fields))
    arguments = ["check", "runs/a.yaml", "--format", form, "--today", "2026-11-29", *flags]
    assert run(arguments) == 2
    written = capsys.readouterr()
    assert "advisor.yaml" in written.out + written.err


GRANTED = [
    ("opened", {"policy": "opened", "expires": "2026-12-20"}),  # final, and says it may be waived
    ("signed", {"policy": "signed", "expires": "2026-11-30"}),
    ("signed-by-another", {"policy": "signed", "approved_by": "bob", "expires": "2026-11-30"}),
    ("of-one-day", {"approved_on": "2026-11-29", "expires": "2026-11-29"}),
]


@pytest.mark.parametrize("fields", [row[1] for row in GRANTED], ids=[row[0] for row in GRANTED])
def test_a_waiver_on_the_terms_of_its_policy_holds(capsys, fields):
    policy = fields.get("policy", "small-rank")
    assert check(capsys, waiver(**fields), policy=policy).code == 0


def test_the_same_twice_is_a_mistake(capsys):
    found = check(capsys, waiver(), waiver(reason="again"))
    assert found.code == 2
    assert "waiver-twice" in found.problems


# -- in layers ------------------------------------------------------------------------------------


def layer(text: str) -> list[Path]:
    Path("team.yaml").write_text(RULES, "utf-8")
    Path("exceptions.yaml").write_text(f"language: 1\nlayer: exceptions\n{text}", "utf-8")
    return [Path("team.yaml"), Path("exceptions.yaml")]


def test_a_layer_may_hold_waivers():
    opened = open_project(layer(f"waivers: [{waiver()}]"), TODAY)
    [one] = opened.waivers
    assert (one.policy, one.source) == ("small-rank", "exceptions")
    assert one.where.file == "exceptions.yaml"


TERMS = [
    # the patch of a policy's terms, and whether it weakens the policy
    ("policies.signed.waiver", "never", False),
    ("policies.signed.waiver", "{max_days: 5, approvers: [ann]}", False),
    ("policies.signed.waiver.max_days", "5", False),
    ("policies.signed.waiver.approvers", "[ann]", False),
    ("policies.small-rank.waiver", "{max_days: 5}", False),
    ("policies.signed.waiver", "{max_days: 11, approvers: [ann]}", True),
    ("policies.signed.waiver", "{max_days: 5}", True),
    ("policies.signed.waiver", "{approvers: [ann]}", True),
    ("policies.signed.waiver.max_days", "500", True),
    ("policies.signed.waiver.approvers", "[ann, eve]", True),
    ("policies.never.waiver", "{max_days: 1, approvers: [ann]}", True),
]


@pytest.mark.parametrize(("path", "value", "weakens"), TERMS)
def test_a_layer_that_eases_waiving_is_said_to_weaken(path, value, weakens):
    patch = f"patch: {{{path}: {{value: {value}, reason: why not}}}}"
    [change] = open_project(layer(patch), TODAY).book.changes
    assert change.weakens is weakens


@pytest.mark.parametrize("path", ["policies.sealed.waiver", "policies.opened.waiver"])
def test_the_terms_of_a_final_policy_stay(path):
    patch = f"patch: {{{path}: {{value: {{max_days: 9}}, reason: why not}}}}"
    with pytest.raises(Exception, match="final"):
        open_project(layer(patch), TODAY)


@pytest.mark.parametrize(
    "terms", ["always", "{}", "{max_days: 0}", "{max_days: many}", "{approvers: []}", "{days: 3}"]
)
def test_terms_of_no_meaning_are_refused(terms):
    policy = (
        f"policies: {{p: {{level: deny, waiver: {terms}, require: lora.rank <= 8, message: m}}}}"
    )
    with pytest.raises(Exception, match="waiver"):
        open_project(layer(policy), TODAY)


# -- patterns and schemas -------------------------------------------------------------------------

COVERED = [
    ("a/*.yaml", "a/b.yaml", True),
    ("a/*.yaml", "a/b/c.yaml", False),
    ("**/c.yaml", "c.yaml", True),
    ("**/c.yaml", "a/b/c.yaml", True),
    ("**/c.yaml", "a/b/cc.yaml", False),
    ("a/**/c", "a/c", True),
    ("a/**/c", "a/b/b/c", True),
    ("a/**/c", "a/b/c/d", False),
    ("**/x/**/y", "x/a/x/b/y", True),
    ("*a*b", "xxaxxb", True),
    ("*a*b", "xxbxxa", False),
    ("?", "ab", False),
    ("*", "", True),
    ("a", "a/b", False),
]


@pytest.mark.parametrize(("pattern", "path", "covers"), COVERED)
def test_patterns(pattern, path, covers):
    assert patterns.covers(pattern, path) is covers


def test_a_pattern_of_stars_comes_to_an_end():
    many = "/".join(["**", "*a*a*a*b"] * 30)
    assert not patterns.covers(many, "/".join(["a" * 200] * 60))


def test_both_files_take_the_same_waivers():
    shapes = [schemas.load(name)["$defs"] for name in ("rules", "project")]
    for part in ("waiver", "day", "name", "id", "sentence"):
        assert shapes[0][part] == shapes[1][part]
