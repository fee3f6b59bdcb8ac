// What may have the focus tells JupyterLab to leave its keys alone. Each element says so for itself:
// shortcuts are looked up at the focused element first ("m" in a list of models would turn the cell
// into Markdown and throw the widget away).
const FOCUSABLE = ["button", "input", "select", "summary"];

// Elements, made in one expression: h("p", { class: "lead" }, "text", child).

export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  if (FOCUSABLE.includes(tag) || "tabindex" in attributes) {
    element.setAttribute("data-lm-suppress-shortcuts", "true");
  }
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== ""));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// The first letters of a name of a tensor with its index lowered: W_Q
export function symbol(text) {
  const [letter, ...index] = text.split("_");
  if (!index.length) return text;
  return h("span", {}, letter, h("span", { class: "unseen" }, "_"), h("sub", {}, index.join("_")));
}

// Whether + or - stands outside all brackets
const isSum = (text) => /[+-]/.test(text.replace(/\([^)]*\)/g, ""));

// "h_kv·d_k" with lowered indices; each T is marked, since it is what the reader can change
export function formula(symbols) {
  const out = h("span", { class: "formula" });
  symbols.forEach((text, i) => {
    if (i) out.append(" × ");
    const whole = symbols.length > 1 && isSum(text) ? `(${text})` : text;
    for (const piece of whole.split(/([A-Za-z]+(?:_[A-Za-z]+)?)/)) {
      if (!piece) continue;
      if (piece === "T") out.append(h("span", { class: "t" }, "T"));
      else if (/^[A-Za-z]/.test(piece)) out.append(h("i", {}, symbol(piece)));
      else out.append(piece);
    }
  });
  return out;
}
