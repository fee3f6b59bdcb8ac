// The matrices inside a box, drawn to scale: as tall as their input is wide, as wide as their output.

import { svg } from "./dom.js";
import { exact } from "./numbers.js";

const TALLEST = 46;
const WIDEST = 210;
const GAP = 7;

// A small drawing, or null where there is nothing to compare.
export function matrices(model, key) {
  if (!["attention", "mlp", "experts"].includes(key)) return null;
  const group = model.groups.find((g) => g.tensors.some((t) => t.place === key));
  const drawn = group.tensors.filter(
    (t) => t.place === key && t.kind === "matrix" && !/router|shared/.test(t.path),
  );
  const labels = drawn.map((t) => t.path.split("_").at(-1));
  const sizes = drawn.map((t) => t.shape.slice(-2));
  const pile = key === "experts" ? 5 : 0; // experts are drawn as a pile of three
  const scale = Math.min(
    18 / model.config.d,
    TALLEST / Math.max(...sizes.map(([rows]) => rows)),
    (WIDEST - GAP * sizes.length) / sizes.reduce((width, [, columns]) => width + columns, 0),
  );
  let x = 1;
  const height = scale * Math.max(...sizes.map(([rows]) => rows)) + pile;
  const picture = svg("svg", { class: "matrices", "aria-hidden": "true" });
  const write = (text, at) => {
    const label = svg("text", { x: at, y: height + 14 });
    label.textContent = text;
    picture.append(label);
  };
  sizes.forEach((size, i) => {
    const [rows, columns] = size.map((n) => Math.max(1.5, n * scale));
    const slot = Math.max(columns + pile, 6.6 * labels[i].length);
    for (let back = pile; back >= 0; back -= 2.5) {
      picture.append(
        svg("rect", { x: x + (slot - columns - pile) / 2 + back, y: 1 + height - rows - back,
          width: columns, height: rows }),
      );
    }
    write(labels[i], x + slot / 2);
    x += slot + GAP;
  });
  if (pile) {
    write(`× ${exact(model.config.experts)}`, x + 18);
    x += 40;
  }
  picture.setAttribute("viewBox", `0 0 ${x} ${height + 18}`);
  picture.setAttribute("width", x);
  picture.setAttribute("height", height + 18);
  return picture;
}
