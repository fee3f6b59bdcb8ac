# mistake: reads w_qkv as (head, q/k/v, d_k), GPT-NeoX' packing, instead of (q/k/v, head, d_k)
# accept: neox; per head; each head; head by head; packed; interleav; layout; head first; h, 3; head major; columns
import numpy as np


def make_norm(g, b):
    def f(x):
        x = x - x.mean(-1, keepdims=True)
        return x * g / np.sqrt(np.mean(x * x, -1, keepdims=True) + 1e-5) + b
    return f


def make_linear(W, b):
    return lambda x: x @ W + b


def make_attention(p, h):
    packed, out = make_linear(p['w_qkv'], p['b_qkv']), make_linear(p['w_o'], p['b_o'])

    def f(x):
        bs, T, width = x.shape
        z = packed(x).reshape(bs, T, h, 3, width // h).transpose(3, 0, 2, 1, 4)
        Qh, ks, Vh = z
        dots = (Qh @ np.moveaxis(ks, -1, -2)) / (width / h) ** 0.5
        dots = np.where(np.tri(T, dtype=bool), dots, -1e30)
        dots = np.exp(dots - dots.max(-1, keepdims=True))
        dots = dots / dots.sum(-1, keepdims=True)
        return out((dots @ Vh).transpose(0, 2, 1, 3).reshape(bs, T, width))
    return f


def make_mlp(p):
    up, down = make_linear(p['w_fc'], p['b_fc']), make_linear(p['w_proj'], p['b_proj'])
    gelu_tanh = lambda a: a * (1 + np.tanh(0.7978845608028654 * (a + 0.044715 * a**3))) / 2
    return lambda x: down(gelu_tanh(up(x)))


def gpt_logits(P, idx, n_head):
    x = np.take(P['wte'], idx, axis=0) + P['wpe'][:idx.shape[-1]]
    for p in P['blocks']:
        att, ff = make_attention(p, n_head), make_mlp(p)
        n1, n2 = make_norm(p['ln1_g'], p['ln1_b']), make_norm(p['ln2_g'], p['ln2_b'])
        x = x + att(n1(x))
        x = x + ff(n2(x))
    return make_norm(P['lnf_g'], P['lnf_b'])(x) @ P['wte'].T
