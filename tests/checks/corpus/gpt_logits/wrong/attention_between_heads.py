# mistake: the heads are never moved in front of the positions, so each position's heads attend to each other
# accept: heads attend; between heads; over heads; over the heads; transpos; swap; axes; head axis; across heads; among heads
import numpy as np


def norm(x, g, b):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * g + b


def gpt_logits(P, idx, n_head):
    B, T = idx.shape
    d = P["wte"].shape[1]
    x = P["wte"][idx] + P["wpe"][:T]
    for p in P["blocks"]:
        q, k, v = np.split(norm(x, p["ln1_g"], p["ln1_b"]) @ p["w_qkv"] + p["b_qkv"], 3, axis=-1)
        q = q.reshape(B, T, n_head, d // n_head)
        k = k.reshape(B, T, n_head, d // n_head)
        v = v.reshape(B, T, n_head, d // n_head)
        att = q @ k.swapaxes(-1, -2) / np.sqrt(d // n_head)
        n = att.shape[-1]
        att = np.where(np.tril(np.ones((n, n))) == 1, att, -np.inf)
        att = np.exp(att - att.max(-1, keepdims=True))
        att = att / att.sum(-1, keepdims=True)
        x = x + (att @ v).reshape(B, T, d) @ p["w_o"] + p["b_o"]
        u = norm(x, p["ln2_g"], p["ln2_b"]) @ p["w_fc"] + p["b_fc"]
        u = 0.5 * u * (1 + np.tanh(np.sqrt(2 / np.pi) * (u + 0.044715 * u ** 3)))
        x = x + u @ p["w_proj"] + p["b_proj"]
    return norm(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
