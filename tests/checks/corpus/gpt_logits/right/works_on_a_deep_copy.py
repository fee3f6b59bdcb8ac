import copy
import numpy as np


def gpt_logits(P, idx, n_head):
    # my own copy, so I can fold the scale and the LayerNorm gains into the weights without hurting anybody
    P = copy.deepcopy(P)
    d = P["wte"].shape[1]
    for p in P["blocks"]:
        p["b_qkv"] = p["b_qkv"] + p["ln1_b"] @ p["w_qkv"]
        p["w_qkv"] = p["ln1_g"][:, None] * p["w_qkv"]
        p["w_qkv"][:, :d] /= np.sqrt(d // n_head)
        p["b_qkv"][:d] /= np.sqrt(d // n_head)
        p["b_fc"] = p["b_fc"] + p["ln2_b"] @ p["w_fc"]
        p["w_fc"] = p["ln2_g"][:, None] * p["w_fc"]

    def unit(x):
        x = x - x.mean(-1, keepdims=True)
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)

    B, T = idx.shape
    x = P["wte"][idx] + P["wpe"][:T]
    i = 0
    while i < len(P["blocks"]):
        p = P["blocks"][i]
        q, k, v = (unit(x) @ p["w_qkv"] + p["b_qkv"]).reshape(B, T, 3, n_head, d // n_head).transpose(2, 0, 3, 1, 4)
        s = np.where(np.tri(T) == 1, q @ k.swapaxes(2, 3), -np.inf)
        s = np.exp(s - s.max(-1, keepdims=True))
        x = x + ((s / s.sum(-1, keepdims=True)) @ v).swapaxes(1, 2).reshape(B, T, d) @ p["w_o"] + p["b_o"]
        u = unit(x) @ p["w_fc"] + p["b_fc"]
        x = x + (0.5 * u * (1 + np.tanh(np.sqrt(2 / np.pi) * (u + 0.044715 * u**3)))) @ p["w_proj"] + p["b_proj"]
        i += 1
    return (unit(x) * P["lnf_g"] + P["lnf_b"]) @ P["wte"].T
