# mistake: no residual connection around the MLP
# accept: residual; skip connection; not added to x; added back; x +
import numpy as np

# I keep features first: x is (d, B, T). Easier for me to follow the linear algebra W^T x + b.


def ln(x, g, b):
    m = x.mean(0)
    s = np.sqrt(((x - m) ** 2).mean(0) + 1e-5)
    return g[:, None, None] * (x - m) / s + b[:, None, None]


def affine_(x, W, b):
    return np.einsum("io,ibt->obt", W, x) + b[:, None, None]


def gpt_logits(P, idx, n_head):
    B, T = idx.shape
    x = P["wte"].T[:, idx] + P["wpe"].T[:, None, :T]
    dm = x.shape[0]
    t = np.arange(T)
    for p in P["blocks"]:
        query, ks, v = affine_(ln(x, p["ln1_g"], p["ln1_b"]), p["w_qkv"], p["b_qkv"]).reshape(3, n_head, dm // n_head, B, T)
        s = np.einsum("hkbt,hkbs->hbts", query, ks) / (dm // n_head) ** 0.5
        s = np.where(t[None, :] > t[:, None], -np.inf, s)
        s = np.exp(s - s.max(3, keepdims=True))
        s = s / s.sum(3, keepdims=True)
        o = np.einsum("hbts,hkbs->hkbt", s, v).reshape(dm, B, T)
        x = x + affine_(o, p["w_o"], p["b_o"])
        u = affine_(ln(x, p["ln2_g"], p["ln2_b"]), p["w_fc"], p["b_fc"])
        u = 0.5 * u * (1 + np.tanh(np.sqrt(2 / np.pi) * (u + 0.044715 * u**3)))
        x = affine_(u, p["w_proj"], p["b_proj"])
    return np.einsum("vd,dbt->btv", P["wte"], ln(x, P["lnf_g"], P["lnf_b"]))
