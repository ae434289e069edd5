"""One family's file as entries: shapes are counted from architectures and config keys."""

from __future__ import annotations

from advisor.catalog.architectures import architecture, count_shape
from advisor.catalog.checking import Checker
from advisor.catalog.entries import Entry, Fact
from advisor.catalog.facts import shape_facts
from advisor.errors import Problem, Span, UnknownName, said
from advisor.source import Document, Mapping

_KEYS = ("catalogue", "family", "checked", "source", "models")
_MODEL = (
    "aliases",
    "architecture",
    "config",
    "shape",
    "parameters",
    "context_length",
    "license",
    "source",
    "confidence",
    "note",
)
_NEEDED = ("parameters", "license", "source", "confidence")
_SHAPE = (
    "active_parameters",
    "embedding_parameters",
    "head_parameters",
    "tied_embeddings",
    "hidden_size",
    "layers",
    "attention_heads",
    "kv_heads",
    "head_dim",
    "intermediate_size",
    "vocab_size",
    "experts",
    "experts_per_token",
    "mlp",
    "activation",
    "norm",
    "norms_per_layer",
    "parallel_residual",
    "rotary",
    "qk_norm",
    "attention_window",
    "logit_softcap",
    "attention_kind",
    "vision_parameters",
    "vision_layers",
    "vision_hidden",
    "vision_intermediate",
    "vision_tokens",
)
CONFIDENCE = ("read", "recalled")


def names_of(document: Document) -> dict[str, tuple[str, ...]]:
    """Every model's id with the names it goes by."""
    check = Checker(document)
    models = check.inner(check.root(), "models") or Mapping()
    found = {}
    for identifier, model in models.items():
        if isinstance(model, Mapping):
            found[identifier] = (identifier, *check.texts(model, "aliases"))
    check.finish()
    return found


def read_model(document: Document, identifier: str) -> Entry:
    """One model's entry; raises FileProblems with everything wrong in its part of the file."""
    check = Checker(document)
    data = check.root()
    check.keys(data, _KEYS, ("catalogue", "family", "checked", "models"), document.start)
    models = check.inner(data, "models") or Mapping()
    model = check.inner(models, identifier)
    if model is None:
        check.finish()
        raise UnknownName(
            said(
                "{document} has no model '{identifier}'.",
                document=document.name,
                identifier=identifier[:80],
            )
        )
    where = document.key_span(models, identifier)
    check.keys(model, _MODEL, _NEEDED, where)
    counted = "config" in model
    if counted == ("shape" in model) or counted != ("architecture" in model):
        message = said("a model has architecture and config, or a shape.")
        check.report(message, said("Give one of the two."), where)
    confidence = check.text(model, "confidence")
    if confidence not in ("", *CONFIDENCE):
        place = document.span(model, "confidence")
        check.report(
            said("'confidence' must be one of {confidence}.", confidence=tuple(CONFIDENCE)),
            "",
            place,
        )
    source, checked = check.text(model, "source"), check.date(data, "checked")
    aliases, family = check.texts(model, "aliases"), check.text(data, "family")
    check.finish()
    name = Fact(identifier, source, checked, where)
    facts = {"name": name, "family": Fact(family, source, checked, document.span(data, "family"))}
    facts |= _shape(check, model, source, checked, where)
    if "context_length" in model:
        place = document.span(model, "context_length")
        length = check.scalar(model, "context_length")
        facts["context_length"] = Fact(length, source, checked, place)
    check.finish()
    verified = confidence == "read"
    return Entry("models", identifier, identifier, document.name, verified, facts, aliases)


def _shape(
    check: Checker, model: Mapping, source: str, checked: str, where: Span
) -> dict[str, Fact]:
    document = check.document
    place = document.span(model, "parameters")
    stored = check.scalar(model, "parameters")
    config = check.inner(model, "config")
    if config is None:
        shape = check.inner(model, "shape") or Mapping()
        check.keys(shape, _SHAPE, (), where)
        facts = {
            "parameters": Fact(stored, source, checked, place),
            "parameters_origin": Fact("stored", source, checked, place),
        }
        for key in shape:
            span = document.span(shape, key)
            facts[key] = Fact(check.scalar(shape, key), source, checked, span)
        return facts
    at = document.span(model, "architecture")
    entry = architecture(check.text(model, "architecture"), at)
    counted, keys = count_shape(document, config, entry)
    if counted.parameters != stored:
        check.problems.append(
            Problem(
                "parameters",
                said(
                    "the shape has {parameters:,} parameters, the file says {stored:,}.",
                    parameters=counted.parameters,
                    stored=stored,
                ),
                said("One of the config's numbers or the stored count is wrong."),
                place,
            )
        )
    return shape_facts(counted, keys, source, entry.stated, checked, where)
