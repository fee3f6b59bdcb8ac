import numpy as np
from numpy.lib.stride_tricks import as_strided


def head_view(m, h):
    """(B, T, d) seen as (B, h, T, dk) by strides alone"""
    m = np.ascontiguousarray(m)
    B, T, d = m.shape
    sB, sT, s1 = m.strides
    return as_strided(m, (B, h, T, d // h), (sB, s1 * (d // h), sT, s1), writeable=False)


def ln(x, g, b):
    x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * g + b


def gpt_logits(P, idx, n_head):
    B, T = idx.shape
    x = P["wte"][idx] + P["wpe"][:T]
    d = x.shape[-1]
    for blk in P["blocks"]:
        c = ln(x, blk["ln1_g"], blk["ln1_b"]) @ blk["w_qkv"] + blk["b_qkv"]
        q, k, v = (head_view(c[..., i:i + d], n_head) for i in (0, d, 2 * d))
        s = np.matmul(q, k.swapaxes(-1, -2)) / np.sqrt(d // n_head)
        s = s - 1e15 * np.triu(np.ones((T, T)), 1)
        s = np.exp(s - s.max(-1, keepdims=True))
        s /= s.sum(-1, keepdims=True)
        out = np.empty((B, T, n_head, d // n_head))
        out[...] = np.matmul(s, v).swapaxes(1, 2)
        x = x + out.reshape(B, T, d) @ blk["w_o"] + blk["b_o"]
        u = ln(x, blk["ln2_g"], blk["ln2_b"]) @ blk["w_fc"] + blk["b_fc"]
        u = 0.5 * u * (1 + np.tanh(np.sqrt(2 / np.pi) * (u + 0.044715 * u**3)))
        x = x + u @ blk["w_proj"] + blk["b_proj"]
    return ln(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
