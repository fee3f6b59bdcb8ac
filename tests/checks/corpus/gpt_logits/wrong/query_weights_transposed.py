# mistake: the query part of w_qkv is used transposed
# accept: transpos
import numpy as np

_EPS = 1e-5
_GELU_C = np.sqrt(2.0 / np.pi)


def gpt_logits(P, idx, n_head):
    idx = np.asarray(idx)
    flat = P['wte'][idx.reshape(-1)].reshape(idx.shape + (-1,))
    return _head(P, _tower(P, flat + P['wpe'][: idx.shape[1]], n_head))


def _tower(P, x, n_head):
    for layer in P['blocks']:
        a = x + _attention(_norm(x, layer, 'ln1'), layer, n_head)
        x = a + _ffn(_norm(a, layer, 'ln2'), layer)
    return x


def _norm(x, layer, which):
    d = x.shape[-1]
    s1 = x.sum(axis=-1, keepdims=True) / d
    s2 = ((x - s1) ** 2).sum(axis=-1, keepdims=True) / d
    return layer[which + '_g'] * ((x - s1) / np.sqrt(s2 + _EPS)) + layer[which + '_b']


def _attention(x, layer, n_head):
    w_q, w_k, w_v = np.split(layer['w_qkv'], 3, axis=1)
    b_q, b_k, b_v = np.split(layer['b_qkv'], 3)
    q, key, value = x @ w_q.T + b_q, x @ w_k + b_k, x @ w_v + b_v
    bs, T, d = q.shape
    q, key, value = (np.swapaxes(np.reshape(ctx, (bs, T, n_head, d // n_head)), 1, 2) for ctx in (q, key, value))
    e = q @ np.swapaxes(key, 2, 3) / np.sqrt(d // n_head)
    e = e + np.where(np.tri(T) == 1, 0.0, -np.inf)[None, None]
    e = e - e.max(-1, keepdims=True)
    log_p = e - np.log(np.exp(e).sum(-1, keepdims=True))
    o = np.exp(log_p) @ value
    return np.swapaxes(o, 1, 2).reshape(bs, T, d) @ layer['w_o'] + layer['b_o']


def _ffn(x, layer):
    pre = x @ layer['w_fc'] + layer['b_fc']
    return (pre / 2 + pre / 2 * np.tanh(_GELU_C * (pre + 0.044715 * pre**3))) @ layer['w_proj'] + layer['b_proj']


def _head(P, x):
    return _norm(x, P, 'lnf') @ P['wte'].T
