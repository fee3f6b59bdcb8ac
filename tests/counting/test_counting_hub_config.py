"""Config files of the kind that Hugging Face publishes: read, counted, or refused with a reason."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib import counting
from course_lib.counting import kv_cache_bytes, params
from course_lib.counting.hub_config import ConfigError, from_hub, read_hub_config
from course_lib.counting.hub_families import ALIASES, FAMILIES

MODEL_TYPES = (
    *("gpt2", "gpt_neo", "gptj", "gpt_neox", "opt", "bloom", "llama", "mistral", "mixtral"),
    *("gemma", "gemma2", "gemma3_text", "qwen2", "qwen3", "qwen3_moe", "phi", "phi3"),
    *("olmo", "olmo2", "smollm3", "deepseek_v2", "deepseek_v3"),
)

# Published files, with the keys that fix shapes, and the released totals.
RELEASED = {
    "OPT 350M": (
        331_196_416,
        {
            "model_type": "opt",
            "hidden_size": 1024,
            "ffn_dim": 4096,
            "num_hidden_layers": 24,
            "num_attention_heads": 16,
            "vocab_size": 50272,
            "max_position_embeddings": 2048,
            "word_embed_proj_dim": 512,
            "do_layer_norm_before": False,
            "_remove_final_layer_norm": False,
        },
    ),
    "BLOOM 7B1, older keys": (
        7_069_016_064,
        {
            "model_type": "bloom",
            "n_embed": 4096,
            "n_layer": 30,
            "num_attention_heads": 32,
            "vocab_size": 250880,
            "n_inner": None,
        },
    ),
    "GPT-Neo 2.7B": (
        2_651_307_520,
        {
            "model_type": "gpt_neo",
            "hidden_size": 2560,
            "num_layers": 32,
            "num_heads": 20,
            "attention_types": [[["global", "local"], 16]],
            "intermediate_size": None,
        },
    ),
    "Pythia 6.9B": (
        6_857_302_016,
        {
            "model_type": "gpt_neox",
            "vocab_size": 50432,
            "hidden_size": 4096,
            "num_hidden_layers": 32,
            "num_attention_heads": 32,
            "intermediate_size": 16384,
        },
    ),
    "Llama 3.2 1B": (
        1_235_814_400,
        {
            "model_type": "llama",
            "vocab_size": 128256,
            "hidden_size": 2048,
            "intermediate_size": 8192,
            "num_hidden_layers": 16,
            "num_attention_heads": 32,
            "num_key_value_heads": 8,
            "head_dim": 64,
            "tie_word_embeddings": True,
        },
    ),
    "Mistral Small 24B": (
        23_572_403_200,
        {
            "model_type": "mistral",
            "hidden_size": 5120,
            "intermediate_size": 32768,
            "num_hidden_layers": 40,
            "num_attention_heads": 32,
            "num_key_value_heads": 8,
            "head_dim": 128,
            "vocab_size": 131072,
        },
    ),
    "Gemma 3 4B, text part of the multimodal file": (
        3_880_263_168,
        {
            "model_type": "gemma3",
            "text_config": {
                "model_type": "gemma3_text",
                "hidden_size": 2560,
                "intermediate_size": 10240,
                "num_hidden_layers": 34,
            },
            "vision_config": {"model_type": "siglip_vision_model", "hidden_size": 1152},
        },
    ),
    "Phi-1.5": (1_418_270_720, {"model_type": "phi", "num_key_value_heads": None}),
    "OLMo 1B": (
        1_176_764_416,
        {
            "model_type": "olmo",
            "hidden_size": 2048,
            "intermediate_size": 8192,
            "num_hidden_layers": 16,
            "num_attention_heads": 16,
            "tie_word_embeddings": True,
        },
    ),
    "SmolLM3 3B": (3_075_098_624, {"model_type": "smollm3", "num_key_value_heads": 4}),
    "DeepSeek-V2": (
        235_741_434_880,
        {
            "model_type": "deepseek_v2",
            "vocab_size": 102400,
            "hidden_size": 5120,
            "intermediate_size": 12288,
            "moe_intermediate_size": 1536,
            "moe_layer_freq": 1,
            "num_hidden_layers": 60,
            "num_attention_heads": 128,
            "num_key_value_heads": 128,
            "n_shared_experts": 2,
            "n_routed_experts": 160,
            "num_experts_per_tok": 6,
            "kv_lora_rank": 512,
            "q_lora_rank": 1536,
            "first_k_dense_replace": 1,
        },
    ),
    "DeepSeek-V3": (
        671_026_419_200,
        {"model_type": "deepseek_v3", "num_nextn_predict_layers": 1, "q_lora_rank": 1536},
    ),
}


@pytest.mark.parametrize("name", RELEASED)
def test_released_models_come_out_exact(name):
    count, config = RELEASED[name]
    assert params(from_hub(config)) == count


def test_every_promised_model_type_can_be_read():
    assert sorted(FAMILIES) == sorted(MODEL_TYPES)
    assert set(ALIASES) <= set(FAMILIES)
    for model_type in MODEL_TYPES:
        needed = {"num_experts_per_tok": 6} if model_type == "deepseek_v2" else {}
        assert params(from_hub({"model_type": model_type, **needed})) > 0


def test_a_file_or_its_folder_can_be_given(tmp_path):
    path = tmp_path / "config.json"
    path.write_text("\ufeff" + json.dumps({"model_type": "gpt2", "n_layer": 2}), encoding="utf-8")
    config = read_hub_config(path)
    assert (config.L, config.name) == (2, str(path))
    assert read_hub_config(tmp_path) == config
    path.write_text(json.dumps({"model_type": "gpt2", "_name_or_path": "mine"}))
    assert read_hub_config(path).name == "mine"


def test_a_multimodal_file_may_keep_the_tying_outside():
    text = {"model_type": "llama", "num_hidden_layers": 2}
    outer = {"model_type": "llava", "text_config": text}
    untied = params(from_hub(outer))
    tied = params(from_hub(outer | {"tie_word_embeddings": True}))
    assert untied - tied == 32000 * 4096
    inner_wins = {"text_config": text | {"tie_word_embeddings": False}}
    assert params(from_hub(outer | {"tie_word_embeddings": True} | inner_wins)) == untied


def test_which_blocks_of_deepseek_route_to_experts():
    keys = {"model_type": "deepseek_v3", "num_hidden_layers": 7, "moe_layer_freq": 2}
    assert from_hub(keys | {"first_k_dense_replace": 3}).dense_blocks == {0, 1, 2, 3, 5}
    assert from_hub(keys | {"first_k_dense_replace": 9}).dense_blocks == set(range(7))


def test_what_is_not_counted_is_said():
    config = from_hub({"model_type": "deepseek_v3", "num_nextn_predict_layers": 1})
    assert "1 further block" in config.note
    assert kv_cache_bytes(config, 1) == 61 * 576 * 2


@pytest.mark.parametrize(
    ("architectures", "tied", "said"),
    [
        (["LlamaModel"], False, True),
        (["LlamaForSequenceClassification"], False, True),
        (["LlamaModel"], True, False),
        (["LlamaForCausalLM"], False, False),
        (["LLaMAForCausalLM"], False, False),
        ([], False, False),
        (None, False, False),
        ("LlamaModel", False, True),
    ],
)
def test_the_head_that_a_checkpoint_does_not_store_is_said(architectures, tied, said):
    keys = {"model_type": "llama", "tie_word_embeddings": tied, "architectures": architectures}
    config = from_hub(keys)
    assert params(config) == params(from_hub(keys | {"architectures": ["LlamaForCausalLM"]}))
    assert (f"a head of {32_000 * 4096:,}" in config.note) == said


BROKEN = [
    ([], "one JSON object"),
    ({}, "model_type is missing"),
    ({"model_type": 3}, "model_type is missing or no text"),
    ({"model_type": "falcon"}, '"falcon" cannot be counted.*known: gpt2, gpt_neo'),
    ({"model_type": ["llama"]}, "model_type is missing or no text"),
    ({"model_type": {"a": 1}, "text_config": {}}, "model_type is missing or no text"),
    ({"model_type": "qwen3_mo"}, "did you mean qwen3_moe"),
    ({"model_type": "mistarl"}, "did you mean mistral"),
    ({"model_type": "GPT-NeoX"}, "did you mean gpt_neox"),
    ({"model_type": "qwen2_moe"}, r'"qwen2_moe" cannot be counted \(known'),
    ({"model_type": "olmoe"}, r'"olmoe" cannot be counted \(known'),
    ({"model_type": "x", "text_config": {"model_type": "llama4_text"}}, r"counted \(known"),
    ({"model_type": "gemma3", "text_config": 4}, "text_config must be an object"),
    ({"model_type": "clip", "text_config": {}}, '"clip_text" cannot be counted'),
    (
        {"model_type": "llama", "hidden_size": "4096"},
        'hidden_size must be a whole number of at least 1, got "4096"',
    ),
    ({"model_type": "llama", "hidden_size": 4096.5}, "hidden_size .* got 4096.5"),
    ({"model_type": "llama", "hidden_size": True}, "hidden_size .* got true"),
    ({"model_type": "llama", "hidden_size": None}, "hidden_size is missing or null"),
    ({"model_type": "llama", "hidden_size": -1}, "hidden_size .* at least 1, got -1"),
    ({"model_type": "llama", "num_hidden_layers": 0}, "num_hidden_layers .* got 0"),
    ({"model_type": "llama", "num_attention_heads": 30}, "must divide the width 4096, got 30"),
    ({"model_type": "llama", "num_key_value_heads": 5}, "h_kv must divide h"),
    ({"model_type": "llama", "tie_word_embeddings": "yes"}, 'true or false, got "yes"'),
    (
        {"model_type": "llama", "head_dim": 0},
        "head_dim must be a whole number of at least 1, got 0",
    ),
    ({"model_type": "gpt2", "n_head": 7}, "n_head must divide the width 768, got 7"),
    ({"model_type": "gpt2", "n_embd": 768, "hidden_size": 512}, "contradict each other"),
    ({"model_type": "gpt2", "add_cross_attention": True}, "no decoder-only model"),
    ({"model_type": "gpt_neo", "attention_types": [[["global"], 3]]}, "3 blocks, but"),
    ({"model_type": "gpt_neo", "attention_types": "all"}, "attention_types must look like"),
    ({"model_type": "mixtral", "num_experts_per_tok": 9}, "experts_active .* got 9"),
    ({"model_type": "qwen3_moe", "mlp_only_layers": 3}, "list of block numbers"),
    ({"model_type": "qwen3_moe", "mlp_only_layers": ["a"]}, r"mlp_only_layers\[0\]"),
    ({"model_type": "deepseek_v2"}, "num_experts_per_tok is missing or null"),
    ({"model_type": "llama", "num_hidden_layers": 10**9}, "at most 10,000 blocks"),
    ({"model_type": "qwen3_moe", "num_hidden_layers": 10**9}, "at most 10,000 blocks"),
    ({"model_type": "deepseek_v3", "num_hidden_layers": 10**9}, "at most 10,000 blocks"),
    ({"model_type": "llama", "vocab_size": 2**53}, "vocab_size is too large to count exactly"),
    ({"model_type": "llama", "architectures": [3]}, r"a list of class names, got \[3\]"),
]


@pytest.mark.parametrize(("config", "message"), BROKEN)
def test_a_broken_config_is_refused_with_the_reason(config, message):
    with pytest.raises(ConfigError, match=message):
        from_hub(config)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "is not valid JSON"),
        (b"", "is not valid JSON"),
        (b"\xff\xfe{}", "not a text file in UTF-8"),
        (b"[" * 100_000, "is not valid JSON"),
        (b'{"model_type": "gpt2", "n_embd": NaN}', "is not valid JSON"),
        (b" " * 10_000_001, "larger than 10 MB"),
        (b'"gpt2"', "one JSON object"),
    ],
)
def test_a_broken_file_is_refused_with_the_reason(tmp_path, content, message):
    path = tmp_path / "config.json"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=message):
        read_hub_config(path)


_DEFAULTS = json.loads(
    (Path(counting.__file__).parent / "hub_defaults.json").read_text(encoding="utf-8")
)
_KEYS = sorted({key for defaults in _DEFAULTS.values() for key in defaults} | {"head_dim"})
_SCALARS = st.none() | st.booleans() | st.integers(-3, 9) | st.floats() | st.text(max_size=3)
_VALUES = _SCALARS | st.lists(_SCALARS, max_size=3) | st.dictionaries(st.text(max_size=2), _SCALARS)


@given(st.sampled_from(MODEL_TYPES), st.dictionaries(st.sampled_from(_KEYS), _VALUES, max_size=3))
def test_whatever_a_file_holds_it_is_counted_or_refused(model_type, keys):
    try:
        config = from_hub({"model_type": model_type, **keys})
    except ConfigError:
        return  # any other exception is a defect
    assert params(config) > 0


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"cannot read .*nothing\.json: No such file"):
        read_hub_config(tmp_path / "nothing.json")
