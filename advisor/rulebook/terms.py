"""On what terms a policy may be waived (who signs, for how long), and what no layer may weaken."""

from typing import Any

from advisor.errors import Span, said
from advisor.rulebook.definitions import Definition, Draft
from advisor.rulebook.model import WaiverTerms
from advisor.source import Mapping

NEVER = "never"


def terms_of(policy: Definition) -> WaiverTerms | None:
    """The terms of a policy, None where it cannot be waived: a final one says itself if it can."""
    written = policy.fields.get("waiver")
    if written is None:
        return None if is_final(policy) else WaiverTerms()
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


_STRICTNESS = {"info": 0, "warn": 1, "deny": 2}
_FREE_OF_FINAL = {"message", "title", "why", "source", "fix"}  # may change although final


def is_final(target: Definition) -> bool:
    """Whether a definition says that no layer may weaken it."""
    final = target.fields.get("final")
    return final is not None and final.value is True


def is_weaker(target: Definition, key: str, new: Any) -> bool:
    """Whether a definition would ask less with another value of one of its keys."""
    if key == "level":
        old = target.fields["level"].value
        return _STRICTNESS.get(str(new), 0) < _STRICTNESS.get(str(old), 0)
    if key == "waiver":
        terms = target.fields.get("waiver")
        return terms is not None and asks_less(terms.value, new)
    return key in ("require", "when")


def may_change(draft: Draft, target: Definition, key: str, new: Any, where: Span) -> bool:
    """Whether a layer may give a key another value; reports it when what is final forbids it."""
    if not is_final(target) or key in _FREE_OF_FINAL:
        return True
    if key == "level" and not is_weaker(target, key, new):
        return True
    message = said("'{name}' is final: its '{key}' cannot be changed.", name=target.name, key=key)
    refuse_final(draft, target, message, where)
    return False


def refuse_final(draft: Draft, target: Definition, message: str, where: Span) -> None:
    """Report what cannot be done with a final definition."""
    hint = said("It is declared so in {where}.", where=target.span)
    draft.report("final", message, hint, where)
