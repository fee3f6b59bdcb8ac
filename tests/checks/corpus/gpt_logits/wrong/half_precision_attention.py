# mistake: attention weights are stored in float16
# accept: float16; half precision; precision; rounding; rounded
import numpy as np


def LN(x, g, b):
    avg = x.mean(axis=-1, keepdims=True)
    s2 = x.var(axis=-1, keepdims=True)
    return g * (x - avg) / np.sqrt(s2 + 1e-5) + b


def gpt_logits(P, idx, n_head):
    # weight matrices get their head axis up front, activations are never reshaped
    C = P['wte'].shape[1]
    d_head = C // n_head
    T = idx.shape[1]
    x = P['wte'][idx] + P['wpe'][:T]
    ok = np.tri(T).astype(bool)
    for par in P['blocks']:
        W = par['w_qkv'].reshape(C, 3, n_head, d_head)
        c = par['b_qkv'].reshape(3, n_head, 1, d_head)
        n = LN(x, par['ln1_g'], par['ln1_b'])
        query, k, v = np.einsum('btd,dchk->cbhtk', n, W) + c[:, None]
        att = np.einsum('bhtk,bhsk->bhts', query, k) / np.sqrt(d_head)
        att = np.where(ok, att, -np.inf)
        att = np.exp(att - att.max(-1, keepdims=True))
        att /= att.sum(-1, keepdims=True)
        att = att.astype(np.float16)
        O = par['w_o'].reshape(n_head, d_head, C)
        x = x + np.einsum('bhts,bhsk,hkd->btd', att, v, O, optimize=True) + par['b_o']
        n = LN(x, par['ln2_g'], par['ln2_b'])
        pre = n @ par['w_fc'] + par['b_fc']
        pre = 0.5 * pre * (1 + np.tanh(np.sqrt(2 / np.pi) * (pre + 0.044715 * pre**3)))
        x = x + pre @ par['w_proj'] + par['b_proj']
    return LN(x, P['lnf_g'], P['lnf_b']) @ P['wte'].T
