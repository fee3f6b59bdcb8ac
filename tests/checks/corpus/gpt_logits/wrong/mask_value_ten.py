# mistake: fills with -10, which is not small enough
# accept: -10; −10; too weak; weak; finite; leak; not low enough; too small; not small enough; fill; not -inf; instead of -inf; instead of −inf
import numpy as np


def make_norm(g, b):
    def f(resid):
        resid = resid - resid.mean(-1, keepdims=True)
        return resid * g / np.sqrt(np.mean(resid * resid, -1, keepdims=True) + 1e-5) + b
    return f


def make_linear(W, b):
    return lambda resid: resid @ W + b


def make_attention(w, h):
    packed, out = make_linear(w["w_qkv"], w["b_qkv"]), make_linear(w["w_o"], w["b_o"])

    def f(resid):
        batch, nt, d = resid.shape
        z = packed(resid).reshape(batch, nt, 3, h, d // h).transpose(2, 0, 3, 1, 4)
        query, key, v = z
        dots = (query @ np.moveaxis(key, -1, -2)) / (d / h) ** 0.5
        dots = np.where(np.tri(nt, dtype=bool), dots, -10.0)
        dots = np.exp(dots - dots.max(-1, keepdims=True))
        dots = dots / dots.sum(-1, keepdims=True)
        return out((dots @ v).transpose(0, 2, 1, 3).reshape(batch, nt, d))
    return f


def make_mlp(w):
    up, down = make_linear(w["w_fc"], w["b_fc"]), make_linear(w["w_proj"], w["b_proj"])
    activation = lambda a: a * (1 + np.tanh(0.7978845608028654 * (a + 0.044715 * a**3))) / 2
    return lambda resid: down(activation(up(resid)))


def gpt_logits(P, idx, n_head):
    resid = np.take(P["wte"], idx, axis=0) + P["wpe"][:idx.shape[-1]]
    for w in P["blocks"]:
        scores, ff = make_attention(w, n_head), make_mlp(w)
        n1, n2 = make_norm(w["ln1_g"], w["ln1_b"]), make_norm(w["ln2_g"], w["ln2_b"])
        resid = resid + scores(n1(resid))
        resid = resid + ff(n2(resid))
    return make_norm(P["lnf_g"], P["lnf_b"])(resid) @ P["wte"].T
