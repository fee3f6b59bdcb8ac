# mistake: returns the final hidden states (B, T, d), the head is missing
# accept: shape; hidden; head$; (B, T, d); final vectors
import numpy as np
from math import sqrt, pi


def mv(resid, W):
    return np.tensordot(resid, W, axes=([-1], [0]))


def lnorm(resid, g, b):
    n = resid.shape[-1]
    m = np.sum(resid, -1, keepdims=True) / n
    value = np.sum((resid - m) ** 2, -1, keepdims=True) / n
    return (resid - m) / np.sqrt(value + 1e-5) * g + b


def gpt_logits(P, idx, n_head):
    nb, nt = idx.shape
    resid = P["wte"].take(idx, axis=0) + P["wpe"].take(range(nt), axis=0)
    emb = resid.shape[2]
    for w in P["blocks"]:
        a = mv(lnorm(resid, w["ln1_g"], w["ln1_b"]), w["w_qkv"]) + w["b_qkv"]
        q, ks, value = a[:, :, :emb], a[:, :, emb:-emb], a[:, :, -emb:]
        q = q.reshape(nb, nt, n_head, -1).transpose(0, 2, 1, 3) / sqrt(sqrt(emb // n_head))
        ks = ks.reshape(nb, nt, n_head, -1).transpose(0, 2, 3, 1) / sqrt(sqrt(emb // n_head))
        value = value.reshape(nb, nt, n_head, -1).transpose(0, 2, 1, 3)
        s = np.matmul(q, ks)
        iu = np.triu(np.ones((nt, nt), dtype=np.int8), 1).astype(bool)
        np.copyto(s, -np.inf, where=iu)
        s = np.exp(s - s.max(-1, keepdims=True))
        s = s / s.sum(-1, keepdims=True)
        o = np.matmul(s, value).transpose(0, 2, 1, 3).reshape(nb, nt, emb)
        resid = resid + mv(o, w["w_o"]) + w["b_o"]
        m_in = mv(lnorm(resid, w["ln2_g"], w["ln2_b"]), w["w_fc"]) + w["b_fc"]
        m_in = 0.5 * m_in * (1 + np.tanh(sqrt(2 / pi) * (m_in + 0.044715 * m_in**3)))
        resid = resid + mv(m_in, w["w_proj"]) + w["b_proj"]
    return lnorm(resid, P["lnf_g"], P["lnf_b"])
