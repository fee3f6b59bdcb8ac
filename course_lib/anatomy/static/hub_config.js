// A config.json of the kind that Hugging Face publishes, read without Python, for the saved page.
// Tables come from course_lib.counting (data.hub); what is done with them, and said, is that of
// counting/hub_config.py, with which tests compare it.

import { complete } from "./config.js";
import { FAMILIES } from "./hub_families.js";
import { hubKeys, written } from "./hub_keys.js";
import { checkClasses, notesOn } from "./hub_notes.js";

// The fields of the model that the text of a config.json describes. Throws Error with the reason.
export function fromHub(text, data) {
  const file = parsed(text);
  const values = textPart(file);
  const family = modelType(values);
  const keys = hubKeys(values, family, data.hub);
  const { known } = data.hub;
  let fields;
  try {
    checkClasses(values, family, known);
    keys.refuseForeign();
    if (values !== file) keys.refuseOtherOutside(file);
    fields = { ...FAMILIES[family](keys), tied: keys.flag("tie_word_embeddings") };
    for (const [name, value] of Object.entries(fields)) if (value === null) delete fields[name];
    complete(fields, data);
  } catch (error) {
    throw new Error(`${family} config: ${error.message}`);
  }
  if (typeof values._name_or_path === "string") fields.name = values._name_or_path;
  fields.note = notesOn(fields, keys, file, values, family, known);
  return fields;
}

function parsed(text) {
  let values;
  try {
    values = JSON.parse(text);
  } catch {
    throw new Error("it is not valid JSON");
  }
  if (values === null || typeof values !== "object" || Array.isArray(values)) {
    throw new Error("a config.json holds one JSON object");
  }
  return values;
}

function textPart(file) {
  const { text_config: text, model_type } = file;
  if (text == null || isFamily(model_type)) return file;
  if (typeof text !== "object" || Array.isArray(text)) {
    throw new Error(`text_config must be an object, got ${written(text)}`);
  }
  const outer = {};
  for (const key of ["_name_or_path", "tie_word_embeddings"]) {
    if (Object.hasOwn(file, key)) outer[key] = file[key];
  }
  // in case the part does not say
  if (typeof model_type === "string") outer.model_type = `${model_type}_text`;
  return { ...outer, ...text };
}

const isFamily = (name) => typeof name === "string" && Object.hasOwn(FAMILIES, name);

function modelType({ model_type: name }) {
  const families = Object.keys(FAMILIES);
  const known = families.join(", ");
  if (typeof name !== "string") {
    throw new Error(`model_type is missing or no text; known are ${known}`);
  }
  if (!isFamily(name)) {
    const meant = families.find((family) => misspelt(name, family));
    const hint = meant ? `; did you mean ${meant}?` : "";
    throw new Error(`model_type ${written(name)} cannot be counted${hint} (known: ${known})`);
  }
  return name;
}

// Whether other signs, or one slip in a longer name, tell the two apart; another number is no slip
function misspelt(given, family) {
  const [a, b] = [given, family].map(lettersOf);
  const digits = (name) => name.replace(/[a-z]/g, "");
  if (a === b || Math.min(a.length, b.length) < 7 || digits(a) !== digits(b)) return a === b;
  const near = [b, ...oneLess(b)];
  return [a, ...oneLess(a)].some((name) => near.includes(name));
}

const oneLess = (name) =>
  [...name.slice(0, 20)].map((_, i) => name.slice(0, i) + name.slice(i + 1));

const lettersOf = (name) => name.toLowerCase().replace(/[^a-z0-9]/g, "");
