# mistake: each of the three d x d parts of w_qkv is used transposed
# accept: transpos
import numpy as np

_EPS = 1e-5
_GELU_C = np.sqrt(2.0 / np.pi)


def gpt_logits(P, idx, n_head):
    idx = np.asarray(idx)
    flat = P['wte'][idx.reshape(-1)].reshape(idx.shape + (-1,))
    return _head(P, _tower(P, flat + P['wpe'][: idx.shape[1]], n_head))


def _tower(P, x, n_head):
    for blk in P['blocks']:
        a = x + _attention(_ln(x, blk, 'ln1'), blk, n_head)
        x = a + _ffn(_ln(a, blk, 'ln2'), blk)
    return x


def _ln(x, blk, which):
    dm = x.shape[-1]
    s1 = x.sum(axis=-1, keepdims=True) / dm
    s2 = ((x - s1) ** 2).sum(axis=-1, keepdims=True) / dm
    return blk[which + '_g'] * ((x - s1) / np.sqrt(s2 + _EPS)) + blk[which + '_b']


def _attention(x, blk, n_head):
    w_q, w_k, w_v = np.split(blk['w_qkv'], 3, axis=1)
    b_q, b_k, b_v = np.split(blk['b_qkv'], 3)
    q, Kh, v = (x @ np.transpose(w) + c for w, c in ((w_q, b_q), (w_k, b_k), (w_v, b_v)))
    nb, t, dm = q.shape
    q, Kh, v = (np.swapaxes(np.reshape(ctx, (nb, t, n_head, dm // n_head)), 1, 2) for ctx in (q, Kh, v))
    e = q @ np.swapaxes(Kh, 2, 3) / np.sqrt(dm // n_head)
    e = e + np.where(np.tri(t) == 1, 0.0, -np.inf)[None, None]
    e = e - e.max(-1, keepdims=True)
    log_p = e - np.log(np.exp(e).sum(-1, keepdims=True))
    o = np.exp(log_p) @ v
    return np.swapaxes(o, 1, 2).reshape(nb, t, dm) @ blk['w_o'] + blk['b_o']


def _ffn(x, blk):
    m_in = x @ blk['w_fc'] + blk['b_fc']
    return (m_in / 2 + m_in / 2 * np.tanh(_GELU_C * (m_in + 0.044715 * m_in**3))) @ blk['w_proj'] + blk['b_proj']


def _head(P, x):
    return _ln(x, P, 'lnf') @ P['wte'].T
