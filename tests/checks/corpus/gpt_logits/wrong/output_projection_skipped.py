# mistake: the concatenated heads go to the stream without w_o
# accept: w_o; output projection; projection & missing; projection & skip; without the output; b_o
from functools import lru_cache
import numpy as np


@lru_cache(maxsize=None)
def causal(nt):
    m = np.zeros((nt, nt))
    m[np.triu_indices(nt, k=1)] = -np.inf
    m.flags.writeable = False
    return m


def normalise(x, blk, name):
    m_x = x.mean(-1, keepdims=True)
    return blk[name + "_g"] * (x - m_x) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) + blk[name + "_b"]


def fc(x, blk, name):
    return x @ blk["w_" + name] + blk["b_" + name]


def gelu(x):
    return 0.5 * x + 0.5 * x * np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))


def gpt_logits(P, idx, n_head):
    x = P["wte"][idx]
    x = x + P["wpe"][:x.shape[1]]
    B, nt, dim = x.shape
    for blk in P["blocks"]:
        query, k, value = fc(normalise(x, blk, "ln1"), blk, "qkv").reshape(B, nt, 3, n_head, dim // n_head).transpose(2, 0, 3, 1, 4)
        att = query @ k.swapaxes(-1, -2) / np.sqrt(dim // n_head) + causal(nt)
        e = np.exp(att - att.max(-1, keepdims=True))
        x = x + (e @ value / e.sum(-1, keepdims=True)).swapaxes(1, 2).reshape(B, nt, dim)
        x = x + fc(gelu(fc(normalise(x, blk, "ln2"), blk, "fc")), blk, "proj")
    return normalise(x, P, "lnf") @ P["wte"].T
