# mistake: the heads are written to the buffer as a flat copy, without swapping heads and positions
# accept: merg; concat; transpos; swap; reshape; join
import numpy as np
from numpy.lib.stride_tricks import as_strided


def head_view(m, h):
    """(B, T, d) seen as (B, h, T, dk) by strides alone"""
    m = np.ascontiguousarray(m)
    bs, nt, d = m.shape
    sB, sT, s1 = m.strides
    return as_strided(m, (bs, h, nt, d // h), (sB, s1 * (d // h), sT, s1), writeable=False)


def lnorm(hid, g, b):
    hid = hid - hid.mean(-1, keepdims=True)
    return hid / np.sqrt(hid.var(-1, keepdims=True) + 1e-5) * g + b


def gpt_logits(P, idx, n_head):
    bs, nt = idx.shape
    hid = P["wte"][idx] + P["wpe"][:nt]
    d = hid.shape[-1]
    for layer in P["blocks"]:
        c = lnorm(hid, layer["ln1_g"], layer["ln1_b"]) @ layer["w_qkv"] + layer["b_qkv"]
        q, ks, v = (head_view(c[..., i:i + d], n_head) for i in (0, d, 2 * d))
        dots = np.matmul(q, ks.swapaxes(-1, -2)) / np.sqrt(d // n_head)
        dots = dots - 1e15 * np.triu(np.ones((nt, nt)), 1)
        dots = np.exp(dots - dots.max(-1, keepdims=True))
        dots /= dots.sum(-1, keepdims=True)
        out = np.empty((bs, nt, n_head, d // n_head))
        out[...] = np.matmul(dots, v).reshape(out.shape)
        hid = hid + out.reshape(bs, nt, d) @ layer["w_o"] + layer["b_o"]
        u = lnorm(hid, layer["ln2_g"], layer["ln2_b"]) @ layer["w_fc"] + layer["b_fc"]
        u = 0.5 * u * (1 + np.tanh(np.sqrt(2 / np.pi) * (u + 0.044715 * u**3)))
        hid = hid + u @ layer["w_proj"] + layer["b_proj"]
    return lnorm(hid, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
