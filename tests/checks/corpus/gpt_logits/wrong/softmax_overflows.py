# mistake: exp of the raw scores without subtracting the maximum, overflows for large scores
# accept: overflow; stab; maximum; large score; inf; nan; max
import numpy as np


def ln_module(x, g, b):
    avg = x.mean(axis=-1, keepdims=True)
    var = x.var(axis=-1, keepdims=True)
    return g * (x - avg) / np.sqrt(var + 1e-5) + b


def gpt_logits(P, idx, n_head):
    # weight matrices get their head axis up front, activations are never reshaped
    dim = P["wte"].shape[1]
    d_head = dim // n_head
    n_tok = idx.shape[1]
    x = P["wte"][idx] + P["wpe"][:n_tok]
    ok = np.tri(n_tok).astype(bool)
    for p in P["blocks"]:
        W = p["w_qkv"].reshape(dim, 3, n_head, d_head)
        c = p["b_qkv"].reshape(3, n_head, 1, d_head)
        n = ln_module(x, p["ln1_g"], p["ln1_b"])
        Qh, Kh, value = np.einsum("btd,dchk->cbhtk", n, W) + c[:, None]
        s = np.einsum("bhtk,bhsk->bhts", Qh, Kh) / np.sqrt(d_head)
        s = np.where(ok, s, -np.inf)
        s = np.exp(s)
        s /= s.sum(-1, keepdims=True)
        O = p["w_o"].reshape(n_head, d_head, dim)
        x = x + np.einsum("bhts,bhsk,hkd->btd", s, value, O, optimize=True) + p["b_o"]
        n = ln_module(x, p["ln2_g"], p["ln2_b"])
        hidden = n @ p["w_fc"] + p["b_fc"]
        hidden = 0.5 * hidden * (1 + np.tanh(np.sqrt(2 / np.pi) * (hidden + 0.044715 * hidden**3)))
        x = x + hidden @ p["w_proj"] + p["b_proj"]
    return ln_module(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
