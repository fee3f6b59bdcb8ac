// What each box does, in two sentences of this model's own numbers; and what passes through it.

import { exact, percent, plural } from "./numbers.js";

export function describe(key, model, T) {
  const c = model.config;
  const text = TEXTS[key];
  return text ? text(c, T, model) : "";
}

const sharing = (c) =>
  c.h_kv === c.h
    ? `Each of ${plural(c.h, "head")} compares every token's query with the keys of the tokens ` +
      "before it and its own, and no later ones (the causal mask)."
    : `${exact(c.h)} query heads share ${plural(c.h_kv, "key and value head")}, ${exact(c.h / c.h_kv)} ` +
      "to each: smaller W_K and W_V, and a smaller cache when text is generated. Every query " +
      "meets the keys of earlier tokens and its own only (the causal mask).";

const worker = (c, model) =>
  c.experts && model.groups.length === 1 ? "experts work" : "the MLP works";

// The share of the MLP in the block that has it.
function ofItsBlock(model) {
  const { tensors } = model.groups.find((g) => !g.routed);
  const count = (list) => list.reduce((n, t) => n + t.count, 0);
  return percent(count(tensors.filter((t) => t.place === "mlp")), count(tensors));
}

const carries = {
  rotary: " Positions enter here: queries and keys are rotated by an angle that grows with position.",
  alibi: " Positions enter here: a score is lowered in proportion to the distance (ALiBi).",
};

const TEXTS = {
  "token-embedding": (c) =>
    `A table with one row of ${exact(c.d_embed)} numbers for each of ${exact(c.V)} tokens; an id ` +
    "picks its row, and nothing is multiplied." +
    (c.tied
      ? " The same table, turned, is the head at the other end (weight tying)."
      : " The head at the other end has a matrix of its own."),
  "position-embedding": (c) =>
    c.positions === "learned"
      ? `One learned row of ${exact(c.d)} numbers for each of ${exact(c.T)} positions, added to ` +
        "the token's row. There is no row for a later position, so the model cannot read further." +
        (c.position_offset
          ? ` The table begins with ${plural(c.position_offset, "more row")}, for no position of a text.`
          : "")
      : "Fixed sines and cosines of the position, added to the token's row. They are computed, " +
        "not learned, so they hold no parameters.",
  "projection-in": (c) =>
    `The token table is only ${exact(c.d_embed)} wide; this matrix widens its rows to the ` +
    `stream's ${exact(c.d)}. A narrow table saves parameters where the vocabulary is large.`,
  "projection-out": (c) =>
    `Brings the stream's ${exact(c.d)} numbers down to the ${exact(c.d_embed)} of the token ` +
    "table. The head can then be that same narrow table.",
  "embedding-norm": () =>
    "Normalises the token rows before the first block reads them. BLOOM added it because large " +
    "runs became unstable without it.",
  stream: (c, T) =>
    `One vector of ${exact(c.d)} numbers for each of ${plural(T, "token")}. It holds no ` +
    "parameters: every block reads from it and adds to it, and its shape never changes.",
  block: (c, T, model) =>
    (c.parallel === "no"
      ? `Attention moves information between tokens, then ${worker(c, model)} on each token alone. `
      : `Attention moves information between tokens; side by side with it, from the same stream, ` +
        `${worker(c, model)} on each token alone. `) +
    (model.groups.length > 1
      ? `There are ${exact(c.L)} blocks of two kinds: ${exact(
          model.groups.find((g) => !g.routed).blocks.length,
        )} with one dense MLP, the others with experts.`
      : `All ${exact(c.L)} blocks have these shapes, and each has weights of its own.`),
  attention: (c, T) =>
    "The one place where tokens read from each other. " +
    (c.kv_latent
      ? `Keys and values of ${plural(c.h, "head")} are unpacked from one latent of ` +
        `${exact(c.kv_latent)} numbers a token, so that only it and ${exact(c.d_rope)} numbers ` +
        "of position must be kept in the cache."
      : sharing(c)) +
    (carries[c.positions] ?? ""),
  mlp: (c, T, model) =>
    (c.gated
      ? `Works on each token alone: two matrices widen it to ${exact(c.d_ff)}, one of them, after ` +
        "its activation, gates the other, and a third brings the product back."
      : `Works on each token alone: widens it to ${exact(c.d_ff)}, applies the activation, and ` +
        "brings it back.") + ` It holds ${ofItsBlock(model)} of a block's parameters.`,
  experts: (c) =>
    `A router scores ${plural(c.experts, "expert")} for each token and sends it to ` +
    `${exact(c.experts_active)} of them` +
    (c.experts_shared === 1 ? "; one more expert sees every token" : "") +
    (c.experts_shared > 1 ? `; ${exact(c.experts_shared)} more experts see every token` : "") +
    ". The model holds all of them, but a token pays only for those it visits.",
  head: (c) =>
    `One dot product with each of ${exact(c.V)} token vectors gives the logits, from which ` +
    "softmax makes probabilities. " +
    (c.tied
      ? "The vectors are the rows of the token embedding, so the matrix costs FLOPs here and no " +
        "parameters."
      : "The matrix is the head's own, as large as the token embedding."),
  "final-norm": (c) =>
    "Brings the stream to a standard scale, whatever the blocks have added to it: the head would " +
    "otherwise be more or less sure depending on depth." + LEARNED[c.norm],
};
for (const key of ["ln1", "ln2", "ln1_post", "ln2_post"]) {
  TEXTS[key] = (c) => normText(key, c);
}

const LEARNED = {
  LayerNorm: " Each number is then scaled by a learned gain and shifted by a learned bias.",
  "LayerNorm without bias": " Each number is then scaled by a learned gain.",
  "LayerNorm without parameters": " In this model it learns no gain and no bias.",
  RMSNorm: " Each number is then scaled by a learned gain.",
};

function normText(key, c) {
  const normalise = (what) =>
    c.norm.startsWith("LayerNorm")
      ? `Brings ${what} to mean 0 and variance 1, token by token`
      : `Divides ${what} by its root mean square, token by token`;
  const sublayer = key.startsWith("ln1") ? "attention" : "the MLP";
  const learned = LEARNED[c.norm];
  if (c.parallel === "one norm") {
    return `${normalise("a copy of the stream")}, once for both attention and the MLP.${learned}`;
  }
  if (c.placement === "post") {
    return `${normalise("the stream itself")}, after ${sublayer} has added its answer (post-norm; ` +
      `later models moved the norm into the branch).${learned}`;
  }
  if (c.placement === "after sublayer" || key.endsWith("post")) {
    return `${normalise(`the answer of ${sublayer}`)}, before it is added to the stream, which ` +
      `bounds how much a block can add.${learned}`;
  }
  return `${normalise("a copy of the stream")}, for ${sublayer} to read; the stream itself passes ` +
    `by unchanged.${learned}`;
}

// What passes through a box: [name, symbols, numbers]; a "T" among the symbols depends on T.
export function flows(key, model, T) {
  const c = model.config;
  const stream = (name) => [name, ["T", "d"], [T, c.d]];
  switch (key) {
    case "token-embedding":
      return [["In: ids", ["T"], [T]], ["Out", ["T", width(c)], [T, c.d_embed]]];
    case "projection-in":
      return [["In", ["T", "d_embed"], [T, c.d_embed]], stream("Out")];
    case "projection-out":
      return [stream("In"), ["Out", ["T", "d_embed"], [T, c.d_embed]]];
    case "position-embedding":
      return [["In: positions", ["T"], [T]], stream("Out")];
    case "head":
      return [["In", ["T", width(c)], [T, c.d_embed]], ["Out: logits", ["T", "V"], [T, c.V]]];
    case "attention":
      return attentionFlows(c, T, stream);
    case "mlp":
      return [stream("In"), ["Inside", ["T", "d_ff"], [T, c.d_ff]], stream("Out")];
    case "experts":
      return [
        stream("In"),
        ["Router scores", ["T", "experts"], [T, c.experts]],
        ["Inside, per expert visited", ["d_expert"], [c.d_expert]],
        stream("Out"),
      ];
    case "stream":
      return [stream("Everywhere")];
    default:
      return [stream("In"), stream("Out")];
  }
}

const width = (c) => (c.d_embed === c.d ? "d" : "d_embed");

function attentionFlows(c, T, stream) {
  const latents = c.kv_latent
    ? [
        ["Latent, kept in the cache", ["T", "kv_latent"], [T, c.kv_latent]],
        ["Rotary key, kept in the cache", ["T", "d_rope"], [T, c.d_rope]],
      ]
    : [];
  const v = c.d_v === c.d_k ? "d_k" : "d_v";
  return [
    stream("In"),
    ...latents,
    ["Queries, per head", ["T", "d_k"], [T, c.d_k]],
    ["Keys, per head", ["T", "d_k"], [T, c.d_k]],
    ["Values, per head", ["T", v], [T, c.d_v]],
    ["Scores, per head", ["T", "T"], [T, T]],
    stream("Out"),
  ];
}
