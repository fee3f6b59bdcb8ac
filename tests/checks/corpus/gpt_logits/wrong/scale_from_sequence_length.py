# mistake: takes T for d_k in the scale (wrong entry of the shape)
# accept: √T; length of the sequence; sequence length; by the length; root of T; number of positions; number of tokens; T & d_k; T & head size
import numpy as np


def make_heads(m, h):
    """(B,T,d) -> (h,B,T,dk) by cutting columns"""
    return np.array(np.split(m, h, axis=-1))


def join_heads(m):
    return np.concatenate(m, axis=-1)


def ln(hid, g, b):
    return g * (hid - hid.mean(2, keepdims=True)) / np.sqrt(hid.var(2, keepdims=True) + 1e-5) + b


def gpt_logits(P, idx, n_head):
    t = idx.shape[1]
    hid = P["wte"][idx] + P["wpe"][:t]
    hide = np.zeros((t, t))
    hide[np.triu_indices(t, 1)] = -np.inf
    for layer in P["blocks"]:
        qs, key, v = np.split(ln(hid, layer["ln1_g"], layer["ln1_b"]) @ layer["w_qkv"] + layer["b_qkv"], 3, -1)
        qs, key, v = make_heads(qs, n_head), make_heads(key, n_head), make_heads(v, n_head)
        s = qs @ key.transpose(0, 1, 3, 2) / np.sqrt(qs.shape[-2]) + hide
        s = np.exp(s - s.max(3, keepdims=True))
        s = s / s.sum(3, keepdims=True)
        hid = hid + join_heads(s @ v) @ layer["w_o"] + layer["b_o"]
        hidden = ln(hid, layer["ln2_g"], layer["ln2_b"]) @ layer["w_fc"] + layer["b_fc"]
        hidden = 0.5 * hidden * (1 + np.tanh(np.sqrt(2 / np.pi) * (hidden + 0.044715 * hidden ** 3)))
        hid = hid + hidden @ layer["w_proj"] + layer["b_proj"]
    return ln(hid, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
