// Sums over the list of tensors: parameters, FLOPs per token at T, bytes.

import { ConfigProblem, complete } from "./config.js";
import { tensorsOf } from "./tensors.js";

const TABLES = ["token embedding", "position embedding"];
const sum = (items, of) => items.reduce((total, item) => total + of(item), 0);

// A model: its complete configuration, its tensors, its totals. Throws ConfigProblem.
export function modelOf(fields, data) {
  const c = complete(fields, data);
  const { outside, groups } = tensorsOf(c, data.rules);
  const all = [
    ...outside.map((t) => ({ ...t, times: 1 })),
    ...groups.flatMap((g) => g.tensors.map((t) => ({ ...t, times: g.blocks.length }))),
  ];
  const parts = {};
  for (const t of all) parts[t.part] = (parts[t.part] ?? 0) + t.count * t.times;
  const model = {
    config: c,
    outside,
    groups,
    all,
    parts,
    params: sum(all, (t) => t.count * t.times),
    active: sum(all, (t) => t.active * t.times),
    withoutEmbeddings: sum(all, (t) => (TABLES.includes(t.part) ? 0 : t.count * t.times)),
  };
  const largest = Math.max(4 * model.params, flops(model, c.T).total, kvCacheBytes(model, c.T));
  if (!Number.isSafeInteger(largest)) {
    throw new ConfigProblem("that model is too large for this page to count exactly");
  }
  return model;
}

// Forward FLOPs per token: 2 for each entry of a matrix that multiplies activations (experts: of
// those a token visits), and the scores and the mix of attention over the full T × T.
export function flops(model, T) {
  const weights = 2 * sum(model.all, (t) => (t.matmul ? t.active * t.times : 0));
  const { L } = model.config;
  const matrices = L * scoreFlops(model.config, T);
  return { weights, matrices, total: weights + matrices };
}

// QKᵀ and AV of one layer, per token.
export const scoreFlops = (c, T) => 2 * T * c.h * (c.d_k + c.d_v);

export function kvCacheBytes(model, T) {
  const c = model.config;
  const perLayer = c.kv_latent ? c.kv_latent + c.d_rope : c.h_kv * (c.d_k + c.d_v);
  return 2 * T * c.L * perLayer;
}

// One box of the picture: its tensors in one block, and how many blocks have it.
export function partOf(model, key, T) {
  const c = model.config;
  const inBlock = model.groups.filter(
    (g) => key === "block" || g.tensors.some((t) => t.place === key),
  );
  const group = inBlock[0] ?? null;
  const blocks = sum(inBlock, (g) => g.blocks.length);
  const list = (group ? group.tensors : model.outside).filter(
    (t) => key === "block" || t.place === key,
  );
  const each = sum(list, (t) => t.count);
  const total =
    key === "block"
      ? sum(model.groups, (g) => g.blocks.length * sum(g.tensors, (t) => t.count))
      : each * Math.max(blocks, 1);
  let weights = 2 * sum(list, (t) => (t.matmul && key !== "token-embedding" ? t.active : 0));
  if (key === "head" && c.tied) {
    weights += 2 * sum(model.outside, (t) => (t.kind === "table" && t.matmul ? t.count : 0));
  }
  const scores = key === "attention" || key === "block" ? scoreFlops(c, T) : 0;
  let flopsTotal = (weights + scores) * Math.max(blocks, 1);
  if (key === "block") {
    const inside = model.all.filter((t) => t.name.startsWith("blocks."));
    flopsTotal = 2 * sum(inside, (t) => (t.matmul ? t.active * t.times : 0)) + c.L * scores;
  }
  return { key, tensors: list, each, total, blocks, weights, scores, flops: flopsTotal };
}
