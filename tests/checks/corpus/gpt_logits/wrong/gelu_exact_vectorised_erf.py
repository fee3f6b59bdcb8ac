# mistake: the exact GELU with erf (series 7.1.26 of Abramowitz and Stegun) instead of the tanh form
# accept: exact; erf; tanh form; tanh approx; normal distribution
import numpy as np


def norm_(resid, g, b):
    m = np.mean(resid, axis=-1, keepdims=True)
    r = 1 / np.sqrt(np.var(resid, axis=-1, keepdims=True) + 1e-5)
    return (resid - m) * r * g + b


def erf(z):
    t = 1 / (1 + 0.3275911 * np.abs(z))
    poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return np.sign(z) * (1 - poly * np.exp(-z * z))


def tile(q, k, Vh, allowed):
    s = np.einsum("bqhk,bshk->bhqs", q, k) / np.sqrt(q.shape[-1])
    s = np.where(allowed, s, -np.inf)
    m = s.max(axis=-1, keepdims=True)
    p = np.exp(s - m)
    return np.einsum("bhqs,bshk->bqhk", p, Vh), p.sum(-1).transpose(0, 2, 1)


def gpt_logits(P, idx, n_head):
    bs, n_tok = idx.shape
    pos = np.arange(n_tok)
    resid = P["wte"][idx] + P["wpe"][pos]
    allowed = pos[:, None] >= pos
    for p in P["blocks"]:
        z = (norm_(resid, p["ln1_g"], p["ln1_b"]) @ p["w_qkv"] + p["b_qkv"]).reshape(bs, n_tok, 3, n_head, -1)
        num, den = tile(z[:, :, 0], z[:, :, 1], z[:, :, 2], allowed)
        resid = resid + (num / den[..., None]).reshape(bs, n_tok, -1) @ p["w_o"] + p["b_o"]
        u = norm_(resid, p["ln2_g"], p["ln2_b"]) @ p["w_fc"] + p["b_fc"]
        u *= 0.5 * (1 + erf(u / np.sqrt(2)))
        resid = resid + u @ p["w_proj"] + p["b_proj"]
    return norm_(resid, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
