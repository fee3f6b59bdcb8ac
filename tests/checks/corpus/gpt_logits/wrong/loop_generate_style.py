# mistake: right values, but the whole model is run once for each prefix and only the last row is kept
# accept: loop; vectoris; prefix
# shows: loop
import numpy as np


class Tiny:
    def __init__(self, P, h):
        self.P = P
        self.h = h

    @staticmethod
    def ln(x, g, b):
        return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * g + b

    def next_token_logits(self, idx):
        P, h = self.P, self.h
        B, T = idx.shape
        x = P["wte"][idx] + P["wpe"][:T]
        d = x.shape[-1]
        for p in P["blocks"]:
            q, k, v = (self.ln(x, p["ln1_g"], p["ln1_b"]) @ p["w_qkv"] + p["b_qkv"]).reshape(B, T, 3, h, d // h).transpose(2, 0, 3, 1, 4)
            s = np.where(np.tri(T) == 1, q @ k.swapaxes(2, 3) / np.sqrt(d // h), -np.inf)
            s = np.exp(s - s.max(-1, keepdims=True))
            y = (s / s.sum(-1, keepdims=True) @ v).swapaxes(1, 2).reshape(B, T, d)
            x = x + y @ p["w_o"] + p["b_o"]
            u = self.ln(x, p["ln2_g"], p["ln2_b"]) @ p["w_fc"] + p["b_fc"]
            u = 0.5 * u * (1 + np.tanh(np.sqrt(2 / np.pi) * (u + 0.044715 * u**3)))
            x = x + u @ p["w_proj"] + p["b_proj"]
        return self.ln(x[:, -1], P["lnf_g"], P["lnf_b"]) @ P["wte"].T


def gpt_logits(P, idx, n_head):
    model = Tiny(P, n_head)
    return np.stack([model.next_token_logits(idx[:, : t + 1]) for t in range(idx.shape[1])], axis=1)
