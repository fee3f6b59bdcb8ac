# mistake: rotary position embedding is applied to q and k on top of the learned positions
# accept: rotary; rope; rotat; position; query & key
import numpy as np



def ln(xs, g, b):
    m = xs.mean(0)
    logit_s = np.sqrt(((xs - m) ** 2).mean(0) + 1e-5)
    return g[:, None, None] * (xs - m) / logit_s + b[:, None, None]


def affine_(xs, W, b):
    return np.einsum('io,ibt->obt', W, xs) + b[:, None, None]


def gpt_logits(P, idx, n_head):
    B, T = idx.shape
    xs = P['wte'].T[:, idx] + P['wpe'].T[:, None, :T]
    d = xs.shape[0]
    t = np.arange(T)
    for w in P['blocks']:
        query, ks, v = affine_(ln(xs, w['ln1_g'], w['ln1_b']), w['w_qkv'], w['b_qkv']).reshape(3, n_head, d // n_head, B, T)
        half = (d // n_head) // 2
        ang = t * 10000.0 ** (-np.arange(half) / max(half, 1))[:, None]
        c, sn = np.cos(ang)[None, :, None, :], np.sin(ang)[None, :, None, :]
        def turn(m):
            a, b, rest = m[:, :half], m[:, half:2 * half], m[:, 2 * half:]
            return np.concatenate([a * c - b * sn, a * sn + b * c, rest], axis=1)
        logit_s = np.einsum('hkbt,hkbs->hbts', turn(query), turn(ks)) / (d // n_head) ** 0.5
        logit_s = np.where(t[None, :] > t[:, None], -np.inf, logit_s)
        logit_s = np.exp(logit_s - logit_s.max(3, keepdims=True))
        logit_s = logit_s / logit_s.sum(3, keepdims=True)
        o = np.einsum('hbts,hkbs->hkbt', logit_s, v).reshape(d, B, T)
        xs = xs + affine_(o, w['w_o'], w['b_o'])
        hidden = affine_(ln(xs, w['ln2_g'], w['ln2_b']), w['w_fc'], w['b_fc'])
        hidden = 0.5 * hidden * (1 + np.tanh(np.sqrt(2 / np.pi) * (hidden + 0.044715 * hidden**3)))
        xs = xs + affine_(hidden, w['w_proj'], w['b_proj'])
    return np.einsum('vd,dbt->btv', P['wte'], ln(xs, P['lnf_g'], P['lnf_b']))
