"""Checkpoints: every layout that exists in the wild is read, and every wrong file is refused."""

import json
import subprocess
import sys

import numpy as np
import pytest

from course_lib.gpt import gpt_logits
from course_lib.gpt_parameters import named_parameters

pytest.importorskip("safetensors", reason="reads checkpoint files")

from course_lib.checkpoint import CheckpointError, load_gpt2, save_gpt2
from course_lib.checkpoint_names import checkpoint_tensors
from course_lib.fast_gpt import FastGPT

KINDS = {"float64": "F64", "float32": "F32", "float16": "F16", "uint8": "U8"}
CONFIG = {"model_type": "gpt2", "n_head": 2}


def to_bfloat16(a):
    """Drop the lower half of each float32, as bfloat16 does (without rounding)."""
    return (a.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def write(file, tensors, bfloat16=False):
    """Write a safetensors file: a length, a JSON header of that length, then the numbers."""
    header, end = {}, 0
    for name, a in tensors.items():
        kind = "BF16" if bfloat16 and a.dtype == np.uint16 else KINDS[a.dtype.name]
        header[name] = {"dtype": kind, "shape": a.shape, "data_offsets": [end, end + a.nbytes]}
        end += a.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    numbers = b"".join(a.tobytes() for a in tensors.values())
    file.write_bytes(len(text).to_bytes(8, "little") + text + numbers)


@pytest.fixture
def P(draw_parameters):
    return draw_parameters(V=11, T=7, d=6, L=3, dtype=np.float32)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    return tmp_path


def assert_same_parameters(got, expected):
    got, expected = dict(named_parameters(got)), dict(named_parameters(expected))
    assert list(got) == list(expected)
    for where, value in expected.items():
        assert got[where].dtype == value.dtype, where
        np.testing.assert_array_equal(got[where], value, err_msg=where)


# ---------------------------------------------------------------- what is read


@pytest.mark.parametrize("prefix", ["", "transformer."])
def test_names_with_and_without_the_prefix(P, folder, prefix):
    write(folder / "model.safetensors",
          {prefix + name: a for name, a in checkpoint_tensors(P).items()})  # fmt: skip
    got, n_head = load_gpt2(folder)
    assert n_head == 2
    assert_same_parameters(got, P)


def test_a_file_and_a_folder_as_text_or_path(P, folder):
    write(folder / "weights.safetensors", checkpoint_tensors(P))
    for path in (folder, str(folder), folder / "weights.safetensors"):
        assert_same_parameters(load_gpt2(path).P, P)


def test_mask_buffers_and_a_stored_tied_head_are_ignored(P, folder):
    tensors = checkpoint_tensors(P)
    for i in range(3):
        tensors[f"h.{i}.attn.bias"] = np.tri(7, dtype=np.uint8)[None, None]
        tensors[f"h.{i}.attn.masked_bias"] = np.array(-1e4, dtype=np.float32)
    tensors["lm_head.weight"] = P["wte"].copy()
    write(folder / "model.safetensors", tensors)
    assert_same_parameters(load_gpt2(folder).P, P)


def test_sixteen_bits_become_the_same_numbers_in_float32(P, folder):
    for stored, numbers in (
        ({n: a.astype(np.float16) for n, a in checkpoint_tensors(P).items()}, np.float16),
        ({n: to_bfloat16(a) for n, a in checkpoint_tensors(P).items()}, None),
    ):
        write(folder / "model.safetensors", stored, bfloat16=True)
        got = checkpoint_tensors(load_gpt2(folder).P)
        for name, a in checkpoint_tensors(P).items():
            assert got[name].dtype == np.float32
            if numbers:
                expected = a.astype(numbers).astype(np.float32)
            else:  # the sign, the exponent and 7 bits: cut off, never above in size
                expected = np.trunc(a / (ulp := np.exp2(np.floor(np.log2(np.abs(a))) - 7))) * ulp
            np.testing.assert_array_equal(got[name], expected, err_msg=name)


def test_dtypes_mixed_chosen_and_kept(P, folder):
    tensors = checkpoint_tensors(P)
    tensors["wpe.weight"] = tensors["wpe.weight"].astype(np.float64)
    write(folder / "model.safetensors", tensors)
    assert {a.dtype.name for _, a in named_parameters(load_gpt2(folder).P)} == {"float64"}
    got = load_gpt2(folder, dtype=np.float32).P
    assert_same_parameters(got, P)
    with pytest.raises(ValueError, match=r"dtype must be np\.float32 or np\.float64"):
        load_gpt2(folder, dtype=np.float16)


def shards(folder, P, **changes):
    tensors = list(checkpoint_tensors(P).items())
    parts = {"a-00001.safetensors": tensors[:17], "a-00002.safetensors": tensors[17:]}
    places = {}
    for file, some in parts.items():
        write(folder / file, dict(some))
        places |= dict.fromkeys(dict(some), file)
    places |= changes
    index = {"metadata": {"total_size": 1}, "weight_map": places}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


def test_shards_with_their_index(P, folder):
    shards(folder, P)
    for path in (folder, folder / "model.safetensors.index.json"):
        assert_same_parameters(load_gpt2(path).P, P)


def test_arrays_are_views_of_the_file_and_not_copies(P, folder):
    write(folder / "model.safetensors", checkpoint_tensors(P))
    for where, a in named_parameters(load_gpt2(folder).P):
        assert type(a) is np.ndarray, where
        base = a
        while isinstance(base.base, np.ndarray):
            base = base.base
        assert isinstance(base, np.memmap), where
        with pytest.raises(ValueError, match="read-only"):
            a[...] = 0


def test_a_tensor_at_an_odd_place_in_the_file(P, folder):
    tensors = {"h.0.attn.bias": np.ones((1, 1, 3, 3), np.uint8), **checkpoint_tensors(P)}
    write(folder / "model.safetensors", tensors)
    file = folder / "model.safetensors"
    whole = file.read_bytes()
    n = int.from_bytes(whole[:8], "little")
    header = whole[8 : 8 + n].rstrip() + b" " * (n % 8 + 3)  # a length that is no multiple of 8
    file.write_bytes(len(header).to_bytes(8, "little") + header + whole[8 + n :])
    P_got, n_head = load_gpt2(folder)
    assert_same_parameters(P_got, P)
    assert np.isfinite(FastGPT(P_got, n_head)([[1, 2]])).all()


# ---------------------------------------------------------------- saving


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_is_saved_is_read_again(draw_parameters, tmp_path, dtype):
    P = draw_parameters(V=11, T=7, d=6, L=2, dtype=dtype)
    P["wte"] = np.asfortranarray(P["wte"])
    save_gpt2(P, 3, tmp_path / "new" / "folder")
    got, n_head = load_gpt2(tmp_path / "new" / "folder")
    assert n_head == 3
    assert_same_parameters(got, P)
    names = sorted(file.name for file in (tmp_path / "new" / "folder").iterdir())
    assert names == ["config.json", "model.safetensors"]


def test_parameters_can_be_saved_over_the_file_they_come_from(P, tmp_path):
    save_gpt2(P, 2, tmp_path)
    got, n_head = load_gpt2(tmp_path)
    got["lnf_b"] = got["lnf_b"] + 1
    save_gpt2(got, n_head, tmp_path)
    P["lnf_b"] = P["lnf_b"] + 1
    assert_same_parameters(got, P)  # its views of the replaced file still hold
    assert_same_parameters(load_gpt2(tmp_path).P, P)


def test_bad_parameters_are_not_saved(P, tmp_path):
    with pytest.raises(ValueError, match="n_head must divide"):
        save_gpt2(P, 4, tmp_path / "x")
    del P["lnf_g"]
    with pytest.raises(KeyError, match="lnf_g"):
        save_gpt2(P, 2, tmp_path / "x")
    assert not (tmp_path / "x").exists()


# ---------------------------------------------------------------- what is refused


def refused(path, error=CheckpointError, **kwargs):
    with pytest.raises(error) as caught:
        load_gpt2(path, **kwargs)
    return str(caught.value)


def without(tensors, name):
    return {n: a for n, a in tensors.items() if n != name}


CHANGES = {
    "another architecture": (
        lambda t: {"model.embed_tokens.weight": t["wte.weight"], "model.norm": t["ln_f.bias"]},
        ["lacks wte.weight", "(V, d)", "model.embed_tokens.weight", "another architecture"],
    ),
    "a tensor missing": (
        lambda t: without(t, "h.1.attn.c_attn.bias"),
        ["lacks h.1.attn.c_attn.bias", "(18,)"],
    ),
    "a block missing": (
        lambda t: {n: a for n, a in t.items() if not n.startswith("h.1.")},
        ["lacks h.1.ln_1.weight", "and 8 more"],
    ),
    "no blocks": (
        lambda t: {n: a for n, a in t.items() if not n.startswith("h.")},
        ["lacks h.0.ln_1.weight"],
    ),
    "a tensor too many": (
        lambda t: {**t, "h.0.attn.rotary.inv_freq": t["ln_f.bias"]},
        ["holds h.0.attn.rotary.inv_freq", "no place"],
    ),
    "nn.Linear's layout": (
        lambda t: {n: a.T if a.ndim == 2 and n.startswith("h.") else a for n, a in t.items()},
        ["h.0.attn.c_attn.weight", "(18, 6)", "expected (6, 18)", "nn.Linear", "transpose"],
    ),
    "one matrix transposed": (
        lambda t: {**t, "h.2.mlp.c_proj.weight": t["h.2.mlp.c_proj.weight"].T},
        ["h.2.mlp.c_proj.weight", "(6, 24)", "expected (24, 6)", "nn.Linear"],
    ),
    "a vector of another length": (
        lambda t: {**t, "h.0.ln_2.bias": np.zeros(7, np.float32)},
        ["h.0.ln_2.bias", "(7,)", "expected (6,)"],
    ),
    "a table that is none": (
        lambda t: {**t, "wpe.weight": np.zeros(6, np.float32)},
        ["wpe.weight", "(6,)", "(T, d)"],
    ),
    "an untied head": (
        lambda t: {**t, "lm_head.weight": t["wte.weight"] + 1},
        ["lm_head.weight", "differs from wte.weight", "tied"],
    ),
    "a head of another size": (
        lambda t: {**t, "lm_head.weight": t["wte.weight"][:-1]},
        ["lm_head.weight (10, 6)", "wte.weight (11, 6)"],
    ),
    "both names": (
        lambda t: {**t, "transformer.wpe.weight": t["wpe.weight"]},
        ["both wpe.weight and transformer.wpe.weight"],
    ),
    "integers": (
        lambda t: {**t, "h.0.attn.c_attn.weight": np.ones((6, 18), np.uint8)},
        ["h.0.attn.c_attn.weight", "U8", "F32"],
    ),
    "a block far away": (
        lambda t: {**t, "h.999999999.ln_1.bias": t["ln_f.bias"]},
        ["block 999999999", "h.0"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_a_wrong_tensor_is_named_with_what_was_expected(P, folder, change):
    spoil, words = CHANGES[change]
    write(folder / "model.safetensors", spoil(checkpoint_tensors(P)))
    message = refused(folder)
    for word in words:
        assert word in message


@pytest.mark.parametrize("kept", [0, 5, 100, 1500, -1])
def test_a_file_cut_off_anywhere_is_refused(P, folder, kept):
    file = folder / "model.safetensors"
    write(file, checkpoint_tensors(P))
    file.write_bytes(file.read_bytes()[:kept])
    message = refused(folder)
    assert str(file) in message
    assert "whole safetensors file" in message
    assert "cut off" in message


def test_other_files_under_that_name_are_refused(P, folder):
    file = folder / "model.safetensors"
    file.write_bytes(b"PK\x03\x04" + bytes(range(256)) * 20)  # a zip archive, as torch.save makes
    assert "whole safetensors file" in refused(folder)
    file.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 548105171\n")
    assert "git lfs pull" in refused(folder)


def test_missing_files_are_told_with_what_is_there(tmp_path):
    assert "no such file" in refused(tmp_path / "gone", FileNotFoundError)
    assert "no checkpoint at all" in refused(tmp_path, FileNotFoundError)
    (tmp_path / "model.ckpt.index").touch()
    assert "TensorFlow" in refused(tmp_path, FileNotFoundError)
    (tmp_path / "pytorch_model.bin").touch()
    assert "PyTorch" in refused(tmp_path, FileNotFoundError)


def test_shards_that_do_not_fit_their_index(P, folder):
    shards(folder, P, **{"wte.weight": "a-00002.safetensors"})
    assert "wte.weight is not in a-00002.safetensors" in refused(folder)
    shards(folder, P, **{"h.7.ln_1.bias": "a-00002.safetensors"})
    assert "h.7.ln_1.bias is not in" in refused(folder)
    shards(folder, P, **{"wte.weight": "../a.safetensors"})
    assert "'../a.safetensors' is no name of a file" in refused(folder)
    shards(folder, P)
    (folder / "a-00002.safetensors").unlink()
    message = refused(folder, FileNotFoundError)
    assert "a-00002.safetensors: missing" in message
    assert "h.1" in message
    (folder / "model.safetensors.index.json").write_text("[]")
    assert "weight_map" in refused(folder)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"vocab_size": 12}, "vocab_size is 12, expected 11 as wte.weight has it"),
        ({"n_positions": 1024}, "n_positions is 1024, expected 7"),
        ({"n_embd": 8}, "n_embd is 8, expected 6"),
        ({"n_layer": 4}, "n_layer is 4, expected 3"),
        ({"n_inner": 12}, "n_inner is 12, expected null or 4·d = 24"),
        ({"model_type": "llama"}, 'model_type is "llama", expected "gpt2"'),
        ({"activation_function": "gelu"}, 'activation_function is "gelu", expected "gelu_new"'),
        ({"layer_norm_epsilon": 1e-6}, "layer_norm_epsilon is 1e-06, expected 1e-05"),
        ({"scale_attn_weights": False}, "scale_attn_weights is false, expected true"),
        ({"scale_attn_by_inverse_layer_idx": True}, "is true, expected false"),
        ({"tie_word_embeddings": False}, "tie_word_embeddings is false"),
    ],
)
def test_a_config_that_does_not_fit_is_refused(P, folder, changes, words):
    write(folder / "model.safetensors", checkpoint_tensors(P))
    (folder / "config.json").write_text(json.dumps({**CONFIG, **changes}))
    assert words in refused(folder)


def test_the_number_of_heads(P, folder):
    write(folder / "model.safetensors", checkpoint_tensors(P))
    assert load_gpt2(folder, n_head=3).n_head == 3
    assert "n_head must divide the width d = 6, got n_head = 4" in refused(
        folder, ValueError, n_head=4
    )
    (folder / "config.json").write_text("{}")
    assert "expected n_head there" in refused(folder)
    (folder / "config.json").unlink()
    assert "pass load_gpt2(…, n_head=…)" in refused(folder)
    assert load_gpt2(folder, n_head=3).n_head == 3
    (folder / "config.json").write_text("not JSON")
    assert "config.json: expected JSON" in refused(folder)


def test_reading_a_checkpoint_needs_no_pytorch(P, tmp_path):
    save_gpt2(P, 2, tmp_path)
    script = (
        "import sys; from course_lib.checkpoint import load_gpt2, save_gpt2;"
        f"save_gpt2(*load_gpt2({str(tmp_path)!r}), {str(tmp_path)!r});"
        "print(sorted({'torch', 'transformers', 'tokenizers', 'matplotlib'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


# ---------------------------------------------------------------- against transformers


SIZES = [  # V, T, d, L, h
    (11, 7, 6, 3, 2),
    (100, 32, 64, 2, 4),
    (300, 50, 96, 5, 12),
    (57, 24, 128, 1, 1),
]


@pytest.fixture(scope="module")
def hugging_face():
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # matrices this small only wait for a second thread

    def make(V, T, d, L, h, dtype):
        torch.manual_seed(0)
        config = transformers.GPT2Config(
            vocab_size=V, n_positions=T, n_embd=d, n_layer=L, n_head=h,
            bos_token_id=0, eos_token_id=0,
        )  # fmt: skip
        model = transformers.GPT2LMHeadModel(config).eval().to(dtype)
        with torch.no_grad():
            for parameter in model.parameters():  # a fresh model hides mistakes: see conftest.py
                parameter.add_(torch.randn_like(parameter) * 0.1)
        return model

    yield torch, make
    torch.set_num_threads(threads)


def their_logits(torch, model, idx):
    with torch.no_grad():
        return model(torch.tensor(idx)).logits.numpy()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("dtype", "close"), [("float32", 1e-5), ("float64", 1e-12)])
def test_a_model_saved_by_transformers_has_the_same_logits_here(
    hugging_face, tmp_path, size, dtype, close
):
    torch, make = hugging_face
    model = make(*size, getattr(torch, dtype))
    model.save_pretrained(tmp_path)
    P, n_head = load_gpt2(tmp_path)
    assert n_head == size[-1]
    idx = np.random.default_rng(0).integers(0, size[0], (2, size[1]))
    expected = their_logits(torch, model, idx)
    for got in (gpt_logits(P, idx, n_head), FastGPT(P, n_head)(idx)):
        assert got.dtype == expected.dtype == dtype
        np.testing.assert_allclose(got, expected, rtol=0, atol=close * np.abs(expected).max())


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_saved_by_transformers(hugging_face, tmp_path, dtype):
    torch, make = hugging_face
    model = make(*SIZES[1], getattr(torch, dtype))
    model.save_pretrained(tmp_path)
    P, n_head = load_gpt2(tmp_path)
    idx = np.random.default_rng(0).integers(0, 100, (2, 32))
    expected = their_logits(torch, model.float(), idx)
    got = gpt_logits(P, idx, n_head)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-5 * np.abs(expected).max())


def test_shards_saved_by_transformers(hugging_face, tmp_path):
    torch, make = hugging_face
    model = make(*SIZES[2], torch.float32)
    model.save_pretrained(tmp_path, max_shard_size="700KB")
    assert len(list(tmp_path.glob("*.safetensors"))) > 2
    idx = [[5, 4, 3]]
    expected = their_logits(torch, model, idx)
    got = gpt_logits(load_gpt2(tmp_path).P, idx, 12)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-5 * np.abs(expected).max())


def test_transformers_reads_what_save_gpt2_writes(hugging_face, draw_parameters, tmp_path):
    torch, _ = hugging_face
    from transformers import GPT2LMHeadModel

    P = draw_parameters(V=11, T=7, d=12, L=2)
    save_gpt2(P, 3, tmp_path)
    model, info = GPT2LMHeadModel.from_pretrained(
        tmp_path, dtype=torch.float64, output_loading_info=True
    )
    assert not any(info[key] for key in ("missing_keys", "unexpected_keys", "mismatched_keys"))
    assert model.config.n_head == 3
    idx = [[1, 10, 0, 3]]
    expected = their_logits(torch, model.eval(), idx)
    np.testing.assert_allclose(gpt_logits(P, idx, 3), expected, rtol=1e-10, atol=1e-12)
