# mistake: token id 0 is treated as padding and masked out as a key
# accept: id 0; padding; pad token; token 0; ids of 0; zero id
import numpy as np


def ln(x, g, b, axis=-1):
    avg = np.expand_dims(x.mean(axis), axis)
    v_x = np.expand_dims(x.var(axis), axis)
    return (x - avg) / np.sqrt(v_x + 1e-5) * g + b


def attention_pattern(qs, k, pad):
    scores = np.matmul(qs, np.swapaxes(k, -1, -2)) / np.sqrt(qs.shape[-1])
    n = scores.shape[-1]
    neg = np.finfo(np.float64).min
    scores = np.where(np.tri(n, n, 0) > 0.5, scores, neg)
    scores = np.where(pad[:, None, None, :], neg, scores)
    scores = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return scores / np.sum(scores, axis=-1, keepdims=True)


def gpt_logits(P, idx, n_head):
    names_attn = ('ln1_g', 'ln1_b', 'w_qkv', 'b_qkv', 'w_o', 'b_o')
    names_mlp = ('ln2_g', 'ln2_b', 'w_fc', 'b_fc', 'w_proj', 'b_proj')
    B, nt = idx.shape
    x = P['wte'][idx] + P['wpe'][slice(nt)]
    dm = x.shape[-1]
    for block in P['blocks']:
        g, b, Wqkv, bqkv, Wo, bo = (block[n] for n in names_attn)
        parts = np.split(ln(x, g, b) @ Wqkv + bqkv, 3, axis=-1)
        qs, k, Vh = (part.reshape(B, nt, n_head, dm // n_head).transpose(0, 2, 1, 3) for part in parts)
        o = attention_pattern(qs, k, idx == 0) @ Vh
        x = x + o.transpose(0, 2, 1, 3).reshape(B, nt, dm) @ Wo + bo
        g, b, Wf, bf, Wp, bp = (block[n] for n in names_mlp)
        o = ln(x, g, b) @ Wf + bf
        o = 0.5 * o * (1 + np.tanh(np.sqrt(2 / np.pi) * (o + 0.044715 * o**3)))
        x = x + o @ Wp + bp
    return ln(x, P['lnf_g'], P['lnf_b']) @ P['wte'].T
