# mistake: x squared in place of x cubed
# accept: square; x²; x^2; cube; x³; power; x^3; exponent
import numpy as np
from math import pi, sqrt


def norm(x, gain, shift):
    c = x - np.einsum("btd->bt", x)[..., None] / x.shape[-1]
    s2 = np.einsum("btd,btd->bt", c, c)[..., None] / x.shape[-1]
    return gain * c / np.sqrt(s2 + 1e-5) + shift


def attend(x, p, H):
    d = x.shape[-1]
    D = d // H
    w = p["w_qkv"].reshape(d, 3, H, D)
    b = p["b_qkv"].reshape(3, H, D)
    q = np.einsum("btd,dhk->bhtk", x, w[:, 0]) + b[0][:, None, :]
    k = np.einsum("btd,dhk->bhtk", x, w[:, 1]) + b[1][:, None, :]
    v = np.einsum("btd,dhk->bhtk", x, w[:, 2]) + b[2][:, None, :]
    s = np.einsum("bhik,bhjk->bhij", q, k) / sqrt(D)
    T = x.shape[1]
    i, j = np.ogrid[:T, :T]
    s = np.where(j <= i, s, -np.inf)
    s = np.exp(s - s.max(-1, keepdims=True))
    a = s / s.sum(-1, keepdims=True)
    o = np.einsum("bhij,bhjk->bhik", a, v)
    wo = p["w_o"].reshape(H, D, d)
    return np.einsum("bhik,hkd->bid", o, wo) + p["b_o"]


def feed(x, p):
    u = np.einsum("btd,de->bte", x, p["w_fc"]) + p["b_fc"]
    u = u / 2 * (1 + np.tanh(sqrt(2 / pi) * (u + 0.044715 * u * u)))
    return np.einsum("bte,ed->btd", u, p["w_proj"]) + p["b_proj"]


def gpt_logits(P, idx, n_head):
    x = P["wte"][idx] + P["wpe"][None, : idx.shape[1]]
    for p in P["blocks"]:
        x = x + attend(norm(x, p["ln1_g"], p["ln1_b"]), p, n_head)
        x = x + feed(norm(x, p["ln2_g"], p["ln2_b"]), p)
    x = norm(x, P["lnf_g"], P["lnf_b"])
    return np.einsum("btd,vd->btv", x, P["wte"])
