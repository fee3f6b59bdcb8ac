# mistake: wpe is indexed with the token ids, not with 0..T-1
# accept: by token; token id; by id; with idx; with the id; wpe[idx; by the id; ids
import numpy as np


def ln(x, g, b):
    c = x - x.mean(axis=-1, keepdims=True)
    return g * c / np.sqrt((c**2).mean(axis=-1, keepdims=True) + 1e-5) + b


def gpt_logits(P, idx, n_head):
    """No head axis on q, k, v: a 0/1 selector (h, d) picks each head's columns."""
    d = P["wte"].shape[1]
    T = idx.shape[1]
    sel = (np.arange(d) // (d // n_head) == np.arange(n_head)[:, None]).astype(float)
    x = P["wte"][idx] + P["wpe"][idx % len(P["wpe"])]
    for p in P["blocks"]:
        q, k, v = np.split(ln(x, p["ln1_g"], p["ln1_b"]) @ p["w_qkv"] + p["b_qkv"], 3, axis=-1)
        qh = q[:, None] * sel[:, None, :]
        s = qh @ k[:, None].swapaxes(-1, -2) / np.sqrt(sel[0].sum())
        s = np.where(np.tri(T) == 1, s, -np.inf)
        s = np.exp(s - s.max(-1, keepdims=True))
        s /= s.sum(-1, keepdims=True)
        out = (s @ (v[:, None] * sel[:, None, :])).sum(axis=1)
        x = x + out @ p["w_o"] + p["b_o"]
        u = ln(x, p["ln2_g"], p["ln2_b"]) @ p["w_fc"] + p["b_fc"]
        u = 0.5 * u * (1 + np.tanh(np.sqrt(2 / np.pi) * (u + 0.044715 * u**3)))
        x = x + u @ p["w_proj"] + p["b_proj"]
    return ln(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
