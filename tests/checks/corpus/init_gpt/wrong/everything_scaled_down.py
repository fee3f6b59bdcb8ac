# mistake: all matrices of the blocks are scaled by 1/√(2L), also w_qkv and w_fc
# accept: w_qkv; w_fc; all matrices; every matrix; only w_o; all weights; only the
import numpy as np


def _block(r, d, scale):
    def W(n, m, s=1.0):
        return 0.02 * s * r.randn(n, m)

    layer = dict(w_qkv=W(d, 3 * d, scale), w_o=W(d, d, scale), w_fc=W(d, 4 * d, scale), w_proj=W(4 * d, d, scale))
    for bias, n in (("b_qkv", 3 * d), ("b_o", d), ("b_fc", 4 * d), ("b_proj", d)):
        layer[bias] = np.zeros(n)
    for normalise in ("ln1", "ln2"):
        layer[normalise + "_g"], layer[normalise + "_b"] = np.ones(d), np.zeros(d)
    return layer


def init_gpt(V, T, d, L, seed):
    r = np.random.RandomState(seed)
    P = {"wte": 0.02 * r.randn(V, d), "wpe": 0.02 * r.randn(T, d)}
    P["blocks"] = [_block(r, d, (2 * L) ** -0.5) for _ in range(L)]
    P["lnf_g"] = np.full(d, 1.0)
    P["lnf_b"] = np.full(d, 0.0)
    return P
