"""A layer on top of what is there: patch, replace, disable, each with its reason.

Every change is recorded with what it weakens, so that reports can say it. Nothing that does not
exist can be changed, nothing ``final`` can be weakened, and one thing is changed once in a layer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from advisor import schemas
from advisor.errors import Span
from advisor.rulebook.definitions import (
    NAMED_SECTIONS,
    SHAPES,
    Definition,
    Draft,
    Field,
    LadderEntry,
    definition,
)
from advisor.rulebook.model import Change, Text
from advisor.rulebook.terms import asks_less
from advisor.source import Document, Mapping, Place
from advisor.units import parse_date

_STRICTNESS = {"info": 0, "warn": 1, "deny": 2}
_FREE_OF_FINAL = {"message", "title", "why", "source", "fix"}  # may change although final


@dataclass(slots=True)
class Layering:
    """Applies one layer's changes to a draft; ``today`` (seconds) decides about ``until``.

    ``targets`` are what it changed so far: the section, the name, and the keys below it; ``around``
    maps each beginning of those to one of them.
    """

    draft: Draft
    layer: str
    today: float | None
    changes: list[Change] = field(default_factory=list)
    targets: dict[tuple[str, ...], Span] = field(default_factory=dict)
    around: dict[tuple[str, ...], tuple[str, ...]] = field(default_factory=dict)

    def apply(self, document: Document) -> None:
        data: Mapping = document.data
        for action in ("patch", "replace", "disable"):
            if action not in data:
                continue
            block: Mapping = data[action]
            for path in block:
                where = document.key_span(block, path)
                body = Field(block[path], document, block, path)
                getattr(self, action)(path, body, where)

    def is_new(self, target: tuple[str, ...], where: Span) -> bool:
        """Whether the layer has not yet changed a thing, a part of it, or the whole around it."""
        beginnings = [target[:length] for length in range(1, len(target) + 1)]
        other = next((one for one in beginnings if one in self.targets), self.around.get(target))
        if other is not None:
            message = f"'{'.'.join(other)}' is changed already in {self.targets[other]}."
            self.draft.report("changed-twice", message, "Change one thing once in a layer.", where)
            return False
        self.targets[target] = where
        self.around.update((one, target) for one in beginnings)
        return True

    def record(
        self,
        target: tuple[str, ...],
        action: Literal["patch", "replace", "disable"],
        reason: Text,
        where: Span,
        was: Any,
        now: Any,
        weakens: bool,
    ) -> None:
        path = ".".join(target)
        if action != "disable":
            self.draft.touched.add(target[:2])
        self.changes.append(
            Change(self.layer, path, action, reason, where, _short(was), _short(now), weakens)
        )

    def resolve(self, path: str, where: Span) -> tuple[Definition, list[str]] | None:
        """The definition a path names and the keys that follow its name."""
        section, _, rest = path.partition(".")
        if section not in NAMED_SECTIONS:
            hint = self.draft.close(section, NAMED_SECTIONS)
            hint = hint or f"Start with one of: {', '.join(NAMED_SECTIONS)}, or ladder."
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
        # Perhaps a name alone is written, perhaps a name and a key.
        close = [*self.draft.near(rest, known), *self.draft.near(rest.rpartition(".")[0], known)]
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
            message, hint = f"the patch of '{path}' has no value.", "Write {value: …, reason: …}."
            self.draft.report("no-value", message, hint, where)
            return
        self.refuse_keys(body, ("order", "insert", "remove"), "goes with the ladder")
        target, keys = found
        if not keys and "value" in target.fields and target.section == "parameters":
            keys = ["value"]
        if not keys:
            rows = target.fields.get("values")
            row = f", as {path}.values.{next(iter(rows.value))}" if rows else ""
            message = f"'{path}' names a whole definition."
            hint = f"Name one key of it{row}, or use replace:."
            self.draft.report("no-key", message, hint, where)
            return
        key = keys[0]
        shape = schemas.load("rules")["$defs"][SHAPES[target.section]]["properties"]
        old = target.fields.get(key)
        if key not in shape or (old is None and len(keys) > 1):
            section = target.section  # or a longer name was meant
            names = [f"{section}.{name}" for name in self.draft.sections[section]]
            hint = self.draft.close(key, shape) or self.draft.close(path, names)
            message = f"'{target.name}' has no '{key}' to change."
            self.draft.report("no-target", message, hint, where)
            return
        new = value if old is None else self.nested(old, keys[1:], value, where)
        if new is None or not self.allowed(target, key, new.value, where):
            return
        if not self.is_new((target.section, target.name, *keys), where):
            return
        was = old.value if old else None
        if old is not None and new.value == old.value:
            self.draft.warn(
                "no-change", f"the patch of '{path}' changes nothing.", "Drop it.", where
            )
        weakens = target.section == "policies" and self.is_weaker(target, key, new.value)
        target.fields = {**target.fields, key: new}
        target.layer = self.layer
        place = (target.section, target.name, *keys)
        self.record(place, "patch", _reason(body), where, was, new.value, weakens)

    def refuse_keys(self, body: Field, keys: tuple[str, ...], reason: str) -> None:
        for key in keys:
            misplaced = body.get(key)
            if misplaced is not None:
                message = f"'{key}' {reason}."
                self.draft.report("wrong-key", message, "Drop it.", misplaced.key_span)

    def nested(self, old: Field, keys: list[str], new: Field, where: Span) -> Field | None:
        """A field with one entry of its map changed; all of it is then placed at the patch."""
        if not keys:
            return new
        name = ".".join(keys)
        rest: list[str] = []
        known = old.value if isinstance(old.value, Mapping) else Mapping()
        while name not in known and "." in name:  # a row's name may hold points
            name, _, last = name.rpartition(".")
            rest.insert(0, last)
        inside = old.get(name)
        if inside is None:
            self.draft.report(
                "no-target",
                f"'{old.key}' has no '{'.'.join(keys)}' to change.",
                self.draft.close(name, known),
                where,
            )
            return None
        changed = self.nested(inside, rest, new, where)
        if changed is None:
            return None
        place: Place = new.container.values_at[new.key]  # type: ignore[index]
        entries = Mapping()
        for key, item in known.items():
            entries[key] = changed.value if key == name else item
            entries.keys_at[key] = entries.values_at[key] = place
        holder = Mapping()
        holder[str(old.key)] = entries
        holder.keys_at[str(old.key)] = holder.values_at[str(old.key)] = place
        return Field(entries, new.document, holder, str(old.key))

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
        if key == "waiver":
            terms = target.fields.get("waiver")
            return terms is not None and asks_less(terms.value, new)
        return key in ("require", "when")

    def patch_ladder(self, body: Field, where: Span) -> None:
        self.refuse_keys(body, ("value",), "is for single values; a ladder has order:")
        if not self.is_new(("ladder",), where):
            return
        problems = len(self.draft.problems)
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
        if now == was and len(self.draft.problems) == problems:
            self.draft.warn(
                "no-change", "the patch of the ladder changes nothing.", "Drop it.", where
            )
        self.record(("ladder",), "patch", _reason(body), where, was, now, weakens=False)

    def position(self, written: str, where: Span) -> int | None:
        name = self.draft.renamed.get(written, written)
        for index, entry in enumerate(self.draft.ladder):
            if entry.name == name:
                return index
        close = self.draft.near(name, [entry.name for entry in self.draft.ladder])
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
            message = f"'{path}' names a key; replace: takes whole definitions."
            self.draft.report("no-target", message, "Use patch: for one key.", where)
            return
        if _is_final(target):
            self.draft.report(
                "final",
                f"'{target.name}' is final and cannot be replaced.",
                f"It is declared so in {target.span}.",
                where,
            )
            return
        if not self.is_new((target.section, target.name), where):
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
            (target.section, target.name),
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
            hint = "Only policies and remedies can; replace other things."
            self.draft.report("no-target", f"'{path}' cannot be disabled.", hint, where)
            return
        if _is_final(target):
            self.draft.report(
                "final",
                f"'{target.name}' is final and cannot be disabled.",
                f"It is declared so in {target.span}.",
                where,
            )
            return
        if not self.is_new((target.section, target.name), where):
            return
        until = body.get("until")
        if until is not None and self.is_over(until):
            return
        self.draft.disabled.add(target.name)
        del self.draft.sections[target.section][target.name]
        self.draft.ladder = [
            entry
            for entry in self.draft.ladder
            if entry.name != target.name or target.section != "remedies"
        ]
        place = (target.section, target.name)
        weakens = target.section == "policies"
        self.record(place, "disable", _reason(body), where, "on", "off", weakens)

    def is_over(self, until: Field) -> bool:
        """Whether the last day of an exception, which still counts, is over."""
        try:
            last = parse_date(str(until.value))
        except ValueError as error:
            self.draft.report("bad-date", f"{error}.", "Write it as 2026-11-29.", until.span)
            return True
        if self.today is None or self.today <= last:
            return False
        self.draft.warn(
            "expired",
            f"this was disabled until {until.value} and holds again.",
            "Drop the entry, or give a new date.",
            until.span,
        )
        return True


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
