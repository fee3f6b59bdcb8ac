// What is said beside the count of a config.json: what was assumed, left out or not read, in the
// words of counting/hub_notes.py, and the classes of another architecture, as in hub_foreign.py.

import { switchedOff, written } from "./hub_keys.js";

const isObject = (value) =>
  value !== null && typeof value === "object" && !Array.isArray(value);

// `file` is the whole file, `text` the part of it that describes the text model.
export function notesOn(fields, keys, file, text, family, known) {
  const isPart = (key, value) => // vision_config and the like
    key.endsWith("_config") && isObject(value) && !known.harmless.includes(key);
  const wrapped = text !== file;
  const unread = keys.unread();
  const inside = unread.filter((key) => isPart(key, text[key]));
  const parts = Object.keys(wrapped ? file : {})
    .filter((key) => key !== "text_config" && isPart(key, file[key]));
  const others = unread.filter((key) => !inside.includes(key)).map(written);
  return [
    fields.note,
    withoutHead(fields, text, known),
    enumerated(`Not in the file, so taken from the defaults of ${family}: `, keys.assumed()),
    textAlone([...parts, ...inside], wrapped),
    quantised(text) || quantised(file),
    enumerated(`Not read, since ${family} has no such keys: `, others),
  ].filter(Boolean).join(". ");
}

// Throws Error where `architectures` names a class that is none of the family's own.
export function checkClasses(text, family, known) {
  const endings = [...known.heads, ...known.headless];
  const own = known.classes[family].flatMap((stem) =>
    endings.map((ending) => (stem + ending).toLowerCase()));
  for (const name of classesOf(text)) {
    if (!own.includes(name.toLowerCase())) {
      throw new Error(`architectures names ${written(name)}, which is no class of ${family}`);
    }
  }
}

function classesOf(text) {
  const given = switchedOff(text.architectures) ? [] : text.architectures;
  const listed = typeof given === "string" ? [given] : given;
  if (!Array.isArray(listed) || listed.some((name) => typeof name !== "string")) {
    throw new Error(`architectures must be a list of class names, got ${written(listed)}`);
  }
  return listed;
}

function withoutHead(fields, text, known) {
  const classes = classesOf(text);
  const headed = (name) => known.heads.some((ending) => name.endsWith(ending));
  if (fields.tied || !classes.length || classes.some(headed)) return "";
  const head = fields.V * (fields.d_embed ?? fields.d);
  return `Counted with a head of ${head.toLocaleString("en-US")}, as the causal language model of ` +
    `this family has; ${classes[0]} stores none`;
}

const textAlone = (parts, wrapped) =>
  enumerated("Only the text part is counted, not ", parts) ||
  (wrapped ? "Only text_config is counted" : "");

function quantised(values) {
  const stated = [values.quantization_config, values.quantization] // the latter in MLX
    .find((value) => !switchedOff(value));
  if (stated === undefined) return "";
  const given = isObject(stated) ? stated : { quant_method: stated };
  const loaded = [4, 8].filter((n) => given[`load_in_${n}bit`] === true); // bitsandbytes
  const bits = [given.bits, given.w_bit].filter(Number.isInteger).concat(loaded).slice(0, 1);
  const method = typeof given.quant_method === "string" ? [given.quant_method] : [];
  const kind = [...method, ...bits.map((n) => `${n} bits`)].join(", ");
  return `Stored quantised${kind && ` (${kind})`}: the bytes of the weights are those of 16 bits ` +
    "a parameter, or of the width named beside them";
}

// The sentence with the first twelve items; "" for none
function enumerated(sentence, items) {
  const more = items.length > 12 ? ` and ${items.length - 12} more` : "";
  return items.length ? sentence + items.slice(0, 12).join(", ") + more : "";
}
