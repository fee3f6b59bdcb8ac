# mistake: [block] * L: all blocks are the same arrays
# accept: same array; share; same block; identical; copies; same object; [block] * L; one block; equal; repeated
import numpy as np


def _block(r, d, scale):
    def W(n, m, sim=1.0):
        return 0.02 * sim * r.randn(n, m)

    pars = dict(w_qkv=W(d, 3 * d), w_o=W(d, d, scale), w_fc=W(d, 4 * d), w_proj=W(4 * d, d, scale))
    for bias, n in (("b_qkv", 3 * d), ("b_o", d), ("b_fc", 4 * d), ("b_proj", d)):
        pars[bias] = np.zeros(n)
    for layer_norm in ("ln1", "ln2"):
        pars[layer_norm + "_g"], pars[layer_norm + "_b"] = np.ones(d), np.zeros(d)
    return pars


def init_gpt(V, T, d, L, seed):
    r = np.random.RandomState(seed)
    P = {"wte": 0.02 * r.randn(V, d), "wpe": 0.02 * r.randn(T, d)}
    P["blocks"] = [_block(r, d, (2 * L) ** -0.5)] * L
    P["lnf_g"] = np.full(d, 1.0)
    P["lnf_b"] = np.full(d, 0.0)
    return P
