# mistake: heads are interleaved in the columns, both when splitting and when merging
# accept: interleav; every h; stride; strided; contiguous; consecutive; columns; h th column; alternat
import numpy as np


def lnorm(x, g, b):
    z = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
    return z * g + b


def sublayers(P, n_head):
    for params_l in P["blocks"]:
        def att(x, params_l=params_l):
            bs, T, d = x.shape
            query, k, vs = np.split(lnorm(x, params_l["ln1_g"], params_l["ln1_b"]) @ params_l["w_qkv"] + params_l["b_qkv"], 3, axis=2)
            query, k, vs = [np.moveaxis(m.reshape(bs, T, -1, n_head), 3, 0) for m in (query, k, vs)]
            s = np.matmul(query, np.moveaxis(k, -1, -2)) / np.sqrt(d // n_head)
            s = np.where(np.arange(T)[None] > np.arange(T)[:, None], -np.inf, s)
            s = np.exp(s - s.max(-1, keepdims=True))
            s = s / s.sum(-1, keepdims=True)
            return np.moveaxis(s @ vs, 0, 3).reshape(bs, T, d) @ params_l["w_o"] + params_l["b_o"]

        def ff(x, params_l=params_l):
            u = lnorm(x, params_l["ln2_g"], params_l["ln2_b"]) @ params_l["w_fc"] + params_l["b_fc"]
            return 0.5 * u * (1 + np.tanh(np.sqrt(2 / np.pi) * (u + 0.044715 * u**3))) @ params_l["w_proj"] + params_l["b_proj"]

        yield att
        yield ff


def gpt_logits(P, idx, n_head):
    x = P["wte"][idx] + P["wpe"][None, np.arange(idx.shape[1]), :]
    for f in sublayers(P, n_head):
        x = x + f(x)
    return lnorm(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
