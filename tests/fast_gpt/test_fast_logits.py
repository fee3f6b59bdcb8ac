"""The fast engine gives the logits of the readable one, and leaves no trace."""

import copy
import doctest
import multiprocessing
import sys
import threading
import warnings
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import course_lib.fast_gpt
from course_lib import gpt_logits, init_gpt
from course_lib.fast_gpt import FastGPT, model, team
from course_lib.gpt_parameters import named_parameters

CLOSE = {np.float64: 1e-12, np.float32: 1e-5}  # as a share of the largest logit
DTYPES = pytest.mark.parametrize("dtype", [np.float64, np.float32])


def assert_same(got, expected, dtype, size=1e-30):
    """Compare logits by the largest of them, or by `size` where even that happens to be small."""
    assert got.dtype == expected.dtype == dtype
    assert got.shape == expected.shape
    np.testing.assert_allclose(
        got, expected, rtol=0, atol=CLOSE[dtype] * max(size, float(np.abs(expected).max()))
    )


@settings(max_examples=100)
@given(
    B=st.integers(1, 5),
    T=st.integers(1, 40),
    spare=st.integers(0, 3),
    h=st.integers(1, 6),
    d_k=st.integers(1, 9),
    L=st.integers(1, 3),
    V=st.integers(1, 70),
    threads=st.integers(1, 4),
    by_rows=st.booleans(),
    dtype=st.sampled_from([np.float64, np.float32]),
    scale=st.sampled_from([0.02, 0.1, 0.3]),
    seed=st.integers(0, 2**32 - 1),
)
def test_logits_of_any_shape(
    draw_parameters, B, T, spare, h, d_k, L, V, threads, by_rows, dtype, scale, seed
):
    if h * d_k < 6:
        d_k += 5  # see the next test
    P = draw_parameters(V=V, T=T + spare, d=h * d_k, L=L, seed=seed, scale=scale, dtype=dtype)
    idx = np.random.default_rng(seed).integers(0, V, (B, T))
    with mock.patch.object(model, "ROWS_FOR_A_MEMBER", 1 if by_rows else 1000):
        got = FastGPT(P, h, threads=threads)(idx)
    # A logit is usually as large as its row of the table is long.
    assert_same(got, gpt_logits(P, idx, h), dtype, np.linalg.norm(P["wte"], axis=1).max())


@pytest.mark.parametrize("d", range(1, 6))
def test_logits_of_the_narrowest_models(draw_parameters, d):
    """A vector of few numbers may be nearly constant; layer norm then magnifies its rounding."""
    for seed in range(20):
        P = draw_parameters(V=7, T=5, d=d, L=2, seed=seed)
        idx = np.random.default_rng(seed).integers(0, 7, (2, 5))
        expected = gpt_logits(P, idx, d)
        got = FastGPT(P, d)(idx)
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


@DTYPES
@pytest.mark.parametrize(
    ("B", "T"),
    # around the block of queries, and around the rows that go through the blocks at once
    [(1, 127), (1, 128), (1, 129), (2, 257), (3, 400), (9, 128), (1, 1030), (1025, 1), (2, 513)],
)
@pytest.mark.parametrize("threads", [1, 2])
def test_logits_where_the_work_is_cut_into_pieces(draw_parameters, B, T, threads, dtype):
    P = draw_parameters(V=33, T=1030, d=24, L=2, dtype=dtype, scale=0.1)
    idx = np.random.default_rng(T).integers(0, 33, (B, T))
    assert_same(FastGPT(P, 3, threads=threads)(idx), gpt_logits(P, idx, 3), dtype)


@DTYPES
def test_logits_at_initialisation(dtype):
    P = init_gpt(V=500, T=64, d=96, L=4, dtype=dtype)
    idx = np.random.default_rng(0).integers(0, 500, (3, 64))
    assert_same(FastGPT(P, 8)(idx), gpt_logits(P, idx, 8), dtype)


def test_more_threads_than_heads_columns_or_rows(draw_parameters):
    P = draw_parameters(V=3, T=16, d=8, L=1)
    idx = np.random.default_rng(0).integers(0, 3, (1, 16))
    assert_same(FastGPT(P, 8, threads=64)(idx), gpt_logits(P, idx, 8), np.float64)


def test_one_model_serves_calls_of_any_size_in_any_order(draw_parameters):
    P = draw_parameters(V=13, T=150, d=12, L=2)
    fast = FastGPT(P, 3, threads=3)
    rng = np.random.default_rng(0)
    for B, T in [(1, 3), (2, 149), (1, 1), (9, 7), (1, 150), (1, 2), (1, 149)]:
        idx = rng.integers(0, 13, (B, T))
        assert_same(fast(idx), gpt_logits(P, idx, 3), np.float64)
        assert_same(fast.next_logits(idx), gpt_logits(P, idx, 3)[:, -1], np.float64)


# ---------------------------------------------------------------- what it leaves behind


def test_the_same_call_gives_the_same_bits_and_changes_nothing(draw_parameters):
    P = draw_parameters(V=13, T=40, d=12, L=2)
    kept = copy.deepcopy(P)
    for _, value in named_parameters(P):
        value.flags.writeable = False  # writing would raise
    idx = np.random.default_rng(4).integers(0, 13, (2, 40))
    fast = FastGPT(P, 3)
    first = fast(idx)
    before = first.copy()
    second = fast(idx)
    fast(idx[:, ::-1])
    np.testing.assert_array_equal(first, before)  # the logits belong to the caller
    np.testing.assert_array_equal(second, before)
    for (where, a), (_, b) in zip(named_parameters(P), named_parameters(kept), strict=True):
        np.testing.assert_array_equal(a, b, err_msg=where)


def test_logits_are_written_to_out_if_it_is_given(draw_parameters):
    P = draw_parameters(V=13, T=600, d=12, L=2)
    fast = FastGPT(P, 3)
    idx = np.random.default_rng(4).integers(0, 13, (3, 600))
    out = np.full((3, 600, 13), np.nan)
    assert fast(idx, out=out) is out
    np.testing.assert_array_equal(out, fast(idx))
    for bad in (out[:, 1:], out.astype(np.float32), out.T.copy().T, out.tolist(), out[0]):
        with pytest.raises(
            ValueError, match=r"out must be a writeable array of shape \(3, 600, 13"
        ):
            fast(idx, out=bad)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="out must be a writeable array"):
        fast(idx, out=out)


def test_parameters_are_shared_not_copied(draw_parameters):
    P = draw_parameters(V=13, T=9, d=12, L=2)
    theirs = dict(named_parameters(FastGPT(P, 3).P))
    for where, value in named_parameters(P):
        assert np.shares_memory(value, theirs[where]), where


@pytest.mark.parametrize("lay_out", [
    np.asfortranarray,
    lambda a: np.repeat(a, 2, axis=-1)[..., ::2],
    lambda a: a[::-1].copy()[::-1],
])  # fmt: skip
def test_parameters_of_any_memory_layout(draw_parameters, lay_out):
    P = draw_parameters(V=13, T=9, d=12, L=2)
    idx = np.random.default_rng(4).integers(0, 13, (2, 9))
    Q = {name: lay_out(value) for name, value in P.items() if name != "blocks"}
    Q["blocks"] = tuple({n: lay_out(v) for n, v in block.items()} for block in P["blocks"])
    assert_same(FastGPT(Q, 3)(idx), gpt_logits(P, idx, 3), np.float64)


def test_every_intermediate_is_float32_when_the_parameters_are(draw_parameters):
    P = draw_parameters(V=7, T=20, d=8, L=2, dtype=np.float32)
    fast = FastGPT(P, 2, threads=1)
    seen = {}

    def watch(frame, event, arg):
        if "course_lib" not in frame.f_code.co_filename:
            return None
        for name, value in [*frame.f_locals.items(), ("return value", arg)]:
            if isinstance(value, (np.ndarray, np.floating)) and value.dtype.kind == "f":
                seen[frame.f_code.co_name, name] = value.dtype
        return watch

    old = sys.gettrace()
    sys.settrace(watch)
    try:
        cache = fast.new_cache()
        fast.extend(cache, np.ones((1, 18), int))
        fast.extend(cache, np.ones((1, 1), int))
        fast(np.ones((1, 20), int))
    finally:
        sys.settrace(old)
    assert {
        ("layer_norm_into", "variance"), ("add_bias_and_gelu", "u"), ("attend_last", "mixed"),
        ("attend_in_blocks", "scores"), ("attend_in_blocks", "total"), ("_share", "scratch"),
    } <= set(seen)  # fmt: skip
    assert {key: dtype for key, dtype in seen.items() if dtype != np.float32} == {}


@pytest.fixture
def blas():
    libraries = team.blas_libraries()
    if not libraries:
        pytest.skip("threadpoolctl is missing, or knows no BLAS here")
    before = [library.num_threads for library in libraries]
    yield libraries
    for library, threads in zip(libraries, before, strict=True):
        library.set_num_threads(threads)


def test_the_number_of_blas_threads_is_as_before_also_after_an_error(
    draw_parameters, blas, monkeypatch
):
    P = draw_parameters(V=13, T=40, d=12, L=2)
    for library in blas:
        library.set_num_threads(2)
    fast = FastGPT(P, 3)
    assert fast.threads == 2
    during = []
    attend = model.attend_in_blocks
    monkeypatch.setattr(
        model,
        "attend_in_blocks",
        lambda *args: (during.append([library.num_threads for library in blas]), attend(*args)),
    )
    fast(np.ones((1, 40), int))
    assert during
    assert all(threads == 1 for counts in during for threads in counts)
    assert [library.num_threads for library in blas] == [2] * len(blas)

    def broken(*_):
        raise MemoryError("no room")

    monkeypatch.setattr(model, "attend_in_blocks", broken)
    with pytest.raises(MemoryError, match="no room"):
        fast(np.ones((1, 40), int))
    assert [library.num_threads for library in blas] == [2] * len(blas)


@pytest.mark.parametrize(("given", "allowed"), [(1, 1), (2, 2), (5, 2)])
def test_the_next_token_is_shared_by_as_many_blas_threads_as_the_model_was_given(
    draw_parameters, blas, monkeypatch, given, allowed
):
    P = draw_parameters(V=13, T=40, d=12, L=2)
    fast = FastGPT(P, 3, threads=given)
    cache = fast.new_cache()
    fast.extend(cache, np.ones((1, 30), int))
    for library in blas:
        library.set_num_threads(2)
    if any(library.num_threads != 2 for library in blas):
        pytest.skip("this BLAS has a single thread")
    during = set()
    attend = model.attend_last
    monkeypatch.setattr(
        model,
        "attend_last",
        lambda *args: (during.update(library.num_threads for library in blas), attend(*args))[1],
    )
    fast.extend(cache, [[1]])
    assert during == {allowed}
    assert [library.num_threads for library in blas] == [2] * len(blas)


@pytest.mark.parametrize("who", [0, 1, 2])
@pytest.mark.timeout(20)
def test_an_error_in_any_thread_ends_them_all_and_is_told(who):
    def work(member):
        member.meet()
        if member.rank == who:
            raise KeyError(f"from thread {who}")
        member.meet()

    with pytest.raises(KeyError, match=f"from thread {who}"):
        team.run_team(3, work)


def test_shares_cover_everything_once():
    for n in (0, 1, 5, 12, 50_257):
        for size in (1, 2, 3, 7):
            shares = [team.Member(rank, size, None).share(n) for rank in range(size)]
            covered = [i for share in shares for i in range(n)[share]]
            assert covered == list(range(n))


def test_without_threadpoolctl_it_runs_in_one_python_thread(draw_parameters, monkeypatch):
    monkeypatch.setitem(sys.modules, "threadpoolctl", None)
    team.blas_libraries.cache_clear()
    try:
        P = draw_parameters(V=13, T=40, d=12, L=2)
        fast = FastGPT(P, 3)
        assert fast.threads == 1
        idx = np.ones((1, 40), int)
        assert_same(fast(idx), gpt_logits(P, idx, 3), np.float64)
    finally:
        team.blas_libraries.cache_clear()


def test_calls_from_several_threads_do_not_mix(draw_parameters):
    P = draw_parameters(V=13, T=40, d=12, L=2)
    fast = FastGPT(P, 3, threads=2)
    texts = np.random.default_rng(0).integers(0, 13, (6, 1, 40))
    expected = [fast(idx) for idx in texts]
    got = [None] * 6

    def call(i):
        for _ in range(5):
            got[i] = fast(texts[i])

    threads = [threading.Thread(target=call, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
@pytest.mark.timeout(60)
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_can_go_on_with_the_model(draw_parameters):
    P = draw_parameters(V=13, T=40, d=12, L=2)
    fast = FastGPT(P, 3, threads=2)
    idx = np.ones((1, 40), int)
    expected = fast(idx)
    queue = multiprocessing.get_context("fork").SimpleQueue()

    def child():
        queue.put(fast(idx))

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    process.join(30)
    assert process.exitcode == 0
    np.testing.assert_array_equal(queue.get(), expected)


# ---------------------------------------------------------------- bad input


def small(draw_parameters, **kwargs):
    return draw_parameters(V=7, T=5, d=6, L=1, **kwargs)


@pytest.mark.parametrize(
    ("idx", "n_head"),
    [
        ([[-1]], 2), ([[7]], 2), ([[0] * 6], 2), ([[0.5]], 2), ([0, 1], 2), ([[]], 2),
        ([["a"]], 2), ([[True]], 2), ([[0]], 4), ([[0]], 0), ([[0]], 1.5), ([[[0]]], 2),
    ],
)  # fmt: skip
def test_bad_ids_and_heads_get_the_words_of_the_readable_engine(draw_parameters, idx, n_head):
    P = small(draw_parameters)
    with pytest.raises((TypeError, ValueError)) as expected:
        gpt_logits(P, idx, n_head)
    for call in (lambda m: m(idx), lambda m: m.next_logits(idx)):
        with pytest.raises(type(expected.value)) as got:
            call(FastGPT(P, n_head))
        assert str(got.value) == str(expected.value)


def spoil_shape(P):
    P["wpe"] = P["wpe"].T


def spoil_dtype(P):
    P["blocks"][0]["w_o"] = P["blocks"][0]["w_o"].astype(np.float32)


def spoil_name(P):
    del P["lnf_g"]


def spoil_nan_in_a_block(P):
    P["blocks"][0]["b_fc"][3] = np.nan


def spoil_nan_in_an_unused_row(P):
    P["wte"][6] = np.nan


def spoil_infinity(P):
    P["blocks"][0]["w_qkv"][0, 0] = np.inf


def spoil_overflow(P):
    P["blocks"][0]["w_fc"] *= 1e300


def spoil_overflow_of_squares(P):
    P["wte"] *= 1e200


@pytest.mark.parametrize(
    "spoil",
    [
        spoil_shape, spoil_dtype, spoil_name, spoil_nan_in_a_block, spoil_nan_in_an_unused_row,
        spoil_infinity, spoil_overflow, spoil_overflow_of_squares,
    ],
)  # fmt: skip
def test_bad_parameters_get_the_words_of_the_readable_engine(draw_parameters, spoil):
    P = small(draw_parameters)
    spoil(P)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises((KeyError, TypeError, ValueError)) as expected:
            gpt_logits(P, [[0, 1, 2]], 2)
        for threads, idx in ((1, [[0, 1, 2]]), (2, [[0, 1, 2]] * 6)):
            with pytest.raises(type(expected.value)) as got:
                FastGPT(P, 2, threads)(idx)
            assert str(got.value) == str(expected.value)


def test_bad_thread_counts_are_refused(draw_parameters):
    with pytest.raises(ValueError, match="threads must be at least 1"):
        FastGPT(small(draw_parameters), 2, threads=0)


def test_the_example_in_the_docstring_runs():
    result = doctest.testmod(course_lib.fast_gpt)
    assert (result.attempted, result.failed) == (5, 0)
