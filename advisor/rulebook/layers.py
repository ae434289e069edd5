"""A layer on top of what is there: patch, replace, disable, each with its reason.

Every change is recorded with what it weakens, so that reports can say it. Nothing that does not
exist can be changed, nothing ``final`` can be weakened, and one thing is changed once in a layer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from advisor.errors import Span, close_names
from advisor.rulebook.definitions import (
    NAMED_SECTIONS,
    Definition,
    Draft,
    Field,
    LadderEntry,
    definition,
)
from advisor.rulebook.model import Change, Text
from advisor.source import Document, Mapping, Place
from advisor.units import parse_date

_STRICTNESS = {"info": 0, "warn": 1, "deny": 2}
_FREE_OF_FINAL = {"message", "title", "why", "source", "fix"}  # may change although final


@dataclass(slots=True)
class Layering:
    """Applies one layer's changes to a draft; ``today`` (seconds) decides about ``until``."""

    draft: Draft
    layer: str
    today: float | None
    changes: list[Change] = field(default_factory=list)
    targets: dict[str, Span] = field(default_factory=dict)

    def apply(self, document: Document) -> None:
        data: Mapping = document.data
        for action in ("patch", "replace", "disable"):
            if action not in data:
                continue
            block: Mapping = data[action]
            for path in block:
                where = document.key_span(block, path)
                body = Field(block[path], document, block, path)
                if self.is_new(path, where):
                    getattr(self, action)(path, body, where)

    def is_new(self, path: str, where: Span) -> bool:
        earlier = self.targets.get(path)
        if earlier is not None:
            self.draft.report(
                "changed-twice",
                f"'{path}' is changed already in {earlier}.",
                "Change one thing once in a layer.",
                where,
            )
            return False
        self.targets[path] = where
        return True

    def record(
        self,
        target: str,
        action: Literal["patch", "replace", "disable"],
        reason: Text,
        where: Span,
        was: Any,
        now: Any,
        weakens: bool,
    ) -> None:
        self.changes.append(
            Change(self.layer, target, action, reason, where, _short(was), _short(now), weakens)
        )

    def resolve(self, path: str, where: Span) -> tuple[Definition, list[str]] | None:
        """The definition a path names and the keys that follow its name."""
        section, _, rest = path.partition(".")
        if section not in NAMED_SECTIONS:
            hint = f"Start with one of: {', '.join(NAMED_SECTIONS)}, or ladder."
            self.draft.report("no-target", f"'{path}' names no section.", hint, where)
            return None
        known = self.draft.sections[section]
        parts = rest.split(".")
        for length in range(len(parts), 0, -1):
            name = ".".join(parts[:length])
            renamed = self.draft.renamed.get(name)
            if name not in known and renamed in known:
                self.draft.warn(
                    "renamed",
                    f"'{name}' is now called '{renamed}'.",
                    f"Write {section}.{renamed}.",
                    where,
                )
                name = str(renamed)
            if name in known:
                return known[name], parts[length:]
        close = close_names(rest, known)
        hint = f"Did you mean '{section}.{close[0]}'?" if close else "Check the name."
        self.draft.report("no-target", f"there is no '{rest}' in {section} to change.", hint, where)
        return None

    def patch(self, path: str, body: Field, where: Span) -> None:
        if path == "ladder":
            self.patch_ladder(body, where)
            return
        found = self.resolve(path, where)
        value = body.get("value")
        if found is None:
            return
        if value is None:
            self.draft.report(
                "no-value",
                f"the patch of '{path}' has no value.",
                "Write {value: …, reason: …}.",
                where,
            )
            return
        target, keys = found
        if not keys and target.section == "parameters":
            keys = ["value"]
        if not keys:
            self.draft.report(
                "no-key",
                f"'{path}' names a whole definition.",
                "Name one key of it, or use replace:.",
                where,
            )
            return
        key = keys[0]
        old = target.fields.get(key)
        if old is None and len(keys) > 1:
            self.draft.report("no-target", f"'{target.name}' has no '{key}' to change.", "", where)
            return
        if len(keys) > 2:
            self.draft.report(
                "no-target", f"'{path}' goes too deep.", "Patch the whole key.", where
            )
            return
        new = value if len(keys) == 1 else self.nested(target, key, keys[1], value, where)
        if new is None or not self.allowed(target, key, new.value, where):
            return
        was = old.value if old else None
        if old is not None and new.value == old.value:
            self.draft.warn(
                "no-change", f"the patch of '{path}' changes nothing.", "Drop it.", where
            )
        weakens = target.section == "policies" and self.is_weaker(target, key, new.value)
        target.fields = {**target.fields, key: new}
        target.layer = self.layer
        self.record(path, "patch", _reason(body), where, was, new.value, weakens)

    def nested(
        self, target: Definition, key: str, inner: str, value: Field, where: Span
    ) -> Field | None:
        """The field with one entry of its map changed; all of it is then placed at the patch."""
        old = target.fields[key].value
        if not isinstance(old, Mapping) or inner not in old:
            known = list(old) if isinstance(old, Mapping) else []
            close = close_names(inner, known)
            self.draft.report(
                "no-target",
                f"'{target.name}.{key}' has no '{inner}'.",
                f"Did you mean '{close[0]}'?" if close else "",
                where,
            )
            return None
        place: Place = value.container.values_at[value.key]  # type: ignore[index]
        changed = Mapping()
        for name, item in old.items():
            changed[name] = value.value if name == inner else item
            changed.keys_at[name] = changed.values_at[name] = place
        holder = Mapping()
        holder[key] = changed
        holder.keys_at[key] = holder.values_at[key] = place
        return Field(changed, value.document, holder, key)

    def allowed(self, target: Definition, key: str, new: Any, where: Span) -> bool:
        if not _is_final(target) or key in _FREE_OF_FINAL:
            return True
        if key == "level" and not self.is_weaker(target, key, new):
            return True
        self.draft.report(
            "final",
            f"'{target.name}' is final: its '{key}' cannot be changed.",
            f"It is declared so in {target.span}.",
            where,
        )
        return False

    @staticmethod
    def is_weaker(target: Definition, key: str, new: Any) -> bool:
        if key == "level":
            old = target.fields["level"].value
            return _STRICTNESS.get(str(new), 0) < _STRICTNESS.get(str(old), 0)
        return key in ("require", "when")

    def patch_ladder(self, body: Field, where: Span) -> None:
        was = [entry.name for entry in self.draft.ladder]
        order, insert, remove = body.get("order"), body.get("insert"), body.get("remove")
        if order is not None:
            self.draft.ladder = [LadderEntry(str(item.value), item.span) for item in order.items()]
        for item in remove.items() if remove else ():
            position = self.position(str(item.value), item.span)
            if position is not None:
                del self.draft.ladder[position]
        for item in insert.items() if insert else ():
            self.insert(str(item.key), item)
        if order is None and insert is None and remove is None:
            self.draft.report(
                "no-value",
                "the patch of the ladder changes nothing.",
                "Give order: […], insert: {…} or remove: […].",
                where,
            )
        self.draft.ladder_layer = self.layer
        now = [entry.name for entry in self.draft.ladder]
        self.record("ladder", "patch", _reason(body), where, was, now, weakens=False)

    def position(self, name: str, where: Span) -> int | None:
        for index, entry in enumerate(self.draft.ladder):
            if entry.name == name:
                return index
        close = close_names(name, [entry.name for entry in self.draft.ladder])
        self.draft.report(
            "no-target",
            f"'{name}' is not on the ladder.",
            f"Did you mean '{close[0]}'?" if close else "",
            where,
        )
        return None

    def insert(self, name: str, item: Field) -> None:
        for side, shift in (("before", 0), ("after", 1)):
            anchor = item.get(side)
            if anchor is not None:
                position = self.position(str(anchor.value), anchor.span)
                if position is not None:
                    self.draft.ladder.insert(position + shift, LadderEntry(name, item.span))
                return

    def replace(self, path: str, body: Field, where: Span) -> None:
        found = self.resolve(path, where)
        if found is None:
            return
        target, keys = found
        if keys:
            self.draft.report(
                "no-target",
                f"'{path}' names a key; replace: takes whole definitions.",
                "Use patch: for one key.",
                where,
            )
            return
        if _is_final(target):
            self.draft.report(
                "final",
                f"'{target.name}' is final and cannot be replaced.",
                f"It is declared so in {target.span}.",
                where,
            )
            return
        was = body.get("was")
        if was is not None and str(was.value) != target.digest():
            self.draft.warn(
                "stale",
                f"'{target.name}' changed since it was replaced "
                f"(was {was.value}, is {target.digest()}).",
                "Compare with the new one, then write the new hash.",
                was.span,
            )
        digest = target.digest()
        new = definition(target.section, target.name, body, self.layer, where)
        for key in ("was", "reason"):
            new.fields.pop(key, None)
        for key in ("title", "unit"):  # a replacement keeps the words unless it brings its own
            if key not in new.fields and key in target.fields:
                new.fields[key] = target.fields[key]
        self.draft.sections[target.section][target.name] = new
        self.record(
            path,
            "replace",
            _reason(body),
            where,
            digest,
            new.digest(),
            weakens=target.section == "policies",
        )

    def disable(self, path: str, body: Field, where: Span) -> None:
        found = self.resolve(path, where)
        if found is None:
            return
        target, keys = found
        if keys or target.section not in ("policies", "remedies"):
            self.draft.report(
                "no-target",
                f"'{path}' cannot be disabled.",
                "Only policies and remedies can; replace other things.",
                where,
            )
            return
        if _is_final(target):
            self.draft.report(
                "final",
                f"'{target.name}' is final and cannot be disabled.",
                f"It is declared so in {target.span}.",
                where,
            )
            return
        until = body.get("until")
        if until is not None and self.is_over(until):
            self.draft.warn(
                "expired",
                f"'{path}' was disabled until {until.value}; it holds again.",
                "Drop the entry, or give a new date.",
                until.span,
            )
            return
        del self.draft.sections[target.section][target.name]
        self.draft.ladder = [
            entry
            for entry in self.draft.ladder
            if entry.name != target.name or target.section != "remedies"
        ]
        self.record(
            path, "disable", _reason(body), where, "on", "off", weakens=target.section == "policies"
        )

    def is_over(self, until: Field) -> bool:
        try:
            last = parse_date(str(until.value))
        except ValueError as error:
            self.draft.report("bad-date", f"{error}.", "Write it as 2026-11-29.", until.span)
            return True
        return self.today is not None and self.today > last


def _is_final(target: Definition) -> bool:
    final = target.fields.get("final")
    return final is not None and final.value is True


def _reason(body: Field) -> Text:
    reason = body.get("reason")
    value = reason.value if reason else ""
    return dict(value) if isinstance(value, Mapping) else {"en": str(value)}


def _short(value: Any) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= 200 else text[:199] + "…"
