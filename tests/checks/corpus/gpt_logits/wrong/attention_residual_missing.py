# mistake: no residual connection around attention
# accept: residual; skip connection; not added to x; added back; x +
import numpy as np


def gpt_logits(P, idx, n_head):
    B, n_tok = idx.shape
    d = P["wte"].shape[1]
    hs = d // n_head

    def ln(hid, p, which):
        z = hid - hid.mean(-1, keepdims=True)
        z = z / np.sqrt(z.var(-1, keepdims=True) + 1e-5)
        return p[f"{which}_g"] * z + p[f"{which}_b"]

    hid = P["wte"][idx] + P["wpe"][:n_tok]
    for p in P["blocks"]:
        W = {n: p["w_qkv"][:, i * d:(i + 1) * d] for i, n in enumerate("qkv")}
        c = {n: p["b_qkv"][i * d:(i + 1) * d] for i, n in enumerate("qkv")}
        y = ln(hid, p, "ln1")
        z = {n: (y @ W[n] + c[n]).reshape(B, n_tok, n_head, hs).transpose(0, 2, 1, 3) for n in "qkv"}
        dots = z["q"] @ z["k"].transpose(0, 1, 3, 2) / hs**0.5
        dots = dots + np.where(np.tril(np.ones((n_tok, n_tok))) == 0, -np.inf, 0.0)
        dots -= dots.max(-1, keepdims=True)
        a = np.exp(dots) / np.exp(dots).sum(-1, keepdims=True)
        hid = (a @ z["v"]).transpose(0, 2, 1, 3).reshape(B, n_tok, d) @ p["w_o"] + p["b_o"]
        f = ln(hid, p, "ln2") @ p["w_fc"] + p["b_fc"]
        f = 0.5 * f * (1 + np.tanh(np.sqrt(2 / np.pi) * f * (1 + 0.044715 * f * f)))
        hid = hid + f @ p["w_proj"] + p["b_proj"]
    return ln(hid, P, "lnf") @ P["wte"].T
