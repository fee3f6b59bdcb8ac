# mistake: the output has shape (B, V, T)
# accept: shape; transpos; axes; (B, V, T); order of the axes
import numpy as np



def ln(x, g, b):
    m = x.mean(0)
    dots = np.sqrt(((x - m) ** 2).mean(0) + 1e-5)
    return g[:, None, None] * (x - m) / dots + b[:, None, None]


def linear(x, W, b):
    return np.einsum("io,ibt->obt", W, x) + b[:, None, None]


def gpt_logits(P, idx, n_head):
    batch, n_tok = idx.shape
    x = P["wte"].T[:, idx] + P["wpe"].T[:, None, :n_tok]
    n_embd = x.shape[0]
    t = np.arange(n_tok)
    for p in P["blocks"]:
        query, ks, v = linear(ln(x, p["ln1_g"], p["ln1_b"]), p["w_qkv"], p["b_qkv"]).reshape(3, n_head, n_embd // n_head, batch, n_tok)
        dots = np.einsum("hkbt,hkbs->hbts", query, ks) / (n_embd // n_head) ** 0.5
        dots = np.where(t[None, :] > t[:, None], -np.inf, dots)
        dots = np.exp(dots - dots.max(3, keepdims=True))
        dots = dots / dots.sum(3, keepdims=True)
        o = np.einsum("hbts,hkbs->hkbt", dots, v).reshape(n_embd, batch, n_tok)
        x = x + linear(o, p["w_o"], p["b_o"])
        u = linear(ln(x, p["ln2_g"], p["ln2_b"]), p["w_fc"], p["b_fc"])
        u = 0.5 * u * (1 + np.tanh(np.sqrt(2 / np.pi) * (u + 0.044715 * u**3)))
        x = x + linear(u, p["w_proj"], p["b_proj"])
    return np.einsum("vd,dbt->bvt", P["wte"], ln(x, P["lnf_g"], P["lnf_b"]))
