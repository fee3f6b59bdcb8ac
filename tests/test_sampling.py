"""Choosing the next token: frequencies, cuts, and what rounding cannot change."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.layers import softmax
from course_lib.sampling import GREEDY, Sampling, choose, probabilities, race_times

LOGITS = np.log([0.5, 0.25, 0.125, 0.0625, 0.0625])


def frequencies(sampling, draws=6_000, logits=LOGITS):
    races = race_times(np.random.default_rng(14), draws, len(logits))
    chosen = [choose(logits, sampling, race)[0] for race in races]
    return np.bincount(chosen, minlength=len(logits)) / draws


def assert_frequencies(got, expected, draws=6_000):
    expected = np.asarray(expected, dtype=float)
    assert (got[expected == 0] == 0).all()
    assert (np.abs(got - expected) <= 4.5 * np.sqrt(expected * (1 - expected) / draws)).all(), got


@pytest.mark.parametrize(
    ("sampling", "expected"),
    [
        (Sampling(), [0.5, 0.25, 0.125, 0.0625, 0.0625]),
        (Sampling(temperature=0.5), np.array([64, 16, 4, 1, 1]) / 86),  # p², normalised
        (Sampling(top_k=2), [2 / 3, 1 / 3, 0, 0, 0]),
        (Sampling(top_k=1), [1, 0, 0, 0, 0]),
        (Sampling(top_k=4), [0.5, 0.25, 0.125, 0.0625, 0.0625]),  # the last two are equal
        (Sampling(top_k=99), [0.5, 0.25, 0.125, 0.0625, 0.0625]),
        (Sampling(top_p=0.5), [1, 0, 0, 0, 0]),
        (Sampling(top_p=0.51), [2 / 3, 1 / 3, 0, 0, 0]),
        (Sampling(top_p=0.8), [4 / 7, 2 / 7, 1 / 7, 0, 0]),
        (Sampling(top_k=2, top_p=0.8), [2 / 3, 1 / 3, 0, 0, 0]),
        (Sampling(top_k=3, top_p=0.6), [2 / 3, 1 / 3, 0, 0, 0]),
        (GREEDY, [1, 0, 0, 0, 0]),
    ],
)
def test_frequencies_are_the_probabilities_that_the_cuts_leave(sampling, expected):
    np.testing.assert_allclose(probabilities(LOGITS, sampling), expected, rtol=1e-12)
    assert_frequencies(frequencies(sampling), expected)


def test_each_draw_is_independent_of_the_one_before():
    races = race_times(np.random.default_rng(3), 4_000, 2)
    chosen = np.array([choose(np.zeros(2), Sampling(), race)[0] for race in races])
    together = (chosen[1:] == chosen[:-1]).mean()
    assert abs(together - 0.5) < 4 / (2 * math.sqrt(len(chosen)))


def test_the_greedy_choice_of_equals_is_the_lowest_id():
    assert choose(np.array([1.0, 3.0, 3.0, 3.0]), GREEDY) == (1, False)
    assert choose(np.array([1.0, 3.0, 2.0]), GREEDY) == (1, True)
    assert choose(np.array([7.0]), GREEDY) == (0, True)


def test_scores_beyond_what_exp_can_hold():
    logits = np.array([-5000.0, 4000.0, 3999.0], dtype=np.float32)
    for top_p in (1.0, 0.9):
        counts = frequencies(Sampling(top_p=top_p), 4000, logits)
        assert_frequencies(counts, [0, *softmax(np.array([1.0, 0.0]))], 4000)


@settings(max_examples=150)
@given(
    V=st.integers(1, 12),
    seed=st.integers(0, 2**32 - 1),
    spread=st.sampled_from([0.01, 0.3, 3.0]),
    doubt=st.sampled_from([1e-9, 1e-3, 0.05]),
    temperature=st.sampled_from([0.0, 0.3, 1.0, 2.0]),
    top_k=st.one_of(st.none(), st.integers(1, 12)),
    top_p=st.sampled_from([1.0, 0.2, 0.7, 0.95, 1 / 3]),
    ties=st.booleans(),
)
def test_a_choice_beyond_doubt_survives_any_error_within_the_doubt(
    V, seed, spread, doubt, temperature, top_k, top_p, ties
):
    rng = np.random.default_rng(seed)
    logits = rng.normal(0, spread, V)
    if ties:
        logits = np.round(logits, 1)
    sampling = Sampling(temperature, top_k, top_p)
    race = race_times(rng, 1, V)[0]
    token, sure = choose(logits, sampling, race, doubt)
    assert token == choose(logits, sampling, race)[0]  # doubt changes no choice
    if sure:
        for _ in range(30):
            other = logits + doubt * rng.choice([-1.0, 1.0, 0.0], V)
            assert choose(other, sampling, race)[0] == token


def test_doubt_is_rare_where_it_should_be():
    rng = np.random.default_rng(0)
    for sampling in (GREEDY, Sampling(), Sampling(top_k=50), Sampling(top_p=0.9)):
        sure = [
            choose(rng.normal(0, 3, 2000), sampling, race_times(rng, 1, 2000)[0], 1e-6)[1]
            for _ in range(300)
        ]
        assert sum(sure) >= 299, sampling


def test_a_close_race_is_in_doubt():
    assert choose(np.array([1.0, 1.0 + 1e-7]), GREEDY, doubt=1e-7) == (1, False)
    assert choose(np.array([1.0, 1.0 + 1e-6]), GREEDY, doubt=1e-7) == (1, True)
    race = np.array([0.0, 0.0, 9.0])
    near = np.array([2.0, 1.0, 1.0 - 1e-7])  # the last would win, if top_k = 2 let it in
    assert choose(near, Sampling(top_k=2), race, 1e-6) == (0, False)
    assert choose(near, Sampling(top_k=2), race, 1e-9) == (0, True)


@pytest.mark.parametrize(
    ("kwargs", "error", "words"),
    [
        ({"temperature": -1}, ValueError, "temperature must be 0 (greedy) or above, got -1"),
        ({"temperature": float("nan")}, ValueError, "temperature must be finite"),
        ({"temperature": "hot"}, TypeError, "temperature must be a number"),
        ({"top_k": 0}, ValueError, "top_k must be at least 1, got 0"),
        ({"top_k": 1.5}, TypeError, "top_k must be an integer"),
        ({"top_p": 0}, ValueError, "top_p must be above 0 and at most 1, got 0"),
        ({"top_p": 1.2}, ValueError, "top_p must be above 0 and at most 1, got 1.2"),
    ],
)
def test_bad_settings_are_refused(kwargs, error, words):
    with pytest.raises(error) as refused:
        Sampling(**kwargs)
    assert words in str(refused.value)


def test_a_draw_without_a_race_is_refused():
    with pytest.raises(ValueError, match="race must be given"):
        choose(LOGITS, Sampling())
