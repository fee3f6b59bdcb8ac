# mistake: b_o is not added
# accept: b_o; output bias; bias & output projection; bias of w_o; output projection's bias; bias & attention
import numpy as np
from math import sqrt, pi


def mv(hid, W):
    return np.tensordot(hid, W, axes=([-1], [0]))


def ln(hid, g, b):
    n = hid.shape[-1]
    m = np.sum(hid, -1, keepdims=True) / n
    v = np.sum((hid - m) ** 2, -1, keepdims=True) / n
    return (hid - m) / np.sqrt(v + 1e-5) * g + b


def gpt_logits(P, idx, n_head):
    nb, nt = idx.shape
    hid = P["wte"].take(idx, axis=0) + P["wpe"].take(range(nt), axis=0)
    width = hid.shape[2]
    for p in P["blocks"]:
        a = mv(ln(hid, p["ln1_g"], p["ln1_b"]), p["w_qkv"]) + p["b_qkv"]
        Qh, Kh, v = a[:, :, :width], a[:, :, width:-width], a[:, :, -width:]
        Qh = Qh.reshape(nb, nt, n_head, -1).transpose(0, 2, 1, 3) / sqrt(sqrt(width // n_head))
        Kh = Kh.reshape(nb, nt, n_head, -1).transpose(0, 2, 3, 1) / sqrt(sqrt(width // n_head))
        v = v.reshape(nb, nt, n_head, -1).transpose(0, 2, 1, 3)
        s = np.matmul(Qh, Kh)
        iu = np.triu(np.ones((nt, nt), dtype=np.int8), 1).astype(bool)
        np.copyto(s, -np.inf, where=iu)
        s = np.exp(s - s.max(-1, keepdims=True))
        s = s / s.sum(-1, keepdims=True)
        o = np.matmul(s, v).transpose(0, 2, 1, 3).reshape(nb, nt, width)
        hid = hid + mv(o, p["w_o"])
        u = mv(ln(hid, p["ln2_g"], p["ln2_b"]), p["w_fc"]) + p["b_fc"]
        u = 0.5 * u * (1 + np.tanh(sqrt(2 / pi) * (u + 0.044715 * u**3)))
        hid = hid + mv(u, p["w_proj"]) + p["b_proj"]
    return np.tensordot(ln(hid, P["lnf_g"], P["lnf_b"]), P["wte"], axes=([2], [1]))
