# mistake: attention is scaled by 1/√d where it should be 1/√d_k
# accept: √d; model width; full width; whole width; d_model; √n_embd
import numpy as np


def lnorm(stream, g, b):
    mu = stream.mean(axis=-1, keepdims=True)
    var = stream.var(axis=-1, keepdims=True)
    return g * (stream - mu) / np.sqrt(var + 1e-5) + b


def gpt_logits(P, idx, n_head):
    # weight matrices get their head axis up front, activations are never reshaped
    d = P["wte"].shape[1]
    dk = d // n_head
    scale = d ** -0.5
    T = idx.shape[1]
    stream = P["wte"][idx] + P["wpe"][:T]
    causal = np.tri(T).astype(bool)
    for p in P["blocks"]:
        W = p["w_qkv"].reshape(d, 3, n_head, dk)
        c = p["b_qkv"].reshape(3, n_head, 1, dk)
        n = lnorm(stream, p["ln1_g"], p["ln1_b"])
        Qh, Kh, value = np.einsum("btd,dchk->cbhtk", n, W) + c[:, None]
        dots = np.einsum("bhtk,bhsk->bhts", Qh * scale, Kh)
        dots = np.where(causal, dots, -np.inf)
        dots = np.exp(dots - dots.max(-1, keepdims=True))
        dots /= dots.sum(-1, keepdims=True)
        O = p["w_o"].reshape(n_head, dk, d)
        stream = stream + np.einsum("bhts,bhsk,hkd->btd", dots, value, O, optimize=True) + p["b_o"]
        n = lnorm(stream, p["ln2_g"], p["ln2_b"])
        up = n @ p["w_fc"] + p["b_fc"]
        up = 0.5 * up * (1 + np.tanh(np.sqrt(2 / np.pi) * (up + 0.044715 * up**3)))
        stream = stream + up @ p["w_proj"] + p["b_proj"]
    return lnorm(stream, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
