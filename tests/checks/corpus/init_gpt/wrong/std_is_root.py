# mistake: 0.02 is taken for the variance, the std is √0.02 = 0.14
# accept: variance; √0.02; 0.14; std; standard deviation; spread
import numpy as np


def _block(r, d, scale):
    def W(n, m, sc=1.0):
        return np.sqrt(0.02) * sc * r.randn(n, m)

    block = dict(w_qkv=W(d, 3 * d), w_o=W(d, d, scale), w_fc=W(d, 4 * d), w_proj=W(4 * d, d, scale))
    for bias, n in (("b_qkv", 3 * d), ("b_o", d), ("b_fc", 4 * d), ("b_proj", d)):
        block[bias] = np.zeros(n)
    for LN in ("ln1", "ln2"):
        block[LN + "_g"], block[LN + "_b"] = np.ones(d), np.zeros(d)
    return block


def init_gpt(V, T, d, L, seed):
    r = np.random.RandomState(seed)
    P = {"wte": np.sqrt(0.02) * r.randn(V, d), "wpe": np.sqrt(0.02) * r.randn(T, d)}
    P["blocks"] = [_block(r, d, (2 * L) ** -0.5) for _ in range(L)]
    P["lnf_g"] = np.full(d, 1.0)
    P["lnf_b"] = np.full(d, 0.0)
    return P
