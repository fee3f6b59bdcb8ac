// Where a model's parameters live, and its totals.

import { flops, kvCacheBytes } from "./count.js";
import { h } from "./dom.js";
import { exact, percent, short, shortBytes, shortFlops } from "./numbers.js";

// [name, colour, counted parts]
const GROUPS = [
  ["Token and position embeddings", "embedding", ["token embedding", "position embedding"]],
  ["Embedding projections", "projection", ["embedding projection"]],
  ["Attention of all blocks", "attention", ["attention"]],
  ["MLPs of all blocks", "mlp", ["mlp"]],
  ["Norms", "norm", ["norm"]],
  ["Head", "head", ["head"]],
];

export function shares(model) {
  return GROUPS.map(([name, colour, parts]) => ({
    name: parts.length === 2 && !model.parts[parts[1]] ? "Token embedding" : name,
    colour,
    count: parts.reduce((n, part) => n + (model.parts[part] ?? 0), 0),
  })).filter((group) => group.count);
}

export function overview(model, T, level) {
  const c = model.config;
  const rows = shares(model);
  const words = rows.map((r) => `${r.name} ${percent(r.count, model.params)}`).join(", ");
  return h(
    "section",
    { class: "overview", "data-overview": c.name },
    h(`h${level}`, {}, `Where the ${exact(model.params)} parameters of ${c.name} are`),
    h("div", { class: "bar", role: "img", "aria-label": `Stacked bar: ${words}` },
      rows.map((r) => h("span", { class: r.colour, style: `flex-grow:${r.count}` }))),
    h("table", { class: "shares" },
      h("caption", { class: "unseen" }, `Parameters of ${c.name} by part`),
      h("thead", { class: "unseen" },
        h("tr", {}, ["Part", "Parameters", "Rounded, share"].map((t) => h("th", { scope: "col" }, t)))),
      h("tbody", {}, rows.map((r) =>
        h("tr", {},
          h("th", { scope: "row" }, h("span", { class: `swatch ${r.colour}` }), r.name),
          h("td", { class: "number value" }, exact(r.count)),
          h("td", { class: "number" }, `${short(r.count)}, ${percent(r.count, model.params)}`))))),
    h("dl", { class: "figures" }, figures(model, T).map(([name, value, rounded, why]) =>
      h("div", {}, h("dt", {}, name),
        h("dd", {}, h("strong", { class: "rounded" }, rounded), " ",
          h("span", { class: "value" }, value), why ? h("span", { class: "aside" }, why) : "")))),
    provenance(model),
  );
}

function figures(model, T) {
  const c = model.config;
  const cost = flops(model, T);
  const rows = [
    ["Parameters", exact(model.params), short(model.params)],
    ["Without embeddings", exact(model.withoutEmbeddings), short(model.withoutEmbeddings)],
  ];
  if (model.active !== model.params) {
    rows.push(["Active for a token", exact(model.active), short(model.active),
      `${percent(model.active, model.params)} of all`]);
  }
  rows.push(
    [`Forward FLOPs per token at T = ${exact(T)}`, exact(cost.total), shortFlops(cost.total),
      `${percent(cost.matrices, cost.total)} in scores and mix`],
    [`Keys and values of ${exact(T)} tokens, 16 bits`, `${exact(kvCacheBytes(model, T))} bytes`,
      shortBytes(kvCacheBytes(model, T))],
    ["Weights, 16 bits", `${exact(2 * model.params)} bytes`, shortBytes(2 * model.params)],
    ["Context", "tokens", exact(c.T)],
  );
  return rows;
}

function provenance(model) {
  const c = model.config;
  const out = [];
  if (c.published === model.params) {
    out.push(h("p", { class: "source-line" }, h("span", { class: "tick", "aria-hidden": "true" }, "✓ "),
      "Equals the published total, to the unit."));
  } else if (c.published) {
    out.push(h("p", { class: "source-line" }, `Published: ${exact(c.published)}.`));
  }
  if (c.source) out.push(h("p", { class: "source-line" }, `Source: ${c.source}.`));
  if (c.note) out.push(h("p", { class: "source-line" }, `${c.note}.`));
  return h("div", { class: "provenance" }, out);
}
