# mistake: the blocks run in reverse order
# accept: revers; order of the blocks; wrong order; backwards; last to first; order
import numpy as np


def sigmoid(a):
    return np.where(a >= 0, 1 / (1 + np.exp(-np.abs(a))), np.exp(-np.abs(a)) / (1 + np.exp(-np.abs(a))))


def gelu_tanh(z):
    return z * sigmoid(np.sqrt(8 / np.pi) * (z + 0.044715 * z**3))


def layerNorm(h_res, gamma, beta):
    h_res = h_res - h_res.mean(-1, keepdims=True)
    norm = np.linalg.norm(h_res, axis=-1, keepdims=True)
    d = h_res.shape[-1]
    return gamma * h_res * np.sqrt(d) / np.sqrt(norm**2 + d * 1e-5) + beta


def gpt_logits(P, idx, n_head):
    tok, pos = P["wte"][idx], P["wpe"][: idx.shape[1]]
    h_res = tok + pos
    B, t, d = h_res.shape
    for lp in reversed(P["blocks"]):
        y = layerNorm(h_res, lp["ln1_g"], lp["ln1_b"]) @ lp["w_qkv"] + lp["b_qkv"]
        y = y.reshape(B, t, 3, n_head, d // n_head)
        qs, k, value = np.transpose(y, (2, 0, 3, 1, 4))
        w = np.where(np.tri(t), qs @ np.transpose(k, (0, 1, 3, 2)) / np.sqrt(d // n_head), -np.inf)
        w = np.exp(w - np.max(w, -1, keepdims=True))
        y = (w / np.sum(w, -1, keepdims=True)) @ value
        y = np.transpose(y, (0, 2, 1, 3)).reshape(B, t, d)
        h_res = h_res + y @ lp["w_o"] + lp["b_o"]
        h_res = h_res + gelu_tanh(layerNorm(h_res, lp["ln2_g"], lp["ln2_b"]) @ lp["w_fc"] + lp["b_fc"]) @ lp["w_proj"] + lp["b_proj"]
    return layerNorm(h_res, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
