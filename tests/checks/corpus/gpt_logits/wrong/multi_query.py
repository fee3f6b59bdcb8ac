# mistake: multi-query attention: all heads share the keys and values of head 0
# accept: share; multi query; head 0; first head; same keys; one head; single head
import numpy as np


def LayerNorm(x, g, b):
    mean = x.mean(axis=-1, keepdims=True)
    var = x.var(axis=-1, keepdims=True)
    return g * (x - mean) / np.sqrt(var + 1e-5) + b


def gpt_logits(P, idx, n_head):
    # weight matrices get their head axis up front, activations are never reshaped
    d = P["wte"].shape[1]
    dk = d // n_head
    T = idx.shape[1]
    x = P["wte"][idx] + P["wpe"][:T]
    ok = np.tri(T).astype(bool)
    for p in P["blocks"]:
        W = p["w_qkv"].reshape(d, 3, n_head, dk)
        c = p["b_qkv"].reshape(3, n_head, 1, dk)
        n = LayerNorm(x, p["ln1_g"], p["ln1_b"])
        q, k, v = np.einsum("btd,dchk->cbhtk", n, W) + c[:, None]
        k, v = np.repeat(k[:, :1], n_head, axis=1), np.repeat(v[:, :1], n_head, axis=1)
        s = np.einsum("bhtk,bhsk->bhts", q, k) / np.sqrt(dk)
        s = np.where(ok, s, -np.inf)
        s = np.exp(s - s.max(-1, keepdims=True))
        s /= s.sum(-1, keepdims=True)
        O = p["w_o"].reshape(n_head, dk, d)
        x = x + np.einsum("bhts,bhsk,hkd->btd", s, v, O, optimize=True) + p["b_o"]
        n = LayerNorm(x, p["ln2_g"], p["ln2_b"])
        u = n @ p["w_fc"] + p["b_fc"]
        u = 0.5 * u * (1 + np.tanh(np.sqrt(2 / np.pi) * (u + 0.044715 * u**3)))
        x = x + u @ p["w_proj"] + p["b_proj"]
    return LayerNorm(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
