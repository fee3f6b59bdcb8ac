// Model, comparison, sequence length, and the opening of a config.json.

import { h } from "./dom.js";
import { exact } from "./numbers.js";

// `on` has model(name), compare(name), T(n) and open(text); T gives back "" or the reason against it.
export function controls(uid, data, on) {
  const names = data.models.map((m) => m.name);
  const options = () => names.map((name) => h("option", { value: name }, name));
  const custom = h("option", { value: "", hidden: true });
  const model = h("select", { id: `${uid}-model`, onchange: () => on.model(model.value) },
    custom, options());
  const compare = h("select", { id: `${uid}-compare`, onchange: () => on.compare(compare.value) },
    h("option", { value: "" }, "no other model"), options());
  const error = h("p", { class: "error", id: `${uid}-T-error`, role: "alert" });
  const T = h("input", { id: `${uid}-T`, type: "text", inputmode: "numeric", autocomplete: "off",
    "aria-describedby": `${uid}-T-error`, onchange: () => setT(T.value) });
  const slider = h("input", { type: "range", min: "0", step: "1", "aria-label":
    "Sequence length, in powers of two", oninput: () => setT(String(steps[slider.value])) });
  let steps = [1];
  const setT = (text) => {
    const plain = text.replace(/[\s,_]/g, "");
    const reason = /^\d+$/.test(plain)
      ? on.T(Number(plain))
      : `T must be a whole number of at least 1, got “${text.trim()}”.`;
    error.textContent = reason;
    T.setAttribute("aria-invalid", String(Boolean(reason)));
  };
  const { zone, take } = opening(uid, on);
  const field = (input, label, ...more) =>
    h("div", { class: "control" }, h("label", { for: input.id }, label), input, ...more);
  const bar = h("div", { class: "controls" },
    field(model, "Model"),
    field(compare, "Side by side with"),
    h("div", { class: "control" }, h("label", { for: T.id }, "Sequence length ", h("span", { class: "t" }, "T")),
      h("div", { class: "length" }, T, slider)),
    error);

  function show(state, name, most) {
    custom.textContent = state.edits ? name : "";
    custom.hidden = !state.edits;
    model.value = state.edits ? "" : state.model;
    compare.value = state.compare;
    steps = powers(most);
    slider.max = String(steps.length - 1);
    const at = steps.findLastIndex((step) => step <= state.T);
    slider.value = String(Math.max(at, 0));
    slider.setAttribute("aria-valuetext", `T = ${exact(state.T)}`);
    if (document.activeElement !== T || T.getAttribute("aria-invalid") !== "true") {
      T.value = exact(state.T);
    }
    error.textContent = "";
    T.removeAttribute("aria-invalid");
  }
  return { bar, zone, show, take, refuseT: (reason) => { error.textContent = reason; } };
}

const powers = (most) => {
  const steps = [];
  for (let n = 1; n < most; n *= 2) steps.push(n);
  return [...steps, most];
};

// The text of a file, or why it can be none of a config.json, in the words of counting/hub_config.py.
async function textOf(file) {
  if (file.size > 1e7) return { problem: "it is larger than 10 MB, as no config.json is" };
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true }); // drops a byte-order mark
    return { text: decoder.decode(await file.arrayBuffer()) };
  } catch {
    return { problem: "it is not a text file in UTF-8" };
  }
}

// A place to drop a config.json on, and the button for those who cannot drop.
function opening(uid, on) {
  const status = h("p", { class: "error", role: "alert", id: `${uid}-file-error` });
  const input = h("input", { type: "file", accept: ".json,application/json", id: `${uid}-file`,
    "aria-describedby": `${uid}-file-error`, onchange: () => take(input.files) });
  const take = async (files) => {
    if (!files.length) return;
    status.textContent = "";
    const { text, problem } = await textOf(files[0]);
    status.textContent = problem
      ? `${files[0].name} was refused: ${problem}`
      : await on.open(text, files[0].name);
    input.value = "";
  };
  const zone = h("div", { class: "drop",
    ondragover: (event) => { event.preventDefault(); zone.classList.add("over"); },
    ondragleave: () => zone.classList.remove("over"),
    ondrop: (event) => {
      event.preventDefault();
      event.stopPropagation();
      zone.classList.remove("over");
      take(event.dataTransfer.files);
    } },
    h("label", { for: input.id }, "Drop a config.json here, or choose one"), input, status);
  return { zone, take };
}
