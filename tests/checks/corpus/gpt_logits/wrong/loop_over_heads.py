# mistake: right values, but a Python loop runs over the heads
# accept: loop; vectoris
# shows: loop
import numpy as np


def ln(x, g, b):
    mu = x.mean(axis=-1, keepdims=True)
    return g * (x - mu) / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5) + b


def softmax(z):
    z = np.exp(z - z.max(axis=-1, keepdims=True))
    return z / z.sum(axis=-1, keepdims=True)


def gpt_logits(P, idx, n_head):
    B, T = idx.shape
    d = P["wte"].shape[1]
    size = d // n_head
    x = P["wte"][idx] + P["wpe"][:T]
    mask = np.triu(np.full((T, T), -np.inf), 1)
    for p in P["blocks"]:
        qkv = ln(x, p["ln1_g"], p["ln1_b"]) @ p["w_qkv"] + p["b_qkv"]
        outs = []
        for h in range(n_head):
            q = qkv[..., h * size:(h + 1) * size]
            k = qkv[..., d + h * size:d + (h + 1) * size]
            v = qkv[..., 2 * d + h * size:2 * d + (h + 1) * size]
            outs.append(softmax(q @ k.swapaxes(1, 2) / np.sqrt(size) + mask) @ v)
        x = x + np.concatenate(outs, axis=-1) @ p["w_o"] + p["b_o"]
        u = ln(x, p["ln2_g"], p["ln2_b"]) @ p["w_fc"] + p["b_fc"]
        x = x + (0.5 * u * (1 + np.tanh(np.sqrt(2 / np.pi) * (u + 0.044715 * u**3)))) @ p["w_proj"] + p["b_proj"]
    return ln(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
