"""The same configurations built by transformers: shapes on the meta device, FLOPs by running."""

import json

import pytest

from course_lib.counting import forward_flops, params
from course_lib.counting.hub_config import from_hub
from course_lib.counting.hub_families import FAMILIES

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
from torch.utils.flop_counter import FlopCounterMode  # noqa: E402  # only where torch is

transformers.logging.set_verbosity_error()  # token ids beyond these small vocabularies

# Sizes chosen so that every option shows: no two widths equal, heads not of size d/h.
_LLAMA = {
    "vocab_size": 101,
    "hidden_size": 48,
    "intermediate_size": 70,
    "num_hidden_layers": 3,
    "num_attention_heads": 6,
    "max_position_embeddings": 33,
    "pad_token_id": 0,
}
_GROUPED = _LLAMA | {"num_key_value_heads": 2}
_WIDE = _GROUPED | {"head_dim": 10}
_GPT = {"vocab_size": 101, "n_positions": 33, "n_embd": 48, "n_layer": 3, "n_head": 6}
_GPTJ = _GPT | {"rotary_dim": 4}
_NEO = {
    "vocab_size": 101,
    "hidden_size": 48,
    "num_layers": 3,
    "num_heads": 6,
    "max_position_embeddings": 33,
    "attention_types": [[["global"], 3]],
}
_OPT = {k: v for k, v in _LLAMA.items() if k != "intermediate_size"} | {"ffn_dim": 70}
_MLA = _LLAMA | {
    "moe_intermediate_size": 20,
    "n_routed_experts": 8,
    "n_shared_experts": 2,
    "num_experts_per_tok": 3,
    "num_key_value_heads": 6,
    "kv_lora_rank": 16,
    "q_lora_rank": 22,
    "qk_nope_head_dim": 8,
    "qk_rope_head_dim": 4,
    "v_head_dim": 12,
    "first_k_dense_replace": 1,
}
_GROUPS = {"n_group": 2, "topk_group": 1}
_MOE = _WIDE | {"num_experts": 5, "num_experts_per_tok": 2, "moe_intermediate_size": 18}
_UNTIED, _TIED = {"tie_word_embeddings": False}, {"tie_word_embeddings": True}
_BIASED = {"attention_bias": True}

CASES = {
    "gpt2": [_GPT, _GPT | {"n_inner": 77} | _UNTIED],
    "gpt_neo": [_NEO, _NEO | {"intermediate_size": 77} | _UNTIED],
    "gptj": [_GPTJ, _GPTJ | {"n_inner": 77} | _TIED],
    "gpt_neox": [_LLAMA, _LLAMA | {"attention_bias": False, "use_parallel_residual": False}],
    "opt": [
        _OPT,
        _OPT | {"word_embed_proj_dim": 20, "do_layer_norm_before": False},
        _OPT | {"word_embed_proj_dim": 20} | _UNTIED,
        _OPT | {"enable_bias": False, "layer_norm_elementwise_affine": False},
        _OPT | {"_remove_final_layer_norm": True},
    ],
    "bloom": [
        {"vocab_size": 101, "hidden_size": 48, "n_layer": 3, "n_head": 6},
        {"vocab_size": 101, "n_embed": 48, "num_hidden_layers": 3, "n_head": 6} | _UNTIED,
    ],
    "llama": [_LLAMA, _WIDE | _BIASED | _TIED, _GROUPED | {"mlp_bias": True}],
    "mistral": [_GROUPED, _WIDE | _TIED, _GROUPED | {"head_dim": None}],
    "mixtral": [
        _GROUPED | {"num_local_experts": 5, "num_experts_per_tok": 2},
        _WIDE | {"num_experts": 3, "num_experts_per_tok": 1} | _TIED,
    ],
    "gemma": [_GROUPED, _WIDE | _UNTIED | _BIASED],
    "gemma2": [_GROUPED, _WIDE | _UNTIED | _BIASED],
    "gemma3_text": [_GROUPED, _WIDE | _UNTIED | _BIASED],
    "qwen2": [_GROUPED, _WIDE | _TIED],
    "qwen3": [_GROUPED, _WIDE | _BIASED | _TIED],
    "qwen3_moe": [
        _MOE,
        _MOE | {"decoder_sparse_step": 2},
        _MOE | {"mlp_only_layers": [0]} | _BIASED,
        _GROUPED | {"num_experts": 0},
    ],
    "phi": [_LLAMA, _GROUPED | {"qk_layernorm": True} | _TIED],
    "phi3": [_LLAMA, _WIDE | _TIED],
    "olmo": [_LLAMA, _GROUPED | _BIASED | _TIED],
    "olmo2": [_LLAMA, _GROUPED | _BIASED | _TIED],
    "smollm3": [_GROUPED, _WIDE | _BIASED | {"mlp_bias": True} | _UNTIED],
    "deepseek_v2": [_MLA, _MLA | {"q_lora_rank": None, "mlp_bias": True} | _BIASED],
    "deepseek_v3": [_MLA | _GROUPS, _MLA | _GROUPS | {"q_lora_rank": None} | _BIASED | _TIED],
}


def test_every_model_type_is_compared():
    assert set(CASES) == set(FAMILIES)


@pytest.mark.parametrize(
    ("model_type", "i"), [(name, i) for name, cases in CASES.items() for i in range(len(cases))]
)
def test_counts_equal_those_of_transformers(model_type, i):
    keys = CASES[model_type][i]
    config, sizes = _build(model_type, keys)
    for written in (
        {"model_type": model_type} | keys,
        json.loads(config.to_json_string(use_diff=False)),
        json.loads(config.to_json_string()),  # only what differs from the defaults
    ):
        assert params(from_hub(written)) == sum(sizes.values()), written


@pytest.mark.parametrize("model_type", sorted(set(FAMILIES) - {"deepseek_v2"}))
def test_absent_keys_mean_the_defaults_of_transformers(model_type):
    _, sizes = _build(model_type, {})
    assert params(from_hub({"model_type": model_type})) == sum(sizes.values())


@pytest.mark.parametrize("model_type", sorted(CASES))
def test_flops_equal_what_pytorch_counts_while_the_model_runs(model_type):
    T = 7
    for keys in CASES[model_type]:
        model = transformers.AutoModelForCausalLM.from_config(
            _hub_class(model_type)(**keys),
            attn_implementation="eager",  # computes the whole T x T matrix
            experts_implementation="eager",
        ).eval()
        with FlopCounterMode(display=False) as counter, torch.no_grad():
            model(torch.zeros(1, T, dtype=torch.long), use_cache=False)
        ours = forward_flops(from_hub({"model_type": model_type} | keys), T)
        assert ours * T == counter.get_total_flops(), keys


def _hub_class(model_type):
    return transformers.models.auto.configuration_auto.CONFIG_MAPPING[model_type]


def _build(model_type, keys):
    config = _hub_class(model_type)(**keys)
    with torch.device("meta"):
        model = transformers.AutoModelForCausalLM.from_config(config)
    model.tie_weights()
    sizes = {name: p.numel() for name, p in model.named_parameters()}
    # The routers' score biases are trained by their own rule, so transformers has them as buffers.
    sizes |= {n: b.numel() for n, b in model.named_buffers() if "score_correction" in n}
    return config, sizes
