# mistake: tanh GELU rewritten with the sigmoid, but the factor 2 inside was lost
# accept: factor 2; factor of 2; 2z; sigmoid; constant; √(2/π); tanh argument; inside the tanh; argument of the tanh; half
import numpy as np


def logsumexp(a, axis=-1):
    m = a.max(axis=axis, keepdims=True)
    return m + np.log(np.exp(a - m).sum(axis=axis, keepdims=True))


def LayerNorm_(x, gain, shift):
    mu, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return gain * (x - mu) * (variance + 1e-5) ** -0.5 + shift


def heads_of(x, n):
    return np.stack(np.split(x, n, axis=-1), axis=1)


def gpt_logits(P, idx, n_head):
    n_tok = idx.shape[1]
    x = P['wte'][idx] + P['wpe'][:n_tok]
    bad = np.triu_indices(n_tok, 1)
    for layer in P['blocks']:
        q, Kh, vs = np.split(LayerNorm_(x, layer['ln1_g'], layer['ln1_b']) @ layer['w_qkv'] + layer['b_qkv'], 3, axis=-1)
        q, Kh, vs = heads_of(q, n_head), heads_of(Kh, n_head), heads_of(vs, n_head)
        s = q @ Kh.swapaxes(-2, -1)
        s = s / np.sqrt(Kh.shape[-1])
        s[..., bad[0], bad[1]] = -np.inf
        w = np.exp(s - logsumexp(s))
        ctx = np.moveaxis(w @ vs, 1, 2)
        ctx = ctx.reshape(ctx.shape[0], ctx.shape[1], -1)
        x = x + ctx @ layer['w_o'] + layer['b_o']
        up = LayerNorm_(x, layer['ln2_g'], layer['ln2_b']) @ layer['w_fc'] + layer['b_fc']
        up = up / (1 + np.exp(-np.sqrt(2 / np.pi) * (up + 0.044715 * up**3)))
        x = x + up @ layer['w_proj'] + layer['b_proj']
    return LayerNorm_(x, P['lnf_g'], P['lnf_b']) @ P['wte'].T
