// The boxes of a model, from ids to logits: which there are, what they are called, in which order.

const ATTENTION = { key: "attention", colour: "attention" };
const norm = (key) => ({ key, colour: "norm" });

// The name of a box in this model.
export function title(key, c) {
  const layerNorm = c.norm.startsWith("LayerNorm") ? "LayerNorm" : "RMSNorm";
  return {
    "token-embedding": "Token embedding",
    "position-embedding": c.positions === "learned" ? "Position embedding" : "Sine positions",
    "projection-in": "Projection to d",
    "embedding-norm": `Embedding ${layerNorm}`,
    stream: "Residual stream",
    block: "One block",
    ln1: `${layerNorm} 1`,
    ln1_post: `${layerNorm} 1, after`,
    attention: attentionName(c),
    ln2: `${layerNorm} 2`,
    ln2_post: `${layerNorm} 2, after`,
    mlp: c.gated ? "Gated MLP" : "MLP",
    experts: "Mixture of experts",
    "final-norm": `Final ${layerNorm}`,
    "projection-out": "Projection from d",
    head: c.tied ? "Head (tied)" : "Head",
  }[key];
}

function attentionName(c) {
  if (c.kv_latent) return "Multi-head latent attention";
  if (c.h === 1) return "Self-attention";
  if (c.h_kv === 1) return "Multi-query attention";
  return c.h_kv < c.h ? "Grouped-query attention" : "Multi-head self-attention";
}

// What stands on the stream before the blocks and after them.
export function before(c) {
  const rows = [[{ key: "token-embedding", colour: "embedding" }]];
  if (c.d_embed !== c.d) rows.push([{ key: "projection-in", colour: "projection" }]);
  if (c.positions === "learned" || c.positions === "sinusoidal") {
    const box = { key: "position-embedding", colour: "position" };
    if (rows.length === 1) rows[0].push(box);
    else rows.push([box]);
  }
  if (c.embedding_norm) rows.push([norm("embedding-norm")]);
  return rows;
}

export function after(c) {
  const boxes = [];
  if (c.final_norm) boxes.push(norm("final-norm"));
  if (c.d_embed !== c.d) boxes.push({ key: "projection-out", colour: "projection" });
  boxes.push({ key: "head", colour: "head" });
  return boxes;
}

// A block: its branches leave the stream, pass `lanes` of boxes, and are added back; boxes of
// `shared` stand before the lanes part, boxes of `onStream` on the stream after the addition.
export function branches(c, routed) {
  const mlp = { key: routed ? "experts" : "mlp", colour: "mlp" };
  const [ln1, ln2] = [norm("ln1"), norm("ln2")];
  if (c.parallel === "one norm") {
    return [{ shared: [ln1], lanes: [[ATTENTION], [mlp]], onStream: [] }];
  }
  if (c.parallel === "two norms") {
    return [{ shared: [], lanes: [[ln1, ATTENTION], [ln2, mlp]], onStream: [] }];
  }
  const single = (lane, onStream = []) => ({ shared: [], lanes: [lane], onStream });
  if (c.placement === "post") return [single([ATTENTION], [ln1]), single([mlp], [ln2])];
  if (c.placement === "after sublayer") return [single([ATTENTION, ln1]), single([mlp, ln2])];
  if (c.placement === "pre and post") {
    return [
      single([ln1, ATTENTION, norm("ln1_post")]),
      single([ln2, mlp, norm("ln2_post")]),
    ];
  }
  return [single([ln1, ATTENTION]), single([ln2, mlp])];
}

// Every box that a reader can select, in the order of the picture.
export function boxes(model) {
  const c = model.config;
  const keys = before(c).flat().map((box) => box.key);
  keys.push("stream", "block");
  for (const group of model.groups) {
    for (const { shared, lanes, onStream } of branches(c, group.routed)) {
      for (const box of [...shared, ...lanes.flat(), ...onStream]) keys.push(box.key);
    }
  }
  keys.push(...after(c).map((box) => box.key));
  return [...new Set(keys)];
}

// Those that may hold parameters of their own; together they hold each parameter once.
export const holders = (model) =>
  boxes(model).filter((key) => key !== "stream" && key !== "block");
