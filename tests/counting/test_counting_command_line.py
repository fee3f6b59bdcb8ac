"""`python -m course_lib.counting`, run as a reader would run it."""

import json
import subprocess
import sys
from math import prod
from pathlib import Path

import pytest

from course_lib.counting import MODELS
from course_lib.counting.__main__ import main

ROOT = Path(__file__).parents[2]


def run(*arguments):
    command = [sys.executable, "-m", "course_lib.counting", *arguments]
    return subprocess.run(
        command, check=False, capture_output=True, text=True, cwd=ROOT, timeout=60
    )


def test_json_of_a_named_model():
    done = run("gpt2", "--json")
    answer = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert answer["model"] == "GPT-2 small"
    assert answer["params"] == answer["active_params"] == 124_439_808
    assert answer["params_without_embeddings"] == 85_056_000
    assert answer["flops_per_token"] == 247_064_064 + 37_748_736
    assert sum(part["count"] for part in answer["parts"]) == 124_439_808
    assert all(prod(part["shape"]) == part["count"] for part in answer["parts"])
    assert {"name": "wte", "shape": [50257, 768], "count": 38_597_376} in answer["parts"]


def test_the_context_moves_only_what_depends_on_it():
    long, short = (json.loads(run("gpt2", "--json", "--context", T).stdout) for T in ("1024", "8"))
    changed = {key for key in long if long[key] != short[key]}
    assert long["flops_per_token"] - short["flops_per_token"] == 4 * (1024 - 8) * 768 * 12
    assert changed == {
        "context",
        "flops_per_token",
        "flops_per_token_by_part",
        "kv_cache_bytes_bfloat16",
    }


def test_a_config_file(tmp_path):
    path = tmp_path / "config.json"
    keys = {"hidden_size": 2048, "num_hidden_layers": 16, "tie_word_embeddings": True}
    path.write_text(json.dumps({"model_type": "olmo", "num_attention_heads": 16, **keys}))
    answer = json.loads(run(str(path), "--json").stdout)
    assert answer["model"] == str(path)
    assert answer["params"] == 50304 * 2048 + 16 * (4 * 2048**2 + 3 * 2048 * 11008)


def test_symbols_that_a_terminal_lacks_stop_no_count(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": "gpt2", "_name_or_path": "\ud800", "é😀": 1}))
    done = run(str(path))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("\\ud800\n")
    assert 'gpt2 has no such keys: "\\xe9\\U0001f600"' in done.stdout
    path.write_text(json.dumps({"model_type": "gpt2", "n_head": "a  é"}))
    done = run(str(path))
    assert 'n_head must be a whole number of at least 1, got "a  \\xe9"' in done.stderr


def test_text_for_a_reader(capsys):
    assert main(["Llama 2 7B"]) == 0
    text = capsys.readouterr().out
    assert "6,738,415,616" in text
    assert "rotary frequencies" in text  # why the hub shows another total
    assert main(["gpt2", "--context", "4,096"]) == 0
    assert "1,024 positions; it cannot read 4,096 tokens" in capsys.readouterr().out


def test_the_table_lists_every_model_and_finds_all_of_them_equal(capsys):
    assert main(["--table"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 + len(MODELS)
    assert all(line.count("|") == 7 for line in lines)
    assert sum("| yes |" in line for line in lines) == 73
    assert not any("| no," in line for line in lines)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name a model"),
        (["gpt2-xxl"], "near it: GPT-2 XL"),
        (["nothing.json"], "cannot read nothing.json"),
        (["gpt2", "--context", "0"], "--context must be a whole number of at least 1, got '0'"),
        (["gpt2", "--context", "many"], "got 'many'"),
        (["gpt2", "--table"], "--table goes with no other argument"),
        (["gpt2", "--what"], "unrecognized arguments: --what"),
        (["tests"], "the folder tests holds no config.json"),
    ],
)
def test_unusable_input_gives_one_line_and_status_2(arguments, message):
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
