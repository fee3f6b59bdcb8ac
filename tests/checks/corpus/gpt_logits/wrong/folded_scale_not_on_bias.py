# mistake: the scale is folded into the query weights but not into the query bias
# accept: scal; query bias; b_qkv; b_q; bias & quer; √d_k
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

        p["b_fc"] = p["b_fc"] + p["ln2_b"] @ p["w_fc"]
        p["w_fc"] = p["ln2_g"][:, None] * p["w_fc"]

    def unit(stream):
        stream = stream - stream.mean(-1, keepdims=True)
        return stream / np.sqrt((stream * stream).mean(-1, keepdims=True) + 1e-5)

    B, T = idx.shape
    stream = P["wte"][idx] + P["wpe"][:T]
    i = 0
    while i < len(P["blocks"]):
        p = P["blocks"][i]
        qs, key, v = (unit(stream) @ p["w_qkv"] + p["b_qkv"]).reshape(B, T, 3, n_head, d // n_head).transpose(2, 0, 3, 1, 4)
        dots = np.where(np.tri(T) == 1, qs @ key.swapaxes(2, 3), -np.inf)
        dots = np.exp(dots - dots.max(-1, keepdims=True))
        stream = stream + ((dots / dots.sum(-1, keepdims=True)) @ v).swapaxes(1, 2).reshape(B, T, d) @ p["w_o"] + p["b_o"]
        m_in = unit(stream) @ p["w_fc"] + p["b_fc"]
        stream = stream + (0.5 * m_in * (1 + np.tanh(np.sqrt(2 / np.pi) * (m_in + 0.044715 * m_in**3)))) @ p["w_proj"] + p["b_proj"]
        i += 1
    return (unit(stream) * P["lnf_g"] + P["lnf_b"]) @ P["wte"].T
