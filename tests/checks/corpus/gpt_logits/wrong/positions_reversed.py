# mistake: the position rows are added in reverse order
# accept: revers; backwards; wrong order; order of the position; position & order
import numpy as np


def normalise(x, g, b):
    m = np.mean(x, axis=-1, keepdims=True)
    r = 1 / np.sqrt(np.var(x, axis=-1, keepdims=True) + 1e-5)
    return (x - m) * r * g + b


def tile(q, k, v, can_see):
    sc = np.einsum('bqhk,bshk->bhqs', q, k) / np.sqrt(q.shape[-1])
    sc = np.where(can_see, sc, -np.inf)
    m = sc.max(axis=-1, keepdims=True)
    params_l = np.exp(sc - m)
    return np.einsum('bhqs,bshk->bqhk', params_l, v), params_l.sum(-1).transpose(0, 2, 1)


def gpt_logits(P, idx, n_head):
    batch, n_tok = idx.shape
    pos = np.arange(n_tok)
    x = P['wte'][idx] + P['wpe'][pos[::-1]]
    can_see = pos[:, None] >= pos
    for params_l in P['blocks']:
        z = (normalise(x, params_l['ln1_g'], params_l['ln1_b']) @ params_l['w_qkv'] + params_l['b_qkv']).reshape(batch, n_tok, 3, n_head, -1)
        num, den = tile(z[:, :, 0], z[:, :, 1], z[:, :, 2], can_see)
        x = x + (num / den[..., None]).reshape(batch, n_tok, -1) @ params_l['w_o'] + params_l['b_o']
        u = normalise(x, params_l['ln2_g'], params_l['ln2_b']) @ params_l['w_fc'] + params_l['b_fc']
        u *= 0.5 * (1 + np.tanh(np.sqrt(2 / np.pi) * (u + 0.044715 * u**3)))
        x = x + u @ params_l['w_proj'] + params_l['b_proj']
    return normalise(x, P['lnf_g'], P['lnf_b']) @ P['wte'].T
