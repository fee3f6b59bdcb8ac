# mistake: sample variance (ddof=1) in LayerNorm
# accept: ddof; d - 1; d − 1; n - 1; n − 1; d-1; d−1; sample variance; population; unbiased; bessel
import numpy as np


def normed(hid, g, b):
    return g * (hid - hid.mean(-1, keepdims=True)) / np.sqrt(hid.var(-1, keepdims=True, ddof=1) + 1e-5) + b


def self_attention(hid, blk, heads):
    *lead, T, d = hid.shape
    q, k, value = np.split(hid @ blk["w_qkv"] + blk["b_qkv"], 3, axis=-1)
    cut = lambda t: np.swapaxes(t.reshape(*lead, T, heads, d // heads), -2, -3)
    att = cut(q) @ np.swapaxes(cut(k), -1, -2) / np.sqrt(d // heads)
    att = np.where(np.tril(np.full((T, T), True)), att, -np.inf)
    att = np.exp(att - att.max(-1, keepdims=True))
    att = att / att.sum(-1, keepdims=True)
    return np.swapaxes(att @ cut(value), -2, -3).reshape(*lead, T, d) @ blk["w_o"] + blk["b_o"]


def feed_forward(hid, blk):
    u = hid @ blk["w_fc"] + blk["b_fc"]
    return (0.5 * u * (1 + np.tanh(np.sqrt(2 / np.pi) * (u + 0.044715 * u**3)))) @ blk["w_proj"] + blk["b_proj"]


def stack(hid, layers, heads):
    if not layers:
        return hid
    blk, rest = layers[0], layers[1:]
    hid = hid + self_attention(normed(hid, blk["ln1_g"], blk["ln1_b"]), blk, heads)
    hid = hid + feed_forward(normed(hid, blk["ln2_g"], blk["ln2_b"]), blk)
    return stack(hid, rest, heads)


def gpt_logits(P, idx, n_head):
    hid = P["wte"][idx] + P["wpe"][: idx.shape[1]]
    hid = stack(hid, list(P["blocks"]), n_head)
    return normed(hid, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
