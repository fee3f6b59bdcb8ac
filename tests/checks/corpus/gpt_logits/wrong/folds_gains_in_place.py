# mistake: gains are folded into the caller's matrices in place
# accept: in place; mutat; changes; changed; modif; input; second call; altered; overwrit
# shows: mutation
import numpy as np
from math import sqrt, pi


def mv(x, W):
    return np.tensordot(x, W, axes=([-1], [0]))


def ln(x, g, b):
    n = x.shape[-1]
    m = np.sum(x, -1, keepdims=True) / n
    v = np.sum((x - m) ** 2, -1, keepdims=True) / n
    return (x - m) / np.sqrt(v + 1e-5) * g + b


def gpt_logits(P, idx, n_head):
    nb, nt = idx.shape
    x = P["wte"].take(idx, axis=0) + P["wpe"].take(range(nt), axis=0)
    d = x.shape[2]
    for p in P["blocks"]:
        p["w_fc"] *= p["ln2_g"][:, None]
        p["b_fc"] += p["ln2_b"] @ (p["w_fc"] / p["ln2_g"][:, None])
        a = mv(ln(x, p["ln1_g"], p["ln1_b"]), p["w_qkv"]) + p["b_qkv"]
        q, k, v = a[:, :, :d], a[:, :, d:-d], a[:, :, -d:]
        q = q.reshape(nb, nt, n_head, -1).transpose(0, 2, 1, 3) / sqrt(sqrt(d // n_head))
        k = k.reshape(nb, nt, n_head, -1).transpose(0, 2, 3, 1) / sqrt(sqrt(d // n_head))
        v = v.reshape(nb, nt, n_head, -1).transpose(0, 2, 1, 3)
        s = np.matmul(q, k)
        iu = np.triu(np.ones((nt, nt), dtype=np.int8), 1).astype(bool)
        np.copyto(s, -np.inf, where=iu)
        s = np.exp(s - s.max(-1, keepdims=True))
        s = s / s.sum(-1, keepdims=True)
        o = np.matmul(s, v).transpose(0, 2, 1, 3).reshape(nb, nt, d)
        x = x + mv(o, p["w_o"]) + p["b_o"]
        u = mv(ln(x, 1.0, 0.0), p["w_fc"]) + p["b_fc"]
        u = 0.5 * u * (1 + np.tanh(sqrt(2 / pi) * (u + 0.044715 * u**3)))
        x = x + mv(u, p["w_proj"]) + p["b_proj"]
    return np.tensordot(ln(x, P["lnf_g"], P["lnf_b"]), P["wte"], axes=([2], [1]))
