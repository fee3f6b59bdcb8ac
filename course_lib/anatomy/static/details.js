// The panel of the selected box: what it does, its weights, what passes through it, what it costs.

import { partOf } from "./count.js";
import { describe, flows } from "./describe.js";
import { formula, h, symbol } from "./dom.js";
import { exact, percent, plural, short, shortFlops } from "./numbers.js";
import { boxes, title } from "./parts.js";

export function details(model, key, T, level) {
  const c = model.config;
  const heading = (extra, ...text) => h(`h${level + extra}`, {}, ...text);
  if (!boxes(model).includes(key)) {
    return h("section", { class: "details" }, heading(0, c.name), h("p", {}, absent(key, c)));
  }
  const part = partOf(model, key, T);
  const name = title(key, c);
  return h(
    "section",
    { class: "details", "data-details": key },
    h("p", { class: "model-name" }, c.name),
    heading(0, name),
    h("p", {}, describe(key, model, T)),
    h("p", { class: "totals" }, totals(part, model)),
    key === "block"
      ? model.groups.map((group) => weights(group.tensors, ofKind(group, model), boxes(model)))
      : weights(part.tensors, part.blocks ? "Weights, in one block" : "Weights"),
    normsInside(part, c),
    h(
      "table",
      {},
      h("caption", {}, `What passes through at T = ${exact(T)}`),
      h("thead", {}, h("tr", {}, ["Name", "Shape"].map(columnHead))),
      h("tbody", {}, flows(key, model, T).map(flowRow)),
    ),
    cost(part, model, T),
  );
}

// The tensors of a box; those of a block stand in the order of its boxes and say which norm it is.
function weights(tensors, caption, order = null) {
  if (!tensors.length) return null;
  const at = (t) => order.indexOf(t.place);
  const rows = order ? [...tensors].sort((a, b) => at(a) - at(b)) : tensors;
  return h(
    "table",
    {},
    h("caption", {}, caption),
    h("thead", {}, h("tr", {}, ["Tensor", "Shape", "Count"].map(columnHead))),
    h("tbody", {}, rows.map((t) => tensorRow(t, Boolean(order)))),
  );
}

const ofKind = ({ routed }, model) => {
  if (model.groups.length === 1) return "Weights, in one block";
  return routed ? "Weights, in a block with experts" : "Weights, in a dense block";
};

const columnHead = (text, i) => h("th", { scope: "col", class: i === 2 ? "number" : "" }, text);

function totals(part, model) {
  const { each, total, blocks, key } = part;
  const share = `${percent(total, model.params)} of the model`;
  if (!total) return [h("strong", {}, "No parameters"), " of its own."];
  if (!blocks) return [number(total, "parameters"), ` (${short(total)}), ${share}.`];
  if (key === "block" && model.groups.length > 1) {
    return [number(total, "parameters"), ` (${short(total)}) in all blocks, ${share}.`];
  }
  return [
    number(each, "parameters a block"), ", ",
    blocks === 1 ? "which only one block has" : number(total, `in all ${exact(blocks)}`),
    ` (${short(total)}), ${share}.`,
  ];
}

const number = (n, what) => h("span", {}, h("strong", { class: "value" }, exact(n)), ` ${what}`);

function tensorRow(t, named) {
  return h(
    "tr",
    { "data-tensor": t.path },
    h("th", { scope: "row" }, ...label(t, named)),
    h("td", { class: "shape" }, formula(t.symbols.map(ofTable)), equals(t.shape)),
    h("td", { class: "number" }, exact(t.count)),
  );
}

// A weight's T is the context the model was made for, not the T that the reader chooses.
const ofTable = (symbol) => symbol.replace(/\bT\b/, "T_max");

const NORM_NAMES = { ln1: "norm 1", ln1_post: "norm 1, after,", ln2: "norm 2",
  ln2_post: "norm 2, after," };

// "attention.q_norm.gain" -> "q_norm gain"; "mlp.experts.W_up" -> "experts W_up"; with other norms
// around it, "ln1.gain" -> "norm 1 gain"
function label(t, named) {
  const words = t.path.split(".");
  const last = words.pop();
  if (named && NORM_NAMES[words[0]]) return [`${NORM_NAMES[words[0]]} `, symbol(last)];
  const where = words.filter((w) => !["attention", "mlp", "head", "ln1", "ln2", "ln1_post",
    "ln2_post", "ln_f", "ln_embed"].includes(w));
  return [where.length ? `${where.join(" ")} ` : "", symbol(last)].filter((w) => w !== "");
}

const equals = (shape) => h("span", { class: "value" }, ` = ${shape.map(exact).join(" × ")}`);

function flowRow([name, symbols, numbers]) {
  return h(
    "tr",
    { class: symbols.includes("T") ? "with-t" : "" },
    h("th", { scope: "row" }, name),
    h("td", { class: "shape" }, formula(symbols), equals(numbers)),
  );
}

function normsInside(part, c) {
  const inside = part.tensors.filter((t) => t.part === "norm").length;
  if (part.key !== "attention" || !inside) return null;
  return h("p", { class: "aside" },
    c.kv_latent
      ? "The norms in here keep the latents at one scale. They "
      : "The norms in here keep queries and keys at one scale, so that scores stay in bounds. They ",
    "are counted with attention in this panel, and with the norms in the bar below.");
}

function cost(part, model, T) {
  if (!part.flops) {
    const why = part.total || part.key.includes("embedding")
      ? "No matrix product here: looking up, scaling and adding are not counted as FLOPs."
      : "No FLOPs counted here.";
    return h("p", { class: "cost" }, why);
  }
  const { key, blocks, weights, scores } = part;
  const c = model.config;
  const times = blocks ? `${exact(blocks)} × ` : "";
  const terms = key === "block"
    ? null
    : h("span", { class: "terms" },
        ` = ${times}${scores ? "(" : ""}${exact(weights)} for the weights`,
        scores ? ` + ${exact(scores)} for scores and mix)` : "");
  return h("p", { class: "cost" },
    "Forward FLOPs per token at T = ", h("span", { class: "t" }, exact(T)), ": ",
    h("strong", { class: "value" }, exact(part.flops)), ` (${shortFlops(part.flops)})`, terms,
    scores && key === "attention"
      ? h("span", { class: "aside" }, "Scores and mix take ", formula(["2·T·h·(d_k + d_v)"]),
          " in each block: the only part that grows with T, here ",
          `${percent(blocks * scores, part.flops)} of attention's FLOPs.`)
      : null);
}

function absent(key, c) {
  if (key === "position-embedding") {
    return `There is no table of positions here: they are ${c.positions}, which holds no ` +
      "parameters. Select another part to compare.";
  }
  if (key === "mlp") return "Every block here has experts in place of one MLP: select those.";
  if (key === "experts") return "No experts here: every token visits the same MLP. Select that.";
  return "This model has no such part. Select another to compare.";
}

// The selected part in a line.
export function brief(model, key, T) {
  const c = model.config;
  if (!boxes(model).includes(key)) return absent(key, c);
  const { each, total, blocks } = partOf(model, key, T);
  if (!total) return `${title(key, c)}: no parameters of its own.`;
  const count = blocks ? `${exact(each)} a block, ${exact(total)} in all` : exact(total);
  return `${title(key, c)}: ${count}, ${percent(total, model.params)}.`;
}

// One sentence for those who hear the page.
export function spoken(model, key, T) {
  const c = model.config;
  if (!boxes(model).includes(key)) return `${c.name}: ${absent(key, c)}`;
  const { each, total, blocks } = partOf(model, key, T);
  const name = title(key, c);
  if (!total) return `${name}, ${c.name}: no parameters of its own.`;
  const perBlock = blocks ? `${exact(each)} parameters a block, ` : "";
  const all = blocks ? `${exact(total)} in ${plural(blocks, "block")}` : `${exact(total)} parameters`;
  return `${name}, ${c.name}: ${perBlock}${all}, ${percent(total, model.params)} of the model.`;
}
