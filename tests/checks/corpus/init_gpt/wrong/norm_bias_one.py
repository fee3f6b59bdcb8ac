# mistake: the final LayerNorm's bias is 1
# accept: lnf_b; bias; beta; zero
import numpy as np


class Init:
    def __init__(self, seed, L):
        self.streams = iter(np.random.SeedSequence(seed).spawn(4 * L + 2))
        self.residual = 1 / np.sqrt(2 * L)

    def matrix(self, n, m, residual=False):
        g = np.random.default_rng(next(self.streams))
        std = 0.02 * (self.residual if residual else 1)
        return g.normal(loc=0.0, scale=std, size=(n, m))


def init_gpt(V, T, d, L, seed):
    init = Init(seed, L)
    P = {}
    P["wte"], P["wpe"] = init.matrix(V, d), init.matrix(T, d)
    P["lnf_g"], P["lnf_b"] = np.ones((d,)), np.ones((d,))
    P["blocks"] = []
    for _ in range(L):
        b = {}
        b["ln1_g"], b["ln1_b"] = np.ones((d,)), np.zeros((d,))
        b["w_qkv"], b["b_qkv"] = init.matrix(d, 3 * d), np.zeros((3 * d,))
        b["w_o"], b["b_o"] = init.matrix(d, d, residual=True), np.zeros((d,))
        b["ln2_g"], b["ln2_b"] = np.ones((d,)), np.zeros((d,))
        b["w_fc"], b["b_fc"] = init.matrix(d, 4 * d), np.zeros((4 * d,))
        b["w_proj"], b["b_proj"] = init.matrix(4 * d, d, residual=True), np.zeros((d,))
        P["blocks"].append(b)
    return P
