// The matrices inside a box, drawn to scale: as tall as their input is wide, as wide as their output.

import { svg } from "./dom.js";

const TALLEST = 46;
const WIDEST = 210;
const GAP = 7;

// A small drawing, or null where there is nothing to compare.
export function matrices(model, key) {
  if (!["attention", "mlp", "experts"].includes(key)) return null;
  const group = model.groups.find((g) => g.tensors.some((t) => t.place === key));
  const drawn = group.tensors.filter(
    (t) => t.place === key && t.kind === "matrix" && !t.path.includes("router"),
  );
  const sizes = drawn.map((t) => t.shape.slice(-2));
  const scale = Math.min(
    18 / model.config.d,
    TALLEST / Math.max(...sizes.map(([rows]) => rows)),
    (WIDEST - GAP * sizes.length) / sizes.reduce((width, [, columns]) => width + columns, 0),
  );
  let x = 1;
  const height = scale * Math.max(...sizes.map(([rows]) => rows));
  const picture = svg("svg", { class: "matrices", "aria-hidden": "true" });
  drawn.forEach((t, i) => {
    const [rows, columns] = sizes[i].map((n) => Math.max(1.5, n * scale));
    const copies = t.shape.length === 3 ? 3 : 1; // experts: a small pile
    for (let copy = copies - 1; copy >= 0; copy -= 1) {
      picture.append(
        svg("rect", { x: x + 2.5 * copy, y: 1 + height - rows + 2.5 * (copies - 1 - copy),
          width: columns, height: rows }),
      );
    }
    const label = svg("text", { x: x + columns / 2, y: height + 18 });
    label.textContent = t.path.split("_").at(-1);
    picture.append(label);
    x += Math.max(columns + 2.5 * (copies - 1), 6.5 * t.path.split("_").at(-1).length) + GAP;
  });
  picture.setAttribute("viewBox", `0 0 ${x} ${height + 22}`);
  picture.setAttribute("width", x);
  picture.setAttribute("height", height + 22);
  return picture;
}
