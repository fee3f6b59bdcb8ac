# mistake: eps is added to the standard deviation, outside the root
# accept: outside; standard deviation; to the std; to the σ; inside the root; inside the square root; place; not to the variance; to σ; eps & std; under the root
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
        for par in self.params["blocks"]:
            self.x = self.x + self.attend(self.ln(par["ln1_g"], par["ln1_b"]), par)
            self.x = self.x + self.think(self.ln(par["ln2_g"], par["ln2_b"]), par)
        return self.ln(self.params["lnf_g"], self.params["lnf_b"]) @ self.params["wte"].T

    def ln(self, g, b):
        mean = self.x.mean(axis=2).reshape(self.B, self.T, 1)
        var = self.x.var(axis=2).reshape(self.B, self.T, 1)
        return (self.x - mean) / (var ** 0.5 + 0.00001) * g + b

    def attend(self, n, par):
        three = n @ par["w_qkv"] + par["b_qkv"]
        Qh, k, vs = three[:, :, :self.d], three[:, :, self.d:self.d * 2], three[:, :, self.d * 2:]
        shape = (self.B, self.T, self.heads, self.d // self.heads)
        Qh, k, vs = Qh.reshape(shape), k.reshape(shape), vs.reshape(shape)
        Qh, k, vs = Qh.swapaxes(1, 2), k.swapaxes(1, 2), vs.swapaxes(1, 2)
        sc = np.matmul(Qh, k.swapaxes(2, 3)) / np.sqrt(shape[-1])
        when = np.arange(self.T)
        sc = np.where(np.less_equal.outer(when, when).T, sc, -np.inf)
        sc = np.exp(sc - np.max(sc, axis=3, keepdims=True))
        sc = sc / np.sum(sc, axis=3, keepdims=True)
        return np.matmul(sc, vs).swapaxes(1, 2).reshape(self.B, self.T, self.d) @ par["w_o"] + par["b_o"]

    def think(self, n, par):
        a = n @ par["w_fc"] + par["b_fc"]
        a = 0.5 * a * (1 + np.tanh(np.sqrt(2 / np.pi) * (a + 0.044715 * a * a * a)))
        return a @ par["w_proj"] + par["b_proj"]


def gpt_logits(P, idx, n_head):
    return Transformer(P, n_head, idx).run()
