# mistake: an ALiBi distance penalty is added to the scores
# accept: alibi; distance; score bias; added to the scores; scores; attention scores; bias on the scores
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
        mean = self.x.mean(axis=2).reshape(self.B, self.T, 1)
        var = self.x.var(axis=2).reshape(self.B, self.T, 1)
        return (self.x - mean) / (var + 0.00001) ** 0.5 * g + b

    def attend(self, n, layer):
        three = n @ layer["w_qkv"] + layer["b_qkv"]
        qs, key, vs = three[:, :, :self.d], three[:, :, self.d:self.d * 2], three[:, :, self.d * 2:]
        shape = (self.B, self.T, self.heads, self.d // self.heads)
        qs, key, vs = qs.reshape(shape), key.reshape(shape), vs.reshape(shape)
        qs, key, vs = qs.swapaxes(1, 2), key.swapaxes(1, 2), vs.swapaxes(1, 2)
        s = np.matmul(qs, key.swapaxes(2, 3)) / np.sqrt(shape[-1])
        when = np.arange(self.T)
        slope = 2.0 ** -np.arange(1, self.heads + 1)
        s = s - slope[:, None, None] * (when[:, None] - when[None, :])
        s = np.where(np.less_equal.outer(when, when).T, s, -np.inf)
        s = np.exp(s - np.max(s, axis=3, keepdims=True))
        s = s / np.sum(s, axis=3, keepdims=True)
        return np.matmul(s, vs).swapaxes(1, 2).reshape(self.B, self.T, self.d) @ layer["w_o"] + layer["b_o"]

    def think(self, n, layer):
        a = n @ layer["w_fc"] + layer["b_fc"]
        a = 0.5 * a * (1 + np.tanh(np.sqrt(2 / np.pi) * (a + 0.044715 * a * a * a)))
        return a @ layer["w_proj"] + layer["b_proj"]


def gpt_logits(P, idx, n_head):
    return Transformer(P, n_head, idx).run()
