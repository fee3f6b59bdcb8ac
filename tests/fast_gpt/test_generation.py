"""Continuing a text: the cache saves time and changes no token."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib import gpt_logits
from course_lib.fast_gpt import FastGPT, generate, generation
from course_lib.sampling import GREEDY, Sampling, choose

SAMPLINGS = [
    GREEDY,
    Sampling(),
    Sampling(temperature=0.7),
    Sampling(top_k=3),
    Sampling(top_p=0.8),
    Sampling(temperature=1.3, top_k=5, top_p=0.9),
]
DTYPES = pytest.mark.parametrize("dtype", [np.float64, np.float32])


def continued(model, idx, tokens, *args, **kwargs):
    return np.stack(list(generate(model, idx, tokens, *args, **kwargs)), axis=1)  # (B, tokens)


# ---------------------------------------------------------------- the cache


@settings(max_examples=60)
@given(
    B=st.integers(1, 4),
    pieces=st.lists(st.integers(1, 9), min_size=1, max_size=6),
    h=st.integers(1, 4),
    d_k=st.integers(2, 6),
    threads=st.integers(1, 3),
    dtype=st.sampled_from([np.float64, np.float32]),
    seed=st.integers(0, 2**32 - 1),
)
def test_a_text_fed_in_pieces_has_the_logits_it_has_at_once(
    draw_parameters, B, pieces, h, d_k, threads, dtype, seed
):
    T = sum(pieces)
    P = draw_parameters(V=11, T=T, d=4 * h * d_k, L=2, dtype=dtype, seed=seed, scale=0.1)
    idx = np.random.default_rng(seed).integers(0, 11, (B, T))
    model = FastGPT(P, h, threads)
    cache = model.new_cache(B)
    expected = gpt_logits(P, idx, h)
    tolerance = {np.float64: 1e-12, np.float32: 1e-5}[dtype] * np.abs(expected).max()
    for n in pieces:
        got = model.extend(cache, idx[:, cache.length : cache.length + n])
        assert got.dtype == dtype
        np.testing.assert_allclose(got, expected[:, cache.length - 1], rtol=0, atol=tolerance)
    assert cache.length == T == cache.capacity


def test_a_long_prompt_goes_through_in_blocks(draw_parameters):
    P = draw_parameters(V=11, T=400, d=24, L=2, scale=0.1)
    idx = np.random.default_rng(0).integers(0, 11, (2, 400))
    model = FastGPT(P, 4)
    cache = model.new_cache(2)
    model.extend(cache, idx[:, :100])
    expected = gpt_logits(P, idx, 4)[:, -1]
    np.testing.assert_allclose(model.extend(cache, idx[:, 100:]), expected, rtol=1e-11, atol=1e-13)


def test_a_full_cache_refuses_and_stays_as_it_was(draw_parameters):
    P = draw_parameters(V=7, T=6, d=6, L=1)
    model = FastGPT(P, 2)
    cache = model.new_cache(1, capacity=4)
    model.extend(cache, [[1, 2, 3]])
    with pytest.raises(ValueError, match="the context is full: the cache holds 3 of 4 positions "
                                         "and 2 more came"):  # fmt: skip
        model.extend(cache, [[4, 5]])
    with pytest.raises(ValueError, match="between 0 and V - 1 = 6"):
        model.extend(cache, [[7]])
    with pytest.raises(ValueError, match="idx holds 2 sequences, but this cache was made for 1"):
        model.extend(cache, [[1], [2]])
    np.testing.assert_allclose(
        model.extend(cache, [[4]]), gpt_logits(P, [[1, 2, 3, 4]], 2)[:, -1], rtol=1e-11
    )
    with pytest.raises(ValueError, match="capacity must be between 1 and 6, got 7"):
        model.new_cache(1, capacity=7)
    with pytest.raises(ValueError, match="B must be at least 1"):
        model.new_cache(0)


# ---------------------------------------------------------------- the tokens


@DTYPES
@pytest.mark.parametrize("B", [1, 3])
@pytest.mark.parametrize("sampling", SAMPLINGS, ids=repr)
def test_the_cache_changes_no_token(draw_parameters, sampling, B, dtype):
    P = draw_parameters(V=50, T=40, d=24, L=2, dtype=dtype, scale=0.1)
    idx = np.random.default_rng(0).integers(0, 50, (B, 5))
    model = FastGPT(P, 4)
    got = continued(model, idx, 35, sampling, seed=3)
    assert got.shape == (B, 35)
    np.testing.assert_array_equal(got, continued(model, idx, 35, sampling, seed=3, use_cache=False))


@DTYPES
@pytest.mark.parametrize("sampling", SAMPLINGS, ids=repr)
def test_the_cache_changes_no_token_where_rounding_would_decide(draw_parameters, sampling, dtype):
    """Every token has twins whose embeddings differ by less than the rounding of a logit."""
    P = draw_parameters(V=48, T=40, d=24, L=2, dtype=dtype, scale=0.1)
    rng = np.random.default_rng(1)
    tiny = {np.float64: 1e-16, np.float32: 1e-7}[dtype]
    twins = np.repeat(P["wte"][:12], 4, axis=0)
    P["wte"] = (twins * (1 + tiny * rng.integers(-2, 3, twins.shape))).astype(dtype)
    model = FastGPT(P, 4)
    for seed in range(3):
        idx = rng.integers(0, 48, (2, 5))
        np.testing.assert_array_equal(
            continued(model, idx, 35, sampling, seed),
            continued(model, idx, 35, sampling, seed, use_cache=False),
        )


def test_a_step_in_doubt_is_computed_from_scratch_and_others_are_not(draw_parameters, monkeypatch):
    P = draw_parameters(V=50, T=40, d=24, L=2, dtype=np.float32, scale=0.1)
    model = FastGPT(P, 4)
    calls = []
    scratch = model.next_logits
    monkeypatch.setattr(model, "next_logits", lambda ids: (calls.append(1), scratch(ids))[1])
    continued(model, [[1, 2]], 30, GREEDY)
    assert len(calls) <= 1
    monkeypatch.setitem(generation.DOUBT, np.dtype(np.float32), 10.0)
    calls.clear()
    continued(model, [[1, 2]], 30, GREEDY)
    assert len(calls) == 30


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_cached_logits_are_well_within_the_doubt(draw_parameters, dtype):
    worst = 0.0
    for seed, scale in ((0, 0.02), (1, 0.1), (2, 0.2)):
        P = draw_parameters(V=300, T=40, d=96, L=4, dtype=dtype, scale=scale, seed=seed)
        model = FastGPT(P, 6)
        idx = np.random.default_rng(seed).integers(0, 300, (2, 40))
        cache = model.new_cache(2)
        for t in range(40):
            got, expected = (
                model.extend(cache, idx[:, t : t + 1]),
                model.next_logits(idx[:, : t + 1]),
            )
            worst = max(worst, float(np.abs(got - expected).max() / np.abs(expected).max()))
    assert 0 < worst < generation.DOUBT[np.dtype(dtype)] / 3


def test_greedy_is_the_argmax_of_the_readable_engine(draw_parameters):
    P = draw_parameters(V=50, T=30, d=24, L=2, scale=0.2)
    text = [[7, 3]]
    got = continued(FastGPT(P, 4), text, 28, GREEDY)[0]
    for token in got:
        assert token == gpt_logits(P, text, 4)[0, -1].argmax()
        text = [[*text[0], int(token)]]
    assert len(set(got.tolist())) > 3  # it does not just repeat itself


def test_one_draw_follows_the_probabilities_of_the_readable_engine(draw_parameters):
    P = draw_parameters(V=6, T=4, d=12, L=1)
    n = 4000
    got = continued(FastGPT(P, 2), np.tile([[1, 2]], (n, 1)), 1, Sampling(top_k=4))[:, 0]
    z = gpt_logits(P, [[1, 2]], 2)[0, -1]
    expected = np.where(z >= np.sort(z)[-4], np.exp(z), 0)
    expected /= expected.sum()
    error = np.abs(np.bincount(got, minlength=6) / n - expected)
    assert (error <= 4.5 * np.sqrt(expected * (1 - expected) / n)).all()


def test_a_seed_stands_for_one_text(draw_parameters):
    P = draw_parameters(V=50, T=30, d=24, L=1, scale=0.1)
    model = FastGPT(P, 4)
    texts = [continued(model, [[1]], 20, seed=seed).tolist() for seed in (0, 0, 1)]
    assert texts[0] == texts[1] != texts[2]
    assert continued(model, [[1]], 20).tolist() == texts[0]


def test_the_first_tokens_do_not_depend_on_how_many_follow(draw_parameters):
    P = draw_parameters(V=50, T=30, d=24, L=1, scale=0.1)
    model = FastGPT(P, 4)
    assert continued(model, [[1]], 3).tolist()[0] == continued(model, [[1]], 20).tolist()[0][:3]


def test_the_context_can_be_filled_to_the_last_position(draw_parameters):
    P = draw_parameters(V=7, T=6, d=6, L=1)
    model = FastGPT(P, 2)
    assert continued(model, [[1, 2]], 4).shape == (1, 4)
    with pytest.raises(ValueError, match=r"the context is full after 4 more tokens: idx holds 2 of "
                                         r"6 positions, and tokens = 5 do not fit"):  # fmt: skip
        generate(model, [[1, 2]], 5)
    with pytest.raises(ValueError, match="the context is full after 0 more tokens"):
        generate(model, [[1] * 6], 1)


@pytest.mark.parametrize(
    ("kwargs", "words"),
    [
        ({"idx": [[9]]}, "between 0 and V - 1 = 6"),
        ({"idx": [1]}, "(B, T)"),
        ({"tokens": 0}, "tokens must be at least 1"),
        ({"seed": -1}, "seed must be at least 0"),
    ],
)
def test_bad_arguments_are_refused_before_the_first_step(draw_parameters, kwargs, words):
    model = FastGPT(draw_parameters(V=7, T=6, d=6, L=1), 2)
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - the words are looked at below
        generate(model, **{"idx": [[1]], "tokens": 2, **kwargs})
    assert words in str(refused.value)


def test_choosing_needs_a_race_only_for_a_draw():
    assert choose(np.array([0.0, 1.0]), GREEDY)[0] == 1
