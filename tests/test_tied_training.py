"""Training the tied miniature on a text that leaves one token out."""

import numpy as np
import pytest

from course_lib.layers import softmax
from course_lib.tied import tied_gradient_paths, tied_lm_loss_and_grad
from course_lib.tied_training import noisy_cycle, train_tied

UNSEEN = 11


def miniature(seed):
    rng = np.random.default_rng(seed)
    E, A = rng.standard_normal((12, 8)) * 0.3, rng.standard_normal((8, 8)) * 0.5
    text = noisy_cycle(V=11, n=200, seed=seed)
    return E, A, text[:-1], text[1:]


def test_the_text_follows_the_cycle_as_often_as_asked():
    always = noisy_cycle(V=5, n=12, follow=1.0)
    np.testing.assert_array_equal(always, np.arange(13) % 5)
    text = noisy_cycle(V=10, n=20_000, follow=0.7, seed=4)
    followed = (text[1:] == (text[:-1] + 1) % 10).mean()
    assert followed == pytest.approx(0.7 + 0.3 / 10, abs=0.01)
    assert set(text.tolist()) == set(range(10))


def test_steps_lower_the_loss_and_leave_the_given_table_alone():
    E, A, idx, targets = miniature(0)
    before = E.copy()
    run = train_tied(E, A, idx, targets, steps=50)
    assert run.losses.shape == (51,)
    assert run.tables.shape == (51, 12, 8)
    np.testing.assert_array_equal(E, before)
    np.testing.assert_array_equal(run.tables[0], before)
    assert run.losses[-1] < run.losses[0] - 1
    assert run.losses[-1] == tied_lm_loss_and_grad(run.tables[-1], A, idx, targets)[0]


@pytest.mark.parametrize("seed", range(4))
def test_the_unseen_row_is_pushed_away_from_the_hidden_vectors(seed):
    E, A, idx, targets = miniature(seed)
    run = train_tied(E, A, idx, targets, steps=300)

    def look(table):
        H = np.tanh(table[idx] @ A)
        return (H @ table[UNSEEN]).mean(), softmax(H @ table.T)[:, UNSEEN].mean()

    (score, p), (end_score, end_p) = look(run.tables[0]), look(run.tables[-1])
    assert end_score < min(score, 0)
    assert end_p < p / 4
    moved = run.tables[-1][UNSEEN] - E[UNSEEN]
    assert np.linalg.norm(moved) > 0.3
    paths = tied_gradient_paths(run.tables[-1], A, idx, targets)
    assert not paths.through_lookup[UNSEEN].any()  # all of it came through the head


def test_bad_input_names_the_argument():
    E, A, idx, targets = miniature(0)
    with pytest.raises(ValueError, match="steps"):
        train_tied(E, A, idx, targets, steps=0)
    with pytest.raises(ValueError, match="rate"):
        train_tied(E, A, idx, targets, steps=1, rate=float("nan"))
    with pytest.raises(ValueError, match="targets"):
        train_tied(E, A, idx, targets[:-1], steps=1)
    with pytest.raises(ValueError, match="follow"):
        noisy_cycle(5, 10, follow=1.5)


def test_the_unseen_row_of_lesson_6_walks_at_one_speed_and_slows_down_later():
    V, d, unseen = 12, 8, 11
    rng = np.random.default_rng(1)
    E = rng.standard_normal((V, d)) * 0.3
    A = rng.standard_normal((d, d)) * 1.5 / np.sqrt(d)
    text = noisy_cycle(V=11, n=200, seed=1)
    rows = train_tied(E, A, text[:-1], text[1:], steps=2001).tables[:, unseen]
    steps = np.linalg.norm(np.diff(rows, axis=0), axis=1)
    assert steps[100:400].max() < 1.15 * steps[100:400].min()
    assert steps[2000] < steps[399] / 3
