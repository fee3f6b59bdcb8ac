# mistake: eps is 1e-3 instead of 1e-5
# accept: eps; epsilon; 1e-3; 1e-5; ε
from functools import lru_cache
import numpy as np


@lru_cache(maxsize=None)
def causal(t):
    m = np.zeros((t, t))
    m[np.triu_indices(t, k=1)] = -np.inf
    m.flags.writeable = False
    return m


def lnorm(xs, layer, name):
    mu = xs.mean(-1, keepdims=True)
    eps = 0.001
    return layer[name + "_g"] * (xs - mu) / np.sqrt(xs.var(-1, keepdims=True) + eps) + layer[name + "_b"]


def fc(xs, layer, name):
    return xs @ layer["w_" + name] + layer["b_" + name]


def gelu_new(xs):
    return 0.5 * xs + 0.5 * xs * np.tanh(np.sqrt(2 / np.pi) * (xs + 0.044715 * xs**3))


def gpt_logits(P, idx, n_head):
    xs = P["wte"][idx]
    xs = xs + P["wpe"][:xs.shape[1]]
    B, t, emb = xs.shape
    for layer in P["blocks"]:
        qs, k, v = fc(lnorm(xs, layer, "ln1"), layer, "qkv").reshape(B, t, 3, n_head, emb // n_head).transpose(2, 0, 3, 1, 4)
        s = qs @ k.swapaxes(-1, -2) / np.sqrt(emb // n_head) + causal(t)
        e = np.exp(s - s.max(-1, keepdims=True))
        xs = xs + fc((e @ v / e.sum(-1, keepdims=True)).swapaxes(1, 2).reshape(B, t, emb), layer, "o")
        xs = xs + fc(gelu_new(fc(lnorm(xs, layer, "ln2"), layer, "fc")), layer, "proj")
    return lnorm(xs, P, "lnf") @ P["wte"].T
