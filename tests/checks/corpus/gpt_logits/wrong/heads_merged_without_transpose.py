# mistake: (B, h, T, dk) is reshaped to (B, T, d) without swapping heads and positions back
# accept: merg; concat; transpos; swap back; reshape; join
import numpy as np


def normalize(x, g, b):
    x = x - x.mean(axis=-1, keepdims=True)
    return x * g * (1.0 / np.sqrt(np.mean(x ** 2, axis=-1, keepdims=True) + 1e-5)) + b


def gpt_logits(P, idx, n_head):
    """Scores are kept as (B, h, key, query); the softmax then runs over axis -2."""
    batch, nt = idx.shape
    x = P["wte"][idx] + P["wpe"][:nt]
    D = x.shape[-1]
    hs = D // n_head
    causal = np.tril(np.full((nt, nt), -np.inf), -1)          # key > query
    for lp in P["blocks"]:
        packed = normalize(x, lp["ln1_g"], lp["ln1_b"]) @ lp["w_qkv"] + lp["b_qkv"]
        q, ks, v = packed.reshape(batch, nt, 3, n_head, hs).transpose(2, 0, 3, 1, 4)
        s = np.matmul(ks, np.swapaxes(q, 2, 3)) / np.sqrt(hs) + causal
        s = np.exp(s - s.max(axis=-2, keepdims=True))
        s = s / s.sum(axis=-2, keepdims=True)
        o = np.matmul(np.swapaxes(s, 2, 3), v)
        o = o.reshape(batch, nt, D)
        x = x + o @ lp["w_o"] + lp["b_o"]
        m = normalize(x, lp["ln2_g"], lp["ln2_b"])
        m = m @ lp["w_fc"] + lp["b_fc"]
        m = 0.5 * m * (1 + np.tanh(np.sqrt(2 / np.pi) * (m + 0.044715 * m ** 3)))
        x = x + m @ lp["w_proj"] + lp["b_proj"]
    return normalize(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
