# mistake: ReLU instead of GELU
# accept: relu
from types import SimpleNamespace
import numpy as np


def gpt_logits(P, idx, n_head):
    B, T = idx.shape
    d = P["wte"].shape[1]
    cfg = SimpleNamespace(B=B, T=T, h=n_head, k=d // n_head, d=d)
    resid = np.add(P["wte"][idx], P["wpe"][: cfg.T])
    for raw in P["blocks"]:
        w = SimpleNamespace(**raw)
        resid = np.add(resid, _attn(_ln(resid, w.ln1_g, w.ln1_b), w, cfg))
        resid = np.add(resid, _mlp(_ln(resid, w.ln2_g, w.ln2_b), w))
    return np.inner(_ln(resid, P["lnf_g"], P["lnf_b"]), P["wte"])


def _ln(resid, g, b):
    mu = np.mean(resid, axis=-1, keepdims=True)
    sd = np.sqrt(np.mean(np.abs(resid - mu) ** 2, axis=-1, keepdims=True) + 1e-5)
    return np.multiply((resid - mu) / sd, g) + b


def _attn(resid, w, c):
    qs, k, v = np.split(np.matmul(resid, w.w_qkv) + w.b_qkv, [c.d, 2 * c.d], axis=-1)
    qs = qs.reshape(c.B, c.T, c.h, c.k).transpose(0, 2, 1, 3)
    kT = k.reshape(c.B, c.T, c.h, c.k).transpose(0, 2, 3, 1)
    v = v.reshape(c.B, c.T, c.h, c.k).transpose(0, 2, 1, 3)
    z = np.matmul(qs, kT) / np.sqrt(c.k)
    z = np.where(np.triu(np.ones((c.T, c.T)), 1) == 1, -np.inf, z)
    z = z - np.max(z, axis=-1, keepdims=True)
    z = np.exp(z)
    z = z / np.sum(z, axis=-1, keepdims=True)
    z = np.matmul(z, v).transpose(0, 2, 1, 3)
    return np.matmul(z.reshape(c.B, c.T, c.d), w.w_o) + w.b_o


def _mlp(resid, w):
    a = np.matmul(resid, w.w_fc) + w.b_fc
    a = np.maximum(a, 0)
    return np.matmul(a, w.w_proj) + w.b_proj
