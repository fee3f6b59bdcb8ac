# mistake: the strides of heads and of features are exchanged: heads are interleaved
# accept: interleav; every h; stride; strided; contiguous; consecutive; columns; h th column; alternat
import numpy as np
from numpy.lib.stride_tricks import as_strided


def head_view(m, h):
    """(B, T, d) seen as (B, h, T, dk) by strides alone"""
    m = np.ascontiguousarray(m)
    B, T, n_embd = m.shape
    sB, sT, s1 = m.strides
    return as_strided(m, (B, h, T, n_embd // h), (sB, s1, sT, s1 * h), writeable=False)


def ln(resid, g, b):
    resid = resid - resid.mean(-1, keepdims=True)
    return resid / np.sqrt(resid.var(-1, keepdims=True) + 1e-5) * g + b


def gpt_logits(P, idx, n_head):
    B, T = idx.shape
    resid = P["wte"][idx] + P["wpe"][:T]
    n_embd = resid.shape[-1]
    for block in P["blocks"]:
        c = ln(resid, block["ln1_g"], block["ln1_b"]) @ block["w_qkv"] + block["b_qkv"]
        query, k, Vh = (head_view(c[..., i:i + n_embd], n_head) for i in (0, n_embd, 2 * n_embd))
        att = np.matmul(query, k.swapaxes(-1, -2)) / np.sqrt(n_embd // n_head)
        att = att - 1e15 * np.triu(np.ones((T, T)), 1)
        att = np.exp(att - att.max(-1, keepdims=True))
        att /= att.sum(-1, keepdims=True)
        out = np.empty((B, T, n_head, n_embd // n_head))
        out[...] = np.matmul(att, Vh).swapaxes(1, 2)
        resid = resid + out.reshape(B, T, n_embd) @ block["w_o"] + block["b_o"]
        u = ln(resid, block["ln2_g"], block["ln2_b"]) @ block["w_fc"] + block["b_fc"]
        u = 0.5 * u * (1 + np.tanh(np.sqrt(2 / np.pi) * (u + 0.044715 * u**3)))
        resid = resid + u @ block["w_proj"] + block["b_proj"]
    return ln(resid, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
