# mistake: ids are treated as 1-based, row id-1 is looked up
# accept: one based; 1 based; id - 1; id − 1; id-1; idx - 1; idx − 1; idx-1; off by one; row before; previous row; wrong row; 0 based
import numpy as np


def LN(stream, g, b, axis=-1):
    mu = np.expand_dims(stream.mean(axis), axis)
    v_x = np.expand_dims(stream.var(axis), axis)
    return (stream - mu) / np.sqrt(v_x + 1e-5) * g + b


def attention_pattern(query, ks):
    scores = np.matmul(query, np.swapaxes(ks, -1, -2)) / np.sqrt(query.shape[-1])
    n = scores.shape[-1]
    neg = np.finfo(np.float64).min
    scores = np.where(np.tri(n, n, 0) > 0.5, scores, neg)
    scores = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return scores / np.sum(scores, axis=-1, keepdims=True)


def gpt_logits(P, idx, n_head):
    names_attn = ("ln1_g", "ln1_b", "w_qkv", "b_qkv", "w_o", "b_o")
    names_mlp = ("ln2_g", "ln2_b", "w_fc", "b_fc", "w_proj", "b_proj")
    batch, n_tok = idx.shape
    stream = P["wte"][idx - 1] + P["wpe"][slice(n_tok)]
    dm = stream.shape[-1]
    for prm in P["blocks"]:
        g, b, Wqkv, bqkv, Wo, bo = (prm[n] for n in names_attn)
        parts = np.split(LN(stream, g, b) @ Wqkv + bqkv, 3, axis=-1)
        query, ks, value = (part.reshape(batch, n_tok, n_head, dm // n_head).transpose(0, 2, 1, 3) for part in parts)
        ctx = attention_pattern(query, ks) @ value
        stream = stream + ctx.transpose(0, 2, 1, 3).reshape(batch, n_tok, dm) @ Wo + bo
        g, b, Wf, bf, Wp, bp = (prm[n] for n in names_mlp)
        ctx = LN(stream, g, b) @ Wf + bf
        ctx = 0.5 * ctx * (1 + np.tanh(np.sqrt(2 / np.pi) * (ctx + 0.044715 * ctx**3)))
        stream = stream + ctx @ Wp + bp
    return LN(stream, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
