// A model's configuration: defaults filled in, checked as course_lib.counting.ModelConfig does.

const WIDTHS = ["V", "T", "d", "L", "h", "h_kv", "d_k", "d_v", "d_ff", "d_embed", "d_expert"];
const COUNTS = ["position_offset", "experts", "experts_active", "experts_shared"];
const LATENTS = ["q_latent", "kv_latent", "d_rope"];
export const FLAGS = ["gated", "final_norm", "embedding_norm", "tied"];
export const WHOLE = [...WIDTHS, ...COUNTS, ...LATENTS];
const MOST_LAYERS = 10000;

// Widths that follow from others when they are left out; each needs only those before it.
export const FOLLOWS = {
  h_kv: ["h", (c) => c.h],
  d_k: ["d / h", (c) => c.d / c.h],
  d_v: ["d_k", (c) => c.d_k],
  d_ff: ["4·d", (c) => 4 * c.d],
  d_embed: ["d", (c) => c.d],
  d_expert: ["d_ff", (c) => c.d_ff],
};

export class ConfigProblem extends Error {}

const refuse = (message) => {
  throw new ConfigProblem(message);
};

function whole(name, value, least) {
  if (!Number.isInteger(value) || value < least) {
    refuse(`${name} must be a whole number of at least ${least}, got ${shown(value)}`);
  }
  if (!Number.isSafeInteger(value)) refuse(`${name} is too large to count exactly`);
}

const shown = (value) =>
  value == null ? "nothing" : typeof value === "string" ? `“${value}”` : String(value);

// The configuration that `fields` describe, complete. Throws ConfigProblem with the reason.
export function complete(fields, data) {
  const c = { ...data.defaults, name: "custom model", source: "", note: "", ...fields };
  for (const name of ["V", "T", "d", "L", "h"]) whole(name, c[name], 1);
  if (fields.d_k == null && c.d % c.h) {
    refuse(
      `h must divide d when d_k is not given; got d = ${c.d}, h = ${c.h}. ` +
        "Give d_k, or choose another h",
    );
  }
  for (const name of WIDTHS) {
    if (c[name] == null && FOLLOWS[name]) c[name] = FOLLOWS[name][1](c);
    whole(name, c[name], 1);
  }
  for (const name of [...COUNTS, ...LATENTS]) whole(name, c[name], 0);
  for (const name of ["norm", "placement", "parallel", "qk_norm", "positions"]) {
    const allowed = data.choices[name];
    if (!allowed.includes(c[name])) {
      refuse(`${name} must be one of ${allowed.join(", ")}; got ${shown(c[name])}`);
    }
  }
  for (const name of FLAGS) {
    if (typeof c[name] !== "boolean") refuse(`${name} must be true or false, got ${c[name]}`);
  }
  for (const name of ["biases", "dense_blocks"]) {
    if (!Array.isArray(c[name])) refuse(`${name} must be a list, got ${shown(c[name])}`);
  }
  for (const i of c.dense_blocks) whole("dense_blocks", i, 0);
  c.name = String(c.name);
  const unknown = c.biases.filter((kind) => !data.choices.biases.includes(kind));
  if (unknown.length) refuse(`biases may name ${data.choices.biases.join(", ")}; got ${unknown}`);
  together(c);
  return c;
}

// What holds between fields.
function together(c) {
  if (c.L > MOST_LAYERS) refuse(`L must be at most 10,000 blocks, got ${c.L.toLocaleString("en-US")}`);
  if (c.h % c.h_kv) {
    refuse(
      "h_kv must divide h, so that each key head serves as many query heads; " +
        `got h = ${c.h}, h_kv = ${c.h_kv}`,
    );
  }
  if (c.parallel !== "no" && c.placement !== "pre") {
    refuse(
      "parallel blocks have their norms in front: placement must be “pre”, " +
        `got “${c.placement}”`,
    );
  }
  if (!c.experts) {
    if (c.experts_active || c.experts_shared || c.dense_blocks.length) {
      refuse("experts_active, experts_shared and dense_blocks need experts above 0");
    }
  } else {
    if (c.experts_active < 1 || c.experts_active > c.experts) {
      refuse(
        `experts_active must lie between 1 and experts = ${c.experts}, got ${c.experts_active}`,
      );
    }
    const outside = c.dense_blocks.filter((i) => i < 0 || i >= c.L);
    if (outside.length) {
      refuse(`dense_blocks must lie in 0 .. ${c.L - 1}, got ${Math.min(...outside)}`);
    }
  }
  if (c.kv_latent && !(c.d_rope > 0 && c.d_rope < c.d_k)) {
    refuse(
      `d_rope must lie between 0 and d_k = ${c.d_k} in latent attention, got ${c.d_rope}`,
    );
  }
  if (!c.kv_latent && (c.q_latent || c.d_rope)) {
    refuse("q_latent and d_rope need kv_latent above 0 (latent attention)");
  }
}

// Whether two complete configurations give the same tensors and the same context.
export function sameShapes(a, b) {
  const choices = ["norm", "placement", "parallel", "qk_norm", "positions", ...FLAGS, ...WHOLE];
  const sets = ["biases", "dense_blocks"];
  const listed = (c, name) => [...c[name]].sort().join();
  return choices.every((name) => a[name] === b[name]) &&
    sets.every((name) => listed(a, name) === listed(b, name));
}

// The fields of a model from the table with what its reader changed; null takes a field away.
export function edited(base, edits) {
  const fields = { ...base };
  for (const [name, value] of Object.entries(edits)) {
    if (value === null) delete fields[name];
    else fields[name] = value;
  }
  if (Object.keys(edits).length) {
    for (const name of ["published", "note", "source", "V_used"]) delete fields[name];
    if (edits.note) fields.note = String(edits.note); // that of a file
    fields.name = edits.name ?? `${base.name}, edited`;
  }
  return fields;
}
