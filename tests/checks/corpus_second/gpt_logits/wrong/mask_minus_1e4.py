# mistake: masked scores are set to -1e4, which large scores pass
# accept: -1e4; 10,000; 10000; leak; finite; too small; not low enough; large scores; -inf; −∞; fill; large enough
import numpy as np


def gpt_logits(P, idx, n_head):
    """GPT-2 forward. qkv is reshaped once to (3, B, h, T, dk)."""
    B, T = idx.shape
    C = P["wte"].shape[-1]
    scale = (C // n_head) ** -0.5

    def normalize(t, which, store):
        mu = t.mean(-1, keepdims=True)
        sd = np.sqrt(t.var(-1, keepdims=True) + 1e-5)
        return store[which + "_g"] * ((t - mu) / sd) + store[which + "_b"]

    def attn(t, p):
        qkv = t @ p["w_qkv"] + p["b_qkv"]
        qkv = qkv.reshape(B, T, 3, n_head, C // n_head).transpose(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        a = (q * scale) @ k.transpose(0, 1, 3, 2)
        a[..., np.triu_indices(T, 1)[0], np.triu_indices(T, 1)[1]] = -1e4
        a = np.exp(a - np.max(a, axis=-1, keepdims=True))
        a = a / np.sum(a, axis=-1, keepdims=True)
        y = (a @ v).transpose(0, 2, 1, 3)
        y = y.reshape(B, T, C)
        return y @ p["w_o"] + p["b_o"]

    def mlp(t, p):
        t = t @ p["w_fc"] + p["b_fc"]
        t = t * 0.5 * (1.0 + np.tanh(0.7978845608028654 * (t + 0.044715 * t**3)))
        return t @ p["w_proj"] + p["b_proj"]

    x = np.take(P["wte"], idx, axis=0)
    x = x + np.take(P["wpe"], np.arange(T), axis=0)
    for p in P["blocks"]:
        x = x + attn(normalize(x, "ln1", p), p)
        x = x + mlp(normalize(x, "ln2", p), p)
    x = normalize(x, "lnf", P)
    return np.matmul(x, P["wte"].transpose())
