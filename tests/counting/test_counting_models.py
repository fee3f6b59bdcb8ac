"""The table of models: exact counts, forgiving names, refused configurations."""

import csv
import subprocess
import sys
import time
from dataclasses import replace
from math import prod
from pathlib import Path

import pytest

from course_lib.counting import (
    MODELS,
    ModelConfig,
    UnknownModelError,
    active_params,
    params,
    params_by_part,
    params_without_embeddings,
    tensors,
)

TABLE = Path(__file__).parents[2] / "course_lib" / "counting" / "models.csv"
ROWS = list(csv.DictReader(TABLE.open(encoding="utf-8", newline="")))
PUBLISHED = {row["name"]: int(row["published"]) for row in ROWS if row["published"]}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_count_is_met_to_the_unit(name):
    assert params(MODELS[name]) == PUBLISHED[name]


def test_the_table_has_the_published_models_and_those_of_the_lessons():
    assert len(PUBLISHED) == 73  # 71 released models and the two small ones of the documents
    assert params(MODELS["Lesson 14 toy"]) == 205_440
    assert params(MODELS["tiny GPT"]) == 107_776
    assert params(MODELS["GPT-3"]) == 174_604_259_328


def test_every_row_names_its_source_and_no_address():
    for row in ROWS:
        assert row["source"], row["name"]
        assert "http" not in "".join(row.values()), row["name"]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("gpt2", "GPT-2 small"),
        ("GPT-2", "GPT-2 small"),
        ("gpt2-xl", "GPT-2 XL"),
        ("GPT2 XL", "GPT-2 XL"),
        ("openai-community/gpt2-medium", "GPT-2 medium"),
        ("meta-llama/Llama-2-7b-hf", "Llama 2 7B"),
        ("meta-llama/Llama-3.2-1B-Instruct", "Llama 3.2 1B"),
        ("google/gemma-2-2b-it", "Gemma 2 2B"),
        ("google/gemma-2b", "Gemma 2B"),
        ("mistralai/Mixtral-8x7B-Instruct-v0.1", "Mixtral 8x7B"),
        ("bigscience/bloom", "BLOOM 176B"),
        ("toy", "Lesson 14 toy"),
    ],
)
def test_names_are_found_however_they_are_spelt(asked, found):
    assert MODELS[asked].name == found
    assert asked in MODELS


def test_an_unknown_name_lists_near_ones():
    with pytest.raises(UnknownModelError, match=r"'gpt2-xxl'.*GPT-2 XL"):
        MODELS["gpt2-xxl"]
    with pytest.raises(KeyError):
        MODELS["llama"]
    with pytest.raises(TypeError, match="string"):
        MODELS[2]
    assert "gpt-5" not in MODELS


def test_importing_reads_no_table_and_no_library_of_models():
    code = (
        "import sys, course_lib.counting as c;"
        "print('transformers' in sys.modules, '_rows' in vars(c.MODELS))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        capture_output=True,
        text=True,
        cwd=TABLE.parents[2],
    )
    assert run.stdout.split() == ["False", "False"], run.stderr


def test_the_largest_models_are_counted_in_a_blink():
    for name in ("DeepSeek-V3", "Llama 3.1 405B", "Qwen3 235B-A22B"):
        config = MODELS[name]
        best = min(_seconds(config) for _ in range(3))
        assert best < 0.05, (name, best)


def _seconds(config):
    start = time.perf_counter()
    params(config)
    return time.perf_counter() - start


def test_gpt2_small_shows_the_figures_of_the_anatomy_page():
    gpt2 = MODELS["gpt2"]
    parts = params_by_part(gpt2)
    first = [t for t in tensors(gpt2) if t.block == 0]
    assert sum(t.count for t in first if t.part == "attention") == 2_362_368
    assert sum(t.count for t in first) == 7_087_872
    assert parts["attention"] == 28_348_416
    assert round(parts["attention"] / params(gpt2), 2) == 0.23
    assert parts["token embedding"] + parts["position embedding"] == 39_383_808  # 39.4M
    assert parts["mlp"] == 56_669_184  # 56.7M
    assert parts["norm"] == 38_400
    assert params_without_embeddings(gpt2) == 85_056_000
    shapes = {t.name: t.shape for t in first}
    assert shapes["blocks.0.attention.W_Q"] == (768, 768)
    assert shapes["blocks.0.mlp.W_fc"] == (768, 3072)
    assert shapes["blocks.0.mlp.b_fc"] == (3072,)


def test_grouped_heads_make_the_key_projection_smaller_than_the_query_projection():
    shapes = {t.name: t.shape for t in tensors(MODELS["Llama 3 70B"])}
    assert shapes["blocks.79.attention.W_Q"] == (8192, 8192)
    assert shapes["blocks.79.attention.W_K"] == (8192, 1024)


@pytest.mark.parametrize("name", ["gpt2", "opt-125m", "gemma-3-1b-pt", "olmo-2-13b", "deepseek-v3"])
def test_the_list_names_each_tensor_once_and_its_shape_is_its_count(name):
    listed = tensors(MODELS[name])
    assert len({t.name for t in listed}) == len(listed)
    for t in listed:
        assert prod(t.shape) == t.count
        assert len(t.symbols) == len(t.shape)
        assert 0 < t.active <= t.count


def test_only_the_routed_experts_that_a_token_visits_are_active():
    mixtral = MODELS["Mixtral 8x7B"]
    one_expert = 3 * 4096 * 14336
    assert params(mixtral) - active_params(mixtral) == 32 * 6 * one_expert
    assert active_params(mixtral) == 12_879_925_248
    deepseek = MODELS["DeepSeek-V3"]
    assert params(deepseek) - active_params(deepseek) == 58 * 248 * 3 * 7168 * 2048
    assert active_params(MODELS["gpt2"]) == params(MODELS["gpt2"])


def test_padding_the_vocabulary_adds_rows_that_no_token_uses():
    padded = MODELS["gpt2"].with_padded_vocabulary(128)
    assert (padded.V, padded.V_used) == (50_304, 50_257)
    assert params(padded) == 124_475_904
    assert params(padded) - params(MODELS["gpt2"]) == 47 * 768


def test_leaving_out_attention_biases_gives_lesson_14s_gap():
    for name, gap in (("gpt2", 36_864), ("gpt2-medium", 98_304)):
        config = MODELS[name]
        assert params(config) - params(config.without_attention_biases()) == gap
    assert params(MODELS["gpt2"].without_attention_biases()) == 124_402_944


def test_left_out_fields_are_those_of_gpt2():
    config = ModelConfig(V=50257, T=1024, d=768, L=12, h=12)
    assert (config.h_kv, config.d_k, config.d_v, config.d_ff, config.d_embed) == (
        *(12, 64, 64, 3072),
        768,
    )
    assert config == replace(MODELS["gpt2"], name="another")
    assert params(config) == 124_439_808


GOOD = {"V": 10, "T": 4, "d": 8, "L": 2, "h": 2}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"d": 8.0}, "d must be an integer, got 8.0 of type float"),
        ({"L": True}, "L must be an integer, got True of type bool"),
        ({"V": "10"}, "V must be an integer"),
        ({"V": 0}, "V must be at least 1, got 0"),
        ({"h": -2}, "h must be at least 1, got -2"),
        ({"h": 3}, "h must divide d when d_k is not given; got d = 8, h = 3"),
        ({"h": 4, "h_kv": 3}, "h_kv must divide h"),
        ({"h_kv": 0}, "h_kv must be at least 1"),
        ({"L": 10_001}, "at most 10,000"),
        ({"norm": "BatchNorm"}, "norm must be one of LayerNorm"),
        ({"placement": "before"}, "placement must be one of pre"),
        ({"positions": "relative"}, "positions must be one of learned"),
        ({"tied": 1}, "tied must be True or False, got 1"),
        ({"biases": {"q", "z"}}, "got z"),
        ({"experts": 4}, "experts_active must lie between 1 and experts = 4, got 0"),
        ({"experts": 4, "experts_active": 5}, "experts_active"),
        ({"experts_shared": 1}, "need experts above 0"),
        ({"experts": 2, "experts_active": 1, "dense_blocks": {2}}, r"0 \.\. 1, got 2"),
        ({"kv_latent": 4}, "d_rope must lie between"),
        ({"q_latent": 4}, "need kv_latent"),
        ({"parallel": "one norm", "placement": "post"}, "placement must be 'pre'"),
    ],
)
def test_an_impossible_configuration_is_refused_with_the_reason(change, message):
    assert params(ModelConfig(**GOOD)) > 0
    with pytest.raises((TypeError, ValueError), match=message):
        ModelConfig(**(GOOD | change))
