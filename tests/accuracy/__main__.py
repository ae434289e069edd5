"""``python -m tests.accuracy`` prints each bar with the figure reached; ``--write`` renews
the table in ``rules/README.md``."""

from __future__ import annotations

import sys

from tests.accuracy.bars import bars
from tests.accuracy.table import README, renewed


def main() -> None:
    for one in bars():
        value = one.value()
        sign = ">=" if one.least else "<="
        mark = "reached" if one.reached(value) else "MISSED "
        if not one.reached(value) and not one.as_good_as_before(value):
            mark = "WORSE  "
        print(f"{mark}  {one.what:44} {one.figure:22} {value:8.2%}  {sign} {one.limit:.0%}")
    if "--write" in sys.argv[1:]:
        README.write_text(renewed(README.read_text("utf-8")), "utf-8")
        print(f"{README.name}: written")


if __name__ == "__main__":
    main()
