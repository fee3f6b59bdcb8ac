# mistake: statistics over the batch axis, like BatchNorm
# accept: batch; wrong axis; axis 0; axis=0; axis = 0; LayerNorm & axis
import numpy as np


def normalise(x, g, b, axis=0):
    mu = np.expand_dims(x.mean(axis), axis)
    var = np.expand_dims(x.var(axis), axis)
    return (x - mu) / np.sqrt(var + 1e-5) * g + b


def attention_pattern(q, ks):
    scores = np.matmul(q, np.swapaxes(ks, -1, -2)) / np.sqrt(q.shape[-1])
    n = scores.shape[-1]
    neg = np.finfo(np.float64).min
    scores = np.where(np.tri(n, n, 0) > 0.5, scores, neg)
    scores = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return scores / np.sum(scores, axis=-1, keepdims=True)


def gpt_logits(P, idx, n_head):
    names_attn = ('ln1_g', 'ln1_b', 'w_qkv', 'b_qkv', 'w_o', 'b_o')
    names_mlp = ('ln2_g', 'ln2_b', 'w_fc', 'b_fc', 'w_proj', 'b_proj')
    B, nt = idx.shape
    x = P['wte'][idx] + P['wpe'][slice(nt)]
    dim = x.shape[-1]
    for layer in P['blocks']:
        g, b, Wqkv, bqkv, Wo, bo = (layer[n] for n in names_attn)
        parts = np.split(normalise(x, g, b) @ Wqkv + bqkv, 3, axis=-1)
        q, ks, value = (part.reshape(B, nt, n_head, dim // n_head).transpose(0, 2, 1, 3) for part in parts)
        ctx = attention_pattern(q, ks) @ value
        x = x + ctx.transpose(0, 2, 1, 3).reshape(B, nt, dim) @ Wo + bo
        g, b, Wf, bf, Wp, bp = (layer[n] for n in names_mlp)
        ctx = normalise(x, g, b) @ Wf + bf
        ctx = 0.5 * ctx * (1 + np.tanh(np.sqrt(2 / np.pi) * (ctx + 0.044715 * ctx**3)))
        x = x + ctx @ Wp + bp
    return normalise(x, P['lnf_g'], P['lnf_b']) @ P['wte'].T
