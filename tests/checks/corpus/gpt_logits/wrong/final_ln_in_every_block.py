# mistake: the final LayerNorm is applied at the end of every block instead of once after the last
# accept: every block; each block; after the last; in the loop; inside the loop; final layernorm; lnf; ln_f; final norm
import numpy as np


def lnorm(acts, g, b):
    ex = np.mean(acts, -1, keepdims=True)
    ex2 = np.mean(acts * acts, -1, keepdims=True)
    return g * (acts - ex) / np.sqrt(np.maximum(ex2 - ex * ex, 0) + 1e-5) + b


def gpt_logits(P, idx, n_head):
    B, n_tok = idx.shape[0], idx.shape[1]
    acts = P['wte'][idx, :] + P['wpe'][:n_tok, :]
    D = acts.shape[2]
    for par in P['blocks']:
        inp = lnorm(acts, par['ln1_g'], par['ln1_b'])
        packed = inp.dot(par['w_qkv']) + par['b_qkv']
        packed = packed.reshape(B, n_tok, 3 * n_head, D // n_head).transpose(0, 2, 1, 3)
        qs, Kh, vs = np.split(packed, 3, axis=1)
        att = qs @ Kh.transpose(0, 1, 3, 2)
        att *= (D // n_head) ** -0.5
        att = np.where(np.tril(np.ones((1, 1, n_tok, n_tok))) == 0, float('-inf'), att)
        att -= att.max(axis=-1, keepdims=True)
        np.exp(att, out=att)
        att /= att.sum(axis=-1, keepdims=True)
        res = (att @ vs).transpose(0, 2, 1, 3).reshape(B, n_tok, D)
        acts = acts + res.dot(par['w_o']) + par['b_o']
        inp = lnorm(acts, par['ln2_g'], par['ln2_b'])
        h = inp.dot(par['w_fc']) + par['b_fc']
        h = 0.5 * h * (1 + np.tanh(np.sqrt(2 / np.pi) * (h + 0.044715 * h**3)))
        acts = acts + h.dot(par['w_proj']) + par['b_proj']
        acts = lnorm(acts, P['lnf_g'], P['lnf_b'])
    return acts.dot(P['wte'].T)
