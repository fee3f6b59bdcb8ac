// The widget: its state is in the traits of the Python object, and Python reads config files.

import { explorer } from "./app.js";

const TRAITS = ["model", "compare", "T", "part", "edits", "solved", "visited"];

function render({ model: traits, el }) {
  const store = {
    load: () => Object.fromEntries(TRAITS.map((name) => [name, traits.get(name)])),
    save(state) {
      saving = true;
      for (const name of TRAITS) {
        if (JSON.stringify(traits.get(name)) !== JSON.stringify(state[name])) {
          traits.set(name, state[name]);
        }
      }
      saving = false;
      traits.save_changes();
    },
    changed(redraw) {
      later = () => {
        if (saving || waiting) return;
        waiting = true; // several traits may change at once: draw when all have
        queueMicrotask(() => {
          waiting = false;
          redraw();
        });
      };
      for (const name of TRAITS) traits.on(`change:${name}`, later);
    },
  };
  let [saving, waiting, later] = [false, false, null];
  const root = document.createElement("div");
  el.append(root);
  explorer(root, traits.get("data"), store, { read: (text) => ask(traits, text), level: 2 });
  return () => {
    for (const name of TRAITS) traits.off(`change:${name}`, later);
  };
}

// Python's reader knows every family that course_lib.counting knows.
function ask(traits, text) {
  return new Promise((resolve, reject) => {
    const answered = (message) => {
      if (message.kind !== "config") return;
      clearTimeout(late);
      traits.off("msg:custom", answered);
      if (message.fields) resolve(message.fields);
      else reject(new Error(message.reason));
    };
    const late = setTimeout(() => {
      traits.off("msg:custom", answered);
      reject(new Error("the kernel does not answer; is it running?"));
    }, 10000);
    traits.on("msg:custom", answered);
    try {
      traits.send({ kind: "config", text });
    } catch {
      clearTimeout(late);
      reject(new Error("there is no kernel to read it; run the cell anew"));
    }
  });
}

export default { render };
