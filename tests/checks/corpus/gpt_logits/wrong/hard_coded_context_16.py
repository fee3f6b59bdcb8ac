# mistake: the mask is hard-coded for 16 positions, longer inputs fail
# accept: 16; hard; fixed length; T >; longer; broadcast; context; T =
import numpy as np


CAUSAL = np.where(np.arange(16)[None] > np.arange(16)[:, None], -np.inf, 0.0)


def lnorm(resid, g, b):
    z = (resid - resid.mean(-1, keepdims=True)) / np.sqrt(resid.var(-1, keepdims=True) + 1e-5)
    return z * g + b


def sublayers(P, n_head):
    for w in P['blocks']:
        def att(resid, w=w):
            batch, t, dim = resid.shape
            qs, key, value = np.split(lnorm(resid, w['ln1_g'], w['ln1_b']) @ w['w_qkv'] + w['b_qkv'], 3, axis=2)
            qs, key, value = [np.moveaxis(m.reshape(batch, t, n_head, -1), 2, 0) for m in (qs, key, value)]
            sc = np.matmul(qs, np.moveaxis(key, -1, -2)) / np.sqrt(dim // n_head)
            sc = sc + CAUSAL[:t, :t]
            sc = np.exp(sc - sc.max(-1, keepdims=True))
            sc = sc / sc.sum(-1, keepdims=True)
            return np.moveaxis(sc @ value, 0, 2).reshape(batch, t, dim) @ w['w_o'] + w['b_o']

        def ff(resid, w=w):
            pre = lnorm(resid, w['ln2_g'], w['ln2_b']) @ w['w_fc'] + w['b_fc']
            return 0.5 * pre * (1 + np.tanh(np.sqrt(2 / np.pi) * (pre + 0.044715 * pre**3))) @ w['w_proj'] + w['b_proj']

        yield att
        yield ff


def gpt_logits(P, idx, n_head):
    resid = P['wte'][idx] + P['wpe'][None, np.arange(idx.shape[1]), :]
    for f in sublayers(P, n_head):
        resid = resid + f(resid)
    return lnorm(resid, P['lnf_g'], P['lnf_b']) @ P['wte'].T
