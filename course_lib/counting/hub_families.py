"""The model types a config.json may name: which keys they have and which shapes these mean.

One function for each kind of architecture; `hub_config.py` calls it with the checked keys.
Defaults stand in hub_defaults.json.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from course_lib.counting.config import ATTENTION_BIASES, ModelConfig


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

    def described_blocks(self, key: str) -> int | None:
        """How many blocks a list such as [[["global", "local"], 12]] describes."""


_BIASES = ATTENTION_BIASES | {"mlp"}
_NONE: frozenset[str] = frozenset()


def _gpt2(k: Keys) -> ModelConfig:
    if k.flag("add_cross_attention"):
        raise ValueError("add_cross_attention is true: that is no decoder-only model")
    return _openai(k)


def _gptj(k: Keys) -> ModelConfig:
    return _openai(k, positions="rotary", parallel="one norm", biases=frozenset({"mlp", "head"}))


def _openai(k: Keys, **choices: Any) -> ModelConfig:
    d = k.number("n_embd")
    return ModelConfig(
        V=k.number("vocab_size"),
        T=k.number("n_positions"),
        d=d,
        L=k.number("n_layer"),
        h=_heads_of(d, k.number("n_head"), "n_head"),
        d_ff=k.number_or("n_inner", 4 * d),
        tied=k.flag("tie_word_embeddings"),
        **choices,
    )


def _gpt_neo(k: Keys) -> ModelConfig:
    d, L = k.number("hidden_size"), k.number("num_layers")
    if (described := k.described_blocks("attention_types")) not in (None, L):
        raise ValueError(f"attention_types describes {described} blocks, but num_layers is {L}")
    return ModelConfig(
        V=k.number("vocab_size"),
        T=k.number("max_position_embeddings"),
        d=d,
        L=L,
        h=_heads_of(d, k.number("num_heads"), "num_heads"),
        d_ff=k.number_or("intermediate_size", 4 * d),
        biases=frozenset({"o", "mlp"}),
        tied=k.flag("tie_word_embeddings"),
    )


def _gpt_neox(k: Keys) -> ModelConfig:
    d = k.number("hidden_size")
    return ModelConfig(
        V=k.number("vocab_size"),
        T=k.number("max_position_embeddings"),
        d=d,
        L=k.number("num_hidden_layers"),
        h=_heads_of(d, k.number("num_attention_heads"), "num_attention_heads"),
        d_ff=k.number("intermediate_size"),
        parallel="two norms" if k.flag("use_parallel_residual") else "no",
        biases=_BIASES if k.flag("attention_bias") else frozenset({"mlp"}),
        tied=k.flag("tie_word_embeddings"),
        positions="rotary",
    )


def _opt(k: Keys) -> ModelConfig:
    d = k.number("hidden_size")
    before = k.flag("do_layer_norm_before")
    affine = k.flag("layer_norm_elementwise_affine")
    return ModelConfig(
        V=k.number("vocab_size"),
        T=k.number("max_position_embeddings"),
        d=d,
        L=k.number("num_hidden_layers"),
        h=_heads_of(d, k.number("num_attention_heads"), "num_attention_heads"),
        d_ff=k.number("ffn_dim"),
        d_embed=k.number_or("word_embed_proj_dim", d),
        norm="LayerNorm" if affine else "LayerNorm without parameters",
        placement="pre" if before else "post",
        final_norm=before and not k.flag("_remove_final_layer_norm"),
        biases=_BIASES if k.flag("enable_bias") else _NONE,
        tied=k.flag("tie_word_embeddings"),
        position_offset=2,
    )


def _bloom(k: Keys) -> ModelConfig:
    d = k.number("hidden_size")
    return ModelConfig(
        V=k.number("vocab_size"),
        T=k.number("seq_length"),
        d=d,
        L=k.number("n_layer"),
        h=_heads_of(d, k.number("n_head"), "n_head"),
        embedding_norm=True,
        tied=k.flag("tie_word_embeddings"),
        positions="alibi",
    )


def _heads_of(d: int, h: int, key: str) -> int:
    if d % h:
        raise ValueError(f"{key} must divide the width {d}, got {h}")
    return h


def _llama_like(biases: Callable[[Keys], frozenset[str]], **choices: Any) -> Callable[..., Any]:
    """A builder for the families that share the key names of LLaMA."""
    fixed: dict[str, Any] = {"gated": True, "norm": "RMSNorm"} | choices

    def build(k: Keys, **more: Any) -> ModelConfig:
        d, h = k.number("hidden_size"), k.number("num_attention_heads")
        d_k = k.number_or("head_dim", 0)
        return ModelConfig(
            V=k.number("vocab_size"),
            T=k.number("max_position_embeddings"),
            d=d,
            L=k.number("num_hidden_layers"),
            h=h if d_k else _heads_of(d, h, "num_attention_heads"),
            h_kv=k.number_or("num_key_value_heads", h),
            d_k=d_k or d // h,
            d_ff=k.number("intermediate_size"),
            biases=biases(k),
            tied=k.flag("tie_word_embeddings"),
            positions="rotary",
            **fixed | more,
        )

    return build


def _none(_: Keys) -> frozenset[str]:
    return _NONE


def _attention(k: Keys) -> frozenset[str]:
    return ATTENTION_BIASES if k.flag("attention_bias") else _NONE


def _attention_and_mlp(k: Keys) -> frozenset[str]:
    return _attention(k) | (frozenset({"mlp"}) if k.flag("mlp_bias") else _NONE)


def _qkv(_: Keys) -> frozenset[str]:
    return frozenset({"q", "k", "v"})


def _phi(k: Keys) -> ModelConfig:
    build = _llama_like(lambda _: _BIASES | {"head"}, gated=False, norm="LayerNorm")
    qk_norm = "per head" if k.flag("qk_layernorm") else "no"
    config: ModelConfig = build(k, parallel="one norm", qk_norm=qk_norm)
    return config


def _mixtral(k: Keys) -> ModelConfig:
    config: ModelConfig = _llama_like(_none)(
        k, experts=k.number("num_local_experts"), experts_active=k.number("num_experts_per_tok")
    )
    return config


def _qwen3_moe(k: Keys) -> ModelConfig:
    build = _llama_like(_attention, qk_norm="per head")
    L, every = k.number("num_hidden_layers"), k.number("decoder_sparse_step")
    listed = set(k.indices("mlp_only_layers"))
    dense = frozenset(i for i in range(min(L, 10_000)) if i in listed or (i + 1) % every)
    experts = k.number("num_experts", low=0)
    config: ModelConfig
    if not experts:
        config = build(k)
    else:
        config = build(
            k,
            experts=experts,
            experts_active=k.number("num_experts_per_tok"),
            d_expert=k.number("moe_intermediate_size"),
            dense_blocks=dense,
        )
    return config


def _deepseek(router: frozenset[str], mlp_bias: bool) -> Callable[[Keys], ModelConfig]:
    def biases(k: Keys) -> frozenset[str]:
        attention = frozenset({"latent", "o"}) if k.flag("attention_bias") else _NONE
        mlp = frozenset({"mlp"}) if mlp_bias and k.flag("mlp_bias") else _NONE
        return attention | mlp | router

    def build(k: Keys) -> ModelConfig:
        d, h = k.number("hidden_size"), k.number("num_attention_heads")
        d_rope = k.number("qk_rope_head_dim")
        L, first = k.number("num_hidden_layers"), k.number("first_k_dense_replace", low=0)
        every = k.number("moe_layer_freq")
        return ModelConfig(
            V=k.number("vocab_size"),
            T=k.number("max_position_embeddings"),
            d=d,
            L=L,
            h=h,
            d_k=k.number("qk_nope_head_dim") + d_rope,
            d_v=k.number("v_head_dim"),
            d_ff=k.number("intermediate_size"),
            gated=True,
            norm="RMSNorm",
            biases=biases(k),
            tied=k.flag("tie_word_embeddings"),
            positions="rotary",
            experts=k.number("n_routed_experts"),
            experts_active=k.number("num_experts_per_tok"),
            experts_shared=k.number_or("n_shared_experts", 0, low=0),
            d_expert=k.number("moe_intermediate_size"),
            dense_blocks=frozenset(i for i in range(min(L, 10_000)) if i < first or i % every),
            q_latent=k.number_or("q_lora_rank", 0),
            kv_latent=k.number("kv_lora_rank"),
            d_rope=d_rope,
            note=_without_next_token_modules(k.number_or("num_nextn_predict_layers", 0, low=0)),
        )

    return build


def _without_next_token_modules(modules: int) -> str:
    if not modules:
        return ""
    return f"Not counted: {modules} further block(s) that predict later tokens during training"


FAMILIES: dict[str, Callable[[Keys], ModelConfig]] = {
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
