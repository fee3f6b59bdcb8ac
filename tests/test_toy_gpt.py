"""The toy of Lesson 14 prints the numbers that the lesson's source prints, and it is a GPT.

The source counts ids and positions from 1; a comment gives its number where ours differs.
"""

import math

import numpy as np
import pytest

from course_lib.gpt import transformer_block
from course_lib.layers import layer_norm, softmax
from course_lib.toy_gpt import (
    TOY_IDS,
    ToyGPT,
    lesson_14_toy,
    sinusoidal_positions,
    toy_embed,
    toy_head,
    toy_logits,
    toy_residual_stream,
)


@pytest.fixture(scope="module")
def toy():
    return lesson_14_toy()


@pytest.fixture(scope="module")
def stream(toy):
    return toy_residual_stream(toy, TOY_IDS)


def norms(stream):
    return [float(np.linalg.norm(H)) for H in stream]


# ---------------------------------------------------------------- what the source prints


def test_ids():
    assert (TOY_IDS + 1).tolist() == [7, 13, 7, 21, 13, 5, 9, 7]


def test_first_entries_of_the_embedded_sequence(toy, stream):
    assert stream[0].shape == (8, 64)
    printed = [
        0.8519901832549279, 0.6242199078970485, 0.7649510639370869,
        0.6189960087826963, 0.7635573731520712, 0.869233432828126,
    ]  # fmt: skip
    np.testing.assert_allclose(toy_embed(toy, TOY_IDS)[0, :6], printed, rtol=1e-15, atol=0)


def test_norm_of_the_stream_after_each_block(stream):
    assert len(stream) == 5
    assert stream[-1].shape == (8, 64)
    assert norms(stream)[-1] == pytest.approx(70.10999244799362, rel=1e-13)
    printed = [16.167976, 39.454181, 51.481187, 62.771013, 70.109992]
    np.testing.assert_allclose(norms(stream), printed, rtol=1e-7)
    # a unit-variance stream would have norm √(T·d)
    assert math.sqrt(stream[0].size) == pytest.approx(22.627416997969522, rel=1e-15)


def test_next_token(toy):
    Z = toy_logits(toy, TOY_IDS)
    assert Z.shape == (8, 50)
    assert softmax(Z[-1]).sum() == pytest.approx(0.9999999999999999, abs=1e-14)
    assert Z[-1].argmax() == 17 - 1  # the source's token 17


def test_step_by_step_equals_the_whole(toy, stream):
    np.testing.assert_array_equal(toy_head(toy, stream[-1]), toy_logits(toy, TOY_IDS))


def test_changing_the_last_token_changes_the_last_logits_only(toy):
    changed = TOY_IDS.copy()
    changed[7] = 42 - 1  # the source's ids(8) = 42
    dZ = np.abs(toy_logits(toy, changed) - toy_logits(toy, TOY_IDS)).max(axis=-1)
    assert (dZ[:7] == 0).all()
    assert dZ[7] == pytest.approx(0.5198977558530139, rel=1e-12)


def test_scores_against_the_token_table_itself(toy, stream):
    h = layer_norm(stream[-1])
    Z = h @ toy.E.T
    assert Z[-1].argmax() == 26 - 1  # the source's token 26
    assert Z[-1].max() == pytest.approx(1.9129375403189588, rel=1e-13)
    dots = [math.fsum(a * b for a, b in zip(h[-1], e, strict=True)) for e in toy.E]
    assert np.abs(Z[-1] - dots).max() < 1e-14
    p = softmax(Z[-1])
    assert p.sum() == pytest.approx(0.9999999999999998, abs=1e-14)
    assert p.max() == pytest.approx(0.09321944761590627, rel=1e-13)


def test_growth_of_the_stream_with_and_without_residual_scaling(toy, stream):
    plain = norms(stream)
    assert plain[-1] / plain[0] == pytest.approx(4.336349298961599, rel=1e-13)
    scaled = norms(toy_residual_stream(toy, TOY_IDS, branch_scale=1 / math.sqrt(2 * 4)))
    assert scaled[-1] / scaled[0] == pytest.approx(1.8153253945797936, rel=1e-12)


def test_the_toy_has_the_sizes_of_the_source(toy):
    matrices = [toy.E, toy.W_U]
    matrices += [
        getattr(b, n) for b in toy.blocks for n in ("W_Q", "W_K", "W_V", "W_O", "W_1", "W_2")
    ]
    assert sum(m.size for m in matrices) == 203_008  # two tables of 3,200, blocks of 49,152
    assert (toy.E.shape, toy.W_U.shape, len(toy.blocks)) == ((50, 64), (64, 50), 4)
    assert (toy.blocks[0].W_1.shape, toy.blocks[0].W_2.shape) == ((64, 256), (256, 64))


# ---------------------------------------------------------------- it is a GPT


def test_it_is_gpt2_without_affine_parts(toy, stream):
    """The same matrices in the blocks of gpt.py, with gains 1 and biases 0."""
    d = 64
    x = stream[0][None]  # (1, T, d)
    for block, expected in zip(toy.blocks, stream[1:], strict=True):
        gpt2 = {
            "ln1_g": np.ones(d), "ln1_b": np.zeros(d), "ln2_g": np.ones(d), "ln2_b": np.zeros(d),
            "w_qkv": np.hstack([block.W_Q, block.W_K, block.W_V]), "b_qkv": np.zeros(3 * d),
            "w_o": block.W_O, "b_o": np.zeros(d), "w_fc": block.W_1, "b_fc": np.zeros(4 * d),
            "w_proj": block.W_2, "b_proj": np.zeros(d),
        }  # fmt: skip
        x = transformer_block(gpt2, x, 4)
        np.testing.assert_allclose(x[0], expected, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("t", range(8))
def test_a_token_changes_its_own_row_and_all_later_ones(toy, t):
    changed = TOY_IDS.copy()
    changed[t] = 41
    dZ = np.abs(toy_logits(toy, changed) - toy_logits(toy, TOY_IDS)).max(axis=-1)
    assert (dZ[:t] == 0).all()
    assert (dZ[t:] > 1e-3).all()


def test_without_a_mask_the_last_token_changes_every_row(toy):
    changed = TOY_IDS.copy()
    changed[7] = 41
    open_mask = np.zeros((8, 8))
    dZ = np.abs(toy_logits(toy, changed, open_mask) - toy_logits(toy, TOY_IDS, open_mask))
    assert (dZ.max(axis=-1) > 1e-3).all()


def test_minus_a_billion_masks_as_well_as_minus_infinity(toy):
    for mask in (
        np.triu(np.full((8, 8), -1e9), 1),
        np.triu(np.full((8, 8), -(10**9)), 1),
        np.triu(np.full((8, 8), -1e9, dtype=np.float32), 1).tolist(),
        np.where(np.tri(8, dtype=bool), 0.0, -np.inf),
    ):
        np.testing.assert_array_equal(toy_logits(toy, TOY_IDS, mask), toy_logits(toy, TOY_IDS))


def test_a_shorter_sequence_has_the_first_rows_of_the_longer(toy):
    whole = toy_logits(toy, TOY_IDS)
    for T in range(1, 9):
        np.testing.assert_allclose(toy_logits(toy, TOY_IDS[:T]), whole[:T], rtol=1e-10)


def test_a_branch_scale_of_zero_leaves_the_stream_alone(toy):
    for H in toy_residual_stream(toy, TOY_IDS, branch_scale=0):
        np.testing.assert_array_equal(H, toy_embed(toy, TOY_IDS))


def test_branch_scale_is_scaling_the_two_writing_matrices(toy):
    half = ToyGPT(
        toy.E,
        toy.PE,
        tuple(type(b)(b.W_Q, b.W_K, b.W_V, b.W_O * 0.5, b.W_1, b.W_2 * 0.5) for b in toy.blocks),
        toy.W_U,
        toy.n_head,
    )
    np.testing.assert_allclose(
        toy_logits(half, TOY_IDS),
        toy_logits(toy, TOY_IDS, branch_scale=0.5),
        rtol=1e-10,
        atol=1e-12,
    )


def test_the_calls_change_neither_weights_nor_ids():
    toy, kept = lesson_14_toy(), lesson_14_toy()
    ids = TOY_IDS.copy()
    ids.flags.writeable = False
    for block in toy.blocks:
        for matrix in vars(block).values():
            matrix.flags.writeable = False
    for table in (toy.E, toy.PE, toy.W_U):
        table.flags.writeable = False
    toy_logits(toy, ids)
    np.testing.assert_array_equal(toy.E, kept.E)
    assert TOY_IDS.tolist() == [6, 12, 6, 20, 12, 4, 8, 6]


# ---------------------------------------------------------------- positions and weights


def test_sinusoidal_positions_follow_the_formula_from_position_one():
    table = sinusoidal_positions(5, 6)
    for t in range(5):
        for i in range(3):
            angle = (t + 1) / 10000 ** (2 * i / 6)
            assert table[t, 2 * i] == pytest.approx(math.sin(angle), rel=1e-14)
            assert table[t, 2 * i + 1] == pytest.approx(math.cos(angle), rel=1e-14)


def test_other_sizes_draw_other_toys():
    toy = lesson_14_toy(seed=3, V=7, T=5, d=6, n_head=3, N=2)
    assert toy_logits(toy, [0, 6, 3, 3, 1]).shape == (5, 7)
    assert (lesson_14_toy(seed=15).E != lesson_14_toy().E).all()


def test_each_matrix_is_scaled_for_its_fan_in(toy):
    for matrix, std in [
        (toy.E, 0.1),
        (toy.W_U, 1 / 8),
        *[(getattr(b, name), 1 / 8) for b in toy.blocks for name in ("W_Q", "W_K", "W_V", "W_O")],
        *[(b.W_1, math.sqrt(2 / 64)) for b in toy.blocks],
        *[(b.W_2, math.sqrt(2 / 256)) for b in toy.blocks],
    ]:
        assert abs(matrix.std() / std - 1) < 4 / math.sqrt(2 * matrix.size)
