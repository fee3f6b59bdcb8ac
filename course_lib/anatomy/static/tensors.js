// The tensors of a model, from the rules that Python read off course_lib.counting (rules.json).

// The value of a shape's symbol such as "h·(d_k - d_rope + d_v)": + and - below ·, and brackets.
export function evaluate(symbol, c) {
  const tokens = symbol.match(/[A-Za-z_]+|\d+|[·+\-()]/g);
  const next = () => tokens.shift();
  const sum = () => {
    let value = product();
    while (tokens[0] === "+" || tokens[0] === "-") {
      value += next() === "+" ? product() : -product();
    }
    return value;
  };
  const product = () => {
    let value = atom();
    while (tokens[0] === "·") {
      next();
      value *= atom();
    }
    return value;
  };
  const atom = () => {
    const token = next();
    if (token !== "(") return /^\d/.test(token) ? Number(token) : c[token];
    const value = sum();
    next();
    return value;
  };
  return sum();
}

// The value of a choice; Python's rules.choices() says what the keys mean.
function choice(key, c, routed) {
  if (key === "routed") return routed;
  if (key.startsWith("biases: ")) return c.biases.includes(key.slice(8));
  if (key.endsWith(" > 0")) return c[key.slice(0, -4)] > 0;
  const [left, right] = key.split(" = ");
  return right ? c[left] === c[right] : c[key];
}

function list(rules, c, inside, routed) {
  return rules
    .filter((rule) => rule.name.startsWith("blocks.") === inside)
    .filter((rule) =>
      Object.entries(rule.when).every(([key, values]) => values.includes(choice(key, c, routed))),
    )
    .map((rule) => {
      const shape = rule.shape.map((symbol) => evaluate(symbol, c));
      const count = shape.reduce((a, b) => a * b, 1);
      const active = rule.routed ? (count / c.experts) * c.experts_active : count;
      const path = rule.name.replace("blocks.{i}.", "");
      const symbols = rule.shape.map((s) => s.replace("position_offset", c.position_offset));
      return { ...rule, path, place: place(path, routed), symbols, shape, count, active };
    });
}

// Which box of the picture holds a tensor.
const BOXES = {
  wte: "token-embedding",
  wpe: "position-embedding",
  project_in: "projection-in",
  ln_embed: "embedding-norm",
  ln_f: "final-norm",
  project_out: "projection-out",
};
function place(path, routed) {
  const first = path.split(".")[0];
  return first === "mlp" && routed ? "experts" : (BOXES[first] ?? first);
}

// {outside, groups}: the tensors around the blocks, and for each kind of block which blocks are of
// that kind and the tensors of one of them.
export function tensorsOf(c, rules) {
  const dense = new Set(c.experts ? c.dense_blocks : []);
  const kinds = new Map();
  for (let i = 0; i < c.L; i += 1) {
    const routed = c.experts > 0 && !dense.has(i);
    if (!kinds.has(routed)) kinds.set(routed, []);
    kinds.get(routed).push(i);
  }
  const groups = [...kinds].map(([routed, blocks]) => ({
    routed,
    blocks,
    tensors: list(rules, c, true, routed),
  }));
  return { outside: list(rules, c, false, false), groups };
}
