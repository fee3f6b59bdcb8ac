"""FLOPs by convention, bytes, and compute budgets, with the figures of the lessons."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib.counting import (
    ATTENTION,
    CONVENTIONS,
    MODELS,
    attention_matrix_flops,
    chinchilla,
    flops_by_part,
    forward_flops,
    kv_cache_bytes,
    params,
    training_bytes,
    training_flops,
    weight_bytes,
)

GPT2, TOY = MODELS["gpt2"], MODELS["Lesson 14 toy"]


def test_lesson_14s_figures_come_from_its_own_convention():
    own = {"convention": "with biases", "attention": "none"}
    assert forward_flops(TOY, **own) == 404_224
    assert training_flops(TOY, **own) == 1_212_672
    lesson_gpt2 = GPT2.without_attention_biases()
    assert forward_flops(lesson_gpt2, **own) == 247_229_952
    assert training_flops(lesson_gpt2, **own) == 741_689_856
    ratio = attention_matrix_flops(lesson_gpt2) / forward_flops(lesson_gpt2, **own)
    assert ratio * 100 == pytest.approx(15.268674242188906, rel=1e-15)
    toy_share = attention_matrix_flops(TOY) / forward_flops(TOY, **own)
    assert toy_share * 100 == pytest.approx(2.026599113362888, rel=1e-15)


def test_conventions_differ_by_exactly_what_they_say():
    matmuls = forward_flops(GPT2, convention="matmuls", attention="none")
    biases = forward_flops(GPT2, convention="with biases", attention="none")
    everything = forward_flops(GPT2, convention="all parameters", attention="none")
    assert matmuls == 247_064_064
    assert biases - matmuls == 2 * 12 * (9 * 768 + 4 * 768)
    assert everything == 2 * params(GPT2) == 248_879_616
    assert forward_flops(TOY, convention="all parameters", attention="none") == 410_880


def test_attention_matrices_full_and_causal():
    assert attention_matrix_flops(TOY, 8) == 8_192
    assert attention_matrix_flops(GPT2, 1024) == 37_748_736
    assert attention_matrix_flops(GPT2, 1024, attention="causal") == 2 * 1025 * 768 * 12
    assert forward_flops(GPT2, 8) == 247_064_064 + 294_912  # 0.25 GFLOPs at T = 8
    assert forward_flops(GPT2) == forward_flops(GPT2, 1024) == 284_812_800


@given(st.sampled_from(list(MODELS)), st.integers(1, 200))
def test_causal_counting_is_the_mean_over_positions(name, T):
    config = MODELS[name]
    per_key = attention_matrix_flops(config, 1)
    seen = sum(t * per_key for t in range(1, T + 1))
    assert attention_matrix_flops(config, T, attention="causal") * T == seen
    assert attention_matrix_flops(config, T) == T * per_key


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("attention", ATTENTION)
def test_parts_add_up_and_training_is_three_forward_passes(convention, attention):
    for name in ("gpt2", "Mixtral 8x7B", "OPT 125M", "deepseek-v3"):
        how = {"convention": convention, "attention": attention}
        total = forward_flops(MODELS[name], 100, **how)
        assert sum(flops_by_part(MODELS[name], 100, **how).values()) == total
        assert training_flops(MODELS[name], 100, **how) == 3 * total


def test_a_tied_head_still_multiplies():
    assert flops_by_part(GPT2)["head"] == 2 * 768 * 50257
    assert "token embedding" not in flops_by_part(GPT2)


def test_only_active_experts_cost_flops():
    per_expert = 2 * 3 * 4096 * 14336
    router = 2 * 4096 * 8
    assert flops_by_part(MODELS["Mixtral 8x7B"])["mlp"] == 32 * (2 * per_expert + router)


@pytest.mark.parametrize("function", [forward_flops, training_flops, flops_by_part])
def test_unknown_conventions_and_contexts_are_refused(function):
    with pytest.raises(ValueError, match="convention must be one of matmuls, with biases"):
        function(GPT2, convention="macs")
    with pytest.raises(ValueError, match="attention must be one of full, causal"):
        function(GPT2, attention="flash")
    with pytest.raises(ValueError, match="T must be at least 1, got 0"):
        function(GPT2, 0)
    with pytest.raises(TypeError, match="T must be"):
        function(GPT2, 8.0)


def test_bytes_of_weights():
    assert weight_bytes(GPT2) == 497_759_232  # about 498 MB
    assert weight_bytes(GPT2, "bfloat16") == 248_879_616
    assert weight_bytes(GPT2, "int8") == params(GPT2)
    assert weight_bytes(GPT2, "int4") == params(GPT2) // 2
    assert weight_bytes(TOY) == 821_760  # 0.82 MB
    with pytest.raises(ValueError, match=r"dtype must be one of float64.*got 'fp8'"):
        weight_bytes(GPT2, "fp8")


def test_adamw_holds_sixteen_bytes_a_parameter_in_both_precisions():
    assert sum(training_bytes(GPT2).values()) == 16 * params(GPT2)
    mixed = training_bytes(GPT2, "bfloat16")
    assert sum(mixed.values()) == 16 * params(GPT2)
    assert mixed["weights"] == 2 * params(GPT2)
    assert mixed["master weights"] == 4 * params(GPT2)


def test_key_value_cache():
    assert kv_cache_bytes(GPT2, 1024) == 2 * 12 * 768 * 1024 * 2
    assert kv_cache_bytes(GPT2, 10, B=3, dtype="float32") == 2 * 12 * 768 * 10 * 3 * 4
    assert kv_cache_bytes(MODELS["Llama 3 70B"], 1) == 2 * 80 * 8 * 128 * 2  # grouped heads
    assert kv_cache_bytes(MODELS["deepseek-v3"], 1) == 61 * (512 + 64) * 2  # one latent
    assert kv_cache_bytes(MODELS["Gemma 7B"], 1) == 2 * 28 * 16 * 256 * 2  # heads wider than d/h
    with pytest.raises(ValueError, match="B must be"):
        kv_cache_bytes(GPT2, 1, B=0)


def test_chinchilla_budgets_of_lesson_14():
    toy = chinchilla(205_440)
    assert toy.tokens == 4_108_800
    assert toy.flops == 6 * 205_440 * 4_108_800
    assert f"{toy.flops:.2e}" == "5.06e+12"
    gpt2 = chinchilla(params(GPT2.without_attention_biases()))
    assert gpt2.tokens == 2_488_058_880
    assert f"{gpt2.flops:.2e}" == "1.86e+18"
    assert f"{gpt2.parameter_bits:.2e}" == "3.98e+09"
    assert f"{gpt2.data_bits:.2e}" == "1.24e+10"
    assert gpt2.data_bits_per_parameter_bit == toy.data_bits_per_parameter_bit == 3.125
    with pytest.raises(TypeError, match="P must be"):
        chinchilla(1e9)
