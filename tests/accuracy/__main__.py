"""``python -m tests.accuracy`` prints each bar with the figure reached.

``--write`` also tightens ``unmet.json`` and renews the table in ``rules/README.md`` in both
languages.
"""

from __future__ import annotations

import json
import sys

from tests.accuracy.bars import UNMET, Unmet, bars, unmet
from tests.accuracy.table import READMES, renewed

TO_SAY = "to be said"


def main() -> None:
    before = unmet()
    after: dict[str, Unmet] = {}
    for one in bars():
        value, known = one.value(), before.get(one.name)
        mark = "reached"
        if not one.reached(value):
            mark = "missed"
            after[one.name] = known or Unmet(value, TO_SAY)
            if known and one.reached(value, known.present):
                after[one.name] = known._replace(present=value)
            elif known:
                mark = "WORSE"
        sign = ">=" if one.least else "<="
        print(f"{mark:8} {one.what:44} {one.figure:22} {value:8.2%}  {sign} {one.limit:.0%}")
    if "--write" in sys.argv[1:]:
        said = {
            name: {"present": round(one.present, 4), "cause": one.cause}
            for name, one in after.items()
        }
        UNMET.write_text(json.dumps(said, indent=2) + "\n", "utf-8")
        for language, path in READMES.items():
            path.write_text(renewed(path.read_text("utf-8"), language), "utf-8")
        names = ", ".join(path.name for path in READMES.values())
        print(f"{UNMET.name}: {len(said)} bars not reached; {names}: written")


if __name__ == "__main__":
    main()
