# mistake: the exact GELU, x Φ(x) with math.erf, where GPT-2 uses the tanh form
# accept: exact; erf; tanh form; tanh approx; normal distribution
import math

import numpy as np

erf = np.frompyfunc(math.erf, 1, 1)


def layernorm(x, gain, bias):
    m_x = x.mean(-1, keepdims=True)
    s2 = x.var(-1, keepdims=True)
    return (x - m_x) / np.sqrt(s2 + 1e-5) * gain + bias


def act(x):
    return x * 0.5 * (1.0 + erf(x / math.sqrt(2.0)).astype(float))


def soft_max(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def attention(x, p, h):
    nb, T, dm = x.shape
    dk = dm // h
    packed = x @ p['w_qkv'] + p['b_qkv']
    q, k, v = np.split(packed, 3, axis=-1)
    q = q.reshape(nb, T, h, dk).transpose(0, 2, 1, 3)
    k = k.reshape(nb, T, h, dk).transpose(0, 2, 1, 3)
    v = v.reshape(nb, T, h, dk).transpose(0, 2, 1, 3)
    sim = q @ k.transpose(0, 1, 3, 2) / np.sqrt(dk)
    allowed = np.tril(np.ones((T, T), dtype=bool))
    sim = np.where(allowed, sim, -np.inf)
    out = soft_max(sim) @ v
    out = out.transpose(0, 2, 1, 3).reshape(nb, T, dm)
    return out @ p['w_o'] + p['b_o']


def ff(x, p):
    return act(x @ p['w_fc'] + p['b_fc']) @ p['w_proj'] + p['b_proj']


def gpt_logits(P, idx, n_head):
    nb, T = idx.shape
    x = P['wte'][idx] + P['wpe'][:T]
    for p in P['blocks']:
        x = x + attention(layernorm(x, p['ln1_g'], p['ln1_b']), p, n_head)
        x = x + ff(layernorm(x, p['ln2_g'], p['ln2_b']), p)
    x = layernorm(x, P['lnf_g'], P['lnf_b'])
    return x @ P['wte'].T
