# mistake: the attention matrix is transposed before it mixes the values
# accept: transposed; attention & transpos; weights & transpos; wrong way; aᵀ; key & query; columns
import numpy as np


def make_heads(m, h):
    """(B,T,d) -> (h,B,T,dk) by cutting columns"""
    return np.array(np.split(m, h, axis=-1))


def join_heads(m):
    return np.concatenate(m, axis=-1)


def ln(x, g, b):
    return g * (x - x.mean(2, keepdims=True)) / np.sqrt(x.var(2, keepdims=True) + 1e-5) + b


def gpt_logits(P, idx, n_head):
    t = idx.shape[1]
    x = P["wte"][idx] + P["wpe"][:t]
    hide = np.zeros((t, t))
    hide[np.triu_indices(t, 1)] = -np.inf
    for params_l in P["blocks"]:
        query, k, v = np.split(ln(x, params_l["ln1_g"], params_l["ln1_b"]) @ params_l["w_qkv"] + params_l["b_qkv"], 3, -1)
        query, k, v = make_heads(query, n_head), make_heads(k, n_head), make_heads(v, n_head)
        s = query @ k.transpose(0, 1, 3, 2) / np.sqrt(query.shape[3]) + hide
        s = np.exp(s - s.max(3, keepdims=True))
        s = s / s.sum(3, keepdims=True)
        x = x + join_heads(s.swapaxes(-1, -2) @ v) @ params_l["w_o"] + params_l["b_o"]
        up = ln(x, params_l["ln2_g"], params_l["ln2_b"]) @ params_l["w_fc"] + params_l["b_fc"]
        up = 0.5 * up * (1 + np.tanh(np.sqrt(2 / np.pi) * (up + 0.044715 * up ** 3)))
        x = x + up @ params_l["w_proj"] + params_l["b_proj"]
    return ln(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
