# mistake: gains are folded into the caller's matrices in place
# accept: in place; mutat; changes; changed; modif; input; second call; altered; overwrit
# shows: mutation
import numpy as np
from math import sqrt, pi


def apply(hid, W):
    return np.tensordot(hid, W, axes=([-1], [0]))


def layer_norm(hid, g, b):
    n = hid.shape[-1]
    m = np.sum(hid, -1, keepdims=True) / n
    Vh = np.sum((hid - m) ** 2, -1, keepdims=True) / n
    return (hid - m) / np.sqrt(Vh + 1e-5) * g + b


def gpt_logits(P, idx, n_head):
    nb, nt = idx.shape
    hid = P["wte"].take(idx, axis=0) + P["wpe"].take(range(nt), axis=0)
    d = hid.shape[2]
    for blk in P["blocks"]:
        blk["w_fc"] *= blk["ln2_g"][:, None]
        blk["b_fc"] += blk["ln2_b"] @ (blk["w_fc"] / blk["ln2_g"][:, None])
        a = apply(layer_norm(hid, blk["ln1_g"], blk["ln1_b"]), blk["w_qkv"]) + blk["b_qkv"]
        q, ks, Vh = a[:, :, :d], a[:, :, d:-d], a[:, :, -d:]
        q = q.reshape(nb, nt, n_head, -1).transpose(0, 2, 1, 3) / sqrt(sqrt(d // n_head))
        ks = ks.reshape(nb, nt, n_head, -1).transpose(0, 2, 3, 1) / sqrt(sqrt(d // n_head))
        Vh = Vh.reshape(nb, nt, n_head, -1).transpose(0, 2, 1, 3)
        s = np.matmul(q, ks)
        iu = np.triu(np.ones((nt, nt), dtype=np.int8), 1).astype(bool)
        np.copyto(s, -np.inf, where=iu)
        s = np.exp(s - s.max(-1, keepdims=True))
        s = s / s.sum(-1, keepdims=True)
        o = np.matmul(s, Vh).transpose(0, 2, 1, 3).reshape(nb, nt, d)
        hid = hid + apply(o, blk["w_o"]) + blk["b_o"]
        hidden = apply(layer_norm(hid, 1.0, 0.0), blk["w_fc"]) + blk["b_fc"]
        hidden = 0.5 * hidden * (1 + np.tanh(sqrt(2 / pi) * (hidden + 0.044715 * hidden**3)))
        hid = hid + apply(hidden, blk["w_proj"]) + blk["b_proj"]
    return np.tensordot(layer_norm(hid, P["lnf_g"], P["lnf_b"]), P["wte"], axes=([2], [1]))
