// Numbers as text: exact with separators, and short forms to stand beside them.

export const exact = (n) => n.toLocaleString("en-US");

const short3 = (x) => x.toFixed(x < 9.995 ? 2 : x < 99.95 ? 1 : 0);

// 124M, 39.4M, 38.4K; below a thousand the number itself
export function short(n) {
  for (const [unit, letter] of [[1e12, "T"], [1e9, "B"], [1e6, "M"], [1e3, "K"]]) {
    if (n >= unit) return short3(n / unit) + letter;
  }
  return String(n);
}

// FLOPs in G, as long as that leaves two digits to read
export function shortFlops(n) {
  if (n >= 1e15) return `${short3(n / 1e15)} P`;
  if (n >= 1e12) return `${short3(n / 1e12)} T`;
  if (n >= 5e7) return `${short3(n / 1e9)} G`;
  if (n >= 1e6) return `${short3(n / 1e6)} M`;
  return n >= 1e3 ? `${short3(n / 1e3)} K` : String(n);
}

export function shortBytes(n) {
  for (const [unit, name] of [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "KB"]]) {
    if (n >= unit) return `${short3(n / unit)} ${name}`;
  }
  return `${n} bytes`;
}

export function percent(part, whole) {
  const share = (100 * part) / whole;
  if (!part) return "0%";
  if (share < 0.1) return "under 0.1%";
  return `${share < 0.95 ? share.toFixed(1) : Math.round(share)}%`;
}

// "3 blocks", "1 block"
export const plural = (n, word) => `${exact(n)} ${word}${n === 1 ? "" : "s"}`;

// [0, 1, 2, 5] -> "1–3, 6", counted from 1 as the picture counts blocks
export function ranges(indices, most = 4) {
  const runs = [];
  for (const i of indices) {
    const last = runs.at(-1);
    if (last && last[1] === i - 1) last[1] = i;
    else runs.push([i, i]);
  }
  const text = runs.map(([a, b]) => (a === b ? exact(a + 1) : `${exact(a + 1)}–${exact(b + 1)}`));
  return text.length > most ? `${text.slice(0, most - 1).join(", ")}, …` : text.join(", ");
}
