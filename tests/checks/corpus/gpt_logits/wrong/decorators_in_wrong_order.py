# mistake: decorators exchanged on the MLP: x is normalised first, then the normalised x is the residual
# accept: residual; normalised x; normalised copy; from the normalised; unnormalised; raw stream
import functools
import numpy as np


def residual(fn):
    @functools.wraps(fn)
    def wrapper(resid, *args):
        return resid + fn(resid, *args)
    return wrapper


def prenorm(name):
    def deco(fn):
        @functools.wraps(fn)
        def wrapper(resid, w, *args):
            return fn(normalise(resid, w[name + '_g'], w[name + '_b']), w, *args)
        return wrapper
    return deco


def normalise(resid, gain, bias):
    mu, sig2 = resid.mean(axis=-1, keepdims=True), resid.var(axis=-1, keepdims=True)
    return gain * ((resid - mu) * (1 / np.sqrt(sig2 + 1e-5))) + bias


@residual
@prenorm('ln1')
def attend(resid, w, h):
    bs, nt, n_embd = resid.shape
    Q, K, V = np.split(resid @ w['w_qkv'] + w['b_qkv'], 3, axis=-1)
    Q, K, V = (M.reshape(bs, nt, h, n_embd // h).transpose(0, 2, 1, 3) for M in (Q, K, V))
    A = Q @ K.transpose(0, 1, 3, 2) / np.sqrt(n_embd // h)
    A[..., np.triu(np.ones((nt, nt), dtype=bool), k=1)] = -np.inf
    A = np.exp(A - A.max(axis=-1, keepdims=True))
    A = A / A.sum(axis=-1, keepdims=True)
    return (A @ V).transpose(0, 2, 1, 3).reshape(bs, nt, n_embd) @ w['w_o'] + w['b_o']


@prenorm('ln2')
@residual
def think(resid, w):
    hidden = resid @ w['w_fc'] + w['b_fc']
    t = np.tanh(np.sqrt(2 / np.pi) * (hidden + 0.044715 * hidden**3))
    return (0.5 * hidden * (1 + t)) @ w['w_proj'] + w['b_proj']


def gpt_logits(P, idx, n_head):
    resid = P['wte'][idx] + P['wpe'][np.arange(idx.shape[1])]
    for w in P['blocks']:
        resid = think(attend(resid, w, n_head), w)
    return normalise(resid, P['lnf_g'], P['lnf_b']) @ P['wte'].T
