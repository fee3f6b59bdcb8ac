# mistake: √2/π instead of √(2/π) in the GELU
# accept: √2/π; √2 / π; √(2)/π; root; √(2/π); √(2 / π); constant; 0.797
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
        for layer in self.params["blocks"]:
            self.x = self.x + self.attend(self.ln(layer["ln1_g"], layer["ln1_b"]), layer)
            self.x = self.x + self.think(self.ln(layer["ln2_g"], layer["ln2_b"]), layer)
        return self.ln(self.params["lnf_g"], self.params["lnf_b"]) @ self.params["wte"].T

    def ln(self, g, b):
        mu = self.x.mean(axis=2).reshape(self.B, self.T, 1)
        v_x = self.x.var(axis=2).reshape(self.B, self.T, 1)
        return (self.x - mu) / (v_x + 0.00001) ** 0.5 * g + b

    def attend(self, n, layer):
        three = n @ layer["w_qkv"] + layer["b_qkv"]
        q, k, v = three[:, :, :self.d], three[:, :, self.d:self.d * 2], three[:, :, self.d * 2:]
        shape = (self.B, self.T, self.heads, self.d // self.heads)
        q, k, v = q.reshape(shape), k.reshape(shape), v.reshape(shape)
        q, k, v = q.swapaxes(1, 2), k.swapaxes(1, 2), v.swapaxes(1, 2)
        sim = np.matmul(q, k.swapaxes(2, 3)) / np.sqrt(shape[-1])
        when = np.arange(self.T)
        sim = np.where(np.less_equal.outer(when, when).T, sim, -np.inf)
        sim = np.exp(sim - np.max(sim, axis=3, keepdims=True))
        sim = sim / np.sum(sim, axis=3, keepdims=True)
        return np.matmul(sim, v).swapaxes(1, 2).reshape(self.B, self.T, self.d) @ layer["w_o"] + layer["b_o"]

    def think(self, n, layer):
        a = n @ layer["w_fc"] + layer["b_fc"]
        a = 0.5 * a * (1 + np.tanh(np.sqrt(2) / np.pi * (a + 0.044715 * a * a * a)))
        return a @ layer["w_proj"] + layer["b_proj"]


def gpt_logits(P, idx, n_head):
    return Transformer(P, n_head, idx).run()
