# mistake: 0.44715 instead of 0.044715
# accept: 0.044715; 0.44715; constant; cubic; coefficient
import numpy as np


def LN(x, g, b):
    ex = np.mean(x, -1, keepdims=True)
    ex2 = np.mean(x * x, -1, keepdims=True)
    return g * (x - ex) / np.sqrt(np.maximum(ex2 - ex * ex, 0) + 1e-5) + b


def gpt_logits(P, idx, n_head):
    B, T = idx.shape[0], idx.shape[1]
    x = P['wte'][idx, :] + P['wpe'][:T, :]
    D = x.shape[2]
    for lw in P['blocks']:
        inp = LN(x, lw['ln1_g'], lw['ln1_b'])
        proj3 = inp.dot(lw['w_qkv']) + lw['b_qkv']
        proj3 = proj3.reshape(B, T, 3 * n_head, D // n_head).transpose(0, 2, 1, 3)
        query, Kh, value = np.split(proj3, 3, axis=1)
        att = query @ Kh.transpose(0, 1, 3, 2)
        att *= (D // n_head) ** -0.5
        att = np.where(np.tril(np.ones((1, 1, T, T))) == 0, float('-inf'), att)
        att -= att.max(axis=-1, keepdims=True)
        np.exp(att, out=att)
        att /= att.sum(axis=-1, keepdims=True)
        res = (att @ value).transpose(0, 2, 1, 3).reshape(B, T, D)
        x = x + res.dot(lw['w_o']) + lw['b_o']
        inp = LN(x, lw['ln2_g'], lw['ln2_b'])
        h = inp.dot(lw['w_fc']) + lw['b_fc']
        h = 0.5 * h * (1 + np.tanh(np.sqrt(2 / np.pi) * (h + 0.44715 * h**3)))
        x = x + h.dot(lw['w_proj']) + lw['b_proj']
    return LN(x, P['lnf_g'], P['lnf_b']).dot(P['wte'].T)
