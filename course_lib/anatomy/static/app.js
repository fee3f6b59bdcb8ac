// The explorer: one state, drawn again whenever it changes.

import { CHALLENGES, challenges, metNow, neededT } from "./challenges.js";
import { ConfigProblem, complete, edited, sameShapes } from "./config.js";
import { controls } from "./controls.js";
import { flops, modelOf } from "./count.js";
import { brief, details, spoken } from "./details.js";
import { h } from "./dom.js";
import { editor } from "./editor.js";
import { exact, shortFlops } from "./numbers.js";
import { overview } from "./overview.js";
import { boxes, holders } from "./parts.js";
import { picture } from "./picture.js";

const BEFORE = "Said of the file, before it was edited here: ";

// `store` has load() and save(state), `read(text)` turns a config.json into fields (or throws an
// Error with the reason), `level` is the level of the first heading.
export function explorer(root, data, store, { read, level }) {
  // every widget of a notebook loads this module for itself: only chance keeps their ids apart
  const uid = `anatomy${Math.random().toString(36).slice(2)}`;
  const base = (name) => data.models.find((m) => m.name === name);
  let state = { model: "GPT-2 small", compare: "", T: 8, part: "attention", edits: null,
    solved: [], visited: [] };
  let [model, other, fields] = [null, null, null];
  let drawn = []; // the pictures that stand there: {model, root, update}

  const live = h("p", { class: "unseen", role: "status", "aria-live": "polite" });
  const hint = h("p", { class: "hint", id: `${uid}-hint` },
    "Select a part with the mouse, or with Tab, the arrow keys and Enter.");
  const [pictures, panels, totals, tasks] = ["pictures", "panels", "sums", "tasks"].map((name) =>
    h("div", { class: name, ...(name === "panels" ? { tabindex: "-1" } : {}) }));
  // on a narrow screen, where the panel is below the picture: what was selected, in a line
  const peek = h("button", { type: "button", class: "peek", onclick: () => {
    panels.focus({ preventScroll: true });
    panels.scrollIntoView({ block: "start" });
  } });
  const top = controls(uid, data, {
    model: (name) => update({ model: name, edits: null }),
    compare: (name) => update({ compare: name }),
    T: chooseT,
    open: openConfig,
  });
  const form = editor(uid, data, changeField);
  // a file that misses the place for it must not make the browser leave the page
  const holdFile = (event) => {
    if (event.dataTransfer.types.includes("Files")) event.preventDefault();
  };
  const dropFile = (event) => {
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    event.stopPropagation();
    own.open = true;
    top.take(event.dataTransfer.files);
  };
  const own = h("details", { class: "own" },
    h("summary", {}, "Change the configuration, or open a config.json"), top.zone, form.form);
  root.replaceChildren(
    h("div", { class: "anatomy", lang: "en", dir: "ltr", onkeydown: enter, ondragover: holdFile,
      ondrop: dropFile },
      h(`h${level}`, { class: "title" }, "Anatomy of a decoder"),
      h("p", { class: "lead" }, "Open a box: what it is for, every tensor in it with its shape, " +
        "and what it costs. Where a number is rounded, the exact one stands beside it."),
      top.bar, own, live,
      h("div", { class: "main" }, h("div", {}, hint, pictures, peek), panels),
      totals, tasks, method()));

  // The models of a state, or ConfigProblem.
  function build(s) {
    fields = s.edits ? edited(base(s.model), s.edits) : base(s.model);
    model = s.edits ? modelOf(fields, data) : published(s.model);
    other = s.compare ? published(s.compare) : null;
  }

  const counted = new Map();
  function published(name) {
    if (!counted.has(name)) counted.set(name, modelOf(base(name), data));
    return counted.get(name);
  }

  const most = () => Math.min(model.config.T, other ? other.config.T : Infinity);

  function update(patch, quiet = false) {
    const before = { state, model, other, fields };
    const next = { ...state, ...patch };
    build(next); // may throw: then nothing has changed
    const lowered = next.T > most() ? most() : 0;
    if (lowered) next.T = lowered;
    const known = [...boxes(model), ...(other ? boxes(other) : [])];
    if (!known.includes(next.part)) next.part = "attention";
    if (next.model === "GPT-2 small" && !next.edits && !quiet && "part" in patch) {
      next.visited = [...new Set([...next.visited, next.part])].filter((key) =>
        holders(model).includes(key));
    }
    state = next;
    const won = quiet ? [] : metNow(situation(), state.solved);
    if (won.length) state.solved = [...state.solved, ...won];
    store.save(state);
    draw(before, won);
    if (lowered) top.refuseT(`T was lowered to ${exact(lowered)}: ${limit()}.`);
  }

  const situation = () => ({ base: state.model, edits: state.edits, model, other, T: state.T,
    part: state.part, visited: state.visited });

  function draw(before, won) {
    top.show(state, model.config.name, most());
    const both = [model, ...(other ? [other] : [])];
    if (before.model !== model) form.show(fields, model.config);
    if (both.length !== drawn.length || both.some((m, i) => m !== drawn[i].model)) {
      drawn = both.map((m) => ({ model: m, ...picture(m, (part) => update({ part }), hint.id) }));
      pictures.replaceChildren(...drawn.map(({ model: m, root: shown }) =>
        h("div", {}, h(`h${level + 1}`, { class: "picture-name" }, m.config.name), shown)));
    }
    for (const shown of drawn) shown.update(state.T, state.part);
    panels.replaceChildren(...both.map((m) => details(m, state.part, state.T, level + 1)));
    peek.replaceChildren(brief(model, state.part, state.T), " ", h("b", {}, "Details ↓"));
    totals.replaceChildren(...both.map((m) => overview(m, state.T, level + 1)));
    drawTasks();
    root.firstChild.classList.toggle("two", Boolean(other));
    if (before.model) announce(before, won);
  }

  function drawTasks() {
    const open = [...tasks.querySelectorAll("details[open]")]
      .map((opened) => opened.parentElement.dataset.challenge);
    const startOver = () => {
      update({ solved: [], visited: [] }, true);
      tasks.querySelector(".score").focus(); // the button is gone
    };
    tasks.replaceChildren(challenges(situation(), state.solved, level + 1, startOver));
    for (const id of open) {
      const opened = tasks.querySelector(`[data-challenge="${id}"] details`);
      if (opened) opened.open = true;
    }
  }

  function announce(before, won) {
    const said = [];
    if (before.state.part !== state.part || before.model !== model) {
      said.push(...[model, other].filter(Boolean).map((m) => spoken(m, state.part, state.T)));
    }
    if (before.state.T !== state.T) {
      said.push(`T is ${exact(state.T)}: scores ${exact(state.T)} × ${exact(state.T)}, ` +
        `${shortFlops(flops(model, state.T).total)} FLOPs per token. Weights are unchanged.`);
    }
    for (const id of won) {
      said.push(`Challenge done: ${CHALLENGES.find((c) => c.id === id).lesson}`);
    }
    live.textContent = said.join(" ");
  }

  const limit = () => {
    const shorter = other && other.config.T < model.config.T ? other : model;
    return `${shorter.config.name} reads at most ${exact(shorter.config.T)} tokens`;
  };

  function chooseT(T) {
    if (T < 1) return "T must be a whole number of at least 1.";
    if (T > most()) {
      const needed = neededT(model);
      const honest = needed > model.config.T && !state.solved.includes("scores")
        ? ` To hold more scores than a block's attention weights it would need T = ` +
          `${exact(needed)}: that challenge cannot be met with this model.`
        : "";
      return `${limit()}, so T = ${exact(T)} is refused.${honest}`;
    }
    update({ T });
    return "";
  }

  // "" or the reason why a field cannot have this value.
  function changeField(name, value) {
    const edits = { ...state.edits, [name]: value, ...accompanying(name, value, model.config) };
    if (edits.note && !edits.note.startsWith(BEFORE)) edits.note = BEFORE + edits.note;
    return attempt(() => {
      const changed = complete(edited(base(state.model), edits), data);
      const undone = !edits.name && sameShapes(changed, published(state.model).config);
      update({ edits: undone ? null : edits });
    });
  }

  async function openConfig(text, file) {
    try {
      const given = await read(text);
      const blank = Object.fromEntries(Object.keys(base(state.model)).map((key) => [key, null]));
      const problem = attempt(() =>
        update({ edits: { ...blank, ...given, name: given.name || file } }));
      return problem && `${file} was refused: ${problem}`;
    } catch (error) {
      return `${file} was refused: ${error.message}`;
    }
  }

  function attempt(act) {
    const before = [model, other, fields];
    try {
      act();
      return "";
    } catch (error) {
      [model, other, fields] = before;
      if (error instanceof ConfigProblem) return `${error.message}.`;
      throw error;
    }
  }

  const restore = ({ problem = "", ...saved }) => {
    const solved = saved.solved.filter((id) => CHALLENGES.some((c) => c.id === id));
    const wrong = attempt(() => update({ ...saved, solved }, true));
    if (wrong) update({ solved, visited: saved.visited }, true);
    if (wrong || problem) top.refuseT(`${wrong || `${problem}.`} ${model.config.name} is shown.`);
  };
  restore(store.load());
  store.changed?.(() => restore(store.load()));
}

// Enter takes what was typed; JupyterLab keeps the browser from doing so by itself.
function enter(event) {
  if (event.key === "Enter" && event.target.matches("input[type=text]")) {
    event.preventDefault();
    event.target.blur(); // here the browser says "change", if it is one
    event.target.focus();
  }
}

// The conventions, for those who compare with other counts.
const method = () =>
  h("details", { class: "method" }, h("summary", {}, "How this counts"),
    h("p", {}, "Parameters: every stored tensor once, biases and norms too. A tied head is the " +
      "token table; masks and rotary frequencies are no parameters; padded rows of a vocabulary " +
      "are. “Without embeddings” leaves out the token and the position table, and keeps a head " +
      "of its own."),
    h("p", {}, "FLOPs: forward, for one token, a multiplication and an addition as two. Counted " +
      "are all matrices that multiply activations, the head too (of the experts those a token " +
      "visits), and scores and mix over the full T × T. Not counted: look-ups, norms, biases, " +
      "softmax, activations, and what sliding windows save. Training takes three times as much."));

// Switching a feature on needs its second number, switching it off takes its numbers away.
function accompanying(name, value, c) {
  if (name === "experts" && value > 0 && !c.experts) {
    return { experts_active: 1, d_expert: null };
  }
  if (name === "experts" && value === 0) {
    return { experts_active: 0, experts_shared: 0, dense_blocks: [], d_expert: null };
  }
  if (name === "kv_latent" && value > 0 && !c.kv_latent) {
    return { d_rope: Math.max(1, Math.floor(c.d_k / 2)) };
  }
  if (name === "kv_latent" && value === 0) return { q_latent: 0, d_rope: 0 };
  return {};
}
