// The model types a config.json may name: which shapes their keys mean, as in
// counting/hub_families.py; keys are asked for in the same order.

const GPT = ["V:vocab_size", "T:n_positions", "d:n_embd", "L:n_layer", "h:n_head"];
const NEO = ["V:vocab_size", "T:max_position_embeddings", "d:hidden_size"];
const STACK = [...NEO, "L:num_hidden_layers", "h:num_attention_heads"];
const ALL = ["q", "k", "v", "o"];
const ROTARY = { positions: "rotary" };
const DECODER = { ...ROTARY, gated: true, norm: "RMSNorm" };

const llama = (biases, choices = {}) => (k) => {
  const d_k = k.or("head_dim", null);
  const sizes = k.sizes(STACK);
  return {
    ...(d_k ? sizes : evenly(sizes, "num_attention_heads")),
    h_kv: k.or("num_key_value_heads", sizes.h),
    d_k,
    d_ff: k.number("intermediate_size"),
    ...DECODER,
    ...choices,
    biases: biases(k),
  };
};
const none = () => [];
const attention = (k) => (k.flag("attention_bias") ? ALL : []);
const both = (k) => [...attention(k), ...(k.flag("mlp_bias") ? ["mlp"] : [])];
const evenly = (c, key) => {
  if (c.d % c.h) throw new Error(`${key} must divide the width ${c.d}, got ${c.h}`);
  return c;
};
const openai = (choices) => (k) => ({
  ...evenly(k.sizes(GPT), "n_head"), d_ff: k.or("n_inner", null), ...choices,
});

export const FAMILIES = {
  gpt2: (k) => {
    if (k.flag("add_cross_attention")) {
      throw new Error("add_cross_attention is true: that is no decoder-only model");
    }
    return openai({})(k);
  },
  gpt_neo: (k) => {
    const sizes = evenly(k.sizes([...NEO, "L:num_layers", "h:num_heads"]), "num_heads");
    const described = k.describedBlocks("attention_types");
    if (described !== null && described !== sizes.L) {
      throw new Error(
        `attention_types describes ${described} blocks, but num_layers is ${sizes.L}`);
    }
    return { ...sizes, d_ff: k.or("intermediate_size", null), biases: ["o", "mlp"] };
  },
  gptj: openai({ ...ROTARY, parallel: "one norm", biases: ["mlp", "head"] }),
  gpt_neox: (k) => ({
    ...evenly(k.sizes(STACK), "num_attention_heads"),
    d_ff: k.number("intermediate_size"),
    parallel: k.flag("use_parallel_residual") ? "two norms" : "no",
    biases: k.flag("attention_bias") ? [...ALL, "mlp"] : ["mlp"],
    ...ROTARY,
  }),
  opt: (k) => {
    const before = k.flag("do_layer_norm_before");
    return {
      ...evenly(k.sizes(STACK), "num_attention_heads"),
      d_ff: k.number("ffn_dim"),
      d_embed: k.or("word_embed_proj_dim", null),
      norm: k.flag("layer_norm_elementwise_affine") ? "LayerNorm" : "LayerNorm without parameters",
      placement: before ? "pre" : "post",
      final_norm: before && !k.flag("_remove_final_layer_norm"),
      biases: k.flag("enable_bias") ? [...ALL, "mlp"] : [],
      position_offset: 2,
    };
  },
  bloom: (k) => ({
    ...evenly(k.sizes(["V:vocab_size", "T:seq_length", "d:hidden_size", "L:n_layer", "h:n_head"]),
      "n_head"),
    embedding_norm: true,
    positions: "alibi",
  }),
  llama: llama(both),
  mistral: llama(none),
  mixtral: (k) => ({
    ...llama(none)(k),
    experts: k.number("num_local_experts"),
    experts_active: k.number("num_experts_per_tok"),
  }),
  gemma: llama(attention),
  gemma2: llama(attention, { placement: "pre and post" }),
  gemma3_text: llama(attention, { placement: "pre and post", qk_norm: "per head" }),
  qwen2: llama(() => ["q", "k", "v"]),
  qwen3: llama(attention, { qk_norm: "per head" }),
  qwen3_moe: (k) => {
    const dense = llama(attention, { qk_norm: "per head" })(k);
    const every = k.number("decoder_sparse_step");
    const listed = k.indices("mlp_only_layers");
    const experts = k.number("num_experts", 0);
    if (!experts) return dense;
    return {
      ...dense,
      experts,
      experts_active: k.number("num_experts_per_tok"),
      d_expert: k.number("moe_intermediate_size"),
      dense_blocks: blocksWhere(dense.L, (i) => listed.includes(i) || (i + 1) % every),
    };
  },
  phi: (k) => ({
    ...llama(() => [...ALL, "mlp", "head"])(k),
    gated: false,
    norm: "LayerNorm",
    parallel: "one norm",
    qk_norm: k.flag("qk_layernorm") ? "per head" : "no",
  }),
  phi3: llama(none),
  olmo: llama(attention, { norm: "LayerNorm without parameters" }),
  olmo2: llama(attention, { placement: "after sublayer", qk_norm: "whole width" }),
  smollm3: llama(both),
  deepseek_v2: (k) => deepseek(k, k.flag("mlp_bias") ? ["mlp"] : []),
  deepseek_v3: (k) => deepseek(k, ["router"]),
};

function deepseek(k, biases) {
  const c = k.sizes(STACK);
  const d_rope = k.number("qk_rope_head_dim");
  const [first, every] = [k.number("first_k_dense_replace", 0), k.number("moe_layer_freq")];
  return {
    ...c,
    ...DECODER,
    d_k: k.number("qk_nope_head_dim") + d_rope,
    d_v: k.number("v_head_dim"),
    d_ff: k.number("intermediate_size"),
    biases: [...(k.flag("attention_bias") ? ["latent", "o"] : []), ...biases],
    experts: k.number("n_routed_experts"),
    experts_active: k.number("num_experts_per_tok"),
    experts_shared: k.or("n_shared_experts", 0, 0),
    d_expert: k.number("moe_intermediate_size"),
    dense_blocks: blocksWhere(c.L, (i) => i < first || i % every),
    q_latent: k.or("q_lora_rank", 0),
    kv_latent: k.number("kv_lora_rank"),
    d_rope,
    note: withoutNextTokenModules(k.or("num_nextn_predict_layers", 0, 0)),
  };
}

const withoutNextTokenModules = (modules) => (modules
  ? `Not counted: ${modules} further block(s) that predict later tokens during training`
  : "");

const blocksWhere = (L, dense) =>
  Array.from({ length: Math.min(L, 10000) }, (_, i) => i).filter(dense);

