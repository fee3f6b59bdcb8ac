"""The widget's Python side, without a browser."""

import subprocess
import sys

import pytest

from course_lib.anatomy import Anatomy
from course_lib.anatomy.boxes import boxes
from course_lib.anatomy.source import module
from course_lib.counting import MODELS, ModelConfig, UnknownModelError, params, params_by_part


def test_its_text_form_is_the_same_every_time():
    assert repr(Anatomy("gpt2", T=8)) == "Anatomy(model='GPT-2 small', T=8)"
    beside = Anatomy(model="Llama 3 8B", T=1024, compare="gpt2-xl")
    assert repr(beside) == "Anatomy(model='Llama 3 8B', T=1024, compare='GPT-2 XL')"


@pytest.mark.parametrize(
    ("arguments", "error", "reason"),
    [
        ({"T": 1025}, ValueError, "at most 1,024, the context of GPT-2 small"),
        ({"T": 0}, ValueError, "T must be at least 1"),
        ({"T": 8.0}, TypeError, "T must be an integer"),
        ({"model": "gpt5"}, UnknownModelError, "no model is called 'gpt5'"),
        ({"model": "Llama 3.1 8B", "compare": "gpt-1", "T": 600}, ValueError, "GPT-1"),
    ],
)
def test_what_it_cannot_show_is_refused(arguments, error, reason):
    with pytest.raises(error, match=reason):
        Anatomy(**arguments)


def test_config_is_the_model_as_it_stands():
    anatomy = Anatomy("gpt2")
    assert anatomy.config is MODELS["gpt2"]
    anatomy.edits = {"tied": False, "dense_blocks": [], "biases": ["q", "k", "v", "o", "mlp"]}
    assert params(anatomy.config) == 163_037_184
    assert anatomy.config.name == "GPT-2 small, edited"
    assert anatomy.config.published is None


def test_python_cannot_set_what_no_model_can_be():
    anatomy = Anatomy("gpt2")
    for name, value, reason in [
        ("edits", {"h": 7}, "h must divide d"),
        ("T", 1537, "between 1 and 1,024"),
        ("T", 0, "between 1 and 1,024"),
        ("model", "gpt5", "no model is called"),
    ]:
        with pytest.raises((ValueError, UnknownModelError), match=reason):
            setattr(anatomy, name, value)
    assert repr(anatomy) == "Anatomy(model='GPT-2 small', T=8)"
    anatomy.model = "gpt2-xl"
    assert anatomy.model == "GPT-2 XL"


def _answers(text):
    anatomy = Anatomy("gpt2")
    sent = []
    anatomy.send = lambda content, buffers=None: sent.append(content)
    anatomy._handle_custom_msg({"kind": "config", "text": text}, [])
    return sent


def test_a_config_text_is_answered_with_fields_or_a_reason():
    (answer,) = _answers('{"model_type": "gpt2", "n_layer": 24}')
    assert answer["fields"]["L"] == 24
    for text, reason in [
        ("{", "not valid JSON"),
        ('{"model_type": "gpt9"}', "cannot be counted"),
        ("[" * 100_000, "not valid JSON|recursion"),
        ('{"model_type": "llama", "num_attention_heads": 7}', "num_attention_heads"),
    ]:
        (answer,) = _answers(text)
        assert any(word in answer["reason"] for word in reason.split("|"))


@pytest.mark.parametrize("name", MODELS)
def test_the_boxes_of_a_model_hold_each_parameter_once(name):
    config = MODELS[name]
    found = boxes(config)
    assert sum(b.total for b in found) == params(config)
    mlp = sum(b.total for b in found if b.name in ("MLP", "experts"))
    assert mlp == params_by_part(config)["mlp"]


def test_the_boxes_of_a_model_with_two_kinds_of_blocks():
    blocks = {b.name: b.blocks for b in boxes(MODELS["deepseek-v3"])}
    assert (blocks["MLP"], blocks["experts"], blocks["attention"]) == (3, 58, 61)
    plain = ModelConfig(V=5, T=2, d=4, L=1, h=2)
    assert [b.name for b in boxes(plain)] == [
        *("token embedding", "position embedding", "norm 1", "attention", "norm 2", "MLP"),
        *("final norm", "head"),
    ]


def test_the_joined_javascript_imports_nothing():
    for entry in ("widget.js", "page.js"):
        assert "\nimport " not in module(entry)


def test_the_command_writes_the_page(tmp_path):
    target = tmp_path / "new" / "page.html"
    command = [sys.executable, "-m", "course_lib.anatomy", "--out", str(target)]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout == f"wrote {target}\n"
    assert target.read_text(encoding="utf-8").startswith("<!doctype html>")
    for wrong in ([], ["--out", "/dev/null/page.html"]):
        failed = subprocess.run([*command[:3], *wrong], capture_output=True, text=True, check=False)
        assert failed.returncode == 2
        assert "Traceback" not in failed.stderr
