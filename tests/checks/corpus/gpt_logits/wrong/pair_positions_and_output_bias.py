# mistake: two: positions are not added, and b_o is missing
# accept: position; wpe
# accept: b_o; output bias; output projection's bias; bias & output
import numpy as np


def logsumexp(a, axis=-1):
    m = a.max(axis=axis, keepdims=True)
    return m + np.log(np.exp(a - m).sum(axis=axis, keepdims=True))


def norm(x, gain, shift):
    avg, v_x = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return gain * (x - avg) * (v_x + 1e-5) ** -0.5 + shift


def heads_of(x, n):
    return np.stack(np.split(x, n, axis=-1), axis=1)


def gpt_logits(P, idx, n_head):
    seq = idx.shape[1]
    x = P["wte"][idx]
    bad = np.triu_indices(seq, 1)
    for p in P["blocks"]:
        q, k, vs = np.split(norm(x, p["ln1_g"], p["ln1_b"]) @ p["w_qkv"] + p["b_qkv"], 3, axis=-1)
        q, k, vs = heads_of(q, n_head), heads_of(k, n_head), heads_of(vs, n_head)
        sim = q @ k.swapaxes(-2, -1)
        sim = sim / np.sqrt(k.shape[-1])
        sim[..., bad[0], bad[1]] = -np.inf
        w = np.exp(sim - logsumexp(sim))
        out = np.moveaxis(w @ vs, 1, 2)
        out = out.reshape(out.shape[0], out.shape[1], -1)
        x = x + out @ p["w_o"]
        u = norm(x, p["ln2_g"], p["ln2_b"]) @ p["w_fc"] + p["b_fc"]
        u = u / (1 + np.exp(-2 * np.sqrt(2 / np.pi) * (u + 0.044715 * u**3)))
        x = x + u @ p["w_proj"] + p["b_proj"]
    return norm(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
