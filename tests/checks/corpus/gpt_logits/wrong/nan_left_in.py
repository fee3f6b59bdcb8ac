# mistake: NaN weights of masked positions are multiplied into the values, everything after position T-1 is NaN
# accept: nan; not a number; mask
import numpy as np


def _softmax(z):
    hi = np.nanmax(z, axis=-1, keepdims=True)
    e = np.exp(z - hi)
    return e / np.nansum(e, axis=-1, keepdims=True)


def _norm(t, g, b):
    t = t - np.mean(t, axis=-1, keepdims=True)
    return g * t / np.sqrt(np.mean(t * t, axis=-1, keepdims=True) + 1e-5) + b


def gpt_logits(P, idx, n_head):
    """The mask holds NaN above the diagonal; the nan-functions skip it."""
    n = idx.shape[1]
    nan_mask = np.where(np.tri(n) == 1, 0.0, np.nan)
    acts = P["wte"][idx] + P["wpe"][:n]
    B, T, C = acts.shape
    for prm in P["blocks"]:
        three = _norm(acts, prm["ln1_g"], prm["ln1_b"]) @ prm["w_qkv"] + prm["b_qkv"]
        qh, kh, vh = np.transpose(three.reshape(B, T, 3, n_head, C // n_head), (2, 0, 3, 1, 4))
        weights = _softmax(qh @ kh.transpose(0, 1, 3, 2) / np.sqrt(C // n_head) + nan_mask)
        acts = acts + (weights @ vh).transpose(0, 2, 1, 3).reshape(B, T, C) @ prm["w_o"] + prm["b_o"]
        inner = _norm(acts, prm["ln2_g"], prm["ln2_b"]) @ prm["w_fc"] + prm["b_fc"]
        inner = 0.5 * inner * (1 + np.tanh(np.sqrt(2 / np.pi) * (inner + 0.044715 * inner**3)))
        acts = acts + inner @ prm["w_proj"] + prm["b_proj"]
    return _norm(acts, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
