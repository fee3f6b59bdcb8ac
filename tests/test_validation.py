"""Bad input: which error comes, and that it names the argument, what came and what is allowed.

Every table row is a mistake that a student makes, the exception it raises and words that the
message must hold. None of them may return a number.
"""

import subprocess
import sys
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib import gpt_logits, init_gpt, tied_lm_loss_and_grad
from course_lib.gpt import next_token_loss
from course_lib.gpt_parameters import named_parameters
from course_lib.tied import tied_gradient_paths
from course_lib.toy_gpt import (
    TOY_IDS,
    lesson_14_toy,
    sinusoidal_positions,
    toy_embed,
    toy_head,
    toy_logits,
    toy_residual_stream,
)
from course_lib.validation import describe, require_ids

NAN, INF = float("nan"), float("inf")


def bad(name, *values):
    return pytest.param(*values, id=name)


def check_refusal(call, error, words):
    """`call` raises exactly `error`, quietly, with all `words` in a message of few lines."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a NumPy warning before the error would only confuse
        with pytest.raises(error) as refused:
            call()
    assert refused.type is error
    message = refused.value.args[0]
    for word in words:
        assert word in message, message
    assert len(message) < 400, message
    assert "\n" not in message
    # raised by our checks, not by NumPy on the way
    ours = ("validation.py", "gpt.py", "gpt_parameters.py", "tied.py", "toy_gpt.py")
    assert refused.traceback[-1].path.name in ours


# ---------------------------------------------------------------- token ids

BAD_IDS = [  # for a vocabulary of 7 and a position table of 5 rows
    bad("negative", [[1, 2, -1]], ValueError, ["idx[0, 2] is -1", "between 0 and V - 1 = 6"]),
    bad("very negative", [[-(2**62)]], ValueError, ["idx[0, 0] is -46", "V - 1 = 6"]),
    bad("V itself", [[1], [7]], ValueError, ["idx[1, 0] is 7", "V - 1 = 6"]),
    bad("2**63", [[2**63]], ValueError, ["idx[0, 0] is 9223372036854775808"]),
    bad("2**64 + 1", [[2**64 + 1]], TypeError, ["idx", "integers", "18446744073709551617"]),
    bad(
        "wrapping unsigned",
        np.array([[2**64 - 1]], dtype=np.uint64),
        ValueError,
        ["idx[0, 0] is 18446744073709551615"],
    ),
    bad("whole floats", [[1.0, 2.0]], TypeError, ["idx", "[[1.0, 2.0]]", ".astype(int)"]),
    bad("fractions", [[0.5]], TypeError, ["idx", "integers", "[[0.5]]"]),
    bad("nan", [[NAN]], TypeError, ["idx", "nan"]),
    bad("float array", np.ones((2, 3)), TypeError, ["shape (2, 3) and dtype float64"]),
    bad("bool", [[True, False]], TypeError, ["idx", "True", "no list of ids"]),
    bad("one string", "hello", TypeError, ["idx", "'hello' of type str", "token ids first"]),
    bad("strings", [["to", "be"]], TypeError, ["idx", "'to'", "token ids first"]),
    bad("None", None, TypeError, ["idx", "None of type NoneType"]),
    bad("complex", [[1j]], TypeError, ["idx", "1j"]),
    bad("objects", [[object()]], TypeError, ["idx", "integers"]),
    bad("generator", (i for i in range(3)), TypeError, ["idx", "generator"]),
    bad("set", {1, 2}, TypeError, ["idx", "{1, 2} of type set"]),
    bad("datetime", np.array([["2024-01-01"]], dtype="M8[D]"), TypeError, ["datetime64"]),
    bad("ragged", [[1, 2, 3], [4]], ValueError, ["idx", "equally long", "[[1, 2, 3], [4]]"]),
    bad("one id", 3, ValueError, ["idx must have shape (B, T), got shape ()"]),
    bad("one sequence", [1, 2], ValueError, ["(B, T)", "got shape (2,)", "np.array(idx)[None, :]"]),
    bad("three axes", [[[1, 2]]], ValueError, ["(B, T)", "got shape (1, 1, 2)"]),
    bad("nothing", [], ValueError, ["idx must hold at least one token id, got shape (0,)"]),
    bad("no token", [[]], ValueError, ["at least one token id", "(1, 0)"]),
    bad("no sequence", np.empty((0, 3), int), ValueError, ["at least one token id", "(0, 3)"]),
    bad("too long", [[0] * 6], ValueError, ["T = 6", "only 5 rows", "keep the last 5"]),
    bad("masked", np.ma.masked_array([[1, 2]], [[0, 1]]), TypeError, ["idx", "MaskedArray"]),
]


@pytest.mark.parametrize(("idx", "error", "words"), BAD_IDS)
def test_gpt_logits_refuses_bad_ids(idx, error, words):
    P = init_gpt(V=7, T=5, d=6, L=1)
    check_refusal(lambda: gpt_logits(P, idx, 2), error, words)


BAD_SEQUENCES = [  # one sequence: for a vocabulary of 50, and of 7
    bad("negative", [1, -1], ValueError, ["[1] is -1", "between 0 and V - 1"]),
    bad("too big", [50], ValueError, ["[0] is 50", "between 0 and V - 1"]),
    bad("floats", [1.0], TypeError, ["[1.0]", ".astype(int)"]),
    bad("bool", [True], TypeError, ["[True]"]),
    bad("string", "12", TypeError, ["'12'"]),
    bad("batch", [[1, 2]], ValueError, ["must have shape (T,), got shape (1, 2)"]),
    bad("one id", 1, ValueError, ["must have shape (T,), got shape ()"]),
    bad("empty", [], ValueError, ["at least one token id"]),
    bad("ragged", [[1], [2, 3]], ValueError, ["equally long"]),
]


@pytest.mark.parametrize(("ids", "error", "words"), BAD_SEQUENCES)
@pytest.mark.parametrize("function", [toy_embed, toy_logits, toy_residual_stream])
def test_the_toy_refuses_bad_ids(function, ids, error, words):
    check_refusal(lambda: function(lesson_14_toy(), ids), error, ["ids", *words])


def test_the_toy_refuses_a_ninth_token():
    words = ["ids holds T = 9 tokens", "only 8 rows"]
    check_refusal(lambda: toy_logits(lesson_14_toy(), [0] * 9), ValueError, words)


@pytest.mark.parametrize(("ids", "error", "words"), BAD_SEQUENCES)
@pytest.mark.parametrize("argument", ["idx", "targets"])
@pytest.mark.parametrize("function", [tied_lm_loss_and_grad, tied_gradient_paths])
def test_the_tied_miniature_refuses_bad_ids(function, argument, ids, error, words):
    arguments = {"E": np.eye(7), "A": np.eye(7), "idx": [0], "targets": [0], argument: ids}
    check_refusal(lambda: function(**arguments), error, [argument, *words])


@pytest.mark.parametrize(("ids", "error", "words"), BAD_IDS[:-2])
def test_the_loss_refuses_bad_targets(ids, error, words):
    words = [word.replace("idx", "targets") for word in words]
    check_refusal(lambda: next_token_loss(np.zeros((1, 3, 7)), ids), error, words)


# ---------------------------------------------------------------- heads and sizes


@pytest.mark.parametrize(
    ("n_head", "error", "words"),
    [
        bad("no divisor", 4, ValueError, ["n_head = 4", "d = 6", "allowed: 1, 2, 3, 6"]),
        bad("more than d", 12, ValueError, ["n_head = 12", "allowed: 1, 2, 3, 6"]),
        bad("zero", 0, ValueError, ["n_head must be at least 1, got 0"]),
        bad("negative", -2, ValueError, ["n_head must be at least 1, got -2"]),
        bad("bool", True, TypeError, ["n_head must be an integer, got True of type bool"]),
        bad("numpy bool", np.True_, TypeError, ["n_head must be an integer"]),
        bad("float", 2.0, TypeError, ["n_head must be an integer, got 2.0 of type float"]),
        bad("string", "2", TypeError, ["n_head must be an integer, got '2' of type str"]),
        bad("None", None, TypeError, ["n_head must be an integer, got None"]),
        bad("list", [2], TypeError, ["n_head must be an integer, got [2] of type list"]),
        bad("array", np.array([2]), TypeError, ["n_head", "an array of shape (1,)"]),
    ],
)
def test_bad_head_counts(n_head, error, words):
    P = init_gpt(V=7, T=5, d=6, L=1)
    check_refusal(lambda: gpt_logits(P, [[1]], n_head), error, words)
    check_refusal(lambda: lesson_14_toy(d=6, n_head=n_head), error, words)


BAD_SIZES = [
    bad("zero", 0, ValueError, "must be at least 1, got 0"),
    bad("negative", -1, ValueError, "must be at least 1, got -1"),
    bad("float", 4.0, TypeError, "must be an integer, got 4.0 of type float"),
    bad("bool", True, TypeError, "must be an integer, got True of type bool"),
    bad("string", "4", TypeError, "must be an integer, got '4' of type str"),
    bad("None", None, TypeError, "must be an integer, got None"),
    bad("nan", NAN, TypeError, "must be an integer, got nan"),
]


@pytest.mark.parametrize(("value", "error", "words"), BAD_SIZES)
@pytest.mark.parametrize("name", ["V", "T", "d", "L"])
def test_init_gpt_refuses_bad_sizes(name, value, error, words):
    sizes = {"V": 7, "T": 5, "d": 6, "L": 1, name: value}
    check_refusal(lambda: init_gpt(**sizes), error, [f"{name} {words}"])


@pytest.mark.parametrize(("value", "error", "words"), BAD_SIZES)
@pytest.mark.parametrize("name", ["V", "T", "d", "N"])
def test_the_toy_refuses_bad_sizes(name, value, error, words):
    check_refusal(lambda: lesson_14_toy(**{name: value}), error, [f"{name} {words}"])


@pytest.mark.parametrize(("value", "error", "words"), BAD_SIZES)
@pytest.mark.parametrize("name", ["T", "d"])
def test_positions_refuse_bad_sizes(name, value, error, words):
    sizes = {"T": 4, "d": 4, name: value}
    check_refusal(lambda: sinusoidal_positions(**sizes), error, [f"{name} {words}"])


def test_positions_refuse_an_odd_width():
    words = ["d must be even", "got 5"]
    check_refusal(lambda: sinusoidal_positions(4, 5), ValueError, words)
    check_refusal(lambda: lesson_14_toy(d=5, n_head=5), ValueError, words)


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        bad("float16", {"dtype": np.float16}, ValueError, ["dtype", "np.float32", "float16"]),
        bad("int", {"dtype": int}, ValueError, ["dtype", "np.float64", "int"]),
        bad("complex", {"dtype": complex}, ValueError, ["dtype", "complex"]),
        bad("unknown", {"dtype": "floaty"}, ValueError, ["dtype", "'floaty'"]),
        bad("negative seed", {"seed": -1}, ValueError, ["seed must be at least 0, got -1"]),
        bad("seed None", {"seed": None}, TypeError, ["seed must be an integer, got None"]),
        bad("float seed", {"seed": 1.0}, TypeError, ["seed must be an integer, got 1.0"]),
        bad("list seed", {"seed": [1, 2]}, TypeError, ["seed must be an integer, got [1, 2]"]),
    ],
)
def test_init_gpt_refuses_bad_seeds_and_dtypes(changes, error, words):
    check_refusal(lambda: init_gpt(V=7, T=5, d=6, L=1, **changes), error, words)


# ---------------------------------------------------------------- parameters


def drop(*path):
    def change(P):
        *way, last = path
        for step in way:
            P = P[step]
        del P[last]

    return change


def put(value, *path):
    """Replace what lies at `path`; a function is applied to what is there."""

    def change(P):
        *way, last = path
        for step in way:
            P = P[step]
        P[last] = value(P.get(last)) if callable(value) else value

    return change


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        bad("no wte", drop("wte"), KeyError, ["P lacks 'wte'; it holds 'blocks', 'lnf_b'"]),
        bad("no blocks", drop("blocks"), KeyError, ["P lacks 'blocks'"]),
        bad("no lnf_b", drop("lnf_b"), KeyError, ["P lacks 'lnf_b'"]),
        bad("no b_o", drop("blocks", 1, "b_o"), KeyError, ["P['blocks'][1] lacks 'b_o'"]),
        bad("untied head", put(np.eye(6), "lm_head"), ValueError, ["P holds 'lm_head'", "wte"]),
        bad("a setting", put(2, "n_head"), ValueError, ["P holds 'n_head', for which"]),
        bad(
            "misplaced",
            put(np.ones(6), "blocks", 0, "ln3_g"),
            ValueError,
            ["P['blocks'][0] holds 'ln3_g'", "allowed: 'ln1_g'"],
        ),
        bad("blocks empty", put([], "blocks"), ValueError, ["P['blocks']", "at least one block"]),
        bad("blocks a dict", put({}, "blocks"), TypeError, ["P['blocks'] must be a list", "dict"]),
        bad("blocks a number", put(2, "blocks"), TypeError, ["P['blocks']", "2 of type int"]),
        bad("blocks lazy", put(iter, "blocks"), TypeError, ["P['blocks']", "iterator"]),
        bad("a block a list", put([[1]], "blocks"), TypeError, ["P['blocks'][0] must be a dict"]),
        bad(
            "wpe too narrow",
            put(np.ones((5, 4)), "wpe"),
            ValueError,
            ["P['wpe'] must have shape (5, 6)", "d = 6", "(5, 4)"],
        ),
        bad("wte transposed", put(lambda w: w.T, "wte"), ValueError, ["d = 7", "(5, 6)"]),
        bad("wte flat", put(np.ones(6), "wte"), ValueError, ["P['wte']", "(V, d)", "(6,)"]),
        bad("wpe empty", put(np.ones((0, 6)), "wpe"), ValueError, ["P['wpe']", "(0, 6)"]),
        bad("wte cubic", put(np.ones((7, 6, 1)), "wte"), ValueError, ["P['wte']", "(7, 6, 1)"]),
        bad(
            "weights (output, input)",
            put(lambda w: w.T, "blocks", 1, "w_qkv"),
            ValueError,
            [
                "P['blocks'][1]['w_qkv'] must have shape (6, 18)",
                "got (18, 6): weights",
                "transpose",
            ],
        ),
        bad(
            "bias a row",
            put(lambda b: b[None], "blocks", 0, "b_fc"),
            ValueError,
            ["P['blocks'][0]['b_fc'] must have shape (24,)", "got (1, 24)"],
        ),
        bad("gain a scalar", put(np.array(1.0), "lnf_g"), ValueError, ["P['lnf_g']", "(6,)", "()"]),
        bad(
            "one float32",
            put(lambda w: w.astype(np.float32), "blocks", 0, "w_o"),
            TypeError,
            ["P['blocks'][0]['w_o'] is float32", "P['wte'] is float64", ".astype"],
        ),
        bad(
            "all but one float64",
            put(lambda w: w.astype(np.float32), "wte"),
            TypeError,
            ["P['wpe'] is float64 and P['wte'] is float32"],
        ),
        bad("a list", put(lambda w: w.tolist(), "wte"), TypeError, ["P['wte']", "type list"]),
        bad("ragged", put([[1.0], [1.0, 2.0]], "wpe"), TypeError, ["P['wpe']", "type list"]),
        bad("None", put(None, "lnf_g"), TypeError, ["P['lnf_g']", "None of type NoneType"]),
        bad("a number", put(1.0, "lnf_g"), TypeError, ["P['lnf_g']", "1.0 of type float"]),
        bad(
            "masked",
            put(lambda w: np.ma.masked_array(w, w > 0), "wte"),
            TypeError,
            ["P['wte']", "MaskedArray"],
        ),
        bad(
            "matrix",
            put(lambda w: w.view(np.matrix), "blocks", 0, "w_o"),
            TypeError,
            ["P['blocks'][0]['w_o']", "a matrix of shape (6, 6)"],
        ),
    ],
)
def test_gpt_logits_refuses_bad_parameters(change, error, words):
    P = init_gpt(V=7, T=5, d=6, L=2)
    change(P)
    check_refusal(lambda: gpt_logits(P, [[1, 2]], 2), error, words)


@pytest.mark.parametrize(
    "dtype", ["float16", "int64", "int8", "bool", "complex128", "object", "U3", ">f8", "longdouble"]
)
@pytest.mark.parametrize(
    "path", [("wte",), ("lnf_b",), ("blocks", 1, "w_fc"), ("blocks", 0, "b_o")]
)
def test_gpt_logits_refuses_other_dtypes(path, dtype):
    if dtype == "longdouble" and np.dtype(dtype) == np.float64:
        pytest.skip("long double is float64 on this machine")
    P = init_gpt(V=7, T=5, d=6, L=2)
    put(lambda w: w.astype(dtype), *path)(P)
    words = [f"[{path[-1]!r}]", "float64 or float32", f"dtype {np.dtype(dtype)}"]
    check_refusal(lambda: gpt_logits(P, [[1, 2]], 2), TypeError, words)


@pytest.mark.parametrize("P", [None, [], "gpt2", np.ones((7, 6)), 3], ids=repr)
def test_gpt_logits_refuses_what_is_no_dict(P):
    check_refusal(lambda: gpt_logits(P, [[1]], 2), TypeError, ["P must be a dict, got"])


def every_parameter():
    return [where for where, _ in named_parameters(init_gpt(V=7, T=5, d=6, L=2))]


@pytest.mark.parametrize("where", every_parameter())
def test_one_bad_number_in_any_parameter_is_found_and_named(draw_parameters, where):
    for dtype in (np.float64, np.float32):
        P = draw_parameters(V=7, T=5, d=6, L=2, dtype=dtype)
        array = dict(named_parameters(P))[where]
        place = tuple(size // 2 for size in array.shape)
        for value in (NAN, INF, -INF):
            array[place] = value
            words = [f"{where}{list(place)} is {value}", "finite"]
            check_refusal(lambda P=P: gpt_logits(P, [[1, 2, 3, 4, 5]], 2), ValueError, words)


def test_a_bad_number_that_no_token_reads_is_no_error(draw_parameters):
    P = draw_parameters(V=7, T=5, d=6, L=2)
    expected = gpt_logits(P, [[1, 2]], 2)
    P["wpe"][2:] = NAN  # positions beyond this sequence
    np.testing.assert_array_equal(gpt_logits(P, [[1, 2]], 2), expected)


@pytest.mark.parametrize("where", every_parameter())
@pytest.mark.parametrize(
    ("dtype", "huge"), [(np.float32, 3e38), (np.float64, 1.7e308)], ids=["float32", "float64"]
)
def test_overflow_is_an_error_or_did_no_harm(draw_parameters, where, dtype, huge):
    """Numbers near the largest float: either the words say so, or the logits are right.

    Right means what the same numbers give in a wider type; only float32 has one everywhere.
    """
    P = draw_parameters(V=7, T=5, d=6, L=2, dtype=dtype)
    array = dict(named_parameters(P))[where]
    array[...] = np.copysign(dtype(huge), array)
    idx = [[1, 2, 3, 4, 5]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            got = gpt_logits(P, idx, 2)
        except ValueError as error:
            assert f"overflow {np.dtype(dtype)}" in str(error)  # noqa: PT017 - it need not come
            return
    assert np.isfinite(got).all()
    if dtype is np.float32:
        wide = {n: v.astype(np.float64) for n, v in P.items() if n != "blocks"}
        wide["blocks"] = [{n: v.astype(np.float64) for n, v in b.items()} for b in P["blocks"]]
        expected = gpt_logits(wide, idx, 2)
        assert np.abs(got - expected).max() <= 1e-3 * np.abs(expected).max()


def test_a_layer_norm_whose_squares_overflow_is_an_error_not_zeros(draw_parameters):
    P = draw_parameters(V=7, T=5, d=6, L=1, dtype=np.float32)
    P["wte"] *= np.float32(1e25)
    check_refusal(
        lambda: gpt_logits(P, [[1, 2]], 2), ValueError, ["overflow float32", "e+24, in P['wte']"]
    )


# ---------------------------------------------------------------- logits, tables, masks

BAD_TABLES = [
    bad("one axis", [1.0, 2.0], ValueError, ["must have shape", "got (2,)"]),
    bad("empty", np.ones((0, 3)), ValueError, ["at least 1", "(0, 3)"]),
    bad("string", "E", TypeError, ["real numbers", "'E' of type str"]),
    bad("bool", [[True]], TypeError, ["real numbers", "True"]),
    bad("complex", [[1j]], TypeError, ["real numbers", "1j"]),
    bad("object", [[None]], TypeError, ["real numbers", "None"]),
    bad("ragged", [[1.0], [1.0, 2.0]], ValueError, ["equally long"]),
    bad("nan", [[0.0, NAN]], ValueError, ["[0, 1] is nan", "finite"]),
    bad("inf", [[-INF, 0.0]], ValueError, ["[0, 0] is -inf", "finite"]),
    bad("masked", np.ma.masked_array([[1.0]], [[1]]), TypeError, ["MaskedArray"]),
]


@pytest.mark.parametrize(("E", "error", "words"), BAD_TABLES)
@pytest.mark.parametrize("function", [tied_lm_loss_and_grad, tied_gradient_paths])
def test_the_tied_miniature_refuses_bad_tables(function, E, error, words):
    check_refusal(lambda: function(E, np.eye(2), [0], [0]), error, ["E", *words])


@pytest.mark.parametrize(
    ("A", "words"),
    [
        bad("not square", np.ones((3, 2)), ["A must have shape (3, 3), got (3, 2)"]),
        bad("too small", np.eye(2), ["A must have shape (3, 3), got (2, 2)"]),
        bad("a vector", np.ones(3), ["A must have shape (3, 3), got (3,)"]),
        bad("nan", np.full((3, 3), NAN), ["A[0, 0] is nan"]),
    ],
)
def test_the_tied_miniature_refuses_a_bad_layer(A, words):
    E = np.ones((5, 3))
    check_refusal(lambda: tied_lm_loss_and_grad(E, A, [0], [0]), ValueError, words)


def test_the_tied_miniature_refuses_targets_of_another_length():
    words = ["targets must be as long as idx (2 ids), got 3"]
    E = np.eye(3)
    check_refusal(lambda: tied_lm_loss_and_grad(E, E, [0, 1], [0, 1, 2]), ValueError, words)


@pytest.mark.parametrize(
    ("E", "A", "ids"),
    [
        (np.full((2, 2), 1e200), np.array([[1e200, 0.0], [-1e200, 0.0]]), [0]),  # inf - inf
        (np.array([[1.7e308], [-1.7e308]]), np.ones((1, 1)), [0]),  # a gap wider than a float
        (np.array([[1.7e308], [-1.7e308]]), np.ones((1, 1)), [0, 0]),  # in the loss alone
        (  # in the gradient alone
            np.array([[1.0, 1.7e308], [1.0, -1.7e308], [1.0, -1.7e308]]),
            np.array([[100.0, 0.0], [0.0, 0.0]]),
            [0],
        ),
        (np.full((2, 9), 1e38, np.float32), np.eye(9, dtype=np.float32), [0]),
    ],
)
def test_the_tied_miniature_says_when_it_overflows(E, A, ids):
    words = ["E or A", "overflow float"]
    targets = [0 if len(E) == 3 else 1] * len(ids)
    check_refusal(lambda: tied_lm_loss_and_grad(E, A, ids, targets), ValueError, words)


@pytest.mark.parametrize(
    ("logits", "targets", "error", "words"),
    [
        bad("one axis short", np.zeros((2, 7)), [[0, 0]], ValueError, ["logits", "(B, T, V)"]),
        bad("nan", np.full((1, 1, 7), NAN), [[0]], ValueError, ["logits[0, 0, 0] is nan"]),
        bad("no vocabulary", np.zeros((1, 1, 0)), [[0]], ValueError, ["logits", "at least 1"]),
        bad("strings", [[["a"]]], [[0]], TypeError, ["logits must hold real numbers"]),
        bad(
            "longer", np.zeros((1, 2, 7)), [[0, 0, 0]], ValueError, ["targets", "(1, 2)", "(1, 3)"]
        ),
        bad("batches", np.zeros((2, 1, 7)), [[0]], ValueError, ["targets", "(2, 1)", "(1, 1)"]),
        bad("inputs as T + 1", np.zeros((1, 1, 7)), [[7]], ValueError, ["targets[0, 0] is 7"]),
    ],
)
def test_the_loss_refuses_bad_logits_and_targets(logits, targets, error, words):
    check_refusal(lambda: next_token_loss(logits, targets), error, words)


def causal(value):
    return np.where(np.tri(8, dtype=bool), 0.0, value)


@pytest.mark.parametrize(
    ("mask", "error", "words"),
    [
        bad("bool", np.tri(8, dtype=bool), TypeError, ["mask", "dtype bool", "np.where(allowed"]),
        bad("ones and zeros", np.tri(8), ValueError, ["mask[0, 0] is 1.0", "np.where(allowed"]),
        bad("its integers", np.tri(8, dtype=int), ValueError, ["mask[0, 0] is 1"]),
        bad("upside down", -causal(-INF), ValueError, ["mask[0, 1] is inf"]),
        bad("nan", np.full((8, 8), NAN), ValueError, ["mask[0, 0] is nan"]),
        bad("too small", np.zeros((7, 7)), ValueError, ["mask must have shape (8, 8), got (7, 7)"]),
        bad("a row", np.zeros(8), ValueError, ["(8, 8)", "(8,)"]),
        bad("per head", np.zeros((4, 8, 8)), ValueError, ["(8, 8)", "(4, 8, 8)"]),
        bad("all forbidden", np.full((8, 8), -INF), ValueError, ["mask row 0 forbids every key"]),
        bad("no self", np.triu(np.full((8, 8), -INF)), ValueError, ["mask row 0 forbids"]),
        bad("string", "causal", TypeError, ["mask", "'causal' of type str"]),
        bad("ragged", [[0.0], [0.0, 0.0]], ValueError, ["mask", "equally long"]),
        bad("complex", np.zeros((8, 8), complex), TypeError, ["mask", "complex128"]),
        bad("True", True, TypeError, ["mask", "True of type bool"]),
    ],
)
@pytest.mark.parametrize("function", [toy_logits, toy_residual_stream])
def test_the_toy_refuses_bad_masks(function, mask, error, words):
    check_refusal(lambda: function(lesson_14_toy(), TOY_IDS, mask), error, words)


@pytest.mark.parametrize(
    ("scale", "error", "words"),
    [
        bad("nan", NAN, ValueError, ["branch_scale must be finite, got nan"]),
        bad("inf", -INF, ValueError, ["branch_scale must be finite, got -inf"]),
        bad("string", "1", TypeError, ["branch_scale must be a number, got '1' of type str"]),
        bad("None", None, TypeError, ["branch_scale must be a number, got None"]),
        bad("bool", True, TypeError, ["branch_scale must be a number, got True"]),
        bad("per block", np.ones(4), TypeError, ["branch_scale", "array of shape (4,)"]),
    ],
)
def test_the_toy_refuses_bad_branch_scales(scale, error, words):
    toy = lesson_14_toy()
    check_refusal(lambda: toy_logits(toy, TOY_IDS, branch_scale=scale), error, words)


@pytest.mark.parametrize(
    ("H", "error", "words"),
    [
        bad("too narrow", np.zeros((8, 63)), ValueError, ["H must have shape (T, 64)", "(8, 63)"]),
        bad("a batch", np.zeros((1, 8, 64)), ValueError, ["(T, 64)", "(1, 8, 64)"]),
        bad("no position", np.zeros((0, 64)), ValueError, ["H", "at least 1", "(0, 64)"]),
        bad("nan", np.full((8, 64), NAN), ValueError, ["H[0, 0] is nan"]),
        bad("strings", [["a"]], TypeError, ["H must hold real numbers"]),
    ],
)
def test_the_toys_head_refuses_bad_streams(H, error, words):
    check_refusal(lambda: toy_head(lesson_14_toy(), H), error, words)


# ---------------------------------------------------------------- the words themselves


def test_what_came_is_said_in_one_short_line_however_large_or_odd_it_is():
    class Silent:
        def __repr__(self):
            raise RuntimeError("no repr")

    class Lines:
        def __repr__(self):
            return "tensor([[1.0],\n        [2.0]])"

    for value in (
        [[0.0] * 5000] * 5000,
        "x" * 10_000,
        Silent(),
        Lines(),
        {i: i for i in range(99)},
    ):
        text = describe(value)
        assert len(text) < 100
        assert "\n" not in text
        assert text.endswith(f"of type {type(value).__name__}")


def test_good_ids_come_back_without_a_copy():
    ids = np.array([[1, 2]])
    assert require_ids("idx", ids, vocabulary=3, ndim=2, max_T=2) is ids


ATOMS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.complex_numbers() | st.text()
    | st.binary() | st.dates() | st.integers(0, 6) | st.builds(object) | st.just(np.float64)
)  # fmt: skip
JUNK = st.recursive(
    ATOMS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
)


@settings(max_examples=300)
@given(junk=JUNK, where=st.integers(0, 7))
def test_whatever_comes_either_works_or_is_refused_in_words(junk, where):
    P = init_gpt(V=7, T=5, d=6, L=1)
    calls = [
        lambda: gpt_logits(P, junk, 2),
        lambda: gpt_logits(P, [[1, 2]], junk),
        lambda: gpt_logits(junk, [[1, 2]], 2),
        lambda: gpt_logits({**P, "wte": junk}, [[1, 2]], 2),
        lambda: gpt_logits({**P, "blocks": junk}, [[1, 2]], 2),
        lambda: tied_lm_loss_and_grad(junk, np.eye(2), [0], [0]),
        lambda: tied_lm_loss_and_grad(np.eye(2), np.eye(2), [0], junk),
        lambda: next_token_loss(junk, [[0]]),
    ]
    try:
        calls[where]()
    except (KeyError, TypeError, ValueError) as error:
        argument = ["idx", "n_head", "P", "P", "P", "E", "targets", "logits"][where]
        assert argument in str(error)  # noqa: PT017 - junk may be good input by chance


# ---------------------------------------------------------------- what an import costs


def modules_after(statement):
    script = f"import sys; {statement}; print('\\n'.join(sys.modules))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_importing_the_course_costs_numpy_and_little_else():
    added = modules_after("import course_lib") - modules_after("import numpy")
    packages = {name.split(".")[0] for name in added} - {"course_lib", "numpy"}
    assert packages <= set(sys.stdlib_module_names) | {"_csv", "_decimal"}, packages
    assert len(added) <= 60, sorted(added)


def test_importing_the_course_takes_at_most_ten_milliseconds_beside_numpy():
    script = (
        "import numpy, time; start = time.process_time(); import course_lib;"
        "print(1000 * (time.process_time() - start))"
    )
    python = [sys.executable, "-c", script]
    spent = [float(subprocess.run(python, capture_output=True, check=True).stdout)]
    while min(spent) > 10 and len(spent) < 8:  # a busy machine slows even what is counted here
        spent.append(float(subprocess.run(python, capture_output=True, check=True).stdout))
    assert min(spent) <= 10, spent


def test_counting_is_imported_at_its_first_use():
    assert "course_lib.counting" not in modules_after("import course_lib")
    assert "course_lib.counting" in modules_after("from course_lib import count_gpt2_params")
    assert modules_after("from course_lib import *; count_gpt2_params")
    with pytest.raises(ImportError, match="count_llama"):
        from course_lib import count_llama  # noqa: F401


OPTIONAL = {
    "torch", "matplotlib", "scipy", "pandas", "IPython", "transformers", "safetensors",
    "tokenizers", "threadpoolctl",
}  # fmt: skip


@pytest.mark.parametrize(
    "module",
    [
        "gpt", "toy_gpt", "tied", "layers", "rustlab_random", "validation", "fast_gpt", "sampling",
        "checkpoint", "safetensors_files", "tokenizer", "generate", "reciting_gpt",
    ],
)  # fmt: skip
def test_no_part_of_the_engine_imports_an_optional_package_before_it_is_used(module):
    assert not modules_after(f"import course_lib.{module}") & OPTIONAL
