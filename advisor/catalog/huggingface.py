"""A Hugging Face config.json as an entry. Nothing in it is executed; the unknown is refused."""

from __future__ import annotations

from advisor.catalog.architectures import architecture, count_shape
from advisor.catalog.architectures.table import CORE, Architecture
from advisor.catalog.entries import Entry, Fact
from advisor.catalog.facts import shape_facts
from advisor.errors import FileProblems, Problem, said, visible
from advisor.source import Document, Mapping, Sequence


def entry_from_config(document: Document) -> Entry:
    """The entry of a model described by a config.json.

    Raises FileProblems, located: an architecture that is not known here, keys that are missing,
    values that no model has.
    """
    config = document.data
    if not isinstance(config, Mapping):
        message = said("a config.json holds keys and values.")
        raise FileProblems([Problem("config", message, said("Check the file."), document.start)])
    entry = named_architecture(document, config)
    shape, keys = count_shape(document, config, entry)
    name = _name(document.name)
    model_type = config.get("model_type")
    family = model_type if isinstance(model_type, str) and model_type else entry.model_type
    where = document.start
    facts = {
        "name": Fact(name, document.name, "", where),
        "family": Fact(visible(family[:80]), document.name, "", where),
        **shape_facts(shape, keys, document.name, entry.stated, "", where),
    }
    return Entry("models", name, name, document.name, True, facts)


def named_architecture(document: Document, config: Mapping) -> Architecture:
    """The architecture a config names; raises FileProblems when it names none that is known."""
    listed = config.get("architectures")
    if isinstance(listed, Sequence) and listed and isinstance(listed[0], str):
        return architecture(listed[0], document.span(listed, 0))
    if listed is not None:
        where = document.span(config, "architectures")
        message = said("'architectures' must be a list with the name of a class.")
        raise FileProblems([Problem("config", message, said("As in [LlamaForCausalLM]."), where)])
    named = config.get("model_type")
    if isinstance(named, str) and named:
        return architecture(named, document.span(config, "model_type"), "model_type")
    message = said("neither 'architectures' nor 'model_type' says what this model is.")
    hint = said("Add architectures, and at least {core}.", core=tuple(CORE))
    raise FileProblems([Problem("missing-keys", message, hint, document.start)])


def _name(path: str) -> str:
    """The folder of a config.json names the model; any other file names itself."""
    parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")]
    if len(parts) > 1 and parts[-1] == "config.json":
        parts.pop()
    return visible(parts[-1][:120]) if parts else "config.json"
