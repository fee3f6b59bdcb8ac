# mistake: the score matrix is transposed: rows are keys, columns queries
# accept: transposed; keys & queries; q and k; swap; k qᵀ; kqᵀ; exchang; query and key; k·q; rows and columns
import numpy as np


def lnorm(hid, g, b):
    m = np.mean(hid, axis=-1, keepdims=True)
    r = 1 / np.sqrt(np.var(hid, axis=-1, keepdims=True) + 1e-5)
    return (hid - m) * r * g + b


def tile(q, k, vs, allowed):
    logit_s = np.einsum("bqhk,bshk->bhsq", q, k) / np.sqrt(q.shape[-1])
    logit_s = np.where(allowed, logit_s, -np.inf)
    m = logit_s.max(axis=-1, keepdims=True)
    par = np.exp(logit_s - m)
    return np.einsum("bhqs,bshk->bqhk", par, vs), par.sum(-1).transpose(0, 2, 1)


def gpt_logits(P, idx, n_head):
    batch, t = idx.shape
    pos = np.arange(t)
    hid = P["wte"][idx] + P["wpe"][pos]
    allowed = pos[:, None] >= pos
    for par in P["blocks"]:
        z = (lnorm(hid, par["ln1_g"], par["ln1_b"]) @ par["w_qkv"] + par["b_qkv"]).reshape(batch, t, 3, n_head, -1)
        num, den = tile(z[:, :, 0], z[:, :, 1], z[:, :, 2], allowed)
        hid = hid + (num / den[..., None]).reshape(batch, t, -1) @ par["w_o"] + par["b_o"]
        hidden = lnorm(hid, par["ln2_g"], par["ln2_b"]) @ par["w_fc"] + par["b_fc"]
        hidden *= 0.5 * (1 + np.tanh(np.sqrt(2 / np.pi) * (hidden + 0.044715 * hidden**3)))
        hid = hid + hidden @ par["w_proj"] + par["b_proj"]
    return lnorm(hid, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
