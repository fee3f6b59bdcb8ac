# mistake: LayerNorm gains start at 0
# accept: gain; gamma; ones; ln1_g; _g
import numpy as np


def _block(r, d, scale):
    def W(n, m, logit_s=1.0):
        return 0.02 * logit_s * r.randn(n, m)

    pars = dict(w_qkv=W(d, 3 * d), w_o=W(d, d, scale), w_fc=W(d, 4 * d), w_proj=W(4 * d, d, scale))
    for bias, n in (('b_qkv', 3 * d), ('b_o', d), ('b_fc', 4 * d), ('b_proj', d)):
        pars[bias] = np.zeros(n)
    for ln in ('ln1', 'ln2'):
        pars[ln + '_g'], pars[ln + '_b'] = np.zeros(d), np.zeros(d)
    return pars


def init_gpt(V, T, d, L, seed):
    r = np.random.RandomState(seed)
    P = {'wte': 0.02 * r.randn(V, d), 'wpe': 0.02 * r.randn(T, d)}
    P['blocks'] = [_block(r, d, (2 * L) ** -0.5) for _ in range(L)]
    P['lnf_g'] = np.full(d, 1.0)
    P['lnf_b'] = np.full(d, 0.0)
    return P
