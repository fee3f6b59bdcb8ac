# mistake: the fourth root of d_k divides the queries but was forgotten on the keys, so the scale is d_k**-0.25
# accept: scal; √√; fourth root; d_k^(1/4); d_k**-0.25; 1/√d_k
import numpy as np
from math import sqrt, pi


def apply(x, W):
    return np.tensordot(x, W, axes=([-1], [0]))


def lnorm(x, g, b):
    n = x.shape[-1]
    m = np.sum(x, -1, keepdims=True) / n
    v = np.sum((x - m) ** 2, -1, keepdims=True) / n
    return (x - m) / np.sqrt(v + 1e-5) * g + b


def gpt_logits(P, idx, n_head):
    nb, nt = idx.shape
    x = P['wte'].take(idx, axis=0) + P['wpe'].take(range(nt), axis=0)
    dm = x.shape[2]
    for lp in P['blocks']:
        a = apply(lnorm(x, lp['ln1_g'], lp['ln1_b']), lp['w_qkv']) + lp['b_qkv']
        qs, k, v = a[:, :, :dm], a[:, :, dm:-dm], a[:, :, -dm:]
        qs = qs.reshape(nb, nt, n_head, -1).transpose(0, 2, 1, 3) / sqrt(sqrt(dm // n_head))
        k = k.reshape(nb, nt, n_head, -1).transpose(0, 2, 3, 1)
        v = v.reshape(nb, nt, n_head, -1).transpose(0, 2, 1, 3)
        logit_s = np.matmul(qs, k)
        iu = np.triu(np.ones((nt, nt), dtype=np.int8), 1).astype(bool)
        np.copyto(logit_s, -np.inf, where=iu)
        logit_s = np.exp(logit_s - logit_s.max(-1, keepdims=True))
        logit_s = logit_s / logit_s.sum(-1, keepdims=True)
        o = np.matmul(logit_s, v).transpose(0, 2, 1, 3).reshape(nb, nt, dm)
        x = x + apply(o, lp['w_o']) + lp['b_o']
        pre = apply(lnorm(x, lp['ln2_g'], lp['ln2_b']), lp['w_fc']) + lp['b_fc']
        pre = 0.5 * pre * (1 + np.tanh(sqrt(2 / pi) * (pre + 0.044715 * pre**3)))
        x = x + apply(pre, lp['w_proj']) + lp['b_proj']
    return np.tensordot(lnorm(x, P['lnf_g'], P['lnf_b']), P['wte'], axes=([2], [1]))
