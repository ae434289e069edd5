"""Loading rule files: every problem with its code and place, all at once, and what does load."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from advisor import schemas
from advisor.errors import FileProblems, Problem
from advisor.rulebook.lint import lint
from advisor.rulebook.load import MAX_FILES, load
from tests.support import ROOT, TODAY, book, problems, raised

FOLDER = Path(__file__).with_name("bad_rules")
BAD = sorted(path.name for path in FOLDER.glob("*.yaml") if path.name != "base.yaml")
BASE = (FOLDER / "base.yaml", "base.yaml")


def found_in(name: str) -> list[Problem]:
    """The problems of a file; ``layer-…`` files stand on ``base.yaml``."""
    file = (FOLDER / name, name)
    core, layers = (BASE, [file]) if name.startswith("layer-") else (file, [])
    try:
        return list(load(core, layers, TODAY).problems)
    except FileProblems as error:
        return list(error.problems)


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_has_the_problems_its_header_says(name: str) -> None:
    """The header holds a line ``# expect: line:column code`` for each, in reading order."""
    text = (FOLDER / name).read_text("utf-8")
    expected = re.findall(r"^# expect: (\S+) (\S+)$", text, re.MULTILINE)
    found = found_in(name)
    shown = [(str(one.where).removeprefix(f"{name}:"), one.code) for one in found]
    assert expected and shown == expected
    assert all(one.message.endswith(".") for one in found)


def test_the_base_of_the_bad_layers_is_good() -> None:
    assert load(BASE).problems == ()


def codes() -> set[str]:
    """Every code that loading rules can report, read from the program's own text."""
    found: set[str] = set()
    modules = [*(ROOT / "advisor/rulebook").glob("*.py"), ROOT / "advisor/schemas/wording.py"]
    modules += [ROOT / f"advisor/source/{name}.py" for name in ("__init__", "building", "syntax")]
    for module in modules:
        if module.stem == "lint":
            continue
        for node in ast.walk(ast.parse(module.read_text("utf-8"))):
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                called = getattr(node.func, "attr", getattr(node.func, "id", ""))
                if called in ("report", "warn", "Problem", "refuse"):
                    found.add(str(node.args[0].value))
    return found


ELSEWHERE = {
    "empty", "no-file", "not-a-file", "not-utf-8", "too-large", "unreadable",  # test_source
    "no-rules", "outside", "not-read",  # folders, below
}  # fmt: skip


def test_every_code_has_a_bad_file() -> None:
    covered = {code for name in BAD for code in re.findall(r"# expect: \S+ (\S+)", read(name))}
    assert codes() - covered == ELSEWHERE
    assert covered <= codes(), "no code is expected that nothing reports"


def read(name: str) -> str:
    return (FOLDER / name).read_text("utf-8")


# -- what the messages say -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("cycle.yaml", "x → y → x: each needs the next. Break it at one of x (cycle.yaml:6:3); y"),
        ("cycle.yaml", "a → b → c → a"),
        ("unknown-key.yaml", "unknown key 'valeu' in 'formulas.memory'. Did you mean 'value'?"),
        ("unknown-key.yaml", "unknown key 'formuals'. Did you mean 'formulas'?"),
        ("unknown-name.yaml", "there is no 'batc'. Did you mean 'batch'?"),
        ("unknown-name.yaml", "there is no input 'bathc'. Did you mean 'batch'?"),
        ("unknown-name.yaml", "there is no 'batch.low'. Only numbers that are formulas range"),
        ("unknown-name.yaml", "the message (en) shows 'bacth', which is no name."),
        ("unknown-name.yaml", "the message (zh) shows '', which is no name."),
        ("type.yaml", "'m' is never 'loar'. Did you mean 'lora'? One of: full, lora."),
        ("type.yaml", "second does not go with byte. 'b' is byte."),
        ("uncovered.yaml", "'p' has no row for qlora."),
        ("uncovered.yaml", "'q' has no row for lora b."),
        ("defined-twice.yaml", "'a' is already defined in defined-twice.yaml:9:3. Keep one"),
        ("layer-defined-twice.yaml", "write it under patch: or replace: as formulas.memory.need"),
        ("missing-key.yaml", "'title', 'source', 'checked' are missing in 'parameters.spare'."),
        ("wrong-value.yaml", "'1' is not possible in 'language'. Write it without quotes."),
        ("wrong-key.yaml", "'range' means nothing for an input of type boolean."),
        ("bad-name.yaml", "Words of small letters, digits and _, joined by dots."),
        ("layer-final.yaml", "'fits' is final and cannot be disabled. It is declared so in base"),
        ("layer-no-target.yaml", "Did you mean 'parameters.spare'?"),
        ("layer-no-key.yaml", "as parameters.bytes_each.values.full"),
    ],
)
def test_what_is_said(name: str, said: str) -> None:
    assert any(said in str(one) for one in found_in(name))


def test_a_problem_is_one_line_without_control_characters() -> None:
    shown = [str(one) for name in BAD for one in found_in(name)]
    assert all(line.isprintable() or "…" in line for line in shown)


def test_a_long_cycle_is_cut_short() -> None:
    rules = "".join(f"  f{i}: {{value: f{(i + 1) % 500}}}\n" for i in range(500))
    (problem,) = raised("formulas:\n" + rules)
    assert problem.code == "cycle" and len(str(problem)) < 600


def test_shape_problems_of_every_file_are_found_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("language: 1\nformulas: {a: {valeu: 1}}\n")
    (tmp_path / "b.yaml").write_text("language: 1\nformulas: [\n")
    (tmp_path / "c.yaml").write_text("language: 2\n")
    with pytest.raises(FileProblems) as caught:
        load((tmp_path, "rules"), [(tmp_path / "no.yaml", "no.yaml")])
    assert [(one.where.file, one.code) for one in caught.value.problems if one.where] == [
        ("no.yaml", "no-file"),
        ("rules/a.yaml", "unknown-key"),
        ("rules/b.yaml", "yaml"),
        ("rules/c.yaml", "wrong-value"),
    ]


def test_problems_of_names_layers_and_types_are_found_at_once() -> None:
    core = "formulas: {a: {value: 1}}\n"
    layer = """\
    layer: team
    formulas:
      a: {value: 2}
      b: {value: nope}
    patch: {formulas.c.value: {value: 1, reason: r}}
    """
    assert problems(core, layer) == [
        "layer1.yaml:3:3 defined-twice",
        "layer1.yaml:4:14 unknown-name",
        "layer1.yaml:5:9 no-target",
    ]


# -- what loads ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing but the version"),
        pytest.param("language: 1.0", id="the version with a point"),
        pytest.param("formulas: {}\nladder: []\nexamples: []", id="empty sections"),
        pytest.param("formulas: {a: {value: true, type: boolean}}", id="a truth without quotes"),
        pytest.param("formulas: {a: {value: 1e3}}", id="a number without quotes"),
        pytest.param("formulas: {a: {sum: [b]}, b: {value: 1}}", id="used before it is written"),
        pytest.param("formulas: {a: {value: b}, a.b: {value: 1}, b: {value: 2}}", id="dots"),
        pytest.param("formulas: {a: {value: b.low + b.high}, b: {value: 1}}", id="ends"),
        pytest.param("formulas: {a: {sum: [b.low]}, b: {value: 1, low: 0}}", id="an end as a part"),
        pytest.param("policies: {a: {level: info, require: true, message: x}}", id="always true"),
        pytest.param(
            "formulas: {a: {value: 1}}\n"
            "policies: {a: {level: info, require: a < 2, message: x}}\n"
            "answers: {a: {value: a}}",
            id="one name in sections that do not share",
        ),
        pytest.param("inputs: {on: {type: boolean, default: {value: false, because: b}}}", id="on"),
        pytest.param(
            "inputs:\n"
            "  on: {type: boolean}\n"
            "  off: {type: boolean, default: {value: not on, because: b}}\n"
            "  same: {type: boolean, default: {value: on, because: b}}",
            id="a name that looks like a truth",
        ),
        pytest.param(
            "inputs:\n"
            "  rows: {type: table, columns: {n: {type: number}}}\n"
            "formulas:\n"
            "  n: {value: 2}\n"
            "  a: {sum: {over: rows, where: n > 1, value: n}}",
            id="a column that hides a formula",
        ),
        pytest.param(
            "inputs: {m: {type: enum, choices: [x, y]}}\n"
            "formulas: {k: {type: enum, cases: [{when: m == 'x', value: p}, {value: q}]}}\n"
            "parameters: {t: {title: T, unit: byte, by: [m, k], values: {x: {p: 1}, else: 2},"
            " source: [{name: s}], checked: 2026-11-29}}",
            id="a table over an input and a formula",
        ),
    ],
)
def test_what_is_no_problem(text: str) -> None:
    assert problems(text) == []


def test_examples_are_neither_read_nor_checked_when_nobody_runs_them(tmp_path: Path) -> None:
    path = tmp_path / "core.yaml"
    path.write_text("language: 1\nexamples:\n- {nme: x}\n- [\nformulas: {a: {value: 1}}\n")
    assert list(load((path, "core.yaml"), examples=False).formulas) == ["a"]
    with pytest.raises(FileProblems):
        load((path, "core.yaml"))


def test_the_shipped_rules_load_without_a_problem() -> None:
    rules = load((ROOT / "rules/core", "rules/core"), today=TODAY)
    assert rules.problems == () and len(rules.formulas) > 100


def test_types_and_order_of_a_book() -> None:
    rules = book(
        """
        inputs: {x: {type: number, unit: byte, default: {value: 1 GiB, because: b}}}
        formulas:
          a: {unit: byte, sum: [b, x]}
          b: {unit: byte, value: x * 2}
        """
    )
    assert rules.order.index("x") < rules.order.index("b") < rules.order.index("a")
    assert rules.reads["a"] == {"b", "x"} and rules.reads["b"] == {"x"}
    assert rules.types["a.high"] == rules.types["a"] != rules.types.get("x.high")
    assert rules.unit("a.low").name == "byte" and rules.unit("nothing").name == "1"


# -- the digest ------------------------------------------------------------------------------------

ONE = "language: 1\nformulas: {a: {value: 1}}\n"


@pytest.mark.parametrize(
    ("other", "same"),
    [
        pytest.param(ONE, True, id="the same file elsewhere"),
        pytest.param(ONE.replace("1}", "2}"), False, id="another number"),
        pytest.param(ONE + "# words\n", False, id="another comment"),
    ],
)
def test_the_hash_tells_rules_apart_and_not_places(tmp_path: Path, other: str, same: bool) -> None:
    digests = []
    for name, text in (("x", ONE), ("y", other)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.yaml").write_text(text)
        digests.append(load((tmp_path / name, f"shown/{name}")).digest)
    assert (digests[0] == digests[1]) is same


def test_hashes_of_definitions_are_never_read_as_numbers() -> None:
    rules = book("formulas:\n" + "".join(f"  f{i}: {{value: {i}}}\n" for i in range(300)))
    digests = [one.digest() for one in rules.definitions.values()]
    assert len(set(digests)) == 300
    assert all(re.fullmatch("[abcdf][0-9a-f]{7}", one) for one in digests)


# -- folders ---------------------------------------------------------------------------------------


def code_of(path: Path) -> str:
    with pytest.raises(FileProblems) as caught:
        load((path, "rules"))
    return caught.value.problems[0].code


def test_folders_that_are_no_rules(tmp_path: Path) -> None:
    for name in ("none", "hidden", "yml", "out", "many"):
        (tmp_path / name).mkdir()
    (tmp_path / "hidden/.git").mkdir()
    (tmp_path / "hidden/.git/a.yaml").write_text(ONE)
    (tmp_path / "yml/a.yaml").write_text(ONE)
    (tmp_path / "yml/b.yml").write_text(ONE)
    (tmp_path / "a.yaml").write_text(ONE)
    (tmp_path / "out/a.yaml").symlink_to(tmp_path / "a.yaml")
    for number in range(MAX_FILES + 1):
        (tmp_path / f"many/{number}.yaml").write_text("language: 1")
    assert code_of(tmp_path / "missing") == "no-file"
    assert code_of(tmp_path / "none") == "no-rules"
    assert code_of(tmp_path / "hidden") == "no-rules"
    assert code_of(tmp_path / "yml") == "not-read"
    assert code_of(tmp_path / "out") == "outside"
    assert code_of(tmp_path / "many") == "too-many"


def test_a_folder_is_read_in_order_and_with_its_links_inside(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/b.yaml").write_text("language: 1\nladder: []\nformulas: {b: {value: 1}}\n")
    (tmp_path / "a.yaml").write_text(ONE)
    (tmp_path / "c.yaml").symlink_to(tmp_path / "d.txt")
    (tmp_path / "d.txt").write_text("language: 1\nformulas: {c: {value: 1}}\n")
    (tmp_path / "README.md").write_text("not rules")
    rules = load((tmp_path, "rules"))
    assert list(rules.formulas) == ["a", "c", "b"]
    assert str(rules.formulas["b"].origin.span) == "rules/sub/b.yaml:3:12"


# -- lint ------------------------------------------------------------------------------------------

PARAMETER = "unit: byte, value: 1, source: [{name: s}], checked: 2026-11-29"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("inputs: {a: {type: number}}", ["1:10 unused"], id="an input nobody reads"),
        pytest.param(
            f"parameters: {{a: {{title: A, {PARAMETER}}}}}", ["1:14 unused"], id="a parameter"
        ),
        pytest.param("formulas: {a: {title: A, value: 1}}", ["1:12 unused"], id="a formula"),
        pytest.param(
            "formulas: {a: {value: 1}}\nanswers: {o: {value: a}}", ["1:12 no-title"], id="no title"
        ),
        pytest.param(
            "formulas: {a: {title: A, value: 3 * 2 + 0.7}}\nanswers: {o: {value: a}}",
            ["1:33 number", "1:41 number"],
            id="numbers without a name",
        ),
        pytest.param(
            "policies: {p: {level: info, require: true, message: x}}",
            ["1:12 untranslated"],
            id="one language",
        ),
        pytest.param(
            "remedies: {r: {title: {en: t, zh: t}, set: {a: 1}, improves: [a], quality: 0,"
            " why: {en: w, zh: w}, trade_off: {en: o, zh: o}}}\ninputs: {a: {type: number}}",
            ["1:12 unused"],
            id="a remedy on no ladder",
        ),
    ],
)
def test_advice(text: str, expected: list[str]) -> None:
    found = lint(book(text))
    assert all(one.level == "warning" and one.hint for one in found)
    assert [f"{one.where.line}:{one.where.column} {one.code}" for one in found if one.where] == (
        expected
    )


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "inputs: {a: {type: number}}\nformulas: {b: {title: B, value: a * 2}}\n"
            "answers: {o: {value: b}}",
            id="read by an answer",
        ),
        pytest.param(
            "formulas: {a: {title: A, value: 2 * 1024 + 0.5}}\n"
            "policies: {p: {level: info, require: true, message: {en: '{a}', zh: '{a}'}}}",
            id="shown in a message; numbers that need no name",
        ),
        pytest.param(
            "formulas: {a: {title: A, value: 1}}\nexamples: [{name: n, given: {}, expect: {a: 1}}]",
            id="expected by an example",
        ),
        pytest.param(
            "formulas: {a: {type: boolean, value: true}}\nanswers: {o: {value: a}}",
            id="truths need no title",
        ),
    ],
)
def test_no_advice(text: str) -> None:
    assert lint(book(text)) == []


def test_the_schema_names_every_key_the_builder_reads() -> None:
    shapes = schemas.load("rules")["$defs"]
    text = "".join(
        (ROOT / f"advisor/rulebook/{name}.py").read_text("utf-8")
        for name in ("build", "build_inputs", "build_rules")
    )
    read_keys = set(re.findall(r'fields(?:\.get\(|\[)"(\w+)"', text))
    known = {key for one in shapes.values() for key in one.get("properties", {})}
    assert read_keys and read_keys <= known
