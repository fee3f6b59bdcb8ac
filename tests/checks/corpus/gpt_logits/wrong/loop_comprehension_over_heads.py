# mistake: right values, but a list comprehension runs one head after the other
# accept: loop; vectoris; comprehension
# shows: loop
import numpy as np


def make_heads(m, h):
    """(B,T,d) -> (h,B,T,dk) by cutting columns"""
    return np.array(np.split(m, h, axis=-1))


def one_head(qs, key, vs, hide):
    dots = qs @ key.transpose(0, 2, 1) / np.sqrt(qs.shape[2]) + hide
    dots = np.exp(dots - dots.max(2, keepdims=True))
    return dots / dots.sum(2, keepdims=True) @ vs


def join_heads(m):
    return np.concatenate(m, axis=-1)


def norm(x, g, b):
    return g * (x - x.mean(2, keepdims=True)) / np.sqrt(x.var(2, keepdims=True) + 1e-5) + b


def gpt_logits(P, idx, n_head):
    nt = idx.shape[1]
    x = P["wte"][idx] + P["wpe"][:nt]
    hide = np.zeros((nt, nt))
    hide[np.triu_indices(nt, 1)] = -np.inf
    for params_l in P["blocks"]:
        qs, key, vs = np.split(norm(x, params_l["ln1_g"], params_l["ln1_b"]) @ params_l["w_qkv"] + params_l["b_qkv"], 3, -1)
        triples = zip(make_heads(qs, n_head), make_heads(key, n_head), make_heads(vs, n_head))
        x = x + join_heads([one_head(a, b, c, hide) for a, b, c in triples]) @ params_l["w_o"] + params_l["b_o"]
        u = norm(x, params_l["ln2_g"], params_l["ln2_b"]) @ params_l["w_fc"] + params_l["b_fc"]
        u = 0.5 * u * (1 + np.tanh(np.sqrt(2 / np.pi) * (u + 0.044715 * u ** 3)))
        x = x + u @ params_l["w_proj"] + params_l["b_proj"]
    return norm(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
