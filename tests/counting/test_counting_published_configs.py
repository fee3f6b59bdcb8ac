"""Released models that models.csv does not have: their config.json, long as published, to a count.

published_configs.json holds the keys of the released files and each model's exact total.
"""

import json
from pathlib import Path

import pytest

from course_lib.counting import MODELS, UnknownModelError, forward_flops, params
from course_lib.counting.hub_config import from_hub
from course_lib.counting.report import summary

PUBLISHED = json.loads(
    Path(__file__).with_name("published_configs.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_total_comes_out_of_the_published_file(name):
    config = from_hub(PUBLISHED[name]["config"])
    assert params(config) == PUBLISHED[name]["params"]
    shown = summary(config, 7)
    assert sum(part["count"] for part in shown["parts"]) == shown["params"]
    assert sum(shown["flops_per_token_by_part"].values()) == forward_flops(config, 7)


def test_they_are_models_beyond_the_table():
    assert len(PUBLISHED) >= 40
    with pytest.raises(UnknownModelError):
        MODELS["Qwen3-Coder-480B"]


@pytest.mark.parametrize("name", PUBLISHED)
def test_transformers_builds_the_same_number(name):
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    values = PUBLISHED[name]["config"]
    values = values.get("text_config", values)
    kinds = transformers.models.auto.configuration_auto.CONFIG_MAPPING
    left_out = ("model_type", "auto_map", "quantization_config", "hidden_activation")
    config = kinds[values["model_type"]](**{k: v for k, v in values.items() if k not in left_out})
    with torch.device("meta"):
        model = transformers.AutoModelForCausalLM.from_config(config)
    model.tie_weights()
    total = sum(p.numel() for p in model.parameters())
    # the routers' score biases are trained by their own rule: buffers in transformers
    total += sum(b.numel() for n, b in model.named_buffers() if "score_correction" in n)
    assert total == PUBLISHED[name]["params"]
