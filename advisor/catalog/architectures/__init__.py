"""Transformers classes that can be counted, as data and small functions.

``count_shape`` is the way in; ``known`` lists the classes by name.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from advisor.catalog.architectures.keys import Keys
from advisor.catalog.architectures.shape import Shape
from advisor.catalog.architectures.table import Architecture
from advisor.errors import FileProblems, Problem, Span, close_names, said
from advisor.source import Document, Mapping

_TABLES = ("llama", "mixture", "vision", "classic", "latent", "hybrid", "gemma4")
"""Modules with a TABLE, the commonest first: looking one class up loads no further ones."""

_SAME = {
    "ChatGLMForConditionalGeneration": "ChatGLMModel",
    "BaiChuanForCausalLM": "BaichuanForCausalLM",
    "InternLM2Model": "InternLM2ForCausalLM",
    "Qwen3_5TextForCausalLM": "Qwen3_5ForCausalLM",
}
_TEXT = ("text_config", "llm_config", "language_config")


def _entries() -> Iterator[Architecture]:
    for table in _TABLES:
        yield from import_module(f"{__name__}.{table}").TABLE


def known() -> dict[str, Architecture]:
    """Every architecture by the name of its class."""
    return {entry.name: entry for entry in _entries()}


def _find(name: str) -> Architecture | None:
    """The architecture of a class name or of a model_type (no name is both)."""
    wanted = _SAME.get(name, name)
    return next((entry for entry in _entries() if wanted in (entry.name, entry.model_type)), None)


def architecture(name: str, where: Span, what: str = "architecture") -> Architecture:
    """The architecture of a class name or model_type; raises FileProblems naming the known ones."""
    found = _find(name)
    if found is not None:
        return found
    # Half of every class name is the same, so only a misspelling may count as close.
    close = [one for one in close_names(name, known()) if one.casefold() == name.casefold()]
    hint = (
        said("Did you mean {names}?", names=close[0])
        if close
        else said(
            "Describe the model inline, or use one of: {known}.", known=tuple(sorted(known()))
        )
    )
    message = (
        said("the model_type '{name}' is not known.", name=name[:80])
        if what == "model_type"
        else said("the architecture '{name}' is not known.", name=name[:80])
    )
    raise FileProblems([Problem("unknown-architecture", message, hint, where)])


def count_shape(document: Document, config: Mapping, entry: Architecture) -> tuple[Shape, Keys]:
    """The shape of a model, and its decoder's keys; raises FileProblems with everything wrong."""
    problems: list[Problem] = []
    missing: list[str] = []
    top = Keys(
        document,
        config,
        defaults=entry.defaults,
        also=entry.also,
        problems=problems,
        missing=missing,
    )
    inner, keys = _decoder_keys(document, config, entry, top)
    if inner.count is None:
        hint = said("Give the text_config of a language model.")
        what = said(
            "{entry} holds {inner}, which is no language model by itself.",
            entry=entry.name,
            inner=inner.name,
        )
        where = document.start
        raise FileProblems([Problem("unknown-architecture", what, hint, where)])
    text = inner.count(keys)
    picture = entry.vision(top, text) if entry.vision else None
    if missing:
        names = ", ".join(missing)
        problems.append(
            Problem(
                "missing-keys",
                said(
                    "{entry} needs {names}, which the config does not give.",
                    entry=entry.name,
                    names=names,
                ),
                said(
                    "Add them; other keys may stay with the defaults of {stated}.",
                    stated=inner.stated,
                ),
                document.start,
            )
        )
    if problems:
        raise FileProblems(dict.fromkeys(problems))  # a key may have been read more than once
    return Shape(text, picture), keys


def _decoder_keys(
    document: Document, config: Mapping, entry: Architecture, top: Keys
) -> tuple[Architecture, Keys]:
    if entry.vision is None:
        return entry, top
    place = next((name for name in _TEXT if isinstance(config.get(name), Mapping)), None)
    if place is None:
        inline = entry.text and "hidden_size" in config  # as Qwen2-VL was first published
        if not inline or any(config.get(name) is not None for name in _TEXT):
            where = document.start
            raise FileProblems(
                [
                    Problem(
                        "missing-keys",
                        said("{entry} needs a text_config.", entry=entry.name),
                        said("Add it."),
                        where,
                    )
                ]
            )
        inner = architecture(entry.text, document.start)
        plain = Keys(
            document,
            config,
            defaults=inner.defaults,
            also=inner.also,
            problems=top.problems,
            missing=top.missing,
        )
        return inner, plain
    mapping: Mapping = config[place]
    if entry.text:
        inner = architecture(entry.text, document.start)
    else:
        inner = architecture(*_inner_name(document, mapping, place))
    defaults = {**(inner.inner if entry.same_text else {}), **inner.defaults}
    shadow = mapping
    if isinstance(config.get("tie_word_embeddings"), bool):
        # Of the two places, transformers 5 asks the outer one.
        defaults["tie_word_embeddings"] = config["tie_word_embeddings"]
        shadow = without(mapping, "tie_word_embeddings")
    keys = Keys(
        document,
        shadow,
        defaults=defaults,
        also=inner.also,
        problems=top.problems,
        missing=top.missing,
        path=f"{place}.",
    )
    return inner, keys


def _inner_name(document: Document, mapping: Mapping, place: str) -> tuple[str, Span, str]:
    named = mapping.get("model_type")
    if isinstance(named, str) and named:
        return named, document.span(mapping, "model_type"), "model_type"
    where = document.start
    raise FileProblems(
        [
            Problem(
                "missing-keys",
                said("'{place}' does not say its model_type.", place=place),
                said("Add it, as in model_type: llama."),
                where,
            )
        ]
    )


def without(mapping: Mapping, key: str) -> Mapping:
    """A copy of a mapping lacking one key; places are kept."""
    rest = Mapping()
    rest.update({name: value for name, value in mapping.items() if name != key})
    rest.keys_at, rest.values_at = mapping.keys_at, mapping.values_at
    return rest
