// A config.json of the kind that Hugging Face publishes, read without Python, for the saved page.
// Keys, defaults and other names come from course_lib.counting (data.hub); here is what they mean,
// as in counting/hub_families.py, with which tests compare it.

const GPT = ["V:vocab_size", "T:n_positions", "d:n_embd", "L:n_layer", "h:n_head"];
const NEO = ["V:vocab_size", "T:max_position_embeddings", "d:hidden_size"];
const LLAMA = [...NEO, "L:num_hidden_layers", "h:num_attention_heads", "d_ff:intermediate_size"];
const ALL = ["q", "k", "v", "o"];
const ROTARY = { positions: "rotary" };
const DECODER = { ...ROTARY, gated: true, norm: "RMSNorm" };

const llama = (biases, choices = {}) => (k) => ({
  ...k.sizes(LLAMA),
  h_kv: k.or("num_key_value_heads", k.number("num_attention_heads")),
  d_k: k.or("head_dim", null),
  ...DECODER,
  ...choices,
  biases: biases(k),
});
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

const FAMILIES = {
  gpt2: (k) => {
    if (k.flag("add_cross_attention")) {
      throw new Error("add_cross_attention is true: that is no decoder-only model");
    }
    return openai({})(k);
  },
  gptj: openai({ ...ROTARY, parallel: "one norm", biases: ["mlp", "head"] }),
  gpt_neo: (k) => ({
    ...evenly(k.sizes([...NEO, "L:num_layers", "h:num_heads"]), "num_heads"),
    d_ff: k.or("intermediate_size", null),
    biases: ["o", "mlp"],
  }),
  gpt_neox: (k) => ({
    ...evenly(k.sizes(LLAMA), "num_attention_heads"),
    parallel: k.flag("use_parallel_residual") ? "two norms" : "no",
    biases: k.flag("attention_bias") ? [...ALL, "mlp"] : ["mlp"],
    ...ROTARY,
  }),
  opt: (k) => {
    const before = k.flag("do_layer_norm_before");
    const sizes = [...NEO, "L:num_hidden_layers", "h:num_attention_heads", "d_ff:ffn_dim"];
    return {
      ...evenly(k.sizes(sizes), "num_attention_heads"),
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
  const c = k.sizes(LLAMA);
  const d_rope = k.number("qk_rope_head_dim");
  const [first, every] = [k.number("first_k_dense_replace", 0), k.number("moe_layer_freq")];
  return {
    ...c,
    ...DECODER,
    d_k: k.number("qk_nope_head_dim") + d_rope,
    d_v: k.number("v_head_dim"),
    biases: [...(k.flag("attention_bias") ? ["latent", "o"] : []), ...biases],
    experts: k.number("n_routed_experts"),
    experts_active: k.number("num_experts_per_tok"),
    experts_shared: k.or("n_shared_experts", 0, 0),
    d_expert: k.number("moe_intermediate_size"),
    dense_blocks: blocksWhere(c.L, (i) => i < first || i % every),
    q_latent: k.or("q_lora_rank", 0),
    kv_latent: k.number("kv_lora_rank"),
    d_rope,
  };
}

const blocksWhere = (L, dense) =>
  Array.from({ length: Math.min(L, 10000) }, (_, i) => i).filter(dense);

// The fields of the model that the text of a config.json describes. Throws Error with the reason.
export function fromHub(text, data) {
  let values;
  try {
    values = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    throw new Error("it is not valid JSON");
  }
  if (values === null || typeof values !== "object" || Array.isArray(values)) {
    throw new Error("a config.json holds one JSON object");
  }
  if (!FAMILIES[values.model_type] && values.text_config) {
    if (typeof values.text_config !== "object" || Array.isArray(values.text_config)) {
      throw new Error("text_config must be an object");
    }
    const outer = { model_type: `${values.model_type}_text` }; // in case the part does not say
    for (const key of ["_name_or_path", "tie_word_embeddings"]) {
      if (key in values) outer[key] = values[key];
    }
    values = { ...outer, ...values.text_config };
  }
  const family = values.model_type;
  const known = Object.keys(FAMILIES);
  if (typeof family !== "string") {
    throw new Error(`model_type is missing or no text; known are ${known.join(", ")}`);
  }
  if (!known.includes(family)) {
    throw new Error(`model_type “${family}” cannot be counted (known: ${known.join(", ")})`);
  }
  const keys = reader(values, data.hub.defaults[family], data.hub.aliases[family] ?? {});
  const fields = { ...FAMILIES[family](keys), tied: keys.flag("tie_word_embeddings") };
  for (const [name, value] of Object.entries(fields)) if (value === null) delete fields[name];
  if (typeof values._name_or_path === "string") fields.name = values._name_or_path;
  return fields;
}

// The values of a config under their own or their older names, with the family's defaults.
function reader(values, defaults, aliases) {
  const raw = (key) => {
    const names = [key, ...(aliases[key] ?? [])];
    const found = names.filter((name) => values[name] != null);
    if (new Set(found.map((name) => JSON.stringify(values[name]))).size > 1) {
      const pairs = found.map((name) => `${name} = ${JSON.stringify(values[name])}`);
      throw new Error(`two keys contradict each other: ${pairs.join(", ")}`);
    }
    if (found.length) return values[found[0]];
    return names.some((name) => name in values) ? null : (defaults[key] ?? null);
  };
  const whole = (key, value, least) => {
    if (!Number.isInteger(value) || value < least) {
      throw new Error(
        `${key} must be a whole number of at least ${least}, got ${JSON.stringify(value)}`);
    }
    return value;
  };
  return {
    raw,
    number: (key, least = 1) => whole(key, raw(key), least),
    or: (key, otherwise, least = 1) =>
      raw(key) === null ? otherwise : whole(key, raw(key), least),
    indices(key) {
      const listed = raw(key) ?? [];
      if (!Array.isArray(listed)) {
        throw new Error(
          `${key} must be a list of block numbers, got ${JSON.stringify(listed)}`);
      }
      return listed.map((index, i) => whole(`${key}[${i}]`, index, 0));
    },
    flag(key) {
      const value = raw(key);
      if (typeof value !== "boolean") {
        throw new Error(`${key} must be true or false, got ${JSON.stringify(value)}`);
      }
      return value;
    },
    sizes(pairs) {
      return Object.fromEntries(pairs.map((pair) => {
        const [field, key] = pair.split(":");
        return [field, this.number(key)];
      }));
    },
  };
}
