# mistake: logits are cosine similarities: vectors and token rows are normalised in the head
# accept: head$; cosine; unit length; normalised rows; tied; wte; rows & normal
import numpy as np


def norm_(x, g, b, axis=-1):
    mean = np.expand_dims(x.mean(axis), axis)
    var = np.expand_dims(x.var(axis), axis)
    return (x - mean) / np.sqrt(var + 1e-5) * g + b


def attention_pattern(query, key):
    dots = np.matmul(query, np.swapaxes(key, -1, -2)) / np.sqrt(query.shape[-1])
    n = dots.shape[-1]
    neg = np.finfo(np.float64).min
    dots = np.where(np.tri(n, n, 0) > 0.5, dots, neg)
    dots = np.exp(dots - np.max(dots, axis=-1, keepdims=True))
    return dots / np.sum(dots, axis=-1, keepdims=True)


def gpt_logits(P, idx, n_head):
    names_attn = ("ln1_g", "ln1_b", "w_qkv", "b_qkv", "w_o", "b_o")
    names_mlp = ("ln2_g", "ln2_b", "w_fc", "b_fc", "w_proj", "b_proj")
    batch, T = idx.shape
    x = P["wte"][idx] + P["wpe"][slice(T)]
    d = x.shape[-1]
    for blk in P["blocks"]:
        g, b, Wqkv, bqkv, Wo, bo = (blk[n] for n in names_attn)
        parts = np.split(norm_(x, g, b) @ Wqkv + bqkv, 3, axis=-1)
        query, key, vs = (part.reshape(batch, T, n_head, d // n_head).transpose(0, 2, 1, 3) for part in parts)
        ctx = attention_pattern(query, key) @ vs
        x = x + ctx.transpose(0, 2, 1, 3).reshape(batch, T, d) @ Wo + bo
        g, b, Wf, bf, Wp, bp = (blk[n] for n in names_mlp)
        ctx = norm_(x, g, b) @ Wf + bf
        ctx = 0.5 * ctx * (1 + np.tanh(np.sqrt(2 / np.pi) * (ctx + 0.044715 * ctx**3)))
        x = x + ctx @ Wp + bp
    E = P["wte"] / np.linalg.norm(P["wte"], axis=1, keepdims=True)
    return norm_(x, P["lnf_g"], P["lnf_b"]) @ E.T
