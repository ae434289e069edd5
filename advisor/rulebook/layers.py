"""A layer on top of what is there: patch, replace, disable, each with its reason.

Every change is recorded with what it weakens, so that reports can say it. Nothing that does not
exist can be changed, nothing ``final`` can be weakened, and one thing is changed once in a layer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from advisor import schemas
from advisor.errors import Span, cause, said
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
from advisor.rulebook.terms import is_final, is_weaker, may_change, refuse_final
from advisor.source import Document, Mapping, Place
from advisor.units import parse_date


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
            message = said(
                "'{other}' is changed already in {where}.",
                other=".".join(other),
                where=self.targets[other],
            )
            self.draft.report(
                "changed-twice", message, said("Change one thing once in a layer."), where
            )
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
            hint = hint or said(
                "Start with one of: {names}, or ladder.",
                names=tuple(NAMED_SECTIONS),
            )
            self.draft.report(
                "no-target", said("'{path}' names no section.", path=path), hint, where
            )
            return None
        known = self.draft.sections[section]
        parts = rest.split(".")
        for length in range(len(parts), 0, -1):
            name = ".".join(parts[:length])
            renamed = self.draft.renamed.get(name)
            if name not in known and renamed in known:
                self.draft.warn(
                    "renamed",
                    said("'{old}' is now called '{new}'.", old=name, new=renamed),
                    said("Write {section}.{renamed}.", section=section, renamed=renamed),
                    where,
                )
                name = str(renamed)
            if name in known:
                return known[name], parts[length:]
        # Perhaps a name alone is written, perhaps a name and a key.
        close = [*self.draft.near(rest, known), *self.draft.near(rest.rpartition(".")[0], known)]
        hint = (
            said("Did you mean '{section}.{close}'?", section=section, close=close[0])
            if close
            else said("Check the name.")
        )
        self.draft.report(
            "no-target",
            said("there is no '{rest}' in {section} to change.", rest=rest, section=section),
            hint,
            where,
        )
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
            message, hint = (
                said("the patch of '{path}' has no value.", path=path),
                said("Write {{value: …, reason: …}}."),
            )
            self.draft.report("no-value", message, hint, where)
            return
        self.refuse_keys(body, ("order", "insert", "remove"), said("goes with the ladder"))
        target, keys = found
        if not keys and "value" in target.fields and target.section == "parameters":
            keys = ["value"]
        if not keys:
            rows = target.fields.get("values")
            row = (
                said(", as {path}.values.{row}", path=path, row=next(iter(rows.value)))
                if rows
                else ""
            )
            message = said("'{path}' names a whole definition.", path=path)
            hint = said("Name one key of it{row}, or use replace:.", row=row)
            self.draft.report("no-key", message, hint, where)
            return
        key = keys[0]
        shape = schemas.load("rules")["$defs"][SHAPES[target.section]]["properties"]
        old = target.fields.get(key)
        if key not in shape or (old is None and len(keys) > 1):
            section = target.section  # or a longer name was meant
            names = [f"{section}.{name}" for name in self.draft.sections[section]]
            hint = self.draft.close(key, shape) or self.draft.close(path, names)
            message = said("'{name}' has no '{key}' to change.", name=target.name, key=key)
            self.draft.report("no-target", message, hint, where)
            return
        new = value if old is None else self.nested(old, keys[1:], value, where)
        if new is None or not may_change(self.draft, target, key, new.value, where):
            return
        if not self.is_new((target.section, target.name, *keys), where):
            return
        was = old.value if old else None
        if old is not None and new.value == old.value:
            self.draft.warn(
                "no-change",
                said("the patch of '{path}' changes nothing.", path=path),
                said("Drop it."),
                where,
            )
        weakens = target.section == "policies" and is_weaker(target, key, new.value)
        target.fields = {**target.fields, key: new}
        target.layer = self.layer
        place = (target.section, target.name, *keys)
        self.record(place, "patch", _reason(body), where, was, new.value, weakens)

    def refuse_keys(self, body: Field, keys: tuple[str, ...], reason: str) -> None:
        for key in keys:
            misplaced = body.get(key)
            if misplaced is not None:
                message = said("'{key}' {reason}.", key=key, reason=reason)
                self.draft.report("wrong-key", message, said("Drop it."), misplaced.key_span)

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
                said("'{old}' has no '{keys}' to change.", old=old.key, keys=".".join(keys)),
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

    def patch_ladder(self, body: Field, where: Span) -> None:
        self.refuse_keys(body, ("value",), said("is for single values; a ladder has order:"))
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
                said("the patch of the ladder changes nothing."),
                said("Give order: […], insert: {{…}} or remove: […]."),
                where,
            )
        self.draft.ladder_layer = self.layer
        now = [entry.name for entry in self.draft.ladder]
        if now == was and len(self.draft.problems) == problems:
            self.draft.warn(
                "no-change",
                said("the patch of the ladder changes nothing."),
                said("Drop it."),
                where,
            )
        self.record(("ladder",), "patch", _reason(body), where, was, now, weakens=False)

    def position(self, written: str, where: Span) -> int | None:
        name = self.draft.renamed.get(written, written)
        for index, entry in enumerate(self.draft.ladder):
            if entry.name == name:
                return index
        hint = self.draft.close(name, [entry.name for entry in self.draft.ladder])
        message = said("'{name}' is not on the ladder.", name=name)
        self.draft.report("no-target", message, hint, where)
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
            message = said("'{path}' names a key; replace: takes whole definitions.", path=path)
            self.draft.report("no-target", message, said("Use patch: for one key."), where)
            return
        if is_final(target):
            message = said("'{name}' is final and cannot be replaced.", name=target.name)
            refuse_final(self.draft, target, message, where)
            return
        if not self.is_new((target.section, target.name), where):
            return
        was = body.get("was")
        if was is not None and str(was.value) != target.digest():
            self.draft.warn(
                "stale",
                said(
                    "'{name}' changed since it was replaced (was {before}, is {now}).",
                    name=target.name,
                    before=was.value,
                    now=target.digest(),
                ),
                said("Compare with the new one, then write the new hash."),
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
            hint = said("Only policies and remedies can; replace other things.")
            self.draft.report(
                "no-target", said("'{path}' cannot be disabled.", path=path), hint, where
            )
            return
        if is_final(target):
            message = said("'{name}' is final and cannot be disabled.", name=target.name)
            refuse_final(self.draft, target, message, where)
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
            self.draft.report(
                "bad-date",
                said("{message}.", message=cause(error)),
                said("Write it as 2026-11-29."),
                until.span,
            )
            return True
        if self.today is None or self.today <= last:
            return False
        self.draft.warn(
            "expired",
            said("this was disabled until {until} and holds again.", until=until.value),
            said("Drop the entry, or give a new date."),
            until.span,
        )
        return True


def _reason(body: Field) -> Text:
    reason = body.get("reason")
    value = reason.value if reason else ""
    return dict(value) if isinstance(value, Mapping) else {"en": str(value)}


def _short(value: Any) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= 200 else text[:199] + "…"
