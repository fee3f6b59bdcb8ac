# mistake: the gain is applied as 1 + g (Gemma's convention)
# accept: 1 + g; 1+g; plus 1; plus one; gain & 1; gain + 1; g + 1; one too; gain plus
import numpy as np


def make_heads(m, h):
    """(B,T,d) -> (h,B,T,dk) by cutting columns"""
    return np.array(np.split(m, h, axis=-1))


def join_heads(m):
    return np.concatenate(m, axis=-1)


def norm(x, g, b):
    return (1 + g) * (x - x.mean(2, keepdims=True)) / np.sqrt(x.var(2, keepdims=True) + 1e-5) + b


def gpt_logits(P, idx, n_head):
    T = idx.shape[1]
    x = P["wte"][idx] + P["wpe"][:T]
    hide = np.zeros((T, T))
    hide[np.triu_indices(T, 1)] = -np.inf
    for p in P["blocks"]:
        qs, key, value = np.split(norm(x, p["ln1_g"], p["ln1_b"]) @ p["w_qkv"] + p["b_qkv"], 3, -1)
        qs, key, value = make_heads(qs, n_head), make_heads(key, n_head), make_heads(value, n_head)
        s = qs @ key.transpose(0, 1, 3, 2) / np.sqrt(qs.shape[3]) + hide
        s = np.exp(s - s.max(3, keepdims=True))
        s = s / s.sum(3, keepdims=True)
        x = x + join_heads(s @ value) @ p["w_o"] + p["b_o"]
        u = norm(x, p["ln2_g"], p["ln2_b"]) @ p["w_fc"] + p["b_fc"]
        u = 0.5 * u * (1 + np.tanh(np.sqrt(2 / np.pi) * (u + 0.044715 * u ** 3)))
        x = x + u @ p["w_proj"] + p["b_proj"]
    return norm(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
