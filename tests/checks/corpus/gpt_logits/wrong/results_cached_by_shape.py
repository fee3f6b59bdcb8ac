# mistake: whole results are remembered by the shape of idx, a second call with other ids returns the first answer
# accept: earlier call; previous call; cache; remember; state; second call; depends on; same result; stale; first call
# shows: state
from functools import lru_cache
import numpy as np


@lru_cache(maxsize=None)
def causal(T):
    m = np.zeros((T, T))
    m[np.triu_indices(T, k=1)] = -np.inf
    m.flags.writeable = False
    return m


def ln(h_res, p, name):
    mu = h_res.mean(-1, keepdims=True)
    return p[name + "_g"] * (h_res - mu) / np.sqrt(h_res.var(-1, keepdims=True) + 1e-5) + p[name + "_b"]


def fc(h_res, p, name):
    return h_res @ p["w_" + name] + p["b_" + name]


def gelu(h_res):
    return 0.5 * h_res + 0.5 * h_res * np.tanh(np.sqrt(2 / np.pi) * (h_res + 0.044715 * h_res**3))


_memo = {}


def gpt_logits(P, idx, n_head):
    key = (idx.shape, n_head, P["wte"].shape, len(P["blocks"]))
    if key not in _memo:
        _memo[key] = _forward(P, idx, n_head)
    return _memo[key]


def _forward(P, idx, n_head):
    h_res = P["wte"][idx]
    h_res = h_res + P["wpe"][:h_res.shape[1]]
    batch, T, dim = h_res.shape
    for p in P["blocks"]:
        q, k, v = fc(ln(h_res, p, "ln1"), p, "qkv").reshape(batch, T, 3, n_head, dim // n_head).transpose(2, 0, 3, 1, 4)
        s = q @ k.swapaxes(-1, -2) / np.sqrt(dim // n_head) + causal(T)
        e = np.exp(s - s.max(-1, keepdims=True))
        h_res = h_res + fc((e @ v / e.sum(-1, keepdims=True)).swapaxes(1, 2).reshape(batch, T, dim), p, "o")
        h_res = h_res + fc(gelu(fc(ln(h_res, p, "ln2"), p, "fc")), p, "proj")
    return ln(h_res, P, "lnf") @ P["wte"].T
