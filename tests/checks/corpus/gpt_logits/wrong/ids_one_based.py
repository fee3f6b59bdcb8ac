# mistake: ids are treated as 1-based, row id-1 is looked up
# accept: one based; 1 based; id - 1; id − 1; id-1; idx - 1; idx − 1; idx-1; off by one; row before; previous row; wrong row; 0 based
import numpy as np


def ln(x, g, b, axis=-1):
    mean = np.expand_dims(x.mean(axis), axis)
    var = np.expand_dims(x.var(axis), axis)
    return (x - mean) / np.sqrt(var + 1e-5) * g + b


def attention_pattern(q, k):
    scores = np.matmul(q, np.swapaxes(k, -1, -2)) / np.sqrt(q.shape[-1])
    n = scores.shape[-1]
    neg = np.finfo(np.float64).min
    scores = np.where(np.tri(n, n, 0) > 0.5, scores, neg)
    scores = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return scores / np.sum(scores, axis=-1, keepdims=True)


def gpt_logits(P, idx, n_head):
    names_attn = ("ln1_g", "ln1_b", "w_qkv", "b_qkv", "w_o", "b_o")
    names_mlp = ("ln2_g", "ln2_b", "w_fc", "b_fc", "w_proj", "b_proj")
    B, T = idx.shape
    x = P["wte"][idx - 1] + P["wpe"][slice(T)]
    d = x.shape[-1]
    for blk in P["blocks"]:
        g, b, Wqkv, bqkv, Wo, bo = (blk[n] for n in names_attn)
        parts = np.split(ln(x, g, b) @ Wqkv + bqkv, 3, axis=-1)
        q, k, v = (part.reshape(B, T, n_head, d // n_head).transpose(0, 2, 1, 3) for part in parts)
        y = attention_pattern(q, k) @ v
        x = x + y.transpose(0, 2, 1, 3).reshape(B, T, d) @ Wo + bo
        g, b, Wf, bf, Wp, bp = (blk[n] for n in names_mlp)
        y = ln(x, g, b) @ Wf + bf
        y = 0.5 * y * (1 + np.tanh(np.sqrt(2 / np.pi) * (y + 0.044715 * y**3)))
        x = x + y @ Wp + bp
    return ln(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
