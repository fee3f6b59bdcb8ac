# mistake: the position rows are added again at the input of every block
# accept: every block; each block; again; repeatedly; more than once; once per block; all blocks
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
    x = P["wte"].take(idx, axis=0)
    pe = P["wpe"].take(range(nt), axis=0)
    width = x.shape[2]
    for w in P["blocks"]:
        x = x + pe
        a = mv(ln(x, w["ln1_g"], w["ln1_b"]), w["w_qkv"]) + w["b_qkv"]
        qs, k, v = a[:, :, :width], a[:, :, width:-width], a[:, :, -width:]
        qs = qs.reshape(nb, nt, n_head, -1).transpose(0, 2, 1, 3) / sqrt(sqrt(width // n_head))
        k = k.reshape(nb, nt, n_head, -1).transpose(0, 2, 3, 1) / sqrt(sqrt(width // n_head))
        v = v.reshape(nb, nt, n_head, -1).transpose(0, 2, 1, 3)
        s = np.matmul(qs, k)
        iu = np.triu(np.ones((nt, nt), dtype=np.int8), 1).astype(bool)
        np.copyto(s, -np.inf, where=iu)
        s = np.exp(s - s.max(-1, keepdims=True))
        s = s / s.sum(-1, keepdims=True)
        o = np.matmul(s, v).transpose(0, 2, 1, 3).reshape(nb, nt, width)
        x = x + mv(o, w["w_o"]) + w["b_o"]
        up = mv(ln(x, w["ln2_g"], w["ln2_b"]), w["w_fc"]) + w["b_fc"]
        up = 0.5 * up * (1 + np.tanh(sqrt(2 / pi) * (up + 0.044715 * up**3)))
        x = x + mv(up, w["w_proj"]) + w["b_proj"]
    return np.tensordot(ln(x, P["lnf_g"], P["lnf_b"]), P["wte"], axes=([2], [1]))
