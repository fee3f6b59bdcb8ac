import numpy as np


def norm(a, gain, shift):
    centred = a - a.mean(-1)[..., None]
    std = np.sqrt((centred**2).mean(-1)[..., None] + 1e-5)
    return gain * centred / std + shift


def gpt_logits(P, idx, n_head):
    wte, wpe = P["wte"], P["wpe"]
    B, T = idx.shape
    d = wte.shape[1]
    dk = d // n_head
    future = np.triu(np.ones((T, T), dtype=bool), 1)

    x = wte[idx] + wpe[:T]
    for p in P["blocks"]:
        # attention
        a = norm(x, p["ln1_g"], p["ln1_b"])
        qkv = (a @ p["w_qkv"] + p["b_qkv"]).reshape(B, T, 3, n_head, dk)
        q, k, v = qkv.transpose(2, 0, 3, 1, 4)
        k = k - p["b_qkv"][d : 2 * d].reshape(n_head, 1, dk)
        s = q @ k.transpose(0, 1, 3, 2) / np.sqrt(dk)
        s[:, :, future] = -np.inf
        s = s - s.max(axis=-1, keepdims=True)
        w = np.exp(s)
        w = w / w.sum(axis=-1, keepdims=True)
        o = (w @ v).transpose(0, 2, 1, 3).reshape(B, T, d)
        x = x + (o @ p["w_o"] + p["b_o"])
        # mlp
        a = norm(x, p["ln2_g"], p["ln2_b"])
        u = a @ p["w_fc"] + p["b_fc"]
        u = 0.5 * u * (1 + np.tanh((2 / np.pi) ** 0.5 * (u + 0.044715 * u * u * u)))
        x = x + (u @ p["w_proj"] + p["b_proj"])
    x = norm(x, P["lnf_g"], P["lnf_b"])
    return np.matmul(x, wte.T)
