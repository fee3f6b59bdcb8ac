from functools import lru_cache
import numpy as np


@lru_cache(maxsize=None)
def causal(T):
    m = np.zeros((T, T))
    m[np.triu_indices(T, k=1)] = -np.inf
    m.flags.writeable = False
    return m


def ln(x, p, name):
    mu = x.mean(-1, keepdims=True)
    return p[name + "_g"] * (x - mu) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) + p[name + "_b"]


def fc(x, p, name):
    return x @ p["w_" + name] + p["b_" + name]


def gelu(x):
    return 0.5 * x + 0.5 * x * np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))


def gpt_logits(P, idx, n_head):
    x = P["wte"][idx]
    x = x + P["wpe"][:x.shape[1]]
    B, T, d = x.shape
    for p in P["blocks"]:
        q, k, v = fc(ln(x, p, "ln1"), p, "qkv").reshape(B, T, 3, n_head, d // n_head).transpose(2, 0, 3, 1, 4)
        s = q @ k.swapaxes(-1, -2) / np.sqrt(d // n_head) + causal(T)
        e = np.exp(s - s.max(-1, keepdims=True))
        x = x + fc((e @ v / e.sum(-1, keepdims=True)).swapaxes(1, 2).reshape(B, T, d), p, "o")
        x = x + fc(gelu(fc(ln(x, p, "ln2"), p, "fc")), p, "proj")
    return ln(x, P, "lnf") @ P["wte"].T
