"""Layers on top of core: what they may change, what they must say, and what is told about it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from advisor.errors import FileProblems
from advisor.rulebook.load import load
from advisor.rulebook.model import RuleBook
from advisor.rulebook.parsing import parse
from advisor.units import parse_date
from tests.support import TODAY, book, problems, raised, trace

CORE = """
inputs:
  batch: {type: integer, range: [1, 64], default: {value: 4, because: habit}}
  method: {type: enum, choices: [full, lora]}
  spare_for: {type: enum, choices: [card, gpt2.5]}
parameters:
  each: {title: Each, unit: "1", by: method, values: {full: 4, lora: 2},
         source: [{name: s}], checked: 2026-11-29}
  pairs: {title: Pairs, unit: "1", by: [method, spare_for], values:
          {full: {card: 1, gpt2.5: 2}, lora: {card: 3, gpt2.5: 4}},
          source: [{name: s}], checked: 2026-11-29}
  spare: {title: Spare, unit: "1", value: 8, source: [{name: s}], checked: 2026-11-29}
formulas:
  need: {title: Need, value: batch * each}
  need.more: {title: More, value: need + spare}
remedies:
  halve: {title: t, set: {batch: 2}, improves: [need], quality: 0, why: w, trade_off: o}
  trim: {title: t, set: {batch: 1}, improves: [need], quality: 1, why: w, trade_off: o}
  swap: {title: t, set: {method: lora}, improves: [need], quality: 2, why: w, trade_off: o}
ladder: [halve, trim]
policies:
  small: {level: warn, require: need <= 100, message: "Need {need}.", fix: [halve, trim]}
  fits: {level: deny, require: need <= 200, message: Too much., final: true}
answers:
  need: {value: need, limit: spare}
renamed: {per_sample: each, need.total: need.more, shrink: halve, batch_size: batch}
"""


def layer(text: str, name: str = "team") -> str:
    return f"layer: {name}\n{text}"


def layered(*texts: str) -> RuleBook:
    return book(CORE, *(layer(text, f"l{number}") for number, text in enumerate(texts)))


def value(rules: RuleBook, name: str, given: str = "{method: full}") -> object:
    return trace(rules, given).values.get(name)


# -- patch -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "new", "name", "result"),
    [
        pytest.param("parameters.spare", "9", "spare", 9.0, id="a parameter by its name"),
        pytest.param("parameters.spare.value", "9", "spare", 9.0, id="or by its value"),
        pytest.param("parameters.each.values.full", "5", "each", 5.0, id="one row"),
        pytest.param("parameters.each.values", "{full: 6, lora: 1}", "each", 6.0, id="all rows"),
        pytest.param("formulas.need.value", "batch + 1", "need", 5.0, id="an expression"),
        pytest.param("formulas.need.more.value", "need * 2", "need.more", 32.0, id="a dotted name"),
        pytest.param("inputs.batch.default.value", "8", "batch", 8.0, id="a default"),
        pytest.param(
            "formulas.need.when", "batch > 9", "need", None, id="a key that was not there"
        ),
    ],
)
def test_patches(path: str, new: str, name: str, result: object) -> None:
    rules = layered(f"patch: {{{path}: {{value: '{new}', reason: r}}}}" if "{" not in new else (
        f"patch: {{{path}: {{value: {new}, reason: r}}}}"
    ))  # fmt: skip
    assert value(rules, name) == result


def test_rows_of_tables_over_two_inputs_and_rows_whose_names_hold_points() -> None:
    rules = layered("patch: {parameters.pairs.values.lora.gpt2.5: {value: 9, reason: r}}")
    table = rules.parameters["pairs"].values
    assert table["lora", "gpt2.5"] == 9.0
    assert table["lora", "card"] == 3.0 and table["full", "gpt2.5"] == 2.0


def test_a_patch_keeps_everything_else() -> None:
    before, after = book(CORE), layered("patch: {policies.small.level: {value: deny, reason: r}}")
    old, new = before.policies["small"], after.policies["small"]
    assert new._replace(level="warn", origin=old.origin, require=old.require) == old._replace(
        left=new.left, right=new.right
    )
    assert new.origin.layer == "l0" and new.origin.span == old.origin.span


@pytest.mark.parametrize(
    ("text", "place"),
    [
        pytest.param("patch: {inputs.batch.range: {value: [9], reason: r}}", "2:37", id="a list"),
        pytest.param(
            "patch: {policies.small.level: {value: bad, reason: r}}", "2:39", id="a level"
        ),
        pytest.param("patch: {parameters.spare: {value: [1], reason: r}}", "2:35", id="a number"),
        pytest.param("patch: {parameters.spare: {value: 3 h, reason: r}}", "2:35", id="its unit"),
        pytest.param("patch: {formulas.need.value: {value: nope, reason: r}}", "2:38", id="a name"),
        pytest.param("patch: {formulas.need.value: {value: 1 $, reason: r}}", "2:40", id="a text"),
        pytest.param(
            "replace: {formulas.need: {value: 1, oops: 2, reason: r}}", "2:37", id="a key"
        ),
        pytest.param("replace: {policies.small: {require: true, reason: r}}", "2:11", id="too few"),
    ],
)
def test_what_a_layer_writes_is_checked_where_it_stands(text: str, place: str) -> None:
    (problem,) = raised(CORE, layer(text))
    assert str(problem.where) == f"layer1.yaml:{place}"


# -- what a layer must say -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param("patch: {parameters.spare: {value: 9}}", id="patch"),
        pytest.param("replace: {formulas.need: {value: 9}}", id="replace"),
        pytest.param("disable: {policies.small: {}}", id="disable"),
        pytest.param("patch: {ladder: {order: [trim]}}", id="ladder"),
        pytest.param("patch: {parameters.spare: {value: 9, reason: ''}}", id="an empty reason"),
        pytest.param("patch: {parameters.spare: {value: 9, reason: ' '}}", id="a blank reason"),
        pytest.param("patch: {parameters.spare: {value: 9, reason: {zh: 原因}}}", id="no English"),
        pytest.param("replace: {formulas.need: {value: 9, reason: ''}}", id="empty in replace"),
        pytest.param("replace: {formulas.need: {value: 9, reason: 3}}", id="a number as a reason"),
    ],
)
def test_a_reason_is_mandatory(entry: str) -> None:
    assert raised(CORE, layer(entry))


def test_reasons_are_kept_in_every_language() -> None:
    rules = layered("patch: {parameters.spare: {value: 9, reason: {en: why, zh: 为什么}}}")
    (change,) = rules.changes
    assert change.reason == {"en": "why", "zh": "为什么"}


# -- what is told ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("patch: {parameters.spare: {value: 9, reason: r}}", "patch parameters.spare.value 8 9"),
        (
            "replace: {formulas.need: {value: '9', reason: r}}",
            "replace formulas.need {digest} {other}",
        ),
        ("disable: {policies.small: {reason: r}}", "disable policies.small on off"),
        ("patch: {ladder: {remove: [trim], reason: r}}", "patch ladder halve, trim halve"),
        ("formulas: {new: {value: 1}}", ""),
    ],
)
def test_changes_are_recorded_with_before_and_after(text: str, told: str) -> None:
    rules = layered(text)
    before = book(CORE).definitions["formulas.need"].digest()
    after = rules.definitions["formulas.need"].digest()
    shown = [f"{one.action} {one.target} {one.was} {one.now}" for one in rules.changes]
    assert shown == ([told.format(digest=before, other=after)] if told else [])
    assert all(one.layer == "l0" and one.where.file == "layer1.yaml" for one in rules.changes)


@pytest.mark.parametrize(
    ("text", "weakens"),
    [
        pytest.param("patch: {policies.small.level: {value: info, reason: r}}", True, id="lower"),
        pytest.param("patch: {policies.small.level: {value: deny, reason: r}}", False, id="higher"),
        pytest.param(
            "patch: {policies.small.require: {value: true, reason: r}}", True, id="always"
        ),
        pytest.param("patch: {policies.small.when: {value: false, reason: r}}", True, id="never"),
        pytest.param("patch: {policies.small.message: {value: m, reason: r}}", False, id="words"),
        pytest.param("disable: {policies.small: {reason: r}}", True, id="off"),
        pytest.param("disable: {remedies.trim: {reason: r}}", False, id="a remedy"),
        pytest.param("patch: {parameters.spare: {value: 9, reason: r}}", False, id="a parameter"),
        pytest.param(
            "replace: {policies.small: {level: deny, require: true, message: m, reason: r}}",
            True,
            id="another policy",
        ),
        pytest.param(
            "replace: {formulas.need: {value: 1, reason: r}}",
            True,
            id="a formula that a final policy rests on",
        ),
        pytest.param("patch: {ladder: {remove: [trim], reason: r}}", False, id="the ladder"),
    ],
)
def test_what_weakens_is_marked(text: str, weakens: bool) -> None:
    assert [one.weakens for one in layered(text).changes] == [weakens]


# -- the ladder ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("patch", "ladder"),
    [
        ("order: [swap, halve]", ("swap", "halve")),
        ("order: []", ()),
        ("insert: {swap: {before: trim}}", ("halve", "swap", "trim")),
        ("insert: {swap: {after: trim}}", ("halve", "trim", "swap")),
        ("insert: {swap: {before: halve}}", ("swap", "halve", "trim")),
        ("remove: [halve]", ("trim",)),
        ("remove: [halve, trim]", ()),
        ("order: [trim, halve], insert: {swap: {after: trim}}", ("trim", "swap", "halve")),
        ("remove: [trim], insert: {trim: {before: halve}}", ("trim", "halve")),
        ("insert: {swap: {after: shrink}}", ("halve", "swap", "trim")),
        ("order: [trim, shrink]", ("trim", "halve")),
    ],
)
def test_the_ladder(patch: str, ladder: tuple[str, ...]) -> None:
    rules = layered(f"patch: {{ladder: {{{patch}, reason: r}}}}")
    assert rules.ladder == ladder and rules.ladder_layer == "l0"


@pytest.mark.parametrize(
    ("patch", "code"),
    [
        pytest.param("remove: [swap]", "no-target", id="not on it"),
        pytest.param("remove: [trm]", "no-target", id="misspelt"),
        pytest.param("insert: {swap: {after: nothing}}", "no-target", id="no such place"),
        pytest.param("insert: {nothing: {after: trim}}", "unknown-name", id="no such remedy"),
        pytest.param("insert: {trim: {after: halve}}", "defined-twice", id="twice on it"),
        pytest.param("order: [trim, trim]", "defined-twice", id="listed twice"),
        pytest.param("order: [trim, nothing]", "unknown-name", id="an unknown one"),
        pytest.param(
            "insert: {swap: {after: trim, before: halve}}", "wrong-value", id="two places"
        ),
        pytest.param("insert: {swap: {}}", "wrong-value", id="no place"),
        pytest.param("value: [trim]", "no-value", id="as a single value"),
    ],
)
def test_what_the_ladder_does_not_take(patch: str, code: str) -> None:
    assert code in {
        one.code for one in raised(CORE, layer(f"patch: {{ladder: {{{patch}, reason: r}}}}"))
    }


def test_a_layer_may_write_the_ladder_that_core_does_not() -> None:
    core = CORE.replace("ladder: [halve, trim]\n", "")
    assert book(core, layer("ladder: [trim]")).ladder == ("trim",)


# -- replace ---------------------------------------------------------------------------------------


def test_a_replacement_keeps_title_and_unit_and_nothing_else() -> None:
    rules = layered("replace: {formulas.need: {sum: [spare], reason: r}}")
    formula = rules.formulas["need"]
    assert formula.title == {"en": "Need"} and formula.value is None and formula.kind == "sum"
    assert formula.origin.layer == "l0" and formula.origin.span.file == "layer1.yaml"
    assert value(rules, "need.more") == 16.0


@pytest.mark.parametrize(("hash_of", "stale"), [("base", False), ("something else", True)])
def test_staleness(hash_of: str, stale: bool) -> None:
    digest = book(CORE).definitions["formulas.need"].digest()
    was = digest if hash_of == "base" else "f" + digest[:7]
    found = problems(
        CORE, layer(f"replace: {{formulas.need: {{value: 1, was: {was}, reason: r}}}}")
    )
    assert found == (["layer1.yaml:2:42 stale"] if stale else [])


def test_a_base_that_a_lower_layer_changed_makes_a_replacement_stale() -> None:
    digest = book(CORE).definitions["formulas.need"].digest()
    lower = layer("patch: {formulas.need.value: {value: batch, reason: r}}", "org")
    upper = layer(f"replace: {{formulas.need: {{value: 1, was: {digest}, reason: r}}}}")
    assert problems(CORE, lower, upper) == ["layer2.yaml:2:42 stale"]


# -- disable ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("today", "holds"),
    [
        pytest.param("2026-11-28", False, id="before"),
        pytest.param("2026-11-29", False, id="the last day counts"),
        pytest.param("2026-11-30", True, id="after"),
    ],
)
def test_until(today: str, holds: bool) -> None:
    text = layer("disable: {policies.small: {reason: r, until: 2026-11-29}}")
    rules = book(CORE, text, today=parse_date(today))
    assert ("small" in rules.policies) is holds
    assert [one.code for one in rules.problems] == (["expired"] if holds else [])
    assert len(rules.changes) == (0 if holds else 1)


def test_without_a_today_nothing_expires() -> None:
    text = layer("disable: {policies.small: {reason: r, until: 1999-12-31}}")
    assert "small" not in book(CORE, text, today=None).policies


def test_a_disabled_remedy_leaves_the_ladder_and_what_policies_offer() -> None:
    rules = layered("disable: {remedies.halve: {reason: r}}")
    assert "halve" not in rules.remedies and rules.ladder == ("trim",)
    assert rules.policies["small"].fix == ("trim",)


@pytest.mark.parametrize(
    ("target", "code"),
    [
        ("formulas.need", "no-target"),
        ("inputs.batch", "no-target"),
        ("answers.need", "no-target"),
        ("policies.small.level", "no-target"),
        ("policies.nothing", "no-target"),
        ("policies.fits", "final"),
        ("ladder", "no-target"),
    ],
)
def test_what_cannot_be_disabled(target: str, code: str) -> None:
    assert [one.code for one in raised(CORE, layer(f"disable: {{{target}: {{reason: r}}}}"))] == [
        code
    ]


# -- final -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("patch: {policies.fits.level: {value: warn, reason: r}}", id="level"),
        pytest.param("patch: {policies.fits.require: {value: true, reason: r}}", id="require"),
        pytest.param("patch: {policies.fits.when: {value: false, reason: r}}", id="when"),
        pytest.param("patch: {policies.fits.final: {value: false, reason: r}}", id="final itself"),
        pytest.param("disable: {policies.fits: {reason: r}}", id="off"),
        pytest.param(
            "replace: {policies.fits: {level: deny, require: true, message: m, reason: r}}",
            id="another",
        ),
    ],
)
def test_final_cannot_be_weakened(text: str) -> None:
    assert [one.code for one in raised(CORE, layer(text))] == ["final"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("patch: {policies.fits.message: {value: m, reason: r}}", id="its words"),
        pytest.param("patch: {policies.fits.fix: {value: [trim], reason: r}}", id="its remedies"),
        pytest.param("patch: {policies.fits.why: {value: w, reason: r}}", id="its reason"),
        pytest.param("patch: {policies.small.final: {value: true, reason: r}}", id="others may be"),
    ],
)
def test_final_may_still_be_worded(text: str) -> None:
    assert layered(text).changes


def test_what_a_layer_makes_final_is_final_for_the_next() -> None:
    first = layer("patch: {policies.small.final: {value: true, reason: r}}", "org")
    assert [
        one.code for one in raised(CORE, first, layer("disable: {policies.small: {reason: r}}"))
    ] == ["final"]


# -- twice -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(
            "patch: {parameters.spare: {value: 9, reason: r},",
            "parameters.spare.value: {value: 7, reason: r}}",
            id="one value by two paths",
        ),
        pytest.param(
            "patch: {parameters.each.values.full: {value: 9, reason: r},",
            "parameters.each.values: {value: {full: 1, lora: 1}, reason: r}}",
            id="a row and all rows",
        ),
        pytest.param(
            "patch: {policies.small.level: {value: deny, reason: r}}",
            "disable: {policies.small: {reason: r}}",
            id="changed and switched off",
        ),
        pytest.param(
            "patch: {formulas.need.value: {value: 1, reason: r}}",
            "replace: {formulas.need: {value: 2, reason: r}}",
            id="changed and replaced",
        ),
        pytest.param(
            "patch: {parameters.each.values.full: {value: 9, reason: r},",
            "parameters.per_sample.values.full: {value: 8, reason: r}}",
            id="by its name and its former name",
        ),
    ],
)
def test_one_thing_is_changed_once_in_a_layer(first: str, second: str) -> None:
    found = raised(
        CORE, layer(f"{first}\n  {second}" if first.endswith(",") else f"{first}\n{second}")
    )
    assert "changed-twice" in {one.code for one in found}


def test_one_thing_is_changed_once_in_all_files_of_a_layer(tmp_path: Path) -> None:
    (tmp_path / "core.yaml").write_text(f"language: 1\n{CORE}", "utf-8")
    folder = tmp_path / "team"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.yaml").write_text(
            "language: 1\nlayer: team\npatch: {parameters.spare: {value: 9, reason: r}}\n"
        )
    with pytest.raises(FileProblems) as caught:
        load((tmp_path / "core.yaml", "core.yaml"), [(folder, "team")], TODAY)
    assert [(one.code, str(one.where)) for one in caught.value.problems] == [
        ("changed-twice", "team/b.yaml:3:9")
    ]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "patch: {parameters.each.values.full: {value: 9, reason: r},\n"
            "  parameters.each.values.lora: {value: 8, reason: r}}",
            id="two rows",
        ),
        pytest.param(
            "patch: {formulas.need.value: {value: 1, reason: r},\n"
            "  formulas.need.more.value: {value: 2, reason: r}}",
            id="a name and a longer one",
        ),
        pytest.param(
            "patch: {policies.small.level: {value: deny, reason: r},\n"
            "  policies.small.message: {value: m, reason: r}}",
            id="two keys",
        ),
    ],
)
def test_two_things_of_one_definition_may_change(text: str) -> None:
    assert len(layered(text).changes) == 2


def test_of_two_layers_the_later_wins_and_both_are_shown() -> None:
    rules = layered(
        "patch: {parameters.spare: {value: 9, reason: first}}",
        "patch: {parameters.spare: {value: 10, reason: second}}",
    )
    assert rules.parameters["spare"].values[()] == 10.0
    assert rules.parameters["spare"].origin.layer == "l1"
    assert [(one.layer, one.was, one.now) for one in rules.changes] == [
        ("l0", "8", "9"),
        ("l1", "9", "10"),
    ]
    assert rules.layers == ("core", "l0", "l1")


def test_a_later_layer_cannot_change_what_an_earlier_one_removed() -> None:
    first = layer("disable: {policies.small: {reason: r}}", "org")
    second = layer("patch: {policies.small.level: {value: deny, reason: r}}")
    assert [one.code for one in raised(CORE, first, second)] == ["no-target"]


def test_a_later_layer_may_change_what_an_earlier_one_added() -> None:
    rules = layered(
        "policies: {mine: {level: info, require: true, message: m}}",
        "patch: {policies.mine.level: {value: deny, reason: r}}",
    )
    assert rules.policies["mine"].level == "deny"


# -- names of now and of then ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "check"),
    [
        pytest.param(
            "patch: {parameters.per_sample.values.full: {value: 7, reason: r}}",
            lambda rules: rules.parameters["each"].values[("full",)] == 7.0,
            id="in a path",
        ),
        pytest.param(
            "formulas: {new: {value: per_sample * batch_size}}",
            lambda rules: value(rules, "new") == 16.0,
            id="in an expression",
        ),
        pytest.param(
            "formulas: {new: {value: need.total.low + need.total.high}}",
            lambda rules: value(rules, "new") == 48.0,
            id="the ends of a range",
        ),
        pytest.param(
            "formulas: {new: {value: 1 if given(need.total) else 0}}",
            lambda rules: value(rules, "new") == 1.0,
            id="in given()",
        ),
        pytest.param(
            "formulas: {new: {max: [need.total, per_sample]}}",
            lambda rules: value(rules, "new") == 24.0,
            id="as a part",
        ),
        pytest.param(
            "policies: {new: {level: info, require: need.total < batch_size,"
            " message: 'Of {need.total}', fix: [shrink]}}",
            lambda rules: (
                rules.policies["new"].message == {"en": "Of {need.more}"}
                and rules.policies["new"].fix == ("halve",)
            ),
            id="in a policy, its message and its remedies",
        ),
        pytest.param(
            "answers: {new: {value: need.total, limit: per_sample, also: [batch_size]}}",
            lambda rules: rules.answers["new"].also == ("batch",),
            id="in an answer",
        ),
        pytest.param(
            "remedies: {new: {title: t, set: {batch_size: batch_size / 2}, try: {method: [lora]},"
            " improves: [need.total], quality: 0, why: w, trade_off: o}}",
            lambda rules: set(rules.remedies["new"].sets) == {"batch"},
            id="in a remedy",
        ),
        pytest.param(
            "patch: {ladder: {order: [trim, shrink], reason: r}}",
            lambda rules: rules.ladder == ("trim", "halve"),
            id="on the ladder",
        ),
    ],
)
def test_former_names_still_work_and_are_warned_about(
    text: str, check: Callable[[RuleBook], bool]
) -> None:
    rules = layered(text)
    assert check(rules)
    assert {one.code for one in rules.problems} == {"renamed"}
    assert all(one.where and one.where.file == "layer1.yaml" for one in rules.problems)
    assert all("is now called" in one.message for one in rules.problems)


@pytest.mark.parametrize(
    ("renamed", "code"),
    [
        pytest.param("renamed: {old: nothing}", "unknown-name", id="to nothing"),
        pytest.param("renamed: {spare: each}", "renamed", id="from what still is"),
    ],
)
def test_renames_that_cannot_be(renamed: str, code: str) -> None:
    core = "\n".join(line for line in CORE.split("\n") if not line.startswith("renamed"))
    assert code in {one.code for one in raised(f"{core}\n{renamed}")}


def test_core_itself_is_free_of_warnings() -> None:
    assert book(CORE).problems == ()


def test_an_expression_that_is_shared_is_renamed_only_where_it_says_so() -> None:
    rules = layered("formulas: {new: {value: batch * per_sample}, other: {value: batch * each}}")
    assert rules.formulas["new"].value and rules.formulas["other"].value
    assert rules.formulas["new"].value.expression.names.keys() == {"batch", "each"}
    assert parse("batch * per_sample").names.keys() == {"batch", "per_sample"}


# -- the files of layers ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layers", "code"),
    [
        pytest.param(["formulas: {a: {value: 1}}"], "missing-key", id="no name"),
        pytest.param(["layer: core"], "layer-name", id="called core"),
        pytest.param(["layer: a", "layer: a"], "layer-name", id="two of one name"),
        pytest.param(["layer: 'a b'"], "wrong-value", id="no word"),
        pytest.param(['layer: "a\\e[31m"'], "wrong-value", id="a control sequence"),
        pytest.param(
            ["layer: a\nformulas: {need: {value: 1}}"], "defined-twice", id="a taken name"
        ),
    ],
)
def test_layers_that_are_none(layers: list[str], code: str) -> None:
    assert [one.code for one in raised(CORE, *layers)] == [code]


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("parameter.spare", "Did you mean 'parameters'?"),
        ("parameters.sprae", "Did you mean 'parameters.spare'?"),
        ("formulas.need.mor.value", "Did you mean 'formulas.need.more'?"),
        ("formulas.need.vlaue", "Did you mean 'value'?"),
        ("policies.smal.level", "Did you mean 'policies.small'?"),
        ("zzz", "Start with one of: inputs, parameters, formulas,"),
        ("parameters.each", "as parameters.each.values.full"),
        ("parameters.each.values.ful", "Did you mean 'full'?"),
        ("formulas.need", "or use replace:"),
    ],
)
def test_targets_that_do_not_exist_get_a_suggestion(path: str, hint: str) -> None:
    (problem,) = raised(CORE, layer(f"patch: {{{path}: {{value: 1, reason: r}}}}"))
    assert hint in problem.hint and str(problem.where) == "layer1.yaml:2:9"
