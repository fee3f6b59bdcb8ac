"""The model types a config.json may name: which keys they have and which shapes these mean.

One function for each kind of architecture gives the fields of a ModelConfig; `hub_config.py` calls
it with the checked keys. Defaults stand in hub_defaults.json. Keys are asked for in the order of
the page's hub_families.js, so that of two wrong ones both find the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from course_lib.counting.config import ATTENTION_BIASES


class Keys(Protocol):
    """What a build function may ask of a config; `hub_keys.py` implements it."""

    def number(self, key: str, low: int = 1) -> int:
        """A whole number of at least `low`."""

    def number_or(self, key: str, otherwise: int, low: int = 1) -> int:
        """A whole number, or `otherwise` where the key is absent or null."""

    def flag(self, key: str) -> bool:
        """True or False."""

    def indices(self, key: str) -> list[int]:
        """A list of block numbers."""

    def sizes(self, *pairs: str) -> dict[str, Any]:
        """{"V": ..., "d": ...} for "V:vocab_size", "d:hidden_size", each at least 1."""

    def described_blocks(self, key: str) -> int | None:
        """How many blocks a list such as [[["global", "local"], 12]] describes."""


Fields = dict[str, Any]  # of a ModelConfig, without `tied`, which every family has
Build = Callable[[Keys], Fields]

_NEO = ("V:vocab_size", "T:max_position_embeddings", "d:hidden_size")
_STACK = (*_NEO, "L:num_hidden_layers", "h:num_attention_heads")
_BIASES = ATTENTION_BIASES | {"mlp"}
_NONE: frozenset[str] = frozenset()
_DECODER: Fields = {"positions": "rotary", "gated": True, "norm": "RMSNorm"}


def _evenly(sizes: Fields, key: str) -> Fields:
    if sizes["d"] % sizes["h"]:
        raise ValueError(f"{key} must divide the width {sizes['d']}, got {sizes['h']}")
    return sizes


def _gpt2(k: Keys) -> Fields:
    if k.flag("add_cross_attention"):
        raise ValueError("add_cross_attention is true: that is no decoder-only model")
    return _openai(k)


def _gptj(k: Keys) -> Fields:
    biases = frozenset({"mlp", "head"})
    return _openai(k) | {"positions": "rotary", "parallel": "one norm", "biases": biases}


def _openai(k: Keys) -> Fields:
    sizes = k.sizes("V:vocab_size", "T:n_positions", "d:n_embd", "L:n_layer", "h:n_head")
    return _evenly(sizes, "n_head") | {"d_ff": k.number_or("n_inner", 4 * sizes["d"])}


def _gpt_neo(k: Keys) -> Fields:
    sizes = _evenly(k.sizes(*_NEO, "L:num_layers", "h:num_heads"), "num_heads")
    described = k.described_blocks("attention_types")
    if described not in (None, sizes["L"]):
        raise ValueError(
            f"attention_types describes {described} blocks, but num_layers is {sizes['L']}"
        )
    d_ff = k.number_or("intermediate_size", 4 * sizes["d"])
    return sizes | {"d_ff": d_ff, "biases": frozenset({"o", "mlp"})}


def _gpt_neox(k: Keys) -> Fields:
    return _evenly(k.sizes(*_STACK), "num_attention_heads") | {
        "d_ff": k.number("intermediate_size"),
        "parallel": "two norms" if k.flag("use_parallel_residual") else "no",
        "biases": _BIASES if k.flag("attention_bias") else frozenset({"mlp"}),
        "positions": "rotary",
    }


def _opt(k: Keys) -> Fields:
    before = k.flag("do_layer_norm_before")
    sizes = _evenly(k.sizes(*_STACK), "num_attention_heads")
    return sizes | {
        "d_ff": k.number("ffn_dim"),
        "d_embed": k.number_or("word_embed_proj_dim", sizes["d"]),
        "norm": "LayerNorm"
        if k.flag("layer_norm_elementwise_affine")
        else "LayerNorm without parameters",
        "placement": "pre" if before else "post",
        "final_norm": before and not k.flag("_remove_final_layer_norm"),
        "biases": _BIASES if k.flag("enable_bias") else _NONE,
        "position_offset": 2,
    }


def _bloom(k: Keys) -> Fields:
    sizes = k.sizes("V:vocab_size", "T:seq_length", "d:hidden_size", "L:n_layer", "h:n_head")
    return _evenly(sizes, "n_head") | {"embedding_norm": True, "positions": "alibi"}


def _llama_like(biases: Callable[[Keys], frozenset[str]], **choices: Any) -> Build:
    """A builder for the families that share the key names of LLaMA."""

    def build(k: Keys) -> Fields:
        d_k = k.number_or("head_dim", 0)
        sizes = k.sizes(*_STACK)
        if not d_k:
            d_k = _evenly(sizes, "num_attention_heads")["d"] // sizes["h"]
        return {
            **sizes,
            "h_kv": k.number_or("num_key_value_heads", sizes["h"]),
            "d_k": d_k,
            "d_ff": k.number("intermediate_size"),
            **_DECODER,
            **choices,
            "biases": biases(k),
        }

    return build


def _none(_: Keys) -> frozenset[str]:
    return _NONE


def _attention(k: Keys) -> frozenset[str]:
    return ATTENTION_BIASES if k.flag("attention_bias") else _NONE


def _attention_and_mlp(k: Keys) -> frozenset[str]:
    return _attention(k) | (frozenset({"mlp"}) if k.flag("mlp_bias") else _NONE)


def _qkv(_: Keys) -> frozenset[str]:
    return frozenset({"q", "k", "v"})


def _phi(k: Keys) -> Fields:
    build = _llama_like(lambda _: _BIASES | {"head"}, gated=False, norm="LayerNorm")
    fields = build(k) | {"parallel": "one norm"}
    return fields | {"qk_norm": "per head" if k.flag("qk_layernorm") else "no"}


def _mixtral(k: Keys) -> Fields:
    return _llama_like(_none)(k) | {
        "experts": k.number("num_local_experts"),
        "experts_active": k.number("num_experts_per_tok"),
    }


def _qwen3_moe(k: Keys) -> Fields:
    dense = _llama_like(_attention, qk_norm="per head")(k)
    every = k.number("decoder_sparse_step")
    listed = set(k.indices("mlp_only_layers"))
    experts = k.number("num_experts", low=0)
    if not experts:
        return dense
    return dense | {
        "experts": experts,
        "experts_active": k.number("num_experts_per_tok"),
        "d_expert": k.number("moe_intermediate_size"),
        "dense_blocks": _blocks_where(dense["L"], lambda i: i in listed or (i + 1) % every),
    }


def _deepseek(router: frozenset[str], mlp_bias: bool) -> Build:
    def build(k: Keys) -> Fields:
        mlp = frozenset({"mlp"}) if mlp_bias and k.flag("mlp_bias") else _NONE
        sizes = k.sizes(*_STACK)
        d_rope = k.number("qk_rope_head_dim")
        first = k.number("first_k_dense_replace", low=0)
        every = k.number("moe_layer_freq")
        return {
            **sizes,
            **_DECODER,
            "d_k": k.number("qk_nope_head_dim") + d_rope,
            "d_v": k.number("v_head_dim"),
            "d_ff": k.number("intermediate_size"),
            "biases": (frozenset({"latent", "o"}) if k.flag("attention_bias") else _NONE)
            | mlp
            | router,
            "experts": k.number("n_routed_experts"),
            "experts_active": k.number("num_experts_per_tok"),
            "experts_shared": k.number_or("n_shared_experts", 0, low=0),
            "d_expert": k.number("moe_intermediate_size"),
            "dense_blocks": _blocks_where(sizes["L"], lambda i: i < first or i % every),
            "q_latent": k.number_or("q_lora_rank", 0),
            "kv_latent": k.number("kv_lora_rank"),
            "d_rope": d_rope,
            "note": _without_next_token_modules(k.number_or("num_nextn_predict_layers", 0, low=0)),
        }

    return build


def _blocks_where(L: int, dense: Callable[[int], object]) -> frozenset[int]:
    return frozenset(i for i in range(min(L, 10_000)) if dense(i))


def _without_next_token_modules(modules: int) -> str:
    if not modules:
        return ""
    return f"Not counted: {modules} further block(s) that predict later tokens during training"


FAMILIES: dict[str, Build] = {
    "gpt2": _gpt2,
    "gpt_neo": _gpt_neo,
    "gptj": _gptj,
    "gpt_neox": _gpt_neox,
    "opt": _opt,
    "bloom": _bloom,
    "llama": _llama_like(_attention_and_mlp),
    "mistral": _llama_like(_none),
    "mixtral": _mixtral,
    "gemma": _llama_like(_attention),
    "gemma2": _llama_like(_attention, placement="pre and post"),
    "gemma3_text": _llama_like(_attention, placement="pre and post", qk_norm="per head"),
    "qwen2": _llama_like(_qkv),
    "qwen3": _llama_like(_attention, qk_norm="per head"),
    "qwen3_moe": _qwen3_moe,
    "phi": _phi,
    "phi3": _llama_like(_none),
    "olmo": _llama_like(_attention, norm="LayerNorm without parameters"),
    "olmo2": _llama_like(_attention, placement="after sublayer", qk_norm="whole width"),
    "smollm3": _llama_like(_attention_and_mlp),
    "deepseek_v2": _deepseek(_NONE, mlp_bias=True),
    "deepseek_v3": _deepseek(frozenset({"router"}), mlp_bias=False),
}

_GPT: dict[str, tuple[str, ...]] = {
    "n_embd": ("hidden_size",),
    "n_positions": ("max_position_embeddings",),
    "n_head": ("num_attention_heads",),
    "n_layer": ("num_hidden_layers",),
}
_EXPERTS = ("num_experts", "num_local_experts", "n_routed_experts")
ALIASES: dict[str, dict[str, tuple[str, ...]]] = {  # model_type -> key -> its other names
    "gpt2": _GPT,
    "gptj": _GPT,
    "gpt_neo": {"num_heads": ("num_attention_heads",), "num_layers": ("num_hidden_layers",)},
    "bloom": {
        "hidden_size": ("n_embed",),
        "n_layer": ("num_hidden_layers",),
        "n_head": ("num_attention_heads",),
    },
    "mixtral": {"num_local_experts": _EXPERTS},
    "qwen3_moe": {"num_experts": _EXPERTS},
    "deepseek_v2": {"n_routed_experts": _EXPERTS},
    "deepseek_v3": {"n_routed_experts": _EXPERTS},
}
