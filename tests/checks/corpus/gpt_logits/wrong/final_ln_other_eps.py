# mistake: only the final LayerNorm has another eps (1e-6)
# accept: eps; epsilon; 1e-6; ε
import numpy as np
from math import sqrt, pi


def mv(x, W):
    return np.tensordot(x, W, axes=([-1], [0]))


def ln(x, g, b, e=1e-5):
    n = x.shape[-1]
    m = np.sum(x, -1, keepdims=True) / n
    Vh = np.sum((x - m) ** 2, -1, keepdims=True) / n
    return (x - m) / np.sqrt(Vh + e) * g + b


def gpt_logits(P, idx, n_head):
    nb, nt = idx.shape
    x = P["wte"].take(idx, axis=0) + P["wpe"].take(range(nt), axis=0)
    width = x.shape[2]
    for w in P["blocks"]:
        a = mv(ln(x, w["ln1_g"], w["ln1_b"]), w["w_qkv"]) + w["b_qkv"]
        q, ks, Vh = a[:, :, :width], a[:, :, width:-width], a[:, :, -width:]
        q = q.reshape(nb, nt, n_head, -1).transpose(0, 2, 1, 3) / sqrt(sqrt(width // n_head))
        ks = ks.reshape(nb, nt, n_head, -1).transpose(0, 2, 3, 1) / sqrt(sqrt(width // n_head))
        Vh = Vh.reshape(nb, nt, n_head, -1).transpose(0, 2, 1, 3)
        s = np.matmul(q, ks)
        iu = np.triu(np.ones((nt, nt), dtype=np.int8), 1).astype(bool)
        np.copyto(s, -np.inf, where=iu)
        s = np.exp(s - s.max(-1, keepdims=True))
        s = s / s.sum(-1, keepdims=True)
        o = np.matmul(s, Vh).transpose(0, 2, 1, 3).reshape(nb, nt, width)
        x = x + mv(o, w["w_o"]) + w["b_o"]
        u = mv(ln(x, w["ln2_g"], w["ln2_b"]), w["w_fc"]) + w["b_fc"]
        u = 0.5 * u * (1 + np.tanh(sqrt(2 / pi) * (u + 0.044715 * u**3)))
        x = x + mv(u, w["w_proj"]) + w["b_proj"]
    return np.tensordot(ln(x, P["lnf_g"], P["lnf_b"], 1e-6), P["wte"], axes=([2], [1]))
