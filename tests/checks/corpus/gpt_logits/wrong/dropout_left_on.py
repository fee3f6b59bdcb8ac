# mistake: dropout is active: a tenth of the attention weights is dropped at random
# accept: random; dropout; same result; two calls; second call; deterministic; not reproducib; noise; every call
# shows: state
from types import SimpleNamespace
import numpy as np


def gpt_logits(P, idx, n_head):
    B, T = idx.shape
    d = P['wte'].shape[1]
    cfg = SimpleNamespace(B=B, T=T, h=n_head, k=d // n_head, d=d)
    stream = np.add(P['wte'][idx], P['wpe'][: cfg.T])
    for raw in P['blocks']:
        w = SimpleNamespace(**raw)
        stream = np.add(stream, _attn(_ln(stream, w.ln1_g, w.ln1_b), w, cfg))
        stream = np.add(stream, _mlp(_ln(stream, w.ln2_g, w.ln2_b), w))
    return np.inner(_ln(stream, P['lnf_g'], P['lnf_b']), P['wte'])      # tied head


def _ln(stream, g, b):
    m_x = np.mean(stream, axis=-1, keepdims=True)
    sd = np.sqrt(np.mean(np.abs(stream - m_x) ** 2, axis=-1, keepdims=True) + 1e-5)
    return np.multiply((stream - m_x) / sd, g) + b


def _attn(stream, w, c):
    Qh, k, vs = np.split(np.matmul(stream, w.w_qkv) + w.b_qkv, [c.d, 2 * c.d], axis=-1)
    Qh = Qh.reshape(c.B, c.T, c.h, c.k).transpose(0, 2, 1, 3)
    kT = k.reshape(c.B, c.T, c.h, c.k).transpose(0, 2, 3, 1)
    vs = vs.reshape(c.B, c.T, c.h, c.k).transpose(0, 2, 1, 3)
    z = np.matmul(Qh, kT) / np.sqrt(c.k)
    z = np.where(np.triu(np.ones((c.T, c.T)), 1) == 1, -np.inf, z)
    z = z - np.max(z, axis=-1, keepdims=True)
    z = np.exp(z)
    z = z / np.sum(z, axis=-1, keepdims=True)
    z = z * (np.random.rand(*z.shape) > 0.1) / 0.9
    z = np.matmul(z, vs).transpose(0, 2, 1, 3)
    return np.matmul(z.reshape(c.B, c.T, c.d), w.w_o) + w.b_o


def _mlp(stream, w):
    a = np.matmul(stream, w.w_fc) + w.b_fc
    a = 0.5 * a * (1 + np.tanh(np.sqrt(2 / np.pi) * (a + 0.044715 * a**3)))
    return np.matmul(a, w.w_proj) + w.b_proj
