# mistake: GELU is applied to the attention output as well
# accept: attention & gelu; attention & activation; attention & nonlinear; attention output
import numpy as np


def norm(x, g, b):
    var = x.var(-1)
    mean = x.mean(-1)
    return ((x.T - mean.T) / np.sqrt(var.T + 1e-5)).T * g + b


def gpt_logits(P, idx, n_head):
    # fold w_v and w_o per head ("OV circuit") and w_q, w_k ("QK circuit")
    d = P["wte"].shape[1]
    k = d // n_head
    B, T = idx.shape
    x = P["wte"][idx] + P["wpe"][:T]
    tri = np.tri(T, dtype=bool)
    gelu = lambda a: 0.5 * a * (1 + np.tanh(np.sqrt(2 / np.pi) * (a + 0.044715 * a**3)))
    for p in P["blocks"]:
        n = norm(x, p["ln1_g"], p["ln1_b"])
        W = p["w_qkv"].reshape(d, 3, n_head, k)
        c = p["b_qkv"].reshape(3, n_head, k)
        O = p["w_o"].reshape(n_head, k, d)
        WQK = np.einsum("dhk,ehk->hde", W[:, 0], W[:, 1])
        bQ = np.einsum("hk,ehk->he", c[0], W[:, 1])              # the rest is constant along a row
        s = np.einsum("btd,hde,bse->bhts", n, WQK, n, optimize=True)
        s = s + np.einsum("he,bse->bhs", bQ, n)[:, :, None, :]
        s = np.where(tri, s / np.sqrt(k), -np.inf)
        s = np.exp(s - s.max(-1, keepdims=True))
        s = s / s.sum(-1, keepdims=True)
        WOV = np.einsum("dhk,hke->hde", W[:, 2], O)
        x = x + gelu(np.einsum("bhts,bsd,hde->bte", s, n, WOV, optimize=True) + np.einsum("hk,hke->e", c[2], O) + p["b_o"])
        u = norm(x, p["ln2_g"], p["ln2_b"]) @ p["w_fc"] + p["b_fc"]
        u = 0.5 * u * (1 + np.tanh(np.sqrt(2 / np.pi) * (u + 0.044715 * u**3)))
        x = x + u @ p["w_proj"] + p["b_proj"]
    return norm(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
