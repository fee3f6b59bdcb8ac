# mistake: multi-query attention: all heads share the keys and values of head 0
# accept: share; multi query; head 0; first head; same keys; one head; single head
import numpy as np


def LayerNorm(acts, g, b):
    mu = acts.mean(axis=-1, keepdims=True)
    s2 = acts.var(axis=-1, keepdims=True)
    return g * (acts - mu) / np.sqrt(s2 + 1e-5) + b


def gpt_logits(P, idx, n_head):
    # weight matrices get their head axis up front, activations are never reshaped
    d = P['wte'].shape[1]
    d_head = d // n_head
    nt = idx.shape[1]
    acts = P['wte'][idx] + P['wpe'][:nt]
    ok = np.tri(nt).astype(bool)
    for layer in P['blocks']:
        W = layer['w_qkv'].reshape(d, 3, n_head, d_head)
        c = layer['b_qkv'].reshape(3, n_head, 1, d_head)
        n = LayerNorm(acts, layer['ln1_g'], layer['ln1_b'])
        qs, ks, Vh = np.einsum('btd,dchk->cbhtk', n, W) + c[:, None]
        ks, Vh = np.repeat(ks[:, :1], n_head, axis=1), np.repeat(Vh[:, :1], n_head, axis=1)
        s = np.einsum('bhtk,bhsk->bhts', qs, ks) / np.sqrt(d_head)
        s = np.where(ok, s, -np.inf)
        s = np.exp(s - s.max(-1, keepdims=True))
        s /= s.sum(-1, keepdims=True)
        O = layer['w_o'].reshape(n_head, d_head, d)
        acts = acts + np.einsum('bhts,bhsk,hkd->btd', s, Vh, O, optimize=True) + layer['b_o']
        n = LayerNorm(acts, layer['ln2_g'], layer['ln2_b'])
        u = n @ layer['w_fc'] + layer['b_fc']
        u = 0.5 * u * (1 + np.tanh(np.sqrt(2 / np.pi) * (u + 0.044715 * u**3)))
        acts = acts + u @ layer['w_proj'] + layer['b_proj']
    return LayerNorm(acts, P['lnf_g'], P['lnf_b']) @ P['wte'].T
