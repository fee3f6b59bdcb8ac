"""Files of other architectures, of wrappers and of quantised weights: no wrong number in silence.

The explorer's page must say the same; tests/anatomy/test_counts_in_browser.py reads this table.
"""

import json
from pathlib import Path

import pytest

from course_lib.counting import params
from course_lib.counting.__main__ import main
from course_lib.counting.hub_config import ConfigError, from_hub, read_hub_config
from course_lib.counting.hub_families import ALIASES, FAMILIES
from course_lib.counting.hub_keys import hub_table

B = {
    "model_type": "llama",
    "vocab_size": 512,
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 176,
    "max_position_embeddings": 64,
    "tie_word_embeddings": False,
}
UNGROUPED = {k: v for k, v in B.items() if k != "num_key_value_heads"}
UNTIED = {k: v for k, v in B.items() if k != "tie_word_embeddings"}
GPT2 = {
    "model_type": "gpt2",
    "vocab_size": 512,
    "n_positions": 64,
    "n_embd": 64,
    "n_layer": 2,
    "n_head": 4,
    "tie_word_embeddings": True,
}
TWO = "keys that it does not have, and that may change shapes: "

REFUSED = {  # each was counted once, and wrongly
    "BitNet": (
        B | {"architectures": ["BitnetForCausalLM"]},
        'llama config: architectures names "BitnetForCausalLM", which is no class of llama',
    ),
    "BitNet, no list": (B | {"architectures": "BitnetForCausalLM"}, "no class of llama"),
    "a draft model's class": (
        B | {"architectures": ["LlamaForCausalLMEagle3"]},
        "no class of llama",
    ),
    "a draft model's head": (B | {"draft_vocab_size": 128}, '"draft_vocab_size": 128'),
    "a number of heads for each block": (
        UNGROUPED | {"num_key_value_heads_per_layer": [4, 1]},
        '"num_key_value_heads_per_layer": [4,1]',
    ),
    "one key head for all": (
        GPT2 | {"attention_head_type": "multiquery"},
        "gpt2 config: " + TWO + '"attention_head_type": "multiquery"',
    ),
    "keys of another convention": (
        {"model_type": "opt", "num_layers": 64, "hidden_dim": 9216, "n_heads": 72},
        "opt config: " + TWO + '"num_layers": 64, "hidden_dim": 9216, "n_heads": 72',
    ),
    "a width of another convention": (B | {"n_embd": 128}, '"n_embd": 128'),
    "a tiny number": (B | {"num_experts": 1e-5}, '"num_experts": 1e-5'),
    "blocks without attention": (
        B | {"layer_types": ["full_attention", "mamba"]},
        '"layer_types": ["full_attention","mamba"]',
    ),
    "experts": (B | {"num_experts": 8}, "llama config: " + TWO + '"num_experts": 8'),
    "latent attention": (B | {"kv_lora_rank": 16}, '"kv_lora_rank": 16'),
    "camel case": (B | {"numExperts": 8}, '"numExperts": 8'),
    "a bias that the family has not": (
        B | {"model_type": "mistral", "attention_bias": True},
        '"attention_bias": true',
    ),
    "an odd symbol": (B | {"num_é😀": "\ud800"}, '"num_é😀": "\\ud800"'),
    "a long value": (B | {"num_experts": list(range(99))}, "21,22…"),
    "another size around the text": (
        {"model_type": "llava", "text_config": B, "vocab_size": 513},
        "llama config: vocab_size is 513 outside text_config, but vocab_size 512 in it",
    ),
    "a size only around the text": (
        {"model_type": "llava", "text_config": {"model_type": "llama"}, "hidden_size": 64},
        "hidden_size is 64 outside text_config, but hidden_size 4096 in it or by default",
    ),
    "inside a wrapper": (
        {"model_type": "llava", "text_config": B | {"num_experts": 8}},
        '"num_experts": 8',
    ),
}

SAID = {  # file -> parameters, and what stands beside them
    "nothing to say": (B | {"architectures": ["LlamaForCausalLM"]}, 158_016, ""),
    "switched off": (
        B | {"num_experts": 0, "qk_norm": False, "adapter": None, "block": {}},
        158_016,
        "",
    ),
    "blocks that attend all or near": (
        B | {"layer_types": ["full_attention", "sliding_attention"]},
        158_016,
        "",
    ),
    "one key head for each": (GPT2 | {"attention_head_type": "multihead"}, 136_960, ""),
    "restated in another convention": (
        B | {"n_embd": 64, "num_layers": 2.0, "n_heads": 4, "n_kv_heads": 2, "d_ff": 176},
        158_016,
        "",
    ),
    "whole numbers with a point": (B | {"hidden_size": 64.0, "vocab_size": 5.12e2}, 158_016, ""),
    "no keys": (
        {"model_type": "llama"},
        6_738_415_616,
        (
            "Not in the file, so taken from the defaults of llama: vocab_size = 32000, "
            "max_position_embeddings = 2048, hidden_size = 4096, num_hidden_layers = 32, "
            "num_attention_heads = 32, intermediate_size = 11008, tie_word_embeddings = false"
        ),
    ),
    "a tie that is not stated": (
        UNTIED,
        158_016,
        "Not in the file, so taken from the defaults of llama: tie_word_embeddings = false",
    ),
    "a tie stated outside": (
        {"model_type": "llava", "text_config": UNTIED, "tie_word_embeddings": True},
        125_248,
        "Only text_config is counted",
    ),
    "a tie stated nowhere": (
        {"model_type": "llava", "text_config": UNTIED},
        158_016,
        (
            "Not in the file, so taken from the defaults of llama: tie_word_embeddings = false. "
            "Only text_config is counted"
        ),
    ),
    "images": (
        {"model_type": "llava", "vision_config": {"hidden_size": 8}, "text_config": B},
        158_016,
        "Only the text part is counted, not vision_config",
    ),
    "a size stated twice": (
        {"model_type": "llava", "text_config": B, "vocab_size": 512, "architectures": ["Llava"]},
        158_016,
        "Only text_config is counted",
    ),
    "images and sound": (
        {"model_type": "x", "v_config": {}, "text_config": B | {"audio_config": {"depth": 8}}},
        158_016,
        "Only the text part is counted, not v_config, audio_config",
    ),
    "sound": (
        {"model_type": "voxtral", "audio_config": {}, "text_config": B},
        158_016,
        "Only the text part is counted, not audio_config",
    ),
    "images, in one level": (
        B | {"vision_config": {"depth": 8}},
        158_016,
        "Only the text part is counted, not vision_config",
    ),
    "GPTQ": (
        B | {"quantization_config": {"quant_method": "gptq", "bits": 4}},
        158_016,
        (
            "Stored quantised (gptq, 4 bits): the bytes of the weights are those of 16 bits a "
            "parameter, or of the width named beside them"
        ),
    ),
    "AWQ": (
        B | {"quantization_config": {"quant_method": "awq", "w_bit": 4}},
        158_016,
        "(awq, 4 bits): the bytes",
    ),
    "bitsandbytes": (
        B
        | {
            "quantization_config": {
                "quant_method": "bitsandbytes",
                "load_in_8bit": True,
                "load_in_4bit": False,
            }
        },
        158_016,
        "(bitsandbytes, 8 bits): the bytes",
    ),
    "fp8": (B | {"quantization_config": {"quant_method": "fp8"}}, 158_016, "(fp8): the bytes"),
    "MXFP4": (
        B | {"quantization_config": {"quant_method": "mxfp4"}},
        158_016,
        "(mxfp4): the bytes",
    ),
    "MLX": (B | {"quantization": {"group_size": 64, "bits": 4}}, 158_016, "(4 bits): the bytes"),
    "MLC": (B | {"quantization": "q4f16_1"}, 158_016, "Stored quantised (q4f16_1): the bytes"),
    "quantised without a word of how": (
        B | {"quantization_config": {"x": 1}},
        158_016,
        "Stored quantised: the bytes",
    ),
    "quantised in a wrapper": (
        {"model_type": "llava", "text_config": B, "quantization_config": {"quant_method": "fp8"}},
        158_016,
        "Only text_config is counted. Stored quantised (fp8): the bytes",
    ),
    "keys of no family": (
        B | {"colour": "red", "<b>&é": 1},
        158_016,
        'Not read, since llama has no such keys: "colour", "<b>&é"',
    ),
    "many of them": (
        B | {"colour" + c: 1 for c in "abcdefghijklmn"},
        158_016,
        '"colourl" and 2 more',
    ),
    "no head": (
        UNTIED | {"architectures": ["LlamaModel"]},
        158_016,
        (
            "Counted with a head of 32,768, as the causal language model of this family has; "
            "LlamaModel stores none. Not in the file"
        ),
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_another_architecture_has_is_refused_by_its_name(name):
    file, reason = REFUSED[name]
    with pytest.raises(ConfigError) as refused:
        from_hub(file)
    assert reason in str(refused.value)


@pytest.mark.parametrize("name", SAID)
def test_what_a_count_assumes_or_leaves_out_is_said(name):
    file, count, note = SAID[name]
    config = from_hub(file)
    assert params(config) == count
    assert note in config.note
    assert bool(note) == bool(config.note)


def test_the_command_line_prints_the_words_and_the_reasons(tmp_path, capsys):
    path = tmp_path / "config.json"
    path.write_text("\ufeff" + json.dumps(SAID["GPTQ"][0]), encoding="utf-8")
    assert main([str(path)]) == 0
    assert "note: Stored quantised (gptq, 4 bits)" in capsys.readouterr().out
    path.write_text(json.dumps(REFUSED["an odd symbol"][0]), encoding="utf-8")
    assert main([str(path)]) == 2
    assert capsys.readouterr().err.startswith(f"error: {path} was refused: llama config: keys that")


def test_a_file_of_megabytes_is_read(tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(B | {"id2label": {str(i): "a label" for i in range(99_999)}}))
    assert path.stat().st_size > 1_000_000
    assert params(read_hub_config(path)) == 158_016


def test_every_published_file_of_this_folder_is_counted_with_few_words():
    """Honest files have no key that is unknown, only sizes and ties that they leave out."""
    text = Path(__file__).with_name("published_configs.json").read_text(encoding="utf-8")
    for name, model in json.loads(text).items():
        note = from_hub(model["config"]).note
        assert "Not read" not in note, name
        assert ("Stored quantised" in note) == ("quantization_config" in model["config"]), name
        assert ("text part" in note) == ("text_config" in model["config"]), name


@pytest.mark.parametrize("family", FAMILIES)
def test_a_key_that_shapes_another_family_is_refused_or_said(family):
    tables, own = hub_table("defaults"), hub_table("defaults")[family]
    known = hub_table("known")
    harmless = {*known["harmless"], *known["harmless_in"].get(family, ())}
    names = {key for keys in tables.values() for key in keys}
    others = names - set(own) - {n for names in ALIASES.get(family, {}).values() for n in names}
    least = {"num_experts_per_tok": 1} if family == "deepseek_v2" else {}
    for key in others - harmless:
        try:
            said = from_hub({"model_type": family, key: 7} | least).note
        except ConfigError as error:
            said = str(error)
        assert f'"{key}"' in said


def test_the_tables_speak_of_every_family_and_of_no_other():
    known = hub_table("known")
    assert list(known["classes"]) == list(hub_table("defaults")) == list(FAMILIES)
    assert set(known["harmless_in"]) <= set(FAMILIES)
    for family, keys in hub_table("defaults").items():
        assert not set(keys) & set(known["harmless_in"].get(family, ())), family


@pytest.mark.parametrize("family", FAMILIES)
def test_all_that_transformers_writes_and_builds_is_known(family):
    auto = pytest.importorskip("transformers.models.auto")
    written = auto.configuration_auto.CONFIG_MAPPING[family]().to_dict()
    written |= {"num_experts_per_tok": 1} if family == "deepseek_v2" else {}
    assert "Not read" not in from_hub(written).note
    tasks = (
        "",
        "CAUSAL_LM",
        "SEQUENCE_CLASSIFICATION",
        "TOKEN_CLASSIFICATION",
        "QUESTION_ANSWERING",
    )
    for task in tasks:
        prefix = f"MODEL_FOR_{task}_" if task else "MODEL_"
        names = getattr(auto.modeling_auto, f"{prefix}MAPPING_NAMES")
        if family in names:
            from_hub(written | {"architectures": [names[family]]})
