"""On what terms a policy may be waived: who signs, and for how long."""

from typing import Any

from advisor.rulebook.definitions import Definition
from advisor.rulebook.model import WaiverTerms
from advisor.source import Mapping

NEVER = "never"


def terms_of(policy: Definition) -> WaiverTerms | None:
    """The terms of a policy, None where it cannot be waived: a final one says itself if it can."""
    written = policy.fields.get("waiver")
    if written is None:
        final = policy.fields.get("final")
        return None if final is not None and final.value is True else WaiverTerms()
    if written.value == NEVER:
        return None
    days, approvers = written.get("max_days"), written.get("approvers")
    return WaiverTerms(
        int(days.value) if days else None,
        tuple(str(item.value) for item in approvers.items()) if approvers else (),
    )


def asks_less(old: Any, new: Any) -> bool:
    """Whether terms as they are now written ask less of somebody than the old ones."""
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
        return bool(new not in (NEVER, old))
    longer = "max_days" in old and new.get("max_days", old["max_days"] + 1) > old["max_days"]
    others = set(new.get("approvers", ())) - set(old.get("approvers", ()))
    return longer or ("approvers" in old and (bool(others) or "approvers" not in new))
