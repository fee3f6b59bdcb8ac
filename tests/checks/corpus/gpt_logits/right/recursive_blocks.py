import numpy as np


def normed(x, g, b):
    return g * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True, ddof=0) + 1e-5) + b


def self_attention(x, p, heads):
    *lead, T, d = x.shape
    q, k, v = np.split(x @ p["w_qkv"] + p["b_qkv"], 3, axis=-1)
    cut = lambda t: np.swapaxes(t.reshape(*lead, T, heads, d // heads), -2, -3)
    att = cut(q) @ np.swapaxes(cut(k), -1, -2) / np.sqrt(d // heads)
    att = np.where(np.tril(np.full((T, T), True)), att, -np.inf)
    att = np.exp(att - att.max(-1, keepdims=True))
    att = att / att.sum(-1, keepdims=True)
    return np.swapaxes(att @ cut(v), -2, -3).reshape(*lead, T, d) @ p["w_o"] + p["b_o"]


def feed_forward(x, p):
    u = x @ p["w_fc"] + p["b_fc"]
    return (0.5 * u * (1 + np.tanh(np.sqrt(2 / np.pi) * (u + 0.044715 * u**3)))) @ p["w_proj"] + p["b_proj"]


def stack(x, layers, heads):
    if not layers:
        return x
    p, rest = layers[0], layers[1:]
    x = x + self_attention(normed(x, p["ln1_g"], p["ln1_b"]), p, heads)
    x = x + feed_forward(normed(x, p["ln2_g"], p["ln2_b"]), p)
    return stack(x, rest, heads)


def gpt_logits(P, idx, n_head):
    x = P["wte"][idx] + P["wpe"][: idx.shape[1]]
    x = stack(x, list(P["blocks"]), n_head)
    return normed(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
