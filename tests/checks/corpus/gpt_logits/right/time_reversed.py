import numpy as np


def ln(x, g, b):
    m = x.mean(-1, keepdims=True)
    v = x.var(-1, keepdims=True)
    return (x - m) / np.sqrt(v + 1e-5) * g + b


def gpt_logits(P, idx, n_head):
    """Newest token first inside; the mask is then upper triangular."""
    B, T = idx.shape
    d = P["wte"].shape[1]
    x = (P["wte"][idx] + P["wpe"][:T])[:, ::-1]
    for p in P["blocks"]:
        z = ln(x, p["ln1_g"], p["ln1_b"]) @ p["w_qkv"] + p["b_qkv"]
        q, k, v = [m.reshape(B, T, n_head, d // n_head).swapaxes(1, 2) for m in np.split(z, 3, axis=-1)]
        s = q @ k.swapaxes(-1, -2) / np.sqrt(d // n_head)
        s = np.where(np.triu(np.ones((T, T), dtype=bool)), s, -np.inf)
        s = np.exp(s - s.max(-1, keepdims=True))
        s = s / s.sum(-1, keepdims=True)
        x = x + (s @ v).swapaxes(1, 2).reshape(B, T, d) @ p["w_o"] + p["b_o"]
        u = ln(x, p["ln2_g"], p["ln2_b"]) @ p["w_fc"] + p["b_fc"]
        x = x + (0.5 * u * (1 + np.tanh(np.sqrt(2 / np.pi) * (u + 0.044715 * u**3)))) @ p["w_proj"] + p["b_proj"]
    return (ln(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T)[:, ::-1]
