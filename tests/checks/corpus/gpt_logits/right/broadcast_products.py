import numpy as np


def weighted(a, b, axis):
    return (a * b).sum(axis)


def layer_norm(x, g, b):
    c = x - x.mean(-1, keepdims=True)
    return g * c / np.sqrt(weighted(c, c, -1)[..., None] / c.shape[-1] + 1e-5) + b


def gpt_logits(P, idx, n_head):
    # no matmul in attention: everything is broadcasting and sums
    B, T = idx.shape
    x = P["wte"][idx] + P["wpe"][:T]
    hide = np.where(np.arange(T)[None, :] > np.arange(T)[:, None], -np.inf, 0.0)[..., None]   # (T, T, 1)
    for p in P["blocks"]:
        y = layer_norm(x, p["ln1_g"], p["ln1_b"]) @ p["w_qkv"] + p["b_qkv"]
        q, k, v = np.moveaxis(y.reshape(B, T, 3, n_head, -1), 2, 0)                         # (B, T, h, dk)
        s = weighted(q[:, :, None], k[:, None], -1) / np.sqrt(q.shape[-1]) + hide           # (B, T, T, h)
        s = np.exp(s - s.max(axis=2, keepdims=True))
        s = s / s.sum(axis=2, keepdims=True)
        y = weighted(s[..., None], v[:, None], 2).reshape(x.shape)
        x = x + y @ p["w_o"] + p["b_o"]
        y = layer_norm(x, p["ln2_g"], p["ln2_b"]) @ p["w_fc"] + p["b_fc"]
        y = 0.5 * y * (1 + np.tanh(np.sqrt(2 / np.pi) * (y + 0.044715 * y**3)))
        x = x + y @ p["w_proj"] + p["b_proj"]
    return layer_norm(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
