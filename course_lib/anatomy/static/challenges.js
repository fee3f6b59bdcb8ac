// The challenges: what to bring about, how the page knows that it was, and what it teaches.

import { flops, kvCacheBytes, partOf } from "./count.js";
import { h } from "./dom.js";
import { exact, percent } from "./numbers.js";
import { holders } from "./parts.js";

const attentionWeights = (model) => partOf(model, "attention", 1).each;
const size = (model, path) =>
  model.groups[0].tensors.find((t) => t.path === `attention.${path}`)?.count;
const isEdited = (s, name) => s.edits !== null && s.base === name;

// Each: id, task, hint, met(s) and lesson; s = {base, edits, model, other, T, part, visited}.
export const CHALLENGES = [
  {
    id: "sum",
    task: "GPT-2 small, part by part: select all eight and let the sum grow to the released total.",
    hint: "The table and the positions, the four parts of a block, the final LayerNorm, the head.",
    met: (s) => untouched(s) && holders(s.model).every((key) => s.visited.includes(key)),
    lesson: "38,597,376 + 786,432 + 12 × (1,536 + 2,362,368 + 1,536 + 4,722,432) + 1,536 + 0 " +
      "= 124,439,808, exactly what the released checkpoint holds.",
  },
  {
    id: "scores",
    task: "Choose a model and T so that the T × T scores of a single head outnumber the attention " +
      "weights of a block, all of them together.",
    hint: "Weights grow with d², scores with T². T may not exceed the model's context.",
    met: (s) => s.T * s.T > attentionWeights(s.model),
    lesson: "At long contexts the scores of even one head outgrow the weights. That is why fused " +
      "kernels never write the score matrix to memory.",
  },
  {
    id: "mlp",
    task: "Which model keeps over three quarters of its parameters in MLPs? Show it.",
    hint: "A large model: its tables weigh little. And its MLP is gated, or it has experts.",
    met: (s) => s.edits === null && s.model.parts.mlp > 0.75 * s.model.params,
    lesson: "With depth and width the tables shrink in proportion, and few key heads make " +
      "attention small: what remains is MLP.",
  },
  {
    id: "grouped",
    task: "Show a model in which W_K has fewer entries than W_Q, and select its attention.",
    hint: "Look for fewer key heads than query heads (h_kv < h).",
    met: (s) => s.part === "attention" && s.edits === null &&
      size(s.model, "W_K") < size(s.model, "W_Q"),
    lesson: "Grouped queries: several query heads read the same keys and values.",
  },
  {
    id: "long",
    task: "Choose a model and a T at which more than half of all FLOPs go into scores and mix.",
    hint: "Crossover for GPT-2's shape lies beyond its context. Some contexts are 131,072 long.",
    met: (s) => flops(s.model, s.T).matrices > 0.5 * flops(s.model, s.T).total,
    lesson: "The weights cost the same at any T. The scores grow with T, and past some length " +
      "they are most of the bill.",
  },
  {
    id: "vocabulary",
    task: "Find a released model with more parameters in its token tables (embedding and head) " +
      "than in everything else.",
    hint: "A small model with a large vocabulary.",
    met: (s) => s.edits === null && s.model.config.published &&
      (s.model.parts["token embedding"] + (s.model.parts.head ?? 0)) * 2 > s.model.params,
    lesson: "A vocabulary costs V·d whatever the depth. In a small model it can be nearly all, and " +
      "“14M” says little about how much it can compute.",
  },
  {
    id: "twins",
    task: "Put two models side by side that have equally many parameters, to the unit, but " +
      "different contexts.",
    hint: "Rotary positions have no table. Two versions of one family, perhaps.",
    met: (s) => s.other !== null && s.edits === null && s.model.params === s.other.params &&
      s.model.config.T !== s.other.config.T,
    lesson: "Where positions are rotary, the context is a choice of training, not a number of " +
      "parameters.",
  },
  {
    id: "sparse",
    task: "Find a model of which one token uses less than a tenth.",
    hint: "Experts: many in the model, few on a token's way.",
    met: (s) => s.edits === null && s.model.active * 10 < s.model.params,
    lesson: "Memory is paid for all experts, FLOPs only for those visited.",
  },
  {
    id: "untie",
    task: "Switch one thing on or off in GPT-2 small so that it has exactly 163,037,184 parameters.",
    hint: "The difference is 38,597,376. Which table is that?",
    met: (s) => isEdited(s, "GPT-2 small") && s.model.params === 163037184 &&
      !s.model.config.tied,
    lesson: "A head of its own is a second V × d: untied, the model is 31% larger.",
  },
  {
    id: "cache",
    task: "Change GPT-2 small so that it keeps a quarter of the bytes for keys and values, with " +
      "its queries as they are.",
    hint: "12 query heads can share 3 key and value heads.",
    met: (s) => isEdited(s, "GPT-2 small") && s.model.config.L === 12 &&
      s.model.config.h * s.model.config.d_k === 768 &&
      kvCacheBytes(s.model, s.T) * 4 <= 2 * s.T * 12 * 12 * 128,
    lesson: "The cache holds h_kv heads, not h. It shrinks fourfold, the model by less than a tenth.",
  },
];

const untouched = (s) => s.base === "GPT-2 small" && s.edits === null;

// Those met now; `solved` are those met before.
export const metNow = (s, solved) =>
  CHALLENGES.filter((c) => !solved.includes(c.id) && c.met(s)).map((c) => c.id);

export function challenges(s, solved, level, forget) {
  return h(
    "section",
    { class: "challenges" },
    h(`h${level}`, {}, "Challenges"),
    h("p", { class: "score", tabindex: "-1" }, `${solved.length} of ${CHALLENGES.length} done`,
      solved.length
        ? h("button", { type: "button", class: "quiet", onclick: forget }, "Start over")
        : null),
    h("ol", {}, CHALLENGES.map((c) => {
      const done = solved.includes(c.id);
      return h("li", { class: done ? "done" : "", "data-challenge": c.id },
        h("p", {}, c.task, " ", h("span", { class: "state" }, done ? "(done)" : "(not yet)")),
        c.id === "sum" ? sumSoFar(s) : null,
        c.id === "scores" && !done ? distance(s) : null,
        done
          ? h("p", { class: "lesson" }, c.lesson)
          : h("details", {}, h("summary", {}, "Hint"), h("p", {}, c.hint)));
    })),
  );
}

// The reader's own sum over the parts of GPT-2 small selected so far.
function sumSoFar(s) {
  if (!untouched(s)) return null;
  const keys = holders(s.model);
  const chosen = keys.filter((key) => s.visited.includes(key));
  const sum = chosen.reduce((n, key) => n + partOf(s.model, key, s.T).total, 0);
  return h("p", { class: "so-far" }, `${chosen.length} of ${keys.length} parts selected: `,
    h("span", { class: "value" }, `${exact(sum)} of ${exact(s.model.params)}`),
    ` (${percent(sum, s.model.params)})`);
}

// How far the T × T challenge is.
function distance(s) {
  return h("p", { class: "so-far" },
    `${s.model.config.name}: ${exact(s.T)} × ${exact(s.T)} = ${exact(s.T * s.T)}, against ` +
    `${exact(attentionWeights(s.model))} weights`);
}

// The smallest T whose scores outnumber a block's attention weights.
export function neededT(model) {
  const weights = attentionWeights(model);
  let T = Math.floor(Math.sqrt(weights));
  while (T * T <= weights) T += 1;
  return T;
}
