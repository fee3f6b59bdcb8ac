"""GPT-2 in NumPy against two others: our PyTorch twin, and the one in Hugging Face transformers."""

import math
import warnings

import numpy as np
import pytest

from course_lib.gpt import gpt_logits
from course_lib.gpt_parameters import named_parameters

torch = pytest.importorskip("torch")

from course_lib.torch_gpt import (  # noqa: E402 - needs torch
    TorchGPT,
    checkpoint_tensors,
    load_numpy,
    torch_logits,
)


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Matrices this small only wait for a second thread, long on a busy machine."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


SHAPES = [  # B, T, T_max, h, d_k, L, V
    (2, 5, 9, 3, 4, 2, 11),
    (1, 1, 1, 1, 2, 1, 2),
    (3, 8, 8, 2, 5, 3, 7),  # the whole context; V < T_max
    (1, 6, 7, 4, 1, 1, 30),
    (4, 1, 3, 1, 6, 2, 5),
    (2, 33, 40, 4, 16, 2, 56),
]


def draw_ids(B, T, V, seed=0):
    return np.random.default_rng(seed).integers(0, V, (B, T))


def hugging_face(P, n_head):
    transformers = pytest.importorskip("transformers")
    V, d = P["wte"].shape
    config = transformers.GPT2Config(
        vocab_size=V, n_positions=len(P["wpe"]), n_embd=d, n_layer=len(P["blocks"]), n_head=n_head,
        bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    model = transformers.GPT2LMHeadModel(config).eval().to(torch.from_numpy(P["wte"]).dtype)
    tensors = {
        f"transformer.{name}": torch.from_numpy(value.copy())
        for name, value in checkpoint_tensors(P).items()
    }
    result = model.load_state_dict(tensors, strict=False)
    assert result.unexpected_keys == []
    assert result.missing_keys == ["lm_head.weight"]  # tied to wte
    return model


def hugging_face_logits(P, idx, n_head):
    with torch.no_grad():
        return hugging_face(P, n_head)(torch.tensor(idx)).logits.numpy()


OTHERS = pytest.mark.parametrize("other", [torch_logits, hugging_face_logits])


@OTHERS
@pytest.mark.parametrize("shape", SHAPES)
def test_float64_logits_agree_to_rounding(draw_parameters, shape, other):
    B, T, T_max, h, d_k, L, V = shape
    P = draw_parameters(V=V, T=T_max, d=h * d_k, L=L, seed=sum(shape))
    idx = draw_ids(B, T, V)
    got, expected = gpt_logits(P, idx, h), other(P, idx, h)
    assert expected.dtype == np.float64
    assert np.abs(expected).max() > 0.1  # nothing vanished
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12 * max(1, np.abs(expected).max()))


@OTHERS
@pytest.mark.parametrize("shape", SHAPES)
def test_float32_logits_agree_to_float32_rounding(draw_parameters, shape, other):
    B, T, T_max, h, d_k, L, V = shape
    P = draw_parameters(V=V, T=T_max, d=h * d_k, L=L, seed=sum(shape), dtype=np.float32)
    idx = draw_ids(B, T, V)
    got, expected = gpt_logits(P, idx, h), other(P, idx, h)
    assert got.dtype == expected.dtype == np.float32
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-5 * np.abs(expected).max())


@OTHERS
@pytest.mark.parametrize("seed", range(3))
def test_agreement_at_initialisation(seed, other):
    from course_lib import init_gpt

    P = init_gpt(V=56, T=64, d=64, L=2, seed=seed)
    idx = draw_ids(2, 64, 56, seed)
    np.testing.assert_allclose(gpt_logits(P, idx, 4), other(P, idx, 4), rtol=0, atol=1e-14)


def test_every_single_parameter_matters_to_both_alike(draw_parameters):
    """Nudge one tensor at a time: a tensor that one of the two ignored or swapped shows here."""
    P = draw_parameters(V=7, T=5, d=6, L=2)
    idx = draw_ids(2, 5, 7)
    base = gpt_logits(P, idx, 2)
    rng = np.random.default_rng(0)
    for where, value in named_parameters(P):
        kept = value.copy()
        value[...] += rng.normal(0, 0.2, value.shape)
        got = gpt_logits(P, idx, 2)
        assert np.abs(got - base).max() > 1e-3, where
        np.testing.assert_allclose(got, torch_logits(P, idx, 2), atol=1e-11, err_msg=where)
        value[...] = kept


def test_the_key_bias_is_the_only_part_that_softmax_cannot_see(draw_parameters):
    P = draw_parameters(V=7, T=5, d=6, L=1)
    idx = draw_ids(2, 5, 7)
    base = gpt_logits(P, idx, 2)
    for part, changes in (("query", True), ("key", False), ("value", True)):
        columns = slice(*{"query": (0, 6), "key": (6, 12), "value": (12, 18)}[part])
        kept = P["blocks"][0]["b_qkv"].copy()
        P["blocks"][0]["b_qkv"][columns] += np.arange(1.0, 7.0)
        assert (np.abs(gpt_logits(P, idx, 2) - base).max() > 1e-6) == changes, part
        P["blocks"][0]["b_qkv"][...] = kept


# ---------------------------------------------------------------- the twin itself


def test_gpt2_small_has_its_published_count_and_one_shared_table():
    with torch.device("meta"):
        model = TorchGPT(50_257, 1024, 768, 12, 12)
    assert model.parameter_count() == 124_439_808
    assert model.lm_head.weight is model.wte.weight
    # the state dict lists the shared table under both names: summing it counts V·d twice
    listed = sum(math.prod(t.shape) for t in model.state_dict().values())
    assert listed == 124_439_808 + 50_257 * 768


def test_names_and_shapes_are_those_of_the_released_checkpoints(draw_parameters):
    P = draw_parameters(V=7, T=5, d=6, L=2)
    theirs = {
        name.removeprefix("transformer."): tuple(value.shape)
        for name, value in hugging_face(P, 2).state_dict().items()
        if name != "lm_head.weight"
    }
    assert {name: value.shape for name, value in checkpoint_tensors(P).items()} == theirs


def test_loading_copies_the_numbers_and_keeps_the_table_tied(draw_parameters):
    P = draw_parameters(V=7, T=5, d=6, L=1)
    model = load_numpy(P, 2)
    assert model.lm_head.weight is model.wte.weight
    assert not model.training
    before = model(torch.tensor([[1, 2]])).detach().numpy()
    for _, value in named_parameters(P):
        value[...] += 1
    np.testing.assert_array_equal(model(torch.tensor([[1, 2]])).detach().numpy(), before)


def test_read_only_parameters_load_without_a_warning(draw_parameters):
    P = draw_parameters(V=7, T=5, d=6, L=1)
    for _, value in named_parameters(P):
        value.flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        torch_logits(P, [[1, 2]], 2)


@pytest.mark.parametrize(
    ("idx", "n_head", "error", "words"),
    [
        ([[-1]], 2, ValueError, "idx[0, 0] is -1"),
        ([[7]], 2, ValueError, "between 0 and V - 1 = 6"),
        ([[0] * 6], 2, ValueError, "only 5 rows"),
        ([[0.5]], 2, TypeError, "idx"),
        ([[0]], 4, ValueError, "allowed: 1, 2, 3, 6"),
    ],
)
def test_the_twin_refuses_what_gpt_logits_refuses(draw_parameters, idx, n_head, error, words):
    P = draw_parameters(V=7, T=5, d=6, L=1)
    with pytest.raises(error) as refused:
        torch_logits(P, idx, n_head)
    assert words in str(refused.value)
