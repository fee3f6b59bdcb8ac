# mistake: in the (B, T, T, h) layout the softmax runs over axis 1, the queries
# accept: quer; wrong axis; axis of the softmax; softmax axis; columns; axis 1
import numpy as np


def weighted(a, b, axis):
    return (a * b).sum(axis)


def layerNorm(hid, g, b):
    c = hid - hid.mean(-1, keepdims=True)
    return g * c / np.sqrt(weighted(c, c, -1)[..., None] / c.shape[-1] + 1e-5) + b


def gpt_logits(P, idx, n_head):
    bs, T = idx.shape
    hid = P['wte'][idx] + P['wpe'][:T]
    hide = np.where(np.arange(T)[None, :] > np.arange(T)[:, None], -np.inf, 0.0)[..., None]
    for layer in P['blocks']:
        y = layerNorm(hid, layer['ln1_g'], layer['ln1_b']) @ layer['w_qkv'] + layer['b_qkv']
        q, Kh, value = np.moveaxis(y.reshape(bs, T, 3, n_head, -1), 2, 0)
        s = weighted(q[:, :, None], Kh[:, None], -1) / np.sqrt(q.shape[-1]) + hide
        s = np.exp(s - s.max(axis=2, keepdims=True))
        s = s / s.sum(axis=1, keepdims=True)
        y = weighted(s[..., None], value[:, None], 2).reshape(hid.shape)
        hid = hid + y @ layer['w_o'] + layer['b_o']
        y = layerNorm(hid, layer['ln2_g'], layer['ln2_b']) @ layer['w_fc'] + layer['b_fc']
        y = 0.5 * y * (1 + np.tanh(np.sqrt(2 / np.pi) * (y + 0.044715 * y**3)))
        hid = hid + y @ layer['w_proj'] + layer['b_proj']
    return layerNorm(hid, P['lnf_g'], P['lnf_b']) @ P['wte'].T
