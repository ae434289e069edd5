"""The readers of syntax: loose YAML, shell words, Python literals; nothing is run."""

from __future__ import annotations

import shlex
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.errors import FileProblems
from advisor.source.lenient import read_lenient
from advisor.trainers.keys import Unresolved, find, is_open
from advisor.trainers.syntax import parse
from advisor.trainers.syntax.shell import read_shell

# -- YAML as trainers read it ---------------------------------------------------------------------

LOOSE = [
    (
        "truths",
        "{a: yes, b: No, c: on, d: off, e: TRUE}",
        {"a": True, "b": False, "c": True, "d": False, "e": True},
    ),
    ("quoted-truths", "{a: 'yes', b: \"no\"}", {"a": "yes", "b": "no"}),
    ("exponent", "{a: 1e-4, b: 5e8, c: 1.0E+3}", {"a": 1e-4, "b": 5e8, "c": 1000.0}),
    ("underscores", "{a: 10_000}", {"a": 10000}),
    ("leading-zero", "{a: 010}", {"a": "010"}),
    ("empty", "a:\nb: ~\nc: null", {"a": None, "b": None, "c": None}),
    ("omegaconf", "a: ${b.c}\nb: ???", {"a": "${b.c}", "b": "???"}),
    ("alias", "a: &x {p: 1}\nb: *x", {"a": {"p": 1}, "b": {"p": 1}}),
    (
        "merge",
        "a: &x {p: 1, q: 2}\nb: {<<: *x, q: 3}",
        {"a": {"p": 1, "q": 2}, "b": {"q": 3, "p": 1}},
    ),
    (
        "merge-several",
        "a: &x {p: 1}\nc: &y {q: 2}\nb: {<<: [*x, *y]}",
        {"a": {"p": 1}, "c": {"q": 2}, "b": {"p": 1, "q": 2}},
    ),
    ("standard-tags", "{a: !!str 1, b: !!int '2'}", {"a": "1", "b": 2}),
    ("crlf", "a: 1\r\nb: x\r\n", {"a": 1, "b": "x"}),
    ("mark", "\ufeffa: 1", {"a": 1}),
    ("first-document-that-holds-something", "---\n---\na: 1\n", {"a": 1}),
    ("json-with-tabs", '{\n\t"a": [1, 2]\n}', {"a": [1, 2]}),
    ("comments", "# x\na: 1 # y\n", {"a": 1}),
]


@pytest.mark.parametrize(("text", "expected"), [r[1:] for r in LOOSE], ids=[r[0] for r in LOOSE])
def test_yaml_is_read_as_its_own_loaders_do(text, expected):
    found = read_lenient(text, "a.yaml")
    assert (found.document.data, found.warnings) == (expected, ())


WARNED = [
    ("repeated-key", "a: 1\nb: 2\na: 3", {"a": 3, "b": 2}, "duplicate-key", "3:1"),
    ("tag", "a: !secret x", {"a": "x"}, "tag", "1:4"),
    ("python-tag", "a: !!python/object/apply:os.system [x]", {"a": ["x"]}, "tag", "1:4"),
    ("second-document", "a: 1\n---\nb: 2", {"a": 1}, "documents", "2:1"),
]


@pytest.mark.parametrize(
    ("text", "expected", "code", "place"), [r[1:] for r in WARNED], ids=[r[0] for r in WARNED]
)
def test_what_yaml_loaders_let_pass_is_warned_about(text, expected, code, place):
    found = read_lenient(text, "a.yaml")
    assert found.document.data == expected
    (warning,) = found.warnings
    assert (warning.code, str(warning.where), warning.level) == (code, f"a.yaml:{place}", "warning")


REFUSED = [
    ("nothing", "", "empty"),
    ("only-comments", "# a\n", "empty"),
    ("no-yaml", "a: [1", "yaml"),
    ("nul", "a: \x00", "yaml"),
    ("alias-of-nothing", "a: *x", "alias"),
    ("alias-of-itself", "a: &x [*x]", "alias"),
    ("key-of-a-map", "? {a: 1}\n: 2", "key"),
    ("deep", "a: " + "[" * 200, "too-deep"),
    ("half-a-character", "a: \ud800", "not-utf-8"),
    (
        "laughs",
        "a0: &a0 [x]\n"
        + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)),
        "too-large",
    ),
]


@pytest.mark.parametrize(("text", "code"), [r[1:] for r in REFUSED], ids=[r[0] for r in REFUSED])
def test_what_no_loader_reads_is_refused_with_its_place(text, code):
    with pytest.raises(FileProblems) as caught:
        read_lenient(text, "a.yaml")
    assert caught.value.problems[0].code == code
    assert caught.value.problems[0].where is not None


def test_places_are_those_of_the_text():
    document = read_lenient("a: &x {p: 1}\nb: *x\nc: {<<: *x}\n", "a.yaml").document
    places = {path: find(document, path) for path in ("a.p", "b", "b.p", "c.p")}
    assert {path: str(one.span) for path, one in places.items() if one} == {
        "a.p": "a.yaml:1:11",
        "b": "a.yaml:2:4",
        "b.p": "a.yaml:1:11",
        "c.p": "a.yaml:1:11",
    }


# -- shell ----------------------------------------------------------------------------------------


def commands(text: str) -> list[dict[str, Any]]:
    return [dict(one.data) for one in read_shell(text, "a.sh")]


SHELL = [
    ("flags", "p --a 1 --b=x --c", {"a": 1, "b": "x", "c": True}),
    ("dashes", "p --per-device 2", {"per_device": 2}),
    ("short", "p -c x.yaml", {"c": "x.yaml"}),
    ("dotted", "p --ds.zero_stage 2", {"ds.zero_stage": 2}),
    ("negative", "p --max_steps -1", {"max_steps": -1}),
    ("several", "p --t q k v --u", {"t": ["q", "k", "v"], "u": True}),
    ("pairs", "p run.yaml lr=1e-5 a.b=c", {"lr": 1e-5, "a.b": "c"}),
    ("continued", "p --a 1 \\\n  --b 2", {"a": 1, "b": 2}),
    ("continued-crlf", "p --a 1 \\\r\n  --b 2\r\n", {"a": 1, "b": 2}),
    ("comment", "p --a 1 # --b 2", {"a": 1}),
    ("quotes", "p --a 'x y' --b \"z\"", {"a": "x y", "b": "z"}),
    ("quoted-number-is-text-no-more", "p --a '3'", {"a": 3}),
    ("redirected", "p --a 1 > log.txt 2>&1", {"a": 1}),
    ("piped", "p --a 1 | tee log", {"a": 1}),
    ("later-wins", "p --a 1 --a 2", {"a": 2}),
]


@pytest.mark.parametrize(("text", "expected"), [r[1:] for r in SHELL], ids=[r[0] for r in SHELL])
def test_a_command(text, expected):
    first = commands(text)[0]
    assert first.pop("program") == "p"
    first.pop("arguments", None)
    assert first == expected


PROGRAMS = [
    ("python", "python -u a/train.py --x 1", "a/train.py", {}),
    ("module", "python3 -m pkg.cli.train --x 1", "pkg.cli.train", {}),
    ("torchrun", "torchrun --nproc_per_node=4 train.py --x 1", "train.py", {"nproc_per_node": 4}),
    ("torchrun-flag-alone", "torchrun --standalone train.py", "train.py", {"standalone": True}),
    (
        "torch-module",
        "python -m torch.distributed.run --nproc_per_node 2 t.py",
        "t.py",
        {"nproc_per_node": 2},
    ),
    (
        "accelerate",
        "accelerate launch --num_processes 2 -m axolotl.cli.train c.yml",
        "axolotl.cli.train",
        {"num_processes": 2},
    ),
    (
        "deepspeed",
        "deepspeed --num_gpus 8 --module openrlhf.cli.train_sft",
        "openrlhf.cli.train_sft",
        {"num_gpus": 8},
    ),
    ("nested", "oumi distributed torchrun -m oumi train -c x.yaml", "oumi", {}),
    (
        "tune",
        "tune run --nproc_per_node 2 lora_finetune_distributed --config x",
        "lora_finetune_distributed",
        {"nproc_per_node": 2},
    ),
    ("wrapped", "nohup env A=1 swift sft --x 1 &", "swift", {}),
    (
        "ray",
        "ray job submit --address x -- python3 -m openrlhf.cli.train_ppo_ray",
        "openrlhf.cli.train_ppo_ray",
        {},
    ),
    (
        "flags-in-a-variable",
        'ARGS="--nproc_per_node 4"\ntorchrun $ARGS train.py',
        "train.py",
        {"nproc_per_node": 4},
    ),
]


@pytest.mark.parametrize(
    ("text", "program", "launcher"), [r[1:] for r in PROGRAMS], ids=[r[0] for r in PROGRAMS]
)
def test_what_a_launcher_starts(text, program, launcher):
    found = commands(text)[-1]
    assert found["program"] == program
    started = dict(found.get("launcher", {}))
    started.pop("program", None)
    assert started == launcher


VARIABLES = [
    ("set-once", "M=a/b\np --m $M", "a/b"),
    ("braces", "M=a\np --m ${M}/b", "a/b"),
    ("in-quotes", 'M=a\np --m "$M"', "a"),
    ("exported", "export M=a\np --m $M", "a"),
    ("through-another", "A=x\nM=$A/y\np --m $M", "x/y"),
]
OPEN = [
    ("never-set", "p --m $M"),
    ("set-twice", "M=a\nM=b\np --m $M"),
    ("argument", "p --m $1"),
    ("with-a-default", "p --m ${M:-x}"),
    ("worked-out", "p --m $(cat x)"),
    ("worked-out-in-quotes", 'p --m "a$(cat x)"'),
    ("back-ticks", "p --m `cat x`"),
    ("loop", "for M in a b; do p --m $M; done"),
    ("set-by-work", "M=$(cat x)\np --m $M"),
]
PLAIN = [("single-quotes", "p --m '$M'"), ("escaped", "p --m \\$M")]


@pytest.mark.parametrize(
    ("text", "expected"), [r[1:] for r in VARIABLES], ids=[r[0] for r in VARIABLES]
)
def test_a_variable_that_the_script_sets(text, expected):
    found = commands(text)[-1]["m"]
    assert (found, is_open(found)) == (expected, False)


@pytest.mark.parametrize("text", [r[1] for r in OPEN], ids=[r[0] for r in OPEN])
def test_what_a_shell_would_work_out_stays_open(text):
    (found,) = (one["m"] for one in commands(text) if "m" in one)
    assert isinstance(found, Unresolved)


@pytest.mark.parametrize("text", [r[1] for r in PLAIN], ids=[r[0] for r in PLAIN])
def test_a_dollar_that_means_nothing_is_text(text):
    assert commands(text)[-1]["m"] == "$M"
    assert not isinstance(commands(text)[-1]["m"], Unresolved)


def test_the_environment_of_a_command():
    (found,) = commands("export A=1\nB=2 p --x 1\n")
    assert found["env"] == {"A": 1, "B": 2}


def test_a_place_in_a_script():
    (found,) = read_shell("# c\np \\\n   --alpha='x y'\n", "a.sh")
    assert str(found.span(found.data, "alpha")) == "a.sh:3:12"
    assert str(found.key_span(found.data, "alpha")) == "a.sh:3:4"


WORDS = st.text(st.sampled_from("abc01 \t'\"\\=-_/.,:"), max_size=30)


@given(WORDS)
def test_words_are_cut_as_a_shell_cuts_them(text):
    try:
        expected = shlex.split(text, comments=False)
    except ValueError:  # no closing quotation
        return
    found = [dict(one.data) for one in read_shell(f"p --x {text}", "a.sh")]
    if len(expected) == 1 and expected[0] and not expected[0].startswith("-"):
        assert str(found[0]["x"]) in (expected[0], str(_scalar(expected[0])))


def _scalar(text: str) -> Any:
    from advisor.source.lenient import loose_scalar

    return loose_scalar(text)


@given(st.text(max_size=200))
def test_no_script_is_too_odd(text):
    list(read_shell(text, "a.sh"))


# -- Python ---------------------------------------------------------------------------------------


def calls(text: str) -> Any:
    return parse(text, "a.py", ".py").documents[0].data


def test_calls_are_known_by_their_class():
    data = calls("a.b.Big.load(1)\nmodule.small(x=2)\nself.other(3)\nf()(4)\n")
    assert {name: dict(one) for name, one in data.items() if one} == {
        "Big.load": {"0": 1},
        "small": {"x": 2},
        "other": {"0": 3},
    }


LITERALS = [
    ("1e-4", 1e-4),
    ("-2", -2),
    ("True", True),
    ("None", None),
    ("'a' 'b'", "ab"),
    ("[1, 'x']", [1, "x"]),
    ("(1,)", [1]),
    ("torch.bfloat16", "torch.bfloat16"),
]
CODE = ["f'{x}'", "2 * 3", "x + 1", "open('y')", "not z", "unknown", "lambda: 1", "{**a}", "b'x'"]


@pytest.mark.parametrize(("text", "expected"), LITERALS)
def test_a_literal(text, expected):
    assert calls(f"g(x={text})")["g"]["x"] == expected


@pytest.mark.parametrize("text", CODE)
def test_what_would_have_to_run_stays_open(text):
    found = calls(f"g(x={text})")["g"]["x"]
    assert isinstance(found, Unresolved)


@pytest.mark.parametrize(
    ("text", "suffix"),
    [
        ("a = (", ".py"), ("\x00", ".py"), ("f(" * 5000, ".py"), ("not json", ".ipynb"),
        ("[]", ".ipynb"), ('{"cells": 7}', ".ipynb"), ("[" * 100_000, ".ipynb"),
    ],
)  # fmt: skip
def test_what_is_no_python(text, suffix):
    with pytest.raises(FileProblems):
        parse(text, "a" + suffix, suffix)


@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=5),
        lambda x: st.lists(x) | st.dictionaries(st.text(max_size=9), x),
    )
)
def test_no_notebook_is_too_odd(data):
    import json

    try:
        parse(json.dumps({"cells": data}), "a.ipynb", ".ipynb")
    except FileProblems as error:
        assert error.problems[0].code == "notebook"
