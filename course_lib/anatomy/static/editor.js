// The form in which a reader changes a configuration, field by field; a wrong value is refused there.

import { FLAGS, FOLLOWS, WHOLE } from "./config.js";
import { h, symbol } from "./dom.js";
import { exact } from "./numbers.js";

const MEANING = {
  V: "rows of the token table", T: "the longest context", d: "width of the stream", L: "blocks",
  h: "query heads", h_kv: "key and value heads", d_k: "size of a query or key head",
  d_v: "size of a value head", d_ff: "width of the MLP", d_embed: "width of the token table",
  d_expert: "width of one expert", position_offset: "rows before position 0",
  experts: "routed experts in a block", experts_active: "of them a token visits",
  experts_shared: "experts that see every token", q_latent: "width of the query latent",
  kv_latent: "width of the key-value latent", d_rope: "rotary part of d_k",
  gated: "gated MLP, three matrices", final_norm: "norm before the head",
  embedding_norm: "norm after the embedding", tied: "head tied to the token table",
  norm: "kind of norm", placement: "where the norms stand", parallel: "attention and MLP at once",
  qk_norm: "norm of queries and keys", positions: "positions",
};
const SETS = [
  ["Sizes", ["V", "T", "d", "L", "h", "h_kv", "d_k", "d_ff"]],
  ["Choices", ["tied", "gated", "norm", "placement", "parallel", "qk_norm", "positions",
    "final_norm", "embedding_norm"]],
  ["Biases", ["biases"]],
  ["Experts", ["experts", "experts_active", "experts_shared", "d_expert"]],
  ["Latent attention and rarer widths",
    ["kv_latent", "q_latent", "d_rope", "d_v", "d_embed", "position_offset"]],
];
const BIAS = {
  q: "on W_Q", k: "on W_K", v: "on W_V", o: "on W_O", mlp: "in the MLP", experts: "in the experts",
  head: "in the head", latent: "on latent projections", router: "in the router",
};

// `change(name, value)` gives back "" or the reason why the value is refused.
export function editor(uid, data, change) {
  const rows = new Map();
    const commit = (name, value, input) => {
    const reason = change(name, value);
    rows.get(name).error.textContent = reason;
    input.setAttribute("aria-invalid", String(Boolean(reason)));
  };
  const field = (name) => {
    const id = `${uid}-config-${name}`;
    const error = h("span", { class: "error", id: `${id}-error`, role: "alert" });
    const row = { error };
    rows.set(name, row);
    const described = { id, "aria-describedby": `${id}-error` };
    if (name === "biases") {
      row.boxes = Object.keys(BIAS).map((kind) =>
        h("input", { type: "checkbox", value: kind, id: `${id}-${kind}`, onchange: (event) =>
          commit("biases", row.boxes.filter((b) => b.checked).map((b) => b.value), event.target) }));
      return h("div", { class: "field wide" },
        row.boxes.map((b) => h("label", { class: "check" }, b, ` ${BIAS[b.value]}`)), error);
    }
    if (FLAGS.includes(name)) {
      row.input = h("input", { type: "checkbox", ...described,
        onchange: () => commit(name, row.input.checked, row.input) });
      return h("div", { class: "field" },
        h("label", { class: "check" }, row.input, ` ${MEANING[name]}`), error);
    }
    if (data.choices[name]) {
      row.input = h("select", { ...described,
        onchange: () => commit(name, row.input.value, row.input) },
        data.choices[name].map((option) => h("option", { value: option }, option)));
    } else {
      row.input = h("input", { type: "text", inputmode: "numeric", autocomplete: "off",
        ...described, onchange: () => commit(name, read(row.input.value), row.input) });
    }
    const sign = WHOLE.includes(name) ? [h("i", {}, symbol(name === "T" ? "T_max" : name)), ", "] : [];
    return h("div", { class: "field" }, h("label", { for: id }, ...sign, MEANING[name]),
      row.input, error);
  };
  const form = h("form", { onsubmit: (event) => event.preventDefault() },
    SETS.map(([legend, names]) => h("fieldset", {}, h("legend", {}, legend), names.map(field))));
  return { form, show: (fields, c) => show(rows, fields, c) };
}

// "1,024" and "1 024" are 1024; an empty field is null, "follows from the others"; the rest is text.
function read(text) {
  const plain = text.replace(/[\s,_]/g, "");
  if (plain === "") return null;
  return /^-?\d+$/.test(plain) ? Number(plain) : text.trim();
}

// Fill the form from a configuration: `fields` are those given, `c` all of them.
function show(rows, fields, c) {
  for (const [name, row] of rows) {
    row.error.textContent = "";
    if (name === "biases") {
      for (const b of row.boxes) {
        b.checked = c.biases.includes(b.value);
        b.removeAttribute("aria-invalid");
      }
      continue;
    }
    row.input.removeAttribute("aria-invalid");
    if (FLAGS.includes(name)) row.input.checked = c[name];
    else if (!WHOLE.includes(name)) row.input.value = c[name];
    else {
      const follows = FOLLOWS[name] && fields[name] == null;
      row.input.value = follows ? "" : exact(c[name]);
      if (FOLLOWS[name]) {
        row.input.setAttribute("placeholder", `${exact(c[name])} (= ${FOLLOWS[name][0]})`);
      }
    }
  }
}
