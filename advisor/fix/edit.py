"""One key of a YAML or JSON text set to a value; everything else stays byte for byte."""

from typing import NamedTuple

from advisor.errors import FileProblems, Problem, said
from advisor.fix.layout import Layout
from advisor.fix.words import Plain, in_json, in_yaml
from advisor.source import Document, Mapping, Place, Sequence


class Edit(NamedTuple):
    """A stretch of a text (from one character up to another) and what takes its place."""

    start: int
    end: int
    text: str

    def apply(self, text: str) -> str:
        """The text with the change made."""
        return text[: self.start] + self.text + text[self.end :]


def set_key(document: Document, path: str, value: Plain, root_is_flow: bool) -> Edit | None:
    """The edit that sets the key at a dotted path; None when it has the value already.

    A key that is missing goes into the deepest map there is. Raises FileProblems, located, for what
    must not be written over: a map, text over several lines, a block list, a reference.
    """
    editor = _Editor(document, root_is_flow)
    return editor.set(document.data, path.split("."), None, value)


class _Editor:
    def __init__(self, document: Document, root_is_flow: bool) -> None:
        self.document = document
        self.layout = Layout(document.text)
        self.root_is_flow = root_is_flow
        quoted = (at.style == '"' for at in document.data.keys_at.values())
        self.is_json = root_is_flow and all(quoted)

    def refuse(self, message: str, block: Mapping, key: str) -> FileProblems:
        hint = said("Change it by hand.")
        where = self.document.key_span(block, key)
        return FileProblems([Problem("cannot-fix", message, hint, where)])

    def set(
        self, block: Mapping, parts: list[str], place: Place | None, value: Plain
    ) -> Edit | None:
        for count in range(len(parts), 0, -1):
            key = ".".join(parts[:count])
            if key not in block:
                continue
            if count == len(parts):
                return self.replace(block, key, value)
            inner = block[key]
            if not isinstance(inner, Mapping):
                raise self.refuse(said("'{key}' is no map to add a key to.", key=key), block, key)
            return self.set(inner, parts[count:], block.values_at[key], value)
        return self.insert(block, parts, place, value)

    # -- a key that is there ----------------------------------------------------------------------

    def replace(self, block: Mapping, key: str, value: Plain) -> Edit | None:
        old, place = block[key], block.values_at[key]
        if isinstance(old, Mapping):
            raise self.refuse(said("'{key}' is a map.", key=key), block, key)
        if isinstance(old, Sequence) and isinstance(value, tuple):
            return self.extend(block, key, [one for one in value if one not in old])
        if isinstance(old, Sequence) and place.style != "{":
            raise self.refuse(said("'{key}' is a list over several lines.", key=key), block, key)
        if place.style in ("|", ">") or place.end_line != place.line:
            raise self.refuse(said("'{key}' goes over several lines.", key=key), block, key)
        if place.style == "*" or (isinstance(old, str) and ("${" in old or old == "???")):
            raise self.refuse(said("'{key}' is filled in elsewhere.", key=key), block, key)
        if _same(old, value):
            return None
        start, end = self.layout.start(place), self.layout.end(place)
        quote = place.style or "" if isinstance(old, str) else ""
        text = in_json(value) if self.is_json else in_yaml(value, quote)
        if start == end and self.layout.text[start - 1 : start] == ":":
            text = f" {text}"
        return Edit(start, end, text)

    def extend(self, block: Mapping, key: str, words: list[str]) -> Edit | None:
        """Words at the end of a list."""
        old, place = block[key], block.values_at[key]
        if not words:
            return None
        is_flow = place.style == "{"
        last = old.values_at[-1] if old else None
        if is_flow and last is None:
            at = self.layout.start(place) + 1
            return Edit(at, at, self.listed(words))
        if last is None or last.style in ("|", ">", "*") or last.line != last.end_line:
            raise self.refuse(
                said("the end of the list '{key}' is not plain.", key=key), block, key
            )
        at = self.layout.end(last)
        if is_flow:
            return Edit(at, at, f", {self.listed(words)}")
        before = self.layout.before(self.layout.start(last))
        if before.strip() != "-":
            raise self.refuse(
                said("the end of the list '{key}' is not plain.", key=key), block, key
            )
        lines = [f"{before}{in_yaml(one)}" for one in words]
        return self.after_line(last.end_line, self.layout.newline.join(lines))

    def listed(self, words: list[str]) -> str:
        return ", ".join(in_json(one) if self.is_json else in_yaml(one) for one in words)

    # -- a key that is missing --------------------------------------------------------------------

    def insert(self, block: Mapping, parts: list[str], place: Place | None, value: Plain) -> Edit:
        is_flow = self.root_is_flow if place is None else place.style == "{"
        if is_flow:
            return self.into_flow(block, parts, place, value)
        column = min(at.column for at in block.keys_at.values())
        entry = self.entry(parts, value, column)
        for number, key in enumerate(sorted(block, key=lambda one: -block.keys_at[one].line)):
            if _is_simple(block[key], block.values_at[key], block.keys_at[key]):
                return self.after_line(block.values_at[key].end_line, " " * column + entry)
            if not number and place is None and not column:
                return self.after_line(len(self.layout.starts) - 1, entry)
        first = min(block.keys_at.values(), key=lambda one: (one.line, one.column))
        at = self.layout.start(first)
        return Edit(at, at, entry + self.layout.newline + " " * column)

    def entry(self, parts: list[str], value: Plain, column: int) -> str:
        """The lines of a key, without indentation before the first and a break after the last."""
        lines: list[str] = []
        for depth, key in enumerate(parts):
            indent = " " * (column + depth * self.layout.step) if depth else ""
            last = f" {in_yaml(value)}" if depth == len(parts) - 1 else ""
            lines.append(f"{indent}{in_yaml(key)}:{last}")
        return self.layout.newline.join(lines)

    def after_line(self, line: int, text: str) -> Edit:
        layout = self.layout
        at = layout.next_line(line)
        if at is not None:
            return Edit(at, at, text + layout.newline)
        end = len(layout.text)
        if layout.starts[-1] == end:  # the last line has its end
            return Edit(end, end, text + layout.newline)
        return Edit(end, end, layout.newline + text)

    def into_flow(
        self, block: Mapping, parts: list[str], place: Place | None, value: Plain
    ) -> Edit:
        written = in_json(value) if self.is_json else in_yaml(value)
        keys = [in_json(key) if self.is_json else in_yaml(key) for key in parts]
        for key in reversed(keys[1:]):
            written = f"{{{key}: {written}}}"
        text = f"{keys[0]}: {written}"
        if not block:
            if place is None:
                raise FileProblems(
                    [Problem("cannot-fix", said("the file holds no key."), "", None)]
                )
            at = self.layout.start(place) + 1
            return Edit(at, at, text)
        last = max(block, key=lambda one: (block.keys_at[one].line, block.keys_at[one].column))
        at = self.layout.end(block.values_at[last])
        before = self.layout.before(self.layout.start(block.keys_at[last]))
        if before.strip():
            return Edit(at, at, f", {text}")
        return Edit(at, at, f",{self.layout.newline}{before}{text}")


def _is_simple(value: object, place: Place, key: Place) -> bool:
    """Whether an entry is one line that another may follow."""
    if isinstance(value, Mapping | Sequence) and place.style != "{":
        return False
    return place.style not in ("|", ">") and key.line == place.line == place.end_line


def _same(old: object, new: object) -> bool:
    if isinstance(old, bool) != isinstance(new, bool):
        return False
    return bool(old == new)
