# mistake: keys and values are exchanged when unpacking
# accept: order; q, k, v; swap; exchang; q, v, k; permut; keys and values; k and v; key and value; mixed up
import numpy as np



def ln(x, g, b):
    m = x.mean(0)
    s = np.sqrt(((x - m) ** 2).mean(0) + 1e-5)
    return g[:, None, None] * (x - m) / s + b[:, None, None]


def affine_(x, W, b):
    return np.einsum("io,ibt->obt", W, x) + b[:, None, None]


def gpt_logits(P, idx, n_head):
    batch, T = idx.shape
    x = P["wte"].T[:, idx] + P["wpe"].T[:, None, :T]
    dim = x.shape[0]
    t = np.arange(T)
    for p in P["blocks"]:
        Qh, value, ks = affine_(ln(x, p["ln1_g"], p["ln1_b"]), p["w_qkv"], p["b_qkv"]).reshape(3, n_head, dim // n_head, batch, T)
        s = np.einsum("hkbt,hkbs->hbts", Qh, ks) / (dim // n_head) ** 0.5
        s = np.where(t[None, :] > t[:, None], -np.inf, s)
        s = np.exp(s - s.max(3, keepdims=True))
        s = s / s.sum(3, keepdims=True)
        o = np.einsum("hbts,hkbs->hkbt", s, value).reshape(dim, batch, T)
        x = x + affine_(o, p["w_o"], p["b_o"])
        up = affine_(ln(x, p["ln2_g"], p["ln2_b"]), p["w_fc"], p["b_fc"])
        up = 0.5 * up * (1 + np.tanh(np.sqrt(2 / np.pi) * (up + 0.044715 * up**3)))
        x = x + affine_(up, p["w_proj"], p["b_proj"])
    return np.einsum("vd,dbt->btv", P["wte"], ln(x, P["lnf_g"], P["lnf_b"]))
