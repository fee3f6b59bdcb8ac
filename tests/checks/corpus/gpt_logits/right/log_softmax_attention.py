import numpy as np


def logsumexp(a, axis=-1):
    m = a.max(axis=axis, keepdims=True)
    return m + np.log(np.exp(a - m).sum(axis=axis, keepdims=True))


def norm(x, gain, shift):
    mu, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return gain * (x - mu) * (var + 1e-5) ** -0.5 + shift


def heads_of(x, n):
    return np.stack(np.split(x, n, axis=-1), axis=1)         # (B, h, T, dk)


def gpt_logits(P, idx, n_head):
    T = idx.shape[1]
    x = P["wte"][idx] + P["wpe"][:T]
    bad = np.triu_indices(T, 1)
    for p in P["blocks"]:
        q, k, v = np.split(norm(x, p["ln1_g"], p["ln1_b"]) @ p["w_qkv"] + p["b_qkv"], 3, axis=-1)
        q, k, v = heads_of(q, n_head), heads_of(k, n_head), heads_of(v, n_head)
        s = q @ k.swapaxes(-2, -1)
        s = s / np.sqrt(k.shape[-1])
        s[..., bad[0], bad[1]] = -np.inf
        w = np.exp(s - logsumexp(s))                          # log-softmax, then exp
        y = np.moveaxis(w @ v, 1, 2)
        y = y.reshape(y.shape[0], y.shape[1], -1)
        x = x + y @ p["w_o"] + p["b_o"]
        u = norm(x, p["ln2_g"], p["ln2_b"]) @ p["w_fc"] + p["b_fc"]
        u = u / (1 + np.exp(-2 * np.sqrt(2 / np.pi) * (u + 0.044715 * u**3)))
        x = x + u @ p["w_proj"] + p["b_proj"]
    return norm(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
