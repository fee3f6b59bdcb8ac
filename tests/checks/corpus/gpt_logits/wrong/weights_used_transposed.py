# mistake: the attention matrix is transposed before it mixes the values
# accept: transposed; attention & transpos; weights & transpos; future; wrong way; aᵀ; key & query; columns
import numpy as np


def make_heads(m, h):
    """(B,T,d) -> (h,B,T,dk) by cutting columns"""
    return np.array(np.split(m, h, axis=-1))


def join_heads(m):
    return np.concatenate(m, axis=-1)


def lnorm(x, g, b):
    return g * (x - x.mean(2, keepdims=True)) / np.sqrt(x.var(2, keepdims=True) + 1e-5) + b


def gpt_logits(P, idx, n_head):
    T = idx.shape[1]
    x = P["wte"][idx] + P["wpe"][:T]
    hide = np.zeros((T, T))
    hide[np.triu_indices(T, 1)] = -np.inf
    for p in P["blocks"]:
        q, k, v = np.split(lnorm(x, p["ln1_g"], p["ln1_b"]) @ p["w_qkv"] + p["b_qkv"], 3, -1)
        q, k, v = make_heads(q, n_head), make_heads(k, n_head), make_heads(v, n_head)
        s = q @ k.transpose(0, 1, 3, 2) / np.sqrt(q.shape[3]) + hide
        s = np.exp(s - s.max(3, keepdims=True))
        s = s / s.sum(3, keepdims=True)
        x = x + join_heads(s.swapaxes(-1, -2) @ v) @ p["w_o"] + p["b_o"]
        u = lnorm(x, p["ln2_g"], p["ln2_b"]) @ p["w_fc"] + p["b_fc"]
        u = 0.5 * u * (1 + np.tanh(np.sqrt(2 / np.pi) * (u + 0.044715 * u ** 3)))
        x = x + u @ p["w_proj"] + p["b_proj"]
    return lnorm(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
