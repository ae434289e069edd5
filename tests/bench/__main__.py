"""``python -m tests.bench [PART …]``: how long things take, beside the bars they should stay under.

Nothing fails here. Times of whole processes are told as a ratio to a bare interpreter (or a bare
Textual app) started in the same run, because that holds on any machine; the rest are medians of
runs in this process.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from statistics import median

from advisor.check import check_file
from advisor.evaluate import Engine
from advisor.ladder import plan
from advisor.project import open_project
from advisor.units import parse_date
from advisor.verdict import judge
from tests.bench.figures import RUNS, Figure, milliseconds
from tests.bench.screen import screen

ROOT = Path(__file__).parents[2]
TODAY = "2026-11-29"
STARTS = 15


def start(arguments: list[str]) -> tuple[float, float]:
    """Seconds until a process has ended, and the most memory it held, in MiB."""
    begin = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *arguments], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    scale = 2**20 if sys.platform == "darwin" else 2**10
    return seconds, usage.ru_maxrss / scale


def cold(files: Iterable[Path]) -> list[Figure]:
    """Whole processes; turns are taken, so that a busy moment falls on all of them alike."""
    commands = {"python -c pass": ["-c", "pass"]}
    for file in files:
        name = f"advisor check {file.relative_to(ROOT).as_posix()}"
        commands[name] = ["-m", "advisor", *name.split()[1:], "--today", TODAY]
    runs: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for _ in range(STARTS):
        for name, arguments in commands.items():
            runs[name].append(start(arguments))
    base = median(seconds for seconds, _ in runs["python -c pass"])
    figures = [Figure("python -c pass", 1000 * base, "ms")]
    for name in [*runs][1:]:
        seconds = median(one for one, _ in runs[name])
        figures += [
            Figure(name, seconds / base, "x", 12),
            Figure("  peak memory", max(memory for _, memory in runs[name]), "MiB", 45),
        ]
    return figures


def warm(files: Iterable[Path]) -> list[Figure]:
    """Calls in this process once rules are loaded, without collecting, as the command line does."""
    gc.disable()
    opened = open_project([], parse_date(TODAY))
    engine, reader = Engine(opened.book), opened.reader()
    load = milliseconds(lambda: open_project([], parse_date(TODAY)), 7)
    figures = [Figure("load the rules", load, "ms")]
    for file in files:
        name = file.relative_to(ROOT).as_posix()
        if check_file(engine, reader, file, name).verdict is None:
            continue  # wrong on purpose
        whole = milliseconds(partial(check_file, engine, reader, file, name))
        reading = milliseconds(partial(reader.read, file, name))
        scenario = reader.read(file, name)
        running = milliseconds(partial(engine.run, scenario))
        verdict = judge(engine.run(scenario))
        climbs = bool(verdict.failing("deny", "warn")) and plan(engine, verdict) is not None
        figures += [
            Figure(f"check {name}", whole, "ms", 65 if climbs else 5),
            Figure("  read the file and its catalogue entries", reading, "ms"),
            Figure("  evaluate everything with its trace", running, "ms", 3),
        ]
        if climbs:
            climbing = milliseconds(partial(plan, engine, verdict))
            figures.append(Figure("  climb the ladder", climbing, "ms", 60))
    return figures


def main() -> None:
    files = sorted((ROOT / "examples").glob("*.yaml"))
    hard = sorted((ROOT / "tests" / "golden").glob("*.yaml"))
    parts: dict[str, Callable[[], Iterable[Figure]]] = {
        "cold": partial(cold, files),
        "screen": screen,
        "warm": partial(warm, [*files, *hard]),  # collects nothing any more, so it is the last
    }
    asked = sys.argv[1:] or [*parts]
    if not parts.keys() >= set(asked):
        sys.exit(f"parts are: {', '.join(parts)}")
    print(f"medians of {STARTS} processes and {RUNS} calls")
    for name in asked:
        for figure in parts[name]():
            print(figure, flush=True)


if __name__ == "__main__":
    main()
