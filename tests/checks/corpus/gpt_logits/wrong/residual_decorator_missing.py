# mistake: no residual connection around attention
# accept: residual; skip connection; not added to x; added back; x +
import functools
import numpy as np


def residual(fn):
    @functools.wraps(fn)
    def wrapper(x, *args):
        return x + fn(x, *args)
    return wrapper


def prenorm(name):
    def deco(fn):
        @functools.wraps(fn)
        def wrapper(x, p, *args):
            return fn(normalise(x, p[name + '_g'], p[name + '_b']), p, *args)
        return wrapper
    return deco


def normalise(x, gain, bias):
    avg, sig2 = x.mean(axis=-1, keepdims=True), x.var(axis=-1, keepdims=True)
    return gain * ((x - avg) * (1 / np.sqrt(sig2 + 1e-5))) + bias


@prenorm('ln1')
def attend(x, p, h):
    batch, n_tok, d = x.shape
    Q, K, V = np.split(x @ p['w_qkv'] + p['b_qkv'], 3, axis=-1)
    Q, K, V = (M.reshape(batch, n_tok, h, d // h).transpose(0, 2, 1, 3) for M in (Q, K, V))
    A = Q @ K.transpose(0, 1, 3, 2) / np.sqrt(d // h)
    A[..., np.triu(np.ones((n_tok, n_tok), dtype=bool), k=1)] = -np.inf
    A = np.exp(A - A.max(axis=-1, keepdims=True))
    A = A / A.sum(axis=-1, keepdims=True)
    return (A @ V).transpose(0, 2, 1, 3).reshape(batch, n_tok, d) @ p['w_o'] + p['b_o']


@residual
@prenorm('ln2')
def think(x, p):
    u = x @ p['w_fc'] + p['b_fc']
    t = np.tanh(np.sqrt(2 / np.pi) * (u + 0.044715 * u**3))
    return (0.5 * u * (1 + t)) @ p['w_proj'] + p['b_proj']


def gpt_logits(P, idx, n_head):
    x = P['wte'][idx] + P['wpe'][np.arange(idx.shape[1])]
    for p in P['blocks']:
        x = think(attend(x, p, n_head), p)
    return normalise(x, P['lnf_g'], P['lnf_b']) @ P['wte'].T
