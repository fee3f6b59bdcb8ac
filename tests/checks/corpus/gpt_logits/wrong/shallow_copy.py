# mistake: dict(P) copies only the outer dict, the blocks of the caller are changed
# accept: in place; mutat; changes; changed; modif; input; second call; altered; overwrit; shallow
# shows: mutation
import copy
import numpy as np


def gpt_logits(P, idx, n_head):
    # my own copy, so I can fold the scale and the LayerNorm gains into the weights without hurting anybody
    P = dict(P)
    dim = P["wte"].shape[1]
    for w in P["blocks"]:
        w["b_qkv"] = w["b_qkv"] + w["ln1_b"] @ w["w_qkv"]
        w["w_qkv"] = w["ln1_g"][:, None] * w["w_qkv"]
        w["w_qkv"][:, :dim] /= np.sqrt(dim // n_head)
        w["b_qkv"][:dim] /= np.sqrt(dim // n_head)
        w["b_fc"] = w["b_fc"] + w["ln2_b"] @ w["w_fc"]
        w["w_fc"] = w["ln2_g"][:, None] * w["w_fc"]

    def unit(x):
        x = x - x.mean(-1, keepdims=True)
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)

    bs, n_tok = idx.shape
    x = P["wte"][idx] + P["wpe"][:n_tok]
    i = 0
    while i < len(P["blocks"]):
        w = P["blocks"][i]
        qs, k, v = (unit(x) @ w["w_qkv"] + w["b_qkv"]).reshape(bs, n_tok, 3, n_head, dim // n_head).transpose(2, 0, 3, 1, 4)
        dots = np.where(np.tri(n_tok) == 1, qs @ k.swapaxes(2, 3), -np.inf)
        dots = np.exp(dots - dots.max(-1, keepdims=True))
        x = x + ((dots / dots.sum(-1, keepdims=True)) @ v).swapaxes(1, 2).reshape(bs, n_tok, dim) @ w["w_o"] + w["b_o"]
        hidden = unit(x) @ w["w_fc"] + w["b_fc"]
        x = x + (0.5 * hidden * (1 + np.tanh(np.sqrt(2 / np.pi) * (hidden + 0.044715 * hidden**3)))) @ w["w_proj"] + w["b_proj"]
        i += 1
    return (unit(x) * P["lnf_g"] + P["lnf_b"]) @ P["wte"].T
