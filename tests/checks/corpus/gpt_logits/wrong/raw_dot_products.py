# mistake: raw dot products go into the softmax, without 1/√d_k
# accept: not scaled; unscaled; no scal; without scal; without the scal; not divided; never divided; missing scal; scale is missing; scale missing; scaling is missing; without dividing; lacks; forgot; without 1/√d_k; no 1/√d_k
import numpy as np

# I keep features first: x is (d, B, T). Easier for me to follow the linear algebra W^T x + b.


def ln(x, g, b):
    m = x.mean(0)
    s = np.sqrt(((x - m) ** 2).mean(0) + 1e-5)
    return g[:, None, None] * (x - m) / s + b[:, None, None]


def lin(x, W, b):
    return np.einsum("io,ibt->obt", W, x) + b[:, None, None]


def gpt_logits(P, idx, n_head):
    batch, T = idx.shape
    x = P["wte"].T[:, idx] + P["wpe"].T[:, None, :T]
    d = x.shape[0]
    t = np.arange(T)
    for p in P["blocks"]:
        Qh, key, Vh = lin(ln(x, p["ln1_g"], p["ln1_b"]), p["w_qkv"], p["b_qkv"]).reshape(3, n_head, d // n_head, batch, T)
        s = np.einsum("hkbt,hkbs->hbts", Qh, key)
        s = np.where(t[None, :] > t[:, None], -np.inf, s)
        s = np.exp(s - s.max(3, keepdims=True))
        s = s / s.sum(3, keepdims=True)
        o = np.einsum("hbts,hkbs->hkbt", s, Vh).reshape(d, batch, T)
        x = x + lin(o, p["w_o"], p["b_o"])
        hidden = lin(ln(x, p["ln2_g"], p["ln2_b"]), p["w_fc"], p["b_fc"])
        hidden = 0.5 * hidden * (1 + np.tanh(np.sqrt(2 / np.pi) * (hidden + 0.044715 * hidden**3)))
        x = x + lin(hidden, p["w_proj"], p["b_proj"])
    return np.einsum("vd,dbt->btv", P["wte"], ln(x, P["lnf_g"], P["lnf_b"]))
