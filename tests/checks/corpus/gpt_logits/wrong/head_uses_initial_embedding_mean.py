# mistake: the token table is centred before it is used as the head
# accept: head$; tied; wte; centr; not the token table; embedding table; unembed
from functools import lru_cache
import numpy as np


@lru_cache(maxsize=None)
def causal(nt):
    m = np.zeros((nt, nt))
    m[np.triu_indices(nt, k=1)] = -np.inf
    m.flags.writeable = False
    return m


def ln(hid, layer, name):
    mu = hid.mean(-1, keepdims=True)
    return layer[name + "_g"] * (hid - mu) / np.sqrt(hid.var(-1, keepdims=True) + 1e-5) + layer[name + "_b"]


def fc(hid, layer, name):
    return hid @ layer["w_" + name] + layer["b_" + name]


def gelu(hid):
    return 0.5 * hid + 0.5 * hid * np.tanh(np.sqrt(2 / np.pi) * (hid + 0.044715 * hid**3))


def gpt_logits(P, idx, n_head):
    hid = P["wte"][idx]
    hid = hid + P["wpe"][:hid.shape[1]]
    bs, nt, dim = hid.shape
    for layer in P["blocks"]:
        Qh, k, v = fc(ln(hid, layer, "ln1"), layer, "qkv").reshape(bs, nt, 3, n_head, dim // n_head).transpose(2, 0, 3, 1, 4)
        s = Qh @ k.swapaxes(-1, -2) / np.sqrt(dim // n_head) + causal(nt)
        e = np.exp(s - s.max(-1, keepdims=True))
        hid = hid + fc((e @ v / e.sum(-1, keepdims=True)).swapaxes(1, 2).reshape(bs, nt, dim), layer, "o")
        hid = hid + fc(gelu(fc(ln(hid, layer, "ln2"), layer, "fc")), layer, "proj")
    table = P["wte"] - P["wte"].mean(axis=0)
    return ln(hid, P, "lnf") @ table.T
