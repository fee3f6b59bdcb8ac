"""GPT-2 in NumPy against a slow twin written with loops, and the promises of its docstrings."""

import copy
import doctest
import gc
import itertools
import math
import sys
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import course_lib
from course_lib import count_gpt2_params, gpt_logits, init_gpt
from course_lib.gpt import next_token_loss
from course_lib.gpt_parameters import named_parameters, parameter_shapes
from course_lib.layers import log_softmax

SETTINGS = settings(max_examples=120)


# ---------------------------------------------------------------- a twin that shares no line


def slow_vector_matrix(x, W, b):
    return [
        sum(x[i] * W[i][j] for i in range(len(x))) + (b[j] if b is not None else 0.0)
        for j in range(len(W[0]))
    ]


def slow_layer_norm(x, g, b):
    mean = math.fsum(x) / len(x)
    variance = math.fsum((v - mean) ** 2 for v in x) / len(x)
    return [g[j] * (x[j] - mean) / math.sqrt(variance + 0.00001) + b[j] for j in range(len(x))]


def slow_gelu(v):
    return 0.5 * v * (1 + math.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3)))


def slow_attention(block, xs, n_head):
    d = len(xs[0])
    d_k = d // n_head
    qkv = [slow_vector_matrix(x, block["w_qkv"], block["b_qkv"]) for x in xs]
    out = []
    for t in range(len(xs)):
        joined = []
        for head in range(n_head):
            columns = range(head * d_k, (head + 1) * d_k)
            scores = [
                math.fsum(qkv[t][c] * qkv[j][d + c] for c in columns) / math.sqrt(d_k)
                for j in range(t + 1)
            ]
            weights = [math.exp(s - max(scores)) for s in scores]
            total = math.fsum(weights)
            joined += [
                math.fsum(weights[j] * qkv[j][2 * d + c] for j in range(t + 1)) / total
                for c in columns
            ]
        out.append(slow_vector_matrix(joined, block["w_o"], block["b_o"]))
    return out


def slow_gpt_logits(P, idx, n_head):
    """One sequence, one position, one head, one number at a time, in lists of Python floats."""
    P = {
        name: value.tolist() if name != "blocks" else
        [{n: v.tolist() for n, v in block.items()} for block in value]
        for name, value in P.items()
    }  # fmt: skip
    logits = []
    for sequence in idx:
        xs = [
            [a + b for a, b in zip(P["wte"][token], P["wpe"][t], strict=True)]
            for t, token in enumerate(sequence)
        ]
        for block in P["blocks"]:
            normed = [slow_layer_norm(x, block["ln1_g"], block["ln1_b"]) for x in xs]
            for x, add in zip(xs, slow_attention(block, normed, n_head), strict=True):
                x[:] = [a + b for a, b in zip(x, add, strict=True)]
            for x in xs:
                hidden = slow_vector_matrix(
                    slow_layer_norm(x, block["ln2_g"], block["ln2_b"]),
                    block["w_fc"], block["b_fc"],
                )  # fmt: skip
                add = slow_vector_matrix(
                    [slow_gelu(v) for v in hidden], block["w_proj"], block["b_proj"]
                )
                x[:] = [a + b for a, b in zip(x, add, strict=True)]
        final = [slow_layer_norm(x, P["lnf_g"], P["lnf_b"]) for x in xs]
        logits.append(
            [
                [math.fsum(a * b for a, b in zip(row, x, strict=True)) for row in P["wte"]]
                for x in final
            ]
        )
    return np.array(logits)


@SETTINGS
@given(
    B=st.integers(1, 3),
    T=st.integers(1, 6),
    spare=st.integers(0, 3),
    h=st.integers(1, 3),
    d_k=st.integers(1, 4),
    L=st.integers(1, 3),
    V=st.integers(1, 9),
    seed=st.integers(0, 2**32 - 1),
    scale=st.sampled_from([0.02, 0.3, 1.5]),
)
def test_logits_equal_those_of_the_slow_twin(
    draw_parameters, B, T, spare, h, d_k, L, V, seed, scale
):
    P = draw_parameters(V=V, T=T + spare, d=h * d_k, L=L, seed=seed, scale=scale)
    idx = np.random.default_rng(seed).integers(0, V, (B, T))
    expected = slow_gpt_logits(P, idx.tolist(), h)
    got = gpt_logits(P, idx, h)
    assert got.shape == (B, T, V)
    assert got.dtype == np.float64
    # a constant vector (d = 1, or d = 2 close together) is divided by sqrt(eps): hence the 1e-9
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


def test_first_and_last_token_and_a_full_context(draw_parameters):
    P = draw_parameters(V=11, T=7, d=6, L=2)
    idx = [[0, 10, 0, 10, 10, 0, 0]]
    np.testing.assert_allclose(gpt_logits(P, idx, 3), slow_gpt_logits(P, idx, 3), rtol=1e-11)


def test_scores_beyond_a_thousand_stay_exact(draw_parameters):
    P = draw_parameters(V=11, T=7, d=6, L=1)
    P["blocks"][0]["w_qkv"] *= 60  # scores of several thousand: exp without a shift overflows
    idx = [[3, 1, 4, 1, 5, 9, 2]]
    with np.errstate(all="raise", under="ignore"):
        got = gpt_logits(P, idx, 2)
    np.testing.assert_allclose(got, slow_gpt_logits(P, idx, 2), rtol=1e-9)


# ---------------------------------------------------------------- causality, batch, purity


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_later_token_changes_no_earlier_logit_by_a_single_bit(draw_parameters, dtype):
    P = draw_parameters(V=13, T=20, d=12, L=3, dtype=dtype)
    idx = np.random.default_rng(1).integers(0, 13, (2, 20))
    before = gpt_logits(P, idx, 4)
    for t in range(20):
        changed = idx.copy()
        changed[0, t] = (changed[0, t] + 1) % 13
        after = gpt_logits(P, changed, 4)
        np.testing.assert_array_equal(after[0, :t], before[0, :t])
        assert (np.abs(after[0, t:] - before[0, t:]).max(axis=-1) > 0).all()
        np.testing.assert_array_equal(after[1], before[1])  # the other sequence saw nothing


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_causality_holds_to_the_bit_at_sizes_where_blas_works_in_blocks(draw_parameters, dtype):
    P = draw_parameters(V=200, T=150, d=64, L=2, dtype=dtype, scale=0.1)
    idx = np.random.default_rng(1).integers(0, 200, (2, 150))
    before = gpt_logits(P, idx, 4)
    for t in (1, 63, 64, 100, 149):
        changed = idx.copy()
        changed[:, t] = (changed[:, t] + 1) % 200
        np.testing.assert_array_equal(gpt_logits(P, changed, 4)[:, :t], before[:, :t])


def test_a_prefix_has_the_logits_it_has_inside_the_longer_text(draw_parameters):
    P = draw_parameters(V=13, T=9, d=12, L=2)
    idx = np.random.default_rng(2).integers(0, 13, (1, 9))
    whole = gpt_logits(P, idx, 3)
    for T in range(1, 10):
        np.testing.assert_allclose(gpt_logits(P, idx[:, :T], 3), whole[:, :T], rtol=1e-11)


def test_each_sequence_of_a_batch_has_the_logits_it_has_alone(draw_parameters):
    P = draw_parameters(V=13, T=9, d=12, L=2)
    idx = np.random.default_rng(3).integers(0, 13, (4, 9))
    together = gpt_logits(P, idx, 3)
    for b in range(4):
        np.testing.assert_allclose(gpt_logits(P, idx[b : b + 1], 3)[0], together[b], rtol=1e-11)


def test_the_same_call_gives_the_same_bits_and_changes_nothing(draw_parameters):
    P = draw_parameters(V=13, T=9, d=12, L=2)
    idx = np.random.default_rng(4).integers(0, 13, (2, 5))
    kept, kept_idx = copy.deepcopy(P), idx.copy()
    for _, value in named_parameters(P):
        value.flags.writeable = False  # writing would raise
    idx.flags.writeable = False
    first = gpt_logits(P, idx, 3)
    gpt_logits(P, np.array([[1]]), 1)
    np.testing.assert_array_equal(gpt_logits(P, idx, 3), first)
    for (where, a), (_, b) in zip(named_parameters(P), named_parameters(kept), strict=True):
        np.testing.assert_array_equal(a, b, err_msg=where)
    np.testing.assert_array_equal(idx, kept_idx)


def test_the_logits_belong_to_the_caller(draw_parameters):
    P = draw_parameters(V=5, T=4, d=4, L=1)
    kept = copy.deepcopy(P)
    gpt_logits(P, [[1, 2]], 2)[...] = 99
    for (where, a), (_, b) in zip(named_parameters(P), named_parameters(kept), strict=True):
        np.testing.assert_array_equal(a, b, err_msg=where)


@pytest.mark.parametrize("layout", ["fortran", "strided", "reversed", "tuple of blocks"])
def test_parameters_of_any_memory_layout(draw_parameters, layout):
    P = draw_parameters(V=13, T=9, d=12, L=2)
    idx = np.random.default_rng(4).integers(0, 13, (2, 5))
    expected = gpt_logits(P, idx, 3)

    def lay_out(a):
        if layout == "fortran":
            return np.asfortranarray(a)
        if layout == "strided":
            return np.repeat(a, 2, axis=-1)[..., ::2]
        if layout == "reversed":
            return a[::-1].copy()[::-1]
        return a

    Q = {name: lay_out(value) for name, value in P.items() if name != "blocks"}
    Q["blocks"] = tuple({n: lay_out(v) for n, v in block.items()} for block in P["blocks"])
    np.testing.assert_allclose(gpt_logits(Q, idx, 3), expected, rtol=1e-11)


@pytest.mark.parametrize(
    "idx",
    [
        [[1, 2, 3]],
        ((1, 2, 3),),
        np.array([[1, 2, 3]], dtype=np.uint8),
        np.array([[1, 2, 3]], dtype=np.int16),
        np.array([[1, 2, 3]], dtype=np.uint64),
        np.array([[1], [2], [3]]).T,
        np.array([[1, 0, 2, 0, 3]])[:, ::2],
        np.array([[1, 2, 3]], dtype=">i4"),
    ],
)
def test_ids_in_any_integer_form(draw_parameters, idx):
    P = draw_parameters(V=5, T=4, d=4, L=1)
    expected = gpt_logits(P, np.array([[1, 2, 3]]), np.int64(2))
    np.testing.assert_array_equal(gpt_logits(P, idx, 2), expected)


def test_the_example_in_the_package_docstring_runs():
    result = doctest.testmod(course_lib)
    assert (result.attempted, result.failed) == (3, 0)


# ---------------------------------------------------------------- float32


def test_float32_parameters_give_float32_logits_near_the_float64_ones(draw_parameters):
    P64 = draw_parameters(V=31, T=12, d=24, L=3, dtype=np.float64)
    P32 = draw_parameters(V=31, T=12, d=24, L=3, dtype=np.float32)
    idx = np.random.default_rng(0).integers(0, 31, (2, 12))
    got, expected = gpt_logits(P32, idx, 4), gpt_logits(P64, idx, 4)
    assert got.dtype == np.float32
    assert np.abs(got - expected).max() <= 1e-5 * np.abs(expected).max()
    assert np.abs(got - expected).max() > 0  # it was computed in float32, not rounded at the end


def test_nothing_inside_becomes_float64_when_the_parameters_are_float32(draw_parameters):
    P = draw_parameters(V=7, T=6, d=8, L=2, dtype=np.float32)
    seen = {}

    def watch(frame, event, arg):
        if "course_lib" not in frame.f_code.co_filename:
            return None
        values = [*frame.f_locals.items(), ("return value", arg)]
        for name, value in values:
            if isinstance(value, (np.ndarray, np.floating)) and value.dtype.kind == "f":
                seen[frame.f_code.co_name, name] = value.dtype
        return watch

    old = sys.gettrace()
    sys.settrace(watch)
    try:
        gpt_logits(P, np.array([[1, 2, 3, 4, 5]]), 2)
    finally:
        sys.settrace(old)
    assert {("layer_norm", "variance"), ("attention_weights", "scores"), ("gelu", "inner")} <= set(
        seen
    )
    assert {key: dtype for key, dtype in seen.items() if dtype != np.float32} == {}


# ---------------------------------------------------------------- no loop


def instructions_executed(call):
    """Count the Python instructions that a call runs in any Python file, NumPy's included."""
    count = itertools.count()

    def trace(frame, event, arg):
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        if event == "opcode":
            next(count)
        return trace

    old = sys.gettrace()
    gc.collect()
    gc.disable()  # hypothesis hangs a Python function on the collector, and it would be counted
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(old)
        gc.enable()
    return next(count)


def test_no_python_loop_over_batch_positions_heads_or_features(draw_parameters):
    def count(B=2, T=3, h=2, d=12, V=5, L=2):
        P = draw_parameters(V=V, T=24, d=d, L=L)
        idx = np.random.default_rng(0).integers(0, V, (B, T))
        return instructions_executed(lambda: gpt_logits(P, idx, h))

    count()  # the first call may import or cache something
    base = count()
    assert base > 100
    assert count(B=17) == base
    assert count(T=24) == base
    assert count(h=12) == base
    assert count(d=36) == base
    assert count(V=50) == base
    # the blocks do follow one another: as many more for the fourth as for the third
    assert count(L=4) - count(L=3) == count(L=3) - base > 0


# ---------------------------------------------------------------- initialisation


@pytest.mark.parametrize("L", [1, 2, 8])
def test_initial_standard_deviations(L):
    P = init_gpt(V=300, T=200, d=96, L=L, seed=7)
    residual = 0.02 / math.sqrt(2 * L)
    block = P["blocks"][-1]
    for name, value, std in [
        ("wte", P["wte"], 0.02),
        ("wpe", P["wpe"], 0.02),
        ("w_qkv", block["w_qkv"], 0.02),
        ("w_fc", block["w_fc"], 0.02),
        ("w_o", block["w_o"], residual),
        ("w_proj", block["w_proj"], residual),
    ]:
        n = value.size
        assert abs(value.std() / std - 1) < 4 / math.sqrt(2 * n), name
        assert abs(value.mean()) < 4 * std / math.sqrt(n), name
        beyond = (np.abs(value) > 2 * std).mean()  # 4.55 % of a normal; a cut-off one has none
        assert abs(beyond - 0.0455) < 4 * math.sqrt(0.0455 / n), name


def test_initial_gains_are_one_and_biases_zero():
    P = init_gpt(V=9, T=8, d=4, L=2)
    for where, value in named_parameters(P):
        if where.endswith("_g']"):
            assert (value == 1).all(), where
        elif "'b_" in where or where.endswith("_b']"):
            assert (value == 0).all(), where
        else:
            assert (value != 0).all(), where


def test_a_seed_stands_for_one_draw():
    def draw(**kwargs):
        return [value for _, value in named_parameters(init_gpt(V=9, T=8, d=4, L=2, **kwargs))]

    default, zero, other = draw(), draw(seed=0), draw(seed=1)
    rounded = draw(seed=0, dtype=np.float32)
    for a, b, c in zip(default, zero, rounded, strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(a.astype(np.float32), c)
        assert a.dtype == np.float64
        assert c.dtype == np.float32
    assert (default[0] != other[0]).all()
    P = init_gpt(V=9, T=8, d=4, L=2)
    assert (P["blocks"][0]["w_o"] != P["blocks"][1]["w_o"]).all()
    assert (P["wte"][:8] != P["wpe"]).all()


def test_drawing_leaves_numpys_global_generator_alone():
    np.random.seed(3)  # noqa: NPY002 - the legacy generator is what must not move
    expected = np.random.RandomState(3).rand()
    init_gpt(V=9, T=8, d=4, L=2)
    assert np.random.rand() == expected  # noqa: NPY002


@pytest.mark.parametrize("seed", range(3))
def test_loss_of_a_fresh_model_is_ln_V(seed):
    P = init_gpt(V=56, T=64, d=64, L=2, seed=seed)
    idx = np.random.default_rng(seed).integers(0, 56, (4, 65))
    logits = gpt_logits(P, idx[:, :-1], 4)
    # over all next tokens alike: ln V and the little that unequal logits cost, half their variance
    assert 0 < -log_softmax(logits).mean() - math.log(56) < 0.02
    # over 256 random ones, with their noise
    assert abs(next_token_loss(logits, idx[:, 1:]) - math.log(56)) < 0.05


# ---------------------------------------------------------------- counts


def test_the_tiny_model_has_107776_parameters_and_gpt2_small_124439808():
    P = init_gpt(V=56, T=64, d=64, L=2)
    assert sum(value.size for _, value in named_parameters(P)) == 107_776
    model, block = parameter_shapes(50_257, 1024, 768)
    assert sum(map(math.prod, model.values())) + 12 * sum(map(math.prod, block.values())) == (
        124_439_808
    )


@SETTINGS
@given(V=st.integers(1, 30), T=st.integers(1, 20), d=st.integers(1, 9), L=st.integers(1, 3))
def test_drawn_parameters_are_as_many_as_counted(V, T, d, L):
    P = init_gpt(V, T, d, L)
    size = sum(value.size for _, value in named_parameters(P))
    assert size == V * d + T * d + L * (12 * d * d + 13 * d) + 2 * d
    assert size == count_gpt2_params(V, T, d, L)


def test_each_parameter_is_named_by_the_expression_that_reaches_it():
    P = init_gpt(V=5, T=4, d=2, L=2)
    names = [where for where, _ in named_parameters(P)]
    assert len(names) == len(set(names)) == 4 + 2 * 12
    assert "P['blocks'][1]['w_proj']" in names
    for where, value in named_parameters(P):
        assert eval(where, {"P": P}) is value


# ---------------------------------------------------------------- the loss


def test_loss_on_numbers_worked_out_by_hand():
    # probabilities 1/8, 2/8, 5/8 at the one position, uniform at the other
    logits = [[np.log([1.0, 2.0, 5.0]), [7.0, 7.0, 7.0]]]
    expected = (math.log(8) - math.log(5) + math.log(3)) / 2
    assert next_token_loss(logits, [[2, 0]]) == pytest.approx(expected, rel=1e-15)


def test_loss_of_a_confident_mistake_is_its_gap_not_infinity():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert next_token_loss([[[0.0, 5000.0]]], [[0]]) == 5000.0
        assert next_token_loss([[[0.0, 5000.0]]], [[1]]) == 0.0


def test_loss_takes_float32_logits_without_losing_digits():
    z = np.random.default_rng(0).normal(0, 5, (3, 4, 50)).astype(np.float32)
    y = np.random.default_rng(1).integers(0, 50, (3, 4))
    exact = -np.take_along_axis(log_softmax(z.astype(np.float64)), y[..., None], -1).mean()
    assert next_token_loss(z, y) == pytest.approx(exact, rel=1e-15)
