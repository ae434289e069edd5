"""What of a row is trained on: the columns that data sets usually have, or those that are named."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

MESSAGES = ("messages", "conversations", "conversation", "dialogue", "turns", "chat")
TEXTS = ("text", "content", "document", "completion_text")
PAIRS = (
    (("instruction",), ("output", "response", "completion", "answer")),
    (("prompt", "question", "query", "input", "source"),
     ("completion", "response", "answer", "output", "target", "solution", "label")),
)  # fmt: skip
BESIDE = ("input", "context", "system")
"""Columns that join an instruction or a prompt."""
_ROLES, _WORDS = ("role", "from", "speaker"), ("content", "value", "text")
_PICTURES = ("image", "images", "image_url", "input_image")
_MANY_PICTURES = 1000


class Sample(NamedTuple):
    """The texts of one sample, how many of them are messages of a chat, and pictures seen."""

    texts: tuple[str, ...]
    messages: int = 0
    pictures: int = 0


class Shape(NamedTuple):
    """The columns a sample is read from; of ``either`` only the longer one counts (preferences)."""

    columns: tuple[str, ...]
    is_chat: bool = False
    either: tuple[str, ...] = ()


def recognise(row: Any) -> Shape | None:
    """The shape of a row by the names of its columns, or None."""
    if not isinstance(row, dict):
        return None
    for name in MESSAGES:
        if _chat(row.get(name)) is not None:
            return Shape((name, *_present(row, ("system",))), is_chat=True)
    if "chosen" in row and "rejected" in row:
        is_chat = _chat(row["chosen"]) is not None
        return Shape(
            _present(row, ("prompt", "question", "system")), is_chat, ("chosen", "rejected")
        )
    for questions, answers in PAIRS:
        first, last = _present(row, questions)[:1], _present(row, answers)[:1]
        if first and last and first != last:
            more = [name for name in _present(row, BESIDE) if name not in (*first, *last)]
            return Shape((*first, *more, *last), is_chat=True)
    for name in TEXTS:
        if isinstance(row.get(name), str):
            return Shape((name,))
    texts = [name for name, value in row.items() if isinstance(value, str)]
    return Shape((texts[0],)) if len(texts) == 1 == len(row) else None


def named(columns: Sequence[str]) -> Shape:
    """The shape that the caller asks for."""
    return Shape(tuple(columns))


def _present(row: dict[str, Any], names: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name in row)


def sample(row: Any, shape: Shape) -> Sample | None:
    """The sample of a row, or None when it is not of the shape."""
    if not isinstance(row, dict):
        return None
    parts = [_part(row.get(name), shape) for name in shape.columns]
    if shape.either:
        both = [_part(row.get(name), shape) for name in shape.either]
        if any(one is None for one in both):
            return None
        parts.append(max((one for one in both if one), key=_size))
    found = [one for one in parts if one is not None]
    if len(found) < len(parts) or not any(one.texts for one in found):
        return None
    pictures = sum(one.pictures for one in found) or _count_pictures(row)
    return Sample(
        tuple(text for one in found for text in one.texts),
        sum(one.messages for one in found),
        pictures,
    )


def _size(one: Sample) -> int:
    return sum(map(len, one.texts))


def _count_pictures(row: dict[str, Any]) -> int:
    found = next((row[name] for name in _PICTURES if row.get(name)), None)
    return min(len(found), _MANY_PICTURES) if isinstance(found, list) else int(found is not None)


def _part(value: Any, shape: Shape) -> Sample | None:
    """What one column holds; None when it is neither text nor a chat."""
    if value is None or value == "":
        return Sample(())
    if isinstance(value, str | int | float):
        chat = _chat(value) if shape.is_chat else None
        return chat or Sample((str(value),), int(shape.is_chat))
    return _chat(value)


# -- chats ----------------------------------------------------------------------------------------


def _chat(value: Any) -> Sample | None:
    """The messages of a list, also of one written as text in a table's cell."""
    if isinstance(value, str) and value.lstrip().startswith("[{"):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    if not isinstance(value, list) or not value:
        return None
    texts: list[str] = []
    pictures = 0
    for message in value:
        if not isinstance(message, dict) or not any(key in message for key in _ROLES + _WORDS):
            return None
        for text in _words(message):
            if text is None:
                pictures += 1
            else:
                texts.append(text)
    return Sample(tuple(texts), len(value), pictures)


def _words(message: dict[str, Any]) -> Iterator[str | None]:
    """The texts of a message; None stands for a picture."""
    said = next((message[key] for key in _WORDS if message.get(key) is not None), None)
    if isinstance(said, str):
        yield said
    elif isinstance(said, list):
        for part in said:
            if isinstance(part, str):
                yield part
            elif isinstance(part, dict) and isinstance(part.get("text"), str):
                yield part["text"]
            elif isinstance(part, dict) and (
                part.get("type") in _PICTURES or any(key in part for key in _PICTURES)
            ):
                yield None
    elif said is not None:
        yield _written(said)
    if message.get("tool_calls"):
        yield _written(message["tool_calls"])


def _written(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return str(type(value).__name__)
