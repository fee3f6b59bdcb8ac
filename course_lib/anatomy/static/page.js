// The saved page: its state is in the address, solved challenges are remembered by the browser.

import { explorer } from "./app.js";
import { fromHub } from "./hub_config.js";

const MEMORY = "transformer-anatomy";

const remembered = () => {
  try {
    return JSON.parse(localStorage.getItem(MEMORY)) ?? {};
  } catch {
    return {}; // no storage, or something else has written there
  }
};

export function fromAddress(hash, data) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const names = data.models.map((m) => m.name);
  const state = {};
  for (const key of ["model", "compare"]) {
    const name = given.get(key);
    if (names.includes(name)) state[key] = name;
    else if (name) state.problem = `No model is called “${name.slice(0, 60)}” here`;
  }
  if (/^[1-9]\d{0,14}$/.test(given.get("T") ?? "")) state.T = Number(given.get("T"));
  if (given.get("part")) state.part = given.get("part");
  try {
    const edits = JSON.parse(given.get("edits"));
    if (edits && typeof edits === "object") state.edits = edits;
  } catch {
    // an address typed by hand: the rest of it still counts
  }
  return state;
}

export function toAddress({ model, compare, T, part, edits }) {
  const out = new URLSearchParams({ model });
  if (compare) out.set("compare", compare);
  out.set("T", T);
  out.set("part", part);
  if (edits) out.set("edits", JSON.stringify(edits));
  return `#${out}`;
}

export function openPage(root, data) {
  let [later, pending] = [0, null];
  const write = () => {
    if (!pending) return;
    const { solved, visited } = pending;
    history.replaceState(null, "", toAddress(pending));
    try {
      localStorage.setItem(MEMORY, JSON.stringify({ solved, visited }));
    } catch {
      // private windows may refuse; the page works without memory
    }
    pending = null;
  };
  addEventListener("pagehide", write);
  const store = {
    load() {
      const { solved, visited } = remembered();
      const list = (value) => (Array.isArray(value) ? value : []);
      return { ...FRESH, ...fromAddress(location.hash, data), visited: list(visited),
        solved: [...new Set([...list(solved), ...(pending?.solved ?? [])])] };
    },
    save(state) {
      clearTimeout(later);
      pending = state;
      later = setTimeout(write, 100); // browsers refuse the address of each step of a drag
    },
    changed(redraw) {
      addEventListener("hashchange", redraw);
      addEventListener("storage", (event) => { // solved in another window
        if (event.key !== MEMORY) return;
        if (pending) history.replaceState(null, "", toAddress(pending));
        redraw();
      });
    },
  };
  explorer(root, data, store, { read: async (text) => fromHub(text, data), level: 1 });
}

const FRESH = { model: "GPT-2 small", compare: "", T: 8, part: "attention", edits: null };
