# mistake: scores of the future are multiplied by 0, which leaves them exp(0) = 1 in the softmax
# accept: multipl; zero; set to 0; exp(0); score 0; fill; instead of -inf; instead of −inf; with 0; by 0
import numpy as np


def gpt_logits(P, idx, n_head):
    nb, n_tok = idx.shape
    n_embd = P["wte"].shape[1]
    dk = n_embd // n_head

    def ln(stream, p, which):
        z = stream - stream.mean(-1, keepdims=True)
        z = z / np.sqrt(z.var(-1, keepdims=True) + 1e-5)
        return p[f"{which}_g"] * z + p[f"{which}_b"]

    stream = P["wte"][idx] + P["wpe"][:n_tok]
    for p in P["blocks"]:
        W = {n: p["w_qkv"][:, i * n_embd:(i + 1) * n_embd] for i, n in enumerate("qkv")}
        c = {n: p["b_qkv"][i * n_embd:(i + 1) * n_embd] for i, n in enumerate("qkv")}
        y = ln(stream, p, "ln1")
        z = {n: (y @ W[n] + c[n]).reshape(nb, n_tok, n_head, dk).transpose(0, 2, 1, 3) for n in "qkv"}
        s = z["q"] @ z["k"].transpose(0, 1, 3, 2) / dk**0.5
        s = s * np.tril(np.ones((n_tok, n_tok)))
        s -= s.max(-1, keepdims=True)
        a = np.exp(s) / np.exp(s).sum(-1, keepdims=True)
        stream = stream + (a @ z["v"]).transpose(0, 2, 1, 3).reshape(nb, n_tok, n_embd) @ p["w_o"] + p["b_o"]
        f = ln(stream, p, "ln2") @ p["w_fc"] + p["b_fc"]
        f = 0.5 * f * (1 + np.tanh(np.sqrt(2 / np.pi) * f * (1 + 0.044715 * f * f)))
        stream = stream + f @ p["w_proj"] + p["b_proj"]
    return ln(stream, P, "lnf") @ P["wte"].T
