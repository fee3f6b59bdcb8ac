# mistake: local attention, a position sees only itself and the two before it
# accept: window; local; far past; distant; only the last; recent; too much; older; sees too few; too few; hides part of the past; earlier positions
import numpy as np


class Transformer:
    """Everything as methods of one object which holds the shapes."""

    def __init__(self, params, heads, ids):
        self.params, self.heads = params, heads
        self.B, self.T = ids.shape
        self.d = params["wte"].shape[1]
        self.ids = ids

    def run(self):
        self.x = self.params["wte"][self.ids] + self.params["wpe"][:self.T]
        for lw in self.params["blocks"]:
            self.x = self.x + self.attend(self.ln(lw["ln1_g"], lw["ln1_b"]), lw)
            self.x = self.x + self.think(self.ln(lw["ln2_g"], lw["ln2_b"]), lw)
        return self.ln(self.params["lnf_g"], self.params["lnf_b"]) @ self.params["wte"].T

    def ln(self, g, b):
        mu = self.x.mean(axis=2).reshape(self.B, self.T, 1)
        s2 = self.x.var(axis=2).reshape(self.B, self.T, 1)
        return (self.x - mu) / (s2 + 0.00001) ** 0.5 * g + b

    def attend(self, n, lw):
        three = n @ lw["w_qkv"] + lw["b_qkv"]
        query, ks, v = three[:, :, :self.d], three[:, :, self.d:self.d * 2], three[:, :, self.d * 2:]
        shape = (self.B, self.T, self.heads, self.d // self.heads)
        query, ks, v = query.reshape(shape), ks.reshape(shape), v.reshape(shape)
        query, ks, v = query.swapaxes(1, 2), ks.swapaxes(1, 2), v.swapaxes(1, 2)
        sim = np.matmul(query, ks.swapaxes(2, 3)) / np.sqrt(shape[-1])
        when = np.arange(self.T)
        gap = when[:, None] - when[None, :]
        sim = np.where((gap >= 0) & (gap < 3), sim, -np.inf)
        sim = np.exp(sim - np.max(sim, axis=3, keepdims=True))
        sim = sim / np.sum(sim, axis=3, keepdims=True)
        return np.matmul(sim, v).swapaxes(1, 2).reshape(self.B, self.T, self.d) @ lw["w_o"] + lw["b_o"]

    def think(self, n, lw):
        a = n @ lw["w_fc"] + lw["b_fc"]
        a = 0.5 * a * (1 + np.tanh(np.sqrt(2 / np.pi) * (a + 0.044715 * a * a * a)))
        return a @ lw["w_proj"] + lw["b_proj"]


def gpt_logits(P, idx, n_head):
    return Transformer(P, n_head, idx).run()
