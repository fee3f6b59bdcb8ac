# mistake: x**2 in the GELU where x**3 belongs
# accept: x²; x**2; x^2; square; cube; x³; x**3; x^3; cubic
import numpy as np


def layer_norm(x, g, b, axis=-1):
    mean = np.expand_dims(x.mean(axis), axis)
    v_x = np.expand_dims(x.var(axis), axis)
    return (x - mean) / np.sqrt(v_x + 1e-5) * g + b


def attention_pattern(qs, k):
    dots = np.matmul(qs, np.swapaxes(k, -1, -2)) / np.sqrt(qs.shape[-1])
    n = dots.shape[-1]
    neg = np.finfo(np.float64).min
    dots = np.where(np.tri(n, n, 0) > 0.5, dots, neg)
    dots = np.exp(dots - np.max(dots, axis=-1, keepdims=True))
    return dots / np.sum(dots, axis=-1, keepdims=True)


def gpt_logits(P, idx, n_head):
    names_attn = ('ln1_g', 'ln1_b', 'w_qkv', 'b_qkv', 'w_o', 'b_o')
    names_mlp = ('ln2_g', 'ln2_b', 'w_fc', 'b_fc', 'w_proj', 'b_proj')
    bs, n_tok = idx.shape
    x = P['wte'][idx] + P['wpe'][slice(n_tok)]
    emb = x.shape[-1]
    for prm in P['blocks']:
        g, b, Wqkv, bqkv, Wo, bo = (prm[n] for n in names_attn)
        parts = np.split(layer_norm(x, g, b) @ Wqkv + bqkv, 3, axis=-1)
        qs, k, Vh = (part.reshape(bs, n_tok, n_head, emb // n_head).transpose(0, 2, 1, 3) for part in parts)
        out = attention_pattern(qs, k) @ Vh
        x = x + out.transpose(0, 2, 1, 3).reshape(bs, n_tok, emb) @ Wo + bo
        g, b, Wf, bf, Wp, bp = (prm[n] for n in names_mlp)
        out = layer_norm(x, g, b) @ Wf + bf
        out = 0.5 * out * (1 + np.tanh(np.sqrt(2 / np.pi) * (out + 0.044715 * out**2)))
        x = x + out @ Wp + bp
    return layer_norm(x, P['lnf_g'], P['lnf_b']) @ P['wte'].T
