// The keys of one config.json: their other names, their defaults, their checks, and which are those
// of another architecture, as in counting/hub_keys.py and hub_foreign.py, with the same tables.

// The value as a config.json writes it, one short line
export function written(value) {
  const tiny = typeof value === "number" && value !== 0 && Math.abs(value) < 1e-4;
  const letters = [...(tiny ? value.toExponential() : JSON.stringify(value))];
  return letters.length <= 60 ? letters.join("") : `${letters.slice(0, 59).join("")}…`;
}

// Null, false, 0 or empty: what the key is about is not there
export const switchedOff = (value) =>
  [null, undefined, false, 0, ""].includes(value) ||
  (typeof value === "object" && !Object.keys(value).length);

// hidden_dim, hiddenDim -> hidden, dim
const wordsOf = (key) =>
  key.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase().match(/[a-z]+/g) ?? [];

function wholeNumber(key, value, least) {
  if (!Number.isInteger(value) || value < least) {
    throw new Error(`${key} must be a whole number of at least ${least}, got ${written(value)}`);
  }
  if (!Number.isSafeInteger(value)) throw new Error(`${key} is too large to count exactly`);
  return value;
}

// The values of a config under their own or their older names, with the family's defaults.
export function hubKeys(values, family, { defaults, aliases, known }) {
  const [own, other] = [defaults[family], aliases[family] ?? {}];
  const namesOf = (key) => [...new Set([key, ...(other[key] ?? [])])];
  const absent = (key) => !namesOf(key).some((name) => Object.hasOwn(values, name));
  const find = (key) => {
    const found = namesOf(key).filter((name) => values[name] != null);
    if (new Set(found.map((name) => written(values[name]))).size > 1) {
      const pairs = found.map((name) => `${name} = ${written(values[name])}`);
      throw new Error(`two keys contradict each other: ${pairs.join(", ")}`);
    }
    if (found.length) return values[found[0]];
    return absent(key) ? own[key] : null;
  };
  const harmlessAs = (key) => [values[key]].flat().every((one) =>
    Object.hasOwn(known.harmless_if, key) && known.harmless_if[key].includes(one));
  // whether a name of another convention says what the family's own key says
  const restates = (key) => known.same_size.filter((group) => group.includes(key)).flat()
    .some((name) => Object.hasOwn(own, name) && find(name) === values[key]);
  const foreign = () => {
    const names = new Set([...Object.keys(own).flatMap(namesOf), ...known.harmless,
      ...(known.harmless_in[family] ?? [])]);
    return Object.keys(values).filter((key) => !names.has(key) && !switchedOff(values[key]) &&
      !harmlessAs(key) && !restates(key) &&
      !wordsOf(key).some((word) => known.words_of_no_shapes.includes(word)));
  };
  const shaping = (key) => wordsOf(key).some((word) => known.words_of_shapes.includes(word));
  return {
    number(key, least = 1) {
      const value = find(key);
      if (value === null) {
        throw new Error(
          `${key} is missing or null; it must be a whole number of at least ${least}`);
      }
      return wholeNumber(key, value, least);
    },
    or(key, otherwise, least = 1) {
      const value = find(key);
      return value === null ? otherwise : wholeNumber(key, value, least);
    },
    flag(key) {
      const value = find(key);
      if (typeof value !== "boolean") {
        throw new Error(`${key} must be true or false, got ${written(value)}`);
      }
      return value;
    },
    indices(key) {
      const listed = find(key) ?? [];
      if (!Array.isArray(listed)) {
        throw new Error(`${key} must be a list of block numbers, got ${written(listed)}`);
      }
      return listed.map((index, i) => wholeNumber(`${key}[${i}]`, index, 0));
    },
    describedBlocks(key) {
      const value = find(key);
      if (value === null) return null;
      try {
        return value.map(([kinds, repeats, ...more]) => {
          if (more.length || !Array.isArray(kinds)) throw new TypeError();
          return kinds.length * wholeNumber(key, repeats, 1);
        }).reduce((a, b) => a + b, 0);
      } catch {
        throw new Error(
          `${key} must look like [[["global", "local"], 12]], got ${written(value)}`);
      }
    },
    sizes(pairs) {
      return Object.fromEntries(pairs.map((pair) => {
        const [field, key] = pair.split(":");
        return [field, this.number(key)];
      }));
    },
    assumed: () => Object.entries(own)
      .filter(([key, value]) => absent(key) &&
        (typeof value === "number" || key === "tie_word_embeddings"))
      .map(([key, value]) => `${key} = ${written(value)}`),
    refuseForeign() {
      const found = foreign().filter(shaping)
        .map((key) => `${written(key)}: ${written(values[key])}`);
      if (found.length) {
        throw new Error(
          `keys that it does not have, and that may change shapes: ${found.join(", ")}`);
      }
    },
    refuseOtherOutside(wrapper) {
      for (const key of Object.keys(own)) {
        for (const name of key === "tie_word_embeddings" ? [] : namesOf(key)) {
          const [outside, inside] = [wrapper[name], find(key)];
          if (!switchedOff(outside) && written(outside) !== written(inside)) {
            throw new Error(`${name} is ${written(outside)} outside text_config, ` +
              `but ${key} ${written(inside)} in it or by default`);
          }
        }
      }
    },
    unread: () => foreign().filter((key) => !shaping(key)),
  };
}
