"""What loads while running, what modules below the faces may do, and how long they are.

The imports that stand in the files are held by import-linter (see pyproject.toml); here is what it
cannot see.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import ROOT

PACKAGE = ROOT / "advisor"
FACES = ("cli", "tui", "chat", "__main__.py")
MODULES = sorted(PACKAGE.rglob("*.py"))
BELOW = [path for path in MODULES if path.relative_to(PACKAGE).parts[0] not in FACES]
MOST_LINES = 400


def short(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


# -- what is loaded -------------------------------------------------------------------------------

TERMINAL = {"textual", "prompt_toolkit", "rich", "aiohttp", "textual_serve"}
COSTLY = TERMINAL | {
    "jsonschema",
    "referencing",
    "asyncio",
    "importlib.metadata",
    "email",
    "socket",
}
PROBE = """
import json, sys
from advisor.cli.app import run
code = run(json.loads(sys.argv[1]))
print(json.dumps([int(code), sorted(sys.modules)]), file=sys.stderr)
"""
FITS = "examples/ocr-qwen-vl-4b.yaml"
FAILS = "examples/qwen2.5-7b-lora-24gb.yaml"
# id, arguments, exit code, modules that must not be loaded
CALLS = [
    ("check-that-holds", ["check", FITS], 0, COSTLY | {"tempfile", "advisor.report.json"}),
    ("check-with-a-plan", ["check", FAILS], 1, COSTLY),
    ("check-as-json", ["check", FITS, "--format", "json"], 0, COSTLY | {"advisor.report.text"}),
    ("explain", ["explain", FITS, "memory.need"], 0, COSTLY),
    ("rules-lint", ["rules", "lint"], 0, COSTLY),
    ("rules-show", ["rules", "show", "memory.need"], 0, COSTLY),
    ("gpus", ["gpus", "RTX 4090"], 0, COSTLY | {"advisor.catalog.architectures"}),
    ("help", ["--help"], 0, COSTLY | {"yaml", "simpleeval", "advisor.evaluate"}),
    ("help-of-serve", ["serve", "--help"], 0, COSTLY),
    ("version", ["--version"], 0, COSTLY | {"yaml", "simpleeval", "advisor.evaluate"}),
    ("broken-scenario", ["check", "tests/no-such-file.yaml"], 2, COSTLY),
]


def loaded(arguments: list[str]) -> tuple[int, set[str]]:
    done = subprocess.run(
        [sys.executable, "-c", PROBE, json.dumps(arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=True,
    )
    code, modules = json.loads(done.stderr.splitlines()[-1])
    return code, set(modules)


@pytest.mark.parametrize(
    ("arguments", "code", "unwanted"), [row[1:] for row in CALLS], ids=[row[0] for row in CALLS]
)
def test_a_call_loads_only_what_it_needs(arguments, code, unwanted):
    found, modules = loaded(arguments)
    assert found == code
    assert modules & unwanted == set()
    assert not any(name.startswith(("advisor.tui", "advisor.chat")) for name in modules)


def test_a_rule_file_of_the_wrong_shape_loads_jsonschema(tmp_path):
    path = tmp_path / "team.yaml"
    path.write_text("{language: 1, layer: team, formula: {}}", "utf-8")
    code, modules = loaded(["rules", "lint", str(path)])
    assert code == 2
    assert "jsonschema" in modules, "or the probe above sees nothing"
    assert modules & TERMINAL == set()


# -- what modules below the faces do --------------------------------------------------------------

CALLED = {
    "print", "input", "breakpoint", "exit", "quit", "eval", "exec", "compile", "__import__",
}  # fmt: skip
READ = {
    "os.environ", "os.environb", "os.getenv", "os.system", "os.popen", "os._exit", "sys.exit",
    "sys.argv", "sys.stdin", "sys.stdout", "sys.stderr", "datetime.now", "datetime.utcnow",
    "datetime.today", "date.today", "time.time", "time.monotonic", "time.perf_counter",
}  # fmt: skip
IMPORTED = {
    # the network
    "socket", "ssl", "http", "urllib", "ftplib", "requests", "httpx", "asyncio", "webbrowser",
    # other programs and code
    "subprocess", "multiprocessing", "pty", "ctypes", "importlib", "runpy",
    # data that runs
    "pickle", "marshal", "shelve",
    # never the same twice
    "random", "secrets", "uuid",
    # what belongs to a face
    "logging", "click", "textual", "rich", "prompt_toolkit",
}  # fmt: skip
ALLOWED = {
    "rulebook/expr.py": {"eval", "compile"},  # turns checked trees into code, and evaluates it
    "catalog/architectures/__init__.py": {"importlib.import_module"},  # one of its own modules
}


def misdeeds(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """What a module does that only a face may do, with its line."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in CALLED
        ):
            yield node.lineno, node.func.id
        elif isinstance(node, ast.Attribute):
            dotted = ast.unparse(node)
            yield from ((node.lineno, name) for name in READ if f".{dotted}".endswith(f".{name}"))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            module = getattr(node, "module", None) or ""
            names = [f"{module}.{one.name}".lstrip(".") for one in node.names]
            yield from ((node.lineno, name) for name in names if name.partition(".")[0] in IMPORTED)
            yield from ((node.lineno, name) for name in names if name in READ)
        elif isinstance(node, ast.Global):
            yield node.lineno, "global"


def library(text: str) -> ast.Module:
    """A module's tree without what runs only as a script."""
    tree = ast.parse(text)
    tree.body = [
        one for one in tree.body
        if not (isinstance(one, ast.If) and ast.unparse(one.test) == "__name__ == '__main__'")
    ]  # fmt: skip
    return tree


@pytest.mark.parametrize("path", BELOW, ids=short)
def test_below_the_faces_nothing_talks_to_the_world(path):
    allowed = ALLOWED.get(short(path), set())
    found = [
        f"{short(path)}:{line}: {name}" for line, name in misdeeds(library(path.read_text("utf-8")))
        if name not in allowed
    ]  # fmt: skip
    assert found == []


@pytest.mark.parametrize(
    "text",
    [
        "print('x')",
        "if True:\n    def f():\n        return eval('1')",
        "import os\nos.environ['HOME']",
        "from os import environ",
        "import os.path, socket",
        "from urllib.request import urlopen",
        "def f():\n    import subprocess",
        "import sys\nsys.stdout.write('x')",
        "import datetime\ndatetime.date.today()",
        "from datetime import datetime\ndatetime.now()",
        "import time\ntime.time()",
        "raise SystemExit(print())",
        "import random",
        "def f():\n    global state\n    state = 1",
        "if __name__ != '__main__':\n    print('x')",
    ],
)
def test_the_scan_finds(text):
    assert list(misdeeds(library(text)))


@pytest.mark.parametrize(
    "text",
    [
        "fingerprint('x')",
        "self.print('x')",
        "re.compile('x')",
        "'print(os.environ)'  # eval()",
        "import datetime\ndatetime.date.fromisoformat('2026-11-29')",
        "from pathlib import Path\nPath('x').read_text()",
        "time.total = 1",
        "if __name__ == '__main__':\n    print('x')",
    ],
)
def test_the_scan_leaves_alone(text):
    assert not list(misdeeds(library(text)))


def test_the_scan_sees_the_package():
    names = {short(path) for path in BELOW}
    assert {"errors.py", "rulebook/expr.py", "report/json.py", "check.py"} <= names
    assert "cli/app.py" not in names


# -- the engine knows no domain -------------------------------------------------------------------

ENGINE = (
    "rulebook",
    "evaluate.py",
    "verdict.py",
    "ladder.py",
    "explain.py",
    "check.py",
    "source.py",
)
DOMAIN = ("gpu", "lora", "vram", "batch", "checkpoint", "gradient", "optimizer", "memory", "cost")
NO_DOMAIN = (
    "MemoryError",  # Python's word
    "A dotted name must be a plain name, as lora.rank.",  # an example in a hint
)


def words(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Names and texts in code; sentences that document it are left out."""
    told = {
        id(node.body[0].value) for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body
        and isinstance(node.body[0], ast.Expr)
    }  # fmt: skip
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute):
            yield node.lineno, node.attr
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.lineno, node.name
        elif (
            isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told
        ):
            yield node.lineno, node.value


@pytest.mark.parametrize(
    "path", [path for path in BELOW if short(path).partition("/")[0] in ENGINE], ids=short
)
def test_the_engine_knows_no_domain_word(path):
    found = [
        f"{short(path)}:{line}: {word}" for line, word in words(ast.parse(path.read_text("utf-8")))
        if word not in NO_DOMAIN and any(one in word.lower() for one in DOMAIN)
    ]  # fmt: skip
    assert found == []


# -- length ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", MODULES, ids=short)
def test_a_module_ends_before_it_is_too_long(path):
    assert len(path.read_text("utf-8").splitlines()) <= MOST_LINES, "split it"
