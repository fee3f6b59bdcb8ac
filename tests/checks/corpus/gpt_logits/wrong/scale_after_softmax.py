# mistake: 1/√d_k is applied to the attention weights after the softmax instead of to the scores before it
# accept: after the softmax; not before; scaled after; weights are scaled; weights & scal; sum to 1; not scaled; unscaled
import numpy as np


def normalize(x, g, b):
    x = x - x.mean(axis=-1, keepdims=True)
    return x * g * (1.0 / np.sqrt(np.mean(x ** 2, axis=-1, keepdims=True) + 1e-5)) + b


def gpt_logits(P, idx, n_head):
    """Scores are kept as (B, h, key, query); the softmax then runs over axis -2."""
    B, T = idx.shape
    x = P["wte"][idx] + P["wpe"][:T]
    D = x.shape[-1]
    hs = D // n_head
    mask = np.tril(np.full((T, T), -np.inf), -1)          # key > query
    for p in P["blocks"]:
        qkv = normalize(x, p["ln1_g"], p["ln1_b"]) @ p["w_qkv"] + p["b_qkv"]
        q, k, v = qkv.reshape(B, T, 3, n_head, hs).transpose(2, 0, 3, 1, 4)
        s = np.matmul(k, np.swapaxes(q, 2, 3)) + mask
        s = np.exp(s - s.max(axis=-2, keepdims=True))
        s = s / s.sum(axis=-2, keepdims=True) / np.sqrt(hs)
        y = np.matmul(np.swapaxes(s, 2, 3), v)
        y = np.swapaxes(y, 1, 2).reshape(B, T, D)
        x = x + y @ p["w_o"] + p["b_o"]
        m = normalize(x, p["ln2_g"], p["ln2_b"])
        m = m @ p["w_fc"] + p["b_fc"]
        m = 0.5 * m * (1 + np.tanh(np.sqrt(2 / np.pi) * (m + 0.044715 * m ** 3)))
        x = x + m @ p["w_proj"] + p["b_proj"]
    return normalize(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
