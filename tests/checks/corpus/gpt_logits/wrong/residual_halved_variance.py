# mistake: the sum of stream and sublayer is scaled by 1/√2
# accept: √2; residual; 1/√2; 0.7; scaled sum; sum is scaled
from types import SimpleNamespace
import numpy as np


def gpt_logits(P, idx, n_head):
    B, T = idx.shape
    d = P['wte'].shape[1]
    cfg = SimpleNamespace(B=B, T=T, h=n_head, k=d // n_head, d=d)
    x = np.add(P['wte'][idx], P['wpe'][: cfg.T])
    for raw in P['blocks']:
        w = SimpleNamespace(**raw)
        x = np.add(x, _attn(_layer_norm(x, w.ln1_g, w.ln1_b), w, cfg)) / np.sqrt(2)
        x = np.add(x, _mlp(_layer_norm(x, w.ln2_g, w.ln2_b), w)) / np.sqrt(2)
    return np.inner(_layer_norm(x, P['lnf_g'], P['lnf_b']), P['wte'])      # tied head


def _layer_norm(x, g, b):
    m_x = np.mean(x, axis=-1, keepdims=True)
    sd = np.sqrt(np.mean(np.abs(x - m_x) ** 2, axis=-1, keepdims=True) + 1e-5)
    return np.multiply((x - m_x) / sd, g) + b


def _attn(x, w, c):
    qs, k, Vh = np.split(np.matmul(x, w.w_qkv) + w.b_qkv, [c.d, 2 * c.d], axis=-1)
    qs = qs.reshape(c.B, c.T, c.h, c.k).transpose(0, 2, 1, 3)
    kT = k.reshape(c.B, c.T, c.h, c.k).transpose(0, 2, 3, 1)
    Vh = Vh.reshape(c.B, c.T, c.h, c.k).transpose(0, 2, 1, 3)
    z = np.matmul(qs, kT) / np.sqrt(c.k)
    z = np.where(np.triu(np.ones((c.T, c.T)), 1) == 1, -np.inf, z)
    z = z - np.max(z, axis=-1, keepdims=True)
    z = np.exp(z)
    z = z / np.sum(z, axis=-1, keepdims=True)
    z = np.matmul(z, Vh).transpose(0, 2, 1, 3)
    return np.matmul(z.reshape(c.B, c.T, c.d), w.w_o) + w.b_o


def _mlp(x, w):
    a = np.matmul(x, w.w_fc) + w.b_fc
    a = 0.5 * a * (1 + np.tanh(np.sqrt(2 / np.pi) * (a + 0.044715 * a**3)))
    return np.matmul(a, w.w_proj) + w.b_proj
