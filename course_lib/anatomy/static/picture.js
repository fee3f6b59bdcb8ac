// The picture of a model: the residual stream down the page, and the boxes that read and add to it.

import { h, svg } from "./dom.js";
import { matrices } from "./matrices.js";
import { exact, plural, ranges } from "./numbers.js";
import { after, before, branches, title } from "./parts.js";
import { partOf } from "./count.js";

// {root, update(T, selected)}; `select(key)` is called for the box that was chosen.
export function picture(model, select, hint) {
  const c = model.config;
  const box = ({ key, colour }, extra = "") => {
    const { each } = partOf(model, key, 1);
    const none = key === "head" && c.tied ? "uses the token table" : "no parameters";
    return h(
      "button",
      {
        type: "button",
        class: `box ${colour} ${extra}`,
        "data-part": key,
        onclick: () => select(key),
      },
      h("span", { class: "box-name" }, title(key, c)),
      h("span", { class: "box-count" }, each ? exact(each) : none),
      matrices(model, key),
    );
  };
  const stream = h(
    "button",
    {
      type: "button",
      class: "box stream-label",
      "data-part": "stream",
      onclick: () => select("stream"),
    },
  );
  const [ids, logits] = [h("p", { class: "ends" }), h("p", { class: "ends" })];
  const root = h(
    "div",
    {
      class: "picture",
      role: "group",
      "aria-label": `Parts of ${c.name}`,
      "aria-describedby": hint,
      onkeydown: (event) => walk(event, root),
    },
    ids,
    before(c).map((row) => h("div", { class: "rank source" }, row.map((b) => box(b)))),
    stream,
    model.groups.map((group) => block(model, group, box, select)),
    after(c).map((b) => h("div", { class: "rank" }, box(b))),
    logits,
  );
  new ResizeObserver(() => wire(root)).observe(root);
  const buttons = [...root.querySelectorAll("[data-part]")];
  return {
    root,
    update(T, selected) {
      ids.textContent = `ids of ${plural(T, "token")}`;
      stream.textContent = `Residual stream, ${exact(T)} × ${exact(c.d)}`;
      logits.textContent = `logits, ${exact(T)} × ${exact(c.V)}`;
      const chosen = buttons.filter((button) => button.dataset.part === selected);
      const entry = chosen.includes(document.activeElement)
        ? document.activeElement : (chosen[0] ?? buttons[0]);
      for (const button of buttons) {
        button.setAttribute("aria-pressed", String(chosen.includes(button)));
        button.setAttribute("tabindex", button === entry ? "0" : "-1");
      }
    },
  };
}

function block(model, group, box, select) {
  const { L } = model.config;
  const { blocks, routed } = group;
  const one = model.groups.length === 1;
  const name = one
    ? `Block 1 of ${exact(L)}`
    : `Block ${exact(blocks[0] + 1)} of ${exact(L)}, ${routed ? "with experts" : "dense"}`;
  const more = blocks.length - 1;
  const which = one || !more ? "" : ` (${ranges(blocks.slice(1))})`;
  const lane = (boxes) => h("div", { class: "lane" }, boxes.map((b) => box(b)));
  return h(
    "div",
    { class: `block ${more ? "stacked" : ""}` },
    h(
      "button",
      {
        type: "button",
        class: "box block-name",
        "data-part": "block",
        onclick: () => select("block"),
      },
      name,
    ),
    branches(model.config, routed).flatMap(({ shared, lanes, onStream }) => [
      h(
        "div",
        { class: "branch" },
        shared.length ? h("div", { class: "shared" }, shared.map((b) => box(b))) : null,
        h("div", { class: "lanes" }, lanes.map(lane)),
      ),
      ...onStream.map((b) => h("div", { class: "rank" }, box(b))),
    ]),
    more
      ? h(
          "p",
          { class: "more" },
          `${plural(more, "more block")}${which}: same shapes, weights of ` +
            `${more === 1 ? "its" : "their"} own`,
        )
      : null,
  );
}

// Arrow keys move between the boxes; Tab enters and leaves the picture as one thing.
function walk(event, root) {
  const all = [...root.querySelectorAll("[data-part]")];
  const here = all.indexOf(document.activeElement ?? null);
  const at = here < 0 ? all.indexOf(event.target) : here;
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  let to = null;
  if (step) to = all[at + step];
  else if (event.key === "Home") to = all[0];
  else if (event.key === "End") to = all.at(-1);
  else return;
  event.preventDefault();
  event.stopPropagation();
  if (!to) return;
  for (const button of all) button.setAttribute("tabindex", button === to ? "0" : "-1");
  to.focus();
}

// The lines behind the boxes, drawn from where the boxes have come to stand.
function wire(root) {
  root.querySelector(":scope > svg.wires")?.remove();
  const frame = root.getBoundingClientRect();
  if (!frame.width) return;
  const at = (element) => {
    const r = element.getBoundingClientRect();
    return { left: r.left - frame.left, top: r.top - frame.top, right: r.right - frame.left,
      bottom: r.bottom - frame.top };
  };
  const lines = svg("svg", { class: "wires", "aria-hidden": "true", width: frame.width,
    height: frame.height });
  const draw = (d, name = "wire") => lines.append(svg("path", { d, class: name }));
  const x = 24;
  const [first, last] = [root.querySelectorAll(".ends")[0], [...root.querySelectorAll(".ends")].at(-1)];
  draw(`M${x} ${at(first).bottom}V${at(last).top - 2}`, "wire stream");
  arrow(draw, x, at(last).top - 1);
  for (const row of root.querySelectorAll(".rank.source")) {
    const [, second] = row.children;
    if (second) {
      const b = at(second);
      const y = b.bottom + 9;
      draw(`M${b.left + 24} ${b.bottom}V${y - 6}q0 6 -6 6H${x + 8}`);
      plus(lines, x, y);
    }
  }
  for (const branch of root.querySelectorAll(".branch")) branchWires(branch, at, draw, lines, x);
  root.prepend(lines);
}

function branchWires(branch, at, draw, lines, x) {
  const { top, bottom } = at(branch);
  const [from, to] = [top + 5, bottom - 9];
  const columns = [...branch.querySelectorAll(".lane")].map((lane) => [...lane.children].map(at));
  const shared = branch.querySelector(".shared > .box");
  const into = (b, y, start) => {
    draw(`M${start} ${y}H${b.left + 18}q6 0 6 6V${b.top - 2}`);
    arrow(draw, b.left + 24, b.top - 1);
  };
  if (shared) {
    const b = at(shared);
    into(b, from, x);
    for (const [boxOfLane] of columns) {
      draw(`M${boxOfLane.left + 24} ${b.bottom}V${boxOfLane.top - 2}`);
      arrow(draw, boxOfLane.left + 24, boxOfLane.top - 1);
    }
  } else {
    for (const [boxOfLane] of columns) into(boxOfLane, from, x);
  }
  for (const boxes of columns) {
    boxes.slice(1).forEach((b, i) => {
      draw(`M${b.left + 24} ${boxes[i].bottom}V${b.top - 2}`);
      arrow(draw, b.left + 24, b.top - 1);
    });
    const end = boxes.at(-1);
    draw(`M${end.left + 24} ${end.bottom}V${to - 6}q0 6 -6 6H${x + 8}`);
  }
  plus(lines, x, to);
}

const arrow = (draw, x, y) => draw(`M${x - 4} ${y - 6}L${x} ${y}L${x + 4} ${y - 6}`);

function plus(lines, x, y) {
  lines.append(
    svg("circle", { cx: x, cy: y, r: 8, class: "plus" }),
    svg("path", { d: `M${x - 4.5} ${y}h9M${x} ${y - 4.5}v9`, class: "wire" }),
  );
}
