"""config.json files of Hugging Face models: good ones, odd ones, hostile ones."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from advisor.catalog import Catalogue, Entry, entry_from_config
from advisor.catalog.architectures import known
from advisor.errors import FileProblems
from advisor.source import read_text

MODELS = Catalogue(Path(__file__).resolve().parents[2] / "models", "models")

LLAMA_3_8B = """\
{
  "architectures": ["LlamaForCausalLM"],
  "attention_bias": false,
  "attention_dropout": 0.0,
  "bos_token_id": 128000,
  "eos_token_id": 128001,
  "hidden_act": "silu",
  "hidden_size": 4096,
  "initializer_range": 0.02,
  "intermediate_size": 14336,
  "max_position_embeddings": 8192,
  "model_type": "llama",
  "num_attention_heads": 32,
  "num_hidden_layers": 32,
  "num_key_value_heads": 8,
  "pretraining_tp": 1,
  "rms_norm_eps": 1e-05,
  "rope_scaling": null,
  "rope_theta": 500000.0,
  "tie_word_embeddings": false,
  "torch_dtype": "bfloat16",
  "transformers_version": "4.40.0.dev0",
  "use_cache": true,
  "vocab_size": 128256
}
"""
QWEN25_7B = """\
{
\t"architectures": ["Qwen2ForCausalLM"],
\t"hidden_size": 3584,
\t"intermediate_size": 18944,
\t"max_position_embeddings": 32768,
\t"max_window_layers": 28,
\t"model_type": "qwen2",
\t"num_attention_heads": 28,
\t"num_hidden_layers": 28,
\t"num_key_value_heads": 4,
\t"rms_norm_eps": 1e-06,
\t"sliding_window": 131072,
\t"tie_word_embeddings": false,
\t"use_sliding_window": false,
\t"vocab_size": 152064
}
"""
MIXTRAL = """\
{"architectures": ["MixtralForCausalLM"], "hidden_size": 4096, "intermediate_size": 14336,
 "max_position_embeddings": 32768, "model_type": "mixtral", "num_attention_heads": 32,
 "num_experts_per_tok": 2, "num_hidden_layers": 32, "num_key_value_heads": 8,
 "num_local_experts": 8, "rope_theta": 1000000.0, "sliding_window": null,
 "tie_word_embeddings": false, "vocab_size": 32000}
"""
QWEN3_VL_4B = """\
{"architectures": ["Qwen3VLForConditionalGeneration"], "model_type": "qwen3_vl",
 "text_config": {"attention_bias": false, "head_dim": 128, "hidden_size": 2560,
  "intermediate_size": 9728, "max_position_embeddings": 262144, "model_type": "qwen3_vl_text",
  "num_attention_heads": 32, "num_hidden_layers": 36, "num_key_value_heads": 8,
  "tie_word_embeddings": true, "vocab_size": 151936},
 "tie_word_embeddings": true,
 "vision_config": {"deepstack_visual_indexes": [5, 11, 17], "depth": 24, "hidden_size": 1024,
  "in_channels": 3, "intermediate_size": 4096, "num_heads": 16, "num_position_embeddings": 2304,
  "out_hidden_size": 2560, "patch_size": 16, "spatial_merge_size": 2, "temporal_patch_size": 2}}
"""
# As published, the text part leaves its heads and vocabulary to the defaults of the class.
GEMMA_3_4B = """\
{"architectures": ["Gemma3ForConditionalGeneration"], "boi_token_index": 255999,
 "eoi_token_index": 256000, "image_token_index": 262144, "mm_tokens_per_image": 256,
 "model_type": "gemma3",
 "text_config": {"hidden_size": 2560, "intermediate_size": 10240, "model_type": "gemma3_text",
  "num_hidden_layers": 34, "rope_scaling": {"factor": 8.0, "rope_type": "linear"},
  "sliding_window": 1024},
 "vision_config": {"hidden_size": 1152, "image_size": 896, "intermediate_size": 4304,
  "model_type": "siglip_vision_model", "num_attention_heads": 16, "num_hidden_layers": 27,
  "patch_size": 14, "vision_use_head": false}}
"""
LLAVA = """\
{"architectures": ["LlavaForConditionalGeneration"], "image_token_index": 32000,
 "model_type": "llava", "projector_hidden_act": "gelu",
 "text_config": {"architectures": ["LlamaForCausalLM"], "max_position_embeddings": 4096,
  "model_type": "llama", "rms_norm_eps": 1e-05, "vocab_size": 32064},
 "tie_word_embeddings": false,
 "vision_config": {"hidden_size": 1024, "image_size": 336, "intermediate_size": 4096,
  "model_type": "clip_vision_model", "num_attention_heads": 16, "num_hidden_layers": 24,
  "patch_size": 14, "projection_dim": 768, "vocab_size": 32000}}
"""
GOOD = {
    "meta-llama/Meta-Llama-3-8B": LLAMA_3_8B,
    "Qwen/Qwen2.5-7B": QWEN25_7B,
    "mistralai/Mixtral-8x7B-v0.1": MIXTRAL,
    "Qwen/Qwen3-VL-4B-Instruct": QWEN3_VL_4B,
    "google/gemma-3-4b-it": GEMMA_3_4B,
    "llava-hf/llava-1.5-7b-hf": LLAVA,
}


def entry(text: str, name: str = "run/config.json") -> Entry:
    return entry_from_config(read_text(text, name))


def problem(text: str) -> str:
    with pytest.raises(FileProblems) as caught:
        entry(text)
    assert all(str(one.where).startswith("run/config.json") for one in caught.value.problems)
    return str(caught.value)


def changed(text: str, **changes: Any) -> str:
    config = json.loads(text)
    for key, value in changes.items():
        if value is ...:
            del config[key]
        else:
            config[key] = value
    return json.dumps(config)


@pytest.mark.parametrize("name", GOOD)
def test_a_config_says_the_same_as_the_catalogue(name: str) -> None:
    found, expected = entry(GOOD[name]), MODELS.find(name)
    assert found.name == "run"
    assert found.facts.keys() == expected.facts.keys()
    for fact, value in found.facts.items():
        if fact not in ("name", "family"):
            assert value.value == expected.facts[fact].value, fact


def test_facts_point_into_the_config() -> None:
    facts = entry(LLAMA_3_8B).facts
    assert str(facts["hidden_size"].span) == "run/config.json:8:18"
    assert facts["hidden_size"].source == "run/config.json"
    assert facts["parameters"].source.startswith("computed from the shape of transformers 5.24")
    assert facts["family"].value == "llama"
    assert facts["parameters_origin"].value == "computed"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("config.json", "config.json"),
        ("./my-model/config.json", "my-model"),
        ("a/b/config.json", "b"),
        ("a/llama.json", "llama.json"),
        ("x\x1b[31m/config.json", "x\\x1b[31m"),
    ],
)
def test_a_config_is_named_by_its_folder(path: str, name: str) -> None:
    assert entry(LLAMA_3_8B, path).name == name


def test_model_type_stands_in_for_an_absent_architecture() -> None:
    assert entry(changed(LLAMA_3_8B, architectures=...)).facts["layers"].value == 32


def test_what_the_config_may_leave_out() -> None:
    facts = entry(changed(LLAMA_3_8B, num_key_value_heads=..., tie_word_embeddings=...)).facts
    assert facts["kv_heads"].value == 32
    assert facts["tied_embeddings"].value is False
    assert facts["tied_embeddings"].source == "default of transformers 5.24, LlamaForCausalLM"
    assert "context_length" not in entry(changed(LLAMA_3_8B, max_position_embeddings=...)).facts


def test_tying_is_asked_of_the_outer_config_first() -> None:
    untied = entry(changed(QWEN3_VL_4B, tie_word_embeddings=False)).facts
    assert untied["head_parameters"].value == 151936 * 2560
    assert entry(changed(QWEN3_VL_4B, tie_word_embeddings=...)).facts["head_parameters"].value == 0


def test_remote_code_is_ignored() -> None:
    facts = entry(changed(LLAMA_3_8B, auto_map={"AutoConfig": "x.y"}, trust_remote_code=True)).facts
    assert facts["parameters"].value == 8_030_261_248


@pytest.mark.parametrize(
    "key", ["hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size"]
)
def test_a_missing_core_key_is_named(key: str) -> None:
    shown = problem(changed(LLAMA_3_8B, **{key: ...}))
    assert f"run/config.json:1:1: missing-keys: LlamaForCausalLM needs {key}," in shown


def test_all_missing_keys_are_named_at_once() -> None:
    shown = problem('{"architectures": ["MixtralForCausalLM"]}')
    for key in ("hidden_size", "vocab_size", "num_local_experts", "num_experts_per_tok"):
        assert key in shown


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("hidden_size", 10**12, "outside 1 to 131,072"),
        ("hidden_size", 0, "outside 1 to"),
        ("hidden_size", -4096, "outside 1 to"),
        ("hidden_size", 4096.0, "must be a whole number, not 4096.0"),
        ("hidden_size", "4096", "must be a whole number, not the text '4096'"),
        ("hidden_size", True, "must be a whole number, not true"),
        ("hidden_size", [4096], "must be a whole number, not a list"),
        ("hidden_size", {"a": 1}, "must be a whole number, not a mapping"),
        ("hidden_size", float("nan"), "must be a whole number, not the text 'NaN'"),
        ("hidden_size", float("inf"), "must be a whole number, not the text 'Infinity'"),
        ("hidden_size", 4097, "4,097 cannot be split into 32 equal"),
        ("num_hidden_layers", 1e30, "must be a whole number, not 1e+30"),
        ("num_hidden_layers", 10**30, "outside 1 to 1,024"),
        ("num_key_value_heads", 5, "32 cannot be split into 5 equal"),
        ("num_key_value_heads", 0, "outside 1 to"),
        ("head_dim", "\x1b[31m", "must be a whole number"),
        ("tie_word_embeddings", "yes", "must be true or false"),
        ("attention_bias", 1, "must be true or false, not 1"),
        ("architectures", "LlamaForCausalLM", "must be a list with the name of a class"),
        ("architectures", [], "must be a list with the name of a class"),
        ("architectures", [1], "must be a list with the name of a class"),
        ("architectures", ["llamaforcausallm"], "Did you mean LlamaForCausalLM?"),
    ],
)
def test_a_value_no_model_has_is_located(key: str, value: object, expected: str) -> None:
    shown = problem(changed(LLAMA_3_8B, **{key: value}))
    assert expected in shown
    assert "\x1b" not in shown


def test_an_unknown_architecture_names_the_known_ones() -> None:
    shown = problem(changed(LLAMA_3_8B, architectures=["BertForMaskedLM\x1b[2J"]))
    assert "run/config.json:1:20: unknown-architecture" in shown
    assert "'BertForMaskedLM\\x1b[2J'" in shown
    assert all(name in shown for name in known())


def test_a_config_that_says_nothing() -> None:
    assert "neither 'architectures' nor 'model_type'" in problem('{"hidden_size": 4096}')
    assert "holds keys and values" in problem("[1, 2]")
    assert "holds keys and values" in problem('"text"')


def test_several_problems_come_at_once_and_once_each() -> None:
    text = changed(LLAMA_3_8B, hidden_size="x", num_hidden_layers=-1, vocab_size=...)
    with pytest.raises(FileProblems) as caught:
        entry(text)
    assert sorted(one.code for one in caught.value.problems) == ["config", "config", "missing-keys"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1, "a": 2}', "duplicate-key"),
        ("[" * 200 + "]" * 200, "too-deep"),
        ('{"x": ' * 200 + "1" + "}" * 200, "too-deep"),
        ("{", "yaml"),
        ("", "empty"),
        ("!!python/object/apply:os.system ['true']", "tag"),
        ('{"architectures": &a ["LlamaForCausalLM"], "x": *a}', "alias"),
    ],
)
def test_hostile_text_never_reaches_the_counting(text: str, expected: str) -> None:
    with pytest.raises(FileProblems) as caught:
        entry(text)
    assert expected in {one.code for one in caught.value.problems}


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (("text_config",), ..., "needs a text_config"),
        (("text_config",), "no", "needs a text_config"),
        (("vision_config",), ..., "needs vision_config"),
        (("vision_config",), [1], "'vision_config' must hold keys and values"),
        (("vision_config", "depth"), "many", "'vision_config.depth' must be a whole number"),
        (("vision_config", "deepstack_visual_indexes"), [1.5], "a list of whole numbers"),
        (("vision_config", "hidden_size"), ..., "vision_config.hidden_size"),
        (("text_config", "num_hidden_layers"), 10**9, "'text_config.num_hidden_layers' is 1,000"),
    ],
)
def test_nested_problems_name_the_whole_path(
    path: tuple[str, ...], value: object, expected: str
) -> None:
    config = copy.deepcopy(json.loads(QWEN3_VL_4B))
    inner = config
    for key in path[:-1]:
        inner = inner[key]
    if value is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    assert expected in problem(json.dumps(config))


def test_an_inner_decoder_that_is_not_known() -> None:
    config = json.loads(LLAVA)
    config["text_config"]["model_type"] = "rwkv"
    assert "the model_type 'rwkv' is not known" in problem(json.dumps(config))
    del config["text_config"]["model_type"]
    assert "does not say its model_type" in problem(json.dumps(config))


def test_audio_is_refused_rather_than_left_out() -> None:
    text = MODELS.folder.joinpath("gemma-4.yaml").read_text("utf-8")
    config = read_text(text, "x").data["models"]["google/gemma-4-31B"]["config"]
    whole = {"architectures": ["Gemma4ForConditionalGeneration"], **config}
    assert entry(json.dumps(whole)).facts["parameters"].value == 31_273_086_512
    assert "audio towers are not counted" in problem(
        json.dumps({**whole, "audio_config": {"a": 1}})
    )


@pytest.mark.parametrize("name", sorted(known()))
def test_every_architecture_survives_an_empty_config(name: str) -> None:
    shown = problem(json.dumps({"architectures": [name]}))
    assert "missing-keys" in shown


@pytest.mark.parametrize("name", sorted(known()))
def test_every_architecture_survives_nonsense(name: str) -> None:
    keys = ["hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size",
            "vocab_size", "num_key_value_heads", "head_dim", "layer_types", "mlp_only_layers",
            "n_embd", "vision_config", "text_config", "moe_layers", "layers_block_type",
            "hybrid_override_pattern", "final_logit_softcapping", "sliding_window",
            "tie_word_embeddings", "cross_attention_layers", "mlp_layer_types"]  # fmt: skip
    values: list[object] = ["x", [], {}, -1, 10**15, [["a"]], True, None, 3.5]
    for nonsense in values:
        with pytest.raises(FileProblems):
            entry(json.dumps({"architectures": [name], **dict.fromkeys(keys, nonsense)}))


GPT2_CONFIG = (
    '{"architectures": ["GPT2LMHeadModel"], "n_embd": 768, "n_layer": 12, "n_head": 12,'
    ' "n_positions": 1024, "vocab_size": 50257'
)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("", "gelu_new"),
        (', "activation_function": "gelu_new"', "gelu_new"),
        (', "activation_function": "gelu"', "gelu"),
        (', "activation_function": "swish"', "silu"),
        (', "activation_function": null', "gelu_new"),
        (', "hidden_activation": "relu", "hidden_act": "gelu"', "relu"),
        (', "activation_function": "of my own"', None),
        (', "activation_function": ""', None),
    ],
)
def test_the_activation_is_the_config_s_or_the_class_s(written, expected):
    found = entry(GPT2_CONFIG + written + "}").facts.get("activation")
    assert (found.value if found else None) == expected


@pytest.mark.parametrize("wrong", ["5", "true", '["gelu"]', "{}", '"' + "x" * 100 + '"'])
def test_an_activation_that_is_no_name_is_reported(wrong):
    text = problem(GPT2_CONFIG + f', "activation_function": {wrong}}}')
    assert "activation_function" in text and "short text" in text
