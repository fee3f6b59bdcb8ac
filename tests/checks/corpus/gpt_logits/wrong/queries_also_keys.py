# mistake: scores are q @ qᵀ, the keys are never used
# accept: q @ q; qqᵀ; q qᵀ; keys; queries with themselves; query & itself; q·q; key & not; queries & keys
import numpy as np


def gpt_logits(P, idx, n_head):
    B, n_tok = idx.shape
    emb = P["wte"].shape[1]
    dk = emb // n_head

    def LN(x, p, which):
        z = x - x.mean(-1, keepdims=True)
        z = z / np.sqrt(z.var(-1, keepdims=True) + 1e-5)
        return p[f"{which}_g"] * z + p[f"{which}_b"]

    x = P["wte"][idx] + P["wpe"][:n_tok]
    for p in P["blocks"]:
        W = {n: p["w_qkv"][:, i * emb:(i + 1) * emb] for i, n in enumerate("qkv")}
        c = {n: p["b_qkv"][i * emb:(i + 1) * emb] for i, n in enumerate("qkv")}
        out = LN(x, p, "ln1")
        z = {n: (out @ W[n] + c[n]).reshape(B, n_tok, n_head, dk).transpose(0, 2, 1, 3) for n in "qkv"}
        s = z["q"] @ z["q"].transpose(0, 1, 3, 2) / dk**0.5
        s = s + np.where(np.tril(np.ones((n_tok, n_tok))) == 0, -np.inf, 0.0)
        s -= s.max(-1, keepdims=True)
        a = np.exp(s) / np.exp(s).sum(-1, keepdims=True)
        x = x + (a @ z["v"]).transpose(0, 2, 1, 3).reshape(B, n_tok, emb) @ p["w_o"] + p["b_o"]
        f = LN(x, p, "ln2") @ p["w_fc"] + p["b_fc"]
        f = 0.5 * f * (1 + np.tanh(np.sqrt(2 / np.pi) * f * (1 + 0.044715 * f * f)))
        x = x + f @ p["w_proj"] + p["b_proj"]
    return LN(x, P, "lnf") @ P["wte"].T
