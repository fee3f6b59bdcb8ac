"""The tied miniature: its gradient against finite differences, PyTorch and what theory says."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib import tied_lm_loss_and_grad
from course_lib.tied import tied_gradient_paths

SETTINGS = settings(max_examples=60)


@st.composite
def problems(draw, max_n=8):
    """Tables, layers and ids of any small shape; ids repeat, and not every id need occur."""
    V, d, n = draw(st.integers(1, 7)), draw(st.integers(1, 5)), draw(st.integers(1, max_n))
    scale = draw(st.sampled_from([0.1, 0.7, 2.0]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    E, A = rng.normal(0, scale, (V, d)), rng.normal(0, scale, (d, d))
    return E, A, rng.integers(0, V, n), rng.integers(0, V, n)


def slow_loss(E, A, idx, targets):
    """The four lines of the module's docstring, one number at a time."""
    total = 0.0
    V, d = len(E), len(A)
    for token, target in zip(idx, targets, strict=True):
        h = [math.tanh(math.fsum(E[token][i] * A[i][j] for i in range(d))) for j in range(d)]
        z = [math.fsum(h[j] * E[v][j] for j in range(d)) for v in range(V)]
        top = max(z)
        total += top + math.log(math.fsum(math.exp(v - top) for v in z)) - z[target]
    return total / len(idx)


@SETTINGS
@given(problems())
def test_loss_equals_the_slow_twin(problem):
    loss, dE = tied_lm_loss_and_grad(*problem)
    assert isinstance(loss, float)
    assert dE.shape == problem[0].shape
    assert loss == pytest.approx(slow_loss(*(x.tolist() for x in problem)), rel=1e-12, abs=1e-14)


@SETTINGS
@given(problems())
def test_gradient_equals_central_differences(problem):
    E, A, idx, targets = problem
    _, dE = tied_lm_loss_and_grad(E, A, idx, targets)
    step = 1e-3
    numeric = np.empty_like(E)
    for place in np.ndindex(E.shape):

        def shifted(by, place=place):
            F = E.copy()
            F[place] += by * step
            return tied_lm_loss_and_grad(F, A, idx, targets)[0]

        # Richardson's: the error of the plain central difference, step², cancels
        numeric[place] = (8 * (shifted(1) - shifted(-1)) - (shifted(2) - shifted(-2))) / (12 * step)
    np.testing.assert_allclose(dE, numeric, rtol=1e-6, atol=1e-6 * max(1, np.abs(dE).max()))


def test_gradient_equals_autograd_of_pytorch():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    for V, d, n in [(1, 1, 1), (2, 3, 1), (5, 4, 9), (40, 16, 100), (6, 2, 50)]:
        E, A = rng.normal(0, 1, (V, d)), rng.normal(0, 1, (d, d))
        idx, targets = rng.integers(0, V, n), rng.integers(0, V, n)
        table = torch.tensor(E, requires_grad=True)
        H = torch.tanh(table[torch.tensor(idx)] @ torch.tensor(A))
        expected = torch.nn.functional.cross_entropy(H @ table.T, torch.tensor(targets))
        expected.backward()
        loss, dE = tied_lm_loss_and_grad(E, A, idx, targets)
        assert loss == pytest.approx(expected.item(), rel=1e-12, abs=1e-15)
        np.testing.assert_allclose(dE, table.grad.numpy(), rtol=0, atol=1e-12)


@SETTINGS
@given(problems())
def test_the_two_paths_add_up_and_reach_the_rows_they_should(problem):
    E, A, idx, targets = problem
    loss, dE = tied_lm_loss_and_grad(E, A, idx, targets)
    paths = tied_gradient_paths(E, A, idx, targets)
    assert paths.loss == loss
    np.testing.assert_array_equal(paths.through_head + paths.through_lookup, dE)
    unread = np.setdiff1d(np.arange(len(E)), idx)
    assert (paths.through_lookup[unread] == 0).all()
    # the head's gradient only moves score from some rows to others
    np.testing.assert_allclose(paths.through_head.sum(axis=0), 0, atol=1e-14)


def test_the_paths_are_those_of_two_separate_tables():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(1)
    E, A = rng.normal(0, 1, (6, 3)), rng.normal(0, 1, (3, 3))
    idx, targets = rng.integers(0, 5, 12), rng.integers(0, 6, 12)
    below, above = (torch.tensor(E, requires_grad=True) for _ in range(2))
    Z = torch.tanh(below[torch.tensor(idx)] @ torch.tensor(A)) @ above.T
    torch.nn.functional.cross_entropy(Z, torch.tensor(targets)).backward()
    paths = tied_gradient_paths(E, A, idx, targets)
    np.testing.assert_allclose(paths.through_lookup, below.grad.numpy(), rtol=0, atol=1e-13)
    np.testing.assert_allclose(paths.through_head, above.grad.numpy(), rtol=0, atol=1e-13)


def test_a_token_that_never_occurs_is_still_pushed_away():
    rng = np.random.default_rng(2)
    E, A = rng.normal(0, 1, (6, 4)), rng.normal(0, 1, (4, 4))
    idx, targets = np.array([0, 1, 2, 1]), np.array([1, 2, 3, 4])  # id 5 is nowhere
    loss, dE = tied_lm_loss_and_grad(E, A, idx, targets)
    assert (dE[5] != 0).any()
    # a step against the gradient of that row alone makes token 5 less likely, so the loss smaller
    stepped = E.copy()
    stepped[5] -= 0.1 * dE[5]
    assert tied_lm_loss_and_grad(stepped, A, idx, targets)[0] < loss


@SETTINGS
@given(problems(max_n=1))
def test_one_token_said_twice_is_the_mean_of_itself(problem):
    E, A, idx, targets = problem
    loss, dE = tied_lm_loss_and_grad(E, A, idx, targets)
    again = tied_lm_loss_and_grad(E, A, np.repeat(idx, 5), np.repeat(targets, 5))
    assert again[0] == pytest.approx(loss, rel=1e-12, abs=1e-15)
    np.testing.assert_allclose(again[1], dE, rtol=1e-10, atol=1e-15)


@SETTINGS
@given(problems(), st.integers(0, 2**32 - 1))
def test_the_order_of_the_examples_does_not_matter(problem, seed):
    E, A, idx, targets = problem
    order = np.random.default_rng(seed).permutation(len(idx))
    loss, dE = tied_lm_loss_and_grad(E, A, idx, targets)
    other = tied_lm_loss_and_grad(E, A, idx[order], targets[order])
    assert other[0] == pytest.approx(loss, rel=1e-12, abs=1e-15)
    np.testing.assert_allclose(other[1], dE, rtol=1e-9, atol=1e-14)


def test_a_vocabulary_of_one_has_no_loss_and_no_gradient():
    loss, dE = tied_lm_loss_and_grad([[0.5, -2.0]], np.eye(2), [0, 0], [0, 0])
    assert loss == 0
    np.testing.assert_array_equal(dE, [[0, 0]])


@pytest.mark.parametrize("size", [1e3, 1e6, 1e100])
def test_logits_of_any_size_give_the_gap_as_loss(size):
    # one feature: token 1 scores -size·tanh(…), token 0 scores +size·tanh(…), H = 1 exactly
    E = np.array([[size], [-size]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loss, dE = tied_lm_loss_and_grad(E, [[1.0]], [0], [1])
        sure, nothing = tied_lm_loss_and_grad(E, [[1.0]], [0], [0])
    assert loss == 2 * size  # -log p(1) = score gap
    np.testing.assert_array_equal(dE, [[1.0], [-1.0]])
    assert sure == 0
    np.testing.assert_array_equal(nothing, [[0.0], [0.0]])


def test_the_dtype_is_float32_only_if_both_tables_are():
    E, A = np.eye(3), np.eye(3)
    for E_dtype, A_dtype, out in [
        (np.float32, np.float32, np.float32),
        (np.float64, np.float64, np.float64),
        (np.float32, np.float64, np.float64),
        (np.float64, np.float32, np.float64),
        (np.float16, np.float16, np.float64),  # too coarse to compute in
        (np.int64, np.int64, np.float64),
    ]:
        paths = tied_gradient_paths(E.astype(E_dtype), A.astype(A_dtype), [0, 1], [1, 1])
        assert paths.through_head.dtype == paths.through_lookup.dtype == out


def test_float32_is_near_float64():
    rng = np.random.default_rng(3)
    E, A = rng.normal(0, 1, (30, 8)), rng.normal(0, 1, (8, 8))
    idx, targets = rng.integers(0, 30, 40), rng.integers(0, 30, 40)
    loss, dE = tied_lm_loss_and_grad(E, A, idx, targets)
    loss32, dE32 = tied_lm_loss_and_grad(E.astype("f4"), A.astype("f4"), idx, targets)
    assert dE32.dtype == np.float32
    assert loss32 == pytest.approx(loss, rel=1e-5)
    np.testing.assert_allclose(dE32, dE, rtol=0, atol=1e-5 * np.abs(dE).max())


def test_inputs_may_be_read_only_strided_and_lists_and_stay_as_they_were():
    rng = np.random.default_rng(4)
    E, A = rng.normal(0, 1, (6, 4)), rng.normal(0, 1, (4, 4))
    idx, targets = np.array([0, 5, 5]), np.array([5, 0, 5])
    loss, dE = tied_lm_loss_and_grad(E.tolist(), A.tolist(), idx.tolist(), targets.tolist())
    for x in (E, A, idx, targets):
        x.flags.writeable = False
    for a in (E, np.asfortranarray(E), np.repeat(E, 2, axis=1)[:, ::2]):
        again = tied_lm_loss_and_grad(a, A, idx, targets)
        assert again[0] == pytest.approx(loss, rel=1e-14)
        np.testing.assert_allclose(again[1], dE, rtol=1e-12, atol=1e-15)
    dE[...] = 0
    np.testing.assert_allclose(tied_lm_loss_and_grad(E, A, idx, targets)[1], again[1])


def test_training_on_one_pair_makes_it_certain():
    rng = np.random.default_rng(5)
    E, A = rng.normal(0, 0.5, (5, 4)), rng.normal(0, 0.5, (4, 4))
    first = loss = tied_lm_loss_and_grad(E, A, [1], [3])[0]
    for _ in range(200):
        loss, dE = tied_lm_loss_and_grad(E, A, [1], [3])
        E -= 0.5 * dE
    assert loss < 0.05 < first
