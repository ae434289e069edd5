"""Rule files from strangers: they reach nothing, loop nowhere, allocate little, and show no bytes.

Nothing here is timed: where the program did too much for one of these files, this suite would not
fail but stand still.
"""

from __future__ import annotations

import builtins
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.errors import FileProblems
from advisor.evaluate import Engine
from advisor.source import MAX_BYTES
from tests.support import ROOT, book, raised, scenario

MANY = 10_000


def codes(*texts: str) -> set[str]:
    return {one.code for one in raised(*texts)}


# -- reaching out ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        "__import__('os').system('id')",
        "open('/etc/passwd').read()",
        "().__class__.__mro__[1].__subclasses__()",
        "exec('import os')",
        "eval('1')",
        "min.__globals__",
        "has.__code__",
        "globals()",
        "(lambda: 1)()",
        "[a for a in b]",
        "print(1)",
        "breakpoint()",
    ],
)
@pytest.mark.parametrize(
    "place",
    [
        'formulas: {{f: {{value: "{}"}}}}',
        'formulas: {{f: {{when: "{}", value: 1}}}}',
        'inputs: {{a: {{type: number, default: {{value: "{}", because: b}}}}}}',
        'policies: {{p: {{level: deny, require: "{}", message: m}}}}',
        'inputs: {{t: {{type: table, columns: {{n: {{type: number}}}}}}}}\n'
        'formulas: {{f: {{sum: {{over: t, where: "{}", value: 1}}}}}}',
    ],
    ids=["value", "when", "default", "require", "where"],
)  # fmt: skip
def test_no_expression_anywhere_is_python(place: str, value: str) -> None:
    assert codes(place.format(value)) == {"expression"}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("formulas: !!python/object/apply:os.system ['id']", id="a tag that calls"),
        pytest.param("formulas: !!python/name:os.system", id="a tag that names"),
        pytest.param("formulas: !include other.yaml", id="a tag that includes"),
        pytest.param("formulas: &a {f: {value: 1}}\npolicies: *a", id="an alias"),
        pytest.param("<<: {formulas: {}}", id="a merge key"),
        pytest.param("include: other.yaml", id="a key that includes"),
        pytest.param(
            "a: &a [1]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]", id="a billion laughs"
        ),
    ],
)
def test_no_yaml_builds_or_includes_anything(text: str) -> None:
    assert codes(text) & {"tag", "alias", "anchor", "unknown-key"}


def test_loading_and_running_rules_opens_only_the_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    rules_text = """
    inputs:
      a: {type: number, default: {value: 2, because: b}}
      note: {type: text, default: {value: /etc/passwd, because: b}}
    formulas: {f: {value: a ** 3}, words: {type: enum, cases: [{value: ../../etc/passwd}]}}
    policies: {p: {level: info, require: f > 1, message: "{note} {f}"}}
    """
    opened: list[str] = []
    real = Path.open

    def watched(self: Path, *arguments: object, **more: object) -> object:
        opened.append(self.name)
        return real(self, *arguments, **more)  # type: ignore[call-overload]

    def forbidden(*arguments: object, **more: object) -> None:
        raise AssertionError(f"rules reached for {arguments[:1]}")

    monkeypatch.setattr(Path, "open", watched)
    for module, name in ((builtins, "open"), (os, "system"), (subprocess, "Popen")):
        monkeypatch.setattr(module, name, forbidden)
    monkeypatch.setattr(socket, "socket", forbidden)
    rules = book(rules_text)
    trace = Engine(rules).run(scenario(rules, catalogues={}))
    assert trace.values["f"] == 8.0 and trace.values["words"] == "../../etc/passwd"
    assert set(opened) <= {"core.yaml"}


# -- size ------------------------------------------------------------------------------------------


def repeated(line: str, head: str = "", tail: str = "", most: int = 15_000) -> str:
    """Numbered lines, many, and no more than a file may hold."""
    lines: list[str] = []
    room = MAX_BYTES - len(head) - len(tail) - 40
    for number in range(most):
        text = line.replace("#", str(number)) + "\n"
        room -= len(text)
        if room < 0:
            break
        lines.append(text)
    return head + "".join(lines) + tail


def test_ten_thousand_formulas_load_and_run() -> None:
    rules = book(
        repeated("  f#: {value: a + #}", "inputs: {a: {type: number}}\nformulas:\n", most=MANY)
    )
    assert len(rules.formulas) == MANY
    trace = Engine(rules).run(scenario(rules, "a: 1", catalogues={}))
    assert trace.values[f"f{MANY - 1}"] == float(MANY)


def test_a_chain_of_ten_thousand_formulas_is_followed_without_recursion() -> None:
    links = "".join(f"  f{n}: {{value: f{n + 1} + 1}}\n" for n in range(MANY))
    rules = book(f"formulas:\n{links}  f{MANY}: {{value: 0}}\n")
    trace = Engine(rules).run(scenario(rules, catalogues={}), fast=True)
    assert trace.values["f0"] == float(MANY)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param(repeated("k#: 1"), "unknown-key", id="keys nobody knows"),
        pytest.param(repeated("    k#: 1", "formulas:\n  a:\n"), "unknown-key", id="keys inside"),
        pytest.param(repeated("  K#: {value: 1}", "formulas:\n"), "bad-name", id="bad names"),
        pytest.param(repeated("a: 1"), "duplicate-key", id="one key over and over"),
        pytest.param(repeated("- 010"), "octal", id="bad numbers"),
        pytest.param(repeated("- &a *a"), "yaml", id="anchors of aliases"),
        pytest.param(repeated("- &a 1\n- *a"), "alias", id="anchors and aliases"),
        pytest.param(
            repeated("  f#: {value: g# + 1}", "formulas:\n", most=MANY), "unknown-name", id="names"
        ),
        pytest.param(
            repeated("  f#:\n    value: |\n      1 +\n      $", "formulas:\n", most=MANY),
            "expression",
            id="bad expressions, with their places",
        ),
        pytest.param(
            "formulas:\n" + "".join(f"  f{n}: {{value: f{(n + 1) % MANY}}}\n" for n in range(MANY)),
            "cycle",
            id="one cycle of them all",
        ),
        pytest.param(
            "formulas:\n  a: {value: 1}\n  b: {sum: [" + "a," * 60_000 + "a]}",
            "defined-twice",
            id="one part over and over",
        ),
        pytest.param(
            "inputs: {m: {type: enum, choices: [" + "c," * 60_000 + "c]}}",
            "defined-twice",
            id="one choice over and over",
        ),
        pytest.param(
            "inputs: {m: {type: enum, choices: [" + ",".join(f"c{n}" for n in range(5000)) + "]}}\n"
            "parameters: {p: {title: t, unit: byte, by: [m, m], values: {c1: {c1: 1}},"
            " source: [{name: s}], checked: 2026-11-29}}",
            "uncovered",
            id="a table of 25 million rows, not there",
        ),
        pytest.param(
            "inputs: {" + ", ".join(f"a{n}: {{type: integer}}" for n in range(9)) + "}\n"
            "remedies: {r: {title: t, set: {}, improves: [a0], quality: 0, why: w, trade_off: t,"
            " try: {" + ", ".join(f"a{n}: [1, 2, 3, 4, 5, 6, 7, 8, 9]" for n in range(9)) + "}}}",
            "too-many",
            id="387 million combinations to try",
        ),
        pytest.param(
            "policies: {p: {level: info, require: true, message: '" + "{a}" * 300_000 + "'}}",
            "wrong-value",
            id="a message of nothing but placeholders",
        ),
        pytest.param(
            "policies: {p: {level: info, require: true, message: '" + "{" * 900_000 + "'}}",
            "wrong-value",
            id="a message of nothing but braces",
        ),
        pytest.param(
            "formulas: {f: {value: '" + "1+" * 450_000 + "1'}}",
            "expression",
            id="a long expression",
        ),
        pytest.param(
            "formulas: {f: {value: '" + "(" * 900_000 + "'}}", "expression", id="parentheses"
        ),
        pytest.param("formulas: " + "{a: " * 200_000, "too-deep", id="maps in maps"),
        pytest.param("formulas:\n  ? " + "a" * 900_000 + "\n  : {value: 1}", "", id="a long name"),
        pytest.param("formulas: {a: {value: 1}}\n" + "#" * MAX_BYTES, "too-large", id="too large"),
    ],
)
def test_a_file_full_of_one_mistake_ends_in_problems(text: str, code: str) -> None:
    found = raised(text)
    assert ({one.code for one in found} >= {code}) if code else found == ()
    assert all(len(str(one)) < 2_000 for one in found[:50])


def test_suggestions_are_given_for_the_first_problems_only() -> None:
    found = raised(repeated("  name#: {value: nmae# + 1}", "formulas:\n", most=3000))
    assert len(found) == 3000
    assert 1 <= sum("Did you mean" in one.hint for one in found) <= 25


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("  formulas.a#.value: {value: 2, reason: r}", ""),
        ("  formulas.b#.value: {value: 2, reason: r}", "no-target"),
    ],
)
def test_a_layer_of_ten_thousand_patches(line: str, code: str) -> None:
    core = repeated("  a#: {value: 1}", "formulas:\n", most=MANY)
    layer = repeated(line, "layer: big\npatch:\n", most=MANY)
    assert codes(core, layer) == ({code} if code else set())


def test_a_table_of_many_rows_is_refused_before_anything_is_computed() -> None:
    rules = book(
        "inputs: {t: {type: table, columns: {n: {type: integer}}}}\n"
        "formulas: {f: {sum: {over: t, value: n}}}\n"
    )
    with pytest.raises(FileProblems, match="65 rows, over 64"):
        scenario(rules, "t: [" + "{n: 1}," * 65 + "]", catalogues={})


# -- what a terminal sees --------------------------------------------------------------------------

RAW = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
EVIL = r"\e[31m\u202e\a\x9b"

LAYER = f"""
language: 1
layer: evil
inputs:
  evil.word: {{type: enum, choices: ["a{EVIL}", b], title: "T{EVIL}", ask: "Q{EVIL}",
              default: {{value: "a{EVIL}", because: "B{EVIL}"}}}}
parameters:
  evil.number: {{title: "P{EVIL}", unit: "1", value: 3, why: "W{EVIL}", checked: 2026-11-29,
                source: [{{name: "S{EVIL}", url: "http://x{EVIL}", note: "N{EVIL}"}}]}}
formulas:
  evil.formula: {{title: "F{EVIL}", value: evil.number * 2, why: "Y{EVIL}"}}
policies:
  evil: {{level: warn, require: evil.formula < 1, title: "L{EVIL}", why: "V{EVIL}",
         message: {{en: "M{EVIL}{{evil.formula}} {{evil.word}}", zh: "消息{EVIL}"}}}}
patch:
  formulas.memory.weights.title: {{value: "W{EVIL}", reason: "R{EVIL}"}}
disable: {{policies.epochs: {{reason: "D{EVIL}"}}}}
examples:
  - {{name: "N{EVIL}", given: {{method: lora}}, expect: {{evil.formula: 7}}, seed_says: "Z{EVIL}"}}
"""
SCENARIO = """
model: Qwen/Qwen2.5-7B-Instruct
method: lora
hardware: {gpu: RTX 4090}
data: {samples: 1000, tokens: {mean: 512, p95: 700, max: 900}}
"""
BAD_SCENARIO = f"""
"k{EVIL}\\n": 1
model: "x{EVIL}"
method: "l{EVIL}"
lora: {{rank: "{EVIL}"}}
keep: ["{EVIL}"]
"""
BAD_RULES = f"""
language: 1
layer: "l{EVIL}"
"f{EVIL}": 1
formulas: {{"n{EVIL}\\n": {{value: 1}}, a: {{value: "1 + {EVIL}", "t{EVIL}": 1}}}}
policies: {{p: {{level: "{EVIL}", require: "b{EVIL}", message: "{{{EVIL}}}"}}}}
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("evil")
    for name, text in {
        "layer": LAYER, "good": SCENARIO, "bad": BAD_SCENARIO, "rules": BAD_RULES,
        "raw": "a: \x1b[31m\n", "names": 'a: 1\n"b\x85c": 2\n',
    }.items():  # fmt: skip
        (folder / f"{name}.yaml").write_text(text, "utf-8")
    (folder / "latin.yaml").write_bytes(b"a: \x9b31m\n")
    return folder


@pytest.mark.parametrize(
    ("call", "shows"),
    [
        ("check good.yaml --rules layer.yaml", r"M\x1b[31m\u202e\x07\x9b"),
        ("check good.yaml --rules layer.yaml --lang zh", r"消息\x1b[31m"),
        ("check good.yaml --rules layer.yaml --format json", "evil"),
        ("check bad.yaml", r"'k\x1b[31m\u202e\x07\x9b\n'"),
        ("check bad.yaml --format json", "unknown-key"),
        ("check good.yaml --rules rules.yaml", r"'f\x1b[31m"),
        ("check raw.yaml names.yaml latin.yaml", "not-utf-8"),
        ("check good.yaml --set method=\x1b[31m", r"\x1b[31m"),
        ("check good.yaml --set \x1b[31m=1", r"\x1b[31m"),
        ("check no\x1b[31mfile.yaml", r"no\x1b[31mfile.yaml"),
        ("rules lint rules.yaml", "bad-name"),
        ("rules lint layer.yaml", "untranslated"),
        ("rules test layer.yaml -v", r"N\x1b[31m\u202e\x07\x9b"),
        ("rules show evil.formula --rules layer.yaml", r"F\x1b[31m"),
        ("rules show evil.number --rules layer.yaml", r"S\x1b[31m"),
        ("rules show evil.word --rules layer.yaml", r"a\x1b[31m"),
        ("rules show evil --rules layer.yaml", r"M\x1b[31m"),
        ("rules show \x1b[31m", r"\x1b[31m"),
        ("rules diff good.yaml --rules layer.yaml", "evil"),
        ("explain good.yaml memory.weights --rules layer.yaml", r"W\x1b[31m"),
        ("explain good.yaml evil.formula --rules layer.yaml", r"F\x1b[31m"),
        ("\x1b[31m", r"\x1b[31m"),
    ],
)  # fmt: skip
def test_no_raw_control_character_reaches_the_terminal(files: Path, call: str, shows: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "advisor", *call.split(" ")],
        cwd=files, env=environment, capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    shown = (done.stdout + done.stderr).decode("utf-8", "surrogateescape")
    assert not RAW.search(shown), RAW.search(shown)
    assert shows in shown and done.returncode in (0, 1, 2, 3)
    assert "Traceback" not in shown and "mistake in advisor" not in shown
